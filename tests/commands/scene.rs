//! What the tests begin with, and what they say of an end.

use crate::support::lines::{DEMO, approve};
use crate::support::{Scratch, Terminal, kill_all_of, leave};
use std::process::Output;

/// A session with one completed command.
pub(crate) fn finished() -> (Scratch, String) {
    let scratch = Scratch::new();
    let mut terminal = scratch.start(DEMO);
    terminal.expect("> ").send("Run: touch made\n");
    approve(&mut terminal);
    terminal.expect("completed").expect("\n> ");
    leave(terminal);
    let id = scratch.id();
    (scratch, id)
}

/// No report, and one line that says why.
pub(crate) fn assert_refused(output: &Output, words: &str) {
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!((output.status.code(), output.stdout.len()), (Some(1), 0), "{output:?}");
    assert_eq!(said.lines().count(), 1, "{said}");
    assert!(said.contains(words), "{words:?} in {said}");
}

/// A session whose command was killed with its supervisor and its agent while
/// it ran; nothing was recovered yet. Gives the execution too.
pub(crate) fn killed() -> (Scratch, String, String) {
    let scratch = Scratch::new();
    let mut terminal = scratch.start(DEMO);
    terminal.expect("> ").send("Run: echo milk >> shopping.txt; echo be''gun; sleep 600\n");
    approve(&mut terminal);
    terminal.expect("begun");
    terminal.kill();
    let dispatch = scratch.dispatch();
    kill_all_of(&dispatch);
    let id = scratch.id();
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
