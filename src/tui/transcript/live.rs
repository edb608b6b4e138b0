//! Text in flight: shown as it comes, never evidence.

use super::Colors;
use super::rows::{block_rows, body, body_width};
use crate::agent::Delta;
use crate::text::{MarkdownStream, Row, Style};
use crate::tui::{theme, words};
use std::cell::RefCell;

/// An answer that is still coming.
#[derive(Debug, Default)]
pub(crate) struct Live {
    text: MarkdownStream,
    reasoning: String,
    refusal: String,
    begun: bool,
    /// Rows of the blocks that change no more, at one width.
    stable: RefCell<Stable>,
}

#[derive(Debug, Default)]
struct Stable {
    width: usize,
    blocks: usize,
    rows: Vec<Row>,
}

impl Live {
    /// Takes the next piece.
    pub(crate) fn push(&mut self, delta: &Delta) {
        self.begun = true;
        match delta {
            Delta::Text(text) => self.text.push(text),
            Delta::Reasoning(text) => self.reasoning.push_str(text),
            Delta::Refusal(text) => self.refusal.push_str(text),
        }
    }

    /// Whether nothing is in flight.
    pub(crate) fn is_empty(&self) -> bool {
        !self.begun
    }

    /// Has its rows made again: colours have come.
    pub(crate) fn recolor(&mut self) {
        self.stable = RefCell::default();
    }

    /// Its rows, as they will stand when the answer is complete. What may still
    /// change is not coloured.
    pub(super) fn rows(&self, width: usize, colors: Option<&Colors>) -> Vec<Row> {
        let mut rows = vec![words::row(" Assistant", theme::ASSISTANT)];
        if !self.reasoning.is_empty() {
            rows.extend(body(&self.reasoning, theme::QUIET, width));
        }
        let room = body_width(width);
        self.extend_with_stable(&mut rows, room, colors);
        rows.extend(block_rows(&self.text.tail(), room, None));
        if !self.refusal.is_empty() {
            rows.extend(body(&self.refusal, Style::PLAIN, width));
        }
        rows.push(Row::default());
        rows
    }

    fn extend_with_stable(&self, rows: &mut Vec<Row>, room: usize, colors: Option<&Colors>) {
        let mut stable = self.stable.borrow_mut();
        if stable.width != room {
            *stable = Stable { width: room, ..Stable::default() };
        }
        let blocks = self.text.stable();
        let new = block_rows(&blocks[stable.blocks..], room, colors);
        stable.rows.extend(new);
        stable.blocks = blocks.len();
        rows.extend(stable.rows.iter().cloned());
    }
}
