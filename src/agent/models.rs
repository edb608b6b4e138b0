//! Which model answers; made when it is first needed.

use super::first;
use super::protocol::{Event, ModelList};
use crate::config::{ConfigError, ModelSettings};
use crate::model::{DEMO, DemoModel, Model, ResponsesModel, Timeouts, list_models, read_key};
use std::sync::Arc;
use tokio::sync::mpsc::UnboundedSender;

/// The model, or what it takes to make it.
pub(super) struct Models {
    settings: ModelSettings,
    made: Option<Arc<dyn Model>>,
    demo: bool,
    /// Why the demo could not be started.
    trouble: Option<String>,
}

impl Models {
    /// Starts the demo's server at once; another model waits for the first
    /// message, since reading its key may ask a person for a password.
    pub(super) async fn new(settings: ModelSettings, demo: bool) -> Self {
        let mut models = Self { settings, made: None, demo, trouble: None };
        if demo {
            match DemoModel::start().await {
                Ok(model) => models.made = Some(Arc::new(model)),
                Err(error) => models.trouble = Some(error.sentence),
            }
        }
        models
    }

    /// The model's name, for the header.
    pub(super) fn name(&self) -> String {
        if self.demo { DEMO.to_owned() } else { self.settings.name.clone() }
    }

    /// The settings in use.
    pub(super) fn settings(&self) -> &ModelSettings {
        &self.settings
    }

    /// From now on these hold.
    pub(super) fn switch(&mut self, settings: ModelSettings) {
        self.settings = settings;
        self.made = None;
    }

    /// The model; another try if it could not be made before.
    pub(super) fn get(&mut self) -> Result<Arc<dyn Model>, String> {
        if let Some(model) = &self.made {
            return Ok(Arc::clone(model));
        }
        if let Some(trouble) = &self.trouble {
            return Err(trouble.clone());
        }
        let model = self.make().map_err(|error| error.sentence)?;
        self.made = Some(Arc::clone(&model));
        Ok(model)
    }

    fn make(&self) -> Result<Arc<dyn Model>, crate::model::ModelError> {
        let base = ResponsesModel::check(&self.settings)?;
        let key = read_key(&self.settings)?;
        Ok(Arc::new(ResponsesModel::new(&self.settings, key, Timeouts::for_server(&base))?))
    }
}

/// Tells which model these settings name and what its server offers.
pub(super) async fn list(settings: ModelSettings, events: UnboundedSender<Event>) {
    let for_key = settings.clone();
    let offered = match tokio::task::spawn_blocking(move || read_key(&for_key)).await {
        Ok(Ok(key)) => list_models(&settings, key).await.map_err(|error| error.sentence),
        Ok(Err(error)) => Err(error.sentence),
        Err(error) => Err(format!("The key could not be read: {error}.")),
    };
    // A front end that is gone is noticed by its closed command channel.
    let _ = events.send(Event::Models(ModelList { model: settings, offered }));
}

/// Tells which servers of models answer on this machine.
pub(super) async fn find_local(events: UnboundedSender<Event>) {
    let _ = events.send(Event::LocalServers(first::local().await));
}

/// Tells whether these settings reach a server.
pub(super) async fn reach(model: ModelSettings, events: UnboundedSender<Event>) {
    let offered = first::reach(&model).await;
    let _ = events.send(Event::Reached { model, offered });
}

/// What a change of the model means, and whether it was written down.
pub(super) fn changed(model: &ModelSettings, trouble: Option<ConfigError>) -> String {
    let ModelSettings { name, base_url, .. } = model;
    let what = format!(
        "From now on {name} at {base_url} answers. It is told the whole conversation, but not the reasoning of other models."
    );
    match trouble {
        None => format!("{what} The settings say so too."),
        Some(error) => format!("{what} This holds until you leave: {error}"),
    }
}
