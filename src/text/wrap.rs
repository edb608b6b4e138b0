//! Breaking styled text into rows.
//!
//! Rows end at spaces, beside wide characters, and inside of words only where
//! a word is longer than a row. One pass over the text decides; counting rows
//! is the same pass without building any.

use super::clean::Clean;
use super::style::{Row, Span, Style};
use super::width::{Cell, cells};

/// Breaks `spans` into rows of at most `width` cells, between words where that
/// is possible. Rows that continue a line begin with `indent` spaces. A LF ends
/// a line; spaces at a line's beginning are kept, those at a break are not.
///
/// Text without a character is one empty row. A single cluster wider than a row
/// gets a row to itself.
#[must_use]
pub fn wrap(spans: &[Span], width: usize, indent: usize) -> Vec<Row> {
    build(spans, Shape::new(width, indent, Breaks::Words))
}

/// The number of rows that [`wrap`] makes, without making them.
#[must_use]
pub fn count_rows(spans: &[Span], width: usize, indent: usize) -> usize {
    count(spans, Shape::new(width, indent, Breaks::Words))
}

/// Breaks `spans` where a row is full, as a terminal would: for code and output,
/// where columns matter more than words.
#[must_use]
pub fn fold(spans: &[Span], width: usize) -> Vec<Row> {
    build(spans, Shape::new(width, 0, Breaks::Anywhere))
}

/// The number of rows that [`fold`] makes, without making them.
#[must_use]
pub fn count_folded(spans: &[Span], width: usize) -> usize {
    count(spans, Shape::new(width, 0, Breaks::Anywhere))
}

/// The rows of a text of several lines, each wrapped; none of an empty text.
#[must_use]
pub fn rows_of_block(text: &Clean, style: Style, width: usize) -> Vec<Row> {
    if text.is_empty() { Vec::new() } else { wrap(&[Span::new(text.clone(), style)], width, 0) }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Breaks {
    Words,
    Anywhere,
}

#[derive(Debug, Clone, Copy)]
struct Shape {
    width: usize,
    indent: usize,
    breaks: Breaks,
}

impl Shape {
    fn new(width: usize, indent: usize, breaks: Breaks) -> Self {
        let width = width.max(1);
        // An indent must leave room for a wide character.
        Self { width, indent: indent.min(width.saturating_sub(2)), breaks }
    }
}

/// A place in the text: a span and a byte in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Place {
    span: usize,
    byte: usize,
}

/// A row, as the part of the text it shows.
#[derive(Debug, Clone, Copy)]
struct Extent {
    from: Place,
    to: Place,
    continues: bool,
}

fn build(spans: &[Span], shape: Shape) -> Vec<Row> {
    let mut rows = Vec::new();
    Breaker::run(spans, shape, |extent| rows.push(row(spans, extent, shape.indent)));
    rows
}

fn count(spans: &[Span], shape: Shape) -> usize {
    let mut rows = 0;
    Breaker::run(spans, shape, |_| rows += 1);
    rows
}

fn row(spans: &[Span], extent: Extent, indent: usize) -> Row {
    let mut row = Row::default();
    if extent.continues && indent > 0 {
        row.spans.push(Span::plain(Clean::tidied(" ".repeat(indent))));
    }
    for n in extent.from.span..=extent.to.span {
        let Some(span) = spans.get(n) else { break };
        let from = if n == extent.from.span { extent.from.byte } else { 0 };
        let to = if n == extent.to.span { extent.to.byte } else { span.text.len() };
        if from < to {
            row.spans.push(Span::new(span.text.part(from..to), span.style));
        }
    }
    row
}

/// Where a row may end: before the spaces at `end`, to go on at `next`.
#[derive(Debug, Clone, Copy)]
struct Opportunity {
    end: Place,
    next: Place,
    /// What the row holds up to `next`.
    used: usize,
}

struct Breaker<F> {
    shape: Shape,
    emit: F,
    from: Place,
    continues: bool,
    /// Cells of the row so far, spaces that will be dropped included.
    used: usize,
    /// Whether the line has had nothing but spaces yet.
    leading: bool,
    after_space: bool,
    opportunity: Option<Opportunity>,
}

impl<F: FnMut(Extent)> Breaker<F> {
    fn run(spans: &[Span], shape: Shape, emit: F) {
        let mut breaker = Self {
            shape,
            emit,
            from: Place::default(),
            continues: false,
            used: 0,
            leading: true,
            after_space: false,
            opportunity: None,
        };
        for (n, span) in spans.iter().enumerate() {
            for cell in cells(&span.text) {
                breaker.place(n, cell);
            }
        }
        breaker.finish(spans);
    }

    fn place(&mut self, span: usize, cell: Cell<'_>) {
        let here = Place { span, byte: cell.start };
        let after = Place { span, byte: cell.start + cell.text.len() };
        match (cell.text, self.shape.breaks) {
            ("\n", _) => self.end_line(here, after),
            (" ", Breaks::Words) if !self.leading => self.space(here, after),
            _ => self.glyph(cell, here, after),
        }
    }

    fn space(&mut self, here: Place, after: Place) {
        let end = match self.opportunity {
            Some(opportunity) if self.after_space => opportunity.end,
            _ => here,
        };
        self.used += 1;
        self.after_space = true;
        self.opportunity = Some(Opportunity { end, next: after, used: self.used });
    }

    fn glyph(&mut self, cell: Cell<'_>, here: Place, after: Place) {
        let wide = cell.width > 1 && self.shape.breaks == Breaks::Words;
        if wide && self.used > 0 && !self.after_space {
            self.opportunity = Some(Opportunity { end: here, next: here, used: self.used });
        }
        while self.used > 0 && self.used + cell.width > self.room() {
            self.end_row(here);
        }
        self.used += cell.width;
        self.leading &= cell.text == " ";
        self.after_space = false;
        if wide {
            self.opportunity = Some(Opportunity { end: after, next: after, used: self.used });
        }
    }

    fn room(&self) -> usize {
        self.shape.width - if self.continues { self.shape.indent } else { 0 }
    }

    /// Ends the row at the last opportunity, or before `here` if there is none
    /// or what stands after it would not fit into a row that continues.
    fn end_row(&mut self, here: Place) {
        let room = self.shape.width - self.shape.indent;
        let opportunity = self.opportunity.take().filter(|last| self.used - last.used <= room);
        let opportunity = opportunity.unwrap_or(Opportunity { end: here, next: here, used: self.used });
        (self.emit)(Extent { from: self.from, to: opportunity.end, continues: self.continues });
        self.from = opportunity.next;
        self.used -= opportunity.used;
        self.continues = true;
        self.after_space = false;
    }

    fn end_line(&mut self, here: Place, after: Place) {
        self.last_row(here);
        self.from = after;
        self.continues = false;
        self.used = 0;
        self.leading = true;
        self.after_space = false;
        self.opportunity = None;
    }

    /// The row that ends a line; spaces that do not fit are dropped.
    fn last_row(&mut self, here: Place) {
        let to = match self.opportunity {
            Some(opportunity) if self.after_space && self.used > self.room() => opportunity.end,
            _ => here,
        };
        (self.emit)(Extent { from: self.from, to, continues: self.continues });
    }

    fn finish(&mut self, spans: &[Span]) {
        let end = Place { span: spans.len(), byte: 0 };
        let ends_with_line = spans.iter().rev().find_map(|span| span.text.chars().last()) == Some('\n');
        if !ends_with_line {
            self.last_row(end);
        }
    }
}

#[cfg(test)]
mod tests;
