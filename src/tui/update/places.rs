//! Keys for lists and the conversation; the mouse.

use crate::agent::Command;
use crate::tui::effects::Effect;
use crate::tui::input::Key;
use crate::tui::keys::{self, Act, Place};
use crate::tui::moment::Moment;
use crate::tui::state::{Focus, Layer, State};
use crossterm::event::{MouseButton, MouseEvent, MouseEventKind};
use ratatui::layout::Position;

/// Rows of one step of the mouse wheel.
const WHEEL_ROWS: isize = 3;

impl State {
    pub(super) fn list_key(&mut self, key: Key) -> Vec<Effect> {
        match keys::find(Place::List, key) {
            Some(Act::Esc) => self.focus = Focus::Composer,
            Some(Act::Interrupt) => {
                self.focus = Focus::Composer;
                return self.interrupt();
            }
            Some(Act::Down) if self.sessions.walk(1) => self.focus = Focus::Composer,
            Some(Act::Down) => {}
            Some(Act::Open) => return self.open_chosen(),
            Some(act) => self.walk_list(act),
            // What is typed belongs to the composer, whatever has the focus.
            None if key.typed().is_some() => {
                self.focus = Focus::Composer;
                return self.composer_key(key);
            }
            None => {}
        }
        Vec::new()
    }

    fn walk_list(&mut self, act: Act) {
        let step = match act {
            Act::Up => -1,
            Act::Down => 1,
            Act::PageUp => -10,
            Act::PageDown => 10,
            Act::Top => isize::MIN,
            Act::Bottom => isize::MAX,
            _ => return,
        };
        self.sessions.walk(step);
    }

    fn open_chosen(&mut self) -> Vec<Effect> {
        match self.sessions.chosen().map(|row| row.id) {
            Some(id) => self.tell_after_draft(&[Command::Open(id)]),
            None => Vec::new(),
        }
    }

    pub(super) fn transcript_key(&mut self, key: Key) -> Vec<Effect> {
        let now = self.now;
        match keys::find(Place::Transcript, key) {
            Some(Act::Esc | Act::SwitchFocus) => {
                self.focus = Focus::Composer;
                self.conversation.transcript.deselect();
            }
            Some(Act::Interrupt) => return self.interrupt(),
            Some(Act::Up) => {
                self.conversation.with_transcript(now, |transcript, look| transcript.select(-1, look));
            }
            Some(Act::Down) => {
                self.conversation.with_transcript(now, |transcript, look| transcript.select(1, look));
            }
            Some(Act::Open) => return self.open_chosen_output(),
            Some(act @ (Act::Left | Act::Right)) => self.fold(act == Act::Right),
            Some(act) => self.scroll(act),
            None => {
                self.focus = Focus::Composer;
                self.conversation.transcript.deselect();
                return self.composer_key(key);
            }
        }
        Vec::new()
    }

    /// Shows more or less of the chosen panel.
    fn fold(&mut self, more: bool) {
        if let Some(panel) = self.conversation.transcript.selected() {
            self.conversation.folds.change(panel, more);
            let now = self.now;
            self.conversation.with_transcript(now, |transcript, look| transcript.refold(look));
        }
    }

    pub(super) fn mouse(&mut self, mouse: MouseEvent, at: Moment) -> Vec<Effect> {
        let wheel = match mouse.kind {
            MouseEventKind::ScrollUp => -WHEEL_ROWS,
            MouseEventKind::ScrollDown => WHEEL_ROWS,
            MouseEventKind::Down(MouseButton::Left) => return self.click(mouse, at, true),
            MouseEventKind::Up(MouseButton::Left) => return self.click(mouse, at, false),
            _ => return Vec::new(),
        };
        let now = self.now;
        match self.layers.last_mut() {
            Some(Layer::Reader(reader)) => reader.scroll(wheel),
            Some(Layer::Sessions(_)) => return self.sessions_wheel(wheel, mouse.column),
            Some(Layer::Approval(_)) | None => {
                self.conversation.with_transcript(now, |transcript, look| transcript.scroll(wheel, look));
            }
            Some(_) => {}
        }
        Vec::new()
    }

    fn click(&mut self, mouse: MouseEvent, at: Moment, down: bool) -> Vec<Effect> {
        let here = Position::new(mouse.column, mouse.row);
        let on = self.choice_places.iter().find(|(_, area)| area.contains(here)).map(|(choice, _)| *choice);
        let draft = self.composer.text();
        if let Some(Layer::Approval(approval)) = self.layers.last_mut() {
            match down {
                true => approval.mouse_down(on, at, &draft),
                false => approval.mouse_up(on, at, &draft),
            }
        }
        Vec::new()
    }
}
