//! The draft in rows, and where the cursor stands in them.

use super::folds::Folds;
use crate::text::{Cell, Clean, Row, Span, cells, width};
use crate::tui::theme;
use std::ops::Range;

/// A stretch of one line that fits into a row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Part {
    /// The line.
    pub line: usize,
    /// Its bytes that stand in this row.
    pub bytes: Range<usize>,
}

/// Breaks the draft's lines into rows of at most `room` cells: after a space if
/// the row has one, else where it is full. Every line has a row, and a full
/// last row is followed by an empty one for the cursor.
pub(super) fn parts(lines: &[String], folds: &Folds, room: usize) -> Vec<Part> {
    let mut parts = Vec::with_capacity(lines.len());
    for (line, text) in lines.iter().enumerate() {
        let breaks = breaks(text, folds, room.max(1));
        let starts = std::iter::once(0).chain(breaks.iter().copied());
        let ends = breaks.iter().copied().chain([text.len()]);
        parts.extend(starts.zip(ends).map(|(start, end)| Part { line, bytes: start..end }));
    }
    parts
}

/// Where the rows after the first begin, in bytes.
fn breaks(text: &str, folds: &Folds, room: usize) -> Vec<usize> {
    let mut breaks = Vec::new();
    let (mut used, mut start, mut after_space) = (0, 0, None);
    for cell in cells(text) {
        let wide = shown_width(cell, folds).min(room);
        if used + wide > room {
            let at = after_space.filter(|(at, _)| *at > start).unwrap_or((cell.start, used));
            start = at.0;
            used -= at.1;
            breaks.push(start);
            after_space = None;
        }
        used += wide;
        if cell.text == " " {
            after_space = Some((cell.start + 1, used));
        }
    }
    if used >= room {
        breaks.push(text.len());
    }
    breaks
}

/// The row and column of a place in the draft.
pub(super) fn place(
    parts: &[Part],
    lines: &[String],
    folds: &Folds,
    line: usize,
    byte: usize,
) -> (usize, usize) {
    let on = |part: &Part| part.line == line && part.bytes.start <= byte;
    let row = parts.iter().rposition(on).unwrap_or(0);
    let Some(part) = parts.get(row) else { return (0, 0) };
    let before = lines.get(line).and_then(|text| text.get(part.bytes.start..byte)).unwrap_or_default();
    (row, cells(before).map(|cell| shown_width(cell, folds)).sum())
}

/// The byte of a row's line that stands at a column, or before it.
pub(super) fn byte_at(part: &Part, lines: &[String], folds: &Folds, column: usize) -> usize {
    let Some(text) = lines.get(part.line).and_then(|text| text.get(part.bytes.clone())) else { return 0 };
    let mut used = 0;
    for cell in cells(text) {
        used += shown_width(cell, folds);
        if used > column {
            return part.bytes.start + cell.start;
        }
    }
    part.bytes.end
}

/// A row as it is drawn.
pub(super) fn row(part: &Part, lines: &[String], folds: &Folds) -> Row {
    let text = lines.get(part.line).and_then(|text| text.get(part.bytes.clone())).unwrap_or_default();
    let mut spans = Vec::new();
    let mut run = String::new();
    for cell in cells(text) {
        match label(cell, folds) {
            Some(label) => {
                spans.push(Span::plain(Clean::line(&std::mem::take(&mut run))));
                spans.push(Span::new(Clean::line(&label), theme::QUIET));
            }
            None => run.push_str(cell.text),
        }
    }
    spans.push(Span::plain(Clean::line(&run)));
    Row { spans }
}

fn label(cell: Cell<'_>, folds: &Folds) -> Option<String> {
    folds.label(cell.text.chars().next()?)
}

fn shown_width(cell: Cell<'_>, folds: &Folds) -> usize {
    match label(cell, folds) {
        Some(label) => width(&label),
        None if cell.text.is_ascii() => cell.width.max(usize::from(cell.text == "\t")),
        None => width(&Clean::line(cell.text)),
    }
}
