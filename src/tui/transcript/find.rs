//! Bringing a record into sight.

use super::Transcript;
use super::build::Cell;
use super::rows::Look;
use super::view::{Place, View};
use crate::session::{Call, Entry, Session};

impl Transcript {
    /// Has the cell of a record at the top of the next frame.
    pub(crate) fn show_record(&mut self, seq: u64) {
        self.wanted = Some(seq);
    }

    pub(super) fn go_to_wanted(&mut self, look: &Look<'_>) {
        let Some(seq) = self.wanted.take() else { return };
        let cell = self.cells.iter().position(|held| holds(&held.cell, look.session, seq));
        if let Some(cell) = cell {
            let top = Place { cell, row: 0 };
            let mark = self.mark(look);
            self.view = View::Held { top, mark };
            if top >= self.last_top(look) {
                self.view = View::Following;
            }
        }
    }
}

/// Whether a cell shows something of this record.
fn holds(cell: &Cell, session: &Session, seq: u64) -> bool {
    let entry = |turn: usize, entry: usize| session.turns().get(turn)?.entries.get(entry);
    match cell {
        Cell::Message { turn, entry: at } => {
            matches!(entry(*turn, *at), Some(Entry::Message(message)) if message.seq == seq)
        }
        Cell::Item { turn, entry: at, .. } => {
            matches!(entry(*turn, *at), Some(Entry::Response(response)) if response.record.seq == seq)
        }
        Cell::Call { panel, .. } => {
            let asked = entry(panel.turn, panel.entry);
            matches!(asked, Some(Entry::Response(response)) if response.record.seq == seq)
                || panel.call(session).is_some_and(|call| of_call(call, seq))
        }
        Cell::End { turn, .. } => {
            let end = session.turns().get(*turn).and_then(|turn| turn.end.as_ref());
            end.is_some_and(|end| end.seq == seq)
        }
        Cell::Tail { index } => session.tails().get(*index).is_some_and(|tail| tail.record.seq == seq),
        Cell::Note { .. } | Cell::Cut { .. } | Cell::Live => false,
    }
}

fn of_call(call: &Call, seq: u64) -> bool {
    let approval = call.approval.as_ref().map(|record| record.seq);
    let result = call.result.as_ref().map(|record| record.seq);
    [approval, call.start.as_ref().map(|record| record.seq), result].contains(&Some(seq))
}
