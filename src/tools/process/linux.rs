//! What `/proc` tells, and signals to processes that cannot be mistaken.

use super::Process;
use crate::record::DispatchId;
use crate::tools::environment::DISPATCH;
use rustix::process::{Pid, PidfdFlags, Signal, getpid, pidfd_open, pidfd_send_signal};
use std::fs;
use std::io::{self, Read};

/// How much of a command line is kept to name a process, in bytes.
const COMMAND_BYTES: usize = 120;
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
    let pid_in = |number| field(number).and_then(parse_pid);
    let dying = field(9)?.parse::<u64>().ok()? & EXITING != 0;
    Some(Process {
        pid,
        parent: pid_in(4),
        group: pid_in(5),
        start_time: field(22)?.parse().ok()?,
        dead: dying || matches!(field(3)?, "Z" | "X"),
    })
}

/// A pid; 0 stands for none, and so does the -1 of a process that is just
/// being taken apart.
fn parse_pid(text: &str) -> Option<Pid> {
    text.parse().ok().filter(|raw: &i32| *raw > 0).and_then(Pid::from_raw)
}

/// All processes that can be seen.
pub(in crate::tools) fn list() -> Vec<Process> {
    let Ok(entries) = fs::read_dir("/proc") else { return Vec::new() };
    entries.filter_map(|entry| parse_pid(entry.ok()?.file_name().to_str()?)).filter_map(find).collect()
}

/// Children of this process, which has one thread; the dead ones, too.
pub(in crate::tools) fn children_of_this() -> Vec<Pid> {
    match fs::read_to_string("/proc/thread-self/children") {
        Ok(pids) => pids.split_ascii_whitespace().filter_map(parse_pid).collect(),
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
