//! Processes as the kernel tells of them: who is whose child, and who is who.
//!
//! Linux only; elsewhere nothing is known, and the callers do with less.

#[cfg(not(target_os = "linux"))]
mod elsewhere;
#[cfg(target_os = "linux")]
mod linux;

#[cfg(not(target_os = "linux"))]
use elsewhere as system;
#[cfg(target_os = "linux")]
use linux as system;

pub(super) use system::{
    boot_id, children_of_this, command_line, descends_from_this, dispatch_of, find, list, send_if,
};

use crate::record::Survivor;
use rustix::process::Pid;
use std::collections::HashMap;

/// Whether this system tells of descendants at all.
pub(super) const KNOWS_DESCENDANTS: bool = cfg!(target_os = "linux");

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
    /// Whether this is the same process at another moment.
    pub(super) fn is(&self, other: &Self) -> bool {
        (self.pid, self.start_time) == (other.pid, other.start_time)
    }

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
    fn a_process_that_is_taken_apart_has_no_group() {
        let stat = "7 (a) X 0 -1 -1 0 -1 4228100 0 0 0 0 0 0 0 0 20 0 0 0 4242 0 0";
        let expected = Process { pid: pid(7), parent: None, group: None, start_time: 4242, dead: true };
        assert_eq!(linux::parse_stat(pid(7), stat), Some(expected));
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
