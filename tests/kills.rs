//! `kill -9` of the agent at every one of its syncs, by system call injection:
//! whatever the restarted program then says is true, and nothing ran twice.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::disallowed_methods)] // a test may fail, and owns its files

mod support;

use std::path::Path;
use std::process::Command;
use support::{Scratch, Terminal, eventually, processes_with};

/// Whether this machine lets one process trace another.
fn can_trace() -> bool {
    Command::new("strace")
        .args(["-qq", "-o", "/dev/null", "true"])
        .status()
        .is_ok_and(|status| status.success())
}

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
        env!("CARGO_BIN_EXE_candor"),
        "--demo",
        "--plain",
    ];
    scratch.start_program("strace", &arguments)
}

/// Approves everything until the turn is over or the agent is dead; says
/// whether it lived to the end.
fn go_through(terminal: &mut Terminal) -> bool {
    let steps = [
        ("\n> ", "Run: echo one>>log\\\nRun: echo two>>log\n"),
        ("run or deny> ", "run\n"),
        ("run or deny> ", "run\n"),
        ("\n> ", ""),
    ];
    steps.iter().all(|(prompt, answer)| terminal.expect_or_end(prompt) && terminal.try_send(answer))
}

/// Opens what the dead one left and answers what is asked.
fn restart(scratch: &Scratch) {
    let mut again = scratch.start(&["--demo", "--plain", "-c"]);
    loop {
        match again.expect_one_of(&["statement> ", "note (Enter for none)> ", "\n> "]) {
            0 => again.send("may have run\n"),
            1 => again.send("\n"),
            _ => break,
        }
    }
    again.send("\u{4}");
    assert_eq!(again.wait_exit(), 0);
}

/// What a call may have done, given what is said of it.
fn check_claims(scratch: &Scratch, n: u32) {
    let log = scratch.read("log");
    let results = scratch.records("tool_result");
    let calls = [("one", results.first()), ("two", results.get(1))];
    for (word, result) in calls {
        let times = log.lines().filter(|line| *line == word).count();
        let outcome = result.map_or("no call", |result| result["outcome"].as_str().unwrap());
        let truthful = match outcome {
            "completed" => times == 1,
            "not_executed" | "no call" => times == 0,
            "unknown" => times <= 1,
            _ => false,
        };
        assert!(truthful, "killed at sync {n}: {word:?} is said to be {outcome} and ran {times} times");
    }
    let ends = scratch.records("turn_ended");
    assert_eq!(ends.len(), scratch.records("user_message").len(), "every turn is closed");
}

fn journal_bytes(session: &Path) -> Vec<u8> {
    std::fs::read(session.join("journal.jsonl")).unwrap_or_default()
}

/// The whole lines of a journal.
fn whole_lines(bytes: &[u8]) -> &[u8] {
    let end = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    &bytes[..end]
}

/// One kill; says whether the agent lived to the end.
fn round(call: &str, n: u32) -> bool {
    let scratch = Scratch::new();
    let mut terminal = start_killed_at(&scratch, call, n);
    let finished = go_through(&mut terminal);
    if finished {
        terminal.send("\u{4}");
    }
    terminal.wait_exit();
    let mark = scratch.work().display().to_string();
    eventually("supervised commands end", || processes_with(&format!("PWD={mark}")).is_empty());

    let sessions = scratch.sessions();
    let listed = scratch.json(&["sessions", "--json", "--demo"]);
    assert_eq!(
        listed.as_array().unwrap().len(),
        sessions.len(),
        "killed at sync {n}: every session is listed"
    );
    let Some(session) = sessions.first() else {
        assert_eq!(scratch.read("log"), "");
        return finished;
    };
    let before = journal_bytes(session);
    restart(&scratch);
    let after = journal_bytes(session);
    assert!(after.starts_with(whole_lines(&before)), "killed at sync {n}: what was written stays");
    check_claims(&scratch, n);
    restart(&scratch);
    assert_eq!(journal_bytes(session), after, "killed at sync {n}: recovering twice changes nothing");
    finished
}

fn kill_at_every(call: &str, expected: u32) {
    if !can_trace() {
        println!("skipped: strace is not here or may not trace");
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
