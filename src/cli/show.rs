//! `candor show`: one session's transcript, or what one of its commands wrote.

use super::named::SessionName;
use super::transcript::{Transcript, markdown};
use super::values::{dispatch_id, session_name, turn_id};
use super::{say, store_having};
use crate::config::Paths;
use crate::record::{DispatchId, ToolResult, TurnId};
use crate::session::{Session, Turn};
use crate::store::{Spooled, View};
use crate::text::{Clean, human_bytes};
use std::io::{self, IsTerminal as _, Write as _};
use std::sync::Arc;

/// What `show` takes.
#[derive(Debug, clap::Args)]
pub struct ShowArgs {
    /// The session; the first 8 characters of its id are enough
    #[arg(value_parser = session_name)]
    id: SessionName,
    /// For programs
    #[arg(long)]
    json: bool,
    /// Only this turn
    #[arg(long, value_name = "ID", value_parser = turn_id)]
    turn: Option<TurnId>,
    /// All that this command wrote, as it was kept
    #[arg(long, value_name = "DISPATCH", value_parser = dispatch_id, conflicts_with_all = ["json", "turn"])]
    output: Option<DispatchId>,
}

/// Prints a transcript or an output; exit 0. A session that does not verify is
/// shown up to its last good record, and why is said on standard error.
///
/// # Errors
/// A sentence, if there is no such session, turn or command, or nothing of it
/// can be read.
pub fn show(paths: &Paths, args: &ShowArgs) -> Result<u8, String> {
    let id = args.id.find(paths)?;
    let store = store_having(paths, id)?;
    let view = store.view(id).map_err(|error| format!("The session cannot be read: {error}."))?;
    let session = view.session();
    match args.output {
        Some(dispatch) => show_output(&view, dispatch)?,
        None => {
            let turns = chosen(session, args.turn)?;
            if args.json {
                say::json(&Transcript::of(session, turns))?;
            } else {
                say::text(&markdown(session, turns))?;
            }
        }
    }
    if let Some(why) = view.why() {
        say::aside(&format!("candor: only what is good is shown: {}.", Clean::line(&why.to_string())));
    }
    Ok(0)
}

fn chosen(session: &Session, turn: Option<TurnId>) -> Result<&[Arc<Turn>], String> {
    let turns = session.turns();
    let Some(id) = turn else { return Ok(turns) };
    let at = turns.iter().position(|turn| turn.id == id);
    let at = at.ok_or_else(|| format!("The session has no turn {id}."))?;
    Ok(&turns[at..=at])
}

/// The spool's bytes as they are; on a terminal without what it would act on.
fn show_output(view: &View, dispatch: DispatchId) -> Result<(), String> {
    let call = view.session().find_dispatch(dispatch).map(|(_, call)| call);
    let call = call.ok_or_else(|| format!("The session has no command {dispatch}."))?;
    let mut held = Vec::new();
    let clean = io::stdout().is_terminal();
    let spooled = view.read_spool(dispatch, |piece| {
        if clean {
            held.extend_from_slice(piece)
        } else {
            io::stdout().write_all(piece)?
        }
        Ok(())
    });
    let spooled = match spooled {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => return Ok(()),
        other => other.map_err(|error| format!("The output cannot be shown: {error}."))?,
    };
    let result = call.result.as_deref();
    if spooled.is_none() {
        held = result.and_then(|result| result.output.clone()).unwrap_or_default().into_bytes();
    }
    match String::from_utf8_lossy(&held) {
        text if clean => say::text(&Clean::block(&text))?,
        text => say::text(&text)?,
    }
    if let Some(note) = note(spooled, result) {
        say::aside(&format!("candor: {note}"));
    }
    Ok(())
}

/// What has to be said of an output beside its bytes.
fn note(spooled: Option<Spooled>, result: Option<&ToolResult>) -> Option<String> {
    let Some(result) = result else {
        return Some("This command has no result yet: there may be more to come.".into());
    };
    let Some(spooled) = spooled else {
        return Some("No output was kept beside the journal: this is what its record holds.".into());
    };
    if result.output_sha256 != Some(spooled.sha256) {
        return Some("This output was changed since its result was recorded.".into());
    }
    let left_out = result.output_bytes?.saturating_sub(spooled.bytes);
    (left_out > 0).then(|| format!("{} more were written and not kept.", human_bytes(left_out)))
}
