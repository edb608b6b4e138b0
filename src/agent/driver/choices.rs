//! What a person chooses beside the conversation: another model, another session
//! to go on in.

use super::{APP, Agent, Work};
use crate::agent::protocol::{Event, Finding, Refusal};
use crate::agent::{first, models};
use crate::config::{ModelSettings, write_model};
use crate::record::SessionId;
use crate::store::{self, OpenSession, StoreError};

impl Agent {
    /// Asks on the side, since a server may be slow and a key may need a person.
    pub(super) fn list_models(&self) {
        if self.setup.demo {
            return self.refuse(Refusal::NotNow, "The demo has one model only.", None);
        }
        tokio::spawn(models::list(self.models.settings().clone(), self.events.clone()));
    }

    pub(super) fn set_model(&mut self, name: String, base_url: Option<String>) {
        if self.setup.demo {
            return self.refuse(Refusal::NotNow, "The demo has one model only.", None);
        }
        if !self.may_leave() {
            return;
        }
        let before = self.models.settings();
        let base_url = base_url.unwrap_or_else(|| before.base_url.clone());
        let model = ModelSettings { name, base_url, ..before.clone() };
        if let Err(sentence) = first::checked(&model) {
            return self.refuse(Refusal::Cannot, sentence, None);
        }
        let kept = write_model(&self.setup.settings_file, &model);
        let sentence = models::changed(&model, kept.err());
        self.setup.settings.model = model.clone();
        self.models.switch(model);
        self.emit(Event::ModelChanged { name: self.models.name(), sentence });
    }

    pub(super) fn fork(&mut self, without: usize) {
        let id = match &self.work {
            Work::Open(desk) => desk.open.session().id(),
            Work::ReadOnly { id, .. } => *id,
            Work::Empty => return self.refuse(Refusal::NotNow, "Nothing has begun yet.", None),
        };
        if !self.may_leave() {
            return;
        }
        match self.forked(id, without) {
            Ok(open) => {
                let sentence = format!("This is a new session. {id}, from which it goes on, stays as it is.");
                self.open_for_writing(open, Some(Finding { sentence }));
            }
            Err(error) => {
                self.refuse(Refusal::Cannot, format!("The session cannot be forked: {error}."), None);
            }
        }
    }

    /// A new session with the ended turns of this one but the last so many.
    fn forked(&self, id: SessionId, without: usize) -> Result<OpenSession, StoreError> {
        let view = self.store.view(id)?;
        let mut ended = view.session().turns().iter().filter(|turn| turn.end.is_some()).rev();
        let last = ended.nth(without).ok_or(StoreError::NoTurn(id))?;
        self.store.fork(id, Some(last.id), APP, store::clock::now())
    }
}
