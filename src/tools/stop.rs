//! Asking a running command to end: through its supervisor, or, where that is
//! gone, by signals to what lives of it.

use super::facts::living_of;
use super::folder::{CONTROL, Folder};
use super::process::{self, Process};
use crate::record::Survivor;
use rustix::fs::OFlags;
use rustix::process::Signal;
use std::io::{self, Write};
use std::path::Path;
use std::time::Duration;

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

/// Asks the supervisor of the call folder `dir` to stop its command. No pid is
/// involved, so no stranger can be hit. Asking twice is asking once.
///
/// # Errors
/// When `control` cannot be opened or is not a FIFO.
pub fn request_stop(dir: &Path) -> io::Result<Asked> {
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
    let left = wait_for_end(dir, GRACE, Round { signals: &[Signal::TERM, Signal::CONT], again: false }).await;
    if left.is_empty() {
        return Vec::new();
    }
    let left = wait_for_end(dir, SWEEP, Round { signals: &[Signal::KILL], again: true }).await;
    left.iter().map(Process::named).collect()
}

#[derive(Clone, Copy)]
struct Round {
    signals: &'static [Signal],
    /// Every process gets them at every look, not only once.
    again: bool,
}

/// Sends the signals and looks until nothing lives or the time is over;
/// returns what lives.
async fn wait_for_end(dir: &Path, bound: Duration, round: Round) -> Vec<Process> {
    let mut seen: Vec<Process> = Vec::new();
    let mut waited = Duration::ZERO;
    loop {
        let living = look(dir).await;
        if living.is_empty() || waited >= bound {
            return living;
        }
        for process in &living {
            let known = seen.iter().any(|s| (s.pid, s.start_time) == (process.pid, process.start_time));
            if round.again || !known {
                send(process, round.signals);
            }
        }
        seen = living;
        tokio::time::sleep(LOOK).await;
        waited += LOOK;
    }
}

fn send(process: &Process, signals: &[Signal]) {
    let same = || process::find(process.pid).is_some_and(|now| now.start_time == process.start_time);
    process::send_if(process.pid, signals, same);
}

async fn look(dir: &Path) -> Vec<Process> {
    let dir = dir.to_owned();
    // Fails only when the runtime is going down; then nobody waits for this.
    tokio::task::spawn_blocking(move || living_of(&dir)).await.unwrap_or_default()
}
