//! A scripted model, for people without a key and for tests: a real server on
//! 127.0.0.1 inside this process, asked through the same client as any other.
//!
//! What it answers is fixed by what is said to it. It is no model, and says so.

mod conversation;
mod events;
mod report;
mod script;
mod server;
mod shell;
mod wish;

use super::error::SetupError;
use super::{Answer, Model, ModelError, PROTOCOL, Progress, Request, ResponsesModel, Timeouts};
use crate::config::ModelSettings;
use futures_util::future::BoxFuture;
use secrecy::SecretString;
use server::Server;
use std::time::Duration;
use tokio::sync::mpsc::UnboundedSender;
use tokio_util::sync::CancellationToken;

/// The demo's name, as a model.
pub const DEMO: &str = "demo";
/// The time from one piece of text to the next: slow enough to be seen.
const PACE: Duration = Duration::from_millis(5);

/// The scripted model. Its server ends when it is dropped.
#[derive(Debug)]
pub struct DemoModel {
    model: ResponsesModel,
    _server: Server,
}

impl DemoModel {
    /// Starts the server and a client for it. Needs a running Tokio runtime.
    ///
    /// # Errors
    /// A sentence where no port can be opened.
    pub async fn start() -> Result<Self, ModelError> {
        Self::start_with_pace(PACE).await
    }

    /// The same with another time between two pieces of text; zero for tests.
    ///
    /// # Errors
    /// As [`Self::start`].
    pub async fn start_with_pace(pace: Duration) -> Result<Self, ModelError> {
        let token = token()?;
        let server =
            Server::start(token.clone(), pace).await.map_err(|error| SetupError::Demo(error.to_string()))?;
        let settings = ModelSettings {
            protocol: PROTOCOL.into(),
            base_url: server.base_url(),
            name: DEMO.into(),
            api_key_env: String::new(),
            ..ModelSettings::default()
        };
        let base = super::check_base_url(&settings.base_url)?;
        let key = Some(SecretString::from(token));
        let model = ResponsesModel::new(&settings, key, Timeouts::for_server(&base))?;
        Ok(Self { model, _server: server })
    }
}

impl Model for DemoModel {
    fn respond(
        &self,
        request: Request,
        progress: UnboundedSender<Progress>,
        cancel: CancellationToken,
    ) -> BoxFuture<'static, Result<Answer, ModelError>> {
        self.model.respond(request, progress, cancel)
    }

    fn name(&self) -> String {
        self.model.name()
    }
}

/// A key that no other program on this machine can guess.
fn token() -> Result<String, SetupError> {
    let half = || getrandom::u64().map_err(|error| SetupError::Demo(error.to_string()));
    Ok(format!("{:016x}{:016x}", half()?, half()?))
}

#[cfg(test)]
mod tests;
