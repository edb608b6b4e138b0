//! A tool defines, prepares, executes; bash and its supervisor.
//!
//! Here belongs all that touches a command: what may run ([`Bash`]), the
//! evidence of one execution ([`lay`], [`read`]), the process that watches over
//! it ([`supervise()`]) and the agent's view of it while it runs ([`Follower`],
//! [`request_stop`], [`stop_strays`]). Whether something may run is decided
//! elsewhere, and the journal is not known here.
#![allow(clippy::disallowed_methods)] // this room starts programs, reads clocks and owns the call folder

mod arguments;
mod bash;
mod environment;
mod error;
mod facts;
mod failpoint;
mod folder;
mod follow;
mod hint;
mod living;
mod lock;
mod noted;
mod process;
mod spool;
mod start;
mod stop;
mod supervise;

pub use bash::{Bash, Prepared};
pub use error::{InvalidArguments, StartError};
pub use facts::{alive_of, process_note, read, read_all};
pub use failpoint::{failpoint, panicpoint};
pub use folder::OUTPUT;
pub use follow::{Followed, Follower};
pub use noted::kill_noted;
pub use start::{Execution, Laid, Launcher, lay};
pub use stop::{Asked, request_stop, stop_strays};
pub use supervise::supervise;

/// A tool as a model is told of it.
#[derive(Debug, Clone)]
pub struct Definition {
    /// Its name.
    pub name: &'static str,
    /// What it does and what the model has to know about it.
    pub description: String,
    /// JSON schema of its arguments.
    pub parameters: serde_json::Value,
}
