//! Keys and events for the dialog that asks which model answers.

use crate::agent::Command;
use crate::agent::first::FirstStart;
use crate::tui::effects::Effect;
use crate::tui::input::Key;
use crate::tui::keys::{self, Act, Place};
use crate::tui::setup::{ModelSetup, Outcome};
use crate::tui::state::{Layer, State};

impl State {
    /// Opens the dialog of a first start; gives what it needs to know from the agent.
    pub(crate) fn ask_for_model(&mut self, first: &FirstStart) -> Command {
        let (setup, command) = match first {
            FirstStart::Nothing => (ModelSetup::first(), Command::FindLocal),
            FirstStart::Server(model) => (ModelSetup::of_server(model), Command::Reach(model.clone())),
        };
        self.layers.push(Layer::Setup(Box::new(setup)));
        command
    }

    /// `/model`
    pub(super) fn open_setup(&mut self) -> Vec<Effect> {
        self.layers.push(Layer::Setup(Box::new(ModelSetup::another())));
        vec![Effect::Tell(Command::ListModels)]
    }

    /// Something became known that was asked for by the dialog.
    pub(super) fn in_setup(&mut self, act: impl FnOnce(&mut ModelSetup)) {
        let setup = self.layers.iter_mut().find_map(|layer| match layer {
            Layer::Setup(setup) => Some(setup),
            _ => None,
        });
        if let Some(setup) = setup {
            act(setup);
        }
    }

    pub(super) fn setup_key(&mut self, key: Key) -> Vec<Effect> {
        if matches!(keys::find(Place::Composer, key), Some(Act::Interrupt)) {
            return self.close_setup(None);
        }
        let Some(Layer::Setup(setup)) = self.layers.last_mut() else { return Vec::new() };
        let command = match setup.key(key) {
            Outcome::Nothing => return Vec::new(),
            Outcome::FindLocal => return vec![Effect::Tell(Command::FindLocal)],
            Outcome::Reach(model) => return vec![Effect::Tell(Command::Reach(Box::new(model)))],
            Outcome::Demo => Some(Command::UseDemo),
            Outcome::Use(model) => Some(Command::UseModel(Box::new(model))),
            Outcome::Close => None,
        };
        self.close_setup(command)
    }

    fn close_setup(&mut self, command: Option<Command>) -> Vec<Effect> {
        self.layers.pop();
        command.map(Effect::Tell).into_iter().collect()
    }
}
