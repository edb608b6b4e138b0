//! What a person chooses beside the conversation: another model, another session
//! to go on in.

use super::{Agent, Work};
use crate::agent::first;
use crate::agent::models::{self, Models};
use crate::agent::protocol::{Event, Refusal};
use crate::config::{ModelSettings, write_model};
use crate::journal::files::Disk;
use crate::record::{SessionId, TurnId};
use crate::store::{Kind, Store, StoreError};
use std::sync::Arc;

impl Agent {
    /// Reads on the side: it may be many files, and nothing waits for it.
    pub(super) fn tell_history(&self, cwd: String, without: Option<SessionId>) {
        let (store, events) = (self.store.clone(), self.events.clone());
        let read = move || {
            let messages = store.messages_of(&cwd, without);
            // A front end that is gone needs no history.
            let _ = events.send(Event::History { cwd, without, messages });
        };
        // Without a thread there is no history of earlier sessions, and nothing worse.
        let _ = std::thread::Builder::new().name("history".into()).spawn(read);
    }

    pub(super) fn tell_environment(&self) {
        let variables = match &self.work {
            Work::Open(desk) => desk.environment(),
            Work::Empty | Work::ReadOnly { .. } => self.bash(&self.setup.cwd).environment(),
        };
        self.emit(Event::Environment(variables));
    }

    /// Asks on the side, since a server may be slow and a key may need a person.
    pub(super) fn list_models(&self) {
        if self.setup.demo {
            return self.refuse(Refusal::NotNow, "The demo has one model only.", None);
        }
        tokio::spawn(models::list(self.models.settings().clone(), self.events.clone()));
    }

    pub(super) fn set_model(&mut self, name: String, base_url: Option<String>) {
        let before = self.models.settings();
        let base_url = base_url.unwrap_or_else(|| before.base_url.clone());
        self.use_model(ModelSettings { name, base_url, ..before.clone() });
    }

    pub(super) fn use_model(&mut self, model: ModelSettings) {
        if self.setup.demo {
            return self.refuse(Refusal::NotNow, "The demo has one model only.", None);
        }
        if !self.may_leave() {
            return;
        }
        if let Err(sentence) = first::check(&model) {
            return self.refuse(Refusal::Cannot, sentence, None);
        }
        let kept = write_model(&self.setup.settings_file, &model);
        let sentence = models::changed(&model, kept.err());
        self.setup.settings.model = model.clone();
        self.models.switch(model);
        self.emit(Event::ModelChanged { name: self.models.name(), sentence });
    }

    /// The demo's sessions are kept apart, so it begins where nothing is open.
    pub(super) async fn use_demo(&mut self) {
        if !matches!(self.work, Work::Empty) {
            return self.refuse(Refusal::NotNow, "candor --demo starts the demo.", None);
        }
        let paths = &self.setup.paths;
        match Store::open(&paths.data, &paths.config, Kind::Demo, Arc::new(Disk)) {
            Ok(store) => self.store = store,
            Err(error) => {
                let data = paths.data.display();
                let sentence = format!("Candor's directory {data} cannot be used: {error}.");
                return self.refuse(Refusal::Cannot, sentence, None);
            }
        }
        self.setup.demo = true;
        self.models = Models::new(self.setup.settings.model.clone(), true).await;
        self.begin_empty();
        self.list();
    }

    pub(super) fn fork(&mut self, without: usize) {
        let id = match &self.work {
            Work::Open(desk) => desk.open.session().id(),
            Work::ReadOnly { id, .. } => *id,
            Work::Empty => return self.refuse(Refusal::NotNow, "Nothing has begun yet.", None),
        };
        match self.last_but(id, without) {
            Ok(turn) => self.fork_session(id, turn),
            Err(error) => self.refuse_fork(&error),
        }
    }

    /// The last ended turn of a session but so many.
    fn last_but(&self, id: SessionId, without: usize) -> Result<TurnId, StoreError> {
        let view = self.store.view(id)?;
        let mut ended = view.session().turns().iter().filter(|turn| turn.end.is_some()).rev();
        ended.nth(without).map(|turn| turn.id).ok_or(StoreError::NoTurn(id))
    }
}
