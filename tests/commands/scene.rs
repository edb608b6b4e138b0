//! What the tests begin with, and what they say of an end.

use crate::support::{Scratch, Terminal, eventually, processes_with, signal};
use rustix::process::Signal;
use std::process::Output;

/// A session with one completed command.
pub(crate) fn finished() -> (Scratch, String) {
    let scratch = Scratch::new();
    let mut terminal = scratch.start(&["--demo", "--plain"]);
    terminal.expect("> ").send("Run: touch made\n");
    terminal.expect("run or deny> ").send("run\n");
    terminal.expect("completed").expect("\n> ").send("\u{4}");
    assert_eq!(terminal.wait_exit(), 0);
    let id = scratch.sessions()[0].file_name().unwrap().to_str().unwrap().to_owned();
    (scratch, id)
}

/// No report, and one line that says why.
pub(crate) fn assert_refused(output: &Output, words: &str) {
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!((output.status.code(), output.stdout.len()), (Some(1), 0), "{output:?}");
    assert_eq!(said.lines().count(), 1, "{said}");
    assert!(said.contains(words), "{words:?} in {said}");
}

/// The id of the only session.
pub(crate) fn only_session(scratch: &Scratch) -> String {
    scratch.sessions()[0].file_name().unwrap().to_str().unwrap().to_owned()
}

/// A session whose command was killed with its supervisor and its agent while
/// it ran; nothing was recovered yet. Gives the execution too.
pub(crate) fn killed() -> (Scratch, String, String) {
    let scratch = Scratch::new();
    let mut terminal = scratch.start(&["--demo", "--plain"]);
    terminal.expect("> ").send("Run: echo milk >> shopping.txt; echo be''gun; sleep 600\n");
    terminal.expect("run or deny> ").send("run\n");
    terminal.expect("begun");
    terminal.kill();
    let dispatch = scratch.records("tool_started")[0]["dispatch"].as_str().unwrap().to_owned();
    eventually("its processes die", || {
        let pids = processes_with(&dispatch);
        pids.iter().for_each(|pid| signal(*pid, Signal::KILL));
        pids.is_empty()
    });
    let id = only_session(&scratch);
    (scratch, id, dispatch)
}

/// The same after an opening recovered it; nobody answered.
pub(crate) fn unknown() -> (Scratch, String, String) {
    let (scratch, id, dispatch) = killed();
    let mut again = open(&scratch, &id);
    again.expect("statement> ").send("\u{4}");
    again.wait_exit();
    (scratch, id, dispatch)
}

/// A session, opened again.
pub(crate) fn open(scratch: &Scratch, id: &str) -> Terminal {
    scratch.start(&["--plain", "-s", id])
}

pub(crate) fn code(output: &Output) -> i32 {
    output.status.code().unwrap()
}

pub(crate) fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}
