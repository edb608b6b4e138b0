//! Who is killed, by what the session's own files say of them.

use super::plan::Victim;
use super::terminal::Terminal;
use super::watch::names;
use crate::record::{Launch, ProcessNote};
use crate::tools::kill_noted;
use serde::de::DeserializeOwned;
use std::path::{Path, PathBuf};

/// Who was alive when the kill came, and died of it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Hits {
    pub(super) agent: bool,
    /// The execution whose supervisor it was.
    pub(super) supervisor: Option<String>,
    /// The execution whose shell it was.
    pub(super) command: Option<String>,
}

impl Hits {
    pub(super) fn none(&self) -> bool {
        *self == Self::default()
    }
}

/// Kills these of the newest execution. Where there is nobody of them, the agent.
pub(super) fn kill(victim: Victim, terminal: &mut Terminal, folders: &[PathBuf]) -> Hits {
    let mut hits = Hits::default();
    if victim.agent() {
        hits.agent = terminal.crash();
    }
    if let Some(folder) = folders.last() {
        if victim.supervisor() && kill_supervisor(folder) {
            hits.supervisor = dispatch(folder);
        }
        if victim.command() && kill_command(folder) {
            hits.command = dispatch(folder);
        }
    }
    if hits.none() {
        hits.agent = terminal.crash();
    }
    hits
}

/// Ends what may still be there of these executions.
pub(super) fn end_all(folders: &[PathBuf]) {
    for folder in folders {
        kill_supervisor(folder);
        kill_command(folder);
    }
}

fn kill_supervisor(folder: &Path) -> bool {
    noted::<Launch>(folder, names::LAUNCH).is_some_and(|launch| kill_noted(launch.pid, launch.start_time))
}

fn kill_command(folder: &Path) -> bool {
    noted::<ProcessNote>(folder, names::PROCESS).is_some_and(|note| kill_noted(note.pid, note.start_time))
}

fn noted<T: DeserializeOwned>(folder: &Path, name: &str) -> Option<T> {
    serde_json::from_slice(&std::fs::read(folder.join(name)).ok()?).ok()
}

/// The execution of a call folder.
pub(super) fn dispatch(folder: &Path) -> Option<String> {
    Some(folder.file_name()?.to_str()?.to_owned())
}
