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
    /// The last finished pieces.
    kept: VecDeque<Piece>,
    /// The piece that is coming.
    last: Piece,
}

#[derive(Debug, Default)]
struct Piece {
    /// Where it begins in the stream.
    at: u64,
    start: LineStart,
    bytes: Vec<u8>,
}

impl OutputTail {
    /// One that keeps the last `keep` lines.
    #[must_use]
    pub fn new(keep: usize) -> Self {
        Self { keep, lines: 0, splitter: Splitter::default(), kept: VecDeque::new(), last: Piece::default() }
    }

    /// Takes the next bytes.
    pub fn push(&mut self, bytes: &[u8]) {
        let (mut at, mut start) = (self.last.at, self.last.start);
        // Nothing is copied before it is known what stays.
        let mut finished = VecDeque::with_capacity(self.keep + 1);
        self.splitter.feed(bytes, |cut| {
            if cut.kind != CutKind::WrittenOver {
                finished.push_back((at, start, cut.at));
            }
            if finished.len() > self.keep {
                finished.pop_front();
            }
            self.lines += u64::from(cut.kind == CutKind::LineEnd);
            (at, start) = (cut.at, cut.start);
        });
        if at == self.last.at {
            self.last.bytes.extend_from_slice(bytes);
            return;
        }
        for (at, start, end) in finished {
            let piece = self.piece(at, start, end, bytes);
            self.kept.push_back(piece);
        }
        self.kept.drain(..self.kept.len().saturating_sub(self.keep));
        self.last = self.piece(at, start, self.splitter.position(), bytes);
    }

    /// The piece from `at` to `end`, from what is held of the last one and the
    /// `new` bytes after it.
    fn piece(&self, at: u64, start: LineStart, end: u64, new: &[u8]) -> Piece {
        let held = [&self.last.bytes, new];
        let mut skip = usize::try_from(at - self.last.at).unwrap_or(usize::MAX);
        let mut take = usize::try_from(end - at).unwrap_or(usize::MAX);
        let mut bytes = Vec::with_capacity(take);
        for part in held {
            let from = skip.min(part.len());
            let to = from.saturating_add(take).min(part.len());
            bytes.extend_from_slice(&part[from..to]);
            skip -= from;
            take -= to - from;
        }
        Piece { at, start, bytes }
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
        let surplus = (self.kept.len() + usize::from(unfinished.is_some())).saturating_sub(self.keep);
        let pieces = self.kept.iter().chain(unfinished).skip(surplus);
        pieces.map(|piece| piece_row(&piece.bytes, piece.start)).collect()
    }
}
