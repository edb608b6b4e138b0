//! What to do next, as a pure function of what happened.
//!
//! The folded session already tells which step of a turn comes next; the
//! machine adds what is not on disk: what is being waited for, whether a person
//! wants to stop, and what a dialog currently shows. A commit is a gate: after
//! [`Effect::Commit`] nothing is accepted until [`Machine::committed`].

mod calls;
mod exchange;
mod person;
mod used;
mod world;

pub(super) use exchange::{Effect, Input, View, acceptable};

use crate::agent::protocol::Refusal;
use crate::config::LimitSettings;
use crate::record::{CallId, DispatchId, Record, ToolStarted, TurnEnded, TurnStatus, UserMessage, limits};
use crate::session::{Entry, Session, Turn};
use crate::tools::{Bash, Prepared};
use exchange::{cut, refuse, refuse_text};
use used::Used;

/// What is being waited for.
#[derive(Debug)]
enum Waiting {
    /// For a message.
    Rest,
    /// For a record to be durable.
    Commit,
    /// For the model.
    Model,
    /// For a decision about what is shown.
    Approval(Box<Shown>),
    /// For a word whether to go on.
    Extension,
    /// For the call folder of this start.
    Lay(Box<ToolStarted>),
    /// For the end of a command.
    Command(DispatchId),
}

/// The operation that a dialog shows.
#[derive(Debug)]
struct Shown {
    call: CallId,
    prepared: Prepared,
    edited: bool,
}

/// How a turn is to be brought to its end.
#[derive(Debug, Clone)]
struct Winding {
    status: TurnStatus,
    error: Option<String>,
}

/// The state beside the session.
#[derive(Debug)]
pub(super) struct Machine {
    limits: LimitSettings,
    bash: Bash,
    waiting: Waiting,
    /// Set when the open turn is only to be closed.
    winding: Option<Winding>,
    /// Words with which the rest of a batch is denied.
    deny_rest: Option<Option<String>>,
    /// A message that joins before the next model request.
    join: Option<String>,
    /// Standing approvals from this record on count; earlier windows' do not.
    rules_since: u64,
    asked_before: bool,
}

impl Machine {
    /// A machine for a session that was opened now: recovered, no turn open.
    #[must_use]
    pub(super) fn new(session: &Session, limits: LimitSettings, bash: Bash) -> Self {
        Self {
            limits,
            bash,
            waiting: Waiting::Rest,
            winding: None,
            deny_rest: None,
            join: None,
            rules_since: session.next_seq(),
            asked_before: false,
        }
    }

    /// Takes what happened and says what to do next.
    pub(super) fn step(&mut self, view: &mut View<'_>, input: Input) -> Vec<Effect> {
        match input {
            Input::Message(text) => self.message(view, text),
            Input::Join(text) => self.join(view, text),
            Input::StopAnswer => self.stop_answer(view),
            Input::StopCommand => self.stop_command(),
            Input::Edit { call, command, timeout_ms } => self.edit(view, &call, &command, timeout_ms),
            Input::Decide { call, fingerprint, verdict } => self.decide(view, &call, fingerprint, verdict),
            Input::Extend(allowed) => self.extend(view, allowed),
            Input::Acknowledge(statements) => self.acknowledge(view, statements),
            Input::RevokeRules => {
                self.rules_since = view.session.next_seq();
                Vec::new()
            }
            Input::Answered { answer, instructions } => self.answered(view, *answer, instructions),
            Input::ModelFailed(error) => self.model_failed(view, error),
            Input::Laid(dispatch) => self.laid(dispatch),
            Input::LayFailed(sentence) => self.lay_failed(view, sentence),
            Input::Ended(facts) => self.ended(view, &facts),
        }
    }

    /// The record asked for is durable and folded into the session.
    pub(super) fn committed(&mut self, view: &mut View<'_>) -> Vec<Effect> {
        match self.waiting {
            Waiting::Commit => self.next(view),
            // A rename, say: nothing of the turn was waited for.
            Waiting::Rest
            | Waiting::Model
            | Waiting::Approval(_)
            | Waiting::Extension
            | Waiting::Lay(_)
            | Waiting::Command(_) => Vec::new(),
        }
    }

    /// The record asked for was refused before anything was written, because
    /// it does not fit into the journal; the turn is closed with what is left.
    pub(super) fn refused(&mut self, view: &mut View<'_>, sentence: String) -> Vec<Effect> {
        self.waiting = Waiting::Rest;
        match view.session.open_turn() {
            Some(_) => self.wind(view, TurnStatus::Failed, Some(sentence)),
            None => vec![refuse(Refusal::Full, sentence)],
        }
    }

    /// Whether a command runs, or its start is durable.
    #[must_use]
    pub(super) fn running(&self) -> Option<DispatchId> {
        match self.waiting {
            Waiting::Command(dispatch) => Some(dispatch),
            Waiting::Rest
            | Waiting::Commit
            | Waiting::Model
            | Waiting::Approval(_)
            | Waiting::Extension
            | Waiting::Lay(_) => None,
        }
    }

    fn commit(&mut self, record: impl Into<Record>) -> Vec<Effect> {
        self.waiting = Waiting::Commit;
        vec![Effect::Commit(record.into())]
    }

    /// Closes the open turn: calls without a result are not executed.
    fn wind(&mut self, view: &mut View<'_>, status: TurnStatus, error: Option<String>) -> Vec<Effect> {
        let error = error.map(|sentence| cut(sentence, limits::ERROR_BYTES));
        self.winding = Some(Winding { status, error });
        self.next(view)
    }

    /// What the durable state asks for.
    fn next(&mut self, view: &mut View<'_>) -> Vec<Effect> {
        self.waiting = Waiting::Rest;
        let Some(turn) = view.session.open_turn() else { return self.rest(view.session) };
        if turn.is_answered() {
            return self.commit(TurnEnded {
                turn: turn.id,
                status: TurnStatus::Completed,
                error: None,
                ext: None,
            });
        }
        match (turn.open_call(), self.winding.clone()) {
            (Some(call), winding) => self.next_of_call(view, turn, call, winding.is_some()),
            (None, Some(winding)) => self.commit(TurnEnded {
                turn: turn.id,
                status: winding.status,
                error: winding.error,
                ext: None,
            }),
            (None, None) => self.next_request(view.session, turn),
        }
    }

    fn rest(&mut self, session: &Session) -> Vec<Effect> {
        let mut effects = Vec::new();
        self.winding = None;
        self.deny_rest = None;
        if let Some(text) = self.join.take() {
            effects.push(Effect::PutBack(text));
        }
        // A message whose commands have already run would run them again.
        let given_back = session.turns().last().filter(|turn| {
            let status = turn.end.as_ref().map(|end| end.status);
            matches!(status, Some(TurnStatus::Failed | TurnStatus::Cancelled))
                && turn.calls().all(|call| call.start.is_none())
        });
        if let Some(message) = given_back.and_then(|turn| turn.messages().next()) {
            effects.push(Effect::PutBack(message.text.clone()));
        }
        effects.push(Effect::Rest);
        effects
    }

    fn next_request(&mut self, session: &Session, turn: &Turn) -> Vec<Effect> {
        let after_results = matches!(turn.entries.last(), Some(Entry::Response(_)));
        if let Some(text) = self.join.take_if(|_| after_results) {
            let record =
                Record::from(UserMessage { turn: turn.id, text: text.clone(), imported: false, ext: None });
            return match session.check(&record) {
                Ok(()) => self.commit(record),
                Err(error) => {
                    let mut effects = vec![refuse_text(Refusal::Message, &error.to_string(), text)];
                    effects.extend(self.ask_model(turn));
                    effects
                }
            };
        }
        self.ask_model(turn)
    }

    fn ask_model(&mut self, turn: &Turn) -> Vec<Effect> {
        let used = Used::of(turn);
        if used.requests >= used.allowed_requests(self.limits) {
            return self.ask_extension(used);
        }
        self.waiting = Waiting::Model;
        vec![Effect::AskModel]
    }

    fn ask_extension(&mut self, used: Used) -> Vec<Effect> {
        self.waiting = Waiting::Extension;
        vec![Effect::AskExtension { model_requests: used.requests, tool_calls: used.calls_before }]
    }
}

#[cfg(test)]
mod tests;
