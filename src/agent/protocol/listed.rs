//! Sessions in a list, and one of them looked at or watched.

use crate::journal::lock::Holder;
use crate::record::{SessionId, Timestamp};
use crate::session::Session;

/// A session to look at beside the list.
#[derive(Debug, Clone)]
pub struct Previewed {
    /// Its id.
    pub id: SessionId,
    /// Its records as far as they can be read; none if nothing can.
    pub session: Option<Session>,
    /// One sentence: why it can only be read, or not even that.
    pub why: Option<String>,
}

/// Where a session went.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Moved {
    /// To the trash.
    ToTrash(SessionId),
    /// Back among the sessions.
    Back(SessionId),
}

/// Whether a watched session is still open elsewhere.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Watched {
    /// It is: by whom, if that can be read.
    Held(Option<Holder>),
    /// It is not; opening it again opens it for writing.
    Free {
        /// A command of it still runs, without a window.
        running: bool,
    },
}

/// One session in a list.
#[derive(Debug, Clone)]
pub struct SessionRow {
    /// Its id; none for a folder that has no readable one.
    pub id: SessionId,
    /// Its title.
    pub title: String,
    /// It is a fork of another session, whose title it has.
    pub is_fork: bool,
    /// The directory of its commands.
    pub cwd: String,
    /// Its state.
    pub state: SessionState,
    /// What else to say, such as `1 unknown outcome` or the holder.
    pub detail: String,
    /// Who has it open elsewhere, if somebody has and it can be read.
    pub holder: Option<Holder>,
    /// The beginning of its first message.
    pub message: String,
    /// Last activity.
    pub last_at: Option<Timestamp>,
    /// In the directory that Candor was started in.
    pub here: bool,
}

impl SessionRow {
    /// Its title with the mark of a fork.
    #[must_use]
    pub fn listed_title(&self) -> String {
        crate::session::words::listed_title(&self.title, self.is_fork)
    }
}

/// State of a session in a list; each is a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum SessionState {
    /// An unknown outcome has no statement.
    NeedsYou,
    /// Its supervisor lives.
    CommandRunning,
    /// Another Candor has it open.
    OpenElsewhere,
    /// Nothing to say.
    Ready,
    /// Its last turn has no end yet.
    Interrupted,
    /// A newer version wrote it, or its key is gone.
    ReadOnly,
    /// It does not verify.
    Damaged,
    /// Its head is known, its files are gone.
    Missing,
}

impl SessionState {
    /// The word on the screen.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::NeedsYou => "needs you",
            Self::CommandRunning => "command running",
            Self::OpenElsewhere => "open elsewhere",
            Self::Ready => "ready",
            Self::Interrupted => "interrupted",
            Self::ReadOnly => "read-only",
            Self::Damaged => "damaged",
            Self::Missing => "missing",
        }
    }
}
