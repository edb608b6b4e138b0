//! The few file operations that evidence rests on, so that a test can put a
//! fault or a power cut at each of them.

mod disk;
#[cfg(any(test, feature = "lab"))]
#[allow(clippy::unwrap_used, clippy::panic)] // for tests
#[cfg_attr(not(test), allow(dead_code))] // attacks plan no faults
pub(crate) mod memory;
mod whole;

pub use disk::Disk;
pub use whole::{
    append_all, append_once, ensure_dir, put, put_new, read_full, read_small, read_some, remove_put,
    settle_above,
};

use std::ffi::OsString;
use std::io;
use std::path::Path;
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

    /// Makes the bytes durable. After an error, an interruption too, it must not
    /// be tried again: it could return success although bytes are lost.
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
