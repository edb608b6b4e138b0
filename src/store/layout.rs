//! Where things lie in the data directory.

use crate::record::{DispatchId, SessionId};
use std::path::{Path, PathBuf};

/// Real sessions and those of the scripted demo are kept apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// With a real model.
    Real,
    /// With the scripted one.
    Demo,
}

impl Kind {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Real, Self::Demo];
}

/// The directories of one kind.
#[derive(Debug, Clone)]
pub struct Layout {
    root: PathBuf,
    kind: Kind,
}

const BUILDING: &str = ".new-";

impl Layout {
    /// Under this data directory.
    #[must_use]
    pub fn new(data: &Path, kind: Kind) -> Self {
        let root = match kind {
            Kind::Real => data.to_owned(),
            Kind::Demo => data.join("demo"),
        };
        Self { root, kind }
    }

    /// Which sessions lie here.
    #[must_use]
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// The directory of all sessions.
    #[must_use]
    pub fn sessions(&self) -> PathBuf {
        self.root.join("sessions")
    }

    /// The directory of one session.
    #[must_use]
    pub fn session(&self, id: SessionId) -> PathBuf {
        self.sessions().join(id.to_string())
    }

    /// Where a session is built before anybody sees it.
    #[must_use]
    pub fn building(&self, id: SessionId) -> PathBuf {
        self.sessions().join(format!("{BUILDING}{id}"))
    }

    /// The session that a folder of that name is built for.
    #[must_use]
    pub fn built_in(name: &str) -> Option<SessionId> {
        SessionId::parse(name.strip_prefix(BUILDING)?).ok()
    }

    /// The directory of the last known heads.
    #[must_use]
    pub fn heads(&self) -> PathBuf {
        self.root.join("heads")
    }

    /// A session's last known head.
    #[must_use]
    pub fn head(&self, id: SessionId) -> PathBuf {
        self.heads().join(format!("{id}.json"))
    }

    /// The directory of deleted sessions and their heads.
    #[must_use]
    pub fn trash(&self) -> PathBuf {
        self.root.join("trash")
    }

    /// A deleted session.
    #[must_use]
    pub fn trashed(&self, id: SessionId) -> PathBuf {
        self.trash().join(id.to_string())
    }

    /// A deleted session's head.
    #[must_use]
    pub fn trashed_head(&self, id: SessionId) -> PathBuf {
        self.trash().join(format!("{id}.json"))
    }
}

/// A session's journal.
#[must_use]
pub(super) fn journal(dir: &Path) -> PathBuf {
    dir.join("journal.jsonl")
}

/// The lock of a session's one writer.
#[must_use]
pub(super) fn lock(dir: &Path) -> PathBuf {
    dir.join("journal.lock")
}

/// The call folders of a session.
#[must_use]
pub fn calls(dir: &Path) -> PathBuf {
    dir.join("calls")
}

/// One call folder.
#[must_use]
pub fn call(dir: &Path, dispatch: DispatchId) -> PathBuf {
    calls(dir).join(dispatch.to_string())
}

/// Text that was not sent.
#[must_use]
pub(super) fn draft(dir: &Path) -> PathBuf {
    dir.join("draft")
}

/// Signed decisions made from outside.
#[must_use]
pub(super) fn decisions(dir: &Path) -> PathBuf {
    dir.join("decisions")
}
