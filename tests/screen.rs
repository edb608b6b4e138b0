//! The whole journey in the full screen, on the real binary in a pseudo-terminal.
#![cfg(target_os = "linux")]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::disallowed_methods
)] // a test may fail, and owns its files

mod support;

use rustix::process::Signal;
use support::screen::{DEMO, answer, begin, look_first, press_enter, say, start_demo, start_saying};
use support::{Scratch, Terminal, eventually, kill_all_of, processes_with};

const AGAIN: &[&str] = &["--demo", "-c"];

/// Leaves, and gives what stays on the terminal.
fn leave(mut terminal: Terminal) -> String {
    terminal.expect_screen("  ready");
    terminal.send("\u{4}");
    let screen = terminal.expect_screen("candor --session");
    assert_eq!(terminal.wait_exit(), 0);
    assert_restored(&terminal);
    screen
}

/// Every mode that was switched on is switched off again.
fn assert_restored(terminal: &Terminal) {
    let printed = terminal.printed();
    for (on, off) in [
        ("\u{1b}[?1049h", "\u{1b}[?1049l"),
        ("\u{1b}[?2004h", "\u{1b}[?2004l"),
        ("\u{1b}[?25l", "\u{1b}[?25h"),
    ] {
        let (on_at, off_at) = (printed.rfind(on), printed.rfind(off));
        assert!(on_at.is_some() && off_at > on_at, "{on:?} at {on_at:?}, {off:?} at {off_at:?}");
    }
    assert!(printed.contains("\u{1b}[<1u") || printed.contains("\u{1b}[<u"), "the keyboard mode is popped");
}

#[test]
fn milk_from_home_to_leaving() {
    let scratch = Scratch::new();
    let mut terminal = start_saying(&scratch, "Add milk to shopping.txt");
    answer(&mut terminal, "y");
    terminal.expect_screen("completed, exit 0");
    let stays = leave(terminal);
    assert!(stays.contains("Session: Add milk to shopping.txt - ready") && stays.contains("head "));
    assert_eq!(scratch.read("shopping.txt"), "milk\n");
}

/// The agent dies, the command goes on, the next start follows it.
fn survives(end: impl FnOnce(Terminal)) {
    let scratch = Scratch::new();
    let gate = scratch.gate();
    let mut terminal = begin(&scratch, "echo milk >> list; echo be''gun; read l < gate; echo o''ver", &[]);
    terminal.expect_screen("begun");
    let dispatch = scratch.dispatch();
    end(terminal);
    let mut again = scratch.start(AGAIN);
    again.expect_screen("still running");
    std::fs::write(&gate, "go\n").unwrap();
    again.expect_screen("receipt");
    // A closing terminal may have typed something; it is kept as a draft.
    again.send("\u{3}");
    leave(again);
    assert_eq!(scratch.read("list"), "milk\n");
    let results = scratch.records("tool_result");
    assert_eq!((&results[0]["outcome"], &results[0]["evidence"]), (&"completed".into(), &"receipt".into()));
    eventually("its processes end", || processes_with(&dispatch).is_empty());
}

#[test]
fn a_killed_agent_costs_no_result() {
    survives(|mut terminal| terminal.kill());
}

#[test]
fn a_closed_terminal_costs_no_result() {
    survives(|terminal| {
        terminal.hang_up();
    });
}

#[test]
fn sigterm_gives_the_terminal_back_and_costs_no_result() {
    survives(|mut terminal| {
        terminal.signal(Signal::TERM);
        assert_restored(&terminal);
    });
}

#[test]
fn sighup_costs_no_result() {
    survives(|mut terminal| {
        terminal.signal(Signal::HUP);
    });
}

#[test]
fn an_unknown_outcome_blocks_until_a_person_answers() {
    let scratch = Scratch::new();
    let mut terminal = begin(&scratch, "echo milk >> list; echo be''gun; sleep 600", &[]);
    terminal.expect_screen("begun");
    let dispatch = scratch.dispatch();
    terminal.kill();
    kill_all_of(&dispatch);

    // Typed ahead: none of it answers.
    let mut again = scratch.start(AGAIN);
    again.send("\r\r\r");
    let screen = again.expect_screen("1 ( ) I understand that it may have run");
    assert!(screen.contains("sleep 600"), "{screen}");
    look_first();
    again.send("q");
    assert_eq!(again.wait_exit(), 0);
    assert!(scratch.records("acknowledged").is_empty());

    let mut again = scratch.start(AGAIN);
    again.expect_screen("1 ( ) I understand that it may have run");
    look_first();
    again.send("2");
    again.expect_screen("2 (x)");
    again.send("\tsaw it there\t");
    again.expect_screen("saw it there");
    look_first();
    again.send("\u{18}");
    again.expect_screen("  ready");
    look_first();
    leave(again);
    assert_eq!(scratch.read("list"), "milk\n");
    let acknowledged = scratch.records("acknowledged");
    let statement = &acknowledged[0]["statements"][0];
    assert_eq!((acknowledged.len(), &statement["statement"]), (1, &"happened".into()));
    assert_eq!(statement["note"], "saw it there");
}

#[test]
fn killed_at_the_approval_nothing_was_executed() {
    let scratch = Scratch::new();
    let mut terminal = start_saying(&scratch, "Run: touch made");
    terminal.expect_screen(" Ready");
    terminal.kill();
    let mut again = scratch.start(AGAIN);
    again.expect_screen("not executed");
    leave(again);
    assert_eq!(scratch.records("tool_result")[0]["outcome"], "not_executed");
}

#[test]
fn a_denial_with_words_reaches_the_model() {
    let scratch = Scratch::new();
    let mut terminal = start_saying(&scratch, "Run: rm -rf build");
    answer(&mut terminal, "w");
    terminal.expect_screen("Why not?");
    terminal.send("only the cache");
    press_enter(&mut terminal);
    terminal.expect_screen("denied");
    leave(terminal);
    assert_eq!(scratch.records("approval")[0]["feedback"], "only the cache");
}

#[test]
fn an_edited_command_is_the_one_that_runs() {
    let scratch = Scratch::new();
    let mut terminal = start_saying(&scratch, "Run: touch one");
    answer(&mut terminal, "e");
    terminal.expect_screen("Enter accepts");
    terminal.send("_two");
    terminal.expect_screen("touch one_two");
    press_enter(&mut terminal);
    terminal.expect_screen("touch one_two");
    answer(&mut terminal, "y");
    terminal.expect_screen("completed, exit 0");
    leave(terminal);
    assert!(scratch.work().join("one_two").exists() && !scratch.work().join("one").exists());
    assert_eq!(scratch.records("approval")[0]["edited"], true);
}

#[test]
fn esc_stops_the_answer_and_denies_at_an_approval() {
    let scratch = Scratch::new();
    let mut terminal = start_saying(&scratch, "Stream 100000 words");
    terminal.expect_screen("answering");
    terminal.send("\u{1b}");
    terminal.expect_screen("  ready");
    // The message came back into the empty composer.
    terminal.expect_screen("> Stream 100000 words");
    terminal.send("\u{15}");
    say(&mut terminal, "Run: touch made");
    terminal.expect_screen(" Ready");
    terminal.send("\u{1b}");
    terminal.expect_screen("denied");
    terminal.expect_screen("> Run: touch made");
    terminal.send("\u{15}");
    say(&mut terminal, "Add tea to list");
    answer(&mut terminal, "y");
    terminal.expect_screen("completed, exit 0");
    leave(terminal);
    let statuses: Vec<_> = scratch.records("turn_ended").iter().map(|end| end["status"].clone()).collect();
    assert_eq!(statuses, ["cancelled", "cancelled", "completed"]);
    assert!(!scratch.work().join("made").exists());
}

#[test]
fn esc_never_touches_a_running_command_and_ctrl_c_twice_does() {
    let scratch = Scratch::new();
    let mut terminal = begin(&scratch, "echo be''gun; sleep 600", &[]);
    terminal.expect_screen("begun");
    terminal.send("\u{1b}");
    terminal.expect_screen("runs on");
    terminal.send("\u{3}");
    terminal.expect_screen("cancelled");
    terminal.send("\u{15}");
    leave(terminal);
    assert_eq!(scratch.records("turn_ended")[0]["status"], "cancelled");
    let dispatch = scratch.dispatch();
    eventually("its processes end", || processes_with(&dispatch).is_empty());
}

#[test]
fn typing_across_the_opening_of_an_approval_decides_nothing() {
    let scratch = Scratch::new();
    let mut terminal = start_saying(&scratch, "Run: touch made");
    terminal.send("yes please go on");
    press_enter(&mut terminal);
    terminal.send("y");
    press_enter(&mut terminal);
    terminal.expect_screen(" Ready");
    let screen = terminal.expect_screen("please go on");
    assert!(screen.contains("Run this command?"), "{screen}");
    assert!(scratch.records("approval").is_empty());
    terminal.kill();
}

#[test]
fn running_is_offered_only_when_every_row_was_on_the_screen() {
    let scratch = Scratch::new();
    let mut terminal = scratch.start(DEMO);
    let long = format!("Run: touch made {}", "; : a part of it that is long enough".repeat(60));
    terminal.expect_screen("Enter s");
    terminal.send(&format!("\u{1b}[200~{long}\u{1b}[201~"));
    terminal.expect_screen("long enough");
    press_enter(&mut terminal);
    terminal.expect_screen("Run this command?");
    terminal.expect_screen("more line");
    look_first();
    terminal.send("y");
    press_enter(&mut terminal);
    look_first();
    assert!(scratch.records("approval").is_empty(), "{}", terminal.screen());
    for _ in 0..12 {
        terminal.send("\u{1b}[6~");
        std::thread::sleep(std::time::Duration::from_millis(60));
    }
    answer(&mut terminal, "y");
    terminal.expect_screen("completed, exit 0");
    terminal.kill();
    assert!(scratch.work().join("made").exists());
}

#[test]
fn a_paste_never_submits_and_never_answers() {
    let scratch = Scratch::new();
    let mut terminal = start_demo(&scratch);
    let paste = format!("\u{1b}[200~{}\u{1b}[201~", "line with \u{0} and y\r\n".repeat(200));
    for part in paste.as_bytes().chunks(1000) {
        terminal.send_bytes(part);
    }
    terminal.expect_screen("200 lines");
    assert!(scratch.sessions().is_empty());
    terminal.send("\u{7f}");
    say(&mut terminal, "Run: touch made");
    terminal.expect_screen(" Ready");
    terminal.send("\u{1b}[200~y\r\u{1b}[201~");
    terminal.send("\u{1b}[200~y\u{1b}[201~\r");
    terminal.expect_screen("Ready");
    assert!(scratch.records("approval").is_empty());
    terminal.kill();
}

#[test]
fn a_second_comer_reads_and_is_told_who_writes() {
    let scratch = Scratch::new();
    let mut first = start_saying(&scratch, "Run: true");
    first.expect_screen(" Ready");
    let mut second = scratch.start(AGAIN);
    second.expect_screen(&format!("process {}", first.pid()));
    second.send("\u{4}");
    second.wait_exit();
    answer(&mut first, "y");
    first.expect_screen("completed, exit 0");
    leave(first);
}

#[test]
fn a_journal_that_is_gone_stops_before_the_effect() {
    let scratch = Scratch::new();
    let mut terminal = start_saying(&scratch, "Run: touch made");
    terminal.expect_screen(" Ready");
    std::fs::remove_file(scratch.sessions()[0].join("journal.jsonl")).unwrap();
    answer(&mut terminal, "y");
    terminal.expect_screen("not saving");
    terminal.expect_screen("Nothing more can be saved");
    terminal.send("\u{4}");
    assert_eq!(terminal.wait_exit(), 0);
    assert!(!scratch.work().join("made").exists());
}

#[test]
fn a_draft_comes_back_after_any_end() {
    let scratch = Scratch::new();
    let mut terminal = start_saying(&scratch, "Add tea to list");
    answer(&mut terminal, "y");
    terminal.expect_screen("completed, exit 0");
    terminal.expect_screen("  ready");
    terminal.send("half a thought");
    let draft = scratch.sessions()[0].join("draft");
    eventually("the draft is kept", || {
        std::fs::read_to_string(&draft).is_ok_and(|text| text == "half a thought")
    });
    terminal.kill();
    let mut again = scratch.start(AGAIN);
    again.expect_screen("half a thought");
    again.kill();
}

#[test]
fn any_size_at_any_moment_is_drawn() {
    let scratch = Scratch::new();
    let mut terminal = start_demo(&scratch);
    for (rows, cols) in [(12, 40), (1, 1), (8, 32), (40, 120), (24, 80)] {
        terminal.resize(rows, cols);
    }
    say(&mut terminal, "Run: seq 1 300");
    terminal.resize(8, 32);
    terminal.expect_screen("40 x 12");
    terminal.resize(24, 80);
    answer(&mut terminal, "y");
    terminal.expect_screen("300");
    terminal.expect_screen("completed, exit 0");
    leave(terminal);
}

#[test]
fn the_first_paint_asks_the_terminal_nothing() {
    let scratch = Scratch::new();
    let terminal = start_demo(&scratch);
    let printed = terminal.printed();
    for query in ["\u{1b}[6n", "\u{1b}[c", "\u{1b}[?u", "\u{1b}]10;?", "\u{1b}]11;?", "\u{1b}[>q"] {
        assert!(!printed.contains(query), "{query:?}");
    }
    support::leave(terminal);
}
