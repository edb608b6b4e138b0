//! The lock of a call folder: it lives exactly as long as the supervisor.

use super::folder::{Folder, LOCK};
use fs4::TryLockError;
use std::fs::File;
use std::io;
use std::thread::sleep;
use std::time::Duration;

/// A reader that only wants to know holds the lock for a moment; whoever wants
/// it for work waits that long, in steps.
const PATIENCE: Duration = Duration::from_millis(500);
const STEP: Duration = Duration::from_millis(10);

/// What a reader can say of a lock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LockState {
    /// Somebody holds it.
    Held,
    /// Nobody does, or there is no lock file.
    Free,
    /// It cannot be looked at.
    Unreadable,
}

/// Takes the lock for work.
pub(super) fn take(file: &File) -> io::Result<()> {
    let mut waited = Duration::ZERO;
    loop {
        match fs4::FileExt::try_lock(file) {
            Ok(()) => return Ok(()),
            Err(TryLockError::Error(error)) => return Err(error),
            Err(TryLockError::WouldBlock) if waited < PATIENCE => {
                sleep(STEP);
                waited += STEP;
            }
            Err(TryLockError::WouldBlock) => return Err(io::ErrorKind::WouldBlock.into()),
        }
    }
}

/// Looks once whether the lock is held; makes no file and keeps no lock.
pub(super) fn probe(folder: &Folder) -> LockState {
    match folder.open_to_read(LOCK) {
        Ok(file) => state_of(&file),
        Err(error) if error.kind() == io::ErrorKind::NotFound => LockState::Free,
        Err(_) => LockState::Unreadable,
    }
}

/// Looks once at an open lock file.
pub(super) fn state_of(file: &File) -> LockState {
    match fs4::FileExt::try_lock_shared(file) {
        // Closing lets go as well, should this fail.
        Ok(()) => fs4::FileExt::unlock(file).map_or(LockState::Unreadable, |()| LockState::Free),
        Err(TryLockError::WouldBlock) => LockState::Held,
        Err(TryLockError::Error(_)) => LockState::Unreadable,
    }
}
