//! A session for a look at it: read like any other, given up when another one
//! is wanted.

use super::error::{At, StoreError, WhyReadOnly};
use super::head::HeadFile;
use super::open::why_read_only;
use super::{Store, layout};
use crate::journal;
use crate::journal::files::{Hold, How, OpenFile, State};
use crate::record::{KeyId, SessionId};
use crate::session::Session;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Where a session lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shelf {
    /// Among the sessions.
    Sessions,
    /// In the trash.
    Trash,
}

/// A session as far as it can be read.
#[derive(Debug)]
pub struct Preview {
    /// The folded records, up to the last good one.
    pub session: Session,
    /// Why it can only be read, if its files say so.
    pub why: Option<WhyReadOnly>,
}

/// A file that is no longer read once nobody wants it.
struct Wanted {
    file: Box<dyn OpenFile>,
    stop: Arc<AtomicBool>,
}

impl Store {
    /// Reads a session to show it, until `stop` is set.
    ///
    /// # Errors
    /// [`StoreError`] if nothing of it can be read, or it is wanted no longer.
    pub fn preview(&self, id: SessionId, shelf: Shelf, stop: Arc<AtomicBool>) -> Result<Preview, StoreError> {
        let (dir, head) = match shelf {
            Shelf::Sessions => (self.existing(id)?, self.layout.head(id)),
            Shelf::Trash => (self.layout.trashed(id), self.layout.trashed_head(id)),
        };
        let path = layout::journal(&dir);
        // Before the journal: without the lock both can grow.
        let head = HeadFile::read(self.files.as_ref(), &head).at("read", &head)?;
        let file = self.files.open(&path, How::Read).at("open", &path)?;
        let keys = |key: &KeyId| self.keys.public(key);
        let reading = journal::read(&Wanted { file, stop }, id, &keys).at("read", &path)?;
        let why = why_read_only(&reading, head.as_ref());
        let begun = reading.chain.session().header().is_some();
        match reading.damage {
            Some(damage) if !begun => Err(StoreError::Unreadable(damage)),
            _ => Ok(Preview { session: reading.chain.into_session(), why }),
        }
    }
}

impl OpenFile for Wanted {
    fn append(&mut self, _: &[u8]) -> io::Result<usize> {
        Err(io::ErrorKind::PermissionDenied.into())
    }

    fn sync(&mut self) -> io::Result<()> {
        Ok(())
    }

    fn truncate(&mut self, _: u64) -> io::Result<()> {
        Err(io::ErrorKind::PermissionDenied.into())
    }

    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        if self.stop.load(Ordering::Relaxed) {
            return Err(io::Error::other("it is wanted no longer"));
        }
        self.file.read_at(buffer, offset)
    }

    fn state(&self) -> io::Result<State> {
        self.file.state()
    }

    fn try_lock(&self, hold: Hold) -> io::Result<()> {
        self.file.try_lock(hold)
    }
}
