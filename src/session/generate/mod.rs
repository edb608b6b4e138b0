//! For tests: valid histories, and call folders to go with them.
//!
//! [`Story`] commits records one by one through the checks; [`plan`] makes up
//! whole sessions; [`folders`] draws what a crash may have left behind.

pub(crate) mod bodies;
pub(crate) mod folders;
mod plan;
mod play;
pub(crate) mod scenes;
pub(crate) mod story;

pub(crate) use plan::plans;
pub(crate) use story::Story;

use crate::record::{DispatchId, SessionId, TurnId};
use uuid::Uuid;

/// A version 7 UUID that shows its number in its last digits.
fn uuid(number: u128) -> Uuid {
    Uuid::from_u128(0x0193_a1b2_c3d4_7000_8000_0000_0000_0000 | number)
}

pub(crate) fn session_id(number: u128) -> SessionId {
    SessionId::from_uuid(uuid(number))
}

pub(crate) fn turn_id(number: u128) -> TurnId {
    TurnId::from_uuid(uuid(number))
}

pub(crate) fn dispatch_id(number: u128) -> DispatchId {
    DispatchId::from_uuid(uuid(number))
}
