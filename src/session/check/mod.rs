//! Whether a record may follow: the rules of order between records and the
//! bounds of each single one.
//!
//! Rules that only the bytes of one field can break are `record`'s; the size of
//! a line and of the journal are the journal's.

mod acknowledgement;
mod approval;
mod bounds;
mod result;
mod start;
mod turn;

pub(super) use turn::ReadResponse;

use super::order::OrderError;
use super::state::{Call, Session, Turn};
use crate::record::{CallId, Origin, Record, SessionStarted, TurnId};
use std::collections::BTreeSet;

/// Whether this record is refused unless [`crate::record::limits::RESERVE_BYTES`]
/// remain after it. What closes a turn or opens the gate may use the rest.
#[must_use]
pub fn needs_reserve(record: &Record) -> bool {
    match record {
        Record::UserMessage(_)
        | Record::ModelResponse(_)
        | Record::Approval(_)
        | Record::ToolStarted(_)
        | Record::TurnExtended(_)
        | Record::SessionRenamed(_) => true,
        Record::SessionStarted(_)
        | Record::ToolResult(_)
        | Record::TurnEnded(_)
        | Record::Acknowledged(_)
        | Record::TailMoved(_) => false,
    }
}

impl Session {
    /// Whether this record may be written now.
    ///
    /// # Errors
    /// [`OrderError`] names the first rule that it breaks.
    pub fn check(&self, record: &Record) -> Result<(), OrderError> {
        self.examine(record).map(drop)
    }

    /// Checks a record and hands back what reading its items gave, since that is
    /// the dearest part of checking and folding; nothing for other records.
    pub(super) fn examine(&self, record: &Record) -> Result<ReadResponse, OrderError> {
        let begins = matches!(record, Record::SessionStarted(_));
        if begins != self.header.is_none() {
            return Err(OrderError::Beginning);
        }
        match record {
            Record::SessionStarted(body) => beginning(body),
            Record::UserMessage(body) => self.check_message(body),
            Record::ModelResponse(body) => return self.read_response(body),
            Record::Approval(body) => self.check_approval(body),
            Record::ToolStarted(body) => self.check_start(body),
            Record::ToolResult(body) => self.check_result(body),
            Record::TurnExtended(body) => self.check_extension(body),
            Record::TurnEnded(body) => self.check_end(body),
            Record::Acknowledged(body) => self.check_acknowledged(body),
            Record::TailMoved(_) => Ok(()),
            Record::SessionRenamed(body) => bounds::title(&body.title),
        }?;
        Ok(ReadResponse::default())
    }

    /// The open turn, which this has to be.
    fn in_turn(&self, id: TurnId) -> Result<&Turn, OrderError> {
        let turn = self.open_turn().ok_or(OrderError::NoTurn)?;
        if turn.id == id { Ok(turn) } else { Err(OrderError::OtherTurn) }
    }

    /// The first open call of the open turn, which this has to be.
    fn at_call(&self, turn: TurnId, call: &CallId) -> Result<(&Turn, &Call), OrderError> {
        let turn = self.in_turn(turn)?;
        let open = turn.open_call().filter(|open| open.id == *call).ok_or(OrderError::NotTheOpenCall)?;
        Ok((turn, open))
    }
}

fn beginning(body: &SessionStarted) -> Result<(), OrderError> {
    if let Some(title) = &body.title {
        bounds::title(title)?;
    }
    match &body.origin {
        Origin::New {} | Origin::Imported { .. } => Ok(()),
        Origin::Forked { unknown, .. } => {
            let distinct: BTreeSet<_> = unknown.iter().map(|effect| effect.dispatch).collect();
            if distinct.len() == unknown.len() { Ok(()) } else { Err(OrderError::OriginTwice) }
        }
    }
}

/// In a turn of our own nothing but its closing may follow an unknown outcome.
fn goes_on(turn: &Turn) -> Result<(), OrderError> {
    if turn.is_unconfirmed() { Err(OrderError::AfterUnknown) } else { Ok(()) }
}
