//! `candor sessions`: all sessions with their state.

use super::say;
use crate::config::Paths;
use crate::store::{Kind, Row, Store};
use crate::text::{Clean, pad, truncate};
use serde::Serialize;

/// A session for programs.
#[derive(Debug, Serialize)]
struct Listed {
    id: String,
    title: String,
    cwd: String,
    state: &'static str,
    #[serde(skip_serializing_if = "String::is_empty")]
    detail: String,
    last_at: Option<String>,
}

/// Prints the list; exit 0.
///
/// # Errors
/// A sentence, if the data directory cannot be read.
pub fn sessions(paths: &Paths, json: bool, demo: bool) -> Result<u8, String> {
    let kind = if demo { Kind::Demo } else { Kind::Real };
    let store = Store::at(&paths.data, &paths.config, kind);
    let rows = store.list().map_err(|error| format!("The sessions cannot be listed: {error}."))?;
    let listed: Vec<Listed> = rows.into_iter().map(listed).collect();
    if json {
        say::json(&listed)?;
    } else if listed.is_empty() {
        say::text(&format!("No sessions in {}.\n", store.layout().sessions().display()))?;
    } else {
        say::text(&listed.iter().map(row_text).collect::<String>())?;
    }
    Ok(0)
}

fn row_text(row: &Listed) -> String {
    let at =
        row.last_at.as_deref().and_then(|at| at.get(..16)).unwrap_or("                ").replace('T', " ");
    let title = Clean::line(&row.title);
    let title = pad(truncate(title.as_str(), 40), 40);
    format!("{}  {:<15}  {at}  {title}  {}\n", row.id, row.state, Clean::line(&row.detail))
}

fn listed(row: Row) -> Listed {
    Listed {
        id: row.id.to_string(),
        title: row.title,
        cwd: row.cwd,
        state: row.state.word(),
        detail: row.state.detail(),
        last_at: row.last_at.map(|at| at.to_string()),
    }
}
