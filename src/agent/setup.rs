//! Starting the agent: what it needs, on a thread of its own.

use super::driver::{Agent, Parts};
use super::models::Models;
use super::{Event, Handle};
use crate::config::{Paths, Settings};
use crate::journal::files::Disk;
use crate::model::DEMO;
use crate::record::SessionId;
use crate::store::{Kind, Place, Store};
use crate::tools::Launcher;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
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
}

/// Starts the agent. `setup.demo` and `setup.target` follow from `wish`: a
/// session of the demo starts the demo.
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
    let store =
        Store::open(&setup.paths.data, &setup.paths.config, kind, Arc::new(Disk)).map_err(|error| {
            format!("Candor's directory {} cannot be used: {error}.", setup.paths.data.display())
        })?;
    if let Wish::Last = wish {
        setup.target = Target::Session(last_of(&store, &setup.cwd)?);
    }
    let (cwd, demo) = (setup.cwd.clone(), setup.demo);
    let model = if demo { DEMO.to_owned() } else { setup.settings.model.name.clone() };
    let (commands, command_receiver) = unbounded_channel();
    let (event_sender, events) = unbounded_channel();
    let run = move || {
        let runtime = match tokio::runtime::Builder::new_current_thread().enable_all().build() {
            Ok(runtime) => runtime,
            Err(error) => {
                // Nobody listens any more if this cannot be sent.
                let _ = event_sender.send(Event::Poisoned(format!("The agent cannot start: {error}.")));
                return;
            }
        };
        runtime.block_on(async move {
            let models = Models::new(setup.settings.model.clone(), setup.demo).await;
            let parts = Parts { setup, store, models, commands: command_receiver, events: event_sender };
            Agent::new(parts).run().await;
        });
    };
    std::thread::Builder::new()
        .name("agent".into())
        .spawn(run)
        .map_err(|error| format!("The agent cannot start: {error}."))?;
    Ok(Started { handle: Handle { commands, events }, cwd, model, demo })
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
