//! The command and everything that came of it: looking, signalling, reaping.
//!
//! As the subreaper this process has every descendant of the command below
//! itself, also one that left the group or the session.

use crate::record::Survivor;
use crate::tools::process::{self, Process, below};
use rustix::process::{
    Pid, Signal, WaitId, WaitIdOptions, WaitOptions, WaitStatus, getpid, kill_process, kill_process_group,
    waitid, waitpid,
};
use std::time::Duration;

/// How often survivors are looked for where there must be some.
const LOOKS: usize = 10;
const BETWEEN_LOOKS: Duration = Duration::from_millis(1);

/// Asks for an end without reaping and without waiting.
const ONLY_LOOK: WaitIdOptions =
    WaitIdOptions::EXITED.union(WaitIdOptions::NOHANG).union(WaitIdOptions::NOWAIT);

/// The shell's pid, which is its group's id as long as it is not reaped.
#[derive(Debug, Clone, Copy)]
pub(super) struct Tree {
    shell: Pid,
}

impl Tree {
    pub(super) fn new(shell: Pid) -> Self {
        Self { shell }
    }

    /// Whether the shell has ended; it stays a zombie, so its ids stay its own.
    pub(super) fn shell_ended(self) -> bool {
        matches!(waitid(WaitId::Pid(self.shell), ONLY_LOOK), Ok(Some(_)))
    }

    /// Reaps the shell if it has ended.
    pub(super) fn reap_shell(self) -> Option<WaitStatus> {
        waitpid(Some(self.shell), WaitOptions::NOHANG).ok().flatten().map(|(_, status)| status)
    }

    /// Reaps adopted children that have ended, so that they do not pile up.
    pub(super) fn reap_others(self) {
        for pid in process::children_of_this().into_iter().filter(|pid| *pid != self.shell) {
            // Fails for one that lives; nothing else can be wrong with it.
            let _ = waitpid(Some(pid), WaitOptions::NOHANG);
        }
    }

    /// Asks all of it to end: the group, and what has left it. A stopped
    /// process has to go on, or it would never notice.
    pub(super) fn terminate(self) {
        for signal in [Signal::TERM, Signal::CONT] {
            // It may be gone already.
            let _ = kill_process_group(self.shell, signal);
        }
        for process in alive().iter().filter(|p| p.group != Some(self.shell)) {
            let signals = [Signal::TERM, Signal::CONT];
            process::send_if(process.pid, &signals, || process::descends_from_this(process.pid));
        }
    }

    /// Ends the group. Right only as long as the shell is not reaped.
    pub(super) fn kill_group(self) {
        let _ = kill_process_group(self.shell, Signal::KILL);
    }

    /// Ends all children, so that theirs come to us next. Nobody else can reap
    /// a child, so none of these pids can be a stranger's.
    pub(super) fn kill_children(self) {
        for pid in process::children_of_this() {
            let _ = kill_process(pid, Signal::KILL);
        }
    }

    /// Whether nothing but the shell is left. Everything below hangs on a
    /// child, and nobody but us takes one away, so this cannot miss one; where
    /// the system does not tell of children it is never known.
    pub(super) fn only_shell_left(self) -> bool {
        process::KNOWS_DESCENDANTS && process::children_of_this().iter().all(|pid| *pid == self.shell)
    }

    /// Whether nothing lives on of the group, whose end was ordered.
    pub(super) fn group_gone(self) -> bool {
        no_children() || !alive().iter().any(|p| p.group == Some(self.shell))
    }

    /// What lives on, for the receipt.
    pub(super) fn survivors(self) -> Vec<Survivor> {
        for _ in 0..LOOKS {
            self.reap_others();
            if no_children() {
                break;
            }
            let alive = alive();
            if !alive.is_empty() {
                return alive.iter().map(Process::named).collect();
            }
            // Either all are just ending, or each ended while others were looked at.
            std::thread::sleep(BETWEEN_LOOKS);
        }
        Vec::new()
    }
}

/// Whether there is no child at all, dead or alive, and so no descendant.
pub(super) fn no_children() -> bool {
    matches!(waitid(WaitId::All, ONLY_LOOK), Err(rustix::io::Errno::CHILD))
}

fn alive() -> Vec<Process> {
    let all = process::list();
    below(&[getpid()], &all).into_iter().filter(|p| !p.dead).copied().collect()
}
