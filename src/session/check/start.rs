//! Starts of executions.

use crate::record::{Decision, DispatchId, Operation, ToolStarted, limits};
use crate::session::order::OrderError;
use crate::session::state::{Call, Session};

impl Session {
    pub(super) fn check_start(&self, body: &ToolStarted) -> Result<(), OrderError> {
        let (turn, call) = self.at_call(body.turn, &body.call)?;
        if call.start.is_some() {
            return Err(OrderError::AlreadyStarted);
        }
        if body.operation.fingerprint() != body.fingerprint {
            return Err(OrderError::Fingerprint);
        }
        if !turn.imported && !is_approved(call, body) {
            return Err(OrderError::NotApproved);
        }
        if !self.is_new_dispatch(body.dispatch) {
            return Err(OrderError::DispatchUsed);
        }
        if self.dispatch_count() >= limits::DISPATCHES {
            return Err(OrderError::TooManyDispatches);
        }
        match body.repeats {
            Some(repeated) if turn.imported || !self.is_unknown_of(repeated, &body.operation) => {
                Err(OrderError::Repeats)
            }
            Some(_) | None => Ok(()),
        }
    }

    /// Neither in this journal nor among the effects of its origin.
    pub(in crate::session) fn is_new_dispatch(&self, dispatch: DispatchId) -> bool {
        !self.knows_dispatch(dispatch)
            && self.origin_unknown().iter().all(|effect| effect.dispatch != dispatch)
    }

    fn is_unknown_of(&self, dispatch: DispatchId, operation: &Operation) -> bool {
        self.unknown_effect(dispatch)
            .and_then(|effect| effect.operation)
            .is_some_and(|known| known.repeats(operation))
    }
}

/// The same fingerprint was approved, so the bytes were too.
fn is_approved(call: &Call, body: &ToolStarted) -> bool {
    call.approval.as_ref().is_some_and(|approval| {
        approval.decision == Decision::Approved && approval.fingerprint == body.fingerprint
    })
}
