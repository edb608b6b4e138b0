//! Which model answers: asked at the first start, and by `/model` later. It
//! collects the answer; the agent tests the connection and writes the settings.

mod pick;
#[cfg(test)]
mod tests;

pub(crate) use pick::{Choice, Pick};

use super::composer::Composer;
use super::input::Key;
use super::keys::{self, Act, Place};
use crate::agent::ModelList;
use crate::agent::first::{self, Offer};
use crate::config::ModelSettings;
use crossterm::event::KeyCode;

/// The open dialog.
#[derive(Debug)]
pub(crate) struct ModelSetup {
    /// Where it is.
    pub step: Step,
    /// What went wrong at the step before.
    pub trouble: Option<String>,
    /// What can be begun with; servers of this machine are added when found.
    pub offers: Vec<Offer>,
    /// Servers of this machine are still looked for.
    pub looking: bool,
    /// Nothing is named yet: the demo is offered too.
    pub first: bool,
    /// The steps that lead here, as they were left: Esc goes back to the last.
    before: Vec<Step>,
    /// The address that was written last.
    address: String,
}

/// Where it is.
#[derive(Debug)]
pub(crate) enum Step {
    /// What to begin with.
    Offers {
        /// The marked one.
        marked: usize,
    },
    /// The address of a server.
    Address {
        /// As written so far.
        field: Composer,
    },
    /// Where the key comes from.
    Key {
        /// What is known so far.
        model: Box<ModelSettings>,
        /// As written so far.
        field: Composer,
    },
    /// The connection is being tested.
    Testing {
        /// Where; nothing while the agent's own settings are asked.
        base_url: Option<String>,
    },
    /// One of the server's models.
    Model {
        /// All but its name.
        model: Box<ModelSettings>,
        /// The names, and what is typed.
        pick: Box<Pick>,
    },
}

/// What comes of a key.
#[derive(Debug, PartialEq)]
pub(crate) enum Outcome {
    /// Nothing outside of the dialog.
    Nothing,
    /// Look for servers of models on this machine.
    FindLocal,
    /// Test whether these reach a server.
    Reach(ModelSettings),
    /// The scripted model.
    Demo,
    /// This model, from now on.
    Use(ModelSettings),
    /// Close it without a choice.
    Close,
}

impl ModelSetup {
    /// The question at the first start.
    pub(crate) fn first() -> Self {
        let offers = vec![Offer::Demo, Offer::Hosted, Offer::Other];
        Self {
            step: Step::Offers { marked: 0 },
            trouble: None,
            offers,
            looking: true,
            first: true,
            before: Vec::new(),
            address: String::new(),
        }
    }

    /// A server is named, its model is not: `Reach` of it comes first.
    pub(crate) fn of_server(model: &ModelSettings) -> Self {
        let step = Step::Testing { base_url: Some(model.base_url.clone()) };
        Self { step, looking: false, ..Self::first() }
    }

    /// Another model than the one in use; the agent is asked which there are.
    pub(crate) fn another() -> Self {
        let offers = vec![Offer::Hosted, Offer::Other];
        let step = Step::Testing { base_url: None };
        Self { step, offers, looking: false, first: false, ..Self::first() }
    }

    /// Servers of this machine were looked for.
    pub(crate) fn found(&mut self, local: Vec<Offer>) {
        self.looking = false;
        // Added below, so that nothing moves under the mark.
        self.offers.retain(|offer| !matches!(offer, Offer::Local { .. }));
        self.offers.extend(local);
    }

    /// The agent told what its own server offers.
    pub(crate) fn listed(&mut self, list: ModelList) {
        if matches!(self.step, Step::Testing { base_url: None }) {
            let ModelList { model, offered } = list;
            self.offer_models(model, offered.map(Some));
        }
    }

    /// The test of a connection ended.
    pub(crate) fn reached(&mut self, model: ModelSettings, offered: Result<Option<Vec<String>>, String>) {
        if matches!(&self.step, Step::Testing { base_url: Some(base_url) } if *base_url == model.base_url) {
            match offered {
                Ok(_) => self.offer_models(model, offered),
                Err(sentence) => {
                    self.trouble = Some(sentence);
                    self.step = self
                        .before
                        .pop()
                        .unwrap_or_else(|| Step::Key { field: key_field(&model), model: Box::new(model) });
                }
            }
        }
    }

    fn offer_models(&mut self, model: ModelSettings, offered: Result<Option<Vec<String>>, String>) {
        let names = match offered {
            Ok(names) => names.unwrap_or_default(),
            Err(sentence) => {
                self.trouble = Some(sentence);
                Vec::new()
            }
        };
        let pick = Pick::new(names, &model.name);
        self.step = Step::Model { model: Box::new(model), pick: Box::new(pick) };
    }

    /// Text was pasted: into the field, or nowhere.
    pub(crate) fn paste(&mut self, text: &str) {
        if let Some(field) = self.field() {
            field.paste(text.trim());
        }
    }

    fn field(&mut self) -> Option<&mut Composer> {
        match &mut self.step {
            Step::Address { field } | Step::Key { field, .. } => Some(field),
            Step::Model { pick, .. } => Some(&mut pick.field),
            Step::Offers { .. } | Step::Testing { .. } => None,
        }
    }

    /// A key was pressed.
    pub(crate) fn key(&mut self, key: Key) -> Outcome {
        match keys::find(Place::Composer, key) {
            Some(Act::Esc) => self.back(),
            Some(Act::Send) => self.enter(),
            Some(Act::Up) => self.walk(-1),
            Some(Act::Down | Act::SwitchFocus) => self.walk(1),
            Some(Act::PageUp) => self.walk(-PAGE),
            Some(Act::PageDown) => self.walk(PAGE),
            Some(Act::Newline) => Outcome::Nothing,
            act => self.edit(act, key),
        }
    }

    fn edit(&mut self, act: Option<Act>, key: Key) -> Outcome {
        if let (Step::Offers { marked }, KeyCode::Char(digit @ '1'..='9')) = (&mut self.step, key.code) {
            let index = digit.to_digit(10).and_then(|digit| usize::try_from(digit).ok()).unwrap_or(1) - 1;
            if index < self.offers.len() {
                *marked = index;
            }
        }
        if let Some(field) = self.field() {
            field.press(act, key);
        }
        if let Step::Model { pick, .. } = &mut self.step {
            pick.retyped();
        }
        Outcome::Nothing
    }

    fn walk(&mut self, by: isize) -> Outcome {
        match &mut self.step {
            Step::Offers { marked } => {
                *marked = marked.saturating_add_signed(by).min(self.offers.len().saturating_sub(1));
            }
            Step::Model { pick, .. } => pick.walk(by),
            Step::Address { .. } | Step::Key { .. } | Step::Testing { .. } => {}
        }
        Outcome::Nothing
    }

    /// One step back, to what was written there; from the first one the dialog
    /// closes.
    fn back(&mut self) -> Outcome {
        self.trouble = None;
        if let Step::Address { field } = &self.step {
            self.address = field.text();
        }
        match (self.before.pop(), &self.step) {
            (Some(Step::Offers { marked }), _) => self.offers_again(marked),
            (Some(step), _) => {
                self.step = step;
                Outcome::Nothing
            }
            (None, Step::Offers { .. }) => Outcome::Close,
            (None, _) if !self.first => Outcome::Close,
            (None, _) => self.offers_again(0),
        }
    }

    fn offers_again(&mut self, marked: usize) -> Outcome {
        self.before.clear();
        self.step = Step::Offers { marked };
        self.looking = true;
        Outcome::FindLocal
    }

    /// One step on. The one before is kept as it is.
    fn go_on(&mut self, step: Step) {
        let before = std::mem::replace(&mut self.step, step);
        self.before.push(before);
    }

    /// Enter.
    fn enter(&mut self) -> Outcome {
        self.trouble = None;
        match &mut self.step {
            Step::Offers { marked } => {
                let offer = self.offers.get(*marked).cloned();
                offer.map_or(Outcome::Nothing, |offer| self.follow(offer))
            }
            Step::Address { field } => {
                let base_url = field.text().trim().to_owned();
                if base_url.is_empty() {
                    return Outcome::Nothing;
                }
                let model = ModelSettings { base_url, ..ModelSettings::default() };
                match first::check(&model) {
                    Ok(()) => self.go_on(Step::Key { field: Composer::default(), model: Box::new(model) }),
                    Err(sentence) => self.trouble = Some(sentence),
                }
                Outcome::Nothing
            }
            Step::Key { model, field } => {
                let mut model = (**model).clone();
                match first::key_source(&field.text(), &mut model) {
                    Ok(()) => self.test(model),
                    Err(sentence) => {
                        field.clear();
                        self.trouble = Some(sentence);
                        Outcome::Nothing
                    }
                }
            }
            Step::Testing { .. } => Outcome::Nothing,
            Step::Model { model, pick } => match pick.choice() {
                Some(Choice::Name(name) | Choice::Typed(name)) => {
                    Outcome::Use(ModelSettings { name, ..(**model).clone() })
                }
                Some(Choice::OtherServer) => self.offers_again(0),
                None => Outcome::Nothing,
            },
        }
    }

    fn follow(&mut self, offer: Offer) -> Outcome {
        match offer {
            Offer::Demo => return Outcome::Demo,
            Offer::Local { base_url, models, .. } => {
                let model = ModelSettings { base_url, ..ModelSettings::default() };
                self.go_on(Step::Testing { base_url: None });
                self.offer_models(model, Ok(Some(models)));
            }
            Offer::Hosted => {
                self.go_on(Step::Key { field: Composer::default(), model: Box::default() });
            }
            Offer::Other => self.go_on(Step::Address { field: Composer::with(&self.address) }),
        }
        Outcome::Nothing
    }

    fn test(&mut self, model: ModelSettings) -> Outcome {
        self.go_on(Step::Testing { base_url: Some(model.base_url.clone()) });
        Outcome::Reach(model)
    }
}

/// Rows of a step with the page keys.
const PAGE: isize = 10;

/// The place of the key as it was said before.
fn key_field(model: &ModelSettings) -> Composer {
    let command = &model.api_key_command;
    match command.is_empty() {
        true if model.api_key_env == ModelSettings::default().api_key_env => Composer::default(),
        true => Composer::with(&model.api_key_env),
        false => Composer::with(&format!("command {command}")),
    }
}
