//! What can be learnt of a server without a model request: whether it answers,
//! whether it takes the key, what it offers.

use super::classify;
use super::error::Trouble;
use super::http::Client;
use super::key::KeyOrigin;
use super::quirks::Quirks;
use super::sentence::Scene;
use super::server_error::ServerError;

use super::{ErrorClass, ModelError, Timeouts, check_base_url};
use crate::config::ModelSettings;
use futures_util::future::join_all;
use secrecy::SecretString;
use serde::Deserialize;

/// The longest list of models that is read, in bytes; the longest known has 600 KiB.
const LIST_BYTES: usize = 8 << 20;
/// Where servers of models listen on this machine by default.
const LOCAL: [(&str, u16); 4] = [("Ollama", 11434), ("llama.cpp", 8080), ("LM Studio", 1234), ("vLLM", 8000)];

/// A server of models on this machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LocalServer {
    /// The program's name, as it says or as its port suggests.
    pub name: &'static str,
    /// Its base URL.
    pub base_url: String,
    /// What it offers; not empty.
    pub models: Vec<String>,
}

/// What a look at the server that the settings name has shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConnectionReport {
    /// Where it was looked.
    pub base_url: String,
    /// What it offers; none where it does not say.
    pub models: Option<Vec<String>>,
}

#[derive(Deserialize)]
struct List {
    #[serde(default, alias = "models")]
    data: Option<Vec<Entry>>,
}

#[derive(Deserialize)]
struct Entry {
    #[serde(alias = "name")]
    id: String,
    #[serde(default)]
    owned_by: Option<String>,
}

/// The names of the models that a server offers, in its order.
///
/// # Errors
/// A sentence where it does not answer, refuses the key, or offers no list.
pub async fn list_models(
    settings: &ModelSettings,
    key: Option<SecretString>,
) -> Result<Vec<String>, ModelError> {
    let list = fetch(settings, key).await?;
    Ok(list.into_iter().map(|entry| entry.id).collect())
}

/// Asks the server that the settings name for its models: that takes its address
/// and the key to the test and costs nothing.
///
/// # Errors
/// A sentence where it does not answer or refuses the key.
pub async fn test_connection(
    settings: &ModelSettings,
    key: Option<SecretString>,
) -> Result<ConnectionReport, ModelError> {
    let models = match list_models(settings, key).await {
        Ok(models) => Some(models),
        // It answers, and has no list: not every server does.
        Err(error) if error.class == ErrorClass::Request => None,
        Err(error) => return Err(error),
    };
    Ok(ConnectionReport { base_url: check_base_url(&settings.base_url)?.to_string(), models })
}

/// The servers of models that answer on this machine's usual ports.
pub async fn probe_local() -> Vec<LocalServer> {
    let places = LOCAL.map(|(name, port)| (name, format!("http://127.0.0.1:{port}/v1")));
    probe(places).await
}

pub(super) async fn probe(places: impl IntoIterator<Item = (&'static str, String)>) -> Vec<LocalServer> {
    let looks = places.into_iter().map(|(name, base_url)| async move {
        let settings = ModelSettings { base_url, ..ModelSettings::default() };
        let list = fetch(&settings, None).await.ok()?;
        let llama = list.iter().any(|entry| entry.owned_by.as_deref() == Some("llamacpp"));
        let models: Vec<_> = list.into_iter().map(|entry| entry.id).collect();
        let name = if llama { "llama.cpp" } else { name };
        (!models.is_empty()).then_some(LocalServer { name, base_url: settings.base_url, models })
    });
    join_all(looks).await.into_iter().flatten().collect()
}

async fn fetch(settings: &ModelSettings, key: Option<SecretString>) -> Result<Vec<Entry>, ModelError> {
    let base = check_base_url(&settings.base_url)?;
    let origin = KeyOrigin::of(settings);
    let timeouts = Timeouts::brief(&base);
    let client = Client::new(base, key, &origin, timeouts)?;
    let scene = Scene {
        base: client.base(),
        model: &settings.name,
        key_origin: &origin,
        key_sent: client.has_key(),
        words: 0,
        ran_before: false,
    };
    read_list(&client).await.map_err(|trouble| scene.error(&client.without_key(trouble)))
}

async fn read_list(client: &Client) -> Result<Vec<Entry>, Trouble> {
    let mut reply = client.get("models").await?;
    match reply.status() {
        200 => {}
        status @ 300..400 => return Err(Trouble::Redirected(status)),
        _ => {
            let error = ServerError::read(&reply.error_body().await?);
            return Err(classify::by_status(&reply.head(), &error, Quirks::default()).trouble);
        }
    }
    let (body, _) = reply.body(LIST_BYTES).await?;
    let list = serde_json::from_slice::<List>(&body).ok().and_then(|list| list.data);
    list.ok_or_else(|| Trouble::NotAnAnswer { content_type: reply.content_type() })
}
