//! Commands that turn on their agent, their supervisor or their evidence, and
//! effects that outlive them all: the real program, from the approval to what is
//! said at the next opening.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::disallowed_methods)] // a test may fail, and owns its files

mod support;

use rustix::process::Signal;
use std::path::PathBuf;
use support::lines::{AGAIN, DEMO, ask};
use support::{Scratch, Terminal, eventually, kill_all_of, processes_with};

/// The agent, whose child the supervisor is.
const AGENT: &str = "$(ps -o ppid= -p $PPID)";
/// The call folder, once its supervisor has written all that it writes early.
const FOLDER: &str =
    "F=$(ls -d $CANDOR_HOME_OF/calls/$CANDOR_DISPATCH); until [ -e $F/process.json ]; do sleep 0.01; done";

fn begin(scratch: &Scratch, command: &str) -> Terminal {
    let mut terminal = scratch.start(DEMO);
    ask(&mut terminal, command);
    terminal
}

fn leave(mut terminal: Terminal) -> String {
    terminal.expect("\n> ");
    support::leave(terminal)
}

/// Finds its folder under the home, wherever the session lies in it.
fn in_its_folder(scratch: &Scratch, then: &str) -> String {
    let home = scratch.home().join("data/demo/sessions/*");
    format!("{}; {then}", FOLDER.replace("$CANDOR_HOME_OF", home.to_str().unwrap()))
}

/// A statement for the only unknown outcome.
fn state(terminal: &mut Terminal) {
    terminal.expect("statement> ").send("may have run\n");
    terminal.expect("note").send("\n");
    terminal.expect("Saved");
}

fn outcomes(scratch: &Scratch) -> Vec<String> {
    let results = scratch.records("tool_result");
    results.iter().map(|it| it["outcome"].as_str().unwrap().to_owned()).collect()
}

fn all_gone(dispatch: &str) {
    eventually("its processes end", || processes_with(dispatch).is_empty());
}

#[test]
fn a_command_that_kills_its_agent_has_its_result() {
    let scratch = Scratch::new();
    let mut terminal = begin(&scratch, &format!("kill -9 {AGENT}; sleep 0.3; echo once >> log; exit 7"));
    terminal.wait_exit();
    let dispatch = scratch.dispatch();
    let mut again = scratch.start(AGAIN);
    again.expect("failed, exit 7").expect("from its receipt");
    leave(again);
    assert_eq!((scratch.read("log").as_str(), outcomes(&scratch)), ("once\n", vec!["failed".to_owned()]));
    all_gone(&dispatch);
    scratch.verify_journals();
}

#[test]
fn a_command_that_kills_both_is_said_to_run_and_is_stopped() {
    let scratch = Scratch::new();
    let kills = format!("kill -9 {AGENT} $PPID; echo once >> log; exec sleep 600");
    let mut terminal = begin(&scratch, &kills);
    terminal.wait_exit();
    let dispatch = scratch.dispatch();
    eventually("its effect", || scratch.read("log") == "once\n");
    let mut again = scratch.start(AGAIN);
    again.expect("Its supervisor is gone").send("stop\n");
    state(&mut again);
    leave(again);
    all_gone(&dispatch);
    assert_eq!((scratch.read("log").as_str(), outcomes(&scratch)), ("once\n", vec!["unknown".to_owned()]));
    scratch.verify_journals();
}

#[test]
fn a_command_that_removes_its_evidence_is_asked_about() {
    let scratch = Scratch::new();
    let mut terminal = begin(&scratch, &in_its_folder(&scratch, "rm -rf $F; echo once >> log; echo do''ne"));
    terminal.expect("completely, in part, or not at all");
    state(&mut terminal);
    leave(terminal);
    assert_eq!(scratch.read("log"), "once\n");
    assert_eq!(outcomes(&scratch), ["unknown"]);
    all_gone(&scratch.dispatch());
}

#[test]
fn a_command_without_its_folder_and_its_agent_is_said_to_run() {
    let scratch = Scratch::new();
    let command = in_its_folder(&scratch, &format!("rm -rf $F; kill -9 {AGENT}; : > up; exec sleep 600"));
    let mut terminal = begin(&scratch, &command);
    terminal.wait_exit();
    let dispatch = scratch.dispatch();
    eventually("it runs", || scratch.work().join("up").exists());
    let mut again = scratch.start(AGAIN);
    again.expect("Its supervisor is gone").send("give up\n");
    again.expect("may have run").expect("is alive").expect("statement> ").send("\u{4}");
    again.wait_exit();
    let result = &scratch.records("tool_result")[0];
    assert_eq!(result["outcome"], "unknown");
    assert!(result["survivors"].as_array().is_some_and(|it| !it.is_empty()), "{result}");

    // Its processes are gone by the next opening, and this is not claimed of more.
    kill_all_of(&dispatch);
    let mut again = scratch.start(AGAIN);
    again.expect("none of it is known").expect("statement> ").send("\u{4}");
    again.wait_exit();
}

#[test]
fn a_receipt_forged_by_the_command_is_not_its_result() {
    let scratch = Scratch::new();
    let forge = "P=$(sed 's/.*\"fingerprint\":\"\\([^\"]*\\)\".*/\\1/' $F/order.json); \
        printf '{\"v\":1,\"dispatch\":\"%s\",\"fingerprint\":\"%s\",\"ended\":\"exit\",\"exit_code\":0,\
        \"ended_at\":\"2026-01-01T00:00:00.000Z\",\"output_bytes\":0,\"spool_bytes\":0,\"output_sha256\":\"%s\"}' \
        $CANDOR_DISPATCH $P $(printf '' | sha256sum | cut -d' ' -f1) > $F/new; mv $F/new $F/receipt.json";
    let command =
        in_its_folder(&scratch, &format!("{forge}; : > forged; sleep 0.5; echo once >> log; exit 9"));
    let mut terminal = begin(&scratch, &command);
    eventually("it is forged", || scratch.work().join("forged").exists());
    assert!(scratch.records("tool_result").is_empty(), "its receipt was believed");
    terminal.expect("failed, exit 9");
    leave(terminal);
    assert_eq!((scratch.read("log").as_str(), outcomes(&scratch)), ("once\n", vec!["failed".to_owned()]));
}

#[test]
fn a_stopped_supervisor_hears_that_its_command_is_to_stop() {
    let scratch = Scratch::new();
    let mut terminal = begin(&scratch, "kill -STOP $PPID; : > up; exec sleep 600");
    eventually("it is stopped", || scratch.work().join("up").exists());
    terminal.send("\u{3}");
    terminal.expect("again").send("\u{3}");
    terminal.expect("cancelled");
    leave(terminal);
    assert_eq!(outcomes(&scratch), ["cancelled"]);
    all_gone(&scratch.dispatch());
}

#[test]
fn an_effect_after_everything_has_ended_was_announced() {
    let scratch = Scratch::new();
    let daemon =
        "(setsid bash -c 'until [ -e go ]; do sleep 0.02; done; echo late >> log' >/dev/null 2>&1 &)";
    let mut terminal = begin(&scratch, &format!("{daemon}; sleep 0.2; echo once >> log"));
    terminal.expect("completed, exit 0").expect("of it lives on");
    leave(terminal);
    let dispatch = scratch.dispatch();
    let result = &scratch.records("tool_result")[0];
    let survivors = result["survivors"].as_array().unwrap();
    assert!(
        survivors.iter().any(|it| it["command"].as_str().unwrap().starts_with("bash -c until")),
        "{result}"
    );
    assert_eq!(scratch.read("log"), "once\n");

    std::fs::write(scratch.work().join("go"), "").unwrap();
    eventually("the late effect", || scratch.read("log") == "once\nlate\n");
    all_gone(&dispatch);
    let before = scratch.journal();
    leave(scratch.start(AGAIN));
    assert_eq!(scratch.journal(), before, "what was said stays, and nothing ran again");
    assert_eq!(scratch.read("log"), "once\nlate\n");
}

/// A copy of the program that may be taken away.
fn copied(scratch: &Scratch) -> PathBuf {
    let copy = scratch.work().join("candor");
    std::fs::copy(support::program(), &copy).unwrap();
    copy
}

#[test]
fn a_program_that_was_replaced_or_deleted_runs_the_next_command_too() {
    for change in ["rm candor", "printf '#!/bin/sh\\ntouch wrong\\n' > new; chmod +x new; mv new candor"] {
        let scratch = Scratch::new();
        let copy = copied(&scratch);
        let mut terminal = scratch.start_program(copy.to_str().unwrap(), DEMO);
        ask(&mut terminal, &format!("{change}; echo one >> log"));
        terminal.expect("completed, exit 0");
        ask(&mut terminal, "echo two >> log");
        terminal.expect("completed, exit 0");
        leave(terminal);
        assert_eq!(scratch.read("log"), "one\ntwo\n", "{change}");
        assert!(!scratch.work().join("wrong").exists());
        // Another version, as it were, opens what this one left.
        leave(scratch.start(AGAIN));
        assert_eq!(outcomes(&scratch), ["completed", "completed"]);
    }
}

#[test]
fn a_program_replaced_under_its_command_and_killed_costs_no_result() {
    let scratch = Scratch::new();
    let copy = copied(&scratch);
    let mut terminal = scratch.start_program(copy.to_str().unwrap(), DEMO);
    ask(&mut terminal, "rm candor; : > up; until [ -e go ]; do sleep 0.02; done; echo once >> log");
    eventually("it runs", || scratch.work().join("up").exists());
    terminal.kill();
    std::fs::write(scratch.work().join("go"), "").unwrap();
    let mut again = scratch.start(AGAIN);
    again.expect("completed, exit 0").expect("from its receipt");
    leave(again);
    assert_eq!(scratch.read("log"), "once\n");
}

/// Everything of a turn stopped for a while, as a suspended container is.
#[test]
fn all_of_it_stopped_for_a_while_goes_on_as_if_nothing_had_been() {
    let scratch = Scratch::new();
    let mut terminal =
        begin(&scratch, "echo be''gun; until [ -e go ]; do sleep 0.02; done; echo once >> log");
    terminal.expect("begun");
    let dispatch = scratch.dispatch();
    let mut all = processes_with(&dispatch);
    all.push(terminal.pid());
    let each = |kind| {
        for pid in &all {
            let pid = rustix::process::Pid::from_raw(i32::try_from(*pid).unwrap()).unwrap();
            // A short sleep of its loop has ended meanwhile.
            let _ = rustix::process::kill_process(pid, kind);
        }
    };
    each(Signal::STOP);
    std::thread::sleep(std::time::Duration::from_secs(1));
    std::fs::write(scratch.work().join("go"), "").unwrap();
    each(Signal::CONT);
    terminal.expect("completed, exit 0");
    leave(terminal);
    assert_eq!((scratch.read("log").as_str(), outcomes(&scratch)), ("once\n", vec!["completed".to_owned()]));
    all_gone(&dispatch);
}
