//! `candor supervise DIR`: the process that starts one command, watches over
//! it and writes down how it ended.
//!
//! One thread and one poll loop; no configuration, no network, no keys. It
//! outlives the agent. Until `launch.json` is on disk every trouble ends it
//! without an effect; after that every trouble ends in a receipt.

mod receipt;
mod signals;
mod spool;
mod tree;
mod watch;

use super::facts::read_order;
use super::folder::{CONTROL, Folder, LAUNCH, LOCK, OUTPUT, PROCESS};
use super::process::{self, number};
use super::{failpoint, lock};
use crate::record::{BashOperation, Launch, Order, ProcessNote, Timestamp};
use receipt::{Course, write_receipt};
use rustix::process::{Pid, getpid};
use signals::Signals;
use spool::Spool;
use std::fs::File;
use std::io;
use std::os::fd::AsFd;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
use std::time::{Instant, SystemTime, UNIX_EPOCH};
use watch::{Equipment, Started, Watch};

/// The kernel's name of the process: a `killall candor` is meant for others.
#[cfg(target_os = "linux")]
const NAME: &std::ffi::CStr = c"cmd-supervisor";

/// Everything that has to be there before the command may run.
struct Ready {
    folder: Folder,
    order: Order,
    operation: BashOperation,
    equipment: Equipment,
    /// Held until this process ends, for whoever asks whether it lives.
    _lock: File,
}

/// Runs the order in the call folder `dir`. The standard output has to be the
/// folder's lock, held; the environment is the command's.
pub fn supervise(dir: &Path) -> ExitCode {
    // Nothing was launched where this fails, and the lock is free again.
    let Ok(ready) = prepare(dir) else { return ExitCode::FAILURE };
    let Ready { folder, order, operation, equipment, _lock } = ready;
    let started = mark(&folder).and_then(|()| start(&operation));
    let (spool, course) = match started {
        Ok(started) => {
            // Only a help to find the command without its supervisor.
            let _ = note(&folder, started.shell);
            failpoint("running");
            Watch::new(&operation, started, equipment).until_the_end()
        }
        Err(_) => (equipment.spool, Course::not_started(now())),
    };
    failpoint("ended");
    let written = write_receipt(&folder, &order, spool, course);
    failpoint("receipt");
    if written.is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn prepare(dir: &Path) -> io::Result<Ready> {
    // What the agent itself inherited could go on to the command.
    close_fds::set_fds_cloexec(3, &[]);
    let folder = Folder::open(dir)?;
    let lock = inherited_lock(&folder)?;
    let order = read_order(&folder, dir).ok_or(io::ErrorKind::InvalidData)?;
    let operation = order.operation.as_bash().map_err(|_| io::ErrorKind::InvalidData)?;
    if folder.has(LAUNCH)? {
        return Err(io::ErrorKind::AlreadyExists.into());
    }
    rustix::process::setsid()?;
    let signals = Signals::register()?;
    let spool = Spool::new(folder.create(OUTPUT)?);
    let control = make_control(&folder, dir)?;
    #[cfg(target_os = "linux")]
    {
        rustix::thread::set_name(NAME)?;
        rustix::process::set_child_subreaper(Some(getpid()))?;
    }
    Ok(Ready { folder, order, operation, equipment: Equipment { spool, signals, control }, _lock: lock })
}

/// Says that from here on the command may run.
fn mark(folder: &Folder) -> io::Result<()> {
    let own = process::find(getpid()).ok_or(io::ErrorKind::NotFound)?;
    let launch =
        Launch { v: 1, pid: number(own.pid), start_time: own.start_time, boot_id: process::boot_id()? };
    folder.put_durably(LAUNCH, &serde_json::to_vec(&launch)?)?;
    failpoint("launched");
    Ok(())
}

/// The lock that the agent took, as this process's standard output.
fn inherited_lock(folder: &Folder) -> io::Result<File> {
    let lock = File::from(io::stdout().as_fd().try_clone_to_owned()?);
    if !folder.holds(LOCK, &lock)? {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    lock::take(&lock)?;
    Ok(lock)
}

fn make_control(folder: &Folder, dir: &Path) -> io::Result<File> {
    #[cfg(not(target_vendor = "apple"))]
    {
        let _ = dir;
        folder.make_fifo(CONTROL)?;
    }
    #[cfg(target_vendor = "apple")]
    Command::new("/usr/bin/mkfifo")
        .args(["-m", "600"])
        .arg(dir.join(CONTROL))
        .stdout(Stdio::null())
        .status()?;
    // With a writer of its own, the end of one who asks is no end of file.
    folder.open_fifo(CONTROL, rustix::fs::OFlags::RDWR)
}

/// Starts the shell in a group of its own; the session, this process's, has no terminal.
fn start(operation: &BashOperation) -> io::Result<Started> {
    let (reader, writer) = io::pipe()?;
    let mut command = Command::new("/bin/bash");
    command
        .args(["--noprofile", "--norc", "-c", &operation.command])
        .current_dir(&operation.cwd)
        .process_group(0)
        .stdin(Stdio::null())
        .stdout(writer.try_clone()?)
        .stderr(writer);
    #[cfg(feature = "failpoints")]
    command.env_remove(failpoint::VARIABLE);
    let child = command.spawn()?;
    // The writing ends in it would keep the pipe open.
    drop(command);
    let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw).ok_or(io::ErrorKind::InvalidData)?;
    Ok(Started { shell: pid, pipe: reader, at: now(), instant: Instant::now() })
}

fn note(folder: &Folder, shell: Pid) -> io::Result<()> {
    // Not reaped yet, so it is found even if it has ended.
    let shell = process::find(shell).ok_or(io::ErrorKind::NotFound)?;
    let note = ProcessNote { v: 1, pid: number(shell.pid), start_time: shell.start_time };
    folder.put(PROCESS, &serde_json::to_vec(&note)?)
}

fn now() -> Timestamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Timestamp::from_millis(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}
