//! The loop: wait for one thing, take what else is there, draw once. It does
//! what the state wants done and decides nothing.

mod lending;

use super::assist::walk;
use super::attention;
use super::clock::{Clock, Now};
use super::copying;
use super::effects::Effect;
use super::input::{Machine, Reader};
use super::moment::Moment;
use super::pace::Pace;
use super::pages::{self, Pages};
use super::signals::{Signals, Told};
use super::state::State;
use super::surroundings::Surroundings;
use super::terminal::Screen;
use super::theme::Theme;
use super::update::{Change, Happening};
use super::{TuiError, views};
use crate::agent::{Command, Event, Handle, Leaving};
use crate::text::Code;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::time::sleep_until;

/// How long events are taken before input is looked at again.
const BATCH: Duration = Duration::from_millis(4);
/// How long the agent has to end after a signal.
const LAST_WORDS: Duration = Duration::from_secs(2);

/// The screen at work.
pub(super) struct Driver {
    pub(super) handle: Handle,
    pub(super) state: State,
    pub(super) screen: Screen,
    pub(super) theme: Theme,
    pub(super) clock: Clock,
    surroundings: Surroundings,
    /// All that held keys while this window is open.
    key_variables: Vec<String>,
    pages: Pages,
    machine: Machine,
    /// Nothing while another program has the terminal.
    reader: Option<Reader>,
    done: (UnboundedSender<Happening>, UnboundedReceiver<Happening>),
    signals: Signals,
    /// When the whole screen was last drawn, and its times.
    drawn: Option<Now>,
    pace: Pace,
    /// Something may look different,
    dirty: bool,
    /// and that must not wait for the next frame.
    urgent: bool,
    /// The draft does.
    written: bool,
    /// When the screen goes even if the agent has not ended.
    until: Option<Moment>,
}

/// What a driver is made of.
pub(super) struct Equipment {
    pub(super) handle: Handle,
    pub(super) state: State,
    pub(super) screen: Screen,
    pub(super) theme: Theme,
    pub(super) clock: Clock,
    pub(super) surroundings: Surroundings,
    /// The variable that no other program gets.
    pub(super) key_variable: String,
}

/// What the loop woke up for.
enum Woken {
    Input((crossterm::event::Event, Moment)),
    InputEnded,
    Agent(Event),
    AgentEnded,
    Done(Happening),
    Told(Told),
    Fell,
    Time,
}

impl Driver {
    pub(super) fn new(equipment: Equipment) -> Result<Self, TuiError> {
        let Equipment { handle, state, screen, theme, clock, surroundings, key_variable } = equipment;
        let done = unbounded_channel();
        let tell = UnboundedSender::clone(&done.0);
        // The screen may be gone by then.
        let pages = Pages::new(Arc::new(move |id, told| _ = tell.send(Happening::Page(id, told))));
        let mut driver = Self {
            handle,
            state,
            screen,
            theme,
            clock,
            surroundings,
            key_variables: Vec::new(),
            pages,
            machine: Machine::new(is_remote()),
            reader: None,
            done,
            signals: Signals::listen().map_err(TuiError::Terminal)?,
            drawn: None,
            pace: Pace::default(),
            dirty: true,
            urgent: true,
            written: false,
            until: None,
        };
        driver.hide_key(&key_variable);
        Ok(driver)
    }

    /// Runs until the agent has ended or the terminal is gone.
    pub(super) async fn run(mut self) -> Result<Leaving, TuiError> {
        // What a person sees first waits for nothing else.
        self.draw_if_due();
        self.handle.begin();
        self.reader = Some(Reader::start(self.clock));
        loop {
            self.draw_if_due();
            let left = match self.wait().await {
                Woken::Input((event, at)) => {
                    self.machine.feed(event, at);
                    self.take_input().await;
                    self.deeds().await
                }
                Woken::InputEnded => self.happened(Happening::Terminate).await,
                Woken::Agent(event) => self.agent(event).await,
                Woken::AgentEnded => Some(Leaving::default()),
                Woken::Done(happening) => self.happened(happening).await,
                Woken::Told(Told::Suspend) => self.suspend().await,
                Woken::Told(Told::Terminate) => {
                    self.until.get_or_insert(self.clock.moment() + LAST_WORDS);
                    self.happened(Happening::Terminate).await
                }
                Woken::Fell => return Err(TuiError::Panicked),
                Woken::Time => self.time().await,
            };
            if let Some(leaving) = left {
                self.reader = None;
                // A terminal that is gone takes nothing back.
                let _ = self.screen.leave();
                return Ok(leaving);
            }
        }
    }

    async fn wait(&mut self) -> Woken {
        let next = self.next();
        let time = async {
            match next {
                Some(moment) => sleep_until(self.clock.instant(moment)).await,
                None => std::future::pending().await,
            }
        };
        let fall = self.screen.fall();
        tokio::select! {
            biased;
            () = fall.wait() => Woken::Fell,
            told = self.signals.next() => Woken::Told(told),
            event = read(&mut self.reader) => event.map_or(Woken::InputEnded, Woken::Input),
            Some(happening) = self.done.1.recv() => Woken::Done(happening),
            () = time => Woken::Time,
            event = self.handle.events.recv() => event.map_or(Woken::AgentEnded, Woken::Agent),
        }
    }

    /// When something is to be done without an event.
    fn next(&self) -> Option<Moment> {
        let frame = self.dirty.then(|| self.pace.next());
        [frame, self.machine.deadline(), self.state.next_change(), self.until].into_iter().flatten().min()
    }

    fn draw_if_due(&mut self) {
        let now = self.clock.now();
        if self.written && !self.urgent {
            self.urgent = !self.draw_draft(now);
        }
        if !self.urgent {
            if !self.dirty || self.pace.next() > now.moment {
                return;
            }
            self.pace.drawn(now.moment);
        }
        self.state.now = now;
        let (state, theme) = (&mut self.state, self.theme);
        let mut painted = None;
        let drawn = self.screen.draw(|picture| painted = Some(views::draw(state, theme, picture)));
        if drawn.is_err() {
            let _ = self.done.0.send(Happening::Terminate);
        }
        let title = attention::title(&self.state, self.surroundings.is_utf8());
        // A terminal that is gone was noticed just now.
        let _ = self.screen.set_title(title);
        (self.dirty, self.urgent, self.written, self.drawn) = (false, false, false, Some(now));
        if let Some(painted) = painted {
            self.dirty = self.state.painted(painted, self.clock.moment());
        }
        if let Some((id, order)) = self.state.wanted_rows() {
            self.pages.order(id, order);
        }
        self.color(self.state.conversation.colors.take_wanted());
    }

    /// Draws the draft alone, so that a key is seen at once whatever else there is
    /// to draw. Says whether that was enough.
    fn draw_draft(&mut self, now: Now) -> bool {
        let Some(above) = self.state.above else { return false };
        // Times that are shown change with the minute.
        let minute = |now: Now| now.wall.as_millis() / 60_000;
        if self.drawn.is_none_or(|drawn| minute(drawn) != minute(now)) {
            return false;
        }
        self.state.now = now;
        let (state, theme) = (&mut self.state, self.theme);
        let first = above.bottom();
        let drawn = self.screen.draw_from(first, |picture| views::draw_draft(state, theme, above, picture));
        self.written = false;
        // A terminal that is gone is noticed with the next whole frame.
        drawn.unwrap_or(false)
    }

    /// Colours code on another thread; grammars are slow.
    fn color(&self, codes: Vec<Code>) {
        if codes.is_empty() {
            return;
        }
        let done = self.done.0.clone();
        std::thread::spawn(move || {
            let colored = codes.into_iter().map(|code| {
                let rows = code.highlight();
                (code, rows)
            });
            // The screen may be gone by then.
            let _ = done.send(Happening::Colored(colored.collect()));
        });
    }

    /// Takes all input that is there.
    async fn take_input(&mut self) {
        let Some(reader) = &mut self.reader else { return };
        while let Some((event, at)) = reader.at_hand().await {
            self.machine.feed(event, at);
        }
    }

    /// What the machine made of the input.
    async fn deeds(&mut self) -> Option<Leaving> {
        for timed in self.machine.take() {
            if let Some(leaving) = self.happened(Happening::Input(timed)).await {
                return Some(leaving);
            }
            self.urgent |= self.state.change == Change::All;
        }
        None
    }

    /// Takes an event of the agent's and those behind it.
    async fn agent(&mut self, first: Event) -> Option<Leaving> {
        let mut event = first;
        let until = self.clock.moment() + BATCH;
        loop {
            if let Some(leaving) = self.happened(Happening::Event(Box::new(event))).await {
                return Some(leaving);
            }
            if self.clock.moment() >= until {
                return None;
            }
            match self.handle.events.try_recv() {
                Ok(next) => event = next,
                Err(_) => return None,
            }
        }
    }

    async fn time(&mut self) -> Option<Leaving> {
        let now = self.clock.moment();
        if self.until.is_some_and(|until| until <= now) {
            return Some(Leaving::default());
        }
        self.take_input().await;
        self.machine.expire(now);
        let left = self.deeds().await;
        if left.is_some() {
            return left;
        }
        if self.state.next_change().is_some_and(|at| at <= now) {
            return self.happened(Happening::Tick).await;
        }
        None
    }

    async fn happened(&mut self, happening: Happening) -> Option<Leaving> {
        let effects = self.state.happened(happening, self.clock.now());
        match self.state.change {
            Change::Draft => self.written = true,
            Change::All => self.dirty = true,
        }
        self.pages.keep(&self.state.open_pages());
        for effect in effects {
            if let Some(leaving) = self.perform(effect).await {
                return Some(leaving);
            }
        }
        None
    }

    fn tell(&mut self, command: Command) {
        if let Command::UseModel(model) = &command {
            self.hide_key(&model.api_key_env);
        }
        // An agent that is gone is noticed by its closed channel of events.
        let _ = self.handle.commands.send(command);
    }

    /// From now on no other program gets this variable, if it is one.
    fn hide_key(&mut self, variable: &str) {
        if !variable.is_empty() {
            self.key_variables.push(variable.to_owned());
        }
    }

    async fn perform(&mut self, effect: Effect) -> Option<Leaving> {
        match effect {
            Effect::Tell(command) => self.tell(command),
            Effect::Page(id, order) => self.pages.order(id, order),
            Effect::Copy(text, lines) => self.copy(text, lines),
            Effect::Send(bytes) => _ = self.screen.send(&bytes),
            Effect::Save(text, saving) => {
                self.aside(move |_| Happening::Saved(pages::save_text(&saving, &text)));
            }
            Effect::PageText(text) => self.page_text(&text).await,
            Effect::PageFile(copy) => self.pager(&copy).await,
            Effect::Editor { text, target } => self.editor(text, target).await,
            Effect::Shell(cwd) => self.shell(&cwd).await,
            Effect::ListFiles { cwd, walk } => self.list_files(cwd, walk),
            // A terminal that is gone is noticed with the next frame.
            Effect::Mouse(ours) => _ = self.screen.set_mouse(ours),
            Effect::Suspend => return self.suspend().await,
            Effect::Repaint => self.screen.repaint(),
            Effect::CallPerson => self.call_person(),
            Effect::Leave(leaving) => return Some(leaving),
        }
        None
    }

    /// Does what takes a while on another thread.
    fn aside(&self, work: impl FnOnce(&[String]) -> Happening + Send + 'static) {
        let (done, key_variables) = (self.done.0.clone(), self.key_variables.clone());
        // The screen may be gone by then.
        std::thread::spawn(move || done.send(work(&key_variables)));
    }

    fn copy(&self, text: String, lines: usize) {
        let surroundings = self.surroundings.clone();
        self.aside(move |key_variables| {
            let copied = copying::copy(&text, &surroundings, key_variables);
            Happening::Copied { copied, text, lines }
        });
    }

    /// Looks paths up on another thread; there may be many.
    fn list_files(&self, cwd: String, number: u64) {
        let done = self.done.0.clone();
        std::thread::spawn(move || walk(&cwd, number, |batch| done.send(Happening::Files(batch)).is_ok()));
    }

    fn call_person(&mut self) {
        let (bell, notify) = (self.state.fixed.bell, self.state.fixed.notify);
        if bell {
            let _ = self.screen.send(b"\x07");
        }
        if notify {
            let _ = self.screen.send(attention::notification(self.surroundings.tmux));
        }
    }
}

/// What is read next, while anything is.
async fn read(reader: &mut Option<Reader>) -> Option<(crossterm::event::Event, Moment)> {
    match reader {
        Some(reader) => reader.next().await,
        None => std::future::pending().await,
    }
}

/// Whether a network or a multiplexer stands between, which may tear sequences.
fn is_remote() -> bool {
    let set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    ["SSH_CONNECTION", "SSH_TTY", "TMUX", "STY", "ZELLIJ"].into_iter().any(set)
}
