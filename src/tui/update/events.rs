//! What the agent tells.

use crate::agent::{
    ApprovalRequest, Command, Event, OpenedSession, Phase, ReadOnly, Refusal, RunningCommand, UnknownReport,
    Watched,
};
use crate::record::{Committed, Decision, Outcome, Record, TurnStatus};
use crate::text::{OutputTail, human_bytes};
use crate::tui::approval::Approval;
use crate::tui::dialog::Extension;
use crate::tui::effects::Effect;
use crate::tui::recovery::Recovery;
use crate::tui::running::StillRunning;
use crate::tui::state::{Conversation, Layer, State};
use crate::tui::transcript::OUTPUT_LINES;
use crate::tui::{sentences, words};

impl State {
    pub(super) fn event(&mut self, event: Event) -> Vec<Effect> {
        match event {
            Event::Sessions(rows) => {
                self.sessions.set(rows);
                return self.relist();
            }
            Event::Trash(_) | Event::Previewed(_) | Event::Found { .. } | Event::Searched { .. } => {
                return self.sessions_event(event);
            }
            Event::Moved(moved) => self.moved(moved),
            Event::Watched(watched) => self.watched(watched),
            Event::Opened(opened) => return self.opened(*opened),
            Event::History { cwd, without, messages } => self.history(cwd, without, messages),
            Event::Environment(variables) => self.show_environment(variables),
            Event::Committed(committed) => {
                let ended = match &committed.record {
                    Record::ToolResult(result) => result.dispatch,
                    _ => None,
                };
                self.committed(committed);
                self.refresh();
                return ended.map(|dispatch| self.ended(dispatch)).unwrap_or_default();
            }
            Event::Phase(phase) => return self.phase(phase),
            Event::Delta(delta) => self.conversation.live.push(&delta),
            Event::Discarded => self.discarded(),
            Event::Approval(request) => self.asked(*request),
            Event::ExtensionWanted { model_requests, tool_calls } => {
                self.layers.push(Layer::Extension(Extension::new(model_requests, tool_calls)));
                self.wait_for_person();
            }
            Event::Output { dispatch, bytes } => {
                let outputs = &mut self.conversation.outputs;
                outputs.entry(dispatch).or_insert_with(|| OutputTail::new(OUTPUT_LINES)).push(&bytes);
                return self.grown(dispatch);
            }
            Event::Gate(reports) => self.gate(reports),
            Event::Refused { why, sentence, text } => {
                self.sessions_refused(why, &sentence);
                self.refused(self.in_own_words(why, sentence), text);
            }
            Event::PutBack(text) => {
                if self.composer.is_empty() {
                    self.composer.set(&text);
                }
            }
            Event::Models(list) => self.in_setup(|setup| setup.listed(list)),
            Event::LocalServers(servers) => self.in_setup(|setup| setup.found(servers)),
            Event::Reached { model, offered } => self.in_setup(|setup| setup.reached(model, offered)),
            Event::ModelChanged { name, sentence } => {
                self.conversation.model.clone_from(&name);
                self.fixed.model = name;
                self.conversation.note(sentence);
            }
            Event::Notice(sentence) => self.conversation.note(sentence),
            Event::Poisoned(sentence) => {
                self.conversation.note(sentence.clone());
                self.conversation.poisoned = Some(sentence);
            }
            Event::Closed(leaving) => return vec![Effect::Leave(leaving)],
        }
        self.refresh();
        Vec::new()
    }

    /// Brings the cells up to date.
    pub(super) fn refresh(&mut self) {
        let now = self.now;
        self.conversation.with_transcript(now, |transcript, look| transcript.update(look.session, look));
    }

    fn opened(&mut self, opened: OpenedSession) -> Vec<Effect> {
        // The first message of an empty conversation makes it a session.
        let same = self.conversation.id.is_none() && opened.session.turns().is_empty();
        if !same {
            self.change_session(&opened);
        }
        if let Some(id) = self.conversation.id {
            self.folds.insert(id, std::mem::take(&mut self.conversation.folds));
        }
        let demo = opened.demo_words(&self.fixed.words.place(&opened.cwd));
        // What can only be read was never anything else, not even for a frame.
        let phase = match opened.read_only {
            Some(_) => Some(Phase::ReadOnly),
            None => self.conversation.phase.take(),
        };
        self.conversation = Conversation {
            id: opened.id,
            session: Some(opened.session),
            cwd: opened.cwd,
            path: opened.path,
            model: opened.model,
            watched: match &opened.read_only {
                Some(ReadOnly::OpenElsewhere(holder)) => Some(Watched::Held(holder.clone())),
                Some(_) | None => None,
            },
            read_only: opened.read_only,
            phase,
            phase_since: self.now.moment,
            folds: opened.id.and_then(|id| self.folds.remove(&id)).unwrap_or_default(),
            ..Conversation::default()
        };
        self.focus = crate::tui::state::Focus::Composer;
        self.fixed.demo = opened.demo;
        self.introduce(demo, &opened.found, &opened.given);
        self.refresh();
        self.go_to_place();
        if !opened.draft.is_empty() {
            self.put_back(&opened.draft);
        }
        let here = |(cwd, _): &(String, _)| *cwd == self.conversation.cwd;
        match &self.history_of {
            Some(known) if same && here(known) => Vec::new(),
            _ => self.ask_for_history(),
        }
    }

    /// Leaves nothing of the session before. Its draft was kept when another
    /// one was asked for.
    fn change_session(&mut self, opened: &OpenedSession) {
        self.unsaved = None;
        // What is written in a watched session stays when it is taken over.
        if self.conversation.id.is_some() && self.conversation.id != opened.id {
            self.composer.clear();
        }
        self.layers.retain(|layer| matches!(layer, Layer::Setup(_)));
        self.queue.clear();
        self.composer.forget();
        for message in opened.session.turns().iter().flat_map(|turn| turn.messages()) {
            self.composer.remember(&message.text);
        }
    }

    /// What is said at an opening, as lines of Candor's own.
    fn introduce(
        &mut self,
        demo: Option<String>,
        found: &[crate::agent::Finding],
        given: &[crate::agent::Given],
    ) {
        let mut said: Vec<String> = demo.into_iter().collect();
        if !given.is_empty() {
            let names =
                given.iter().map(|text| format!("{} ({})", text.name, human_bytes(text.bytes as u64)));
            said.push(sentences::given(&names.collect::<Vec<_>>()));
        }
        said.extend(found.iter().map(|finding| finding.sentence.clone()));
        let words = &self.fixed.words;
        said.extend(self.conversation.read_only.as_ref().map(|why| match why {
            ReadOnly::OpenElsewhere(holder) => sentences::watching(holder.as_ref(), words, self.now.wall),
            ReadOnly::Newer(_) | ReadOnly::KeyGone(_) | ReadOnly::Damaged(_) => why.sentence(),
            ReadOnly::Missing(_) | ReadOnly::Refused(_) | ReadOnly::DirectoryGone(_) => why.sentence(),
        }));
        if !said.is_empty() {
            self.conversation.note(said.join("\n"));
        }
    }

    fn committed(&mut self, committed: Committed) {
        let record = committed.record.clone();
        let seq = committed.seq;
        let Some(session) = &mut self.conversation.session else { return };
        if let Err(error) = session.apply(committed) {
            self.conversation.note(format!("The screen cannot show record {seq}: {error}."));
            return;
        }
        self.conversation.id = Some(session.id());
        match record {
            Record::ModelResponse(response) => {
                self.conversation.live = Default::default();
                let usage = response.usage.unwrap_or_default();
                let tokens = usage.input.unwrap_or(0) + usage.output.unwrap_or(0);
                self.conversation.tokens = Some(tokens).filter(|tokens| *tokens > 0);
            }
            Record::Approval(approval) => {
                if approval.standing && approval.decision == Decision::Approved {
                    let rule = (seq, approval.operation.summary().to_owned());
                    self.conversation.rules.push(rule);
                }
            }
            Record::ToolResult(result) => {
                if result.outcome == Outcome::Unknown {
                    self.conversation.rules.clear();
                }
                if let Some(dispatch) = result.dispatch {
                    self.conversation.outputs.remove(&dispatch);
                }
            }
            Record::Acknowledged(_) => {
                self.layers.retain(|layer| !matches!(layer, Layer::Recovery(_)));
                let now = self.now;
                self.conversation
                    .with_transcript(now, |transcript, look| transcript.rebuild(look.session, look));
            }
            Record::TurnEnded(_) => self.conversation.keep_what_was_read(),
            Record::SessionStarted(_)
            | Record::UserMessage(_)
            | Record::ToolStarted(_)
            | Record::TurnExtended(_)
            | Record::TailMoved(_)
            | Record::SessionRenamed(_) => {}
        }
    }

    fn phase(&mut self, phase: Phase) -> Vec<Effect> {
        if phase != Phase::WaitingForYou {
            self.conversation.asked = None;
            self.layers.retain(|layer| !matches!(layer, Layer::Approval(_) | Layer::Extension(_)));
        }
        match &phase {
            Phase::Running(command) => self.running(command),
            Phase::Ready
            | Phase::Gated
            | Phase::WaitingForModel
            | Phase::Thinking
            | Phase::Answering
            | Phase::Retrying { .. }
            | Phase::WaitingForYou
            | Phase::NotSaving
            | Phase::ReadOnly => self.layers.retain(|layer| !matches!(layer, Layer::StillRunning(_))),
        }
        if phase != Phase::Gated && phase != Phase::WaitingForYou {
            self.call_at = None;
        }
        let ready = phase == Phase::Ready;
        let was_busy = self.conversation.is_busy();
        if self.conversation.phase.as_ref() != Some(&phase) {
            self.conversation.phase_since = self.now.moment;
        }
        self.conversation.phase = Some(phase);
        if !was_busy && self.conversation.is_busy() {
            self.flash_is_over();
        }
        let effects = if ready { self.next_of_queue() } else { Vec::new() };
        if ready && was_busy && effects.is_empty() {
            self.turn_is_over();
        }
        self.refresh();
        effects
    }

    /// A command that was found running has a form of its own, once.
    fn running(&mut self, command: &RunningCommand) {
        let form = self.layers.iter_mut().find_map(|layer| match layer {
            Layer::StillRunning(form) => Some(form),
            _ => None,
        });
        match form {
            Some(form) if form.command.supervised == command.supervised => form.command = command.clone(),
            Some(form) => *form = StillRunning::new(command.clone()),
            None if command.found && self.conversation.running() != Some(command) => {
                self.layers.push(Layer::StillRunning(StillRunning::new(command.clone())));
            }
            None => {}
        }
    }

    /// The turn is over: the next queued message is sent after a complete
    /// answer, and put back after any other end.
    fn next_of_queue(&mut self) -> Vec<Effect> {
        if self.queue.is_empty() || self.conversation.is_busy() {
            return Vec::new();
        }
        let last = self.conversation.session.as_ref().and_then(|session| session.turns().last());
        match last.and_then(|turn| turn.end.as_ref()).map(|end| end.status) {
            Some(TurnStatus::Completed) => vec![Effect::Tell(Command::Send(self.queue.remove(0)))],
            _ => {
                let queued = std::mem::take(&mut self.queue).join("\n");
                self.put_back(&queued);
                Vec::new()
            }
        }
    }

    /// Puts a text before the draft.
    pub(super) fn put_back(&mut self, text: &str) {
        let draft = self.composer.text();
        let whole = if draft.is_empty() { text.to_owned() } else { format!("{text}\n{draft}") };
        self.composer.set(&whole);
        self.unsaved.get_or_insert(self.now.moment);
    }

    /// An answer broke off. What was read of it stays in sight until more comes.
    fn discarded(&mut self) {
        self.conversation.live.cut_off();
    }

    fn asked(&mut self, request: ApprovalRequest) {
        self.conversation.asked = Some(request.call.clone());
        if let Some(open) = self.approval().filter(|open| open.request.call == request.call) {
            open.reopen(request);
            return;
        }
        self.layers.retain(|layer| !matches!(layer, Layer::Approval(_)));
        // What a person reads or decides now stays on top.
        let reads = |layer: &Layer| matches!(layer, Layer::Reader(_) | Layer::Leave(_) | Layer::Setup(_));
        let below = self.layers.iter().position(reads);
        let approval = Layer::Approval(Box::new(Approval::new(request, self.last_key)));
        self.layers.insert(below.unwrap_or(self.layers.len()), approval);
        self.wait_for_person();
    }

    fn gate(&mut self, reports: Vec<UnknownReport>) {
        let open = self.layers.iter_mut().find_map(|layer| match layer {
            Layer::Recovery(recovery) => Some(recovery),
            _ => None,
        });
        match open {
            Some(open) => open.refresh(reports),
            None if reports.is_empty() => {}
            None => {
                self.layers.push(Layer::Recovery(Box::new(Recovery::new(reports))));
                self.wait_for_person();
            }
        }
    }

    /// Why something was refused: of a watched session as this screen says it.
    fn in_own_words(&self, why: Refusal, sentence: String) -> String {
        match &self.conversation.watched {
            Some(Watched::Held(holder)) if why == Refusal::ReadOnly => {
                sentences::leave_it_there(holder.as_ref(), &self.fixed.words, self.now.wall)
            }
            Some(Watched::Held(_) | Watched::Free { .. }) | None => sentence,
        }
    }

    fn refused(&mut self, sentence: String, text: Option<String>) {
        if let Some(Layer::Recovery(recovery)) = self.layers.last_mut() {
            recovery.missing = Some(sentence.clone());
        }
        self.layers.retain(|layer| !matches!(layer, Layer::Setup(_)));
        self.flash(sentence);
        if let Some(text) = text {
            self.put_back(&text);
        }
    }

    /// The title of what is executed, for a reader.
    pub(super) fn title_of(&self, dispatch: crate::record::DispatchId) -> String {
        let session = self.conversation.session.as_ref();
        let call = session.and_then(|session| session.find_dispatch(dispatch)).map(|(_, call)| call);
        let start = call.and_then(|call| call.start.as_ref());
        start.map_or_else(|| "output".to_owned(), |start| words::summary(start.operation.summary()))
    }
}
