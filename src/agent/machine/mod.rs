//! What to do next, as a pure function of what happened.
//!
//! The folded session already tells which step of a turn comes next; the
//! machine adds what is not on disk: what is being waited for, whether a person
//! wants to stop, and what a dialog currently shows. A commit is a gate: after
//! [`Effect::Commit`] nothing is accepted until [`Machine::committed`].

use super::protocol::{ApprovalRequest, Refusal, Verdict};
use crate::config::LimitSettings;
use crate::model::{Answer, ErrorClass, ModelError};
use crate::record::{
    Acknowledged, Approval, By, CallId, Decision, Digest, DispatchId, FolderFacts, ModelResponse, Outcome,
    Record, Statement, ToolResult, ToolStarted, TurnEnded, TurnExtended, TurnId, TurnStatus, UserMessage,
    limits,
};
use crate::session::{Call, Entry, Session, Turn};
use crate::tools::{Bash, Prepared};

/// What happened.
#[derive(Debug)]
pub(super) enum Input {
    /// A person wants to open a turn.
    Message(String),
    /// A person wants to say something to the running turn.
    Join(String),
    /// A person wants the answer to stop.
    StopAnswer,
    /// A person wants the running command to stop.
    StopCommand,
    /// A person changed the operation that is shown.
    Edit {
        /// The call.
        call: CallId,
        /// The new command.
        command: String,
        /// The new limit, in milliseconds.
        timeout_ms: u64,
    },
    /// A person decided about the operation that is shown.
    Decide {
        /// The call.
        call: CallId,
        /// Fingerprint of what was shown.
        fingerprint: Digest,
        /// The answer.
        verdict: Verdict,
    },
    /// A person said whether the turn may go on.
    Extend(bool),
    /// A person made statements about the unknown effects.
    Acknowledge(Vec<Statement>),
    /// A person ended all standing rules.
    RevokeRules,
    /// The model answered.
    Answered {
        /// The validated answer.
        answer: Box<Answer>,
        /// Hash of the instructions that the request carried.
        instructions: Digest,
    },
    /// The model did not answer.
    ModelFailed(ModelError),
    /// The call folder is laid and locked.
    Laid(DispatchId),
    /// The call folder could not be laid: nothing was started.
    LayFailed(String),
    /// The supervisor ended; what its folder holds.
    Ended(Box<FolderFacts>),
}

/// What to do next.
#[derive(Debug)]
pub(super) enum Effect {
    /// Write this record; then call [`Machine::committed`].
    Commit(Record),
    /// Send a model request built from the session.
    AskModel,
    /// Drop the running model request.
    CancelModel,
    /// Ask a person about this call.
    AskApproval(Box<ApprovalRequest>),
    /// Ask a person whether the turn may go on.
    AskExtension {
        /// Model requests so far.
        model_requests: u64,
        /// Calls so far.
        tool_calls: u64,
    },
    /// Lay the call folder for this start record, which is not written yet.
    Lay(Box<ToolStarted>),
    /// Start the command whose start record is durable.
    Start(DispatchId),
    /// Ask the supervisor to stop the command.
    StopCommand(DispatchId),
    /// Do not obey.
    Refuse {
        /// Why.
        why: Refusal,
        /// One sentence.
        sentence: String,
        /// The message that was not taken.
        text: Option<String>,
    },
    /// Give this message back to the person.
    PutBack(String),
    /// The turn is over, or there is none: wait for a message.
    Rest,
}

/// What the machine may look at besides its input.
pub(super) struct View<'a> {
    /// All that is durable.
    pub(super) session: &'a Session,
    /// Bytes that the journal has left.
    pub(super) space_left: u64,
    /// Makes fresh version 7 ids.
    pub(super) fresh: &'a mut dyn FnMut() -> uuid::Uuid,
}

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

    fn message(&mut self, view: &mut View<'_>, text: String) -> Vec<Effect> {
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

    fn join(&mut self, view: &View<'_>, text: String) -> Vec<Effect> {
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

    fn stop_answer(&mut self, view: &mut View<'_>) -> Vec<Effect> {
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

    fn stop_command(&mut self) -> Vec<Effect> {
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

    fn edit(&mut self, view: &View<'_>, call: &CallId, command: &str, timeout_ms: u64) -> Vec<Effect> {
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

    fn decide(
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

    fn approve(&mut self, view: &View<'_>, shown: Shown, standing: bool) -> Vec<Effect> {
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

    fn deny(&mut self, view: &View<'_>, shown: Shown, feedback: Option<String>) -> Vec<Effect> {
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

    fn extend(&mut self, view: &mut View<'_>, allowed: bool) -> Vec<Effect> {
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

    fn acknowledge(&mut self, view: &View<'_>, statements: Vec<Statement>) -> Vec<Effect> {
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

    fn answered(&mut self, view: &mut View<'_>, answer: Answer, instructions: Digest) -> Vec<Effect> {
        let (Waiting::Model, Some(turn)) = (&self.waiting, view.session.open_turn()) else {
            return Vec::new();
        };
        let record = Record::from(ModelResponse {
            turn: turn.id,
            items: answer.items.into_iter().map(|item| item.raw).collect(),
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

    fn model_failed(&mut self, view: &mut View<'_>, error: ModelError) -> Vec<Effect> {
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

    fn laid(&mut self, dispatch: DispatchId) -> Vec<Effect> {
        match std::mem::replace(&mut self.waiting, Waiting::Rest) {
            Waiting::Lay(start) if start.dispatch == dispatch => self.commit(*start),
            other => {
                self.waiting = other;
                Vec::new()
            }
        }
    }

    fn lay_failed(&mut self, view: &mut View<'_>, sentence: String) -> Vec<Effect> {
        if !matches!(self.waiting, Waiting::Lay(_)) {
            return Vec::new();
        }
        self.wind(view, TurnStatus::Failed, Some(sentence))
    }

    fn ended(&mut self, view: &mut View<'_>, facts: &FolderFacts) -> Vec<Effect> {
        let running = self.running() == Some(facts.dispatch);
        let call = view.session.find_dispatch(facts.dispatch).map(|(_, call)| call).filter(|_| running);
        let Some(start) = call.and_then(|call| call.start.as_ref()) else { return Vec::new() };
        let result = crate::session::live_result(view.session.id(), start, facts);
        if result.outcome == Outcome::Unknown {
            self.winding = Some(Winding { status: TurnStatus::UnconfirmedEffects, error: None });
        }
        self.commit(result)
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

    fn next_of_call(&mut self, view: &mut View<'_>, turn: &Turn, call: &Call, winding: bool) -> Vec<Effect> {
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

    fn lay(&mut self, view: &mut View<'_>, turn: TurnId, call: &Call, approval: &Approval) -> Vec<Effect> {
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
    fn consider(&mut self, view: &mut View<'_>, turn: &Turn, call: &Call) -> Vec<Effect> {
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

    fn by_rule(&mut self, turn: TurnId, shown: Shown, rule: u64) -> Vec<Effect> {
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
    fn request(&self, view: &View<'_>) -> Effect {
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

    fn one_line(&self, call: &Call) -> String {
        match self.bash.prepare(&call.arguments) {
            Ok(prepared) if call.name == Bash::NAME => prepared.bash.command,
            Ok(_) | Err(_) => format!("{} {}", call.name, call.arguments),
        }
    }
}

/// What a turn has used of its limits.
#[derive(Debug, Clone, Copy)]
struct Used {
    requests: u64,
    calls: u64,
    /// Calls before those of the last response.
    calls_before: u64,
    extra_requests: u64,
    extra_calls: u64,
}

impl Used {
    fn of(turn: &Turn) -> Self {
        let calls = turn.calls().count() as u64;
        let last = turn
            .responses()
            .next_back()
            .map_or(0, |response| response.calls.iter().filter(|call| call.result.is_none()).count())
            as u64;
        let sum = |of: fn(&TurnExtended) -> u64| {
            turn.extensions.iter().map(|extension| of(extension)).fold(0, u64::saturating_add)
        };
        Self {
            requests: turn.responses().count() as u64,
            calls,
            calls_before: calls - last,
            extra_requests: sum(|extension| extension.model_requests),
            extra_calls: sum(|extension| extension.tool_calls),
        }
    }

    fn allowed_requests(self, limits: LimitSettings) -> u64 {
        limits.model_requests.saturating_add(self.extra_requests)
    }

    fn allowed_calls(self, limits: LimitSettings) -> u64 {
        limits.tool_calls.saturating_add(self.extra_calls)
    }
}

/// Whether a text can be a message at all.
pub(super) fn acceptable(text: &str) -> Result<(), String> {
    if text.trim().is_empty() {
        return Err("The message is empty.".into());
    }
    if text.contains('\0') {
        return Err("The message contains a NUL character.".into());
    }
    if text.len() > limits::MESSAGE_BYTES {
        return Err(format!(
            "The message has {} KiB, at most 256 KiB fit. Save it to a file and name the file.",
            text.len().div_ceil(1024)
        ));
    }
    Ok(())
}

fn refuse(why: Refusal, sentence: impl Into<String>) -> Effect {
    Effect::Refuse { why, sentence: sentence.into(), text: None }
}

fn refuse_text(why: Refusal, sentence: &str, text: String) -> Effect {
    Effect::Refuse { why, sentence: sentence.into(), text: Some(text) }
}

fn nothing_shown() -> Effect {
    refuse(Refusal::NotNow, "That command no longer waits for a decision.")
}

/// At most `most` bytes of whole characters.
fn cut(mut text: String, most: usize) -> String {
    if text.len() > most {
        let end = (0..=most).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
        text.truncate(end);
    }
    text
}

#[cfg(test)]
mod tests;
