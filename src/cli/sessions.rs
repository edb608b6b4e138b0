//! `candor sessions`: all sessions with their state, and the trash.

use super::named::SessionName;
use super::values::session_name;
use super::{say, store_having};
use crate::config::Paths;
use crate::record::SessionId;
use crate::session::words;
use crate::store::{Kind, Place, Row, Store, StoreError, clock};
use crate::text::{Clean, pad, truncate};
use serde::Serialize;

/// What `sessions` takes.
#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct SessionsArgs {
    /// For programs
    #[arg(long)]
    json: bool,
    /// Those of the demo
    #[arg(long)]
    demo: bool,
    /// Only those of this directory
    #[arg(long)]
    here: bool,
    /// Only those with a command whose end is not known, unless somebody has answered for it
    #[arg(long)]
    needs_you: bool,
    /// Those in the trash
    #[arg(long, conflicts_with_all = ["here", "needs_you"])]
    trash: bool,
    #[command(subcommand)]
    command: Option<SessionsCommand>,
}

/// What is done with one session.
#[derive(Debug, clap::Subcommand)]
enum SessionsCommand {
    /// Move a session to the trash
    Rm {
        /// The session; the first 8 characters of its id are enough
        #[arg(value_parser = session_name)]
        id: SessionName,
        /// The first word of its title; needed where an outcome is unknown
        #[arg(long, value_name = "WORD")]
        title_word: Option<String>,
    },
    /// Bring a session back from the trash
    Restore {
        /// The session; the first 8 characters of its id are enough
        #[arg(value_parser = session_name)]
        id: SessionName,
    },
}

/// A session for programs.
#[derive(Debug, Serialize)]
struct Listed {
    id: String,
    title: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    forked_from: Option<String>,
    cwd: String,
    state: &'static str,
    #[serde(skip_serializing_if = "String::is_empty")]
    detail: String,
    last_at: Option<String>,
}

/// Prints the list, or moves one session; exit 0.
///
/// # Errors
/// A sentence, if the data directory cannot be read or the session not moved.
pub fn sessions(paths: &Paths, args: &SessionsArgs) -> Result<u8, String> {
    match &args.command {
        None => list(paths, args)?,
        Some(SessionsCommand::Rm { id, title_word }) => {
            remove(paths, id.find(paths)?, title_word.as_deref())?
        }
        Some(SessionsCommand::Restore { id }) => restore(paths, id.find_trashed(paths)?)?,
    }
    Ok(0)
}

fn list(paths: &Paths, args: &SessionsArgs) -> Result<(), String> {
    let kind = if args.demo { Kind::Demo } else { Kind::Real };
    let store = Store::at(&paths.data, &paths.config, kind);
    let rows = if args.trash { store.list_trash() } else { store.list() };
    let mut rows = rows.map_err(|error| format!("The sessions cannot be listed: {error}."))?;
    if args.here {
        let here = std::env::current_dir()
            .map_err(|error| format!("The current directory cannot be used: {error}."))?;
        let here = here.display().to_string();
        let mut place = Place::new(&here);
        rows.retain(|row| place.is(&row.cwd));
    }
    if args.needs_you {
        rows.retain(|row| row.state.wants_a_person());
    }
    let listed: Vec<Listed> = rows.into_iter().map(listed).collect();
    if args.json {
        return say::json(&listed);
    }
    if listed.is_empty() && args.needs_you {
        return say::text("No session needs you.\n");
    }
    if listed.is_empty() {
        let dir = if args.trash { store.layout().trash() } else { store.layout().sessions() };
        let dir = dir.display().to_string();
        return say::text(&format!(
            "No such sessions in {}.{}\n",
            Clean::line(&dir),
            other_kind(&store, args)
        ));
    }
    say::text(&listed.iter().map(row_text).collect::<String>())
}

/// That there are sessions of the demo, where others were asked for and none is there.
fn other_kind(store: &Store, args: &SessionsArgs) -> &'static str {
    let demo = store.of_kind(Kind::Demo);
    let of_demo = if args.trash { demo.list_trash() } else { demo.list() };
    let there = !args.demo && of_demo.is_ok_and(|rows| !rows.is_empty());
    if there { " Those of the demo are listed with --demo." } else { "" }
}

fn remove(paths: &Paths, id: SessionId, title_word: Option<&str>) -> Result<(), String> {
    let store = store_having(paths, id)?;
    store.trash(id, title_word, clock::now()).map_err(|error| {
        let why = Clean::line(&error.to_string()).to_string();
        match error {
            StoreError::WordWanted { .. } => {
                format!("Nothing is moved: {why}. Repeat with --title-word and that word.")
            }
            _ => format!("Nothing is moved: {why}."),
        }
    })?;
    say::text(&format!("Session {id} is in the trash; candor sessions restore {id} brings it back.\n"))
}

fn restore(paths: &Paths, id: SessionId) -> Result<(), String> {
    let store = Store::at(&paths.data, &paths.config, Kind::Real);
    let store = store.having_trashed(id).ok_or_else(|| format!("Session {id} is not in the trash."))?;
    store.restore(id).map_err(|error| format!("The session is not back: {error}."))?;
    say::text(&format!("Session {id} is back.\n"))
}

fn row_text(row: &Listed) -> String {
    let at =
        row.last_at.as_deref().and_then(|at| at.get(..16)).unwrap_or("                ").replace('T', " ");
    let title = Clean::line(&words::listed_title(&row.title, row.forked_from.is_some()));
    let title = pad(truncate(title.as_str(), 40), 40);
    format!("{}  {:<15}  {at}  {title}  {}\n", row.id, row.state, Clean::line(&row.detail))
}

fn listed(row: Row) -> Listed {
    Listed {
        id: row.id.to_string(),
        title: row.title,
        forked_from: row.forked_from.map(|id| id.to_string()),
        cwd: row.cwd,
        state: row.state.word(),
        detail: row.state.detail(),
        last_at: row.last_at.map(|at| at.to_string()),
    }
}
