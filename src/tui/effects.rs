//! What the screen wants done: by the agent, the disk, or the terminal.

use crate::agent::{Command, Leaving};
use crate::record::{DispatchId, SessionId};

/// One thing to be done.
#[derive(Debug)]
pub(crate) enum Effect {
    /// Tell the agent.
    Tell(Command),
    /// Keep the draft of this session; an empty one is removed.
    SaveDraft {
        /// The session.
        session: SessionId,
        /// The draft.
        text: String,
    },
    /// Bring the draft of this session.
    LoadDraft(SessionId),
    /// Bring an output.
    LoadOutput(OutputWanted),
    /// Open a text in the person's editor.
    Editor {
        /// The text.
        text: String,
        /// Where the edited text goes.
        target: EditorTarget,
    },
    /// Open a shell in this directory.
    Shell(String),
    /// Suspend the process.
    Suspend,
    /// Draw everything anew.
    Repaint,
    /// A person is waited for who seems to be away.
    CallPerson,
    /// The agent has ended: leave.
    Leave(Leaving),
}

/// An output to be read in full.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct OutputWanted {
    /// The session, if it is written.
    pub session: Option<SessionId>,
    /// The execution.
    pub dispatch: DispatchId,
    /// What the reader is called.
    pub title: String,
    /// What the record keeps of it, if the file cannot be read.
    pub kept: String,
}

/// Where a text goes that was edited in another program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum EditorTarget {
    /// The composer.
    Draft,
    /// The field of the approval.
    Field,
}
