//! `candor import`: another program's history as a new session.

use super::say;
use crate::config::Paths;
use crate::journal::files::Disk;
use crate::record::SessionId;
use crate::store::import::{Format, ImportError, ImportRequest, Imported, Summary};
use crate::store::{Kind, Store, clock};
use crate::text::{Clean, human_bytes, human_count};
use clap::ValueEnum;
use serde::Serialize;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::sync::Arc;

/// What `import` takes.
#[derive(Debug, clap::Args)]
pub struct ImportArgs {
    /// The file; it is read and never changed
    file: PathBuf,
    /// Whose form it has
    #[arg(long, value_enum, default_value_t = Form::Mino)]
    format: Form,
    /// For programs
    #[arg(long)]
    json: bool,
}

/// Whose form a file has.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum Form {
    /// A session file of Mino, versions 1 and 2
    Mino,
    /// Chat messages, as an array or one a line
    Chat,
}

impl From<Form> for Format {
    fn from(form: Form) -> Self {
        match form {
            Form::Mino => Self::Mino,
            Form::Chat => Self::Chat,
        }
    }
}

/// An import for programs.
#[derive(Debug, Serialize)]
struct Report {
    session: SessionId,
    imported_before: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    summary: Option<Summary>,
}

/// Brings a file in; exit 0, also if it was brought in before.
///
/// # Errors
/// A sentence that names the line and the rule, if nothing was made.
pub fn import(paths: &Paths, args: &ImportArgs) -> Result<u8, String> {
    let request = ImportRequest {
        path: args.file.clone(),
        format: args.format.into(),
        app: concat!("candor ", env!("CARGO_PKG_VERSION")).to_owned(),
        cwd: here()?,
    };
    let store = Store::open(&paths.data, &paths.config, Kind::Real, Arc::new(Disk));
    let imported = store.map_err(ImportError::from).and_then(|store| store.import(&request, clock::now()));
    let imported =
        imported.map_err(|error| format!("Nothing was imported: {}.", Clean::line(&error.to_string())))?;
    let (session, summary) = match imported {
        Imported::New(id, summary) => (id, Some(summary)),
        Imported::Before(id) => (id, None),
    };
    if args.json {
        say::json(&Report { session, imported_before: summary.is_none(), summary })?;
    } else {
        say::text(&in_words(session, summary))?;
    }
    Ok(0)
}

/// The directory of the new session's commands.
fn here() -> Result<String, String> {
    let cwd =
        std::env::current_dir().map_err(|error| format!("The current directory cannot be used: {error}."))?;
    cwd.into_os_string().into_string().map_err(|_| {
        "The current directory has a name that is not UTF-8; commands cannot be recorded there.".to_owned()
    })
}

fn in_words(session: SessionId, summary: Option<Summary>) -> String {
    let Some(summary) = summary else {
        return format!("This file was imported before, as session {session}. Nothing was done.\n");
    };
    let mut text = format!("Imported as session {session}.\n");
    let kept = [(summary.turns, "turns"), (summary.calls, "calls")];
    line(&mut text, "Kept", &kept);
    line(
        &mut text,
        "Closed",
        &[
            (summary.closed_unknown, "calls without a result, as unknown"),
            (summary.closed_not_executed, "calls that were not started, as not executed"),
            (summary.closed_turns, "turns without an end"),
        ],
    );
    line(
        &mut text,
        "Left out",
        &[
            (summary.dropped_messages, "messages that are no part of the conversation"),
            (summary.dropped_parts, "parts of messages that are no text"),
            (summary.dropped_orphans, "results of no open call"),
            (summary.dropped_duplicates, "further results of a call"),
        ],
    );
    if summary.dropped_bytes > 0 {
        let _ =
            writeln!(text, "Left out: an incomplete last line of {}.", human_bytes(summary.dropped_bytes));
    }
    if summary.gating > 0 {
        let _ = writeln!(text, "Unknown outcomes that opening it asks about: {}.", summary.gating);
    }
    let _ = writeln!(text, "Open it with candor --session {session}.");
    text
}

/// One line of counts that are not zero; nothing if all are.
fn line(text: &mut String, name: &str, counts: &[(u64, &str)]) {
    let counted = counts.iter().filter(|(count, _)| *count > 0);
    let counted: Vec<String> =
        counted.map(|(count, what)| format!("{what}: {}", human_count(*count))).collect();
    if !counted.is_empty() {
        let _ = writeln!(text, "{name}: {}.", counted.join("; "));
    }
}
