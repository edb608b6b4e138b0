//! Which processes of an execution are alive, when nobody watches over it.

use super::process::{self, Process, number};
use crate::record::{DispatchId, Launch, ProcessNote};
use rustix::process::{Pid, getpid};

/// How the processes of one execution are told from all others.
#[derive(Debug, Clone)]
pub(super) struct Marks {
    pub(super) dispatch: DispatchId,
    /// Its supervisor, which is no process of the command.
    pub(super) launch: Option<Launch>,
    /// Its shell.
    pub(super) note: Option<ProcessNote>,
}

impl Marks {
    /// The supervisor, if it lives. Where the system does not tell start times
    /// it is never known to.
    pub(super) fn supervisor(&self) -> Option<Process> {
        let launch = self.launch.as_ref().filter(|_| process::KNOWS_DESCENDANTS)?;
        let pid = Pid::from_raw(i32::try_from(launch.pid).ok()?)?;
        let found = process::find(pid).filter(|it| it.start_time == launch.start_time && !it.dead)?;
        process::boot_id().is_ok_and(|boot| boot == launch.boot_id).then_some(found)
    }
}

/// One look at all processes, for any number of executions.
#[derive(Debug)]
pub(super) struct Living {
    boot_id: String,
    all: Vec<Process>,
    dispatches: Vec<(Pid, DispatchId)>,
}

impl Living {
    pub(super) fn look() -> Self {
        let mut all = process::list();
        all.retain(|p| !p.dead && p.pid != getpid());
        let dispatches = all.iter().filter_map(|p| Some((p.pid, process::dispatch_of(p.pid)?))).collect();
        Self { boot_id: process::boot_id().unwrap_or_default(), all, dispatches }
    }

    /// The processes of an execution: those that carry its mark in their
    /// environment, its shell, those `known` from an earlier look, and what
    /// descends from any of them.
    pub(super) fn of(&self, marks: &Marks, known: &[Process]) -> Vec<Process> {
        let this_boot = marks.launch.as_ref().filter(|launch| launch.boot_id == self.boot_id);
        let is = |p: &Process, pid: u64, start_time: u64| (number(p.pid), p.start_time) == (pid, start_time);
        let supervisor = |p: &Process| this_boot.is_some_and(|launch| is(p, launch.pid, launch.start_time));
        let shell = |p: &Process| {
            this_boot.is_some() && marks.note.as_ref().is_some_and(|note| is(p, note.pid, note.start_time))
        };
        let marked = |p: &Process| self.dispatches.contains(&(p.pid, marks.dispatch));
        let seen = |p: &Process| known.iter().any(|k| k.is(p));
        let root = |p: &&Process| !supervisor(p) && (marked(p) || shell(p) || seen(p));
        let roots: Vec<Pid> = self.all.iter().filter(root).map(|p| p.pid).collect();
        let below = process::below(&roots, &self.all);
        let ours = |p: &&Process| roots.contains(&p.pid) || below.iter().any(|b| b.pid == p.pid);
        self.all.iter().filter(ours).copied().collect()
    }
}
