//! A turn of two calls that leave a mark outside, and what may be said of them
//! after a death at any moment of it.

use super::lines::{AGAIN, settle};
use super::{Scratch, Terminal, eventually, leave, processes_with};
use std::path::Path;

/// Approves everything until the turn is over, an outcome is unknown, or
/// the agent is dead; says whether it came to the end.
pub(crate) fn go_through(terminal: &mut Terminal) -> bool {
    let steps = [
        ("\n> ", "Run: echo one>>log\\\nRun: echo two>>log\n"),
        ("run or deny> ", "run\n"),
        ("run or deny> ", "run\n"),
        ("\n> ", ""),
    ];
    steps.iter().all(|(prompt, answer)| {
        terminal.first_or_end(&[*prompt, "statement> "]) == Some(0) && terminal.try_send(answer)
    })
}

/// Opens what the dead one left and answers what is asked.
fn restart(scratch: &Scratch) {
    let mut again = scratch.start(AGAIN);
    settle(&mut again);
    leave(again);
}

/// What a call may have done, given what is said of it.
fn outcomes_are_true(scratch: &Scratch, when: &str) {
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
        assert!(truthful, "{when}: {word:?} is said to be {outcome} and ran {times} times");
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

/// Restarts twice what died and checks everything that is then said: every
/// session listed, nothing that was written lost, nothing done twice, no claim
/// that the marks outside contradict, and a second recovery without effect.
pub(crate) fn check(scratch: &Scratch, when: &str) {
    let mark = format!("PWD={}", scratch.work().display());
    eventually("supervised commands end", || processes_with(&mark).is_empty());
    let sessions = scratch.sessions();
    let listed = scratch.json(&["sessions", "--json", "--demo"]);
    assert_eq!(listed.as_array().unwrap().len(), sessions.len(), "{when}: every session is listed");
    let Some(session) = sessions.first() else {
        assert_eq!(scratch.read("log"), "", "{when}");
        return;
    };
    let before = journal_bytes(session);
    restart(scratch);
    let after = journal_bytes(session);
    assert!(after.starts_with(whole_lines(&before)), "{when}: what was written stays");
    outcomes_are_true(scratch, when);
    restart(scratch);
    assert_eq!(journal_bytes(session), after, "{when}: recovering twice changes nothing");
    scratch.verify_journals();
}
