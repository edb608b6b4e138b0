//! Texts too large to hold, on disk: what a reader asks for, and who brings it.
//!
//! A reader holds the rows around what is seen. Everything else stays in the
//! file, which a `Desk` on a thread of its own reads by windows, indexes and
//! searches. The screen sends an [`Order`] and is [`Told`] what came of it.

mod desk;
mod export;
mod file;
mod thread;

#[cfg(test)]
mod tests;

#[cfg(test)]
pub(crate) use desk::{Desk, Source};
pub(crate) use export::{CLIPBOARD_BYTES, Joined, joined};
pub(crate) use file::{Saving, save_text};
pub(crate) use thread::Pages;

use super::program::CleanCopy;
use crate::text::{Needle, NumberedRow, Side};
use std::ops::Range;
use std::path::PathBuf;

/// One opened text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct PageId(pub u64);

/// An output to be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Wanted {
    /// Where it is kept, if it is.
    pub file: Option<PathBuf>,
    /// What the record keeps of it, if the file cannot be read.
    pub kept: String,
    /// It is still being written: the file may not be there yet.
    pub running: bool,
}

/// What a reader wants.
#[derive(Debug)]
pub(crate) enum Order {
    /// Open this.
    Open(Wanted),
    /// These rows, as far as they are.
    Rows(Range<usize>),
    /// Where this line is, from 1.
    Line(u64),
    /// Search; the search before it ends.
    Find(Box<Find>),
    /// End the search.
    StopFinding,
    /// There may be more in the file.
    Grown,
    /// The text of these rows, for the clipboard.
    Copy(Range<usize>),
    /// Save all of it, or these rows.
    Save(Option<Range<usize>>, Saving),
    /// A copy of all of it for another program, cleaned.
    CleanCopy,
}

/// A search.
#[derive(Debug, Clone)]
pub(crate) struct Find {
    /// Told back, so that the result of an older search is known.
    pub number: u64,
    /// What is searched.
    pub needle: Needle,
    /// The rows that are searched; to the end of what is there if it is beyond.
    pub rows: Range<usize>,
    /// Which occurrence is wanted.
    pub side: Side,
}

/// How large a text is, as far as it is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Size {
    /// Rows before wrapping: lines, and pieces of long lines.
    pub rows: usize,
    /// Lines.
    pub lines: u64,
    /// Bytes.
    pub bytes: u64,
    /// Whether all that is in the file was looked at.
    pub complete: bool,
}

/// What came of an order.
#[derive(Debug)]
pub(crate) enum Told {
    /// The file cannot be read, and why; what the record keeps is shown.
    Kept(String),
    /// It is this large.
    Size(Size),
    /// Rows from a place on.
    Rows(usize, Vec<NumberedRow>),
    /// The row of the line that was asked for, or of the last line.
    Line(usize),
    /// The row that was searched, if there is one.
    Found {
        /// The search.
        number: u64,
        /// The row.
        row: Option<usize>,
    },
    /// How far a search has come, in percent.
    Searched {
        /// The search.
        number: u64,
        /// Of what is to be searched.
        percent: u8,
    },
    /// A text for the clipboard.
    Copied(Joined),
    /// What came of saving.
    Saved(Saved),
    /// A copy for another program, or why there is none.
    CleanCopy(Result<CleanCopy, String>),
}

/// What came of saving.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Saved {
    /// It is saved: bytes, where, and whether they are those of the command.
    Done {
        /// Bytes written.
        bytes: u64,
        /// The file.
        path: PathBuf,
        /// As the command wrote them, not as they are shown.
        raw: bool,
    },
    /// There is a file of that name. Nothing was written.
    Exists(PathBuf),
    /// It cannot be saved there, and why.
    Failed(PathBuf, String),
}
