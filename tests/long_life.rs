//! Sessions that grow old: many turns on disk, many turns in one process, many
//! switches, clocks that go backwards.
//!
//! The short form of each is always run; `.ci/run` runs the long ones, too.
#![cfg(target_os = "linux")]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::disallowed_methods
)] // as in all tests

mod support;

use candor::agent::{self, Command, Event, Setup, Target, Wish};
use candor::config::{Paths, Settings};
use candor::record::{Record, SessionId, Timestamp};
use candor::store::{Kind, OpenSession, Opened, Store};
use candor::tools::Launcher;
use std::path::Path;
use support::records::{self, DAY};
use support::{Scratch, eventually, kill_all_of, leave, lines, processes_with};

fn at(millis: i64) -> Timestamp {
    Timestamp::from_millis(millis)
}

fn store(scratch: &Scratch) -> Store {
    records::store(&scratch.home(), Kind::Demo)
}

fn turn(number: usize, bytes: usize) -> [Record; 3] {
    let text = format!("Answer {number}. {}", "All work and no play. ".repeat(bytes / 22));
    records::turn(&format!("Question {number}"), &text)
}

/// A session of so many turns, written at one time.
fn session(scratch: &Scratch, turns: usize, bytes: usize) -> OpenSession {
    let records = (0..turns).flat_map(|number| turn(number, bytes)).collect();
    records::session(&store(scratch), &scratch.work(), "An old one", records)
}

/// A line of `/proc/PID/status` in KiB: `VmRSS` is memory now, `VmHWM` its peak.
fn memory_kib(pid: u32, name: &str) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = status.lines().find(|line| line.starts_with(name)).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

fn descriptors(pid: u32) -> usize {
    std::fs::read_dir(format!("/proc/{pid}/fd")).unwrap().count()
}

/// What an open session may take for each byte of its journal, beside the
/// program: the journal is read as a stream; its records, what is shown of them
/// and the text that the model will get are each held once.
const PER_BYTE: u64 = 6;
/// The program itself, in a debug build, in KiB.
const PROGRAM_KIB: u64 = 64 << 10;

fn opens(turns: usize, least: u64) {
    let scratch = Scratch::in_memory();
    let open = session(&scratch, turns, 1_670);
    let (id, journal) = (open.id().to_string(), open.dir().join("journal.jsonl"));
    drop(open);
    let bytes = journal.metadata().unwrap().len();
    assert!((least..64 << 20).contains(&bytes), "{bytes}");

    // The list reads only the ends of a journal: its memory has one bound.
    let list = format!("ulimit -d {PROGRAM_KIB}; exec \"$0\" sessions --demo --json");
    let output = std::process::Command::new("bash")
        .args(["-c", &list, support::program()])
        .env("CANDOR_HOME", scratch.home())
        .output()
        .unwrap();
    let rows: serde_json::Value =
        serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{output:?}"));
    assert_eq!(rows[0]["state"], "ready");

    let bound = PROGRAM_KIB + PER_BYTE * bytes / 1024;
    let mut plain = scratch.start(&["--demo", "--plain", "-s", &id]);
    plain.expect("\n> ");
    let plain_kib = memory_kib(plain.pid(), "VmHWM");
    assert!(plain_kib < bound, "{plain_kib} of {bound} KiB");
    leave(plain);

    let mut screen = scratch.start(&["--demo", "-s", &id]);
    screen.expect_screen("All work and no play.");
    screen.expect_screen("Enter s");
    // To the first turn and back: more is wrapped, and not all of it is kept.
    screen.send("\u{1b}[1;5H");
    screen.expect_screen("Question 0");
    let screen_kib = memory_kib(screen.pid(), "VmHWM");
    assert!(screen_kib < bound, "{screen_kib} of {bound} KiB");
    leave(screen);
    println!("{turns} turns, {bytes} bytes: plain {plain_kib} KiB, screen {screen_kib} KiB, bound {bound}");
}

#[test]
fn a_long_session_opens_in_bounded_memory() {
    opens(2_000, 5 << 20);
}

#[test]
#[ignore = "takes a minute; .ci/run runs it"]
fn a_session_of_60_mib_and_20_000_turns_opens_in_bounded_memory() {
    opens(20_000, 62_000_000); // 64 MiB less the room that is kept for what closes a turn
}

/// Turns in one process; memory is compared from the first fifth on.
fn lives(turns: usize) {
    let scratch = Scratch::in_memory();
    let mut terminal = scratch.start(lines::DEMO);
    let pid = terminal.pid();
    let mut before = None;
    for number in 0..turns {
        if number == turns / 5 {
            terminal.expect("\n> ");
            before = Some((memory_kib(pid, "VmRSS"), descriptors(pid)));
            terminal.send("Run: echo $SECONDS\n");
        } else {
            terminal.expect("\n> ").send("Run: echo $SECONDS\n");
        }
        terminal.expect("run or deny> ").send("run\n");
        terminal.expect("completed, exit 0");
    }
    terminal.expect("\n> ");
    let (kib, open) = before.unwrap();
    let (kib_now, open_now) = (memory_kib(pid, "VmRSS"), descriptors(pid));
    // What was said is kept, as records and as what the model is sent next.
    let journal = scratch.sessions()[0].join("journal.jsonl").metadata().unwrap().len() / 1024;
    println!(
        "{turns} turns: {kib} KiB, then {kib_now} KiB; journal {journal} KiB; {open} descriptors, then {open_now}"
    );
    assert!(kib_now < kib + (2 << 10) + 4 * journal, "{kib} KiB, then {kib_now} KiB");
    // The connection to the demo's server comes and goes.
    assert!(open_now <= open + 2, "{open} descriptors, then {open_now}");
    let children = std::fs::read_to_string(format!("/proc/{pid}/task/{pid}/children")).unwrap();
    assert_eq!(children, "", "no child is left");
    leave(terminal);
    assert_eq!(scratch.records("turn_ended").len(), turns);
}

#[test]
fn many_turns_in_one_process_leave_memory_and_descriptors_as_they_were() {
    lives(60);
}

#[test]
#[ignore = "takes minutes; .ci/run runs it"]
fn five_hundred_turns_in_one_process_leave_memory_and_descriptors_as_they_were() {
    lives(500);
}

/// Not a test of its own: a process that switches, and tells of its descriptors.
#[test]
fn as_switcher() {
    let Ok(home) = std::env::var("TEST_SWITCHER_HOME") else { return };
    let ids: Vec<SessionId> = std::env::var("TEST_SWITCHER_IDS")
        .unwrap()
        .split(' ')
        .map(|id| SessionId::parse(id).unwrap())
        .collect();
    let home = Path::new(&home);
    let setup = Setup {
        paths: Paths { config: home.join("config"), data: home.join("data") },
        settings: Settings::default(),
        settings_file: home.join("config/config.toml"),
        demo: true,
        cwd: home.to_str().unwrap().into(),
        environment: Vec::new(),
        launcher: Launcher { program: support::program().into() },
        target: Target::New,
    };
    let mut agent = agent::start(setup, &Wish::New).unwrap().handle;
    agent.begin();
    let mut switch = |number: usize| {
        let id = ids[number % ids.len()];
        agent.commands.send(Command::Open(id)).unwrap();
        loop {
            match agent.events.blocking_recv().unwrap() {
                Event::Opened(opened) if opened.id == Some(id) => {
                    assert!(opened.read_only.is_none(), "{:?}", opened.read_only);
                    return;
                }
                Event::Refused { sentence, .. } | Event::Poisoned(sentence) => panic!("{sentence}"),
                _ => {}
            }
        }
    };
    let own = std::process::id();
    (0..20).for_each(&mut switch);
    let before = (descriptors(own), memory_kib(own, "VmRSS"));
    (0..200).for_each(&mut switch);
    switch(0);
    eventually("all but as many descriptors are closed", || descriptors(own) <= before.0);
    assert!(memory_kib(own, "VmRSS") < before.1 + (4 << 10), "memory grows");
    let threads = std::fs::read_dir("/proc/self/task").unwrap().count();
    assert!(threads < 16, "{threads} threads");
    std::fs::write(home.join("switched"), "").unwrap();
    // The last one stays open until its directory says that it may go.
    eventually("it may leave", || home.join("leave").exists());
}

#[test]
fn two_hundred_switches_leak_no_lock_no_process_and_no_descriptor() {
    let scratch = Scratch::in_memory();
    let (one, two) = (session(&scratch, 3, 100).id(), session(&scratch, 3, 100).id());
    // The third one has a command that runs on.
    let mut terminal = scratch.start(lines::DEMO);
    lines::ask(&mut terminal, ": > up; exec sleep 600");
    eventually("it runs", || scratch.work().join("up").exists());
    terminal.kill();
    let three = SessionId::parse(scratch.sessions()[2].file_name().unwrap().to_str().unwrap()).unwrap();
    let running = || processes_with(&format!("CANDOR_SESSION={three}")).len();
    // While one becomes another program its environment cannot be read.
    eventually("the supervisor and its command run", || running() == 2);

    let mut switcher = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "as_switcher", "--nocapture"])
        .env("TEST_SWITCHER_HOME", scratch.home())
        .env("TEST_SWITCHER_IDS", format!("{one} {two} {three}"))
        .spawn()
        .unwrap();
    eventually("it has switched, or failed", || {
        scratch.home().join("switched").exists() || switcher.try_wait().unwrap().is_some()
    });
    assert!(scratch.home().join("switched").exists());
    assert_eq!(running(), 2, "none was started and none ended by it");
    let store = store(&scratch);
    let writable = |id| matches!(store.open_session(id, at(DAY)).unwrap(), Opened::Writable(_));
    assert!(!writable(one), "it is on its desk");
    assert!(writable(two) && writable(three), "and no other");
    std::fs::write(scratch.home().join("leave"), "").unwrap();
    assert!(switcher.wait().unwrap().success());
    assert!(writable(one));
    kill_all_of(&format!("CANDOR_SESSION={three}"));
}

#[test]
fn a_clock_that_goes_backwards_stops_nothing_and_no_time_is_negative() {
    let scratch = Scratch::in_memory();
    let mut open = session(&scratch, 1, 100);
    let (id, dir) = (open.id(), open.dir().to_owned());
    // Within a run, to before the epoch's first second, and on from there.
    for (number, time) in [DAY - 3_600_000, 0, 1, DAY + 100 * 365 * 86_400_000].into_iter().enumerate() {
        for record in turn(number + 1, 100) {
            open.commit(record, at(time)).unwrap();
        }
    }
    drop(open);
    // Between two runs: this one's clock is behind all that is written.
    let mut terminal = scratch.start(&["--demo", "--plain", "-s", &id.to_string()]);
    lines::ask(&mut terminal, "echo once >> log");
    terminal.expect("completed, exit 0, 0.").expect("\n> ");
    leave(terminal);
    assert_eq!(scratch.read("log"), "once\n");
    let rows = scratch.json(&["sessions", "--demo", "--json"]);
    assert_eq!(rows[0]["state"], "ready");
    let shown = scratch.run(&["show", &id.to_string()]);
    assert!(shown.status.success(), "{shown:?}");
    let mut screen = scratch.start(&["--demo", "-s", &id.to_string()]);
    screen.expect_screen("completed, exit 0");
    leave(screen);
    scratch.verify_journals();
    assert!(dir.join("journal.jsonl").exists());
}

/// A receipt whose end is before its beginning: the clock went back meanwhile.
#[test]
fn a_command_that_ended_before_it_began_is_shown_with_no_time() {
    let scratch = Scratch::new();
    let mut terminal = scratch.start(lines::DEMO);
    lines::ask(&mut terminal, ": > up; until [ -e go ]; do sleep 0.02; done");
    eventually("it runs", || scratch.work().join("up").exists());
    terminal.kill();
    std::fs::write(scratch.work().join("go"), "").unwrap();
    let dispatch = scratch.dispatch();
    eventually("it has ended", || processes_with(&dispatch).is_empty());
    let path = scratch.sessions()[0].join("calls").join(&dispatch).join("receipt.json");
    let receipt: serde_json::Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
    let began = receipt["started_at"].as_str().unwrap();
    let text = std::fs::read_to_string(&path)
        .unwrap()
        .replace(&format!(r#""started_at":"{began}""#), r#""started_at":"2096-01-01T00:00:00.000Z""#);
    std::fs::write(&path, text).unwrap();
    let mut again = scratch.start(lines::AGAIN);
    again.expect("completed, exit 0, 0.0 s, from its receipt").expect("\n> ");
    leave(again);
    let mut screen = scratch.start(&["--demo", "-c"]);
    screen.expect_screen("completed, exit 0");
    leave(screen);
    scratch.verify_journals();
}
