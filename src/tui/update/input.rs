//! What a person does: the topmost layer gets it first.

use super::super::approval;
use super::super::composer::Edited;
use super::super::dialog::{Leaving, Picked};
use super::super::effects::{EditorTarget, Effect, OutputWanted};
use super::super::input::{Input, Key, Timed};
use super::super::keys::{self, Act, Place};
use super::super::moment::Moment;
use super::super::reader::{Kind, Reader};
use super::super::recovery;
use super::super::running::Wish;
use super::super::state::{Armed, Focus, Layer, State};
use super::super::{sentences, words};
use crate::agent::{Command, Phase};
use crossterm::event::{KeyCode, MouseButton, MouseEvent, MouseEventKind};
use ratatui::layout::Position;
use std::time::Duration;

/// Rows of one step of the mouse wheel.
const WHEEL_ROWS: isize = 3;
/// Esc at a limit counts after this silence: the question opened by itself.
const PAUSE: Duration = Duration::from_millis(400);

impl State {
    pub(super) fn input(&mut self, timed: Timed) -> Vec<Effect> {
        match timed.input {
            Input::Resize => Vec::new(),
            Input::Mouse(mouse) => self.mouse(mouse, timed.at),
            Input::Paste(text) => {
                self.paste(&text, timed.at);
                self.touched(timed.at);
                Vec::new()
            }
            Input::Key(key) => {
                let effects = self.key(key, timed.at);
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
            Some(Layer::Sessions) => self.sessions_key(key),
            Some(Layer::Reader(_)) => self.reader_key(key, at),
        }
    }

    fn paste(&mut self, text: &str, at: Moment) {
        match self.layers.last_mut() {
            Some(Layer::Approval(approval)) => {
                if let approval::Outcome::Draft(before) = approval.paste(text, at) {
                    self.composer_letter(before);
                    self.paste_into_draft(text);
                }
            }
            Some(Layer::Recovery(recovery)) => recovery.paste(text),
            Some(Layer::Extension(_)) | None => self.paste_into_draft(text),
            Some(Layer::StillRunning(_) | Layer::Leave(_) | Layer::Sessions | Layer::Reader(_)) => {}
        }
    }

    fn paste_into_draft(&mut self, text: &str) {
        self.focus = Focus::Composer;
        let nuls = self.composer.paste(text);
        if nuls > 0 {
            self.flash(sentences::left_out(nuls));
        }
        self.unsaved.get_or_insert(self.now.moment);
    }

    fn composer_letter(&mut self, letter: Option<char>) {
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

    fn composer_key(&mut self, key: Key) -> Vec<Effect> {
        let empty = self.composer.is_empty();
        let Some(act) = keys::find(Place::Composer, key) else {
            if empty && key == Key::char('?') && !self.is_home() {
                self.open_help();
                return Vec::new();
            }
            return self.edit(None, key);
        };
        match act {
            Act::Send => return self.enter(),
            Act::Esc => return self.esc(),
            Act::Interrupt => return self.interrupt(),
            Act::Leave if empty => return self.leave(),
            Act::Leave => return self.edit(Some(Act::DeleteRight), key),
            Act::Help => self.open_help(),
            Act::Sessions => return self.open_sessions(),
            Act::Output => return self.open_last_output(),
            Act::Editor => return self.open_editor(),
            Act::SwitchFocus => self.tab(),
            Act::PageUp | Act::PageDown | Act::RowUp | Act::RowDown | Act::Top | Act::Bottom => {
                self.scroll(act)
            }
            Act::LineStart if empty && key.code == KeyCode::Home => self.scroll(Act::Top),
            Act::LineEnd if empty && key.code == KeyCode::End => self.scroll(Act::Bottom),
            Act::Up if empty && !self.queue.is_empty() => self.take_back(),
            _ => return self.edit(Some(act), key),
        }
        Vec::new()
    }

    /// An editing key, or a character.
    fn edit(&mut self, act: Option<Act>, key: Key) -> Vec<Effect> {
        let was_empty = self.composer.is_empty();
        let edited = match act {
            Some(act) => self.composer.edit(act),
            None => self.composer.key(key),
        };
        match edited {
            Edited::Text => _ = self.unsaved.get_or_insert(self.now.moment),
            Edited::Past if act == Some(Act::Up) && was_empty && self.is_home() => {
                if self.sessions.enter_from_below() {
                    self.focus = Focus::List;
                }
            }
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

    fn tab(&mut self) {
        let completed = self.composer.slash_word().and_then(keys::complete);
        if let Some(word) = completed {
            self.composer.set(&format!("{word} "));
            return;
        }
        if self.is_home() {
            if self.sessions.enter_from_below() {
                self.focus = Focus::List;
            }
            return;
        }
        self.focus = Focus::Transcript;
        let now = self.now;
        self.conversation.with_transcript(now, |transcript, look| transcript.select(0, look));
    }

    fn scroll(&mut self, act: Act) {
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

    fn interrupt(&mut self) -> Vec<Effect> {
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

    fn list_key(&mut self, key: Key) -> Vec<Effect> {
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
        match self.sessions.chosen() {
            Some(row) => vec![Effect::Tell(Command::Open(row.id))],
            None => Vec::new(),
        }
    }

    fn sessions_key(&mut self, key: Key) -> Vec<Effect> {
        match keys::find(Place::List, key) {
            Some(Act::Esc | Act::Interrupt) => _ = self.layers.pop(),
            Some(Act::Open) => {
                self.layers.pop();
                return self.open_chosen();
            }
            Some(act) => self.walk_list(act),
            None => {}
        }
        Vec::new()
    }

    fn transcript_key(&mut self, key: Key) -> Vec<Effect> {
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
            Some(Act::Open) => return self.open_last_output(),
            Some(act) => self.scroll(act),
            None => {
                self.focus = Focus::Composer;
                self.conversation.transcript.deselect();
                return self.composer_key(key);
            }
        }
        Vec::new()
    }

    fn reader_key(&mut self, key: Key, at: Moment) -> Vec<Effect> {
        let Some(Layer::Reader(reader)) = self.layers.last_mut() else { return Vec::new() };
        let ends_rules = reader.kind == Kind::Rules && key.code == KeyCode::Delete;
        match keys::find(Place::Reader, key) {
            Some(Act::Close | Act::Esc | Act::Interrupt) => self.close_reader(at),
            _ if ends_rules => {
                self.close_reader(at);
                self.conversation.rules.clear();
                return vec![Effect::Tell(Command::RevokeRules)];
            }
            Some(act) => reader.act(act),
            None => {}
        }
        Vec::new()
    }

    /// Closes a reader. The key that did counts for what is below it.
    fn close_reader(&mut self, at: Moment) {
        self.layers.pop();
        if let Some(Layer::Approval(approval)) = self.layers.last_mut() {
            approval.touched(at);
        }
    }

    fn approval_key(&mut self, key: Key, at: Moment) -> Vec<Effect> {
        let draft = self.composer.text();
        match keys::find(Place::Composer, key) {
            Some(act @ (Act::RowUp | Act::RowDown)) => {
                self.scroll(act);
                return Vec::new();
            }
            Some(Act::Leave) if draft.is_empty() => return self.leave(),
            _ => {}
        }
        // Ctrl+C stops the answer, by the same rule as Esc.
        let key = if key == Key::ctrl('c') { Key::plain(KeyCode::Esc) } else { key };
        let Some(Layer::Approval(approval)) = self.layers.last_mut() else { return Vec::new() };
        let outcome = approval.key(key, at, &draft);
        self.approval_outcome(outcome, key)
    }

    fn approval_outcome(&mut self, outcome: approval::Outcome, key: Key) -> Vec<Effect> {
        use approval::Outcome;
        match outcome {
            Outcome::Nothing => {}
            Outcome::Draft(before) => {
                self.composer_letter(before);
                return self.draft_key(key);
            }
            Outcome::Letter(letter) => self.composer_letter(Some(letter)),
            Outcome::Decide(verdict) => {
                return self.answered(|call, fingerprint| Command::Decide { call, fingerprint, verdict });
            }
            Outcome::Stop => return self.answered(|_, _| Command::StopAnswer),
            Outcome::Change { command, timeout_ms } => {
                let call = self.approval().map(|approval| approval.request.call.clone());
                let edit = call.map(|call| Command::Edit { call, command, timeout_ms });
                return edit.map(Effect::Tell).into_iter().collect();
            }
            Outcome::Editor => {
                let text = self.approval().and_then(|approval| approval.field_text());
                let open = text.map(|text| Effect::Editor { text, target: EditorTarget::Field });
                return open.into_iter().collect();
            }
        }
        Vec::new()
    }

    /// A key for the draft below a dialog: it edits, and does nothing else.
    fn draft_key(&mut self, key: Key) -> Vec<Effect> {
        match keys::find(Place::Composer, key) {
            None => self.edit(None, key),
            Some(Act::Leave) => self.edit(Some(Act::DeleteRight), key),
            Some(
                Act::Send
                | Act::Esc
                | Act::Interrupt
                | Act::SwitchFocus
                | Act::Up
                | Act::Down
                | Act::Suspend
                | Act::Repaint,
            ) => Vec::new(),
            Some(act) => self.edit(Some(act), key),
        }
    }

    /// The dialog is answered; a letter that came too early is no draft.
    fn answered(
        &mut self,
        command: impl FnOnce(crate::record::CallId, crate::record::Digest) -> Command,
    ) -> Vec<Effect> {
        let draft = self.composer.text();
        let Some(Layer::Approval(approval)) = self.layers.pop() else { return Vec::new() };
        if approval.is_early_letter(&draft) {
            self.composer.clear();
        }
        self.conversation.asked = None;
        self.refresh();
        vec![Effect::Tell(command(approval.request.call.clone(), approval.request.fingerprint))]
    }

    fn recovery_key(&mut self, key: Key, at: Moment) -> Vec<Effect> {
        let Some(Layer::Recovery(recovery)) = self.layers.last_mut() else { return Vec::new() };
        let outcome = recovery.key(key, at);
        match outcome {
            recovery::Outcome::Nothing => Vec::new(),
            recovery::Outcome::Save(statements) => vec![Effect::Tell(Command::Acknowledge(statements))],
            recovery::Outcome::Leave => self.close(false),
            recovery::Outcome::Shell(cwd) => {
                vec![Effect::Shell(cwd.unwrap_or_else(|| self.conversation.cwd.clone()))]
            }
            recovery::Outcome::Transcript => {
                self.open_transcript();
                Vec::new()
            }
            recovery::Outcome::Output => self.open_unknown_output(),
            recovery::Outcome::Again(sentence) => {
                self.composer.set(&sentence);
                if let Some(Layer::Recovery(recovery)) = self.layers.last_mut() {
                    recovery.missing = Some(sentences::IN_COMPOSER.to_owned());
                }
                Vec::new()
            }
        }
    }

    fn open_transcript(&mut self) {
        let now = self.now;
        let rows = self.conversation.with_transcript(now, |transcript, look| transcript.all_rows(look));
        let reader = Reader::of_rows("conversation", rows.unwrap_or_default(), 3, Kind::Text);
        self.layers.push(Layer::Reader(Box::new(reader)));
    }

    fn open_unknown_output(&mut self) -> Vec<Effect> {
        let Some(Layer::Recovery(recovery)) = self.layers.last() else { return Vec::new() };
        let Some(report) = recovery.page().and_then(|page| page.reports.first()) else { return Vec::new() };
        let operation = report.operation.as_ref();
        let title = operation.map_or_else(|| "output".to_owned(), |known| words::summary(known.summary()));
        let file = report.output_path.clone().or_else(|| self.conversation.output_file(report.dispatch));
        vec![Effect::LoadOutput(OutputWanted { file, title, kept: report.output.clone() })]
    }

    fn running_key(&mut self, key: Key) -> Vec<Effect> {
        let Some(Layer::StillRunning(form)) = self.layers.last_mut() else { return Vec::new() };
        let dispatch = form.command.dispatch;
        match form.menu.key(key) {
            Picked::Open => return Vec::new(),
            Picked::Closed | Picked::Answer(Wish::Wait) => _ = self.layers.pop(),
            Picked::Answer(Wish::Stop) => {
                self.layers.pop();
                return vec![Effect::Tell(Command::StopCommand)];
            }
            Picked::Answer(Wish::GiveUp) => {
                self.layers.pop();
                return vec![Effect::Tell(Command::GiveUp(dispatch))];
            }
            Picked::Answer(Wish::Leave) => return self.close(false),
        }
        Vec::new()
    }

    fn leave_key(&mut self, key: Key) -> Vec<Effect> {
        let Some(Layer::Leave(leave)) = self.layers.last_mut() else { return Vec::new() };
        let picked = leave.menu.key(key);
        let message = leave.message.clone();
        match picked {
            Picked::Open => return Vec::new(),
            Picked::Closed | Picked::Answer(Leaving::Stay) => _ = self.layers.pop(),
            Picked::Answer(Leaving::Leave) => {
                self.layers.pop();
                // A word like `quit` asked first; a running command asks on its own.
                return if message.is_some() { self.leave() } else { self.close(false) };
            }
            Picked::Answer(Leaving::Stop) => {
                self.layers.pop();
                return self.close(true);
            }
            Picked::Answer(Leaving::Send) => {
                self.layers.pop();
                return message.map(|text| self.send(text)).unwrap_or_default();
            }
        }
        Vec::new()
    }

    fn extension_key(&mut self, key: Key, at: Moment) -> Vec<Effect> {
        let calm = self.last_key.is_none_or(|last| at.since(last) >= PAUSE);
        let Some(Layer::Extension(extension)) = self.layers.last_mut() else { return Vec::new() };
        let chooses = matches!(
            key.code,
            KeyCode::Tab | KeyCode::BackTab | KeyCode::Left | KeyCode::Right | KeyCode::Enter | KeyCode::Esc
        );
        if !chooses || (key.code == KeyCode::Esc && !calm) {
            return self.draft_key(key);
        }
        let go_on = match extension.menu.key(key) {
            Picked::Open => return Vec::new(),
            Picked::Closed => false,
            Picked::Answer(go_on) => go_on,
        };
        self.layers.pop();
        vec![Effect::Tell(Command::Extend(go_on))]
    }

    fn mouse(&mut self, mouse: MouseEvent, at: Moment) -> Vec<Effect> {
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
