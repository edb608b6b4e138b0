//! What is read: rows that are held, or rows of a file around what is seen.

use crate::text::{NumberedRow, Row};
use crate::tui::pages::{PageId, Size};
use std::ops::Range;

/// What is read.
#[derive(Debug)]
pub(super) enum Body {
    /// Text of Candor's own.
    Rows(Rows),
    /// A file, in windows.
    Paged(Paged),
}

/// Text of Candor's own.
#[derive(Debug, Default)]
pub(super) struct Rows {
    pub(super) rows: Vec<Row>,
    /// A row that continues a line is indented so far.
    pub(super) indent: usize,
}

/// Rows of a file around what is seen.
#[derive(Debug)]
pub(super) struct Paged {
    pub(super) id: PageId,
    pub(super) size: Size,
    from: usize,
    held: Vec<NumberedRow>,
    /// What was asked for and has not come yet.
    asked: Option<Range<usize>>,
}

impl Body {
    /// The number of rows before wrapping.
    pub(super) fn rows(&self) -> usize {
        match self {
            Self::Rows(own) => own.rows.len(),
            Self::Paged(paged) => paged.size.rows,
        }
    }

    /// The number of lines.
    pub(super) fn lines(&self) -> u64 {
        match self {
            Self::Rows(own) => own.rows.len() as u64,
            Self::Paged(paged) => paged.size.lines,
        }
    }

    /// Whether no more rows are expected.
    pub(super) fn is_complete(&self) -> bool {
        match self {
            Self::Rows(_) => true,
            Self::Paged(paged) => paged.size.complete,
        }
    }

    /// A row, if it is held.
    pub(super) fn row(&self, row: usize) -> Option<&Row> {
        match self {
            Self::Rows(own) => own.rows.get(row),
            Self::Paged(paged) => paged.held(row).map(|numbered| &numbered.row),
        }
    }

    /// Whether a row goes on with the line of the row before.
    pub(super) fn continues(&self, row: usize) -> bool {
        match self {
            Self::Rows(_) => false,
            Self::Paged(paged) => paged.held(row).is_some_and(|numbered| numbered.continues),
        }
    }

    /// The line of a row, from 1, if the row is held.
    pub(super) fn line(&self, row: usize) -> Option<u64> {
        match self {
            Self::Rows(own) => (row < own.rows.len()).then_some(row as u64 + 1),
            Self::Paged(paged) => paged.held(row).map(|numbered| numbered.line),
        }
    }
}

impl Paged {
    pub(super) fn new(id: PageId) -> Self {
        Self { id, size: Size::default(), from: 0, held: Vec::new(), asked: None }
    }

    fn held(&self, row: usize) -> Option<&NumberedRow> {
        self.held.get(row.checked_sub(self.from)?)
    }

    /// The text is larger than it was: its last row may be another one.
    pub(super) fn grow(&mut self, size: Size) {
        if size.bytes != self.size.bytes && self.from + self.held.len() == self.size.rows {
            self.held.pop();
        }
        self.size = size;
    }

    /// Rows came.
    pub(super) fn hold(&mut self, from: usize, rows: Vec<NumberedRow>) {
        self.asked = None;
        (self.from, self.held) = (from, rows);
    }

    /// What is to be asked for so that `seen` is held, and a screen of `height`
    /// rows on both sides of it.
    pub(super) fn missing(&mut self, seen: Range<usize>, height: usize) -> Option<Range<usize>> {
        let around = |more: usize| seen.start.saturating_sub(more)..(seen.end + more).min(self.size.rows);
        let needed = around(height);
        let held = self.from..self.from + self.held.len();
        let is_in = |range: &Range<usize>| range.start <= needed.start && needed.end <= range.end;
        if needed.is_empty() || is_in(&held) || self.asked.as_ref().is_some_and(is_in) {
            return None;
        }
        self.asked = Some(around(2 * height));
        self.asked.clone()
    }
}
