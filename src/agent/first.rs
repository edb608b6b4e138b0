//! The first start: what can be chosen, whether it answers, what is written.
//! A front end asks; nothing here knows how.

use crate::config::{ConfigError, ModelSettings, Settings, write_model};
use crate::model::{check_base_url, probe_local, read_key, test_connection};
use std::path::Path;

/// Something that a person can begin with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Offer {
    /// The scripted model.
    Demo,
    /// A server that answers on this machine.
    Local {
        /// The program's name.
        name: &'static str,
        /// Where it is.
        base_url: String,
        /// What it offers; not empty.
        models: Vec<String>,
    },
    /// The hosted service, for which a key is needed.
    Hosted,
    /// Any other server.
    Other,
}

impl Offer {
    /// What it is, in a line.
    #[must_use]
    pub fn label(&self) -> String {
        match self {
            Self::Demo => "the demo: a scripted model, no key, no network".into(),
            Self::Local { name, base_url, models } => match models.as_slice() {
                [only] => format!("{name} on this machine, {base_url}, with {only}"),
                models => format!("{name} on this machine, {base_url}, with {} models", models.len()),
            },
            Self::Hosted => format!("the hosted service at {}", ModelSettings::default().base_url),
            Self::Other => "another server that speaks the Responses protocol".into(),
        }
    }
}

/// What has to be asked before a model can answer.
#[derive(Debug, Clone, PartialEq)]
pub enum FirstStart {
    /// Nothing is named.
    Nothing,
    /// A server is, by a flag or in the settings, but no model of it.
    Server(Box<ModelSettings>),
}

impl FirstStart {
    /// What these settings leave open; nothing if they name a model.
    #[must_use]
    pub fn of(model: &ModelSettings) -> Option<Self> {
        match model.name.is_empty() {
            false => None,
            true if *model == ModelSettings::default() => Some(Self::Nothing),
            true => Some(Self::Server(Box::new(model.clone()))),
        }
    }

    /// The server that is named.
    #[must_use]
    pub fn server(&self) -> Option<&ModelSettings> {
        match self {
            Self::Nothing => None,
            Self::Server(model) => Some(model),
        }
    }
}

/// What can be chosen here and now; looks at this machine's usual ports.
pub async fn offers() -> Vec<Offer> {
    let local = local().await;
    [Offer::Demo].into_iter().chain(local).chain([Offer::Hosted, Offer::Other]).collect()
}

/// The servers of models that answer on this machine's usual ports.
pub async fn local() -> Vec<Offer> {
    let servers = probe_local().await.into_iter();
    let offer = |server: crate::model::LocalServer| Offer::Local {
        name: server.name,
        base_url: server.base_url,
        models: server.models,
    };
    servers.map(offer).collect()
}

/// Where a key comes from, as a person says it: a variable's name, or
/// `command` and a program that prints the key; nothing means the usual variable.
///
/// # Errors
/// A sentence, if it is neither; it does not repeat the text, which may be a key.
pub fn key_source(said: &str, model: &mut ModelSettings) -> Result<(), String> {
    let said = said.trim();
    match said.strip_prefix("command ") {
        Some(command) => model.api_key_command = command.trim().into(),
        None if said.is_empty() => {}
        None if said.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_') => {
            model.api_key_env = said.into();
        }
        None => {
            return Err("That is no variable's name in capitals. The key itself is never written down: \
                        set a variable, or name a command that prints it."
                .into());
        }
    }
    Ok(())
}

/// Whether these settings reach a server; what it offers, where it says so.
///
/// # Errors
/// One sentence: a value cannot be used, there is no key, nothing answers, or
/// the key is refused.
pub async fn reach(model: &ModelSettings) -> Result<Option<Vec<String>>, String> {
    check(model)?;
    let for_key = model.clone();
    // A program that prints the key may take its time.
    let key = match tokio::task::spawn_blocking(move || read_key(&for_key)).await {
        Ok(key) => key.map_err(|error| error.sentence)?,
        Err(error) => return Err(format!("The key could not be read: {error}.")),
    };
    let report = test_connection(model, key).await.map_err(|error| error.sentence)?;
    Ok(report.models)
}

/// Writes the choice into the settings.
///
/// # Errors
/// One sentence, if it cannot be used or written.
pub fn keep(file: &Path, model: &ModelSettings) -> Result<(), String> {
    check(model)?;
    write_model(file, model).map_err(|error| error.to_string())
}

/// Whether these settings can be used at all; asks nobody.
///
/// # Errors
/// One sentence: which value is wrong and what would be right.
pub fn check(model: &ModelSettings) -> Result<(), String> {
    let settings = Settings { model: model.clone(), ..Settings::default() };
    settings.check().map_err(|error| match error {
        // Nobody who is asked for a URL has to know how the settings name it.
        ConfigError::Value { key: "model.base_url", reason } => format!("The URL {reason}."),
        other => other.to_string(),
    })?;
    check_base_url(&model.base_url).map(|_| ()).map_err(|error| error.sentence)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_named_and_never_taken() {
        let named = |said: &str| {
            let mut model = ModelSettings::default();
            key_source(said, &mut model).map(|()| (model.api_key_env, model.api_key_command))
        };
        let pair = |env: &str, command: &str| Ok((env.to_owned(), command.to_owned()));
        assert_eq!(named(""), pair("OPENAI_API_KEY", ""));
        assert_eq!(named(" MY_KEY "), pair("MY_KEY", ""));
        assert_eq!(named("command pass show key"), pair("OPENAI_API_KEY", "pass show key"));
        let refused = named("sk-verysecret").unwrap_err();
        assert!(!refused.contains("verysecret"), "{refused}");
    }

    #[test]
    fn a_url_without_its_beginning_is_refused_in_words() {
        for url in ["localhost:9999", "ftp://host/v1"] {
            let model = ModelSettings { base_url: url.to_owned(), ..ModelSettings::default() };
            let said = check(&model).unwrap_err();
            assert_eq!(
                said,
                "The URL has to begin with http:// or https://, such as http://127.0.0.1:8080/v1."
            );
        }
    }

    #[test]
    fn an_offer_is_one_line() {
        let local = |models: &[&str]| Offer::Local {
            name: "Ollama",
            base_url: "http://127.0.0.1:11434/v1".into(),
            models: models.iter().map(|model| (*model).to_owned()).collect(),
        };
        assert_eq!(local(&["a"]).label(), "Ollama on this machine, http://127.0.0.1:11434/v1, with a");
        assert!(local(&["a", "b"]).label().ends_with("with 2 models"));
    }
}
