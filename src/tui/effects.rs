//! What the screen wants done: by the agent, the disk, or the terminal.

use crate::agent::{Command, Leaving};
use std::path::PathBuf;

/// One thing to be done.
#[derive(Debug)]
pub(crate) enum Effect {
    /// Tell the agent.
    Tell(Command),
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
    /// Look up the paths of a directory.
    ListFiles {
        /// The directory.
        cwd: String,
        /// The number of this walk.
        walk: u64,
    },
    /// Take the mouse, or give it back to the terminal.
    Mouse(bool),
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
    /// Where it is kept, if it is.
    pub file: Option<PathBuf>,
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
