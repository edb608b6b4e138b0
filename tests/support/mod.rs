//! The real program in a pseudo-terminal, driven like a person would.
//!
//! Waits are for text, never for time; a wait that fails prints what was there.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::disallowed_methods)] // a test may fail, and owns its files
#![allow(clippy::print_stdout)] // a skipped check says so
#![allow(dead_code)] // every test binary uses its own part

pub(crate) mod claims;
pub(crate) mod lines;
pub(crate) mod recorder;
pub(crate) mod records;
mod scratch;
pub(crate) mod screen;
pub(crate) mod small_disk;
mod terminal;

pub(crate) use scratch::Scratch;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::time::{Duration, Instant};
pub(crate) use terminal::Terminal;

/// The program that is tested: the one that cargo built for the tests, or the
/// one that `CANDOR_TEST_PROGRAM` names, say of a release.
pub(crate) fn program() -> &'static str {
    static PROGRAM: std::sync::OnceLock<String> = std::sync::OnceLock::new();
    PROGRAM.get_or_init(|| match std::env::var("CANDOR_TEST_PROGRAM") {
        Ok(named) => {
            assert!(Path::new(&named).is_absolute(), "CANDOR_TEST_PROGRAM is no absolute path: {named}");
            named
        }
        Err(_) => env!("CARGO_BIN_EXE_candor").to_owned(),
    })
}

/// How long a wait may take; generous, since it is only reached on failure.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

pub(crate) fn find(haystack: &[u8], needle: &[u8]) -> Option<usize> {
    haystack.windows(needle.len()).position(|window| window == needle)
}

pub(crate) fn signal(pid: u32, signal: rustix::process::Signal) {
    let pid = rustix::process::Pid::from_raw(i32::try_from(pid).unwrap()).unwrap();
    rustix::process::kill_process(pid, signal).unwrap();
}

/// Waits until this holds.
pub(crate) fn eventually(what: &str, mut holds: impl FnMut() -> bool) {
    let until = Instant::now() + PATIENCE;
    while !holds() {
        assert!(Instant::now() < until, "never: {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Process ids whose environment holds this text.
pub(crate) fn processes_with(text: &str) -> Vec<u32> {
    let entries = std::fs::read_dir("/proc").unwrap().filter_map(Result::ok);
    let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    pids.filter(|pid| {
        let environment = std::fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
        find(&environment, text.as_bytes()).is_some()
    })
    .collect()
}

/// Kills the processes whose environment holds this text, until there is none.
pub(crate) fn kill_all_of(text: &str) {
    eventually("its processes die", || {
        let pids = processes_with(text);
        pids.iter().for_each(|pid| {
            // One that has just ended is as good.
            let pid = rustix::process::Pid::from_raw(i32::try_from(*pid).unwrap()).unwrap();
            let _ = rustix::process::kill_process(pid, rustix::process::Signal::KILL);
        });
        pids.is_empty()
    });
}

/// Ctrl+D where it is taken, after which the program ends well; what it printed.
pub(crate) fn leave(mut terminal: Terminal) -> String {
    terminal.send("\u{4}");
    assert_eq!(terminal.wait_exit(), 0, "{}", terminal.printed());
    terminal.printed()
}

/// An executable script for `sh`.
pub(crate) fn write_program(path: &Path, script: &str) {
    std::fs::write(path, format!("#!/bin/sh\n{script}\n")).unwrap();
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
}

/// Whether this machine lets one process trace another; says so if not.
pub(crate) fn can_trace() -> bool {
    let run = std::process::Command::new("strace").args(["-qq", "-o", "/dev/null", "true"]).status();
    let can = run.is_ok_and(|status| status.success());
    if !can {
        println!("skipped: strace is not here or may not trace");
    }
    can
}
