//! What lies in a call folder: one careful reading, for recovery and for the
//! end of a followed command. Nothing is written, created or locked.

use super::folder::{Folder, LAUNCH, ORDER, PROCESS, RECEIPT};
use super::living::{Living, Marks};
use super::lock::{self, LockState};
use super::process::Process;
use super::spool::{self, Spool};
use crate::record::{DispatchId, Ended, FolderFacts, Launch, Order, ProcessNote, Receipt, Survivor, limits};
use rustix::io::Errno;
use serde::de::DeserializeOwned;
use std::cell::OnceCell;
use std::fs;
use std::io;
use std::path::Path;

/// The one version of all forms.
const VERSION: u64 = 1;
/// More than any order has: a command of 16 KiB, all of it escaped, and names.
const ORDER_BYTES: usize = 1 << 20;

/// What lies in the folder `dir`, named after its dispatch; `None` if there is
/// no such folder or it has another kind of name.
///
/// Living processes are looked for where no receipt tells the end of a command
/// that may have run. A lock that cannot be looked at counts as a launch: the command may
/// have run.
#[must_use]
pub fn read(dir: &Path) -> Option<FolderFacts> {
    read_with(dir, &OnceCell::new())
}

/// What lies in all folders of `calls_dir`, in the order of their names.
///
/// # Errors
/// When the directory cannot be listed, in particular when it is not there:
/// then nothing is known about any execution.
pub fn read_all(calls_dir: &Path) -> io::Result<Vec<FolderFacts>> {
    let mut dirs = fs::read_dir(calls_dir)?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<io::Result<Vec<_>>>()?;
    dirs.sort();
    let living = OnceCell::new();
    Ok(dirs.iter().filter_map(|dir| read_with(dir, &living)).collect())
}

/// The command's shell, if the supervisor came to note it.
#[must_use]
pub fn process_note(dir: &Path) -> Option<ProcessNote> {
    note_in(&Folder::open(dir).ok()?)
}

/// What is alive of the execution in `dir`. The folder may be gone: the
/// processes carry the execution's mark all the same.
#[must_use]
pub fn alive_of(dir: &Path) -> Vec<Survivor> {
    living_of(dir, &[]).iter().map(Process::named).collect()
}

/// The supervisor of the execution in `dir`, if it lives.
pub(super) fn supervisor_of(dir: &Path) -> Option<Process> {
    supervisor_in(&Folder::open(dir).ok()?, dispatch_named(dir)?)
}

/// The same, in an open folder.
pub(super) fn supervisor_in(folder: &Folder, dispatch: DispatchId) -> Option<Process> {
    marks_in(folder, dispatch).supervisor()
}

/// What is alive of the execution in `dir`, of which some may be known.
pub(super) fn living_of(dir: &Path, known: &[Process]) -> Vec<Process> {
    let Some(dispatch) = dispatch_named(dir) else { return Vec::new() };
    let marks = Folder::open(dir).map_or(
        Marks { dispatch, launch: None, note: None }, // the environment still tells
        |folder| marks_in(&folder, dispatch),
    );
    Living::look().of(&marks, known)
}

fn read_with(dir: &Path, living: &OnceCell<Living>) -> Option<FolderFacts> {
    let dispatch = dispatch_named(dir)?;
    match Folder::open(dir) {
        Ok(folder) => Some(read_in(&folder, dispatch, living)),
        Err(error) if is_absent(&error) => None,
        Err(_) => Some(unreadable(dispatch)),
    }
}

/// Nothing of that name, or a file or a link, which no supervisor works in.
fn is_absent(error: &io::Error) -> bool {
    let absent = [Errno::NOENT, Errno::NOTDIR, Errno::LOOP];
    Errno::from_io_error(error).is_some_and(|errno| absent.contains(&errno))
}

/// A folder is there and nobody can look into it: its command may have run.
fn unreadable(dispatch: DispatchId) -> FolderFacts {
    FolderFacts {
        dispatch,
        order: None,
        launched: true,
        lock_held: false,
        receipt: None,
        alive: Vec::new(),
        output: spool::nothing(),
    }
}

/// What lies in an open folder. All processes are looked at once for all
/// folders that need it.
pub(super) fn read_in(folder: &Folder, dispatch: DispatchId, living: &OnceCell<Living>) -> FolderFacts {
    // The lock first: what is missing after it was found free will never come.
    let lock = lock::probe(folder);
    let has = |name| folder.has(name).unwrap_or(true);
    let launched = lock == LockState::Unreadable || has(LAUNCH) || has(PROCESS);
    let marks = marks_in(folder, dispatch);
    // A command that takes the lock file away does not end its supervisor by it.
    let lock_held = lock == LockState::Held || marks.supervisor().is_some();
    let order = json::<Order>(folder, ORDER, ORDER_BYTES).filter(|order| fits_order(order, dispatch));
    let receipt = json::<Receipt>(folder, RECEIPT, limits::RECEIPT_BYTES);
    let spool = Spool::read(folder);
    let receipt = receipt.filter(|receipt| fits(receipt, dispatch, order.as_ref(), &spool));
    // Whoever holds the lock before the launch is no process of the command.
    let alive = if receipt.is_none() && (launched || !lock_held) {
        let found = living.get_or_init(Living::look).of(&marks, &[]);
        found.iter().map(Process::named).collect()
    } else {
        Vec::new()
    };
    let total = receipt.as_ref().map_or(spool.bytes, |receipt| receipt.output_bytes);
    FolderFacts { dispatch, order, launched, lock_held, receipt, alive, output: spool.facts(folder, total) }
}

/// The execution that a folder is named after.
pub(super) fn dispatch_named(dir: &Path) -> Option<DispatchId> {
    DispatchId::parse(dir.file_name()?.to_str()?).ok()
}

fn json<T: DeserializeOwned>(folder: &Folder, name: &str, limit: usize) -> Option<T> {
    serde_json::from_slice(&folder.read_small(name, limit).ok()?).ok()
}

fn note_in(folder: &Folder) -> Option<ProcessNote> {
    json::<ProcessNote>(folder, PROCESS, limits::RECEIPT_BYTES).filter(|note| note.v == VERSION)
}

fn marks_in(folder: &Folder, dispatch: DispatchId) -> Marks {
    let launch = json::<Launch>(folder, LAUNCH, limits::RECEIPT_BYTES).filter(|launch| launch.v == VERSION);
    Marks { dispatch, launch, note: note_in(folder) }
}

/// Whether an order is for this execution and says what it is.
pub(super) fn fits_order(order: &Order, dispatch: DispatchId) -> bool {
    order.v == VERSION && order.dispatch == dispatch && order.fingerprint == order.operation.fingerprint()
}

/// Whether a receipt speaks of this execution and of the output that is there.
fn fits(receipt: &Receipt, dispatch: DispatchId, order: Option<&Order>, spool: &Spool) -> bool {
    let one_end = receipt.exit_code.is_some() != receipt.signal.is_some();
    receipt.v == VERSION
        && receipt.dispatch == dispatch
        && order.is_none_or(|order| order.fingerprint == receipt.fingerprint)
        && one_end != (receipt.ended == Ended::NotStarted)
        && !(receipt.exit_code.is_some() && receipt.signal.is_some())
        && !spool.overlong
        && receipt.spool_bytes == spool.bytes
        && receipt.output_sha256 == spool.sha256
        && receipt.output_bytes >= receipt.spool_bytes
}

/// The order in a folder, for its supervisor.
pub(super) fn read_order(folder: &Folder, dir: &Path) -> Option<Order> {
    let dispatch = dispatch_named(dir)?;
    json::<Order>(folder, ORDER, ORDER_BYTES).filter(|order| fits_order(order, dispatch))
}
