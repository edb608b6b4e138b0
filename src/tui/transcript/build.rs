//! From the folded session to the list of cells.

use super::panel::Panel;
use super::rows::Look;
use crate::record::TurnStatus;
use crate::session::{Call, Entry, Response, Session, Turn};
use crate::text::{Row, Style};
use crate::tui::words;

/// A line of Candor's own, and after which record it came.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Note {
    /// Sequence number of the next record when it was said.
    pub before: u64,
    /// The sentences, one a line.
    pub text: String,
}

/// One block of the conversation: what it shows, and what would change that.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Cell {
    /// A message of the person's.
    Message { turn: usize, entry: usize },
    /// An item of an answer.
    Item { turn: usize, entry: usize, item: usize, labelled: bool },
    /// A call.
    Call { panel: Panel, version: Version },
    /// What is to be said about a turn's end, and whether it is the last one.
    End { turn: usize, last: bool },
    /// A torn tail that was moved aside.
    Tail { index: usize },
    /// A line of Candor's own.
    Note { index: usize },
    /// What was read of an answer that broke off.
    Cut { index: usize },
    /// What is in flight.
    Live,
}

/// What a call's panel is drawn from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Version {
    approval: Option<u64>,
    start: Option<u64>,
    result: Option<u64>,
    said: bool,
    asked: bool,
    runs: bool,
}

/// From where on cells are built.
#[derive(Debug, Clone, Copy)]
pub(super) struct From {
    pub(super) turn: usize,
    pub(super) note: usize,
}

/// A cell with the turn it belongs to and the notes up to it.
#[derive(Debug)]
pub(super) struct Built {
    pub(super) cell: Cell,
    pub(super) turn: usize,
    pub(super) notes: usize,
}

impl Cell {
    pub(super) fn panel(&self) -> Option<Panel> {
        match self {
            Self::Call { panel, .. } => Some(*panel),
            Self::Message { .. } | Self::Item { .. } | Self::End { .. } | Self::Tail { .. } => None,
            Self::Note { .. } | Self::Cut { .. } | Self::Live => None,
        }
    }

    /// Whether it changes without a record.
    pub(super) fn is_live(&self) -> bool {
        match self {
            Self::Live => true,
            Self::Call { version, .. } => version.runs,
            Self::Message { .. } | Self::Item { .. } | Self::End { .. } | Self::Tail { .. } => false,
            Self::Note { .. } | Self::Cut { .. } => false,
        }
    }
}

/// The cells of all turns from one on, with the notes between them.
pub(super) fn cells(session: &Session, look: &Look<'_>, from: From) -> Vec<Built> {
    let mut list = List { look, notes: from.note, turn: from.turn, built: Vec::new() };
    for (index, turn) in session.turns().iter().enumerate().skip(from.turn) {
        list.turn = index;
        list.turn(session, index, turn);
    }
    list.notes_before(u64::MAX);
    if look.live.is_some_and(|live| !live.is_empty()) {
        list.push(Cell::Live);
    }
    list.built
}

struct List<'a> {
    look: &'a Look<'a>,
    notes: usize,
    turn: usize,
    built: Vec<Built>,
}

impl List<'_> {
    fn push(&mut self, cell: Cell) {
        self.built.push(Built { cell, turn: self.turn, notes: self.notes });
    }

    fn notes_before(&mut self, seq: u64) {
        while self.look.notes.get(self.notes).is_some_and(|note| note.before <= seq) {
            let index = self.notes;
            self.notes += 1;
            self.push(Cell::Note { index });
        }
    }

    fn turn(&mut self, session: &Session, index: usize, turn: &Turn) {
        for (entry, step) in turn.entries.iter().enumerate() {
            match step {
                Entry::Message(message) => {
                    self.notes_before(message.seq);
                    self.push(Cell::Message { turn: index, entry });
                }
                Entry::Response(response) => {
                    self.notes_before(response.record.seq);
                    self.response(session, response, index, entry);
                }
            }
        }
        for (cut, _) in self.look.cut.iter().enumerate().filter(|(_, cut)| cut.turn == index) {
            self.push(Cell::Cut { index: cut });
        }
        let tails = session.tails().iter().enumerate();
        for (tail, _) in tails.filter(|(_, tail)| tail.turn == Some(turn.id)) {
            self.push(Cell::Tail { index: tail });
        }
        if let Some(end) = &turn.end {
            self.notes_before(end.seq);
            if end.status != TurnStatus::Completed {
                self.push(Cell::End { turn: index, last: index + 1 == session.turns().len() });
            }
        }
    }

    fn response(&mut self, session: &Session, response: &Response, turn: usize, entry: usize) {
        let mut labelled = true;
        for (item, known) in response.items.iter().enumerate() {
            if super::rows::is_shown(known) {
                self.push(Cell::Item { turn, entry, item, labelled });
                labelled = false;
            }
        }
        for (call, known) in response.calls.iter().enumerate() {
            let version = version(session, known, self.look);
            self.push(Cell::Call { panel: Panel { turn, entry, call }, version });
        }
    }
}

fn version(session: &Session, call: &Call, look: &Look<'_>) -> Version {
    let dispatch = call.result.as_ref().and_then(|result| result.dispatch);
    Version {
        approval: call.approval.as_ref().map(|record| record.seq),
        start: call.start.as_ref().map(|record| record.seq),
        result: call.result.as_ref().map(|record| record.seq),
        said: dispatch.is_some_and(|dispatch| session.statement(dispatch).is_some()),
        asked: call.result.is_none() && look.asked == Some(&call.id),
        runs: call.start.is_some() && call.result.is_none(),
    }
}

/// The rows of a line of Candor's own.
pub(crate) fn note_rows(text: &str, width: usize) -> Vec<Row> {
    let mut rows = vec![words::row(" Candor", crate::tui::theme::CANDOR)];
    rows.extend(super::rows::body(text, Style::PLAIN, width));
    rows.push(Row::default());
    rows
}
