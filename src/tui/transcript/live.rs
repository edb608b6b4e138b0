//! Text in flight: shown as it comes, never evidence.

use super::Colors;
use super::rows::{Rows, block_rows, body, body_width};
use crate::agent::Delta;
use crate::text::{Clean, MarkdownStream, Row, Span, Style, wrap};
use crate::tui::sentences::CUT_OFF;
use crate::tui::{theme, words};
use std::cell::RefCell;
use std::rc::Rc;

/// An answer that is still coming, or one that broke off.
#[derive(Debug, Default)]
pub(crate) struct Live {
    text: MarkdownStream,
    reasoning: String,
    refusal: String,
    begun: bool,
    /// No more of it comes, and no record will have it.
    cut: bool,
    /// Rows of the blocks that change no more, at one width.
    stable: RefCell<Stable>,
}

/// What was read of an answer that broke off. It is in no record: it is kept as
/// long as the session is open in this window.
#[derive(Debug)]
pub(crate) struct Cut {
    /// The turn it belongs to, from 0.
    pub turn: usize,
    /// What was read.
    pub text: Live,
}

#[derive(Debug, Default)]
struct Stable {
    width: usize,
    blocks: usize,
    rows: Vec<Rc<[Row]>>,
}

impl Live {
    /// Takes the next piece; after an answer that broke off, of another one.
    pub(crate) fn push(&mut self, delta: &Delta) {
        if self.cut {
            *self = Self::default();
        }
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

    /// No more of this answer comes: what was read of it stays, marked as such.
    pub(crate) fn cut_off(&mut self) {
        self.cut = true;
    }

    /// Has its rows made again: colours have come.
    pub(crate) fn recolor(&mut self) {
        self.stable = RefCell::default();
    }

    /// Its rows, as they will stand when the answer is complete. What may still
    /// change is not coloured.
    pub(super) fn rows(&self, width: usize, colors: Option<&Colors>) -> Rows {
        let rows = self.rows_as_sent(width, colors);
        if self.cut {
            let mut rows: Vec<Row> = rows.iter().cloned().collect();
            for span in rows.iter_mut().skip(1).flat_map(|row| &mut row.spans) {
                span.style = theme::QUIET;
            }
            // At the margin, where no text of a model stands.
            let mark = wrap(&[Span::new(Clean::from_static(CUT_OFF), theme::CANDOR)], width, 1);
            let last = rows.len().saturating_sub(1);
            rows.splice(last..last, mark);
            return rows.into();
        }
        rows
    }

    fn rows_as_sent(&self, width: usize, colors: Option<&Colors>) -> Rows {
        let mut first = vec![words::row(" Assistant", theme::ASSISTANT)];
        if !self.reasoning.is_empty() {
            first.extend(body(&self.reasoning, theme::QUIET, width));
        }
        let mut rows = Rows::from(first);
        let room = body_width(width);
        self.extend_with_stable(&mut rows, room, colors);
        let mut last = block_rows(&self.text.tail(), room, None);
        if !self.refusal.is_empty() {
            last.extend(body(&self.refusal, Style::PLAIN, width));
        }
        last.push(Row::default());
        rows.push(last.into());
        rows
    }

    fn extend_with_stable(&self, rows: &mut Rows, room: usize, colors: Option<&Colors>) {
        let mut stable = self.stable.borrow_mut();
        if stable.width != room {
            *stable = Stable { width: room, ..Stable::default() };
        }
        let blocks = self.text.stable();
        if stable.blocks < blocks.len() {
            let new = block_rows(&blocks[stable.blocks..], room, colors);
            stable.rows.push(new.into());
            stable.blocks = blocks.len();
        }
        stable.rows.iter().for_each(|piece| rows.push(Rc::clone(piece)));
    }
}
