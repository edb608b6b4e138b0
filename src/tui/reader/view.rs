//! Where the view stands, and how it moves.

use super::Reader;
use super::body::Body;
use super::search::Hit;
use crate::text::{Row, Side, count_folded, count_rows, fold, width, wrap};
use std::ops::Range;

/// Where the view stands.
#[derive(Debug, Clone)]
pub(super) struct View {
    pub(super) top: Place,
    /// It stays at the end, also when that moves.
    pub(super) at_end: bool,
    /// Long rows are wrapped.
    pub(super) wrap: bool,
    /// Lines have their numbers.
    pub(super) numbers: bool,
    /// First column that is seen of rows that are not wrapped.
    pub(super) column: usize,
    /// Size of the text's place, as last drawn, without the numbers.
    pub(super) size: (usize, usize),
    /// Rows that the last frame showed, or wanted to.
    pub(super) seen: Range<usize>,
    /// What the last frame showed.
    pub(super) shown: Vec<Row>,
    /// The first line and the last one of that; 0 of an empty text.
    pub(super) lines: (u64, u64),
}

/// A row of a wrapped row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(super) struct Place {
    pub(super) line: usize,
    pub(super) row: usize,
}

impl Default for View {
    fn default() -> Self {
        Self {
            top: Place::default(),
            at_end: false,
            wrap: true,
            numbers: false,
            column: 0,
            size: (1, 1),
            seen: 0..0,
            shown: Vec::new(),
            lines: (0, 0),
        }
    }
}

impl Reader {
    /// Scrolls by rows. A row that is not held counts as one.
    pub(crate) fn scroll(&mut self, by: isize) {
        if by == 0 {
            return;
        }
        if by < 0 && self.view.at_end {
            self.view.at_end = false;
        }
        let rows = self.body.rows();
        let mut left = by.unsigned_abs();
        while left > 0 {
            let top = self.view.top;
            if by < 0 {
                let step = left.min(top.row);
                self.view.top.row -= step;
                left -= step;
                if left == 0 || top.line == 0 {
                    break;
                }
                self.view.top = Place { line: top.line - 1, row: self.height(top.line - 1) };
            } else {
                let step = left.min(self.height(top.line).saturating_sub(top.row + 1));
                self.view.top.row += step;
                left -= step;
                if left == 0 || top.line + 1 >= rows {
                    break;
                }
                self.view.top = Place { line: top.line + 1, row: 0 };
                left -= 1;
            }
        }
        self.stop_at_end();
    }

    /// Nothing is seen below the last row.
    pub(super) fn stop_at_end(&mut self) {
        match self.last_top() {
            Some(last) => self.view.top = self.view.top.min(last),
            // It is far, or not known yet.
            None => self.view.top.line = self.view.top.line.min(self.body.rows().saturating_sub(1)),
        }
    }

    /// Goes to a row, which will be the first that is seen.
    pub(crate) fn go_to_row(&mut self, row: usize) {
        self.view.at_end = false;
        self.view.top = Place { line: row.min(self.body.rows().saturating_sub(1)), row: 0 };
        if let Some(mark) = &mut self.mark {
            mark.cursor = row;
        }
    }

    /// Moves no further than needed so that a place is seen.
    pub(super) fn show(&mut self, line: usize, row: usize) {
        let place = Place { line, row };
        let mut bottom = self.view.top;
        let mut left = self.view.size.1;
        while bottom.line < line && left > 0 {
            left = left.saturating_sub(self.height(bottom.line).saturating_sub(bottom.row).max(1));
            bottom = Place { line: bottom.line + 1, row: 0 };
        }
        let below = row.saturating_sub(if bottom.line == line { bottom.row } else { 0 });
        if place >= self.view.top && bottom.line == line && below < left {
            return;
        }
        self.view.at_end = false;
        self.view.top = place;
        self.scroll(-isize::try_from(self.view.size.1 / 3).unwrap_or(0));
    }

    /// Brings what was found into sight; its row may have to come first.
    pub(super) fn show_hit(&mut self) {
        let Some(Hit { row, bytes, side }) = self.search.hit.clone() else { return };
        if bytes.is_none() && self.body.row(row).is_none() {
            if !self.view.seen.contains(&row) {
                self.view.at_end = false;
                // With some of what stands above it, as when it is held.
                self.view.top = Place { line: row.saturating_sub(self.view.size.1 / 3), row: 0 };
            }
            return;
        }
        let all = self.begin_in(row).unwrap_or_default();
        let bytes = bytes.or_else(|| match side {
            Side::First => all.into_iter().next(),
            Side::Last => all.into_iter().next_back(),
        });
        let Some(bytes) = bytes else { return };
        let (below, column) = self.place_in_row(row, bytes.start);
        self.search.hit = Some(Hit { row, bytes: Some(bytes), side });
        self.show(row, below);
        let room = self.view.size.0;
        if !self.view.wrap && !(self.view.column..self.view.column + room).contains(&column) {
            self.view.column = column.saturating_sub(room / 3);
        }
    }

    /// Row and column, as displayed, of a byte of a row's text.
    pub(super) fn place_in_row(&self, row: usize, byte: usize) -> (usize, usize) {
        let Some(held) = self.body.row(row) else { return (0, 0) };
        let mut begin = 0;
        for (n, part) in self.parts(held).iter().enumerate() {
            let text = part.text();
            if byte < begin + text.len() {
                return (n, width(text.get(..byte - begin).unwrap_or_default()));
            }
            begin += text.len();
        }
        (0, 0)
    }

    /// A row as it is displayed: in rows of the width, or in one.
    pub(super) fn parts(&self, row: &Row) -> Vec<Row> {
        let room = self.view.size.0;
        match &self.body {
            _ if !self.view.wrap => vec![row.clone()],
            Body::Rows(own) => wrap(&row.spans, room, own.indent.min(room / 2)),
            Body::Paged(_) => fold(&row.spans, room),
        }
    }

    /// In how many rows a row is displayed; 1 if it is not held.
    pub(super) fn height(&self, row: usize) -> usize {
        let room = self.view.size.0;
        match (self.body.row(row), &self.body) {
            (None, _) => 1,
            _ if !self.view.wrap => 1,
            (Some(row), Body::Rows(own)) => count_rows(&row.spans, room, own.indent.min(room / 2)).max(1),
            (Some(row), Body::Paged(_)) => count_folded(&row.spans, room).max(1),
        }
    }

    /// The first place that is seen when the last row is at the bottom, if the
    /// rows between are held.
    pub(super) fn last_top(&self) -> Option<Place> {
        let mut missing = self.view.size.1;
        for line in (0..self.body.rows()).rev() {
            self.body.row(line)?;
            let height = self.height(line);
            if height >= missing {
                return Some(Place { line, row: height - missing });
            }
            missing -= height;
        }
        Some(Place::default())
    }
}
