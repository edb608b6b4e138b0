//! What of a text is on the screen.

use super::Reader;
use super::view::Place;
use crate::text::{Clean, Row, Span, crop, highlight};
use crate::tui::theme;

/// What is on the screen.
#[derive(Debug)]
pub(crate) struct Window {
    /// From top to bottom; fewer than the height if there is not more.
    pub rows: Vec<Row>,
    /// Row and column of what was found or of the mark's end, if it is seen.
    pub cursor: Option<(usize, usize)>,
}

/// Which lines are seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Position {
    /// The first line, from 1; 0 of an empty text.
    pub first: u64,
    /// The last one.
    pub last: u64,
    /// How many there are.
    pub lines: u64,
    /// There are no more than that.
    pub complete: bool,
    /// How much of the text is above the lower edge, in percent.
    pub percent: u8,
}

impl Reader {
    /// The rows for a place of this size. As long as they are not there, what
    /// was seen last stays.
    pub(crate) fn window(&mut self, width: usize, height: usize) -> Window {
        let gutter = self.gutter();
        let size = (width.saturating_sub(gutter).max(1), height);
        if self.view.size != size {
            self.view.size = size;
            self.view.shown.clear();
        }
        self.settle();
        let (rows, cursor) = self.rows(width, gutter);
        match rows {
            Some(rows) => {
                let line = |row: usize| self.body.line(row);
                let last = self.view.seen.end.checked_sub(1).and_then(line).unwrap_or(0);
                self.view.lines = (line(self.view.seen.start).unwrap_or(0), last);
                self.view.shown = rows;
                Window { rows: self.view.shown.clone(), cursor }
            }
            None => Window { rows: self.view.shown.clone(), cursor: None },
        }
    }

    /// Which lines are seen.
    pub(crate) fn position(&self) -> Position {
        let seen = &self.view.seen;
        let rows = self.body.rows();
        let (first, last) = self.view.lines;
        let percent = (seen.end.min(rows) * 100).checked_div(rows).unwrap_or(100);
        Position {
            first,
            last,
            lines: self.body.lines(),
            complete: self.body.is_complete(),
            percent: u8::try_from(percent).unwrap_or(100),
        }
    }

    /// Puts the view where it is to be with the rows that are held.
    fn settle(&mut self) {
        if self.search.hit.as_ref().is_some_and(|hit| hit.bytes.is_none()) {
            self.show_hit();
        }
        if self.view.at_end {
            self.view.top = self.last_top().unwrap_or_else(|| {
                let line = self.body.rows().saturating_sub(self.view.size.1);
                Place { line, row: 0 }
            });
        }
        self.stop_at_end();
        let top = self.view.top;
        let mut left = self.view.size.1 + top.row;
        let mut end = top.line;
        while left > 0 && end < self.body.rows() {
            left = left.saturating_sub(self.height(end));
            end += 1;
        }
        self.view.seen = top.line..end;
    }

    /// The rows that are seen, if all of them are held.
    fn rows(&self, width: usize, gutter: usize) -> (Option<Vec<Row>>, Option<(usize, usize)>) {
        let height = self.view.size.1;
        let mut rows = Vec::with_capacity(height);
        let mut cursor = None;
        let mut place = self.view.top;
        while rows.len() < height && place.line < self.body.rows() {
            let Some(parts) = self.displayed(place.line, gutter) else { return (None, None) };
            cursor = cursor.or_else(|| {
                let (row, column) = self.cursor_in(place.line)?;
                let at = (rows.len() + row).checked_sub(place.row)?;
                Some((at, (column + gutter).min(width.saturating_sub(1))))
            });
            rows.extend(parts.into_iter().skip(place.row).take(height - rows.len()));
            place = Place { line: place.line + 1, row: 0 };
        }
        (Some(rows), cursor.filter(|(row, _)| *row < height))
    }

    /// Where the cursor is in a row, if it is there.
    fn cursor_in(&self, row: usize) -> Option<(usize, usize)> {
        if let Some(mark) = self.mark {
            return (mark.cursor == row).then_some((0, 0));
        }
        let hit = self.search.hit.as_ref().filter(|hit| hit.row == row)?;
        let (below, column) = self.place_in_row(row, hit.bytes.as_ref()?.start);
        Some((below, column.checked_sub(self.view.column)?))
    }

    /// A row as it is displayed, if it is held.
    fn displayed(&self, row: usize, gutter: usize) -> Option<Vec<Row>> {
        let held = highlight(self.body.row(row)?, &self.found_in(row));
        let room = self.view.size.0;
        let mut parts = self.parts(&held);
        if parts.is_empty() {
            parts.push(Row::default());
        }
        if !self.view.wrap {
            parts = parts.iter().map(|part| crop(part, self.view.column, room)).collect();
        }
        if self.mark.is_some_and(|mark| mark.rows().contains(&row)) {
            parts.iter_mut().for_each(mark);
        }
        if gutter > 0 {
            let number = self.body.line(row).filter(|_| !self.body.continues(row));
            for (n, part) in parts.iter_mut().enumerate() {
                let number = number.filter(|_| n == 0).map(|number| number.to_string()).unwrap_or_default();
                let text = format!("{number:>digits$} ", digits = gutter - 1);
                part.spans.insert(0, Span::new(Clean::line(&text), theme::QUIET));
            }
        }
        Some(parts)
    }

    /// Cells for the numbers of lines.
    fn gutter(&self) -> usize {
        let digits = self.body.lines().max(1).ilog10() as usize + 1;
        if self.view.numbers { digits.max(3) + 1 } else { 0 }
    }
}

/// A row of what is marked: in reverse, and seen even if it is empty.
fn mark(row: &mut Row) {
    if row.width() == 0 {
        row.spans = vec![Span::plain(Clean::from_static(" "))];
    }
    for span in &mut row.spans {
        span.style.reverse = !span.style.reverse;
    }
}
