//! Results: what fits a call, and what fits an outcome.

use crate::record::{Evidence, Outcome, ToolResult, limits};
use crate::session::order::OrderError;
use crate::session::state::{Call, Session, Turn};

/// An output's bytes can each become one mark of three bytes; the line between
/// its two halves comes on top.
const OUTPUT_TEXT_BYTES: usize = 3 * limits::OUTPUT_BYTES + 128;

impl Session {
    pub(super) fn check_result(&self, body: &ToolResult) -> Result<(), OrderError> {
        let (turn, call) = self.at_call(body.turn, &body.call)?;
        if turn.is_unconfirmed() && body.outcome != Outcome::NotExecuted {
            return Err(OrderError::AfterUnknown);
        }
        if !(turn.imported || decision_fits(call, body.outcome)) {
            return Err(OrderError::Outcome(body.outcome));
        }
        self.check_dispatch(turn, call, body)?;
        if !evidence_fits(turn, call, body) {
            return Err(OrderError::Evidence(body.outcome));
        }
        if !exit_fits(turn, body) {
            return Err(OrderError::Exit(body.outcome));
        }
        output_fits(body)
    }

    /// The start's execution; without a start, a new one where the outcome asks
    /// for one, and elsewhere none.
    fn check_dispatch(&self, turn: &Turn, call: &Call, body: &ToolResult) -> Result<(), OrderError> {
        let outcome = body.outcome;
        let may_follow_start =
            outcome.is_observed_end() || matches!(outcome, Outcome::Unknown | Outcome::NotExecuted);
        match (&call.start, body.dispatch) {
            (Some(_), _) if !may_follow_start => Err(OrderError::Outcome(outcome)),
            (Some(start), Some(dispatch)) if start.dispatch == dispatch => Ok(()),
            (Some(_), _) => Err(OrderError::Dispatch),
            (None, _) if outcome.is_observed_end() && !turn.imported => Err(OrderError::Outcome(outcome)),
            (None, None) if outcome == Outcome::Unknown => Err(OrderError::Dispatch),
            (None, None) => Ok(()),
            (None, Some(_)) if !(outcome.is_observed_end() || outcome == Outcome::Unknown) => {
                Err(OrderError::Dispatch)
            }
            (None, Some(dispatch)) if self.is_new_dispatch(dispatch) => Ok(()),
            (None, Some(_)) => Err(OrderError::DispatchUsed),
        }
    }
}

/// A refused call is `denied` and no other is; what was decided about had
/// arguments and a tool.
fn decision_fits(call: &Call, outcome: Outcome) -> bool {
    match outcome {
        Outcome::Denied => call.is_refused(),
        Outcome::InvalidArguments | Outcome::UnknownTool => call.approval.is_none(),
        Outcome::Completed
        | Outcome::Failed
        | Outcome::TimedOut
        | Outcome::Cancelled
        | Outcome::OutputLimit
        | Outcome::Unknown
        | Outcome::NotExecuted => !call.is_refused(),
    }
}

fn evidence_fits(turn: &Turn, call: &Call, body: &ToolResult) -> bool {
    if turn.imported {
        return body.evidence == Some(Evidence::Imported);
    }
    match body.outcome {
        Outcome::Completed
        | Outcome::Failed
        | Outcome::TimedOut
        | Outcome::Cancelled
        | Outcome::OutputLimit => {
            matches!(body.evidence, Some(Evidence::Live | Evidence::Receipt))
        }
        Outcome::Unknown => body.evidence == Some(Evidence::None),
        Outcome::NotExecuted if call.start.is_some() => {
            matches!(body.evidence, Some(Evidence::Live | Evidence::Receipt | Evidence::NotLaunched))
        }
        Outcome::NotExecuted | Outcome::Denied | Outcome::InvalidArguments | Outcome::UnknownTool => {
            body.evidence.is_none()
        }
    }
}

fn exit_fits(turn: &Turn, body: &ToolResult) -> bool {
    let exit = (body.exit_code, body.signal);
    if !body.outcome.is_observed_end() {
        return exit == (None, None);
    }
    match (body.outcome, exit) {
        (_, (Some(_), Some(_))) => false,
        _ if turn.imported => true,
        (Outcome::Completed, exit) => exit == (Some(0), None),
        (Outcome::Failed, exit) => !matches!(exit, (Some(0) | None, None)),
        (_, _) => true,
    }
}

fn output_fits(body: &ToolResult) -> Result<(), OrderError> {
    let fields = [body.output.is_some(), body.output_bytes.is_some(), body.output_sha256.is_some()];
    if fields != [body.dispatch.is_some(); 3] {
        return Err(OrderError::Output);
    }
    let marks = body.truncated || body.output_lost || body.pipe_held || body.survivors.is_some();
    if marks && body.dispatch.is_none() {
        return Err(OrderError::Output);
    }
    if let Some(survivors) = body.survivors.as_ref().filter(|named| named.len() > limits::SURVIVORS) {
        return Err(OrderError::Survivors { found: survivors.len() });
    }
    let too_long =
        body.output_bytes.is_some_and(|bytes| bytes > limits::OUTPUT_BYTES as u64) && !body.truncated;
    if too_long || body.output.as_ref().is_some_and(|text| text.len() > OUTPUT_TEXT_BYTES) {
        return Err(OrderError::OutputNotCut);
    }
    let started = body.started_at.is_none() || body.dispatch.is_some();
    let ended = body.ended_at.is_none() || body.outcome.is_observed_end();
    if started && ended { Ok(()) } else { Err(OrderError::Times) }
}
