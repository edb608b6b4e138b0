//! Starting the agent: what it needs, on a thread of its own.

use super::Handle;
use super::driver::{Agent, Parts};
use super::models::Models;
use crate::config::{Paths, Settings};
use crate::journal::files::Disk;
use crate::model::DEMO;
use crate::record::SessionId;
use crate::store::{Kind, Place, Store};
use crate::tools::Launcher;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use tokio::sync::mpsc::unbounded_channel;

/// What is opened first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// An empty conversation.
    New,
    /// This session.
    Session(SessionId),
}

/// What the person asked for at the start.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Wish {
    /// An empty conversation.
    New,
    /// The last session of this directory.
    Last,
    /// The session of this id, of either kind.
    Session(SessionId),
}

/// Everything an agent needs to know.
#[derive(Debug, Clone)]
pub struct Setup {
    /// Where files are.
    pub paths: Paths,
    /// The settings.
    pub settings: Settings,
    /// Where they are written when they change.
    pub settings_file: PathBuf,
    /// The scripted model, and its own sessions.
    pub demo: bool,
    /// The directory of new sessions.
    pub cwd: String,
    /// The environment of this process.
    pub environment: Vec<(OsString, OsString)>,
    /// Starts supervisors.
    pub launcher: Launcher,
    /// What is opened first.
    pub target: Target,
}

/// An agent that runs, and what the front end has to know before its first event.
#[derive(Debug)]
pub struct Started {
    /// The channels.
    pub handle: Handle,
    /// The directory of new sessions.
    pub cwd: String,
    /// The model's name.
    pub model: String,
    /// The model is the scripted demo.
    pub demo: bool,
    /// Gives one sentence if the agent could not begin: then there are no events.
    pub failure: Receiver<String>,
}

/// Starts the agent, which then waits for [`Handle::begin`]. `setup.demo` and
/// `setup.target` follow from `wish`: a session of the demo starts the demo.
///
/// # Errors
/// One sentence, if a directory cannot be used, a session is not found, or the
/// system gives no thread.
pub fn start(mut setup: Setup, wish: &Wish) -> Result<Started, String> {
    if let Wish::Session(id) = wish {
        // Nothing of the other kind is made or tidied for it.
        let store = Store::at(&setup.paths.data, &setup.paths.config, Kind::Real).having(*id);
        let store = store.ok_or_else(|| format!("There is no session {id}. candor sessions lists them."))?;
        setup.demo = store.kind() == Kind::Demo;
        setup.target = Target::Session(*id);
    }
    let kind = if setup.demo { Kind::Demo } else { Kind::Real };
    let data = setup.paths.data.clone();
    let unusable = move |error| format!("Candor's directory {} cannot be used: {error}.", data.display());
    let store =
        Store::make(&setup.paths.data, &setup.paths.config, kind, Arc::new(Disk)).map_err(&unusable)?;
    if let Wish::Last = wish {
        setup.target = Target::Session(last_of(&store, &setup.cwd)?);
    }
    let (cwd, demo) = (setup.cwd.clone(), setup.demo);
    let model = if demo { DEMO.to_owned() } else { setup.settings.model.name.clone() };
    let (commands, command_receiver) = unbounded_channel();
    let (event_sender, events) = unbounded_channel();
    let (failed, failure) = channel();
    let (gate, begun) = channel();
    let run = move || {
        if begun.recv().is_err() {
            return;
        }
        let runtime =
            tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(cannot_start);
        match runtime.and_then(|runtime| store.put_in_order().map_err(unusable).map(|()| runtime)) {
            Ok(runtime) => runtime.block_on(async move {
                let models = Models::new(setup.settings.model.clone(), setup.demo).await;
                let parts = Parts { setup, store, models, commands: command_receiver, events: event_sender };
                Agent::new(parts).run().await;
            }),
            // The front end ends with the events.
            Err(sentence) => _ = failed.send(sentence),
        }
    };
    std::thread::Builder::new().name("agent".into()).spawn(run).map_err(cannot_start)?;
    Ok(Started { handle: Handle { commands, events, gate }, cwd, model, demo, failure })
}

fn cannot_start(error: std::io::Error) -> String {
    format!("The agent cannot start: {error}.")
}

/// The session of this directory that was written last.
fn last_of(store: &Store, cwd: &str) -> Result<SessionId, String> {
    let rows = store.list().map_err(|error| format!("The sessions cannot be listed: {error}."))?;
    let mut place = Place::new(cwd);
    let here = rows.into_iter().filter(|row| place.is(&row.cwd));
    let last = here.max_by_key(|row| (row.last_at, row.id));
    last.map(|row| row.id).ok_or_else(|| {
        let demo = store.of_kind(Kind::Demo).list().unwrap_or_default();
        let of_demo = store.kind() != Kind::Demo && demo.iter().any(|row| place.is(&row.cwd));
        let more = if of_demo { " candor --demo -c opens the demo's last one." } else { "" };
        format!("There is no session of {cwd} yet. candor starts one.{more}")
    })
}
