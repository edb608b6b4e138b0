//! What a person does: the topmost layer gets it first.

use crate::agent::{Command, Phase};
use crate::tui::approval;
use crate::tui::composer::Edited;
use crate::tui::effects::Effect;
use crate::tui::help::Part;
use crate::tui::input::{Input, Key, Timed};
use crate::tui::keys::{self, Act, Place};
use crate::tui::moment::Moment;
use crate::tui::state::{Armed, Focus, Layer, State};
use crate::tui::update::Change;
use crate::tui::{sentences, words};
use crossterm::event::KeyCode;

impl State {
    pub(super) fn input(&mut self, timed: Timed) -> Vec<Effect> {
        match timed.input {
            Input::Resize => Vec::new(),
            Input::Mouse(mouse) => self.mouse(mouse, timed.at),
            Input::Paste(text) => {
                self.flash_was_read(timed.at);
                let effects = self.paste(&text, timed.at);
                self.touched(timed.at);
                effects
            }
            Input::Key(key) => {
                self.flash_was_read(timed.at);
                let only_writes = self.only_writes();
                let effects = self.key(key, timed.at);
                if !only_writes || !effects.is_empty() {
                    self.change = Change::All;
                }
                self.touched(timed.at);
                effects
            }
        }
    }

    /// A key or paste came: nobody has to be called.
    fn touched(&mut self, at: Moment) {
        self.last_key = Some(at);
        self.call_at = None;
    }

    fn key(&mut self, key: Key, at: Moment) -> Vec<Effect> {
        match keys::find(Place::Everywhere, key) {
            Some(Act::Suspend) => return vec![Effect::Suspend],
            Some(Act::Repaint) => return vec![Effect::Repaint],
            _ => {}
        }
        match self.layers.last() {
            None => self.base_key(key),
            Some(Layer::Approval(_)) => self.approval_key(key, at),
            Some(Layer::Recovery(_)) => self.recovery_key(key, at),
            Some(Layer::StillRunning(_)) => self.running_key(key),
            Some(Layer::Leave(_)) => self.leave_key(key),
            Some(Layer::Extension(_)) => self.extension_key(key, at),
            Some(Layer::Sessions(_)) => self.sessions_key(key),
            Some(Layer::Reader(_)) => self.reader_key(key, at),
            Some(Layer::Setup(_)) => self.setup_key(key),
        }
    }

    fn paste(&mut self, text: &str, at: Moment) -> Vec<Effect> {
        match self.layers.last_mut() {
            Some(Layer::Approval(approval)) => {
                if let approval::Outcome::Draft(before) = approval.paste(text, at) {
                    self.composer_letter(before);
                    self.paste_into_draft(text);
                }
            }
            Some(Layer::Recovery(recovery)) => recovery.paste(text),
            Some(Layer::Setup(setup)) => setup.paste(text),
            Some(Layer::Extension(_)) | None => self.paste_into_draft(text),
            Some(Layer::Sessions(_)) => return self.sessions_paste(text),
            Some(Layer::Reader(reader)) => reader.paste(text),
            Some(Layer::StillRunning(_) | Layer::Leave(_)) => {}
        }
        Vec::new()
    }

    pub(super) fn paste_into_draft(&mut self, text: &str) {
        self.focus = Focus::Composer;
        if self.layers.is_empty() && self.search_paste(text) {
            return;
        }
        let nuls = self.composer.paste(text);
        if nuls > 0 {
            self.flash(sentences::left_out(nuls));
        }
        self.unsaved.get_or_insert(self.now.moment);
    }

    pub(super) fn composer_letter(&mut self, letter: Option<char>) {
        if let Some(letter) = letter {
            self.composer.type_char(letter);
            self.unsaved.get_or_insert(self.now.moment);
        }
    }

    fn base_key(&mut self, key: Key) -> Vec<Effect> {
        match self.focus {
            Focus::Composer => self.composer_key(key),
            Focus::List => self.list_key(key),
            Focus::Transcript => self.transcript_key(key),
        }
    }

    pub(super) fn composer_key(&mut self, key: Key) -> Vec<Effect> {
        if let Some(effects) = self.assist_key(key) {
            return effects;
        }
        let empty = self.composer.is_empty();
        let Some(act) = keys::find(Place::Composer, key) else {
            if empty && key == Key::char('?') && !self.is_home() {
                self.open_help(Part::Beginning);
                return Vec::new();
            }
            return self.write(None, key);
        };
        match act {
            Act::Send => return self.enter(),
            Act::Esc => return self.esc(),
            Act::Interrupt => return self.interrupt(),
            // Nothing to be seen is nothing to delete.
            Act::Leave if self.composer.text().trim().is_empty() => return self.leave(),
            Act::Leave => return self.write(Some(Act::DeleteRight), key),
            Act::Help => self.open_help(Part::Beginning),
            Act::Sessions => return self.open_sessions(),
            Act::Output => return self.open_last_output(),
            Act::Transcript => self.open_transcript(),
            Act::Editor => return self.open_editor(),
            Act::History => self.open_search(),
            Act::SwitchFocus => self.tab(),
            Act::PageUp | Act::PageDown | Act::RowUp | Act::RowDown | Act::Top | Act::Bottom => {
                self.scroll(act)
            }
            Act::LineStart if empty && key.code == KeyCode::Home => self.scroll(Act::Top),
            Act::LineEnd if empty && key.code == KeyCode::End => self.scroll(Act::Bottom),
            Act::Up if empty && !self.queue.is_empty() => self.take_back(),
            Act::Up if empty && self.is_home() && !self.sessions.rows().is_empty() => self.enter_list(),
            _ => return self.write(Some(act), key),
        }
        Vec::new()
    }

    /// The same, and nothing but the draft can look different.
    fn write(&mut self, act: Option<Act>, key: Key) -> Vec<Effect> {
        self.change = Change::Draft;
        self.edit(act, key)
    }

    /// An editing key, or a character.
    pub(super) fn edit(&mut self, act: Option<Act>, key: Key) -> Vec<Effect> {
        match self.composer.press(act, key) {
            Edited::Text => _ = self.unsaved.get_or_insert(self.now.moment),
            Edited::Past | Edited::Cursor => {}
        }
        Vec::new()
    }

    /// The last queued message comes back into the composer.
    fn take_back(&mut self) {
        if let Some(message) = self.queue.pop() {
            self.composer.set(&message);
        }
    }

    /// Up from the empty composer, at the start.
    fn enter_list(&mut self) {
        if self.sessions.enter_from_below() {
            self.focus = Focus::List;
        }
    }

    fn tab(&mut self) {
        if self.is_home() {
            if self.sessions.enter_at_top() {
                self.focus = Focus::List;
            }
            return;
        }
        self.focus = Focus::Transcript;
        let now = self.now;
        self.conversation.with_transcript(now, |transcript, look| transcript.select(0, look));
    }

    pub(super) fn scroll(&mut self, act: Act) {
        let now = self.now;
        self.conversation.with_transcript(now, |transcript, look| match act {
            Act::PageUp => transcript.scroll_page(-1, look),
            Act::PageDown => transcript.scroll_page(1, look),
            Act::RowUp => transcript.scroll(-1, look),
            Act::RowDown => transcript.scroll(1, look),
            Act::Top => transcript.go_to_top(look),
            _ => transcript.go_to_end(),
        });
    }

    /// Esc with nothing on top: stops the answer, never a command.
    fn esc(&mut self) -> Vec<Effect> {
        self.focus = Focus::Composer;
        self.conversation.transcript.deselect();
        match self.conversation.phase.clone() {
            Some(Phase::Running(command)) => {
                self.arm(Armed::Stop, sentences::runs_on(&words::summary(&command.summary)));
                Vec::new()
            }
            _ if self.conversation.is_busy() => vec![Effect::Tell(Command::StopAnswer)],
            _ => {
                self.flash = None;
                Vec::new()
            }
        }
    }

    pub(super) fn interrupt(&mut self) -> Vec<Effect> {
        let armed = self.armed.take().map(|(armed, _)| armed);
        match self.conversation.phase.clone() {
            Some(Phase::Running(command)) => {
                if armed == Some(Armed::Stop) {
                    self.flash = None;
                    return vec![Effect::Tell(Command::StopCommand)];
                }
                self.arm(Armed::Stop, sentences::runs_on(&words::summary(&command.summary)));
            }
            _ if self.conversation.is_busy() => return vec![Effect::Tell(Command::StopAnswer)],
            _ if !self.composer.is_empty() => {
                self.composer.put_into_history();
                self.unsaved.get_or_insert(self.now.moment);
            }
            _ if armed == Some(Armed::Leave) => return self.leave(),
            _ => self.arm(Armed::Leave, sentences::AGAIN_LEAVES),
        }
        Vec::new()
    }
}
