//! Decisions about a call.

use super::{bounds, goes_on};
use crate::record::{Approval, By, Decision, Digest, Operation, limits};
use crate::session::order::OrderError;
use crate::session::state::Session;

impl Session {
    pub(super) fn check_approval(&self, body: &Approval) -> Result<(), OrderError> {
        let (turn, call) = self.at_call(body.turn, &body.call)?;
        if turn.imported {
            return Err(OrderError::NotImported("approval"));
        }
        goes_on(turn)?;
        if call.approval.is_some() {
            return Err(OrderError::AlreadyDecided);
        }
        operation_fits(&body.operation, body.fingerprint)?;
        if let Some(feedback) = &body.feedback {
            bounds::cap("feedback", feedback, limits::FEEDBACK_BYTES)?;
        }
        self.check_word(body)
    }

    /// On whose word, and what may go with it.
    fn check_word(&self, body: &Approval) -> Result<(), OrderError> {
        let form = match (body.by, body.decision) {
            (By::User, Decision::Approved) => body.feedback.is_none(),
            (By::User, Decision::Denied) => !body.standing,
            (By::Rule, Decision::Approved) => body.feedback.is_none() && !body.standing,
            (By::Rule, Decision::Denied) | (By::Imported, Decision::Approved | Decision::Denied) => {
                return Err(OrderError::By);
            }
        };
        if !form {
            return Err(OrderError::ApprovalForm);
        }
        match (body.by, body.rule) {
            (By::Rule, Some(seq)) if self.stands(seq, body.fingerprint) => Ok(()),
            (By::User, None) => Ok(()),
            (By::Rule | By::User | By::Imported, _) => Err(OrderError::Rule),
        }
    }

    fn stands(&self, seq: u64, fingerprint: Digest) -> bool {
        self.standing.iter().any(|standing| standing.seq == seq && standing.fingerprint == fingerprint)
    }
}

/// The fingerprint is the operation's, and bash is written in its one form.
fn operation_fits(operation: &Operation, fingerprint: Digest) -> Result<(), OrderError> {
    if operation.fingerprint() != fingerprint {
        return Err(OrderError::Fingerprint);
    }
    if operation.tool() == "bash" && operation.as_bash()?.command.contains('\0') {
        return Err(OrderError::Nul("command"));
    }
    Ok(())
}
