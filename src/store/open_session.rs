//! A session that is open for work: its lock, its journal, its head.

use super::decision::Decision;
use super::error::Found;
use super::head::Head;
use crate::journal::files::Files;
use crate::journal::lock::Lock;
use crate::journal::{CommitError, Journal, Poison};
use crate::record::{Committed, Digest, DispatchId, Record, SessionId, Timestamp};
use crate::session::Session;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A session that this process alone may write. Dropping it lets go of the lock.
pub struct OpenSession {
    pub(super) journal: Journal,
    pub(super) lock: Lock,
    pub(super) files: Arc<dyn Files>,
    pub(super) dir: PathBuf,
    pub(super) head_path: PathBuf,
    pub(super) head_trouble: HeadTrouble,
    pub(super) found: Vec<Found>,
    pub(super) decisions: Vec<Decision>,
}

/// A head that could not be written is said once; it is tried again at the next
/// turn's end.
#[derive(Default)]
pub(super) enum HeadTrouble {
    #[default]
    None,
    ToSay(io::Error),
    Said,
}

impl OpenSession {
    /// The one way in: writes a record, makes it durable, folds it. At a turn's
    /// end and at a rename the head is written too; if that fails the record
    /// stands, and [`Self::take_head_trouble`] says it.
    ///
    /// # Errors
    /// [`CommitError`] says why the record is not in the journal.
    pub fn commit(&mut self, record: Record, at: Timestamp) -> Result<Committed, CommitError> {
        let committed = self.journal.commit(record, at)?;
        if matches!(committed.record, Record::TurnEnded(_) | Record::SessionRenamed(_)) {
            self.write_head();
        }
        Ok(committed)
    }

    /// The folded records.
    #[must_use]
    pub fn session(&self) -> &Session {
        self.journal.session()
    }

    /// Its id.
    #[must_use]
    pub fn id(&self) -> SessionId {
        self.session().id()
    }

    /// Its directory.
    #[must_use]
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// Hash of the last line.
    #[must_use]
    pub fn head(&self) -> Digest {
        self.journal.head()
    }

    /// What the opening found.
    #[must_use]
    pub fn found(&self) -> &[Found] {
        &self.found
    }

    /// The valid decision about an execution that was made from outside, as it
    /// was at the opening.
    #[must_use]
    pub fn decision(&self, dispatch: DispatchId) -> Option<&Decision> {
        self.decisions.iter().find(|decision| decision.dispatch == dispatch)
    }

    /// Whether the record would fit, before a person is asked about it.
    ///
    /// # Errors
    /// [`CommitError`] says what stands against it.
    pub fn room_for(&self, record: &Record) -> Result<(), CommitError> {
        self.journal.room_for(record)
    }

    /// Bytes that are left for records that open something.
    #[must_use]
    pub fn space_left(&self) -> u64 {
        self.journal.space_left()
    }

    /// Why nothing more can be saved.
    #[must_use]
    pub fn poison(&self) -> Option<&Poison> {
        self.journal.poison()
    }

    /// Whether the lock keeps others out. Where it does not, no tools are run.
    #[must_use]
    pub fn locks_work(&self) -> bool {
        self.lock.works()
    }

    /// Why the head could not be written, once.
    pub fn take_head_trouble(&mut self) -> Option<io::Error> {
        match std::mem::replace(&mut self.head_trouble, HeadTrouble::Said) {
            HeadTrouble::ToSay(error) => Some(error),
            HeadTrouble::None => {
                self.head_trouble = HeadTrouble::None;
                None
            }
            HeadTrouble::Said => None,
        }
    }

    /// Writes the head; what comes of it is said by [`Self::take_head_trouble`].
    pub(super) fn write_head(&mut self) {
        let session = self.journal.session();
        let head = Head::new(
            session.id(),
            session.next_seq().saturating_sub(1),
            self.journal.head(),
            session.title(),
        );
        let written = head.write(self.files.as_ref(), &self.head_path, self.journal.key());
        self.head_trouble = match (written, std::mem::take(&mut self.head_trouble)) {
            (Ok(()), _) => HeadTrouble::None,
            (Err(_), HeadTrouble::Said) => HeadTrouble::Said,
            (Err(error), HeadTrouble::None | HeadTrouble::ToSay(_)) => HeadTrouble::ToSay(error),
        };
    }
}
