//! The commands that need no screen, and the command line itself.
#![allow(clippy::print_stdout, clippy::print_stderr)] // this room writes to standard output

mod args;
mod crash_test;
mod doctor;
mod import;
mod inspect;
mod key;
mod man;
mod named;
mod reconcile;
mod say;
mod sessions;
mod show;
mod transcript;
mod values;

pub use args::{Args, Subcommand, USAGE, completions, parse};
pub use crash_test::{CrashTestArgs, crash_test};
pub use doctor::doctor;
pub use import::{ImportArgs, import};
pub use inspect::{InspectArgs, inspect};
pub use key::{KeyArgs, key};
pub use man::man;
pub use named::SessionName;
pub use reconcile::{ReconcileArgs, reconcile};
pub use say::{aside, complain};
pub use sessions::{SessionsArgs, sessions};
pub use show::{ShowArgs, show};

use crate::config::Paths;
use crate::record::SessionId;
use crate::store::{Kind, Store};

/// The store that has this session, real or demo.
fn store_having(paths: &Paths, id: SessionId) -> Result<Store, String> {
    let store = Store::at(&paths.data, &paths.config, Kind::Real).having(id);
    store.ok_or_else(|| format!("There is no session {id}. candor sessions lists them."))
}
