//! Processes that a call folder names, for whoever attacks them on purpose.

use super::process;
use rustix::process::{Pid, Signal};

/// Kills the process that has this pid and start time, as `launch.json` and
/// `process.json` note them; says whether it was alive. A later process of the
/// same pid is never hit. Where the system does not tell start times nothing
/// is killed.
#[must_use]
pub fn kill_noted(pid: u64, start_time: u64) -> bool {
    let Some(pid) = i32::try_from(pid).ok().and_then(Pid::from_raw) else { return false };
    let mut alive = false;
    process::send_if(pid, &[Signal::KILL], || {
        alive = process::find(pid).is_some_and(|process| process.start_time == start_time && !process.dead);
        alive
    });
    alive
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use super::*;
    use std::process::{Command, Stdio};

    #[test]
    fn only_the_process_that_was_noted_is_killed() {
        let mut child = Command::new("cat").stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
        let pid = u64::from(child.id());
        let start_time =
            process::find(Pid::from_raw(i32::try_from(pid).unwrap()).unwrap()).unwrap().start_time;
        assert!(!kill_noted(pid, start_time + 1));
        assert!(!kill_noted(u64::MAX, start_time) && !kill_noted(0, start_time));
        assert!(child.try_wait().unwrap().is_none());
        assert!(kill_noted(pid, start_time));
        child.wait().unwrap();
        assert!(!kill_noted(pid, start_time));
    }
}
