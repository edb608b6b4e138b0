//! A call folder held open: its names, and how files in it are made and read.
//!
//! Every name is reached through the folder's descriptor and never through a
//! link, so nobody can put another file in the place of evidence.

use rustix::fs::{AtFlags, FileType, Mode, OFlags, openat, renameat, statat, unlinkat};
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;

/// What was ordered.
pub(super) const ORDER: &str = "order.json";
/// Held by the supervisor for as long as it lives.
pub(super) const LOCK: &str = "lock";
/// Room for the receipt, so that a full disk cannot take it away.
pub(super) const RECEIPT_ROOM: &str = "receipt.tmp";
/// The supervisor's mark: from here on the command may run.
pub(super) const LAUNCH: &str = "launch.json";
/// The command's shell.
pub(super) const PROCESS: &str = "process.json";
/// FIFO for the request to stop.
pub(super) const CONTROL: &str = "control";
/// What the command wrote, up to [`crate::record::limits::SPOOL_BYTES`].
pub const OUTPUT: &str = "output";
/// The end of an output that did not fit.
pub(super) const OUTPUT_TAIL: &str = "output.tail";
/// The supervisor's word on how it ended.
pub(super) const RECEIPT: &str = "receipt.json";

const PRIVATE_FILE: Mode = Mode::RUSR.union(Mode::WUSR);

/// An open call folder.
#[derive(Debug)]
pub(super) struct Folder(File);

impl Folder {
    /// Opens a folder that is there and no link.
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        Ok(Self(File::from(rustix::fs::open(path, flags, Mode::empty())?)))
    }

    /// Makes a file that is not there yet, for its owner alone.
    pub(super) fn create(&self, name: &str) -> io::Result<File> {
        self.open_as(name, OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL)
    }

    /// Makes the file, or empties the one that is there.
    fn replace(&self, name: &str) -> io::Result<File> {
        self.open_as(name, OFlags::WRONLY | OFlags::CREATE | OFlags::TRUNC)
    }

    /// Opens a regular file to be written over.
    pub(super) fn open_to_write(&self, name: &str) -> io::Result<File> {
        regular(self.open_as(name, OFlags::WRONLY)?)
    }

    /// Opens a regular file to be read.
    pub(super) fn open_to_read(&self, name: &str) -> io::Result<File> {
        regular(self.open_as(name, OFlags::RDONLY)?)
    }

    /// Opens the FIFO; `access` says for which end.
    pub(super) fn open_fifo(&self, name: &str, access: OFlags) -> io::Result<File> {
        let file = self.open_as(name, access)?;
        if is(&file, FileType::Fifo)? { Ok(file) } else { Err(io::ErrorKind::InvalidInput.into()) }
    }

    fn open_as(&self, name: &str, flags: OFlags) -> io::Result<File> {
        // Without NONBLOCK a FIFO in a file's place would hold us for ever.
        let flags = flags | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        Ok(File::from(openat(&self.0, name, flags, PRIVATE_FILE)?))
    }

    /// Reads a small regular file whole; one above `limit` bytes is refused.
    pub(super) fn read_small(&self, name: &str, limit: usize) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        self.open_to_read(name)?.take(limit as u64 + 1).read_to_end(&mut bytes)?;
        if bytes.len() > limit { Err(io::ErrorKind::FileTooLarge.into()) } else { Ok(bytes) }
    }

    /// Whether the name is taken by anything; the error says that nobody knows.
    pub(super) fn has(&self, name: &str) -> io::Result<bool> {
        match statat(&self.0, name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(_) => Ok(true),
            Err(rustix::io::Errno::NOENT) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    /// Whether an open file is the one of this name.
    pub(super) fn holds(&self, name: &str, file: &File) -> io::Result<bool> {
        let named = statat(&self.0, name, AtFlags::SYMLINK_NOFOLLOW)?;
        let open = rustix::fs::fstat(file)?;
        Ok((named.st_dev, named.st_ino) == (open.st_dev, open.st_ino))
    }

    /// Gives a file its name for good; a reader sees all of it or nothing.
    pub(super) fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        Ok(renameat(&self.0, from, &self.0, to)?)
    }

    /// Takes a name away, unless it is a directory's.
    pub(super) fn remove(&self, name: &str) -> io::Result<()> {
        Ok(unlinkat(&self.0, name, AtFlags::empty())?)
    }

    /// Makes the names in the folder durable.
    pub(super) fn sync(&self) -> io::Result<()> {
        self.0.sync_all()
    }

    /// Writes a file aside, durably, and renames it into place, durably.
    pub(super) fn put_durably(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        let aside = format!("{name}.tmp");
        let mut file = self.replace(&aside)?;
        file.write_all(bytes)?;
        file.sync_data()?;
        self.rename(&aside, name)?;
        self.sync()
    }

    /// Writes a file aside and renames it into place, whole but not durable.
    pub(super) fn put(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        let aside = format!("{name}.tmp");
        self.replace(&aside)?.write_all(bytes)?;
        self.rename(&aside, name)
    }

    /// Makes a FIFO for its owner alone.
    #[cfg(not(target_vendor = "apple"))]
    pub(super) fn make_fifo(&self, name: &str) -> io::Result<()> {
        Ok(rustix::fs::mkfifoat(&self.0, name, PRIVATE_FILE)?)
    }
}

fn is(file: &File, wanted: FileType) -> io::Result<bool> {
    Ok(FileType::from_raw_mode(rustix::fs::fstat(file)?.st_mode) == wanted)
}

fn regular(file: File) -> io::Result<File> {
    if is(&file, FileType::RegularFile)? { Ok(file) } else { Err(io::ErrorKind::InvalidInput.into()) }
}
