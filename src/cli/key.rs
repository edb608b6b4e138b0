//! `candor key`: the signing keys of this machine.

use super::say;
use crate::config::Paths;
use crate::record::encode_hex;
use crate::store::{KeyInfo, Keys, Kind, Store, StoreError};
use serde::Serialize;

/// What `key` takes.
#[derive(Debug, clap::Args)]
pub struct KeyArgs {
    /// For programs
    #[arg(long, global = true)]
    json: bool,
    #[command(subcommand)]
    command: Option<KeyCommand>,
}

/// What is done with keys; without a word the current one is shown.
#[derive(Debug, Clone, Copy, clap::Subcommand)]
enum KeyCommand {
    /// Show the key of new sessions; the first start makes it
    Show,
    /// Make another key for new sessions; old sessions keep theirs
    New,
    /// List all keys
    List,
}

/// A key for programs.
#[derive(Debug, Serialize)]
struct Shown {
    key_id: String,
    public_key: String,
    current: bool,
    can_sign: bool,
}

/// Shows, makes or lists keys; exit 0.
///
/// # Errors
/// A sentence, if a key cannot be read or made.
pub fn key(paths: &Paths, args: &KeyArgs) -> Result<u8, String> {
    let store = Store::at(&paths.data, &paths.config, Kind::Real);
    let keys = store.keys();
    let failed = |error: StoreError| format!("The keys cannot be used: {error}.");
    match args.command.unwrap_or(KeyCommand::Show) {
        KeyCommand::Show => show_one(&current(keys).map_err(failed)?, args.json)?,
        KeyCommand::New => show_one(&shown(&keys.make_current().map_err(failed)?), args.json)?,
        KeyCommand::List => {
            show_all(&keys.list().map_err(failed)?.iter().map(shown).collect::<Vec<_>>(), args.json)?;
        }
    }
    Ok(0)
}

fn current(keys: &Keys) -> Result<Shown, StoreError> {
    let key = keys.current()?.verifying_key();
    let id = crate::record::KeyId::of(key.as_bytes());
    Ok(shown(&KeyInfo { id, public: key, current: true, can_sign: true }))
}

fn shown(key: &KeyInfo) -> Shown {
    Shown {
        key_id: key.id.to_string(),
        public_key: encode_hex(key.public.as_bytes()),
        current: key.current,
        can_sign: key.can_sign,
    }
}

fn show_one(key: &Shown, json: bool) -> Result<(), String> {
    if json {
        return say::json(key);
    }
    say::text(&format!("Key ID      {}\nPublic key  {}\n", key.key_id, key.public_key))
}

fn show_all(keys: &[Shown], json: bool) -> Result<(), String> {
    if json {
        return say::json(&keys);
    }
    let row = |key: &Shown| {
        let role = match (key.current, key.can_sign) {
            (true, _) => "signs new sessions",
            (false, true) => "signs its own sessions",
            (false, false) => "only verifies",
        };
        format!("{}  {}  {role}\n", key.key_id, key.public_key)
    };
    say::text(&keys.iter().map(row).collect::<String>())
}
