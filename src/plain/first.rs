//! The first start, in lines: asked before there is a conversation, so that
//! both faces begin with it.

use crate::agent::first::{self, Offer};
use crate::config::ModelSettings;
use crate::text::Clean;
use std::io::Write as _;
use std::path::Path;

/// What the person begins with.
#[derive(Debug, Clone, PartialEq)]
pub enum Beginning {
    /// The scripted model.
    Demo,
    /// This model, which is in the settings now.
    With(ModelSettings),
    /// Nothing was chosen.
    Left,
}

/// Asks until there is something to begin with. A server that is named already
/// is asked for its models first.
///
/// # Errors
/// A sentence, if the terminal cannot be read.
pub async fn begin(file: &Path, server: Option<&ModelSettings>) -> Result<Beginning, String> {
    if let Some(model) = server
        && let Some(model) = reached(model.clone()).await?
    {
        match first::keep(file, &model) {
            Ok(()) => return Ok(Beginning::With(model)),
            Err(sentence) => println!("  {}", Clean::line(&sentence)),
        }
    }
    println!("Candor has no settings yet. It can begin with:");
    let offers = first::offers().await;
    for (number, offer) in offers.iter().enumerate() {
        println!("  {}  {}", number + 1, Clean::line(&offer.label()));
    }
    println!("Ctrl+D leaves. /model, or {}, changes it later.", Clean::line(&file.display().to_string()));
    loop {
        let Some(said) = ask("number> ")? else { return Ok(Beginning::Left) };
        let chosen = said.parse::<usize>().ok().and_then(|number| offers.get(number.checked_sub(1)?));
        let Some(offer) = chosen else {
            println!("  A number from 1 to {}.", offers.len());
            continue;
        };
        let model = match offer {
            Offer::Demo => return Ok(Beginning::Demo),
            Offer::Local { base_url, models, .. } => local(base_url, models)?,
            Offer::Hosted => with_key(ModelSettings::default()).await?,
            Offer::Other => other().await?,
        };
        match model.map(|model| first::keep(file, &model).map(|()| model)) {
            Some(Ok(model)) => return Ok(Beginning::With(model)),
            Some(Err(sentence)) => println!("  {}", Clean::line(&sentence)),
            None => {}
        }
    }
}

fn local(base_url: &str, models: &[String]) -> Result<Option<ModelSettings>, String> {
    let model = ModelSettings { base_url: base_url.to_owned(), ..ModelSettings::default() };
    name(model, Some(models))
}

async fn other() -> Result<Option<ModelSettings>, String> {
    match ask("base URL, such as http://127.0.0.1:8080/v1> ")? {
        Some(base_url) if !base_url.is_empty() => {
            with_key(ModelSettings { base_url, ..ModelSettings::default() }).await
        }
        Some(_) | None => Ok(None),
    }
}

/// Asks for the key's place and tests the connection; nothing if it fails.
async fn with_key(mut model: ModelSettings) -> Result<Option<ModelSettings>, String> {
    println!(
        "  Where is the key? Type the name of the variable that holds it, such as {},",
        model.api_key_env
    );
    println!("  or the word command and a program that prints it, such as: command pass show api-key");
    println!("  Enter alone: {}; a server on this machine needs no key.", model.api_key_env);
    let Some(said) = ask("key> ")? else { return Ok(None) };
    match first::key_source(&said, &mut model) {
        Ok(()) => reached(model).await,
        Err(sentence) => {
            println!("  {}", Clean::line(&sentence));
            Ok(None)
        }
    }
}

/// Tests the connection and asks for the name; nothing if it fails.
async fn reached(model: ModelSettings) -> Result<Option<ModelSettings>, String> {
    match first::reach(&model).await {
        Ok(models) => {
            println!("  It answers.");
            name(model, models.as_deref())
        }
        Err(sentence) => {
            println!("  {}", Clean::line(&sentence));
            Ok(None)
        }
    }
}

/// How many names are printed.
const NAMES: usize = 20;

fn name(mut model: ModelSettings, offered: Option<&[String]>) -> Result<Option<ModelSettings>, String> {
    match offered {
        Some([only]) => {
            model.name.clone_from(only);
            return Ok(Some(model));
        }
        Some(models) if !models.is_empty() => {
            models.iter().take(NAMES).for_each(|name| println!("  {}", Clean::line(name)));
            if models.len() > NAMES {
                println!("  and {} more", models.len() - NAMES);
            }
        }
        Some(_) | None => {}
    }
    let named = ask("model> ")?.filter(|name| !name.is_empty());
    Ok(named.map(|name| ModelSettings { name, ..model }))
}

/// A line; none at the end of the input.
fn ask(prompt: &str) -> Result<Option<String>, String> {
    print!("{prompt}");
    // A terminal that cannot be written to is found out by the reading.
    let _ = std::io::stdout().flush();
    let mut line = String::new();
    match std::io::stdin().read_line(&mut line) {
        Ok(0) => {
            println!();
            Ok(None)
        }
        Ok(_) => Ok(Some(line.trim().to_owned())),
        Err(error) => Err(format!("The terminal cannot be read: {error}.")),
    }
}
