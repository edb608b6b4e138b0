//! Which rows of an output show a text.
//!
//! What is searched is what is shown: colours inside of a word, carriage
//! returns and invisible characters hide nothing and pretend nothing. Plain
//! ASCII is shown as it is and is searched as bytes; only what is not is read
//! row by row.

use super::index::{LineIndex, Mark};
use super::piece_row;
use super::split::{CutKind, Splitter};
use crate::text::needle::Needle;
use std::borrow::Cow;
use std::ops::Range;

/// From which side a search comes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// The first row that shows it is wanted.
    First,
    /// The last one.
    Last,
}

/// A row among the bytes that are searched.
struct Piece {
    begin: Mark,
    /// Its bytes among them.
    at: Range<usize>,
}

impl LineIndex {
    /// The first or last row of `rows` in which `needle` begins. `bytes` are
    /// those that [`LineIndex::bytes_of`] names; for an occurrence that goes on
    /// in the piece after the last row, up to [`PIECE_BYTES`](super::PIECE_BYTES)
    /// more.
    #[must_use]
    pub fn find(&self, rows: Range<usize>, bytes: &[u8], needle: &Needle, side: Side) -> Option<usize> {
        let begin = self.mark_before(rows.start);
        let told = begin.start.scanner.is_text() && needle.is_told_by(bytes);
        if told && needle.first_in(bytes, 0).is_none() {
            return None;
        }
        let pieces = pieces(begin, bytes);
        let inside = |piece: &&Piece| rows.contains(&piece.begin.row);
        let first = pieces.iter().position(|piece| inside(&piece))?;
        let count = pieces[first..].iter().take_while(inside).count();
        if told {
            let (from, end) = (pieces[first].at.start, pieces[first + count - 1].at.end);
            let at = match side {
                Side::First => needle.first_in(bytes, from).filter(|at| *at < end),
                Side::Last => needle.last_in(bytes, end).filter(|at| *at >= from),
            }?;
            let piece = pieces.partition_point(|piece| piece.at.end <= at);
            return pieces.get(piece).map(|piece| piece.begin.row);
        }
        let shows = |n: &usize| shows(&pieces, *n, bytes, needle);
        let mut within = first..first + count;
        let found = match side {
            Side::First => within.find(shows),
            Side::Last => within.rfind(shows),
        };
        found.map(|n| pieces[n].begin.row)
    }
}

/// The rows of these bytes, which begin at a mark.
fn pieces(begin: Mark, bytes: &[u8]) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut here = begin;
    let place = |offset: u64| usize::try_from(offset - begin.offset).unwrap_or(usize::MAX);
    let mut splitter = Splitter::at(begin.offset, begin.start);
    splitter.feed(bytes, |cut| {
        if cut.kind != CutKind::WrittenOver {
            pieces.push(Piece { begin: here, at: place(here.offset)..place(cut.at) });
        }
        here = here.after(cut);
    });
    if splitter.is_inside() {
        pieces.push(Piece { begin: here, at: place(here.offset)..bytes.len() });
    }
    pieces
}

/// Whether the needle begins in a piece; it may end in the next one.
fn shows(pieces: &[Piece], n: usize, bytes: &[u8], needle: &Needle) -> bool {
    let mut text = shown(&pieces[n], bytes);
    let end = text.len();
    if let Some(next) = pieces.get(n + 1).filter(|next| next.begin.continues) {
        let after = shown(next, bytes);
        let reach = after.char_indices().map(|(at, _)| at).find(|at| *at >= needle.reach());
        text.to_mut().push_str(&after[..reach.unwrap_or(after.len())]);
    }
    needle.begins_before(&text, end)
}

/// What a piece shows.
fn shown<'a>(piece: &Piece, bytes: &'a [u8]) -> Cow<'a, str> {
    let bytes = bytes.get(piece.at.clone()).unwrap_or_default();
    let line = bytes.strip_suffix(b"\n").unwrap_or(bytes);
    let line = &line[..line.len() - line.iter().rev().take_while(|byte| **byte == b'\r').count()];
    let calm = piece.begin.start.scanner.is_text() && line.iter().all(|byte| matches!(byte, b' '..=b'~'));
    match std::str::from_utf8(line) {
        Ok(text) if calm => Cow::Borrowed(text),
        _ => Cow::Owned(piece_row(bytes, piece.begin.start).text()),
    }
}
