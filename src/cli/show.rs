//! `candor show`: one session's transcript.

use super::transcript::{Transcript, markdown};
use super::{say, store_having};
use crate::config::Paths;

/// Prints the transcript; exit 0. A session that does not verify is shown up to
/// its last good record, and why is said on standard error.
///
/// # Errors
/// A sentence, if there is no such session or nothing of it can be read.
pub fn show(paths: &Paths, id: &str, json: bool) -> Result<u8, String> {
    let (store, id) = store_having(paths, id)?;
    let view = store.view(id).map_err(|error| format!("The session cannot be read: {error}."))?;
    if json {
        say::json(&Transcript::of(view.session()))?;
    } else {
        say::text(&markdown(view.session()))?;
    }
    if let Some(why) = view.why() {
        eprintln!("candor: only what is good is shown: {why}.");
    }
    Ok(0)
}
