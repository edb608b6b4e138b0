//! `kill -9` of the agent at every one of its syncs, by system call injection:
//! whatever the restarted program then says is true, and nothing ran twice.
#![cfg(target_os = "linux")]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::disallowed_methods
)] // a test may fail, and owns its files

mod support;

use support::{Scratch, Terminal, can_trace, claims};

/// The agent under `strace`, killed when it enters its `n`-th sync of this kind.
fn start_killed_at(scratch: &Scratch, call: &str, n: u32) -> Terminal {
    let inject = format!("inject={call}:signal=SIGKILL:when={n}");
    let arguments = [
        "-f",
        "-qq",
        "-o",
        "/dev/null",
        "-e",
        "trace=fdatasync,fsync",
        "-e",
        &inject,
        support::program(),
        "--demo",
        "--plain",
    ];
    scratch.start_program("strace", &arguments)
}

/// One kill; says whether the agent lived to the end.
fn round(call: &str, n: u32) -> bool {
    let scratch = Scratch::new();
    let mut terminal = start_killed_at(&scratch, call, n);
    let finished = claims::go_through(&mut terminal);
    if finished {
        terminal.send("\u{4}");
    }
    terminal.wait_exit();
    claims::check(&scratch, &format!("killed at {call} {n}"));
    finished
}

fn kill_at_every(call: &str, expected: u32) {
    if !can_trace() {
        return;
    }
    const MOST: u32 = 100;
    let last = (1..MOST).find(|n| round(call, *n));
    assert!(last.is_some_and(|n| n > expected), "the turn has fewer syncs than thought: {last:?}");
}

/// The journal's: one for each record.
#[test]
fn killed_at_any_record_nothing_runs_twice_and_nothing_false_is_said() {
    kill_at_every("fdatasync", 11);
}

/// Those of the session's and the call folders' files and directories, and of heads.
#[test]
fn killed_at_any_file_nothing_runs_twice_and_nothing_false_is_said() {
    kill_at_every("fsync", 14);
}
