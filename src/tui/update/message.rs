//! Enter in the composer: a message, a word after `/`, or a wish to leave.

use crate::agent::{Command, Phase};
use crate::record::limits::MESSAGE_BYTES;
use crate::tui::dialog::Leave;
use crate::tui::effects::{EditorTarget, Effect};
use crate::tui::help::Part;
use crate::tui::sentences;
use crate::tui::slash::{Slash, slash};
use crate::tui::state::{Layer, State};

/// A model's name; a base URL may follow it.
fn named_model(rest: &str) -> Command {
    let (name, base_url) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
    let base_url = Some(base_url.trim().to_owned()).filter(|url| !url.is_empty());
    Command::SetModel { name: name.to_owned(), base_url }
}

impl State {
    /// Enter.
    pub(super) fn enter(&mut self) -> Vec<Effect> {
        if let Some(taken) = self.take_over() {
            return taken;
        }
        if self.composer.continue_line() {
            return Vec::new();
        }
        let text = self.composer.text();
        if text.trim().is_empty() {
            return Vec::new();
        }
        if let Some((word, rest)) = slash(&text) {
            let rest = rest.to_owned();
            self.composer.put_into_history();
            return self.obey(word, &rest);
        }
        if sentences::LEAVE_WORDS.contains(&text.trim()) {
            self.composer.clear();
            self.layers.push(Layer::Leave(Leave::said(text)));
            return Vec::new();
        }
        if text.len() > MESSAGE_BYTES {
            self.flash(sentences::too_long(text.len()));
            return Vec::new();
        }
        self.composer.put_into_history();
        self.send(text)
    }

    /// Sends a message, or queues it while a turn runs.
    pub(super) fn send(&mut self, text: String) -> Vec<Effect> {
        self.unsaved.get_or_insert(self.now.moment);
        self.conversation.transcript.go_to_end();
        if self.conversation.is_busy() {
            self.queue.push(text);
            return Vec::new();
        }
        vec![Effect::Tell(Command::Send(text))]
    }

    fn obey(&mut self, word: Slash, rest: &str) -> Vec<Effect> {
        match word {
            Slash::Help => self.open_help(Part::Beginning),
            Slash::Rules => self.open_rules(),
            Slash::Join => return self.join(rest),
            Slash::Quit => return self.leave(),
            Slash::New => return self.tell_after_draft(&[Command::New, Command::List]),
            Slash::Output => return self.open_last_output(),
            Slash::Transcript => self.open_transcript(),
            Slash::Copy => return self.copy_answer(),
            Slash::Sessions => return self.open_sessions(),
            Slash::Rename if rest.is_empty() => self.flash(sentences::TITLE_WANTED),
            Slash::Rename => return vec![Effect::Tell(Command::Rename(rest.to_owned()))],
            Slash::Model if rest.is_empty() => return self.open_setup(),
            Slash::Model => return vec![Effect::Tell(named_model(rest))],
            Slash::Fork => return self.fork(rest),
            Slash::Editor => return self.open_editor(),
            Slash::History => self.open_search(),
            Slash::Env => return vec![Effect::Tell(Command::Environment)],
            Slash::Mouse => return self.toggle_mouse(),
            Slash::Shell => {
                // It would be seen again after the shell, as if it were new.
                self.flash_is_over();
                return vec![Effect::Shell(self.conversation.cwd.clone())];
            }
        }
        Vec::new()
    }

    fn fork(&mut self, rest: &str) -> Vec<Effect> {
        let without = if rest.is_empty() { Ok(0) } else { rest.parse() };
        match without {
            Ok(without) => self.tell_after_draft(&[Command::Fork { without }]),
            Err(_) => {
                self.flash(sentences::FORK_NUMBER);
                Vec::new()
            }
        }
    }

    /// Commands that leave the session: its draft is kept before.
    pub(super) fn tell_after_draft(&mut self, commands: &[Command]) -> Vec<Effect> {
        let draft = self.save_draft();
        draft.into_iter().chain(commands.iter().cloned().map(Effect::Tell)).collect()
    }

    fn toggle_mouse(&mut self) -> Vec<Effect> {
        self.mouse = !self.mouse;
        self.flash(if self.mouse { sentences::MOUSE_OURS } else { sentences::MOUSE_YOURS });
        vec![Effect::Mouse(self.mouse)]
    }

    pub(super) fn open_editor(&mut self) -> Vec<Effect> {
        vec![Effect::Editor { text: self.composer.text(), target: EditorTarget::Draft }]
    }

    /// A message for the running turn: the one that follows, or the queued ones.
    fn join(&mut self, rest: &str) -> Vec<Effect> {
        if !self.conversation.is_busy() {
            self.flash(sentences::NOTHING_TO_JOIN);
            self.put_back(rest);
            return Vec::new();
        }
        if !rest.is_empty() {
            return vec![Effect::Tell(Command::Join(rest.to_owned()))];
        }
        if self.queue.is_empty() {
            self.flash(sentences::NOTHING_QUEUED);
        }
        std::mem::take(&mut self.queue).into_iter().map(|text| Effect::Tell(Command::Join(text))).collect()
    }

    /// Leaves, or asks what becomes of a running command.
    pub(super) fn leave(&mut self) -> Vec<Effect> {
        match self.conversation.phase.clone() {
            Some(Phase::Running(command)) => {
                self.layers.push(Layer::Leave(Leave::running(command.summary)));
                Vec::new()
            }
            _ => self.close(false),
        }
    }
}
