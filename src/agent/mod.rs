//! Who decides: a pure state machine, and the task that drives it.
#![allow(clippy::disallowed_methods)] // files that the model is given are read here

mod desk;
mod driver;
mod evidence;
pub mod first;
mod instructions;
mod machine;
mod models;
mod opening;
mod protocol;
mod setup;
mod watch;

pub use crate::journal::lock::Holder;
pub use crate::store::{Hit, Searched, Speaker};
pub use instructions::SOUL;
pub use protocol::{
    AliveProcess, ApprovalRequest, Command, Delta, Event, Finding, Given, Leaving, ModelList, Moved,
    OpenedSession, Phase, Previewed, ReadOnly, Refusal, RunningCommand, SessionRow, SessionState,
    UnknownReport, Verdict, Watched,
};
pub use setup::{Setup, Started, Target, Wish, start};

use crate::record::DispatchId;
use crate::{store, tools};
use std::path::{Path, PathBuf};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender};

/// A front end's two ends of the channels to the agent.
#[derive(Debug)]
pub struct Handle {
    /// What a person wants.
    pub commands: UnboundedSender<Command>,
    /// What happened.
    pub events: UnboundedReceiver<Event>,
    gate: std::sync::mpsc::Sender<()>,
}

impl Handle {
    /// Lets the agent begin. Until then it does nothing, so that it is in nobody's
    /// way who first has something to show.
    pub fn begin(&self) {
        // An agent that is gone is noticed by its closed channel of events.
        let _ = self.gate.send(());
    }
}

/// Where the output of an execution is kept, in the directory of its session.
#[must_use]
pub fn output_file(session: &Path, dispatch: DispatchId) -> PathBuf {
    store::call_folder(session, dispatch).join(tools::OUTPUT)
}
