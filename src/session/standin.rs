//! A stand-in for the fold, until the real one is here.

use super::{Entry, Header, Session, Tail, Turn};
use crate::record::{Committed, Record, Stamped};

/// Why a record may not follow.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum OrderError {
    /// Something is wrong.
    #[error("a record out of order")]
    Order,
}

/// Whether room for closing must remain after this record.
#[must_use]
pub fn needs_reserve(record: &Record) -> bool {
    matches!(
        record.kind(),
        "user_message" | "model_response" | "approval" | "tool_started" | "turn_extended" | "session_renamed"
    )
}

impl Session {
    /// Checks a record.
    ///
    /// # Errors
    /// It may not follow.
    pub fn check(&self, record: &Record) -> Result<(), OrderError> {
        let first = matches!(record, Record::SessionStarted(_));
        if first == (self.next_seq == 0) { Ok(()) } else { Err(OrderError::Order) }
    }

    /// Folds a record.
    ///
    /// # Errors
    /// It may not follow.
    pub fn apply(&mut self, committed: Committed) -> Result<(), OrderError> {
        self.check(&committed.record)?;
        let (seq, at) = (committed.seq, committed.at);
        match committed.record {
            Record::SessionStarted(body) => {
                self.title = body.title.clone().unwrap_or_default();
                self.header = Some(Header {
                    app: body.app.clone(),
                    key_id: body.key_id.clone(),
                    cwd: body.cwd.clone(),
                    origin: body.origin.clone(),
                    at,
                });
            }
            Record::UserMessage(body) => {
                let id = body.turn;
                let imported = body.imported;
                self.turns.push(Turn {
                    id,
                    imported,
                    entries: vec![Entry::Message(Stamped { seq, at, body })],
                    extensions: Vec::new(),
                    end: None,
                });
            }
            Record::TurnEnded(body) => {
                if let Some(turn) = self.turns.last_mut() {
                    turn.end = Some(Stamped { seq, at, body });
                }
            }
            Record::SessionRenamed(body) => self.title.clone_from(&body.title),
            Record::TailMoved(body) => {
                self.tails.push(Tail { record: Stamped { seq, at, body }, turn: None })
            }
            _ => {}
        }
        self.next_seq += 1;
        self.last_at = Some(at);
        Ok(())
    }
}
