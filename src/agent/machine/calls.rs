//! What becomes of a call that has no result yet.

use super::exchange::nothing_shown;
use super::used::Used;
use super::{Effect, Machine, Shown, View, Waiting};
use crate::agent::protocol::ApprovalRequest;
use crate::record::{
    Approval, By, Decision, DispatchId, Outcome, ToolResult, ToolStarted, TurnId, TurnStatus, limits,
};
use crate::session::{Call, Turn};
use crate::tools::Bash;

impl Machine {
    pub(super) fn next_of_call(
        &mut self,
        view: &mut View<'_>,
        turn: &Turn,
        call: &Call,
        winding: bool,
    ) -> Vec<Effect> {
        if let Some(start) = &call.start {
            self.waiting = Waiting::Command(start.dispatch);
            return vec![Effect::Start(start.dispatch)];
        }
        match &call.approval {
            Some(approval) if approval.decision == Decision::Denied => {
                self.commit(ToolResult::without_dispatch(turn.id, call.id.clone(), Outcome::Denied))
            }
            _ if winding => {
                self.commit(ToolResult::without_dispatch(turn.id, call.id.clone(), Outcome::NotExecuted))
            }
            Some(approval) => self.lay(view, turn.id, call, approval),
            None => self.consider(view, turn, call),
        }
    }

    pub(super) fn lay(
        &mut self,
        view: &mut View<'_>,
        turn: TurnId,
        call: &Call,
        approval: &Approval,
    ) -> Vec<Effect> {
        let start = ToolStarted {
            turn,
            call: call.id.clone(),
            dispatch: DispatchId::from_uuid((view.fresh)()),
            operation: approval.operation.clone(),
            fingerprint: approval.fingerprint,
            repeats: view.session.repeated_by(&approval.operation),
            ext: None,
        };
        self.waiting = Waiting::Lay(Box::new(start.clone()));
        vec![Effect::Lay(Box::new(start))]
    }

    /// A call that nobody has looked at yet.
    pub(super) fn consider(&mut self, view: &mut View<'_>, turn: &Turn, call: &Call) -> Vec<Effect> {
        let used = Used::of(turn);
        let fits = used.requests < used.allowed_requests(self.limits)
            && used.calls <= used.allowed_calls(self.limits);
        if !fits {
            return self.ask_extension(used);
        }
        let refused = |outcome| ToolResult::without_dispatch(turn.id, call.id.clone(), outcome);
        if call.name != Bash::NAME {
            return self.commit(refused(Outcome::UnknownTool));
        }
        let Ok(prepared) = self.bash.prepare(&call.arguments) else {
            return self.commit(refused(Outcome::InvalidArguments));
        };
        let shown = Shown { call: call.id.clone(), edited: prepared.lowered, prepared };
        if let Some(feedback) = self.deny_rest.clone() {
            return self.deny(view, shown, feedback);
        }
        if let Some(rule) =
            view.session.standing_rule(shown.prepared.operation.fingerprint(), self.rules_since)
        {
            return self.by_rule(turn.id, shown, rule);
        }
        // Approval, start and a result with both halves of an output.
        let needed = limits::RESERVE_BYTES + 4 * shown.prepared.operation.as_json().len() as u64 + (64 << 10);
        if view.space_left < needed {
            return self.wind(
                view,
                TurnStatus::Failed,
                Some(
                    "The journal is full: the command was not started. /fork goes on in a new session."
                        .into(),
                ),
            );
        }
        self.waiting = Waiting::Approval(Box::new(shown));
        let request = self.request(view);
        self.asked_before = true;
        vec![request]
    }

    pub(super) fn by_rule(&mut self, turn: TurnId, shown: Shown, rule: u64) -> Vec<Effect> {
        self.commit(Approval {
            turn,
            call: shown.call,
            decision: Decision::Approved,
            by: By::Rule,
            rule: Some(rule),
            standing: false,
            fingerprint: shown.prepared.operation.fingerprint(),
            operation: shown.prepared.operation,
            edited: shown.edited,
            feedback: None,
            ext: None,
        })
    }

    /// The dialog for what is shown.
    pub(super) fn request(&self, view: &View<'_>) -> Effect {
        let (Waiting::Approval(shown), Some(turn)) = (&self.waiting, view.session.open_turn()) else {
            return nothing_shown();
        };
        let calls: &[Call] = turn.responses().next_back().map_or(&[], |response| &response.calls);
        let position = calls.iter().position(|call| call.id == shown.call).unwrap_or(0);
        let operation = &shown.prepared.operation;
        let repeats = view.session.repeated_by(operation);
        let started = repeats.and_then(|dispatch| {
            view.session.unknown_effects().into_iter().find(|effect| effect.dispatch == dispatch)
        });
        Effect::AskApproval(Box::new(ApprovalRequest {
            call: shown.call.clone(),
            operation: operation.clone(),
            fingerprint: operation.fingerprint(),
            edited: shown.edited,
            position: (position + 1, calls.len()),
            others: calls.iter().skip(position + 1).map(|call| self.one_line(call)).collect(),
            repeats: started.and_then(|effect| effect.started_at),
            environment: self.bash.differs_from_default(),
            first: !self.asked_before,
            standing_offered: repeats.is_none(),
        }))
    }

    pub(super) fn one_line(&self, call: &Call) -> String {
        match self.bash.prepare(&call.arguments) {
            Ok(prepared) if call.name == Bash::NAME => prepared.bash.command,
            Ok(_) | Err(_) => format!("{} {}", call.name, call.arguments),
        }
    }
}
