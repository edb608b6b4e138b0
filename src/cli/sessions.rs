//! `candor sessions`: all sessions with their state.

use super::print_json;
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
        print_json(&listed)?;
    } else if listed.is_empty() {
        println!("No sessions in {}.", store.layout().sessions().display());
    } else {
        listed.iter().for_each(print_row);
    }
    Ok(0)
}

fn print_row(row: &Listed) {
    let at =
        row.last_at.as_deref().and_then(|at| at.get(..16)).unwrap_or("                ").replace('T', " ");
    let title = Clean::line(&row.title);
    let title = pad(truncate(title.as_str(), 40), 40);
    println!("{}  {:<15}  {at}  {title}  {}", row.id, row.state, Clean::line(&row.detail));
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
