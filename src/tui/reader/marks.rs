//! Marked lines.

use super::Reader;
use std::ops::Range;

/// Rows from one to another, whichever is above.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Mark {
    pub(super) anchor: usize,
    pub(super) cursor: usize,
}

impl Mark {
    pub(super) fn rows(self) -> Range<usize> {
        self.anchor.min(self.cursor)..self.anchor.max(self.cursor) + 1
    }
}

impl Reader {
    /// Begins to mark at what was found, else at the first row; or ends it.
    pub(super) fn mark_or_not(&mut self) {
        let hit = self.search.hit.as_ref().map(|hit| hit.row).filter(|row| self.view.seen.contains(row));
        let row = hit.unwrap_or(self.view.top.line);
        self.mark = match self.mark {
            Some(_) => None,
            None if self.body.rows() == 0 => None,
            None => Some(Mark { anchor: row, cursor: row }),
        };
    }

    /// Moves the end of what is marked.
    pub(super) fn move_mark(&mut self, by: isize) {
        let last = self.body.rows().saturating_sub(1);
        let Some(mark) = &mut self.mark else { return };
        mark.cursor = mark.cursor.saturating_add_signed(by).min(last);
        let cursor = mark.cursor;
        self.show(cursor, 0);
    }

    /// How many rows are marked.
    pub(crate) fn marked(&self) -> Option<usize> {
        self.mark.map(|mark| mark.rows().len())
    }
}
