//! What the screen wants done: by the agent, the disk, or the terminal.

use super::pages::{Order, PageId, Saving};
use super::program::CleanCopy;
use crate::agent::{Command, Leaving};

/// One thing to be done.
#[derive(Debug)]
pub(crate) enum Effect {
    /// Tell the agent.
    Tell(Command),
    /// Something about a text on disk.
    Page(PageId, Order),
    /// Put a text of so many lines into the clipboard.
    Copy(String, usize),
    /// Send this to the terminal, for its clipboard.
    Send(Vec<u8>),
    /// Save a text.
    Save(String, Saving),
    /// Open a text in the person's pager.
    PageText(String),
    /// Open a file in the person's pager.
    PageFile(CleanCopy),
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

/// Where a text goes that was edited in another program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum EditorTarget {
    /// The composer.
    Draft,
    /// The field of the approval.
    Field,
}
