//! Processes as the kernel tells of them: who is whose child, and who is who.
//!
//! Linux only; elsewhere nothing is known, and the callers do with less.

use crate::record::{DispatchId, Survivor};
use rustix::process::{Pid, Signal};
use std::collections::HashMap;

/// Whether this system tells of descendants at all.
pub(super) const KNOWS_DESCENDANTS: bool = cfg!(target_os = "linux");

/// How much of a command line is kept to name a process, in bytes.
const COMMAND_BYTES: usize = 120;

/// One process at one moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Process {
    pub(super) pid: Pid,
    pub(super) parent: Option<Pid>,
    pub(super) group: Option<Pid>,
    /// Clock ticks since boot; with the pid it tells a process from a later
    /// one that got the same pid.
    pub(super) start_time: u64,
    /// A zombie, or on its way to be one: nothing more will come of it.
    pub(super) dead: bool,
}

impl Process {
    /// How a person is told of it.
    pub(super) fn named(&self) -> Survivor {
        Survivor { pid: number(self.pid), command: command_line(self.pid) }
    }
}

/// A pid as it is written down.
pub(super) fn number(pid: Pid) -> u64 {
    u64::from(pid.as_raw_nonzero().get().unsigned_abs())
}

/// Those of `all` that descend from `roots`, the roots themselves left out.
pub(super) fn below<'a>(roots: &[Pid], all: &'a [Process]) -> Vec<&'a Process> {
    let parents: HashMap<Pid, Pid> = all.iter().filter_map(|p| Some((p.pid, p.parent?))).collect();
    let descends = |process: &&Process| {
        let mut at = process.pid;
        // A listing is no snapshot: a pid used twice could close a circle.
        for _ in 0..all.len() {
            match parents.get(&at) {
                Some(parent) if roots.contains(parent) => return true,
                Some(parent) => at = *parent,
                None => return false,
            }
        }
        false
    };
    all.iter().filter(|process| !roots.contains(&process.pid)).filter(descends).collect()
}

#[cfg(target_os = "linux")]
pub(super) use linux::{
    boot_id, children_of_this, command_line, descends_from_this, dispatch_of, find, list, send_if,
};

#[cfg(target_os = "linux")]
mod linux {
    use super::{COMMAND_BYTES, DispatchId, Pid, Process, Signal};
    use crate::tools::environment::DISPATCH;
    use rustix::process::{PidfdFlags, getpid, pidfd_open, pidfd_send_signal};
    use std::fs;
    use std::io::{self, Read};

    /// `PF_EXITING` of the kernel's `sched.h`: past the point of no return.
    const EXITING: u64 = 0x4;

    /// The process of this pid.
    pub(in crate::tools) fn find(pid: Pid) -> Option<Process> {
        // The second field is the program's name, with any bytes in it.
        let stat = fs::read(format!("/proc/{pid}/stat")).ok()?;
        parse_stat(pid, &String::from_utf8_lossy(&stat))
    }

    pub(super) fn parse_stat(pid: Pid, stat: &str) -> Option<Process> {
        let (_, rest) = stat.rsplit_once(')')?;
        let fields: Vec<&str> = rest.split_ascii_whitespace().collect();
        // Field numbers as in proc(5), which counts from 1; 3 is the first here.
        let field = |number: usize| fields.get(number - 3).copied();
        let pid_in = |number| field(number)?.parse().ok().and_then(Pid::from_raw);
        let dying = field(9)?.parse::<u64>().ok()? & EXITING != 0;
        Some(Process {
            pid,
            parent: pid_in(4),
            group: pid_in(5),
            start_time: field(22)?.parse().ok()?,
            dead: dying || matches!(field(3)?, "Z" | "X"),
        })
    }

    /// All processes that can be seen.
    pub(in crate::tools) fn list() -> Vec<Process> {
        let Ok(entries) = fs::read_dir("/proc") else { return Vec::new() };
        entries
            .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok().and_then(Pid::from_raw))
            .filter_map(find)
            .collect()
    }

    /// Children of this process, which has one thread; the dead ones, too.
    pub(in crate::tools) fn children_of_this() -> Vec<Pid> {
        match fs::read_to_string("/proc/thread-self/children") {
            Ok(pids) => {
                pids.split_ascii_whitespace().filter_map(|p| p.parse().ok().and_then(Pid::from_raw)).collect()
            }
            // A kernel without CONFIG_PROC_CHILDREN.
            Err(_) => list().into_iter().filter(|p| p.parent == Some(getpid())).map(|p| p.pid).collect(),
        }
    }

    /// Which boot of the machine this is.
    pub(in crate::tools) fn boot_id() -> io::Result<String> {
        Ok(fs::read_to_string("/proc/sys/kernel/random/boot_id")?.trim_end().to_owned())
    }

    /// The command line of a process, shortened; its name if there is none.
    pub(in crate::tools) fn command_line(pid: Pid) -> String {
        let mut bytes = Vec::new();
        let read = fs::File::open(format!("/proc/{pid}/cmdline"))
            .and_then(|file| file.take(COMMAND_BYTES as u64).read_to_end(&mut bytes));
        while bytes.last() == Some(&0) {
            bytes.pop();
        }
        if read.is_err() || bytes.is_empty() {
            let name = fs::read(format!("/proc/{pid}/comm")).unwrap_or_default();
            return format!("[{}]", String::from_utf8_lossy(&name).trim_end());
        }
        bytes.iter_mut().filter(|b| **b == 0).for_each(|b| *b = b' ');
        String::from_utf8_lossy(&bytes).into_owned()
    }

    /// The execution that a process belongs to, by its environment.
    pub(in crate::tools) fn dispatch_of(pid: Pid) -> Option<DispatchId> {
        let environment = fs::read(format!("/proc/{pid}/environ")).ok()?;
        environment
            .split(|b| *b == 0)
            .find_map(|pair| pair.strip_prefix(DISPATCH.as_bytes())?.strip_prefix(b"="))
            .and_then(|value| DispatchId::parse(std::str::from_utf8(value).ok()?).ok())
    }

    /// Whether a process descends from this one, by asking upwards.
    pub(in crate::tools) fn descends_from_this(pid: Pid) -> bool {
        std::iter::successors(find(pid), |p| find(p.parent?)).any(|p| p.parent == Some(getpid()))
    }

    /// Sends signals to a process that passes the check after its pid was
    /// pinned: a later process of the same pid is never hit.
    pub(in crate::tools) fn send_if(pid: Pid, signals: &[Signal], check: impl FnOnce() -> bool) {
        let Ok(pinned) = pidfd_open(pid, PidfdFlags::empty()) else { return };
        if check() {
            for signal in signals {
                // It may have ended meanwhile, or belong to somebody else.
                let _ = pidfd_send_signal(&pinned, *signal);
            }
        }
    }
}

#[cfg(not(target_os = "linux"))]
pub(super) use unknown::{
    boot_id, children_of_this, command_line, descends_from_this, dispatch_of, find, list, send_if,
};

#[cfg(not(target_os = "linux"))]
mod unknown {
    use super::{DispatchId, Pid, Process, Signal};
    use std::io;

    pub(in crate::tools) fn find(pid: Pid) -> Option<Process> {
        Some(Process { pid, parent: None, group: None, start_time: 0, dead: false })
    }
    pub(in crate::tools) fn list() -> Vec<Process> {
        Vec::new()
    }
    pub(in crate::tools) fn children_of_this() -> Vec<Pid> {
        Vec::new()
    }
    pub(in crate::tools) fn boot_id() -> io::Result<String> {
        Ok(String::new())
    }
    pub(in crate::tools) fn command_line(_: Pid) -> String {
        String::new()
    }
    pub(in crate::tools) fn dispatch_of(_: Pid) -> Option<DispatchId> {
        None
    }
    pub(in crate::tools) fn descends_from_this(_: Pid) -> bool {
        false
    }
    pub(in crate::tools) fn send_if(_: Pid, _: &[Signal], _: impl FnOnce() -> bool) {}
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use super::*;

    fn pid(raw: i32) -> Pid {
        Pid::from_raw(raw).unwrap()
    }

    fn process(own: i32, parent: i32) -> Process {
        Process { pid: pid(own), parent: Pid::from_raw(parent), group: None, start_time: 0, dead: false }
    }

    #[test]
    fn a_name_with_brackets_does_not_shift_the_fields() {
        let stat = "7 (a) b) S 3 5 5 0 -1 4194560 0 0 0 0 0 0 0 0 20 0 1 0 4242 0 0";
        let expected =
            Process { pid: pid(7), parent: Some(pid(3)), group: Some(pid(5)), start_time: 4242, dead: false };
        assert_eq!(linux::parse_stat(pid(7), stat), Some(expected));
        let zombie = stat.replace(") S ", ") Z ");
        assert!(linux::parse_stat(pid(7), &zombie).unwrap().dead);
        let exiting = stat.replace("4194560", "4194564");
        assert!(linux::parse_stat(pid(7), &exiting).unwrap().dead);
        assert_eq!(linux::parse_stat(pid(7), "7 (a) S 3"), None);
    }

    #[test]
    fn descendants_are_found_through_generations() {
        let all = [
            process(1, 0),
            process(10, 1),
            process(11, 10),
            process(12, 11),
            process(20, 1),
            process(30, 99),
        ];
        let found = |roots: &[Pid]| below(roots, &all).iter().map(|p| p.pid.as_raw_pid()).collect::<Vec<_>>();
        assert_eq!(found(&[pid(10)]), [11, 12]);
        assert_eq!(found(&[pid(10), pid(11)]), [12]);
        assert_eq!(found(&[pid(20)]), [0_i32; 0]);
        assert_eq!(found(&[pid(99)]), [30]);
    }

    #[test]
    fn a_circle_of_reused_pids_ends() {
        let all = [process(10, 11), process(11, 10)];
        assert!(below(&[pid(5)], &all).is_empty());
    }

    #[test]
    fn this_process_is_found() {
        let own = find(rustix::process::getpid()).unwrap();
        assert!(!own.dead && own.start_time > 0);
        assert!(list().iter().any(|p| p.pid == own.pid && p.start_time == own.start_time));
        assert!(!command_line(own.pid).is_empty());
        assert_eq!(boot_id().unwrap().len(), 36);
    }
}
