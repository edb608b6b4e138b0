//! The promise on the real binary, in a pseudo-terminal, as lines.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::disallowed_methods)] // a test may fail, and owns its files

mod support;

use rustix::process::Signal;
use support::lines::{AGAIN, DEMO, approve, ask, say};
use support::{Scratch, Terminal, eventually, kill_all_of, processes_with, signal};

fn leave(mut terminal: Terminal) -> String {
    terminal.expect("> ");
    support::leave(terminal)
}

/// Starts `command`, waits until it runs, and gives the terminal back.
fn begin(scratch: &Scratch, command: &str) -> Terminal {
    let mut terminal = scratch.start(DEMO);
    ask(&mut terminal, command);
    terminal
}

fn only_dispatch(scratch: &Scratch) -> String {
    assert_eq!(scratch.records("tool_started").len(), 1);
    scratch.dispatch()
}

/// Everything that belongs to the dispatch is dead.
fn all_gone(dispatch: &str) {
    eventually("its processes end", || processes_with(dispatch).is_empty());
}

fn supervisor_of(scratch: &Scratch, dispatch: &str) -> u32 {
    let path = scratch.sessions()[0].join("calls").join(dispatch).join("launch.json");
    eventually("the launch is noted", || path.exists());
    let launch: serde_json::Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    u32::try_from(launch["pid"].as_u64().unwrap()).unwrap()
}

#[test]
fn milk_is_added_and_the_answer_says_so() {
    let scratch = Scratch::new();
    let mut terminal = scratch.start(DEMO);
    say(&mut terminal, "Add milk to shopping.txt");
    terminal.expect("echo milk >> shopping.txt");
    approve(&mut terminal);
    terminal.expect("completed, exit 0");
    leave(terminal);
    assert_eq!(scratch.read("shopping.txt"), "milk\n");
    assert_eq!(
        scratch.kinds(),
        [
            "session_started",
            "user_message",
            "model_response",
            "approval",
            "tool_started",
            "tool_result",
            "model_response",
            "turn_ended"
        ]
    );
    assert_eq!(scratch.records("tool_result")[0]["evidence"], "live");
}

/// Point 1: the agent dies, the command does not, and the receipt tells.
fn survives(end: impl FnOnce(Terminal)) {
    let scratch = Scratch::new();
    let gate = scratch.gate();
    let terminal = begin(&scratch, "echo milk >> shopping.txt; echo be''gun; read line < gate; echo over");
    let mut terminal = terminal;
    terminal.expect("begun");
    let dispatch = only_dispatch(&scratch);
    end(terminal);

    let mut again = scratch.start(AGAIN);
    again.expect("Still running").expect("begun");
    // Only now may the command end.
    std::fs::write(&gate, "go\n").unwrap();
    again.expect("over").expect("completed, exit 0").expect("from its receipt");
    say(&mut again, "Is milk on the list?");
    again.expect("run or deny> ").send("no\n");
    leave(again);

    assert_eq!(scratch.read("shopping.txt"), "milk\n");
    let results = scratch.records("tool_result");
    assert_eq!((&results[0]["outcome"], &results[0]["evidence"]), (&"completed".into(), &"receipt".into()));
    assert!(scratch.records("acknowledged").is_empty());
    assert_eq!(scratch.records("turn_ended")[0]["status"], "interrupted");
    all_gone(&dispatch);
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
fn sigterm_costs_no_result() {
    survives(|mut terminal| assert_eq!(terminal.signal(Signal::TERM), 143));
}

#[test]
fn sighup_costs_no_result() {
    survives(|mut terminal| assert_eq!(terminal.signal(Signal::HUP), 129));
}

/// Point 2: agent, supervisor and command die; a person is asked, and nothing
/// typed ahead answers.
#[test]
fn an_unknown_outcome_is_asked_about_until_a_person_answers() {
    let scratch = Scratch::new();
    let mut terminal = begin(&scratch, "echo milk >> shopping.txt; echo be''gun; sleep 600");
    terminal.expect("begun");
    let dispatch = only_dispatch(&scratch);
    terminal.kill();
    kill_all_of(&dispatch);

    let mut again = scratch.start(AGAIN);
    again.send("may have run\n\nhappened\n\n");
    again.expect("may have run").expect("echo milk >> shopping.txt; echo be''gun; sleep 600");
    again.expect("started").expect("begun");
    again.expect("statement> ").send("\u{4}");
    assert_eq!(again.wait_exit(), 0);
    assert!(scratch.records("acknowledged").is_empty());
    let ended = scratch.records("turn_ended");
    assert_eq!((ended.len(), &ended[0]["status"]), (1, &"interrupted".into()));

    let mut again = scratch.start(AGAIN);
    again.expect("statement> ").send("\n");
    again.expect("One of").expect("statement> ").send("happened\n");
    again.expect("note").send("saw it in the file\n");
    say(&mut again, "Is milk on the list?");
    again.expect("run or deny> ").send("run\n");
    again.expect("completed");
    leave(again);

    assert_eq!(scratch.read("shopping.txt"), "milk\n");
    let acknowledged = scratch.records("acknowledged");
    assert_eq!(acknowledged.len(), 1);
    let statement = &acknowledged[0]["statements"][0];
    assert_eq!(
        (&statement["statement"], &statement["note"]),
        (&"happened".into(), &"saw it in the file".into())
    );
    assert_eq!(statement["dispatch"], dispatch.as_str());
    let results = scratch.records("tool_result");
    assert_eq!((&results[0]["outcome"], &results[0]["evidence"]), (&"unknown".into(), &"none".into()));
    scratch.verify_journals();
}

#[test]
fn a_command_without_its_supervisor_is_said_to_run_still() {
    let scratch = Scratch::new();
    let mut terminal = begin(&scratch, "echo be''gun; exec sleep 600");
    terminal.expect("begun");
    let dispatch = only_dispatch(&scratch);
    let supervisor = supervisor_of(&scratch, &dispatch);
    terminal.kill();
    signal(supervisor, Signal::KILL);

    let mut again = scratch.start(AGAIN);
    again.expect("Its supervisor is gone").send("give up\n");
    again.expect("may have run").expect("is alive").expect("statement> ").send("\u{4}");
    again.wait_exit();
    let results = scratch.records("tool_result");
    assert_eq!(results[0]["outcome"], "unknown");
    assert!(results[0]["survivors"][0]["command"].as_str().unwrap().contains("sleep 600"));
    kill_all_of(&dispatch);
}

#[test]
fn a_supervisor_lost_under_a_running_agent_ends_the_turn() {
    let scratch = Scratch::new();
    let mut terminal = begin(&scratch, "echo be''gun; exec sleep 600");
    terminal.expect("begun");
    let dispatch = only_dispatch(&scratch);
    signal(supervisor_of(&scratch, &dispatch), Signal::KILL);
    terminal.expect("statement> ").send("may have run\n");
    terminal.expect("note").send("\n");
    terminal.expect("Saved");
    leave(terminal);
    assert_eq!(scratch.records("turn_ended")[0]["status"], "unconfirmed_effects");
    all_gone(&dispatch);
}

/// Point 3.
#[test]
fn killed_at_the_approval_nothing_was_executed() {
    let scratch = Scratch::new();
    let mut terminal = scratch.start(DEMO);
    say(&mut terminal, "Run: touch made");
    terminal.expect("run or deny> ");
    terminal.kill();
    let mut again = scratch.start(AGAIN);
    again.expect("not executed");
    leave(again);
    let results = scratch.records("tool_result");
    assert_eq!(results[0]["outcome"], "not_executed");
    assert!(results[0].get("dispatch").is_none());
    assert!(!scratch.work().join("made").exists());
}

#[test]
fn a_denial_reaches_the_model_with_its_words() {
    let scratch = Scratch::new();
    let mut terminal = scratch.start(DEMO);
    say(&mut terminal, "Run: rm -rf build");
    terminal.expect("run or deny> ").send("only the cache, please\n");
    terminal.expect("only the cache, please");
    leave(terminal);
    assert_eq!(scratch.records("approval")[0]["feedback"], "only the cache, please");
    assert_eq!(scratch.records("tool_result")[0]["outcome"], "denied");
    assert_eq!(scratch.records("turn_ended")[0]["status"], "completed");
}

/// Point 5, the parts that show on the screen; `tests/supervisor.rs` has the rest.
#[test]
fn failing_commands_say_how_they_failed() {
    let scratch = Scratch::new();
    let mut terminal = scratch.start(DEMO);
    for (command, expected) in [
        ("exit 3", "failed, exit 3"),
        ("no-such-program", "failed, exit 127"),
        ("kill -9 $$", "failed, signal 9"),
        ("cat", "completed, exit 0"),
        ("printf 'a\\033[2Jb\\377'", "ab\u{fffd}"),
    ] {
        ask(&mut terminal, command);
        terminal.expect(expected);
    }
    leave(terminal);
}

#[test]
fn a_running_command_is_stopped_by_the_second_ctrl_c_only() {
    let scratch = Scratch::new();
    let mut terminal = begin(&scratch, "echo be''gun; sleep 600");
    terminal.expect("begun").send("\u{3}");
    terminal.expect("runs on").send("\u{3}");
    terminal.expect("cancelled");
    leave(terminal);
    assert_eq!(scratch.records("tool_result")[0]["outcome"], "cancelled");
    assert_eq!(scratch.records("turn_ended")[0]["status"], "cancelled");
    all_gone(&only_dispatch(&scratch));
}

#[test]
fn an_answer_can_be_stopped_and_the_session_goes_on() {
    let scratch = Scratch::new();
    let mut terminal = scratch.start(DEMO);
    say(&mut terminal, "Stream 100000 words");
    terminal.expect("Assistant").send("\u{3}");
    terminal.expect("You stopped this turn.");
    say(&mut terminal, "Add tea to list.txt");
    approve(&mut terminal);
    terminal.expect("completed, exit 0");
    leave(terminal);
    let statuses: Vec<_> = scratch.records("turn_ended").iter().map(|end| end["status"].clone()).collect();
    assert_eq!(statuses, ["cancelled", "completed"]);
}

/// Point 6.
#[test]
fn a_second_comer_is_told_who_holds_the_session() {
    let scratch = Scratch::new();
    let mut first = scratch.start(DEMO);
    say(&mut first, "Add tea to list.txt");
    first.expect("run or deny> ");
    let mut second = scratch.start(AGAIN);
    second.expect(&format!("process {}", first.pid()));
    second.expect("> ").send("hello\n");
    second.expect("Not sent: hello");
    leave(second);
    first.send("run\n");
    first.expect("completed, exit 0");
    leave(first);
}

#[test]
fn a_journal_that_is_gone_stops_before_the_effect() {
    let scratch = Scratch::new();
    let mut terminal = scratch.start(DEMO);
    say(&mut terminal, "Run: touch made");
    terminal.expect("run or deny> ");
    std::fs::remove_file(scratch.sessions()[0].join("journal.jsonl")).unwrap();
    terminal.send("run\n");
    terminal.expect("Nothing more can be saved");
    leave(terminal);
    assert!(!scratch.work().join("made").exists());
}

#[test]
fn a_home_that_cannot_be_written_is_one_sentence() {
    if rustix::process::geteuid().is_root() {
        println!("skipped: root may write anywhere");
        return;
    }
    let scratch = Scratch::new();
    std::fs::create_dir(scratch.home()).unwrap();
    let read_only = std::os::unix::fs::PermissionsExt::from_mode(0o500);
    std::fs::set_permissions(scratch.home(), read_only).unwrap();
    let mut terminal = scratch.start(DEMO);
    assert_eq!(terminal.wait_exit(), 1);
    assert!(terminal.printed().contains("home"));
}

/// Point 7.
#[test]
fn the_key_reaches_no_command_and_no_file() {
    const KEY: &str = "sk-verysecret-0123456789";
    let scratch = Scratch::new();
    let settings = scratch.home().join("config");
    std::fs::create_dir_all(&settings).unwrap();
    std::fs::write(settings.join("config.toml"), "[bash]\nenvironment = [\"PATH\", \"OPENAI_API_KEY\"]\n")
        .unwrap();
    let mut terminal = scratch.start_with(DEMO, &[("OPENAI_API_KEY", KEY)]);
    ask(&mut terminal, "env");
    terminal.expect("CANDOR_OPERATION=").expect("completed, exit 0");
    let printed = leave(terminal);
    assert!(!printed.contains(KEY) && !printed.contains("OPENAI_API_KEY="));
    let found =
        std::process::Command::new("grep").args(["-r", "-l", KEY]).arg(scratch.home()).output().unwrap();
    assert!(found.stdout.is_empty(), "{}", String::from_utf8_lossy(&found.stdout));
}

#[test]
fn several_calls_are_asked_one_by_one() {
    let scratch = Scratch::new();
    let mut terminal = scratch.start(DEMO);
    terminal.expect("> ").send("Run: touch a\\\nRun: touch b\n");
    terminal.expect("1 of 2").expect("touch b").expect("run or deny> ").send("run\n");
    terminal.expect("2 of 2").expect("run or deny> ").send("no\n");
    leave(terminal);
    assert!(scratch.work().join("a").exists() && !scratch.work().join("b").exists());
    let outcomes: Vec<_> =
        scratch.records("tool_result").iter().map(|result| result["outcome"].clone()).collect();
    assert_eq!(outcomes, ["completed", "denied"]);
}

#[test]
fn sessions_are_listed_and_shown() {
    let scratch = Scratch::new();
    let mut terminal = begin(&scratch, "echo be''gun; sleep 600");
    terminal.expect("begun");
    let rows = scratch.json(&["sessions", "--json", "--demo"]);
    assert_eq!(rows[0]["state"], "command running");
    let id = rows[0]["id"].as_str().unwrap().to_owned();
    terminal.send("\u{3}");
    terminal.expect("runs on").send("\u{3}");
    terminal.expect("cancelled");
    leave(terminal);
    let rows = scratch.json(&["sessions", "--json", "--demo"]);
    assert_eq!(
        (rows[0]["state"].as_str(), rows[0]["title"].as_str()),
        (Some("ready"), Some("Run: echo be''gun; sleep 600"))
    );
    let shown = scratch.run(&["show", &id]);
    assert!(String::from_utf8(shown.stdout).unwrap().contains("cancelled"));
    let report = scratch.run(&["inspect", "--json", &id]);
    assert_eq!(report.status.code(), Some(0), "{report:?}");
}

#[test]
fn a_wrong_command_line_exits_64() {
    let scratch = Scratch::new();
    for arguments in [&["--no-such"][..], &["show"], &["inspect"], &["-c", "-s", "x"], &["sessions", "extra"]]
    {
        assert_eq!(scratch.run(arguments).status.code(), Some(64), "{arguments:?}");
    }
    let piped = scratch.run(DEMO);
    assert_eq!(piped.status.code(), Some(1));
    assert!(String::from_utf8(piped.stderr).unwrap().contains("terminal"));
}
