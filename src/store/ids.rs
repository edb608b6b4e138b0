//! Fresh identifiers: UUID version 7, in the order of their making.

use crate::record::{DispatchId, SessionId, TurnId};
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
