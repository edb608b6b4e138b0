//! The last lines of a running command's output.

use crate::text::{Clean, Row, Span, fold};

/// Bytes that are kept of the end.
const KEPT: usize = 16 << 10;

/// The end of an output that still grows.
#[derive(Debug, Clone, Default)]
pub(crate) struct Tail {
    bytes: Vec<u8>,
}

impl Tail {
    /// More bytes came.
    pub(crate) fn push(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(&bytes[bytes.len().saturating_sub(KEPT)..]);
        if self.bytes.len() > 2 * KEPT {
            self.bytes.drain(..self.bytes.len() - KEPT);
        }
    }

    /// At most that many rows of its end.
    pub(crate) fn rows(&self, width: usize, most: usize) -> Vec<Row> {
        let text = Clean::block(&String::from_utf8_lossy(&self.bytes));
        let lines: Vec<&str> = text.trim_end_matches('\n').lines().collect();
        let last = &lines[lines.len().saturating_sub(most)..];
        let mut rows: Vec<Row> =
            last.iter().flat_map(|line| fold(&[Span::plain(Clean::line(line))], width)).collect();
        rows.drain(..rows.len().saturating_sub(most));
        rows
    }
}
