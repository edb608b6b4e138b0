//! A text that fills the screen, read as with a pager: an output, the
//! conversation, help, the rules.
//!
//! Pure: what is wanted from the disk, the clipboard or another program is told
//! as a [`Wish`]. A text on disk is held only around what is seen; see `pages`.

mod body;
mod keys;
mod marks;
mod search;
mod view;
mod window;

#[cfg(test)]
mod tests;

pub(crate) use keys::Wish;
pub(crate) use window::Position;

use super::composer::Composer;
use super::pages::{Joined, Order, PageId, Told};
use crate::record::DispatchId;
use crate::text::{Row, Side};
use body::{Body, Paged, Rows};
use marks::Mark;
use search::Search;
use std::path::PathBuf;
use view::View;

/// An open reader.
#[derive(Debug)]
pub(crate) struct Reader {
    /// What it shows.
    pub title: String,
    /// Where that is kept, for a person to use.
    pub path: Option<String>,
    /// What else can be done here.
    pub kind: Kind,
    /// The command that still writes it.
    pub running: Option<DispatchId>,
    /// What is asked in the last row.
    pub question: Option<Question>,
    body: Body,
    view: View,
    search: Search,
    mark: Option<Mark>,
    /// The number that is being typed.
    count: Option<u64>,
    /// For which records and width the rows of the conversation were made.
    made_for: Option<(u64, usize)>,
}

/// What else can be done in a reader.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Nothing.
    Text,
    /// Delete ends all rules.
    Rules,
    /// Enter shows the values of the variables.
    Environment,
    /// The rows are made for the width, from the conversation.
    Conversation,
}

/// What is asked in the last row.
#[derive(Debug)]
pub(crate) enum Question {
    /// What to search, and from which side of here.
    Search(Side, Composer),
    /// Where to save.
    Save(Composer),
    /// May this file go?
    Overwrite(PathBuf),
}

impl Reader {
    fn new(title: &str, kind: Kind, body: Body) -> Self {
        Self {
            title: title.into(),
            path: None,
            kind,
            running: None,
            question: None,
            body,
            view: View::default(),
            search: Search::default(),
            mark: None,
            count: None,
            made_for: None,
        }
    }

    /// A reader of Candor's own text; a row that continues a line is indented.
    pub(crate) fn of_rows(title: &str, rows: Vec<Row>, indent: usize, kind: Kind) -> Self {
        Self::new(title, kind, Body::Rows(Rows { rows, indent }))
    }

    /// A reader of the open conversation; its rows come with the first frame.
    pub(crate) fn of_conversation() -> Self {
        Self::new("conversation", Kind::Conversation, Body::Rows(Rows::default()))
    }

    /// A reader of a text on disk, which is opened under this id. What is still
    /// being written is followed.
    pub(crate) fn of_page(
        title: &str,
        id: PageId,
        path: Option<String>,
        running: Option<DispatchId>,
    ) -> Self {
        let mut reader = Self::new(title, Kind::Text, Body::Paged(Paged::new(id)));
        reader.path = path;
        reader.view.at_end = running.is_some();
        reader.running = running;
        reader
    }

    /// The text on disk that it reads.
    pub(crate) fn page(&self) -> Option<PageId> {
        match &self.body {
            Body::Paged(paged) => Some(paged.id),
            Body::Rows(_) => None,
        }
    }

    /// Whether it stays at the end of what is still being written.
    pub(crate) fn is_following(&self) -> bool {
        self.running.is_some() && self.view.at_end
    }

    /// Whether the rows of the conversation are to be made for these records
    /// and this width.
    pub(crate) fn needs_rows(&self, records: u64, width: usize) -> bool {
        self.kind == Kind::Conversation && self.made_for != Some((records, width))
    }

    /// Has the rows of the conversation made again: none of them moves.
    pub(crate) fn forget_rows(&mut self) {
        if let Some((records, _)) = &mut self.made_for {
            *records = u64::MAX;
        }
    }

    /// Rows of the conversation for these records and this width. What was read
    /// stays about where it was; the first rows that come are shown from where
    /// the conversation was read, which is its end if that was followed.
    pub(crate) fn set_rows(&mut self, rows: Vec<Row>, records: u64, width: usize, first: Option<usize>) {
        let begins = self.made_for.is_none();
        let before = self.body.rows();
        if before > 0 && self.made_for.is_some_and(|(_, made)| made != width) {
            self.view.top.row = 0;
            self.view.top.line = self.view.top.line * rows.len() / before;
            self.mark = None;
            self.search.hit = None;
        }
        self.made_for = Some((records, width));
        self.body = Body::Rows(Rows { rows, indent: 0 });
        match first {
            Some(row) if begins => self.go_to_row(row),
            None if begins => self.view.at_end = true,
            Some(_) | None => {}
        }
    }

    /// What came from the disk; what is wanted then.
    pub(crate) fn told(&mut self, told: Told) -> Wish {
        match told {
            Told::Size(size) => {
                if let Body::Paged(paged) = &mut self.body {
                    paged.grow(size);
                }
            }
            Told::Rows(from, rows) => {
                if let Body::Paged(paged) = &mut self.body {
                    paged.hold(from, rows);
                }
            }
            Told::Line(row) => self.go_to_row(row),
            Told::Found { number, row } => return self.found(number, row),
            Told::Searched { number, percent } => self.search.searched(number, percent),
            Told::Copied(joined) => return Wish::Copy(joined),
            Told::Kept(_) | Told::Saved(_) | Told::CleanCopy(_) => {}
        }
        Wish::Nothing
    }

    /// Rows that the last frame wanted and did not have.
    pub(crate) fn wanted(&mut self) -> Option<(PageId, Order)> {
        let (seen, height) = (self.view.seen.clone(), self.view.size.1);
        match &mut self.body {
            Body::Paged(paged) => {
                let id = paged.id;
                paged.missing(seen, height).map(|rows| (id, Order::Rows(rows)))
            }
            Body::Rows(_) => None,
        }
    }

    /// The rows that copying and saving mean: the marked ones, or those seen.
    fn meant(&self) -> std::ops::Range<usize> {
        self.mark.map_or_else(|| self.view.seen.clone(), Mark::rows)
    }

    /// The whole text of rows of Candor's own, or of some of them.
    pub(crate) fn whole_text(&self, rows: Option<std::ops::Range<usize>>) -> String {
        let rows = rows.unwrap_or(0..self.body.rows());
        let lines = rows.filter_map(|row| self.body.row(row)).map(Row::text);
        lines.map(|line| format!("{}\n", line.trim_end_matches(' '))).collect()
    }

    /// The text of rows of Candor's own.
    fn joined(&self, rows: std::ops::Range<usize>) -> Joined {
        super::pages::joined(rows.filter_map(|row| self.body.row(row)))
    }
}
