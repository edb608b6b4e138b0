//! `candor reconcile`: a signed decision about an unknown effect.

use super::named::session_or_path;
use super::say;
use super::values::{dispatch_id, note, signing_key, target};
use crate::config::Paths;
use crate::record::DispatchId;
use crate::store::inspect::Target;
use crate::store::{Decision, DecisionOutcome, Kind, ReconcileRequest, Reconciled, Store, clock};
use crate::text::Clean;
use clap::ValueEnum;
use clap::builder::{OsStringValueParser, PathBufValueParser, TypedValueParser as _};
use ed25519_dalek::SigningKey;
use std::path::PathBuf;

/// What `reconcile` takes.
#[derive(Debug, clap::Args)]
pub struct ReconcileArgs {
    /// A session's id or its first 8 characters, or the path of a journal
    #[arg(value_name = "ID|PATH", value_parser = OsStringValueParser::new().try_map(target))]
    target: Target,
    /// The execution that is decided about, as inspect names it
    #[arg(long, value_name = "UUID", value_parser = dispatch_id)]
    dispatch: DispatchId,
    /// What was found
    #[arg(long, value_enum)]
    outcome: Found,
    /// How that is known, in words
    #[arg(long, value_name = "TEXT", value_parser = note)]
    note: String,
    /// A file that shows it; its name and hash are recorded. May be given again
    #[arg(long, value_name = "FILE")]
    evidence: Vec<PathBuf>,
    /// A file with the seed to sign with; else the session's own key signs
    #[arg(long, value_name = "FILE", value_parser = PathBufValueParser::new().try_map(signing_key))]
    operator_key: Option<SigningKey>,
}

/// What somebody found who looked.
#[derive(Debug, Clone, Copy, ValueEnum)]
#[value(rename_all = "snake_case")]
enum Found {
    /// It did happen
    Happened,
    /// It did not happen
    DidNotHappen,
    /// Part of it happened
    Partly,
}

impl From<Found> for DecisionOutcome {
    fn from(found: Found) -> Self {
        match found {
            Found::Happened => Self::Happened,
            Found::DidNotHappen => Self::DidNotHappen,
            Found::Partly => Self::Partly,
        }
    }
}

/// Records a decision beside the journal; exit 0, also if it was recorded before.
///
/// # Errors
/// A sentence, if it is not recorded.
pub fn reconcile(paths: &Paths, args: ReconcileArgs) -> Result<u8, String> {
    let ReconcileArgs { target, dispatch, outcome, note, evidence, operator_key } = args;
    let outcome = outcome.into();
    let target = session_or_path(paths, target).map_err(|error| format!("Nothing is recorded: {error}"))?;
    let request =
        ReconcileRequest { target, dispatch, outcome, note, evidence, operator_key, operator: operator() };
    let store = Store::at(&paths.data, &paths.config, Kind::Real);
    let recorded = store.reconcile(&request, clock::now());
    let recorded =
        recorded.map_err(|error| format!("Nothing is recorded: {}.", Clean::line(&error.to_string())))?;
    say::text(&match recorded {
        Reconciled::New(decision) => format!("Recorded: {}.\n", sentence(&decision)),
        Reconciled::Same(decision) => format!("Recorded before: {}.\n", sentence(&decision)),
    })?;
    Ok(0)
}

fn sentence(decision: &Decision) -> String {
    let (dispatch, outcome) = (decision.dispatch, decision.outcome.word().replace('_', " "));
    let (key, at) = (&decision.key_id, decision.at);
    format!("command {dispatch}, {outcome}; signed with key {key} at {at}")
}

/// By the system's account who this is; a signature shows more.
fn operator() -> String {
    let user = ["USER", "LOGNAME"].into_iter().find_map(|name| std::env::var(name).ok());
    let user = user.unwrap_or_else(|| rustix::process::getuid().as_raw().to_string());
    format!("{user}@{}", rustix::system::uname().nodename().to_string_lossy())
}
