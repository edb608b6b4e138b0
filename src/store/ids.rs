//! Fresh identifiers: UUID version 7, in the order of their making.

use crate::record::{DispatchId, SessionId, Timestamp, TurnId};
use uuid::Uuid;

/// For a new session.
#[must_use]
pub fn session() -> SessionId {
    SessionId::from_uuid(Uuid::now_v7())
}

/// For a new turn.
#[must_use]
pub fn turn() -> TurnId {
    TurnId::from_uuid(Uuid::now_v7())
}

/// For a new execution.
#[must_use]
pub fn dispatch() -> DispatchId {
    DispatchId::from_uuid(Uuid::now_v7())
}

/// When an execution's id was made, by the clock of that moment.
#[must_use]
pub fn made_at(dispatch: DispatchId) -> Timestamp {
    let made = Uuid::try_parse(&dispatch.to_string()).ok().and_then(|id| id.get_timestamp());
    let (seconds, nanos) = made.map_or((0, 0), |made| made.to_unix());
    let millis = i64::try_from(seconds).unwrap_or(i64::MAX).saturating_mul(1_000);
    Timestamp::from_millis(millis.saturating_add(i64::from(nanos / 1_000_000)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_tells_when_it_was_made() {
        let id = DispatchId::parse("019ae2d8-1f3b-7000-8000-000000000000").unwrap();
        assert_eq!(made_at(id), Timestamp::from_millis(0x019a_e2d8_1f3b));
    }
}
