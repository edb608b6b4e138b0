//! Keys for the dialogs.

use crate::agent::Command;
use crate::record::{CallId, Digest};
use crate::tui::approval;
use crate::tui::dialog::{Leaving, Picked};
use crate::tui::effects::{EditorTarget, Effect};
use crate::tui::help::Part;
use crate::tui::input::Key;
use crate::tui::keys::{self, Act, Place};
use crate::tui::moment::Moment;
use crate::tui::recovery;
use crate::tui::running::Wish;
use crate::tui::sentences;
use crate::tui::state::{Layer, State};
use crossterm::event::KeyCode;
use std::time::Duration;

/// Esc at a limit counts after this silence: the question opened by itself.
const PAUSE: Duration = Duration::from_millis(400);

impl State {
    pub(super) fn approval_key(&mut self, key: Key, at: Moment) -> Vec<Effect> {
        let draft = self.composer.text();
        match keys::find(Place::Composer, key) {
            Some(act @ (Act::RowUp | Act::RowDown)) => {
                self.scroll(act);
                return Vec::new();
            }
            Some(Act::Leave) if draft.is_empty() => return self.leave(),
            Some(Act::Help) => {
                self.open_help(Part::Approval);
                return Vec::new();
            }
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
    fn answered(&mut self, command: impl FnOnce(CallId, Digest) -> Command) -> Vec<Effect> {
        let draft = self.composer.text();
        let Some(Layer::Approval(approval)) = self.layers.pop() else { return Vec::new() };
        if approval.is_early_letter(&draft) {
            self.composer.clear();
        }
        self.conversation.asked = None;
        self.refresh();
        vec![Effect::Tell(command(approval.request.call.clone(), approval.request.fingerprint))]
    }

    pub(super) fn recovery_key(&mut self, key: Key, at: Moment) -> Vec<Effect> {
        if keys::find(Place::Composer, key) == Some(Act::Help) {
            self.open_help(Part::Unknown);
            return Vec::new();
        }
        let Some(Layer::Recovery(recovery)) = self.layers.last_mut() else { return Vec::new() };
        let outcome = recovery.key(key, at);
        match outcome {
            recovery::Outcome::Nothing => Vec::new(),
            recovery::Outcome::Save(statements) => vec![Effect::Tell(Command::Acknowledge(statements))],
            recovery::Outcome::Leave => self.close(false),
            recovery::Outcome::Shell(cwd) => {
                self.flash_is_over();
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

    pub(super) fn running_key(&mut self, key: Key) -> Vec<Effect> {
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

    pub(super) fn leave_key(&mut self, key: Key) -> Vec<Effect> {
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

    pub(super) fn extension_key(&mut self, key: Key, at: Moment) -> Vec<Effect> {
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
}
