//! Old sessions found, named, moved, brought back, forked and watched, on the
//! real binary in pseudo-terminals.
#![cfg(target_os = "linux")]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::disallowed_methods
)] // a test may fail, and owns its files

mod support;

use candor::journal::files::Disk;
use candor::record::{Origin, TurnEnded, TurnStatus, UserMessage};
use candor::store::{self, Kind, NewSession, Store};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use support::screen::{DEMO, answer, begin, completed, press_enter, say, start_demo};
use support::{Scratch, Terminal, eventually, kill_all_of, leave};

const CTRL_F: &str = "\u{6}";
const CTRL_K: &str = "\u{b}";
const CTRL_R: &str = "\u{12}";
const CTRL_S: &str = "\u{13}";
const CTRL_U: &str = "\u{15}";
const CTRL_X: &str = "\u{18}";
const UP: &str = "\u{1b}[A";

/// Has the demo run a command to its end.
fn run(terminal: &mut Terminal, command: &str) {
    say(terminal, &format!("Run: {command}"));
    answer(terminal, "y");
    completed(terminal);
}

/// A session that has run this, and is closed again.
fn session(scratch: &Scratch, command: &str) {
    let mut terminal = scratch.start(DEMO);
    run(&mut terminal, command);
    leave(terminal);
}

fn listed(scratch: &Scratch, more: &[&str]) -> Vec<serde_json::Value> {
    let all = [&["sessions", "--json", "--demo"], more].concat();
    scratch.json(&all).as_array().unwrap().clone()
}

fn open_list(terminal: &mut Terminal) {
    terminal.send(CTRL_S);
    terminal.expect_screen("filter >");
}

#[test]
fn an_old_session_is_found_by_a_word_inside_it_and_resumed() {
    let scratch = Scratch::new();
    session(&scratch, "echo pome''granate juice");
    session(&scratch, "echo something else");
    let mut terminal = start_demo(&scratch);
    open_list(&mut terminal);
    terminal.send("pomegranate");
    // No title, directory or first message holds it: the quotes are between.
    terminal.expect_screen("Ctrl+F inside all");
    terminal.send(CTRL_F);
    terminal.expect_screen("output: pomegranate juice");
    terminal.expect_screen("in 2 sessions");
    press_enter(&mut terminal);
    let screen = terminal.expect_screen("  ready");
    assert!(screen.contains("pomegranate juice"), "{screen}");
    run(&mut terminal, "echo and on");
    leave(terminal);
    let turns = scratch.sessions().into_iter().map(|session| {
        let journal = std::fs::read_to_string(session.join("journal.jsonl")).unwrap();
        (journal.contains("pomegranate juice"), journal.matches("\"type\":\"turn_ended\"").count())
    });
    assert_eq!(turns.collect::<Vec<_>>(), [(true, 2), (false, 1)]);
}

#[test]
fn a_session_is_renamed_moved_to_the_trash_and_brought_back() {
    let scratch = Scratch::new();
    session(&scratch, "echo one");
    let mut terminal = start_demo(&scratch);
    open_list(&mut terminal);
    terminal.expect_screen("Run: echo one");
    terminal.send(CTRL_R);
    terminal.expect_screen("Another title");
    terminal.send(CTRL_U);
    terminal.send("Weekly numbers");
    terminal.expect_screen("> Weekly numbers");
    press_enter(&mut terminal);
    terminal.expect_screen("ready            Weekly numbers");
    assert_eq!(listed(&scratch, &[])[0]["title"], "Weekly numbers");

    terminal.send(CTRL_X);
    terminal.expect_screen("Move \"Weekly numbers\" to the trash?");
    assert_eq!(listed(&scratch, &[]).len(), 1);
    press_enter(&mut terminal);
    terminal.expect_screen("It is in the trash.");
    assert_eq!((listed(&scratch, &[]).len(), listed(&scratch, &["--trash"]).len()), (0, 1));
    terminal.send("\t");
    terminal.expect_screen("Sessions everywhere");
    terminal.send("\t");
    terminal.expect_screen("Weekly numbers");
    press_enter(&mut terminal);
    terminal.expect_screen("It is back");
    terminal.send("\t");
    terminal.expect_screen("ready            Weekly numbers");
    assert_eq!((listed(&scratch, &[]).len(), listed(&scratch, &["--trash"]).len()), (1, 0));
    terminal.send("\u{1b}");
    terminal.expect_screen("Enter start");
    leave(terminal);
    scratch.verify_journals();
}

#[test]
fn what_runs_or_is_open_elsewhere_is_not_moved() {
    let scratch = Scratch::new();
    let mut first = scratch.start(DEMO);
    run(&mut first, "echo one");
    let mut second = start_demo(&scratch);
    open_list(&mut second);
    let open_in = format!("process {}", first.pid());
    second.expect_screen(&open_in);
    second.send(CTRL_X);
    second.expect_screen("to the trash?");
    press_enter(&mut second);
    let screen = second.expect_screen("Nothing is moved: the session is open elsewhere");
    assert!(screen.contains("filter >"), "{screen}");
    assert_eq!(listed(&scratch, &[]).len(), 1);
    leave_list(second);

    // Its own session neither.
    open_list(&mut first);
    first.expect_screen("open in this window");
    first.send(CTRL_X);
    first.expect_screen("to the trash?");
    press_enter(&mut first);
    first.expect_screen("open in this window");
    first.send("\u{1b}");
    first.expect_screen("  ready");
    leave(first);
}

fn leave_list(mut terminal: Terminal) {
    terminal.send("\u{1b}");
    terminal.expect_screen("Enter start");
    leave(terminal);
}

#[test]
fn an_unknown_outcome_wants_the_titles_first_word() {
    let scratch = Scratch::new();
    let mut terminal = begin(&scratch, "echo be''gun; sleep 600", &[]);
    terminal.expect_screen("begun");
    let dispatch = scratch.dispatch();
    terminal.kill();
    kill_all_of(&dispatch);
    let mut terminal = scratch.start(DEMO);
    terminal.expect_screen("interrupted");
    open_list(&mut terminal);
    // Nothing runs, so nothing is said to run.
    terminal.expect_screen("started, no result yet");
    terminal.send(CTRL_X);
    terminal.expect_screen("to the trash?");
    press_enter(&mut terminal);
    terminal.expect_screen("1 of its outcomes is unknown");
    terminal.send("run:");
    terminal.expect_screen("> run:");
    press_enter(&mut terminal);
    eventually("the other word is refused", || !terminal.screen().contains("> run:"));
    assert_eq!(listed(&scratch, &[]).len(), 1);
    terminal.send("Run:");
    terminal.expect_screen("> Run:");
    press_enter(&mut terminal);
    terminal.expect_screen("It is in the trash.");
    assert!(listed(&scratch, &[]).is_empty());
    leave_list(terminal);
}

#[test]
fn a_fork_begins_with_the_turns_up_to_the_chosen_one() {
    let scratch = Scratch::new();
    let mut terminal = scratch.start(DEMO);
    for word in ["one", "two", "three"] {
        run(&mut terminal, &format!("echo {word}"));
        terminal.expect_screen(&format!("   {word}"));
    }
    leave(terminal);
    let mut terminal = start_demo(&scratch);
    open_list(&mut terminal);
    terminal.expect_screen("Run: echo one");
    // The preview stands beside the list, so the session is read.
    terminal.expect_screen("   three");
    terminal.send(CTRL_K);
    terminal.expect_screen(">   3  Run: echo three");
    terminal.send(UP);
    terminal.expect_screen(">   2  Run: echo two");
    press_enter(&mut terminal);
    let screen = terminal.expect_screen("This is a new session.");
    assert!(screen.contains("   two") && !screen.contains("   three"), "{screen}");
    assert!(screen.contains("(fork) Run: echo one"), "{screen}");
    leave(terminal);
    let ended = scratch.sessions().into_iter().map(|session| {
        let journal = std::fs::read_to_string(session.join("journal.jsonl")).unwrap();
        journal.matches("\"type\":\"turn_ended\"").count()
    });
    assert_eq!(ended.collect::<Vec<_>>(), [3, 2]);
    // Both have one title, and are told apart wherever they are listed.
    let listed = listed_in(&scratch, &scratch.work());
    let of = |fork: bool| listed.iter().find(|row| row.get("forked_from").is_some() == fork).unwrap();
    assert_eq!((listed.len(), &of(true)["forked_from"]), (2, &of(false)["id"]));
    let lines = sessions_in(&scratch, &scratch.work(), &["--demo"]);
    assert!(lines.contains("  Run: echo one") && lines.contains("  (fork) Run: echo one"), "{lines}");
    let mut terminal = scratch.start(DEMO);
    terminal.expect_screen("2 sessions, all of this directory");
    terminal.expect_screen("(fork) Run: echo one");
    leave(terminal);
}

#[test]
fn a_session_open_elsewhere_is_watched_and_taken_over_when_it_is_left() {
    let scratch = Scratch::new();
    let gate = scratch.gate();
    let mut writer = scratch.start(DEMO);
    run(&mut writer, "echo ready to be''gin");
    let mut watcher = scratch.start(DEMO);
    watcher.expect_screen("open elsewhere");
    open_list(&mut watcher);
    watcher.expect_screen("Enter watches it here, read-only.");
    press_enter(&mut watcher);
    let screen = watcher.expect_screen("It is watched here, read-only");
    assert!(screen.contains(&format!("process {}", writer.pid())), "{screen}");

    say(&mut writer, "Run: echo first pa''rt; read l < gate; echo second pa''rt");
    watcher.expect_screen("echo first pa''rt");
    assert!(!watcher.screen().contains("Run this command?"), "it decides nothing");
    answer(&mut writer, "y");
    watcher.expect_screen("   first part");
    watcher.expect_screen("running");

    // Nothing can be sent from here; the words stay.
    watcher.send("may I");
    watcher.expect_screen("> may I");
    press_enter(&mut watcher);
    watcher.expect_screen("Leave it there to write here.");
    watcher.expect_screen("> may I");
    std::fs::write(&gate, "go\n").unwrap();
    watcher.expect_screen("   second part");
    watcher.expect_screen("completed, exit 0");
    writer.expect_screen("  ready");
    assert_eq!(scratch.records("user_message").len(), 2);

    leave(writer);
    watcher.expect_screen("no longer open elsewhere");
    watcher.expect_screen("Enter open it for writing");
    press_enter(&mut watcher);
    watcher.expect_screen("  ready");
    watcher.expect_screen("> may I");
    watcher.send(CTRL_U);
    run(&mut watcher, "echo taken o''ver");
    watcher.expect_screen("   taken over");
    leave(watcher);
    assert_eq!(scratch.records("user_message").len(), 3);
    scratch.verify_journals();
}

#[test]
fn a_directory_that_was_moved_is_found_by_its_old_path_and_through_a_link() {
    let scratch = Scratch::new();
    session(&scratch, "echo one");
    let moved = scratch.work().with_file_name("moved");
    std::fs::rename(scratch.work(), &moved).unwrap();
    let start = |work: &Path| Terminal::start(&scratch.home(), work, DEMO, &[], (24, 100));
    let mut terminal = start(&moved);
    terminal.expect_screen("1 elsewhere");
    open_list(&mut terminal);
    terminal.send("/shop");
    terminal.expect_screen("Run: echo one");
    terminal.send("\u{1b}");
    terminal.expect_screen("Enter start");
    leave(terminal);
    let id = listed_in(&scratch, &moved)[0]["id"].as_str().unwrap().to_owned();
    let mut by_id = Terminal::start(&scratch.home(), &moved, &["--session", &id], &[], (24, 100));
    by_id.expect_screen("no longer exists");
    leave(by_id);

    // A link at the old place: the session is of this directory again.
    std::os::unix::fs::symlink(&moved, scratch.work()).unwrap();
    let mut terminal = start(&moved);
    terminal.expect_screen("1 session, of this directory");
    leave(terminal);
    let mut last = Terminal::start(&scratch.home(), &moved, &["--demo", "-c"], &[], (24, 100));
    last.expect_screen("   one");
    last.expect_screen("  ready");
    leave(last);
}

fn listed_in(scratch: &Scratch, work: &Path) -> Vec<serde_json::Value> {
    let listed = sessions_in(scratch, work, &["--json", "--demo"]);
    serde_json::from_str::<serde_json::Value>(&listed).unwrap().as_array().unwrap().clone()
}

/// What `candor sessions` prints.
fn sessions_in(scratch: &Scratch, work: &Path, with: &[&str]) -> String {
    let output = std::process::Command::new(support::program())
        .arg("sessions")
        .args(with)
        .current_dir(work)
        .env("CANDOR_HOME", scratch.home())
        .output()
        .unwrap();
    String::from_utf8(output.stdout).unwrap()
}

/// Sessions as the program writes them, most of them tiny, one of 60 MiB, one
/// damaged.
fn many(scratch: &Scratch, count: usize) -> PathBuf {
    let (data, config) = (scratch.home().join("data"), scratch.home().join("config"));
    let store = Store::open(&data, &config, Kind::Demo, Arc::new(Disk)).unwrap();
    let now = || store::clock::now();
    let make = |title: String, texts: &[String]| {
        let cwd = scratch.work().display().to_string();
        let records = Vec::new();
        let new = NewSession { app: "test".into(), cwd, title: Some(title), origin: Origin::New {}, records };
        let mut open = store.create(new, now()).unwrap();
        for text in texts {
            let turn = store::ids::turn();
            let message = UserMessage { turn, text: text.clone(), imported: false, ext: None };
            open.commit(message.into(), now()).unwrap();
            let end = TurnEnded { turn, status: TurnStatus::Cancelled, error: None, ext: None };
            open.commit(end.into(), now()).unwrap();
        }
        open.dir().to_owned()
    };
    let large: Vec<String> =
        (0..240).map(|number| format!("part {number} of it {}", "and so on ".repeat(25 << 10))).collect();
    make("The large one".into(), &[large, vec!["the very end".into()]].concat());
    let damaged = make("The damaged one".into(), &["a lost quince".into()]);
    for number in 2..count {
        make(format!("Session number {number}"), &[]);
    }
    let journal = damaged.join("journal.jsonl");
    let text = std::fs::read_to_string(&journal).unwrap();
    std::fs::write(&journal, text.replace("\"type\":\"turn_ended\"", "\"type\":\"turn ended\"")).unwrap();
    damaged
}

#[test]
fn a_thousand_sessions_are_all_there_whatever_one_of_them_is_like() {
    let scratch = Scratch::in_memory();
    many(&scratch, 1_000);
    let mut terminal = Terminal::start(&scratch.home(), &scratch.work(), DEMO, &[], (40, 120));
    terminal.expect_screen("1000 sessions, all of this directory");
    open_list(&mut terminal);
    terminal.expect_screen("1000 of 1000");
    terminal.send("damaged one");
    terminal.expect_screen("1 of 1000");
    // It is chosen and shown as far as it goes, and says why no further.
    terminal.expect_screen(">damaged ");
    terminal.expect_screen("   a lost quince");
    terminal.expect_screen("does not verify");

    // The large one is read while keys are taken.
    terminal.send(CTRL_U);
    terminal.send("the large");
    terminal.expect_screen("filter > the large");
    terminal.expect_screen("   the very end");
    terminal.send(CTRL_U);
    terminal.send("number 567");
    terminal.expect_screen("Session number 567");

    terminal.send(CTRL_U);
    terminal.send("lost quince");
    terminal.send(CTRL_F);
    terminal.expect_screen("You: a lost quince");
    terminal.expect_screen("1 place in 1,000 sessions.");
    terminal.send("\u{1b}");
    terminal.expect_screen("filter >");
    leave_list(terminal);
}
