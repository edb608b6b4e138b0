//! `candor inspect`: what a journal proves, for somebody who was not there.

mod readable;

use super::named::session_or_path;
use super::say;
use super::values::{digest, public_key, session_id, target, turn_id};
use crate::config::Paths;
use crate::record::{Digest, SessionId, TurnId};
use crate::store::inspect::{InspectRequest, Target};
use crate::store::{Kind, Store};
use crate::text::{Clean, human_bytes};
use clap::builder::OsStringValueParser;
use clap::builder::TypedValueParser as _;
use ed25519_dalek::VerifyingKey;
use std::io::IsTerminal as _;

/// What `inspect` takes.
#[derive(Debug, clap::Args)]
pub struct InspectArgs {
    /// A session's id or its first 8 characters, or the path of a journal
    #[arg(value_name = "ID|PATH", value_parser = OsStringValueParser::new().try_map(target))]
    target: Target,
    /// The session that it has to be
    #[arg(long, value_name = "UUID", value_parser = session_id)]
    session: Option<SessionId>,
    /// The key that it has to be signed with; else the local key store's
    #[arg(long, value_name = "HEX|FILE", value_parser = public_key)]
    public_key: Option<VerifyingKey>,
    /// The head that it has to have, as it was written down elsewhere
    #[arg(long, value_name = "HEX", value_parser = digest)]
    expect_head: Option<Digest>,
    /// Another key whose decisions count
    #[arg(long, value_name = "HEX|FILE", value_parser = public_key)]
    operator_key: Option<VerifyingKey>,
    /// Report on this turn alone
    #[arg(long, value_name = "ID", value_parser = turn_id)]
    turn: Option<TurnId>,
    /// Take every result but completed and not executed as unknown
    #[arg(long)]
    errors_unknown: bool,
    /// For programs; the default where standard output is no terminal
    #[arg(long)]
    json: bool,
}

impl InspectArgs {
    /// Two ids of which one session can only have one.
    pub(super) fn contradiction(&self) -> Option<String> {
        match (&self.target, self.session) {
            (Target::Session(id), Some(other)) if *id != other => {
                Some(format!("session {id} cannot be session {other}"))
            }
            (Target::Session(_) | Target::Path(_), _) => None,
        }
    }
}

/// Verifies a journal and prints its report; exit 0 or 2, as the report says.
///
/// # Errors
/// A sentence, if there is nothing to report.
pub fn inspect(paths: &Paths, args: InspectArgs) -> Result<u8, String> {
    let InspectArgs { target, session, public_key, expect_head, operator_key, turn, errors_unknown, json } =
        args;
    let target = session_or_path(paths, target).map_err(|error| format!("No report: {error}"))?;
    let progress = if std::io::stderr().is_terminal() { say_progress } else { |_, _| () };
    let request = InspectRequest {
        target,
        session,
        public_key,
        expect_head,
        operator_key,
        turn,
        errors_unknown,
        progress,
    };
    let store = Store::at(&paths.data, &paths.config, Kind::Real);
    let report = store.inspect(&request);
    progress(0, 0);
    let report = report.map_err(|error| format!("No report: {}.", Clean::line(&error.to_string())))?;
    if json || !std::io::stdout().is_terminal() {
        say::json(&report)?;
    } else {
        say::text(&readable::readable(&report))?;
    }
    Ok(report.exit_code())
}

/// One line that is written over; nothing of nothing takes it away again.
fn say_progress(read: u64, of: u64) {
    if of == 0 {
        say::progress("\r\x1b[K");
    } else {
        say::progress(&format!("\rverifying, {} of {}\x1b[K", human_bytes(read), human_bytes(of)));
    }
}
