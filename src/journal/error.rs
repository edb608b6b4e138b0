//! What can go wrong with a journal, and the sentences for it.

use crate::record::{KeyId, SessionId};
use crate::session::OrderError;

/// Why a line is not a line of this journal.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// There is no first line.
    #[error("there is no record")]
    Empty,
    /// It is longer than a line may be.
    #[error("it is longer than 1 MiB")]
    LongLine,
    /// The journal is longer than it may be.
    #[error("the journal is longer than 64 MiB")]
    LongJournal,
    /// It is no object of the known fields.
    #[error("it is not readable: {0}")]
    Unreadable(String),
    /// Its bytes are not those that its values give.
    #[error("it is not written in its one form")]
    Form,
    /// It names another session.
    #[error("it belongs to session {0}")]
    Session(SessionId),
    /// Its number is not the next.
    #[error("its number is {found} where {expected} was due")]
    Sequence {
        /// What was due.
        expected: u64,
        /// What it says.
        found: u64,
    },
    /// It does not follow the line before it.
    #[error("it does not follow the line before it")]
    Chain,
    /// Its signature is not the key's.
    #[error("its signature does not verify with key {0}")]
    Signature(KeyId),
    /// Its body is not one of its type.
    #[error("{0}")]
    Body(String),
    /// It may not stand here.
    #[error("it may not stand here: {0}")]
    Order(OrderError),
}

/// The first line that does not verify.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line} does not verify: {fault}")]
pub struct Damage {
    /// Its number, counted from 1.
    pub line: u64,
    /// What is wrong with it.
    pub fault: Fault,
}

/// Why nothing more can be saved. It stays so for this process.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Poison {
    /// The path no longer names the file, or its length is not what was written.
    #[error("the journal was changed, moved or removed by somebody else")]
    Foreign,
    /// The system took less than the line.
    #[error("the disk took only {written} of {length} bytes of a record")]
    Short {
        /// Bytes that were taken.
        written: usize,
        /// Bytes of the line.
        length: usize,
    },
    /// The write failed.
    #[error("a record could not be written: {0}")]
    Write(String),
    /// The sync failed.
    #[error("a record could not be made durable: {0}")]
    Sync(String),
}

/// Why a record was not committed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CommitError {
    /// It may not follow the records before it.
    #[error(transparent)]
    Order(#[from] OrderError),
    /// It cannot be written on one line.
    #[error("the record cannot be written: {0}")]
    Encode(String),
    /// Its line would be too long.
    #[error("the record needs {bytes} bytes, and a line holds 1 MiB")]
    TooLong {
        /// Length of the line.
        bytes: usize,
    },
    /// The journal has no room for it.
    #[error("the journal is full: the record needs {bytes} bytes and {left} are left for it")]
    Full {
        /// Length of the line.
        bytes: usize,
        /// What is left for a record of its type.
        left: u64,
    },
    /// Nothing more can be saved.
    #[error(transparent)]
    Poisoned(#[from] Poison),
}

impl CommitError {
    /// Whether the journal has no room for the record, or no line has.
    #[must_use]
    pub fn is_size(&self) -> bool {
        matches!(self, Self::TooLong { .. } | Self::Full { .. })
    }
}
