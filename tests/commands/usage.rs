//! A wrong command line is exit code 64 and the usage line, never 1 or 2.

use crate::scene::{assert_refused, code, finished, stdout};
use crate::support::Scratch;
use std::io::Write as _;

/// A session and an execution that need not be there: nothing gets that far.
pub(crate) const ID: &str = "0193a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b";
const OTHER: &str = "0193a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5c";
pub(crate) const KEY: &str = "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a";

pub(crate) fn assert_usage(scratch: &Scratch, arguments: &[&str], usage: &str) {
    let output = scratch.run(arguments);
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(code(&output), 64, "{arguments:?}: {output:?}");
    assert!(output.stdout.is_empty(), "{arguments:?}: {output:?}");
    assert!(said.contains(&format!("Usage: {usage}")), "{arguments:?}: {said}");
}

/// Each of these after the command; the command's own words in front.
fn all_refused(command: &[&str], usage: &str, rows: &[&[&str]]) {
    let scratch = Scratch::new();
    for row in rows {
        assert_usage(&scratch, &[command, row].concat(), usage);
    }
    assert_usage(&scratch, &[command, &["--no-such-option"]].concat(), usage);
    assert!(!scratch.home().exists(), "a wrong command line writes nothing");
}

#[test]
fn inspect() {
    all_refused(
        &["inspect"],
        "candor inspect",
        &[
            &[],
            &[""],
            &[ID, ID],
            &[ID, "--session"],
            &[ID, "--session", "7"],
            &[ID, "--session", OTHER],
            &[ID, "--session", ID, "--session", ID],
            &[ID, "--public-key", ""],
            &[ID, "--public-key", "no key"],
            &[ID, "--public-key", "/dev/null"],
            &[ID, "--public-key", KEY, "--public-key", KEY],
            &[ID, "--expect-head", "ABC"],
            &[ID, "--expect-head", &"A".repeat(64)],
            &[ID, "--expect-head", KEY, "--expect-head", KEY],
            &[ID, "--operator-key", "/dev/null"],
            &[ID, "--turn", "last"],
            &[ID, "--turn", ID, "--turn", ID],
            &[ID, "--errors-unknown", "--errors-unknown"],
            &[ID, "--errors-unknown=1"],
            &[ID, "--json", "--json"],
            &[ID, "--json=yes"],
        ],
    );
}

#[test]
fn reconcile() {
    let [dispatch, outcome, note] = [["--dispatch", ID], ["--outcome", "happened"], ["--note", "seen"]];
    let [d, o, n] = [&dispatch[..], &outcome[..], &note[..]];
    let long = "x".repeat(4097);
    let rows = [
        vec![],
        vec![ID],
        [&[ID], d, o].concat(),
        [&[ID], d, n].concat(),
        [&[ID], o, n].concat(),
        [d, o, n].concat(),
        [&[ID, ID], d, o, n].concat(),
        [&[""], d, o, n].concat(),
        [&[ID], d, d, o, n].concat(),
        [&[ID], d, o, o, n].concat(),
        [&[ID], d, o, n, n].concat(),
        [&[ID, "--dispatch", "7"], o, n].concat(),
        [&[ID, "--outcome", "perhaps"], d, n].concat(),
        [&[ID, "--note", " "], d, o].concat(),
        [&[ID, "--note", &long], d, o].concat(),
        [&[ID, "--evidence"], d, o, n].concat(),
        [&[ID, "--evidence", ""], d, o, n].concat(),
        [&[ID, "--operator-key", "a", "--operator-key", "b"], d, o, n].concat(),
        [&[ID, "--operator-key", KEY], d, o, n].concat(),
    ];
    let rows: Vec<&[&str]> = rows.iter().map(Vec::as_slice).collect();
    all_refused(&["reconcile"], "candor reconcile", &rows);
}

#[test]
fn key() {
    all_refused(&["key"], "candor key", &[&["old"], &["show", "x"], &["new", "list"], &["--json", "--json"]]);
}

#[test]
fn import() {
    all_refused(
        &["import"],
        "candor import",
        &[
            &[],
            &[""],
            &["a", "b"],
            &["a", "--format"],
            &["a", "--format", "other"],
            &["a", "--format", "chat", "--format", "mino"],
            &["a", "--json", "--json"],
        ],
    );
}

#[test]
fn show() {
    all_refused(
        &["show"],
        "candor show",
        &[
            &[],
            &[ID, ID],
            &["7"],
            &[ID, "--turn"],
            &[ID, "--turn", "first"],
            &[ID, "--turn", ID, "--turn", ID],
            &[ID, "--output", "all"],
            &[ID, "--output", ID, "--json"],
            &[ID, "--output", ID, "--turn", ID],
            &[ID, "--json", "--json"],
        ],
    );
}

#[test]
fn sessions() {
    all_refused(
        &["sessions"],
        "candor sessions",
        &[
            &[ID],
            &["--json", "--json"],
            &["--here", "--trash"],
            &["--needs-you", "--trash"],
            &["--json", "rm", ID],
        ],
    );
    all_refused(
        &["sessions", "rm"],
        "candor sessions rm",
        &[&[], &["7"], &[ID, ID], &[ID, "--title-word"], &[ID, "--title-word", "a", "--title-word", "b"]],
    );
    all_refused(&["sessions", "restore"], "candor sessions restore", &[&[], &["7"], &[ID, ID]]);
}

#[test]
fn doctor() {
    all_refused(&["doctor"], "candor doctor", &[&["x"], &["--demo", "--demo"], &["--json=yes"]]);
}

#[test]
fn the_program_itself() {
    all_refused(
        &[],
        "candor",
        &[
            &["--continue", "--session", ID],
            &["--cd", ".", "--continue"],
            &["--cd", ".", "--session", ID],
            &["--session"],
            &["--plain", "--plain"],
            &["a message", "another"],
            &["hello", "world"],
            &["--demo", "sessions"],
            &["session"],
            &["--session", "0193a1b"],
            &["--demo", "inspect", ID],
            &["--demo", "--model", "m"],
            &["--demo", "--base-url", "http://127.0.0.1:9/v1"],
            &["completions"],
            &["completions", "cmd"],
        ],
    );
}

#[test]
fn the_supervisor_is_told_one_directory() {
    let scratch = Scratch::new();
    assert_usage(&scratch, &["supervise"], "candor supervise");
    assert_usage(&scratch, &["supervise", "a", "b"], "candor supervise");
}

#[test]
fn what_is_wrong_is_said_without_what_a_terminal_would_act_on_or_a_password() {
    let scratch = Scratch::new();
    let output = scratch.run(&["show", "\u{1b}[2J\u{1b}]0;title\u{7}"]);
    assert_eq!((code(&output), output.stderr.contains(&0x1b)), (64, false), "{output:?}");
    let output = scratch.run(&["--base-url", "http://me:secret@host/v1"]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!((code(&output), said.contains("secret")), (64, false), "{said}");
}

#[test]
fn arguments_that_are_no_text_are_refused_where_text_is_meant() {
    use std::os::unix::ffi::OsStrExt as _;
    let scratch = Scratch::new();
    let bytes = std::ffi::OsStr::from_bytes(b"caf\xe9");
    for (before, expected) in
        [(&[][..], 64), (&["show"], 64), (&["--model"], 64), (&["inspect"], 1), (&["import"], 1)]
    {
        let mut command = std::process::Command::new(crate::support::program());
        command.args(before).arg(bytes).env("CANDOR_HOME", scratch.home()).current_dir(scratch.work());
        let output = command.output().unwrap();
        assert_eq!(code(&output), expected, "{before:?}: {output:?}");
    }
}

#[test]
fn without_a_terminal_the_conversation_is_refused_and_nothing_is_taken_from_a_pipe() {
    let scratch = Scratch::new();
    for arguments in
        [&[][..], &["--demo"], &["--plain"], &["--demo", "--plain"], &["-c"], &["Run: touch made"]]
    {
        let mut child = std::process::Command::new(crate::support::program())
            .args(arguments)
            .env("CANDOR_HOME", scratch.home())
            .current_dir(scratch.work())
            .stdin(std::process::Stdio::piped())
            .stdout(std::process::Stdio::piped())
            .stderr(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        // It may be gone before it is told anything.
        let _ = child.stdin.take().unwrap().write_all(b"Run: touch made\nrun\n");
        assert_refused(&child.wait_with_output().unwrap(), "needs a terminal");
    }
    assert!(!scratch.work().join("made").exists());
}

#[test]
fn words_that_are_no_message_are_told_what_they_are() {
    let scratch = Scratch::new();
    for (arguments, words) in [
        (&["hello", "world"][..], "stands in quotes"),
        (&["--demo", "sessions"], "stands first"),
        (&["--demo", "inspect", ID], "stands first"),
        (&["session"], "candor sessions"),
        (&["show", "hello"], "at least its first 8 characters"),
    ] {
        let output = scratch.run(arguments);
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(code(&output) == 64 && said.contains(words), "{arguments:?}: {said}");
    }
}

#[test]
fn completions_without_a_shell_name_the_shells() {
    let output = Scratch::new().run(&["completions"]);
    let said = String::from_utf8_lossy(&output.stderr);
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        assert!(said.contains(shell), "{shell}: {said}");
    }
}

#[test]
fn help_is_no_error() {
    let scratch = Scratch::new();
    for command in ["inspect", "reconcile", "key", "import", "show", "sessions"] {
        let output = scratch.run(&[command, "--help"]);
        assert_eq!((code(&output), stdout(&output).contains("Usage: candor")), (0, true), "{output:?}");
    }
}

#[test]
fn a_report_that_cannot_be_written_is_not_exit_code_0() {
    if !std::path::Path::new("/dev/full").exists() {
        println!("skipped: there is no /dev/full");
        return;
    }
    let (scratch, id) = finished();
    for arguments in [
        &["inspect", &id][..],
        &["show", &id],
        &["sessions", "--demo"],
        &["key"],
        &["man"],
        &["completions", "bash"],
    ] {
        let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
        let status = std::process::Command::new(crate::support::program())
            .args(arguments)
            .env("CANDOR_HOME", scratch.home())
            .stdout(full)
            .stderr(std::process::Stdio::null())
            .status()
            .unwrap();
        assert_eq!(status.code(), Some(1), "{arguments:?}");
    }
}
