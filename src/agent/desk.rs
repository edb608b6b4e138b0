//! One open session with everything that belongs to it: its journal, the
//! machine, the command that runs. Carries out what the machine says; decides
//! nothing.

mod running;

use super::evidence;
use super::machine::{Effect, Input, Machine, View};
use super::protocol::{Event, Finding, Phase, Refusal};
use crate::journal::CommitError;
use crate::record::{DispatchId, FolderFacts, Order, Record, ToolStarted};
use crate::session::{self, Found};
use crate::store::{self, OpenSession};
use crate::tools::{self, Bash, Laid, Launcher};
use running::Running;
use std::collections::VecDeque;
use std::path::PathBuf;
use tokio::sync::mpsc::UnboundedSender;

/// What the desk cannot do itself, because it is not the session's.
#[derive(Debug)]
pub(super) enum Wanted {
    /// Send a model request for the session as it is.
    Model,
    /// Drop the running one.
    CancelModel,
}

/// An open session.
pub(super) struct Desk {
    pub(super) open: OpenSession,
    machine: Machine,
    bash: Bash,
    launcher: Launcher,
    events: UnboundedSender<Event>,
    laid: Option<Laid>,
    running: Option<Running>,
    poisoned: bool,
    head_trouble_said: bool,
    /// Whether the front end knows the session: what is committed before is part
    /// of what it is shown first.
    telling: bool,
}

/// What a desk is made of.
pub(super) struct Parts {
    pub(super) open: OpenSession,
    pub(super) machine: Machine,
    pub(super) bash: Bash,
    pub(super) launcher: Launcher,
    pub(super) events: UnboundedSender<Event>,
}

impl Desk {
    pub(super) fn new(parts: Parts) -> Self {
        let Parts { open, machine, bash, launcher, events } = parts;
        Self {
            open,
            machine,
            bash,
            launcher,
            events,
            laid: None,
            running: None,
            poisoned: false,
            head_trouble_said: false,
            telling: false,
        }
    }

    fn emit(&self, event: Event) {
        // A front end that is gone is noticed by its closed command channel.
        let _ = self.events.send(event);
    }

    /// From now on the front end is told of every record.
    pub(super) fn tell(&mut self) {
        self.telling = true;
    }

    /// The tool as the model is told of it.
    pub(super) fn definition(&self) -> tools::Definition {
        self.bash.definition()
    }

    /// Names and values of the variables that commands get.
    pub(super) fn environment(&self) -> Vec<(String, String)> {
        self.bash.environment()
    }

    fn calls_dir(&self) -> PathBuf {
        store::calls(self.open.dir())
    }

    fn call_dir(&self, dispatch: DispatchId) -> PathBuf {
        store::call_folder(self.open.dir(), dispatch)
    }

    /// Closes what an earlier process left open, as far as it can be closed now.
    pub(super) fn recover(&mut self, given_up: Option<DispatchId>) -> Vec<Finding> {
        let folders = match tools::read_all(&self.calls_dir()) {
            Ok(folders) => Some(folders),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => None,
            Err(error) => {
                // Not the same as no evidence: concluding from it could deny an effect.
                self.poison(&format!(
                    "the evidence in {} cannot be read ({error})",
                    self.calls_dir().display()
                ));
                return Vec::new();
            }
        };
        let calls_directory = folders.is_some();
        let mut folders = folders.unwrap_or_default();
        folders.extend(self.folderless(&folders));
        let found = Found { folders: &folders, calls_directory, given_up };
        let recovery = session::recover(self.open.session(), found, store::ids::dispatch);
        for record in recovery.steps {
            if self.commit(record).is_err() {
                return Vec::new();
            }
        }
        if let Some(running) = recovery.running {
            self.follow_found(&running);
        }
        recovery.findings.iter().map(|finding| Finding { sentence: finding.sentence() }).collect()
    }

    /// What the agent does now, when nothing is in flight.
    pub(super) fn phase_at_rest(&self) -> Phase {
        if self.poisoned {
            return Phase::NotSaving;
        }
        match &self.running {
            Some(running) => Phase::Running(self.describe(running)),
            None if self.open.session().is_gated() => Phase::Gated,
            None => Phase::Ready,
        }
    }

    /// Shows what a person has to look at now, and what the agent does.
    pub(super) fn present(&self) {
        let phase = self.phase_at_rest();
        let gated = phase == Phase::Gated;
        self.emit(Event::Phase(phase));
        if gated {
            self.emit(Event::Gate(evidence::reports(&self.open)));
        }
    }

    /// Takes what happened and carries out what follows from it.
    pub(super) fn happened(&mut self, input: Input) -> Vec<Wanted> {
        if self.poisoned {
            let text = match input {
                Input::Message(text) | Input::Join(text) => Some(text),
                _ => None,
            };
            let sentence = "Nothing more can be saved; nothing more runs in this window.".into();
            self.emit(Event::Refused { why: Refusal::Poisoned, sentence, text });
            return Vec::new();
        }
        if self.running.as_ref().is_some_and(|running| running.found) && !matches!(input, Input::RevokeRules)
        {
            return self.while_found_runs(input);
        }
        let effects = self.with_view(|machine, view| machine.step(view, input));
        self.carry_out(effects)
    }

    /// Nothing else starts in a session while a command found there runs.
    fn while_found_runs(&mut self, input: Input) -> Vec<Wanted> {
        match input {
            Input::StopCommand => self.stop_found(),
            Input::Message(text) | Input::Join(text) => {
                let sentence =
                    "A command of this session still runs. The message can be sent when it has ended.".into();
                self.emit(Event::Refused { why: Refusal::Busy, sentence, text: Some(text) });
            }
            _ => {
                let sentence = "A command of this session still runs.".into();
                self.emit(Event::Refused { why: Refusal::Busy, sentence, text: None });
            }
        }
        Vec::new()
    }

    fn say(&mut self, findings: Vec<Finding>) {
        for finding in findings {
            self.emit(Event::Notice(finding.sentence));
        }
        self.present();
    }

    fn with_view(&mut self, act: impl FnOnce(&mut Machine, &mut View<'_>) -> Vec<Effect>) -> Vec<Effect> {
        let mut fresh = uuid::Uuid::now_v7;
        let mut view =
            View { session: self.open.session(), space_left: self.open.space_left(), fresh: &mut fresh };
        act(&mut self.machine, &mut view)
    }

    fn carry_out(&mut self, effects: Vec<Effect>) -> Vec<Wanted> {
        let mut wanted = Vec::new();
        let mut queue = VecDeque::from(effects);
        while let Some(effect) = queue.pop_front() {
            queue.extend(self.one(effect, &mut wanted));
            if self.poisoned {
                break;
            }
        }
        wanted
    }

    fn one(&mut self, effect: Effect, wanted: &mut Vec<Wanted>) -> Vec<Effect> {
        match effect {
            Effect::Commit(record) => return self.commit_for_machine(record),
            Effect::AskModel => {
                self.emit(Event::Phase(Phase::WaitingForModel));
                wanted.push(Wanted::Model);
            }
            Effect::CancelModel => wanted.push(Wanted::CancelModel),
            Effect::AskApproval(request) => {
                self.emit(Event::Phase(Phase::WaitingForYou));
                self.emit(Event::Approval(request));
            }
            Effect::AskExtension { model_requests, tool_calls } => {
                self.emit(Event::Phase(Phase::WaitingForYou));
                self.emit(Event::ExtensionWanted { model_requests, tool_calls });
            }
            Effect::Lay(start) => return self.lay(&start),
            Effect::Start(dispatch) => return self.start(dispatch),
            Effect::StopCommand(dispatch) => self.ask_supervisor(dispatch),
            Effect::Refuse { why, sentence, text } => self.emit(Event::Refused { why, sentence, text }),
            Effect::PutBack(text) => self.emit(Event::PutBack(text)),
            Effect::Rest => self.present(),
        }
        Vec::new()
    }

    fn commit_for_machine(&mut self, record: Record) -> Vec<Effect> {
        match self.commit(record) {
            Ok(()) => self.with_view(Machine::committed),
            Err(CommitError::Poisoned(_)) => Vec::new(),
            Err(error) => {
                self.laid = None;
                let sentence = format!("{}.", sentence_case(&error.to_string()));
                self.with_view(|machine, view| machine.refused(view, sentence))
            }
        }
    }

    /// The one way in.
    pub(super) fn commit(&mut self, record: Record) -> Result<(), CommitError> {
        let result = self.open.commit(record, store::clock::now());
        match &result {
            Ok(committed) => {
                match &committed.record {
                    Record::ToolStarted(_) => tools::failpoint("start_recorded"),
                    Record::ToolResult(_) => tools::failpoint("result_recorded"),
                    _ => {}
                }
                if self.telling {
                    self.emit(Event::Committed(committed.clone()));
                }
                self.mention_head_trouble();
            }
            Err(CommitError::Poisoned(poison)) => self.poison(&poison.to_string()),
            Err(_) => {}
        }
        result.map(drop)
    }

    fn mention_head_trouble(&mut self) {
        if let Some(trouble) = self.open.take_head_trouble().filter(|_| !self.head_trouble_said) {
            let sentence = format!(
                "The session's head could not be written ({trouble}). It is tried again when the next turn ends."
            );
            self.head_trouble_said = true;
            self.emit(Event::Notice(sentence));
        }
    }

    fn poison(&mut self, reason: &str) {
        self.poisoned = true;
        self.laid = None;
        let sentence = format!(
            "Nothing more can be saved: {reason}. Nothing more will run in this window; what is on screen up to here is saved."
        );
        self.emit(Event::Poisoned(sentence));
        self.emit(Event::Phase(Phase::NotSaving));
    }

    fn lay(&mut self, start: &ToolStarted) -> Vec<Effect> {
        let order = Order {
            v: 1,
            session: self.open.session().id(),
            turn: start.turn,
            call: start.call.clone(),
            dispatch: start.dispatch,
            fingerprint: start.fingerprint,
            operation: start.operation.clone(),
        };
        let input = match tools::lay(&self.calls_dir(), &order) {
            Ok(laid) => {
                self.laid = Some(laid);
                Input::Laid(start.dispatch)
            }
            Err(error) => Input::LayFailed(format!(
                "The command was not started: its evidence could not be laid down ({error})."
            )),
        };
        self.with_view(|machine, view| machine.step(view, input))
    }

    fn start(&mut self, dispatch: DispatchId) -> Vec<Effect> {
        // A failed start leaves a free lock and no launch: following ends at once
        // and the folder tells that it was never launched.
        if let Some(laid) = self.laid.take()
            && let Err(error) = self.launch(laid, dispatch)
        {
            self.emit(Event::Notice(format!("The command could not be started: {error}.")));
        }
        self.running = self.running(dispatch, false, true);
        if let Some(running) = &self.running {
            self.emit(Event::Phase(Phase::Running(self.describe(running))));
            return Vec::new();
        }
        let facts =
            tools::read(&self.call_dir(dispatch)).unwrap_or_else(|| FolderFacts::of_nothing(dispatch));
        self.with_view(|machine, view| machine.step(view, Input::Ended(Box::new(facts))))
    }

    fn launch(&self, laid: Laid, dispatch: DispatchId) -> Result<(), tools::StartError> {
        let session = self.open.session();
        let start = session.find_dispatch(dispatch).and_then(|(_, call)| call.start.as_ref());
        let key = session.operation_key(start.and_then(|start| start.repeats), dispatch);
        let names = start.map_or(&[][..], |start| start.operation.env());
        let environment = self.bash.environment_of(names, session.id(), dispatch, key);
        self.launcher.start(laid, environment).map(drop)
    }

    async fn ended(&mut self, mut facts: FolderFacts) -> Vec<Wanted> {
        let Some(running) = self.running.take() else { return Vec::new() };
        if running.found {
            let findings = self.recover(None);
            self.say(findings);
            return Vec::new();
        }
        if facts.receipt.is_none() && !facts.alive.is_empty() {
            // The supervisor died under us: nothing of the command may run on unseen.
            let dir = self.call_dir(running.dispatch);
            let left = tools::stop_strays(&dir).await;
            // A command that removed its folder left what was read of it before.
            facts = tools::read(&dir).unwrap_or(FolderFacts { alive: left, ..facts });
        }
        self.happened(Input::Ended(Box::new(facts)))
    }

    /// Whether the session may be left for another one.
    pub(super) fn may_be_left(&self) -> bool {
        self.poisoned
            || self.open.session().open_turn().is_none()
            || self.running.as_ref().is_some_and(|it| it.found)
    }
}

fn sentence_case(text: &str) -> String {
    let mut characters = text.chars();
    characters.next().map(|first| first.to_uppercase().chain(characters).collect()).unwrap_or_default()
}
