//! Deaths at each step of the call folder, in a build that has such points:
//! `cargo test --features failpoints --test failpoints`.
#![cfg(all(feature = "failpoints", target_os = "linux"))]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::disallowed_methods)] // a test may fail, and owns its files

mod support;

use support::{Scratch, Terminal, claims};

/// Dies at this point, once in the agent or in every supervisor, and is held
/// to what the restarted program says. Gives the outcomes.
fn die_at(point: &str) -> Vec<String> {
    let scratch = Scratch::new();
    let mut terminal = scratch.start_with(&["--demo", "--plain"], &[("CANDOR_FAILPOINT", point)]);
    if claims::go_through(&mut terminal) {
        terminal.send("\u{4}");
    }
    terminal.kill_if_alive();
    claims::check(&scratch, point);
    let results = scratch.records("tool_result");
    results.iter().map(|result| result["outcome"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn before_the_start_record_nothing_was_executed() {
    assert_eq!(die_at("laid"), ["not_executed", "not_executed"]);
}

#[test]
fn a_start_without_a_launch_is_proved_not_executed() {
    assert_eq!(die_at("start_recorded"), ["not_executed", "not_executed"]);
}

/// The terminal's hang-up may reach the supervisor before it has a session of
/// its own; then it never launches. `claims::check` tells the two apart.
#[test]
fn a_supervisor_that_was_started_finishes_alone_or_never_launches() {
    let outcomes = die_at("spawned");
    assert!(matches!(outcomes[0].as_str(), "completed" | "not_executed"), "{outcomes:?}");
    assert_eq!(outcomes[1], "not_executed");
}

#[test]
fn from_the_launch_on_without_a_receipt_it_is_unknown() {
    for point in ["launched", "running", "ended"] {
        assert_eq!(die_at(point), ["unknown", "not_executed"], "{point}");
    }
}

#[test]
fn with_a_receipt_a_dead_supervisor_costs_nothing() {
    assert_eq!(die_at("receipt"), ["completed", "completed"]);
}

#[test]
fn after_the_result_record_only_the_rest_is_missing() {
    assert_eq!(die_at("result_recorded"), ["completed", "not_executed"]);
}

/// The terminal is given back before the report is printed, and the report
/// stands on the ordinary screen.
fn panics_readably(scratch: &Scratch, mut terminal: Terminal) {
    terminal.expect_screen("a planted fault");
    assert_eq!(terminal.wait_exit(), 1);
    let printed = terminal.printed();
    let left = printed.rfind("\u{1b}[?1049l").unwrap();
    assert!(printed.rfind("a planted fault").unwrap() > left, "{printed}");
    assert!(printed.rfind("\u{1b}[?2004l").is_some() && printed.rfind("\u{1b}[?25h").is_some());
    assert!(scratch.sessions().is_empty() || !scratch.journal().is_empty());
}

#[test]
fn a_panic_in_the_agent_gives_the_terminal_back() {
    let scratch = Scratch::new();
    let mut terminal = scratch.start_with(&["--demo"], &[("CANDOR_FAILPOINT", "panic_agent")]);
    terminal.expect_screen("Enter start");
    terminal.send("hello");
    terminal.expect_screen("> hello");
    support::screen::press_enter(&mut terminal);
    panics_readably(&scratch, terminal);
}

#[test]
fn a_panic_beside_the_screen_gives_the_terminal_back() {
    let scratch = Scratch::new();
    let terminal = scratch.start_with(&["--demo"], &[("CANDOR_FAILPOINT", "panic_screen")]);
    panics_readably(&scratch, terminal);
}
