//! The rows of a cell.

use super::build::{Cell, Note, note_rows};
use super::live::{Cut, Live};
use super::panel;
use super::{Colors, Fold, Folds, Reach};
use crate::record::{CallId, DispatchId, Item, ItemKind, Timestamp};
use crate::session::words::turn_end;
use crate::session::{Entry, Session, Turn};
use crate::text::{Block, Clean, OutputTail, Row, Span, Style, markdown, wrap};
use crate::tui::{theme, words};
use std::collections::HashMap;
use std::rc::Rc;

/// Cells at the left of what somebody said.
const INDENT: usize = 3;

/// Everything that cells are drawn from.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Look<'a> {
    /// The records.
    pub session: &'a Session,
    /// Candor's own lines.
    pub notes: &'a [Note],
    /// What is in flight.
    pub live: Option<&'a Live>,
    /// Answers that broke off.
    pub cut: &'a [Cut],
    /// The last lines of running commands; none where nothing is known to run.
    pub outputs: Option<&'a HashMap<DispatchId, OutputTail>>,
    /// How much of each panel is shown.
    pub folds: Option<&'a Folds>,
    /// Code that is coloured.
    pub colors: Option<&'a Colors>,
    /// The call that waits for a decision.
    pub asked: Option<&'a CallId>,
    /// The time, for counters.
    pub now: Timestamp,
    /// Commands and outputs are shown as far as they are kept.
    pub full: bool,
    /// A message can follow what is shown.
    pub goes_on: bool,
    /// Keys of this place open what panels do not show.
    pub opens: bool,
    /// How, for the panel that is drawn.
    pub reach: Reach,
}

/// Cells of a row for what somebody said.
pub(super) fn body_width(width: usize) -> usize {
    width.saturating_sub(INDENT + 1).max(1)
}

/// A row moved to where blocks are.
pub(super) fn indented(mut row: Row) -> Row {
    row.spans.insert(0, Span::plain(Clean::from_static("   ")));
    row
}

/// Text of several lines, wrapped and indented.
pub(super) fn body(text: &str, style: Style, width: usize) -> Vec<Row> {
    let clean = Clean::block(text);
    let text = clean.trim_end_matches('\n');
    wrap(&[Span::new(Clean::block(text), style)], body_width(width), 0).into_iter().map(indented).collect()
}

/// The rows of Markdown where blocks are, in the colours that are known.
pub(super) fn block_rows(blocks: &[Block], width: usize, colors: Option<&Colors>) -> Vec<Row> {
    let rows = |block: &Block| match colors {
        Some(colors) => colors.rows(block, width),
        None => block.rows(width),
    };
    blocks.iter().flat_map(rows).map(indented).collect()
}

/// Whether an item of a response is shown by itself.
pub(super) fn is_shown(item: &Item) -> bool {
    match &item.kind {
        ItemKind::Message { text, refusal, .. } => !text.is_empty() || !refusal.is_empty(),
        ItemKind::Reasoning { summary, .. } => !summary.is_empty(),
        ItemKind::Call { .. } => false,
        ItemKind::Other { .. } => true,
    }
}

/// Rows in pieces, which others may hold as well: what does not change of an
/// answer that grows is not made again.
#[derive(Debug, Clone, Default)]
pub(super) struct Rows {
    pieces: Vec<Rc<[Row]>>,
    len: usize,
}

impl Rows {
    pub(super) fn push(&mut self, piece: Rc<[Row]>) {
        self.len += piece.len();
        self.pieces.push(piece);
    }

    pub(super) fn len(&self) -> usize {
        self.len
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Row> {
        self.since(0)
    }

    /// Those from this one on.
    pub(super) fn since(&self, first: usize) -> impl Iterator<Item = &Row> {
        let (mut skipped, mut pieces) = (0, 0);
        while let Some(piece) = self.pieces.get(pieces).filter(|piece| skipped + piece.len() <= first) {
            skipped += piece.len();
            pieces += 1;
        }
        self.pieces[pieces..].iter().flat_map(|piece| piece.iter()).skip(first - skipped)
    }
}

impl From<Vec<Row>> for Rows {
    fn from(rows: Vec<Row>) -> Self {
        Self { len: rows.len(), pieces: vec![rows.into()] }
    }
}

/// The rows of a cell at this width, with an empty one after them.
pub(super) fn of_cell(cell: &Cell, width: usize, look: &Look<'_>) -> Rows {
    let turn = |index: usize| look.session.turns().get(index);
    let rows = match cell {
        Cell::Cut { index } => {
            let cut = look.cut.get(*index);
            return cut.map(|cut| cut.text.rows(width, look.colors)).unwrap_or_default();
        }
        Cell::Live => return look.live.map(|live| live.rows(width, look.colors)).unwrap_or_default(),
        Cell::Message { turn: index, entry } => {
            turn(*index).and_then(|turn| message(turn, *entry, width)).unwrap_or_default()
        }
        Cell::Item { turn: index, entry, item, labelled } => {
            let item = turn(*index).and_then(|turn| item_of(turn, *entry, *item));
            item.map(|item| said(item, *labelled, width, look.colors)).unwrap_or_default()
        }
        Cell::Call { panel, .. } => {
            let fold = match look.full {
                true => Fold::Whole,
                false => look.folds.map(|folds| folds.of(*panel)).unwrap_or_default(),
            };
            panel.call(look.session).map(|call| panel::rows(call, fold, width, look)).unwrap_or_default()
        }
        Cell::End { turn: index, last } => {
            let end = turn(*index).and_then(|turn| turn.end.as_ref());
            let goes_on = *last && look.goes_on;
            end.and_then(|end| turn_end(end.status, end.error.as_deref(), goes_on))
                .map(|said| note_rows(&said, width))
                .unwrap_or_default()
        }
        Cell::Tail { index } => {
            let tail = look.session.tails().get(*index);
            tail.map(|tail| note_rows(&tail_words(tail.record.bytes), width)).unwrap_or_default()
        }
        Cell::Note { index } => {
            look.notes.get(*index).map(|note| note_rows(&note.text, width)).unwrap_or_default()
        }
    };
    rows.into()
}

fn tail_words(bytes: u64) -> String {
    format!("A record was torn when Candor stopped; its {bytes} bytes were moved aside, beside the journal.")
}

fn message(turn: &Turn, entry: usize, width: usize) -> Option<Vec<Row>> {
    let Entry::Message(message) = turn.entries.get(entry)? else { return None };
    let label = if turn.imported { " You, imported" } else { " You" };
    let mut rows = vec![words::row(label, theme::YOU)];
    rows.extend(body(&message.text, Style::PLAIN, width));
    rows.push(Row::default());
    Some(rows)
}

fn item_of(turn: &Turn, entry: usize, item: usize) -> Option<&Item> {
    match turn.entries.get(entry)? {
        Entry::Response(response) => response.items.get(item),
        Entry::Message(_) => None,
    }
}

fn said(item: &Item, labelled: bool, width: usize, colors: Option<&Colors>) -> Vec<Row> {
    let mut rows = if labelled { vec![words::row(" Assistant", theme::ASSISTANT)] } else { Vec::new() };
    match &item.kind {
        ItemKind::Message { text, refusal, .. } => {
            rows.extend(block_rows(&markdown(text), body_width(width), colors));
            if !refusal.is_empty() {
                rows.extend(body(refusal, Style::PLAIN, width));
            }
        }
        ItemKind::Reasoning { summary, .. } => rows.extend(body(summary, theme::QUIET, width)),
        ItemKind::Other { kind } => {
            let what = format!("(an item of the kind \"{kind}\", kept and not shown)");
            rows.extend(body(&what, theme::QUIET, width));
        }
        ItemKind::Call { .. } => {}
    }
    rows.push(Row::default());
    rows
}

#[cfg(test)]
mod tests {
    use super::Rows;
    use crate::text::Row;
    use crate::tui::{theme, words};

    #[test]
    fn rows_in_pieces_are_as_rows_in_one() {
        let row = |number: usize| words::row(&format!("row {number}"), theme::QUIET);
        let whole: Vec<Row> = (0..7).map(row).collect();
        let mut rows = Rows::from(whole[..3].to_vec());
        for piece in [&whole[3..3], &whole[3..4], &whole[4..]] {
            rows.push(piece.into());
        }
        assert_eq!(rows.len(), 7);
        assert!(rows.iter().eq(&whole));
        for first in 0..9 {
            assert!(rows.since(first).eq(whole.iter().skip(first)), "from {first}");
        }
        assert_eq!(Rows::default().since(3).count(), 0);
    }
}
