//! Where the rows of a long output are, so that any of them can be read at once.

use super::piece_row;
use super::split::{Cut, CutKind, Splitter};
use crate::text::line::LineStart;
use crate::text::style::Row;
use std::ops::Range;

/// A mark is set at least every so many rows …
const MARK_ROWS: usize = 512;
/// … and every so many bytes.
const MARK_BYTES: u64 = 64 << 10;

/// An index of an output's rows, made in one pass and extended as the output
/// grows. It holds a mark for every 512 rows or 64 KiB, never the output.
#[derive(Debug, Clone, Default)]
pub struct LineIndex {
    splitter: Splitter,
    marks: Vec<Mark>,
    /// The row that is being read.
    next: Mark,
}

/// The beginning of a row.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Mark {
    pub(super) row: usize,
    /// Finished lines before it.
    line: u64,
    /// Whether it goes on with a line.
    pub(super) continues: bool,
    pub(super) offset: u64,
    pub(super) start: LineStart,
}

/// A row of an output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NumberedRow {
    /// The number of its line, from 1.
    pub line: u64,
    /// Whether it goes on with a line whose beginning is in the row before.
    pub continues: bool,
    /// Its text.
    pub row: Row,
}

impl Mark {
    /// The beginning of the row after this one.
    pub(super) fn after(self, cut: Cut) -> Self {
        Self {
            row: self.row + usize::from(cut.kind != CutKind::WrittenOver),
            line: self.line + u64::from(cut.kind == CutKind::LineEnd),
            continues: match cut.kind {
                CutKind::LineEnd => false,
                CutKind::TooLong => true,
                CutKind::WrittenOver => self.continues,
            },
            offset: cut.at,
            start: cut.start,
        }
    }
}

impl LineIndex {
    /// Takes the next bytes of the output.
    pub fn push(&mut self, bytes: &[u8]) {
        let Self { splitter, marks, next } = self;
        splitter.feed(bytes, |cut| {
            *next = next.after(cut);
            let last = marks.last().copied().unwrap_or_default();
            if next.row - last.row >= MARK_ROWS || next.offset - last.offset >= MARK_BYTES {
                marks.push(*next);
            }
        });
    }

    /// Bytes taken so far.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.splitter.position()
    }

    /// The number of rows.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.next.row + usize::from(self.splitter.is_inside())
    }

    /// The number of lines.
    #[must_use]
    pub fn lines(&self) -> u64 {
        self.next.line + u64::from(self.splitter.is_inside())
    }

    /// Rows among which line number `line` is, from 1, or the last line.
    #[must_use]
    pub fn rows_near_line(&self, line: u64) -> Range<usize> {
        let line = line.saturating_sub(1);
        let after = self.marks.partition_point(|mark| mark.line < line);
        let before = after.checked_sub(1).and_then(|n| self.marks.get(n)).map_or(0, |mark| mark.row);
        let end = self.marks.iter().skip(after).find(|mark| mark.line > line);
        before..end.map_or(self.rows(), |mark| mark.row)
    }

    /// The bytes of the output that [`LineIndex::read`] needs for these rows.
    #[must_use]
    pub fn bytes_of(&self, rows: Range<usize>) -> Range<u64> {
        let after = self.marks.partition_point(|mark| mark.row < rows.end);
        let end = self.marks.get(after).map_or(self.bytes(), |mark| mark.offset);
        self.mark_before(rows.start).offset..end
    }

    /// Rows from `from` on whose bytes are about `bytes` or fewer; one at least.
    #[must_use]
    pub fn batch_from(&self, from: usize, bytes: u64) -> Range<usize> {
        let begin = self.mark_before(from).offset;
        let end = self.marks.partition_point(|mark| mark.offset <= begin + bytes);
        let last = end.checked_sub(1).and_then(|n| self.marks.get(n)).map_or(0, |mark| mark.row);
        let all = end == self.marks.len() && self.bytes() - begin <= bytes;
        from..if all { self.rows() } else { last }.max(from + 1).min(self.rows().max(from))
    }

    /// Rows up to `to` whose bytes are about `bytes` or fewer; one at least.
    #[must_use]
    pub fn batch_to(&self, to: usize, bytes: u64) -> Range<usize> {
        let end = self.bytes_of(to..to).end;
        let first = self.marks.partition_point(|mark| mark.offset + bytes < end);
        let first = if end <= bytes { 0 } else { self.marks.get(first).map_or(to, |mark| mark.row) };
        first.min(to.saturating_sub(1))..to
    }

    /// Bytes of memory that it holds.
    #[must_use]
    pub fn memory(&self) -> usize {
        size_of::<Self>() + self.marks.capacity() * size_of::<Mark>()
    }

    /// The rows in `rows`, from the bytes that [`LineIndex::bytes_of`] names.
    #[must_use]
    pub fn read(&self, rows: Range<usize>, bytes: &[u8]) -> Vec<NumberedRow> {
        let mut here = self.mark_before(rows.start);
        let base = here.offset;
        let mut splitter = Splitter::at(here.offset, here.start);
        let mut read = Vec::with_capacity(rows.len().min(bytes.len()));
        let mut take = |here: Mark, end: u64| {
            let from = usize::try_from(here.offset - base).unwrap_or(usize::MAX);
            let to = usize::try_from(end - base).unwrap_or(usize::MAX);
            if let (true, Some(piece)) = (rows.contains(&here.row), bytes.get(from..to)) {
                let row = piece_row(piece, here.start);
                read.push(NumberedRow { line: here.line + 1, continues: here.continues, row });
            }
        };
        splitter.feed(bytes, |cut| {
            if cut.kind != CutKind::WrittenOver {
                take(here, cut.at);
            }
            here = here.after(cut);
        });
        if splitter.is_inside() {
            take(here, splitter.position());
        }
        read
    }

    pub(super) fn mark_before(&self, row: usize) -> Mark {
        let after = self.marks.partition_point(|mark| mark.row <= row);
        after.checked_sub(1).and_then(|n| self.marks.get(n)).copied().unwrap_or_default()
    }
}
