//! One line of output as a terminal would leave it: written over after a
//! carriage return, erased in parts, cell by cell.

use super::clean::Clean;
use super::scan::Motion;
use super::style::{Span, Style};
use super::width::cells;
use std::ops::Range;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Glyph {
    Blank,
    /// A cluster, at these bytes of the pool.
    Lead(usize, usize),
    /// A further cell of the wide cluster before it.
    Covered,
}

#[derive(Debug, Clone, Copy)]
struct Place {
    glyph: Glyph,
    style: Style,
}

const BLANK: Place = Place { glyph: Glyph::Blank, style: Style::PLAIN };

/// A line being written.
#[derive(Debug, Default)]
pub(super) struct Canvas {
    /// Every cluster written so far, also those that were written over.
    pool: String,
    places: Vec<Place>,
    cursor: usize,
}

impl Canvas {
    /// Writes tidied text at the cursor.
    pub(super) fn write(&mut self, text: &str, style: Style) {
        for cell in cells(text).filter(|cell| cell.width > 0) {
            let lead = self.pool.len();
            self.pool.push_str(cell.text);
            let end = self.cursor + cell.width;
            self.extend_to(end);
            self.free(self.cursor..end);
            self.places[self.cursor] = Place { glyph: Glyph::Lead(lead, self.pool.len()), style };
            self.places[self.cursor + 1..end].fill(Place { glyph: Glyph::Covered, style });
            self.cursor = end;
        }
    }

    /// Moves the cursor or erases, with a tab stop every `tabs` cells.
    pub(super) fn perform(&mut self, motion: Motion, tabs: usize) {
        let end = self.places.len();
        let here = self.cursor.min(end);
        match motion {
            Motion::Tab => {
                self.cursor = (self.cursor / tabs + 1) * tabs;
                self.extend_to(self.cursor);
            }
            Motion::Return => self.cursor = 0,
            Motion::Back => self.cursor = self.cursor.saturating_sub(1),
            Motion::EraseToEnd => {
                self.free(here..end);
                self.places.truncate(here);
            }
            Motion::EraseToStart => self.free(0..(here + 1).min(end)),
            Motion::EraseAll => self.places.clear(),
        }
    }

    /// What the line shows.
    pub(super) fn spans(&self) -> Vec<Span> {
        let mut spans: Vec<(String, Style)> = Vec::new();
        for place in &self.places {
            let text = match place.glyph {
                Glyph::Blank => " ",
                Glyph::Lead(from, to) => self.pool.get(from..to).unwrap_or_default(),
                Glyph::Covered => continue,
            };
            match spans.last_mut() {
                Some((last, style)) if *style == place.style => last.push_str(text),
                _ => spans.push((text.to_owned(), place.style)),
            }
        }
        spans.into_iter().map(|(text, style)| Span::new(Clean::tidied(text), style)).collect()
    }

    fn extend_to(&mut self, end: usize) {
        if self.places.len() < end {
            self.places.resize(end, BLANK);
        }
    }

    /// Blanks a range, and whole every wide cluster that it cuts.
    fn free(&mut self, range: Range<usize>) {
        let covered = |place: &Place| place.glyph == Glyph::Covered;
        let before = self.places[..range.start].iter().rev().take_while(|p| covered(p)).count();
        let cut_before = if self.places.get(range.start).is_some_and(covered) { before + 1 } else { 0 };
        let cut_after = self.places[range.end..].iter().take_while(|p| covered(p)).count();
        self.places[range.start - cut_before..range.end + cut_after].fill(BLANK);
    }
}
