//! Enter in the composer: a message, a word after `/`, or a wish to leave.

use crate::agent::{Command, Phase};
use crate::record::limits::MESSAGE_BYTES;
use crate::tui::dialog::Leave;
use crate::tui::effects::{EditorTarget, Effect, OutputWanted};
use crate::tui::reader::{Kind, Reader};
use crate::tui::slash::{Slash, slash};
use crate::tui::state::{Layer, State};
use crate::tui::transcript::Panel;
use crate::tui::{help, sentences};

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
            Slash::Help => self.open_help(),
            Slash::Rules => self.open_rules(),
            Slash::Join => return self.join(rest),
            Slash::Quit => return self.leave(),
            Slash::New => return self.tell_after_draft(&[Command::New, Command::List]),
            Slash::Output => return self.open_last_output(),
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
            Slash::Shell => return vec![Effect::Shell(self.conversation.cwd.clone())],
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

    pub(super) fn open_help(&mut self) {
        let reader = Reader::of_rows("help", help::rows(), help::INDENT, Kind::Text);
        self.layers.push(Layer::Reader(Box::new(reader)));
    }

    fn open_rules(&mut self) {
        if self.conversation.rules.is_empty() {
            self.flash(sentences::NO_RULES);
            return;
        }
        let reader = Reader::of_rows("rules", help::rules(&self.conversation.rules), 2, Kind::Rules);
        self.layers.push(Layer::Reader(Box::new(reader)));
    }

    /// Which variables commands get: their names first.
    pub(super) fn show_environment(&mut self, variables: Vec<(String, String)>) {
        let rows = help::environment(&variables, false);
        self.conversation.environment = variables;
        let reader = Reader::of_rows("environment of commands", rows, 2, Kind::Environment);
        self.layers.push(Layer::Reader(Box::new(reader)));
    }

    /// The same with their values.
    pub(super) fn show_values(&mut self) {
        let rows = help::environment(&std::mem::take(&mut self.conversation.environment), true);
        self.layers.pop();
        let reader = Reader::of_rows("environment of commands", rows, 2, Kind::Text);
        self.layers.push(Layer::Reader(Box::new(reader)));
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

    /// The output of the chosen panel, else of the last command.
    pub(super) fn open_last_output(&mut self) -> Vec<Effect> {
        let transcript = &self.conversation.transcript;
        let session = self.conversation.session.as_ref();
        let last =
            session.and_then(|session| transcript.selected().or_else(|| transcript.last_executed(session)));
        match last {
            Some(panel) => self.open_output(panel),
            None => {
                self.flash(sentences::NO_OUTPUT);
                Vec::new()
            }
        }
    }

    pub(super) fn open_output(&mut self, panel: Panel) -> Vec<Effect> {
        let call = self.conversation.session.as_ref().and_then(|session| panel.call(session));
        let result = call.and_then(|call| call.result.as_ref());
        let started = call.and_then(|call| call.start.as_ref()).map(|start| start.dispatch);
        let kept = result.and_then(|result| result.output.clone()).unwrap_or_default();
        match started.or_else(|| result.and_then(|result| result.dispatch)) {
            Some(dispatch) => {
                let title = self.title_of(dispatch);
                let file = self.conversation.output_file(dispatch);
                vec![Effect::LoadOutput(OutputWanted { file, title, kept })]
            }
            None => {
                self.flash(sentences::NO_OUTPUT);
                Vec::new()
            }
        }
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
