//! What the model, the call folder and the supervisor answered.

use super::{Effect, Machine, View, Waiting, Winding};
use crate::model::{Answer, ErrorClass, ModelError};
use crate::record::{Digest, DispatchId, FolderFacts, ModelResponse, Outcome, Record, TurnStatus};

impl Machine {
    pub(super) fn answered(
        &mut self,
        view: &mut View<'_>,
        answer: Answer,
        instructions: Digest,
    ) -> Vec<Effect> {
        let (Waiting::Model, Some(turn)) = (&self.waiting, view.session.open_turn()) else {
            return Vec::new();
        };
        let record = Record::from(ModelResponse {
            turn: turn.id,
            items: answer.items.into(),
            protocol: answer.protocol,
            server: Some(answer.server),
            model: Some(answer.model),
            response_id: answer.response_id,
            usage: answer.usage,
            duration_ms: Some(answer.duration_ms),
            instructions_sha256: Some(instructions),
            ext: None,
        });
        match view.session.check(&record) {
            Ok(()) => self.commit(record),
            Err(error) => self.wind(
                view,
                TurnStatus::Failed,
                Some(format!("The answer cannot be used: {error} Nothing was run.")),
            ),
        }
    }

    pub(super) fn model_failed(&mut self, view: &mut View<'_>, error: ModelError) -> Vec<Effect> {
        if !matches!(self.waiting, Waiting::Model) {
            return Vec::new();
        }
        match error.class {
            ErrorClass::Cancelled => self.wind(view, TurnStatus::Cancelled, None),
            ErrorClass::NoKey
            | ErrorClass::Transport
            | ErrorClass::Server
            | ErrorClass::Rate
            | ErrorClass::Quota
            | ErrorClass::Context
            | ErrorClass::Auth
            | ErrorClass::UnknownModel
            | ErrorClass::Request
            | ErrorClass::Invalid => self.wind(view, TurnStatus::Failed, Some(error.sentence)),
        }
    }

    pub(super) fn laid(&mut self, dispatch: DispatchId) -> Vec<Effect> {
        match std::mem::replace(&mut self.waiting, Waiting::Rest) {
            Waiting::Lay(start) if start.dispatch == dispatch => self.commit(*start),
            other => {
                self.waiting = other;
                Vec::new()
            }
        }
    }

    pub(super) fn lay_failed(&mut self, view: &mut View<'_>, sentence: String) -> Vec<Effect> {
        if !matches!(self.waiting, Waiting::Lay(_)) {
            return Vec::new();
        }
        self.wind(view, TurnStatus::Failed, Some(sentence))
    }

    pub(super) fn ended(&mut self, view: &mut View<'_>, facts: &FolderFacts) -> Vec<Effect> {
        let running = self.running() == Some(facts.dispatch);
        let call = view.session.find_dispatch(facts.dispatch).map(|(_, call)| call).filter(|_| running);
        let Some(start) = call.and_then(|call| call.start.as_ref()) else { return Vec::new() };
        let result = crate::session::live_result(view.session.id(), start, facts);
        if result.outcome == Outcome::Unknown {
            self.winding = Some(Winding { status: TurnStatus::UnconfirmedEffects, error: None });
        }
        self.commit(result)
    }
}
