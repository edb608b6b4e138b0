//! What a person wants: messages, decisions, stopping.

use super::exchange::{acceptable, nothing_shown, refuse, refuse_text};
use super::{Effect, Machine, Shown, View, Waiting, Winding};
use crate::agent::protocol::{Refusal, Verdict};
use crate::record::{
    Acknowledged, Approval, By, CallId, Decision, Digest, Record, Statement, TurnExtended, TurnId,
    TurnStatus, UserMessage,
};

impl Machine {
    pub(super) fn message(&mut self, view: &mut View<'_>, text: String) -> Vec<Effect> {
        if view.session.is_gated() {
            return vec![refuse_text(
                Refusal::Gated,
                "An earlier command may have run. Say what you know of it first.",
                text,
            )];
        }
        if !matches!(self.waiting, Waiting::Rest) || view.session.open_turn().is_some() {
            return vec![refuse_text(
                Refusal::Busy,
                "A turn is running. The message is sent when it ends.",
                text,
            )];
        }
        let message =
            UserMessage { turn: TurnId::from_uuid((view.fresh)()), text, imported: false, ext: None };
        let record = Record::from(message.clone());
        if let Err(error) = view.session.check(&record) {
            return vec![refuse_text(Refusal::Message, &error.to_string(), message.text)];
        }
        self.winding = None;
        self.deny_rest = None;
        self.commit(record)
    }

    pub(super) fn join(&mut self, view: &View<'_>, text: String) -> Vec<Effect> {
        if view.session.open_turn().is_none() || self.winding.is_some() {
            return vec![refuse_text(
                Refusal::NotNow,
                "No turn is running that the message could join.",
                text,
            )];
        }
        if let Err(sentence) = acceptable(&text) {
            return vec![refuse_text(Refusal::Message, &sentence, text)];
        }
        self.join = Some(match self.join.take() {
            Some(earlier) => format!("{earlier}\n\n{text}"),
            None => text,
        });
        Vec::new()
    }

    pub(super) fn stop_answer(&mut self, view: &mut View<'_>) -> Vec<Effect> {
        match std::mem::replace(&mut self.waiting, Waiting::Rest) {
            Waiting::Model => {
                let mut effects = vec![Effect::CancelModel];
                effects.extend(self.wind(view, TurnStatus::Cancelled, None));
                effects
            }
            Waiting::Approval(shown) => {
                self.winding = Some(Winding { status: TurnStatus::Cancelled, error: None });
                self.deny(view, *shown, None)
            }
            Waiting::Extension => self.wind(view, TurnStatus::Cancelled, None),
            other @ (Waiting::Rest | Waiting::Commit | Waiting::Lay(_) | Waiting::Command(_)) => {
                self.waiting = other;
                vec![refuse(Refusal::NotNow, "There is no answer to stop.")]
            }
        }
    }

    pub(super) fn stop_command(&mut self) -> Vec<Effect> {
        match self.waiting {
            Waiting::Command(dispatch) => {
                self.winding = Some(Winding { status: TurnStatus::Cancelled, error: None });
                vec![Effect::StopCommand(dispatch)]
            }
            Waiting::Rest
            | Waiting::Commit
            | Waiting::Model
            | Waiting::Approval(_)
            | Waiting::Extension
            | Waiting::Lay(_) => vec![refuse(Refusal::NotNow, "No command is running.")],
        }
    }

    pub(super) fn edit(
        &mut self,
        view: &View<'_>,
        call: &CallId,
        command: &str,
        timeout_ms: u64,
    ) -> Vec<Effect> {
        let Waiting::Approval(shown) = &mut self.waiting else { return vec![nothing_shown()] };
        if shown.call != *call {
            return vec![nothing_shown()];
        }
        match self.bash.edit(command, timeout_ms) {
            Ok(prepared) => {
                shown.edited = shown.edited || prepared.operation != shown.prepared.operation;
                shown.prepared = prepared;
                vec![self.request(view)]
            }
            Err(error) => vec![refuse(Refusal::Message, error.to_string()), self.request(view)],
        }
    }

    pub(super) fn decide(
        &mut self,
        view: &View<'_>,
        call: &CallId,
        fingerprint: Digest,
        verdict: Verdict,
    ) -> Vec<Effect> {
        let matches =
            |shown: &Shown| shown.call == *call && shown.prepared.operation.fingerprint() == fingerprint;
        let shown = match std::mem::replace(&mut self.waiting, Waiting::Rest) {
            Waiting::Approval(shown) if matches(&shown) => *shown,
            other => {
                self.waiting = other;
                return vec![nothing_shown()];
            }
        };
        match verdict {
            Verdict::Run => self.approve(view, shown, false),
            Verdict::RunAlways => {
                let offered = view.session.repeated_by(&shown.prepared.operation).is_none();
                self.approve(view, shown, offered)
            }
            Verdict::Deny { feedback } => self.deny(view, shown, feedback),
            Verdict::DenyRest { feedback } => {
                self.deny_rest = Some(feedback.clone());
                self.deny(view, shown, feedback)
            }
        }
    }

    pub(super) fn approve(&mut self, view: &View<'_>, shown: Shown, standing: bool) -> Vec<Effect> {
        let Some(turn) = view.session.open_turn() else { return vec![nothing_shown()] };
        self.commit(Approval {
            turn: turn.id,
            call: shown.call,
            decision: Decision::Approved,
            by: By::User,
            rule: None,
            standing,
            fingerprint: shown.prepared.operation.fingerprint(),
            operation: shown.prepared.operation,
            edited: shown.edited,
            feedback: None,
            ext: None,
        })
    }

    pub(super) fn deny(&mut self, view: &View<'_>, shown: Shown, feedback: Option<String>) -> Vec<Effect> {
        let Some(turn) = view.session.open_turn() else { return vec![nothing_shown()] };
        self.commit(Approval {
            turn: turn.id,
            call: shown.call,
            decision: Decision::Denied,
            by: By::User,
            rule: None,
            standing: false,
            fingerprint: shown.prepared.operation.fingerprint(),
            operation: shown.prepared.operation,
            edited: shown.edited,
            feedback: feedback.filter(|words| !words.trim().is_empty()),
            ext: None,
        })
    }

    pub(super) fn extend(&mut self, view: &mut View<'_>, allowed: bool) -> Vec<Effect> {
        let (Waiting::Extension, Some(turn)) = (&self.waiting, view.session.open_turn()) else {
            return vec![refuse(Refusal::NotNow, "No turn waits for leave to go on.")];
        };
        if !allowed {
            let sentence = format!(
                "The turn reached its limit ({} model requests, {} calls).",
                self.limits.model_requests, self.limits.tool_calls
            );
            return self.wind(view, TurnStatus::Failed, Some(sentence));
        }
        self.commit(TurnExtended {
            turn: turn.id,
            model_requests: self.limits.model_requests,
            tool_calls: self.limits.tool_calls,
            by: By::User,
            ext: None,
        })
    }

    pub(super) fn acknowledge(&mut self, view: &View<'_>, statements: Vec<Statement>) -> Vec<Effect> {
        if !matches!(self.waiting, Waiting::Rest) || !view.session.is_gated() {
            return vec![refuse(Refusal::NotNow, "No unknown outcome waits for a statement.")];
        }
        let gating = view.session.gating();
        let unanswered =
            gating.iter().filter(|effect| !statements.iter().any(|s| s.dispatch == effect.dispatch)).count();
        if unanswered > 0 {
            return vec![refuse(
                Refusal::NotNow,
                format!("{unanswered} of {} commands have no statement yet.", gating.len()),
            )];
        }
        let order =
            |statement: &Statement| gating.iter().position(|effect| effect.dispatch == statement.dispatch);
        let mut statements = statements;
        statements.sort_by_key(order);
        let record = Record::from(Acknowledged { statements, by: By::User, ext: None });
        match view.session.check(&record) {
            Ok(()) => self.commit(record),
            Err(error) => vec![refuse(Refusal::NotNow, error.to_string())],
        }
    }
}
