//! What the system says about a process: processor time, wake-ups, memory.

use std::fs;
use std::path::Path;

fn tasks(pid: u32) -> Vec<std::path::PathBuf> {
    let entries = fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten();
    entries.filter_map(|entry| Some(entry.ok()?.path())).collect()
}

/// Processor time of all its living threads, in milliseconds.
pub(crate) fn cpu(pid: u32) -> f64 {
    let of = |task: &Path| -> Option<f64> {
        fs::read_to_string(task.join("schedstat")).ok()?.split(' ').next()?.parse().ok()
    };
    tasks(pid).iter().filter_map(|task| of(task)).sum::<f64>() / 1e6
}

/// Whether there is such a process, be it a dead one that nobody has asked about.
pub(crate) fn lives(pid: u32) -> bool {
    Path::new(&format!("/proc/{pid}")).exists()
}

fn field(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))?;
    line.split_whitespace().next()?.parse().ok()
}

/// How often its threads slept and were woken.
pub(crate) fn wakeups(pid: u32) -> u64 {
    let of = |task: &Path| field(&fs::read_to_string(task.join("status")).ok()?, "voluntary_ctxt_switches");
    tasks(pid).iter().filter_map(|task| of(task)).sum()
}

/// Resident memory in MB; 0 if it has ended.
pub(crate) fn resident(pid: u32) -> f64 {
    status(pid, "VmRSS")
}

/// The most resident memory that it ever had, in MB.
pub(crate) fn most_resident(pid: u32) -> f64 {
    status(pid, "VmHWM")
}

/// Of its resident memory, what is no file's, in MB.
pub(crate) fn own(pid: u32) -> f64 {
    status(pid, "RssAnon")
}

fn status(pid: u32, name: &str) -> f64 {
    let text = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    field(&text, name).unwrap_or(0) as f64 * 1024.0 / 1e6
}

/// The supervisor that works below this directory.
pub(crate) fn supervisor(home: &Path) -> Option<u32> {
    let home = home.to_str()?;
    fs::read_dir("/proc").ok()?.find_map(|entry| {
        let pid: u32 = entry.ok()?.file_name().to_str()?.parse().ok()?;
        let line = fs::read_to_string(format!("/proc/{pid}/cmdline")).ok()?;
        let mut words = line.split('\0').skip(1);
        (words.next()? == "supervise" && words.next()?.starts_with(home)).then_some(pid)
    })
}
