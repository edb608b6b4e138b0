//! The few file operations that evidence rests on, so that a test can put a
//! fault or a power cut at each of them.

mod disk;
#[cfg(test)]
pub(crate) mod memory;

pub use disk::Disk;

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Which file an open descriptor or a path means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Identity {
    /// The device.
    pub device: u64,
    /// The inode.
    pub inode: u64,
}

/// How a file is opened. Never through a link, never anything but a regular file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum How {
    /// An existing file, to read; its access time stays, where that is allowed.
    Read,
    /// An existing file, to read and to append.
    Append,
    /// A new file, mode 0600, to read and to append.
    New,
    /// An existing or new file, mode 0600, to read and to append.
    Lock,
}

/// Whether others may hold the lock at the same time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hold {
    /// Nobody else.
    Exclusive,
    /// Others that hold it shared.
    Shared,
}

/// Length and times, to see whether a file was changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct State {
    /// Which file it is.
    pub identity: Identity,
    /// Its length in bytes.
    pub len: u64,
    /// When its bytes were last changed: seconds and nanoseconds since 1970.
    pub modified: (i64, i64),
}

/// A file system, as far as this room needs it.
pub trait Files: Send + Sync {
    /// Opens a regular file.
    ///
    /// # Errors
    /// What the system says, or a refusal by name of what is no regular file.
    fn open(&self, path: &Path, how: How) -> io::Result<Box<dyn OpenFile>>;

    /// What the path names, not following a link; `None` if nothing.
    ///
    /// # Errors
    /// What the system says.
    fn state(&self, path: &Path) -> io::Result<Option<State>>;

    /// Makes a directory, mode 0700. It must not be there.
    ///
    /// # Errors
    /// What the system says.
    fn create_dir(&self, path: &Path) -> io::Result<()>;

    /// The names in a directory, in no order.
    ///
    /// # Errors
    /// What the system says.
    fn list(&self, path: &Path) -> io::Result<Vec<OsString>>;

    /// Makes the names in a directory durable.
    ///
    /// # Errors
    /// What the system says.
    fn sync_dir(&self, path: &Path) -> io::Result<()>;

    /// Renames; a file that has the new name is replaced.
    ///
    /// # Errors
    /// What the system says.
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()>;

    /// Renames, unless the new name is taken.
    ///
    /// # Errors
    /// `AlreadyExists` if it is, else what the system says.
    fn rename_new(&self, from: &Path, to: &Path) -> io::Result<()>;

    /// Gives a file a second name.
    ///
    /// # Errors
    /// What the system says.
    fn link(&self, from: &Path, to: &Path) -> io::Result<()>;

    /// Removes a file's name.
    ///
    /// # Errors
    /// What the system says.
    fn remove(&self, path: &Path) -> io::Result<()>;

    /// Removes an empty directory.
    ///
    /// # Errors
    /// What the system says.
    fn remove_dir(&self, path: &Path) -> io::Result<()>;

    /// Removes a directory with all that is in it.
    ///
    /// # Errors
    /// What the system says.
    fn remove_all(&self, path: &Path) -> io::Result<()>;

    /// Lets time pass before a lock is tried again.
    fn wait(&self, time: Duration);
}

/// An open regular file.
pub trait OpenFile: Send + Sync {
    /// Appends with one write; returns how many bytes were taken.
    ///
    /// # Errors
    /// What the system says.
    fn append(&mut self, bytes: &[u8]) -> io::Result<usize>;

    /// Makes the bytes durable. After an error it must not be tried again: it
    /// could return success although bytes are lost.
    ///
    /// # Errors
    /// What the system says.
    fn sync(&mut self) -> io::Result<()>;

    /// Cuts the file to this length.
    ///
    /// # Errors
    /// What the system says.
    fn truncate(&mut self, len: u64) -> io::Result<()>;

    /// Reads from a position; 0 at the end.
    ///
    /// # Errors
    /// What the system says.
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize>;

    /// Which file it is, how long, and when it was changed.
    ///
    /// # Errors
    /// What the system says.
    fn state(&self) -> io::Result<State>;

    /// Tries to take the lock of this open file, without waiting; it lives as
    /// long as the file is open.
    ///
    /// # Errors
    /// `WouldBlock` if somebody holds it, else what the system says.
    fn try_lock(&self, hold: Hold) -> io::Result<()>;
}

/// Reads a small file whole.
///
/// # Errors
/// `FileTooLarge` if it holds more than `limit` bytes, else what the system says.
pub fn read_small(files: &dyn Files, path: &Path, limit: usize) -> io::Result<Vec<u8>> {
    let file = files.open(path, How::Read)?;
    let length = usize::try_from(file.state()?.len).unwrap_or(usize::MAX);
    if length > limit {
        return Err(io::ErrorKind::FileTooLarge.into());
    }
    let mut bytes = vec![0; length];
    let read = read_full(file.as_ref(), &mut bytes, 0)?;
    bytes.truncate(read);
    Ok(bytes)
}

/// Reads until the buffer is full or the file ends.
///
/// # Errors
/// What the system says.
pub fn read_full(file: &dyn OpenFile, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
    let mut length = 0;
    while length < buffer.len() {
        match file.read_at(&mut buffer[length..], offset + length as u64) {
            Ok(0) => break,
            Ok(more) => length += more,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(length)
}

/// Writes all of it with one write; a short one is an error.
///
/// # Errors
/// `WriteZero` after a short write, else what the system says.
pub fn append_all(file: &mut dyn OpenFile, bytes: &[u8]) -> io::Result<()> {
    if file.append(bytes)? == bytes.len() { Ok(()) } else { Err(io::ErrorKind::WriteZero.into()) }
}

/// Writes a file beside its place, syncs it and puts it into place, replacing
/// what is there. Only one process may do so at a time. The directory is not
/// synced.
///
/// # Errors
/// What the system says; the place then holds what it held before.
pub fn put(files: &dyn Files, path: &Path, bytes: &[u8]) -> io::Result<()> {
    let beside = beside(path, "tmp");
    write_anew(files, &beside, bytes)?;
    files.rename(&beside, path)
}

/// The same, unless there is already something in that place; any number of
/// processes may try, one succeeds.
///
/// # Errors
/// `AlreadyExists` if there is, else what the system says.
pub fn put_new(files: &dyn Files, path: &Path, bytes: &[u8]) -> io::Result<()> {
    static ATTEMPTS: AtomicU64 = AtomicU64::new(0);
    let attempt = ATTEMPTS.fetch_add(1, Ordering::Relaxed);
    let beside = beside(path, &format!("{}-{attempt}.tmp", std::process::id()));
    write_anew(files, &beside, bytes)?;
    files.rename_new(&beside, path).inspect_err(|_| {
        let _ = files.remove(&beside);
    })
}

fn beside(path: &Path, ending: &str) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!(".{name}.{ending}"))
}

/// Writes and syncs a file in place of one that an earlier process left.
fn write_anew(files: &dyn Files, path: &Path, bytes: &[u8]) -> io::Result<()> {
    match files.remove(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        Ok(()) | Err(_) => {}
    }
    let mut file = files.open(path, How::New)?;
    append_all(file.as_mut(), bytes).and_then(|()| file.sync()).inspect_err(|_| {
        let _ = files.remove(path);
    })
}

/// Makes a directory and what is missing above it; each new name is synced.
///
/// # Errors
/// What the system says.
pub fn ensure_dir(files: &dyn Files, path: &Path) -> io::Result<()> {
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    let made = match (files.create_dir(path), parent) {
        (Err(error), Some(parent)) if error.kind() == io::ErrorKind::NotFound => {
            ensure_dir(files, parent)?;
            files.create_dir(path)
        }
        (made, _) => made,
    };
    match (made, parent) {
        (Ok(()), Some(parent)) => files.sync_dir(parent),
        (Err(error), _) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        (made, _) => made,
    }
}
