//! The real disk without waiting for it: ten thousand sessions are made with it
//! in seconds. Nothing that is measured uses it.

use candor::journal::files::{Disk, Files, Hold, How, OpenFile, State};
use std::ffi::OsString;
use std::io;
use std::path::Path;
use std::time::Duration;

#[derive(Default)]
pub(crate) struct Unsynced(Disk);

struct UnsyncedFile(Box<dyn OpenFile>);

impl Files for Unsynced {
    fn open(&self, path: &Path, how: How) -> io::Result<Box<dyn OpenFile>> {
        Ok(Box::new(UnsyncedFile(self.0.open(path, how)?)))
    }

    fn state(&self, path: &Path) -> io::Result<Option<State>> {
        self.0.state(path)
    }

    fn create_dir(&self, path: &Path) -> io::Result<()> {
        self.0.create_dir(path)
    }

    fn list(&self, path: &Path) -> io::Result<Vec<OsString>> {
        self.0.list(path)
    }

    fn sync_dir(&self, _path: &Path) -> io::Result<()> {
        Ok(())
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.0.rename(from, to)
    }

    fn rename_new(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.0.rename_new(from, to)
    }

    fn link(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.0.link(from, to)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        self.0.remove(path)
    }

    fn remove_dir(&self, path: &Path) -> io::Result<()> {
        self.0.remove_dir(path)
    }

    fn remove_all(&self, path: &Path) -> io::Result<()> {
        self.0.remove_all(path)
    }

    fn wait(&self, time: Duration) {
        self.0.wait(time);
    }
}

impl OpenFile for UnsyncedFile {
    fn append(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.append(bytes)
    }

    fn sync(&mut self) -> io::Result<()> {
        Ok(())
    }

    fn truncate(&mut self, len: u64) -> io::Result<()> {
        self.0.truncate(len)
    }

    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        self.0.read_at(buffer, offset)
    }

    fn state(&self) -> io::Result<State> {
        self.0.state()
    }

    fn try_lock(&self, hold: Hold) -> io::Result<()> {
        self.0.try_lock(hold)
    }
}
