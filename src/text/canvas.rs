//! One line of output as a terminal would leave it: written over after a
//! carriage return, erased in parts, cluster by cluster.

use super::clean::Clean;
use super::scan::Motion;
use super::style::{Span, Style};
use super::width::cells;
use std::collections::BTreeMap;
use std::ops::Range;

/// A line being written. Only clusters are kept, not cells: output may jump and
/// erase in as wide a line as it likes, and costs what it writes.
#[derive(Debug, Default)]
pub(super) struct Canvas {
    /// Every cluster written so far, also those that were written over.
    pool: String,
    /// The clusters that are seen, by their column.
    glyphs: BTreeMap<usize, Glyph>,
    cursor: usize,
    /// Cells of the line; those without a cluster are blank.
    width: usize,
}

#[derive(Debug, Clone)]
struct Glyph {
    /// Its bytes in the pool.
    text: Range<usize>,
    width: usize,
    style: Style,
}

impl Canvas {
    /// Writes tidied text at the cursor.
    pub(super) fn write(&mut self, text: &str, style: Style) {
        for cell in cells(text) {
            let begin = self.pool.len();
            self.pool.push_str(cell.text);
            let glyph = Glyph { text: begin..self.pool.len(), width: cell.width, style };
            let end = self.cursor + cell.width;
            self.free(self.cursor..end);
            self.glyphs.insert(self.cursor, glyph);
            self.cursor = end;
            self.width = self.width.max(end);
        }
    }

    /// Moves the cursor or erases, with a tab stop every `tabs` cells.
    pub(super) fn perform(&mut self, motion: Motion, tabs: usize) {
        match motion {
            Motion::Tab => {
                self.cursor = (self.cursor / tabs + 1) * tabs;
                self.width = self.width.max(self.cursor);
            }
            Motion::Return => self.cursor = 0,
            Motion::Back => self.cursor = self.cursor.saturating_sub(1),
            Motion::EraseToEnd => {
                self.free(self.cursor..usize::MAX);
                self.width = self.width.min(self.cursor);
            }
            Motion::EraseToStart => self.free(0..self.cursor + 1),
            Motion::EraseAll => {
                self.glyphs.clear();
                self.width = 0;
            }
        }
    }

    /// Removes what is seen in a range, and whole every cluster that it cuts.
    fn free(&mut self, range: Range<usize>) {
        let cut = self.glyphs.range(..range.start).next_back();
        let cut =
            cut.filter(|(column, glyph)| *column + glyph.width > range.start).map(|(column, _)| *column);
        if let Some(column) = cut {
            self.glyphs.remove(&column);
        }
        while let Some(column) = self.glyphs.range(range.clone()).next().map(|(column, _)| *column) {
            self.glyphs.remove(&column);
        }
    }

    /// What the line shows.
    pub(super) fn spans(&self) -> Vec<Span> {
        let mut spans = Spans::default();
        let mut column = 0;
        for (start, glyph) in &self.glyphs {
            spans.blank(start - column);
            spans.add(self.pool.get(glyph.text.clone()).unwrap_or_default(), glyph.style);
            column = start + glyph.width;
        }
        spans.blank(self.width.saturating_sub(column));
        spans.finish()
    }
}

/// Text in styles, joined where they are alike.
#[derive(Default)]
struct Spans(Vec<(String, Style)>);

impl Spans {
    fn add(&mut self, text: &str, style: Style) {
        match self.0.last_mut() {
            Some((last, alike)) if *alike == style => last.push_str(text),
            _ => self.0.push((text.to_owned(), style)),
        }
    }

    fn blank(&mut self, cells: usize) {
        if cells > 0 {
            self.add(&" ".repeat(cells), Style::PLAIN);
        }
    }

    fn finish(self) -> Vec<Span> {
        self.0.into_iter().map(|(text, style)| Span::new(Clean::tidied(text), style)).collect()
    }
}
