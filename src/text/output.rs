//! Output of commands: bytes to styled rows, however long and however cut.
//!
//! SGR colours stay, every other sequence is shown as nothing, progress lines
//! show their last state. A line longer than [`PIECE_BYTES`] is shown in pieces,
//! so nothing here costs more than a piece and what it is asked for.

mod index;
mod search;
mod split;
mod tail;

pub use index::{LineIndex, NumberedRow};
pub use search::Side;
pub use tail::OutputTail;

use super::line::{LineStart, styled_line};
use super::style::Row;

/// The longest part of a line, in bytes, that is shown as one row before
/// wrapping. A multi-byte character at its end may add three.
pub const PIECE_BYTES: usize = 16 << 10;

/// The rows of a whole output; for outputs of up to some hundred KiB.
#[must_use]
pub fn output_rows(bytes: &[u8]) -> Vec<Row> {
    let mut index = LineIndex::default();
    index.push(bytes);
    index.read(0..index.rows(), bytes).into_iter().map(|numbered| numbered.row).collect()
}

/// The row of one piece that begins in the state `start`.
fn piece_row(bytes: &[u8], start: LineStart) -> Row {
    let mut start = start;
    Row { spans: styled_line(&String::from_utf8_lossy(bytes), &mut start) }
}

#[cfg(test)]
mod tests;
