//! Everything the screen knows. It changes only in `update`, and is drawn by
//! `views`.

use super::approval::Approval;
use super::assist::Assist;
use super::clock::Now;
use super::composer::Composer;
use super::dialog::{Extension, Leave};
use super::list::List;
use super::moment::Moment;
use super::reader::Reader;
use super::recovery::Recovery;
use super::running::StillRunning;
use super::sessions::Sessions;
use super::setup::ModelSetup;
use super::transcript::{Colors, Cut, Folds, Live, Look, Note, Reach, Transcript};
use super::update::Change;
use super::words::Words;
use crate::agent::{Phase, ReadOnly, Watched, output_file};
use crate::record::{CallId, DispatchId, SessionId};
use crate::session::{Session, Turn};
use crate::text::OutputTail;
use std::collections::HashMap;
use std::path::PathBuf;
use std::time::Duration;

/// How long a passing sentence stays at most.
const FLASH: Duration = Duration::from_secs(5);
/// How long it stays at least, whatever is pressed: until it can be read.
const FLASH_READ: Duration = Duration::from_secs(1);

/// The whole state.
#[derive(Debug)]
pub(crate) struct State {
    /// What is fixed for this run.
    pub fixed: Fixed,
    /// The open conversation.
    pub conversation: Conversation,
    /// The message being written.
    pub composer: Composer,
    /// What is offered while it is written.
    pub assist: Assist,
    /// Whose history was asked for: a directory, and the session that is open.
    pub history_of: Option<(String, Option<SessionId>)>,
    /// Messages that are sent when the turn ends as completed.
    pub queue: Vec<String>,
    /// The sessions, once they are known.
    pub sessions: List,
    /// How much of the panels of other sessions is shown, in this window.
    pub folds: HashMap<SessionId, Folds>,
    /// What has the focus below all layers.
    pub focus: Focus,
    /// Dialogs and readers, the topmost last.
    pub layers: Vec<Layer>,
    /// The mouse is Candor's.
    pub mouse: bool,
    /// A sentence that passes.
    pub flash: Option<Flash>,
    /// What a Ctrl+C within its time does.
    pub armed: Option<(Armed, Moment)>,
    /// When a key was last pressed.
    pub last_key: Option<Moment>,
    /// The draft differs from what is on disk since then.
    pub unsaved: Option<Moment>,
    /// When a person is called who seems to be away.
    pub call_at: Option<Moment>,
    /// Where the choices of the approval are, as last drawn.
    pub choice_places: Vec<(super::approval::Choice, ratatui::layout::Rect)>,
    /// A record of a session that is being opened, to be in sight.
    pub place: Option<(SessionId, u64)>,
    /// The agent was told to end.
    pub closing: bool,
    /// The number of the next text on disk that is opened.
    pub next_page: u64,
    /// The time of the last change.
    pub now: Now,
    /// What it may have changed on the screen.
    pub change: Change,
    /// What the last frame left above queue and composer, if nothing was on top.
    pub above: Option<ratatui::layout::Rect>,
}

/// What is fixed for this run.
#[derive(Debug)]
pub(crate) struct Fixed {
    /// Times and paths.
    pub words: Words,
    /// The directory of new sessions.
    pub cwd: String,
    /// The model's name.
    pub model: String,
    /// The model is the scripted demo.
    pub demo: bool,
    /// Size of the model's context in tokens; 0: not known.
    pub context_window: u64,
    /// Ring when a person is waited for.
    pub bell: bool,
    /// Notify when a person is waited for.
    pub notify: bool,
    /// The mouse is Candor's from the start.
    pub mouse: bool,
}

/// What has the focus below all layers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Focus {
    /// The message being written.
    Composer,
    /// The sessions above it.
    List,
    /// The panels of the conversation.
    Transcript,
}

/// What a Ctrl+C within its time does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Armed {
    /// Stops the running command.
    Stop,
    /// Leaves.
    Leave,
}

/// Something on top that gets keys first.
#[derive(Debug)]
pub(crate) enum Layer {
    /// May this run?
    Approval(Box<Approval>),
    /// Effects that may have happened.
    Recovery(Box<Recovery>),
    /// A command was found running.
    StillRunning(StillRunning),
    /// What becomes of a running command?
    Leave(Leave),
    /// Go on past the limit?
    Extension(Extension),
    /// Sessions, over the whole screen.
    Sessions(Box<Sessions>),
    /// A text that fills the screen.
    Reader(Box<Reader>),
    /// Which model answers.
    Setup(Box<ModelSetup>),
}

/// A sentence that passes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Flash {
    /// The sentence.
    pub text: String,
    /// From when on a key takes it away.
    pub read: Moment,
    /// When it goes.
    pub until: Moment,
}

/// The open conversation.
#[derive(Debug, Default)]
pub(crate) struct Conversation {
    /// Its id, once it is written.
    pub id: Option<SessionId>,
    /// Its records.
    pub session: Option<Session>,
    /// The directory of its commands.
    pub cwd: String,
    /// Where its files are.
    pub path: Option<PathBuf>,
    /// The model's name.
    pub model: String,
    /// Why it can only be read.
    pub read_only: Option<ReadOnly>,
    /// Whether it is open elsewhere, while it is watched.
    pub watched: Option<Watched>,
    /// What the agent does.
    pub phase: Option<Phase>,
    /// Since when.
    pub phase_since: Moment,
    /// The conversation as cells.
    pub transcript: Transcript,
    /// Candor's own lines.
    pub notes: Vec<Note>,
    /// What is in flight.
    pub live: Live,
    /// What was read of answers that broke off.
    pub cut: Vec<Cut>,
    /// The last lines of running commands.
    pub outputs: HashMap<DispatchId, OutputTail>,
    /// How much of each panel is shown.
    pub folds: Folds,
    /// Code that is coloured.
    pub colors: Colors,
    /// The call that waits for a decision.
    pub asked: Option<CallId>,
    /// Operations that run without asking, and the records that allow it.
    pub rules: Vec<(u64, String)>,
    /// The variables that commands get, while they are shown.
    pub environment: Vec<(String, String)>,
    /// Nothing can be saved any more, and why.
    pub poisoned: Option<String>,
    /// Tokens of the last request and answer.
    pub tokens: Option<u64>,
}

impl State {
    /// An empty conversation before the agent has said anything.
    pub(crate) fn new(fixed: Fixed, draft: &str, now: Now) -> Self {
        let conversation =
            Conversation { cwd: fixed.cwd.clone(), model: fixed.model.clone(), ..Conversation::default() };
        let fixed_mouse = fixed.mouse;
        Self {
            fixed,
            conversation,
            composer: Composer::with(draft),
            assist: Assist::default(),
            history_of: None,
            queue: Vec::new(),
            sessions: List::default(),
            folds: HashMap::new(),
            focus: Focus::Composer,
            layers: Vec::new(),
            mouse: fixed_mouse,
            flash: None,
            armed: None,
            last_key: None,
            unsaved: None,
            call_at: None,
            choice_places: Vec::new(),
            place: None,
            closing: false,
            next_page: 0,
            now,
            change: Change::All,
            above: None,
        }
    }

    /// Whether the start is shown: an empty conversation.
    pub(crate) fn is_home(&self) -> bool {
        let conversation = &self.conversation;
        let empty = conversation.session.as_ref().is_none_or(|session| session.next_seq() == 0);
        empty && conversation.id.is_none() && conversation.poisoned.is_none()
    }

    /// Says a sentence that passes.
    pub(crate) fn flash(&mut self, text: impl Into<String>) {
        let now = self.now.moment;
        self.flash = Some(Flash { text: text.into(), read: now + FLASH_READ, until: now + FLASH });
    }

    /// Something was pressed: what was said before it passes, once it could be
    /// read. What a second Ctrl+C does stays in sight for as long as that holds.
    pub(crate) fn flash_was_read(&mut self, at: Moment) {
        if self.armed.is_none_or(|(_, until)| until <= at) {
            self.flash.take_if(|flash| flash.read <= at);
        }
    }

    /// Something else is shown from here on: what was said before is over, and
    /// so is what a second Ctrl+C did.
    pub(crate) fn flash_is_over(&mut self) {
        self.flash = None;
        self.armed = None;
    }

    /// Arms Ctrl+C for the time that its sentence stays.
    pub(crate) fn arm(&mut self, armed: Armed, sentence: impl Into<String>) {
        self.armed = Some((armed, self.now.moment + FLASH));
        self.flash(sentence);
    }

    /// The approval on the layers, if there is one.
    pub(crate) fn approval(&mut self) -> Option<&mut Approval> {
        self.layers.iter_mut().find_map(|layer| match layer {
            Layer::Approval(approval) => Some(&mut **approval),
            Layer::Recovery(_) | Layer::StillRunning(_) | Layer::Leave(_) | Layer::Extension(_) => None,
            Layer::Sessions(_) | Layer::Reader(_) | Layer::Setup(_) => None,
        })
    }

    /// When something on the screen changes without an event, if it does.
    pub(crate) fn next_change(&self) -> Option<Moment> {
        let flash = self.flash.as_ref().map(|flash| flash.until);
        let approval = match self.layers.last() {
            Some(Layer::Approval(approval)) => approval.next_change(&self.composer.text(), self.now.moment),
            _ => None,
        };
        let counter = self.is_counting().then(|| {
            let shown = self.now.moment.since(self.conversation.phase_since).as_millis() % 1000;
            self.now.moment + Duration::from_millis(1000 - u64::try_from(shown).unwrap_or(0))
        });
        let draft = self.unsaved.map(|since| since + super::update::DRAFT_DELAY);
        [flash, approval, counter, draft, self.call_at].into_iter().flatten().min()
    }

    /// Whether a counter of seconds is shown.
    fn is_counting(&self) -> bool {
        matches!(
            self.conversation.phase,
            Some(Phase::WaitingForModel | Phase::Thinking | Phase::Retrying { .. } | Phase::Running(_))
        ) || self.conversation.watches_a_command()
    }
}

impl Conversation {
    /// What its cells are drawn from.
    pub(crate) fn look(&self, now: Now) -> Option<Look<'_>> {
        Some(Look {
            session: self.session.as_ref()?,
            notes: &self.notes,
            live: Some(&self.live),
            cut: &self.cut,
            outputs: self.may_run().then_some(&self.outputs),
            folds: Some(&self.folds),
            colors: Some(&self.colors),
            asked: self.asked.as_ref(),
            now: now.wall,
            full: false,
            goes_on: self.read_only.is_none(),
            opens: true,
            reach: Reach::No,
        })
    }

    /// Runs something on the transcript, which is drawn from the rest.
    pub(crate) fn with_transcript<T>(
        &mut self,
        now: Now,
        act: impl FnOnce(&mut Transcript, &Look<'_>) -> T,
    ) -> Option<T> {
        let mut transcript = std::mem::take(&mut self.transcript);
        let done = self.look(now).map(|look| act(&mut transcript, &look));
        self.transcript = transcript;
        done
    }

    /// Where the output of an execution is kept: in its call folder.
    pub(crate) fn output_file(&self, dispatch: DispatchId) -> Option<PathBuf> {
        Some(output_file(self.path.as_ref()?, dispatch))
    }

    /// Says a line of Candor's own, which stays.
    pub(crate) fn note(&mut self, text: impl Into<String>) {
        let before = self.session.as_ref().map_or(0, Session::next_seq);
        self.notes.push(Note { before, text: text.into() });
    }

    /// A turn has ended: what was read of an answer that is in no record stays
    /// in sight.
    pub(crate) fn keep_what_was_read(&mut self) {
        let mut text = std::mem::take(&mut self.live);
        let turns = self.session.as_ref().map_or(0, |session| session.turns().len());
        if let Some(turn) = turns.checked_sub(1).filter(|_| !text.is_empty()) {
            text.cut_off();
            self.cut.push(Cut { turn, text });
        }
    }

    /// Its title.
    pub(crate) fn title(&self) -> &str {
        self.session.as_ref().map_or("", Session::title)
    }

    /// Whether a command without a result may be running: in a session that is
    /// only read nobody knows of one.
    pub(crate) fn may_run(&self) -> bool {
        match (&self.watched, &self.read_only) {
            (Some(Watched::Free { running }), _) => *running,
            (Some(Watched::Held(_)), _) | (None, None) => true,
            (None, Some(_)) => false,
        }
    }

    /// Whether a command of the watched session runs, as far as its records say.
    fn watches_a_command(&self) -> bool {
        let turn = self
            .session
            .as_ref()
            .filter(|_| self.watched.is_some() && self.may_run())
            .and_then(Session::open_turn);
        turn.and_then(Turn::open_call).is_some_and(|call| call.start.is_some())
    }

    /// Whether a turn is open or about to be.
    pub(crate) fn is_busy(&self) -> bool {
        match &self.phase {
            None | Some(Phase::Ready | Phase::Gated | Phase::NotSaving | Phase::ReadOnly) => false,
            Some(
                Phase::WaitingForModel
                | Phase::Thinking
                | Phase::Answering
                | Phase::Retrying { .. }
                | Phase::WaitingForYou
                | Phase::Running(_),
            ) => true,
        }
    }

    /// The running command.
    pub(crate) fn running(&self) -> Option<&crate::agent::RunningCommand> {
        match &self.phase {
            Some(Phase::Running(command)) => Some(command),
            _ => None,
        }
    }
}
