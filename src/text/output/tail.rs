//! The last lines of an output that is still coming.

use super::piece_row;
use super::split::{CutKind, Splitter};
use crate::text::line::LineStart;
use crate::text::style::Row;
use std::collections::VecDeque;

/// Keeps the last lines of a stream of bytes that comes in arbitrary chunks,
/// and counts all of them. Its memory is bounded by the number of lines kept.
#[derive(Debug)]
pub struct OutputTail {
    keep: usize,
    lines: u64,
    splitter: Splitter,
    kept: VecDeque<Piece>,
    last: Piece,
}

#[derive(Debug, Default)]
struct Piece {
    bytes: Vec<u8>,
    start: LineStart,
}

impl OutputTail {
    /// One that keeps the last `keep` lines.
    #[must_use]
    pub fn new(keep: usize) -> Self {
        Self { keep, lines: 0, splitter: Splitter::default(), kept: VecDeque::new(), last: Piece::default() }
    }

    /// Takes the next bytes.
    pub fn push(&mut self, bytes: &[u8]) {
        let Self { keep, lines, splitter, kept, last } = self;
        let mut begin = splitter.position();
        let mut rest = bytes;
        splitter.feed(bytes, |cut| {
            if let Some(length) = cut.at.checked_sub(begin).and_then(|n| usize::try_from(n).ok()) {
                let (piece, after) = rest.split_at(length);
                last.bytes.extend_from_slice(piece);
                rest = after;
            }
            // A cut before these bytes leaves the end of the piece to the next one.
            let left = usize::try_from(begin.saturating_sub(cut.at)).unwrap_or(0);
            begin = begin.max(cut.at);
            let carried = last.bytes.split_off(last.bytes.len() - left);
            if cut.kind != CutKind::WrittenOver {
                let mut spare = Piece::default();
                if kept.len() >= *keep {
                    spare = kept.pop_front().unwrap_or_default();
                }
                kept.push_back(std::mem::replace(last, spare));
            }
            *lines += u64::from(cut.kind == CutKind::LineEnd);
            last.bytes.clear();
            last.bytes.extend_from_slice(&carried);
            last.start = cut.start;
        });
        last.bytes.extend_from_slice(rest);
    }

    /// How many lines there were, an unfinished last one included.
    #[must_use]
    pub fn lines(&self) -> u64 {
        self.lines + u64::from(self.splitter.is_inside())
    }

    /// The last lines, each as one row.
    #[must_use]
    pub fn rows(&self) -> Vec<Row> {
        let unfinished = self.splitter.is_inside().then_some(&self.last);
        let pieces = self.kept.iter().chain(unfinished);
        let surplus = (self.kept.len() + usize::from(unfinished.is_some())).saturating_sub(self.keep);
        pieces.skip(surplus).map(|piece| piece_row(&piece.bytes, piece.start)).collect()
    }
}
