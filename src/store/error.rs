//! What can go wrong with the data directory, and the sentences for it.

use crate::journal::lock::Holder;
use crate::journal::{CommitError, Damage, Newer};
use crate::record::{DispatchId, KeyId, SessionId, TailMoved};
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// Why the store could not do what was asked.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The system refused something.
    #[error("cannot {doing} {}: {error}", path.display())]
    Io {
        /// What was to be done.
        doing: &'static str,
        /// To what.
        path: PathBuf,
        /// What the system says.
        error: io::Error,
    },
    /// There is no such session.
    #[error("there is no session {0}")]
    NoSession(SessionId),
    /// Its head is known, its files are gone.
    #[error("the files of session {0} are missing")]
    Lost(SessionId),
    /// Not even the first line is good.
    #[error("nothing of the session can be read: {0}")]
    Unreadable(Damage),
    /// Another process has it open.
    #[error("the session is open elsewhere{}", .0.as_ref().map(|holder| format!(": {holder}")).unwrap_or_default())]
    InUse(Option<Holder>),
    /// A command of it still runs.
    #[error("command {0} of the session still runs")]
    Running(DispatchId),
    /// An outcome is unknown, so the session is moved only by name.
    #[error("{} unknown; it is moved only with the first word of its title, \"{word}\"", outcomes(*unknown))]
    WordWanted {
        /// How many outcomes are unknown.
        unknown: usize,
        /// The word that is wanted.
        word: String,
    },
    /// A record was refused or could not be written.
    #[error(transparent)]
    Commit(#[from] CommitError),
    /// The key is named but not usable.
    #[error("the signing key {id} is not in {}", dir.display())]
    NoKey {
        /// The key.
        id: KeyId,
        /// Where it should be.
        dir: PathBuf,
    },
    /// The file that names the current key cannot be read.
    #[error("{} does not name a key", .0.display())]
    CurrentKey(PathBuf),
    /// There is no source of randomness.
    #[error("the system gives no randomness: {0}")]
    Randomness(String),
    /// The session has no ended turn to fork it from, or not the one asked for.
    #[error("session {0} has no such ended turn")]
    NoTurn(SessionId),
}

fn outcomes(unknown: usize) -> String {
    match unknown {
        1 => "1 of its outcomes is".to_owned(),
        more => format!("{more} of its outcomes are"),
    }
}

/// Names what was to be done when the system refuses it.
pub(super) trait At<T> {
    fn at(self, doing: &'static str, path: &Path) -> Result<T, StoreError>;
}

impl<T> At<T> for io::Result<T> {
    fn at(self, doing: &'static str, path: &Path) -> Result<T, StoreError> {
        self.map_err(|error| StoreError::Io { doing, path: path.to_owned(), error })
    }
}

/// Why a session can only be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WhyReadOnly {
    /// Another process has it open.
    #[error("open elsewhere{}", .0.as_ref().map(|holder| format!(": {holder}")).unwrap_or_default())]
    OpenElsewhere(Option<Holder>),
    /// A newer version wrote it.
    #[error("line {} was written by a newer Candor ({})", .0.line, .0.what)]
    Newer(Newer),
    /// Its key is not here.
    #[error("the key of this session ({0}) is not on this machine")]
    KeyGone(KeyId),
    /// It does not verify.
    #[error(transparent)]
    Damaged(#[from] Damage),
    /// Records are missing.
    #[error("records are missing: {0}")]
    Missing(#[from] MissingRecords),
    /// The system refused what working with it needs: what that was.
    #[error("it cannot be opened for writing: {0}")]
    Refused(String),
}

/// How it is known that a journal has lost records.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum MissingRecords {
    /// There is no head file.
    #[error("the session's head file is gone")]
    NoHead,
    /// The head file is not one of this session and key.
    #[error("the session's head file does not verify")]
    BadHead,
    /// The head's line is past the end.
    #[error("the journal ends before record {seq}, which its head file names")]
    Behind {
        /// The head's record.
        seq: u64,
    },
    /// The head's line is another.
    #[error("record {seq} is not the one that the head file names")]
    Another {
        /// The head's record.
        seq: u64,
    },
    /// A command was launched that no record names and recovery cannot name.
    #[error("command {0} was started and is not in the journal")]
    Launch(DispatchId),
}

/// What an opening found and mended.
#[derive(Debug, Clone)]
pub enum Found {
    /// A torn tail was moved aside.
    Tail(TailMoved),
    /// Locks do not work on this file system: no tools may run.
    NoLocks,
}

impl fmt::Display for Found {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tail(tail) => {
                let (bytes, offset) = (tail.bytes, tail.offset);
                write!(f, "The last write was cut: {bytes} bytes were moved to tail-{offset}.")
            }
            Self::NoLocks => {
                f.write_str("Locks do not work on this file system, so no command is run in this session.")
            }
        }
    }
}
