//! Asking a running command to end: through its supervisor, or, where that is
//! gone, by signals to what lives of it.

use super::facts::{living_of, supervisor_of};
use super::folder::{CONTROL, Folder};
use super::process::{self, Process};
use crate::record::Survivor;
use rustix::fs::OFlags;
use rustix::process::Signal;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;
use tokio::task::spawn_blocking;

/// From SIGTERM to SIGKILL, as the supervisor has it.
const GRACE: Duration = Duration::from_secs(2);
/// How long processes that regrow, or that we may not kill, are swept.
const SWEEP: Duration = Duration::from_secs(2);
/// Between two looks at all processes.
const LOOK: Duration = Duration::from_millis(50);

/// Whether somebody heard the request to stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Asked {
    /// The supervisor has it. How the command ends the receipt will tell.
    Heard,
    /// There is no supervisor, or none any more.
    NobodyThere,
}

/// Asks the supervisor of the call folder `dir` to stop its command. Asking
/// twice is asking once.
///
/// A supervisor that was stopped (SIGSTOP) is continued, so that it hears. Where
/// a command has taken `control` away the supervisor gets SIGTERM, which asks
/// for the same. The process is pinned and its start time compared: no stranger
/// can be hit.
///
/// # Errors
/// When `control` cannot be opened or is not a FIFO, and no supervisor lives.
pub fn request_stop(dir: &Path) -> io::Result<Asked> {
    let asked = ask_through_control(dir);
    let signals: &[Signal] = match asked {
        Ok(Asked::Heard) => &[Signal::CONT],
        Ok(Asked::NobodyThere) | Err(_) => &[Signal::TERM, Signal::CONT],
    };
    match supervisor_of(dir) {
        Some(supervisor) => {
            send(&supervisor, signals);
            Ok(Asked::Heard)
        }
        None => asked,
    }
}

fn ask_through_control(dir: &Path) -> io::Result<Asked> {
    let opened = Folder::open(dir).and_then(|folder| folder.open_fifo(CONTROL, OFlags::WRONLY));
    match opened.and_then(|mut control| control.write(b"s")) {
        Ok(_) => Ok(Asked::Heard),
        // Full of requests.
        Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(Asked::Heard),
        Err(error) if nobody(&error) => Ok(Asked::NobodyThere),
        Err(error) => Err(error),
    }
}

fn nobody(error: &io::Error) -> bool {
    error.raw_os_error() == Some(rustix::io::Errno::NXIO.raw_os_error())
        || matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::BrokenPipe)
}

/// Stops what lives of an execution whose supervisor is gone: SIGTERM, 2 s,
/// SIGKILL. Returns what lives on all the same, such as other users'
/// processes. How the command ended stays unknown.
pub async fn stop_strays(dir: &Path) -> Vec<Survivor> {
    let mut strays = Strays { dir: dir.to_owned(), alive: Vec::new() };
    strays.end_by(&[Signal::TERM, Signal::CONT], GRACE).await;
    strays.end_by(&[Signal::KILL], SWEEP).await;
    strays.alive.iter().map(Process::named).collect()
}

/// Processes without a supervisor.
struct Strays {
    dir: PathBuf,
    /// At the last look. One whose parent has ended meanwhile may have nothing
    /// left that shows where it belongs: who was seen once stays known.
    alive: Vec<Process>,
}

impl Strays {
    /// Sends the signals to every process once, also to new ones, until none
    /// lives or the time is over.
    async fn end_by(&mut self, signals: &[Signal], bound: Duration) {
        let mut told: Vec<Process> = Vec::new();
        let mut waited = Duration::ZERO;
        loop {
            self.look().await;
            if self.alive.is_empty() || waited >= bound {
                return;
            }
            for process in &self.alive {
                if !told.iter().any(|t| t.is(process)) {
                    send(process, signals);
                    told.push(*process);
                }
            }
            tokio::time::sleep(LOOK).await;
            waited += LOOK;
        }
    }

    async fn look(&mut self) {
        let (dir, known) = (self.dir.clone(), std::mem::take(&mut self.alive));
        // Fails only when the runtime is going down; then nobody waits for this.
        self.alive = spawn_blocking(move || living_of(&dir, &known)).await.unwrap_or_default();
    }
}

fn send(process: &Process, signals: &[Signal]) {
    let same = || process::find(process.pid).is_some_and(|now| now.is(process));
    process::send_if(process.pid, signals, same);
}
