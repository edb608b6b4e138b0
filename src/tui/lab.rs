//! The screen without a terminal and without an agent, for the benches: the real
//! state and views, and the bytes that a terminal would get.
#![allow(missing_docs)] // for the benches alone

use super::clock::Clock;
use super::input::{Input, Key, Timed};
use super::painter::Painter;
use super::state::{Fixed, State};
use super::surroundings::Surroundings;
use super::theme::Theme;
use super::update::Happening;
use super::views;
use super::words::Words;
use crate::agent::{Delta, Event, OpenedSession, Phase};
use crate::config::ScreenSettings;
use crate::session::Session;
use crossterm::event::{KeyCode, KeyModifiers};
use ratatui::layout::Rect;
use std::io::{self, Write};
use std::rc::Rc;

/// In which rows are counted.
const WIDTH: usize = 120;

/// The keys that a bench presses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Press {
    Letter(char),
    Backspace,
    PageUp,
    PageDown,
    RowUp,
    Top,
    Bottom,
}

/// Counts what is written, and forgets it.
#[derive(Debug, Default, Clone)]
struct Counted(Rc<std::cell::Cell<usize>>);

/// A conversation on a screen that nobody sees.
#[derive(Debug)]
pub struct Stage {
    state: State,
    theme: Theme,
    clock: Clock,
    painter: Painter<Counted>,
    area: Rect,
    written: Counted,
}

impl Stage {
    pub fn new(session: Session, columns: u16, rows: u16) -> Self {
        let clock = Clock::start();
        let fixed = Fixed {
            words: Words { zone: Some(jiff::tz::TimeZone::UTC), home: None },
            cwd: "/".into(),
            model: "bench".into(),
            demo: false,
            context_window: 0,
            bell: false,
            notify: false,
            mouse: false,
        };
        let surroundings = Surroundings { locale: "C.UTF-8".into(), ..Surroundings::default() };
        let theme = Theme::new(&ScreenSettings::default(), &surroundings);
        let state = State::new(fixed, "", clock.now());
        let written = Counted::default();
        let painter = Painter::new(written.clone());
        let area = Rect::new(0, 0, columns, rows);
        let mut stage = Self { state, theme, clock, painter, area, written };
        let opened = OpenedSession {
            id: Some(session.id()),
            session,
            cwd: "/".into(),
            path: None,
            read_only: None,
            found: Vec::new(),
            draft: String::new(),
            model: "bench".into(),
            given: Vec::new(),
            demo: false,
        };
        stage.happen(Happening::Event(Box::new(Event::Opened(Box::new(opened)))));
        stage.happen(Happening::Event(Box::new(Event::Phase(Phase::Ready))));
        stage
    }

    /// What the model says now.
    pub fn delta(&mut self, text: &str) {
        self.happen(Happening::Event(Box::new(Event::Delta(Delta::Text(text.to_owned())))));
    }

    pub fn press(&mut self, press: Press) {
        let with = |code, mods| Key { code, mods };
        let key = match press {
            Press::Letter(letter) => Key::char(letter),
            Press::Backspace => Key::plain(KeyCode::Backspace),
            Press::PageUp => Key::plain(KeyCode::PageUp),
            Press::PageDown => Key::plain(KeyCode::PageDown),
            Press::RowUp => with(KeyCode::Up, KeyModifiers::CONTROL),
            Press::Top => with(KeyCode::Home, KeyModifiers::CONTROL),
            Press::Bottom => with(KeyCode::End, KeyModifiers::CONTROL),
        };
        let at = self.clock.moment();
        self.happen(Happening::Input(Timed { input: Input::Key(key), at }));
    }

    /// Another size of the terminal.
    pub fn resize(&mut self, columns: u16, rows: u16) {
        self.area = Rect::new(0, 0, columns, rows);
        let at = self.clock.moment();
        self.happen(Happening::Input(Timed { input: Input::Resize, at }));
    }

    /// Draws a frame as the driver does; how many bytes a terminal would get.
    ///
    /// # Errors
    /// Never, with a terminal in memory.
    pub fn draw(&mut self) -> io::Result<usize> {
        self.state.now = self.clock.now();
        let (state, theme) = (&mut self.state, self.theme);
        let mut painted = None;
        self.painter.draw(self.area, |picture| painted = Some(views::draw(state, theme, picture)))?;
        if let Some(painted) = painted {
            let _ = self.state.painted(painted, self.clock.moment());
        }
        Ok(self.written.0.take())
    }

    /// How many rows the conversation has in 120 columns.
    pub fn rows(&mut self) -> usize {
        let now = self.clock.now();
        let rows = self
            .state
            .conversation
            .with_transcript(now, |transcript, look| transcript.whole(WIDTH, look).rows.len());
        rows.unwrap_or(0)
    }

    fn happen(&mut self, happening: Happening) {
        let now = self.clock.now();
        // Whatever it asks for, nobody does it here.
        drop(self.state.happened(happening, now));
    }
}

impl Write for Counted {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.set(self.0.get() + bytes.len());
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
