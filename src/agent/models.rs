//! Which model answers; made when it is first needed.

use crate::config::ModelSettings;
use crate::model::{DEMO, DemoModel, Model, ResponsesModel, Timeouts, check_base_url, read_key};
use std::sync::Arc;

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
        let base = check_base_url(&self.settings.base_url)?;
        let key = read_key(&self.settings)?;
        Ok(Arc::new(ResponsesModel::new(&self.settings, key, Timeouts::for_server(&base))?))
    }
}
