//! The task that drives: commands, the model and the running command in, events
//! out. It owns the store, the model and at most one open session.

mod asking;
mod browsing;
mod choices;

use super::desk::{self, Desk};
use super::instructions::{Instructions, gather};
use super::machine::{Input, Machine};
use super::models::{self, Models};
use super::opening;
use super::protocol::{Command, Event, Finding, Leaving, OpenedSession, Phase, ReadOnly, Refusal};
use super::setup::{Setup, Target};
use super::watch::Watch;
use crate::model::{Answer, ModelError, Progress};
use crate::record::{Origin, SessionId};
use crate::session::{Session, first_title, origin_warnings};
use crate::store::{self, NewSession, OpenSession, Opened, Shelf, Store, View};
use crate::tools::{Bash, Followed, panicpoint};
use asking::Asking;
use browsing::Aside;
use std::path::Path;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender};

/// What writes sessions here.
const APP: &str = concat!("candor ", env!("CARGO_PKG_VERSION"));

/// What is on the desk.
enum Work {
    /// An empty conversation; nothing is written yet.
    Empty,
    /// A session that this process writes.
    Open(Box<Desk>),
    /// A session that can only be read.
    ReadOnly { id: SessionId, title: String, why: ReadOnly, watch: Option<Box<Watch>> },
}

/// What the loop waits for.
enum Happened {
    Command(Option<Command>),
    Progress(Progress),
    Answered(Box<Result<Answer, ModelError>>),
    Followed(Followed),
    Watched(Vec<Event>),
}

/// The agent.
pub(super) struct Agent {
    setup: Setup,
    store: Store,
    models: Models,
    commands: UnboundedReceiver<Command>,
    events: UnboundedSender<Event>,
    work: Work,
    asking: Option<Asking>,
    instructions: Instructions,
    looking: Aside,
    searching: Aside,
    /// Leaving, as soon as the command that is being stopped has ended.
    closing: bool,
}

/// What an agent is made of.
pub(super) struct Parts {
    pub(super) setup: Setup,
    pub(super) store: Store,
    pub(super) models: Models,
    pub(super) commands: UnboundedReceiver<Command>,
    pub(super) events: UnboundedSender<Event>,
}

impl Agent {
    pub(super) fn new(parts: Parts) -> Self {
        let Parts { setup, store, models, commands, events } = parts;
        let instructions = gather(&setup.paths.config, Path::new(&setup.cwd), store::clock::now(), &[]);
        Self {
            setup,
            store,
            models,
            commands,
            events,
            work: Work::Empty,
            asking: None,
            instructions,
            looking: Aside::default(),
            searching: Aside::default(),
            closing: false,
        }
    }

    /// Runs until it is told to close or the front end is gone.
    pub(super) async fn run(mut self) {
        match self.setup.target.clone() {
            Target::New => self.begin_empty(),
            Target::Session(id) => self.open(id),
        }
        loop {
            let happened = self.wait().await;
            if self.handle(happened).await {
                break;
            }
        }
        self.emit(Event::Closed(self.leaving()));
    }

    fn emit(&self, event: Event) {
        // A front end that is gone is noticed by its closed command channel.
        let _ = self.events.send(event);
    }

    async fn wait(&mut self) -> Happened {
        let asking = &mut self.asking;
        let model = async {
            let Some(asking) = asking else { return std::future::pending().await };
            tokio::select! {
                // What was shown comes before what it became.
                biased;
                Some(progress) = asking.progress.recv() => Happened::Progress(progress),
                answer = &mut asking.answer => Happened::Answered(Box::new(answer)),
            }
        };
        let work = &mut self.work;
        let follow = async {
            match work {
                Work::Open(desk) => Happened::Followed(desk.follow().await),
                Work::ReadOnly { watch: Some(watch), .. } => Happened::Watched(watch.next().await),
                Work::Empty | Work::ReadOnly { watch: None, .. } => std::future::pending().await,
            }
        };
        tokio::select! {
            command = self.commands.recv() => Happened::Command(command),
            happened = model => happened,
            happened = follow => happened,
        }
    }

    /// Says whether it is over.
    async fn handle(&mut self, happened: Happened) -> bool {
        match happened {
            Happened::Command(None) => return true,
            Happened::Command(Some(Command::Close { stop_command })) => return self.close(stop_command),
            Happened::Command(Some(Command::UseDemo)) => self.use_demo().await,
            Happened::Command(Some(command)) => self.command(command),
            Happened::Progress(progress) => self.progress(progress),
            Happened::Answered(answer) => self.answered(*answer),
            Happened::Watched(events) => events.into_iter().for_each(|event| self.emit(event)),
            Happened::Followed(followed) => {
                let ended = matches!(followed, Followed::Ended(_));
                let wanted = match &mut self.work {
                    Work::Open(desk) => desk.followed(followed).await,
                    Work::Empty | Work::ReadOnly { .. } => Vec::new(),
                };
                if ended && self.closing {
                    return true;
                }
                self.obey(wanted);
            }
        }
        false
    }

    fn close(&mut self, stop_command: bool) -> bool {
        self.asking = None;
        let Work::Open(desk) = &mut self.work else { return true };
        if !stop_command || !desk.is_running() {
            return true;
        }
        self.closing = true;
        let wanted = desk.happened(Input::StopCommand);
        self.obey(wanted);
        false
    }

    fn leaving(&self) -> Leaving {
        match &self.work {
            Work::Empty => Leaving::default(),
            Work::Open(desk) => {
                let session = desk.open.session();
                Leaving {
                    session: Some(session.id()),
                    title: session.title().to_owned(),
                    state: state_word(&desk.phase_at_rest(), session).to_owned(),
                    head: Some(desk.open.head()),
                }
            }
            Work::ReadOnly { id, title, .. } => {
                Leaving { session: Some(*id), title: title.clone(), state: "read-only".into(), head: None }
            }
        }
    }

    fn command(&mut self, command: Command) {
        match command {
            Command::List => self.list(),
            Command::History { cwd, without } => self.tell_history(cwd, without),
            Command::Environment => self.tell_environment(),
            Command::Open(id) => {
                if self.may_leave() {
                    self.open(id);
                }
            }
            Command::New => {
                if self.may_leave() {
                    self.begin_empty();
                }
            }
            Command::Send(text) => self.message(text),
            Command::Join(text) => self.give_machine(Input::Join(text)),
            Command::StopAnswer => self.give_machine(Input::StopAnswer),
            Command::StopCommand => self.give_machine(Input::StopCommand),
            Command::GiveUp(dispatch) => {
                if let Work::Open(desk) = &mut self.work {
                    desk.give_up(dispatch);
                }
            }
            Command::Edit { call, command, timeout_ms } => {
                self.give_machine(Input::Edit { call, command, timeout_ms })
            }
            Command::Decide { call, fingerprint, verdict } => {
                self.give_machine(Input::Decide { call, fingerprint, verdict });
            }
            Command::Extend(allowed) => self.give_machine(Input::Extend(allowed)),
            Command::Acknowledge(statements) => self.give_machine(Input::Acknowledge(statements)),
            Command::ListModels => self.list_models(),
            Command::SetModel { name, base_url } => self.set_model(name, base_url),
            Command::UseModel(model) => self.use_model(*model),
            Command::FindLocal => _ = tokio::spawn(models::find_local(self.events.clone())),
            Command::Reach(model) => _ = tokio::spawn(models::reach(*model, self.events.clone())),
            Command::Fork { without } => self.fork(without),
            Command::Rename(title) => self.rename(title),
            Command::ListTrash => self.list_trash(),
            Command::Preview { id, trashed: false } => self.preview(id, Shelf::Sessions),
            Command::Preview { id, trashed: true } => self.preview(id, Shelf::Trash),
            Command::Search { number, words } => self.search(number, &words),
            Command::Remove { id, title_word } => self.remove(id, title_word.as_deref()),
            Command::Restore(id) => self.restore(id),
            Command::RenameSession { id, title } => self.rename_session(id, title),
            Command::ForkSession { id, upto } => self.fork_session(id, upto),
            Command::Draft(text) => self.keep_draft(&text),
            Command::RevokeRules => self.give_machine(Input::RevokeRules),
            Command::Close { .. } | Command::UseDemo => {}
        }
    }

    fn refuse(&self, why: Refusal, sentence: impl Into<String>, text: Option<String>) {
        self.emit(Event::Refused { why, sentence: sentence.into(), text });
    }

    fn may_leave(&self) -> bool {
        let free = match &self.work {
            Work::Open(desk) => desk.may_be_left(),
            Work::Empty | Work::ReadOnly { .. } => true,
        };
        if !free {
            self.refuse(Refusal::Busy, "A turn is running. Stop it or wait for its end first.", None);
        }
        free
    }

    fn begin_empty(&mut self) {
        self.work = Work::Empty;
        let session = Session::new(store::ids::session());
        self.gather_instructions(&session, &self.setup.cwd.clone());
        self.announce(OpenedSession { id: None, cwd: self.setup.cwd.clone(), ..self.opened(session) });
        self.emit(Event::Phase(Phase::Ready));
    }

    /// What every opening tells, with a session's own parts still empty.
    fn opened(&self, session: Session) -> OpenedSession {
        let cwd = directory_of(&session);
        OpenedSession {
            id: Some(session.id()),
            session,
            cwd,
            path: None,
            read_only: None,
            found: Vec::new(),
            draft: String::new(),
            model: self.models.name(),
            given: self.instructions.given.clone(),
            demo: self.setup.demo,
        }
    }

    fn announce(&self, opened: OpenedSession) {
        self.emit(Event::Opened(Box::new(opened)));
        for sentence in &self.instructions.left_out {
            self.emit(Event::Notice(sentence.clone()));
        }
    }

    fn gather_instructions(&mut self, session: &Session, cwd: &str) {
        let warnings = origin_warnings(session);
        self.instructions = gather(&self.setup.paths.config, Path::new(cwd), store::clock::now(), &warnings);
    }

    fn open(&mut self, id: SessionId) {
        if matches!(&self.work, Work::Open(desk) if desk.open.id() == id) {
            // Its own lock would keep it out.
            self.work = Work::Empty;
        }
        match self.store.open_session(id, store::clock::now()) {
            Ok(Opened::Writable(open)) => self.open_for_writing(*open, None),
            Ok(Opened::ReadOnly(view)) => self.open_read_only(id, *view),
            Err(error) => {
                self.refuse(Refusal::CannotOpen, format!("The session cannot be opened: {error}."), None)
            }
        }
    }

    fn open_read_only(&mut self, id: SessionId, view: View) {
        let why = view.why().map_or(ReadOnly::OpenElsewhere(None), opening::reason);
        let session = view.session().clone();
        let path = Some(view.dir().to_owned());
        let damage = view.reading().damage.as_ref().filter(|_| matches!(why, ReadOnly::OpenElsewhere(_)));
        let damage = damage.map(|damage| ReadOnly::Damaged(damage.to_string()).sentence());
        let found = damage.into_iter().map(|sentence| Finding { sentence }).collect();
        let watched = matches!(why, ReadOnly::OpenElsewhere(_));
        let watch = watched.then(|| Box::new(Watch::new(self.store.clone(), view)));
        self.work = Work::ReadOnly { id, title: session.title().to_owned(), why: why.clone(), watch };
        self.announce(OpenedSession { read_only: Some(why), path, found, ..self.opened(session) });
        self.emit(Event::Phase(Phase::ReadOnly));
    }

    fn open_for_writing(&mut self, open: OpenSession, first: Option<Finding>) {
        let session = open.session().clone();
        let cwd = directory_of(&session);
        self.gather_instructions(&session, &cwd);
        let draft = self.store.draft(session.id()).unwrap_or_default();
        let dir = open.dir().to_owned();
        let found = open.found().iter().filter_map(opening::found);
        let mut findings: Vec<Finding> = first.into_iter().chain(found).collect();
        let mut desk = self.desk(open, &cwd);
        findings.extend(desk.recover(None));
        if !Path::new(&cwd).is_dir() {
            let sentence =
                format!("{cwd} no longer exists. The session can be read, and nothing runs in it.");
            findings.push(Finding { sentence });
        }
        let session = desk.open.session().clone();
        self.announce(OpenedSession { found: findings, path: Some(dir), draft, ..self.opened(session) });
        desk.tell();
        desk.present();
        self.work = Work::Open(Box::new(desk));
    }

    fn desk(&self, open: OpenSession, cwd: &str) -> Desk {
        let bash = self.bash(cwd);
        let machine = Machine::new(open.session(), self.setup.settings.limits, bash.clone());
        Desk::new(desk::Parts {
            open,
            machine,
            bash,
            launcher: self.setup.launcher.clone(),
            events: self.events.clone(),
        })
    }

    /// The tool of a session in this directory.
    fn bash(&self, cwd: &str) -> Bash {
        let (settings, environment) = (&self.setup.settings, self.setup.environment.clone());
        Bash::new(&settings.bash, &settings.model.api_key_env, cwd.to_owned(), environment)
    }

    fn give_machine(&mut self, input: Input) {
        let wanted = match &mut self.work {
            Work::Open(desk) => desk.happened(input),
            Work::Empty => return self.refuse(Refusal::NotNow, "Nothing has begun yet.", text_of(input)),
            Work::ReadOnly { why, .. } => {
                let sentence = why.sentence();
                return self.refuse(Refusal::ReadOnly, sentence, text_of(input));
            }
        };
        self.obey(wanted);
    }

    fn message(&mut self, text: String) {
        panicpoint("agent");
        if let Err(sentence) = self.models.get() {
            return self.refuse(Refusal::Cannot, sentence, Some(text));
        }
        if let Some(sentence) = self.directory_gone() {
            return self.refuse(Refusal::Cannot, sentence, Some(text));
        }
        if matches!(self.work, Work::Empty)
            && let Err(sentence) = self.create(&text)
        {
            return self.refuse(Refusal::Cannot, sentence, Some(text));
        }
        if let Work::Open(desk) = &self.work
            // A message that will be refused must not change a running turn's.
            && desk.open.session().open_turn().is_none()
        {
            let session = desk.open.session().clone();
            let cwd = directory_of(&session);
            self.gather_instructions(&session, &cwd);
        }
        self.give_machine(Input::Message(text));
    }

    /// What to say if the directory of the commands is no longer there.
    fn directory_gone(&self) -> Option<String> {
        let cwd = match &self.work {
            Work::Open(desk) => directory_of(desk.open.session()),
            Work::Empty => self.setup.cwd.clone(),
            Work::ReadOnly { .. } => return None,
        };
        let gone = !Path::new(&cwd).is_dir();
        gone.then(|| format!("{cwd} no longer exists. The session can be read, and nothing runs in it."))
    }

    /// Makes the session of an empty conversation.
    fn create(&mut self, text: &str) -> Result<(), String> {
        super::machine::acceptable(text)?;
        let new = NewSession {
            app: APP.into(),
            cwd: self.setup.cwd.clone(),
            title: Some(first_title(text)),
            origin: Origin::New {},
            records: Vec::new(),
        };
        let open = self.store.create(new, store::clock::now()).map_err(|error| {
            format!("The session cannot be made in {}: {error}.", self.setup.paths.data.display())
        })?;
        let cwd = self.setup.cwd.clone();
        let path = Some(open.dir().to_owned());
        let mut desk = self.desk(open, &cwd);
        desk.tell();
        self.announce(OpenedSession { path, ..self.opened(desk.open.session().clone()) });
        self.work = Work::Open(Box::new(desk));
        Ok(())
    }

    fn rename(&mut self, title: String) {
        let Work::Open(desk) = &mut self.work else {
            return self.refuse(Refusal::NotNow, "There is no session to name yet.", None);
        };
        if let Err(error) = desk.commit(crate::record::SessionRenamed { title, ext: None }.into()) {
            self.refuse(Refusal::Cannot, format!("The session was not renamed: {error}"), None);
        }
    }

    fn keep_draft(&self, text: &str) {
        // A draft is a convenience: losing one must not disturb the session.
        if let Work::Open(desk) = &self.work {
            let _ = self.store.keep_draft(desk.open.session().id(), text);
        }
    }
}

/// The directory that a session's commands run in.
fn directory_of(session: &Session) -> String {
    session.header().map_or_else(String::new, |header| header.cwd.clone())
}

fn text_of(input: Input) -> Option<String> {
    match input {
        Input::Message(text) | Input::Join(text) => Some(text),
        Input::StopAnswer
        | Input::StopCommand
        | Input::Edit { .. }
        | Input::Decide { .. }
        | Input::Extend(_)
        | Input::Acknowledge(_)
        | Input::RevokeRules
        | Input::Answered { .. }
        | Input::ModelFailed(_)
        | Input::Laid(_)
        | Input::LayFailed(_)
        | Input::Ended(_) => None,
    }
}

fn state_word(phase: &Phase, session: &Session) -> &'static str {
    match phase {
        Phase::Gated => "needs you",
        Phase::Running(_) => "command running",
        Phase::NotSaving => "not saving",
        Phase::ReadOnly => "read-only",
        _ if session.open_turn().is_some() => "interrupted",
        Phase::Ready
        | Phase::WaitingForModel
        | Phase::Thinking
        | Phase::Answering
        | Phase::Retrying { .. }
        | Phase::WaitingForYou => "ready",
    }
}
