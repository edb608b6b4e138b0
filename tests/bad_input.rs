//! Bad input gets one clear sentence and a proper exit code, and nothing is lost.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::disallowed_methods
)] // a test may fail, and owns its files

mod support;

use std::os::unix::fs::PermissionsExt as _;
use support::lines::{AGAIN, DEMO, approve};
use support::small_disk::SmallDisk;
use support::{Scratch, leave};

/// Starts, expects one sentence with these words, and this exit code.
fn refused_at_start(scratch: &Scratch, arguments: &[&str], words: &[&str]) {
    let mut terminal = scratch.start(arguments);
    assert_eq!(terminal.wait_exit(), 1, "{}", terminal.printed());
    let printed = terminal.printed();
    assert!(words.iter().all(|word| printed.contains(word)), "{words:?} in {printed}");
    assert_eq!(printed.trim().lines().count(), 1, "{printed}");
}

fn configure(scratch: &Scratch, text: &str) {
    std::fs::create_dir_all(scratch.home().join("config")).unwrap();
    std::fs::write(scratch.home().join("config/config.toml"), text).unwrap();
}

#[test]
fn settings_that_cannot_be_used_are_named_with_their_line() {
    let scratch = Scratch::new();
    for (text, words) in [
        ("\n[model]\nkey = \"x\"\n", &["config.toml", "line 3", "unknown field `key`"][..]),
        ("[bash]\ntimeout_seconds = \"long\"\n", &["config.toml", "line 2", "invalid type"]),
        ("[model]\nbase_url = \"127.0.0.1:8080\"\n", &["model.base_url"]),
        ("[model]\nbase_url = \"http://user:pass@host/v1\"\n", &["model.base_url", "user or password"]),
        ("[model]\nprotocol = \"telepathy\"\n", &["model.protocol", "responses"]),
    ] {
        configure(&scratch, text);
        refused_at_start(&scratch, DEMO, words);
    }
    refused_at_start(
        &scratch,
        &["--demo", "--plain", "--config", "/no/such/file"],
        &["/no/such/file", "cannot be read"],
    );
}

#[test]
fn directories_and_sessions_that_are_not_there_are_named() {
    let scratch = Scratch::new();
    refused_at_start(&scratch, &["--demo", "--plain", "--cd", "nowhere"], &["nowhere"]);
    refused_at_start(&scratch, AGAIN, &["no session"]);
    let id = "0193a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b";
    refused_at_start(&scratch, &["--demo", "--plain", "-s", id], &[id]);
    let output = scratch.run(&["show", id]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert_eq!(String::from_utf8(output.stderr).unwrap().lines().count(), 1);
}

#[test]
fn a_home_that_is_a_file_is_one_sentence() {
    let scratch = Scratch::new();
    std::fs::write(scratch.home(), "").unwrap();
    refused_at_start(&scratch, DEMO, &["home"]);
}

#[test]
fn a_directory_that_cannot_be_read_is_one_sentence_on_either_face() {
    let scratch = Scratch::new();
    // Where the demo keeps what was deleted.
    let data = scratch.home().join("data/demo");
    std::fs::create_dir_all(&data).unwrap();
    std::fs::write(data.join("trash"), "").unwrap();
    refused_at_start(&scratch, DEMO, &["cannot be used", "data/demo/trash"]);
    let mut terminal = scratch.start(&["--demo"]);
    assert_eq!(terminal.wait_exit(), 1, "{}", terminal.printed());
    let printed = terminal.printed();
    let (_, after) = printed.rsplit_once("\u{1b}[?1049l").expect("the screen was given back");
    assert!(after.contains("cannot be used"), "{after}");
}

#[test]
fn a_missing_key_is_said_before_anything_is_written() {
    let scratch = Scratch::new();
    configure(&scratch, "[model]\nname = \"some-model\"\n");
    let mut terminal = scratch.start(&["--plain"]);
    terminal.expect("> ").send("hello\n");
    terminal.expect("OPENAI_API_KEY is not set").expect("Not sent: hello");
    leave(terminal);
    assert_eq!(std::fs::read_dir(scratch.home().join("data/sessions")).unwrap().count(), 0);
}

#[test]
fn a_server_that_does_not_answer_gives_the_message_back() {
    let scratch = Scratch::new();
    // A port that was free a moment ago.
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    configure(&scratch, &format!("[model]\nname = \"m\"\nbase_url = \"http://127.0.0.1:{port}/v1\"\n"));
    let mut terminal = scratch.start(&["--plain"]);
    terminal.expect("> ").send("hello\n");
    terminal.expect("Trying again").send("\u{3}");
    terminal.expect("Your message").expect("hello").expect("> ");
    leave(terminal);
}

#[test]
fn messages_that_cannot_be_sent_are_said_to_be_so() {
    let scratch = Scratch::new();
    let mut terminal = scratch.start(DEMO);
    terminal.expect("> ").send_bytes(b"caf\xe9\n");
    terminal.expect("not UTF-8").expect("> ").send("   \n");
    terminal.expect("> ").send_bytes(b"a\x16\x00b\n");
    terminal.expect("NUL");
    for _ in 0..80 {
        terminal.send(&format!("{}\\\n", "x".repeat(3500)));
    }
    terminal.send("end\n");
    terminal.expect("at most 256 KiB fit");
    leave(terminal);
    assert!(scratch.sessions().is_empty(), "nothing was written");
}

#[test]
fn a_directory_that_vanished_is_said_and_nothing_runs() {
    let scratch = Scratch::new();
    let gone = scratch.work().join("gone");
    std::fs::create_dir(&gone).unwrap();
    let mut terminal = scratch.start(&["--demo", "--plain", "--cd", "gone"]);
    terminal.expect("> ").send("Run: true\n");
    approve(&mut terminal);
    terminal.expect("completed").expect("\n> ");
    std::fs::remove_dir(&gone).unwrap();
    terminal.send("Run: true\n");
    terminal.expect("no longer exists").expect("Not sent");
    leave(terminal);
    let id = scratch.json(&["sessions", "--json", "--demo"])[0]["id"].as_str().unwrap().to_owned();
    let mut again = scratch.start(&["--plain", "-s", &id]);
    again.expect("no longer exists").expect("\n> ");
    leave(again);
}

#[test]
fn a_directory_that_vanishes_under_an_approval_is_not_executed() {
    let scratch = Scratch::new();
    let gone = scratch.work().join("gone");
    std::fs::create_dir(&gone).unwrap();
    let mut terminal = scratch.start(&["--demo", "--plain", "--cd", "gone"]);
    terminal.expect("> ").send("Run: true\n");
    terminal.expect("run or deny> ");
    std::fs::remove_dir(&gone).unwrap();
    terminal.send("run\n");
    terminal.expect("not executed").expect("\n> ");
    leave(terminal);
    assert_eq!(scratch.records("tool_result")[0]["evidence"], "live");
}

#[test]
fn a_journal_that_was_replaced_stops_before_the_effect() {
    let scratch = Scratch::new();
    let mut terminal = scratch.start(DEMO);
    terminal.expect("> ").send("Run: touch made\n");
    terminal.expect("run or deny> ");
    let journal = scratch.sessions()[0].join("journal.jsonl");
    let copy = journal.with_extension("copy");
    std::fs::copy(&journal, &copy).unwrap();
    std::fs::rename(&copy, &journal).unwrap();
    terminal.send("run\n");
    terminal.expect("Nothing more can be saved").expect("> ");
    terminal.send("hello\n");
    terminal.expect("Not sent: hello");
    leave(terminal);
    assert!(!scratch.work().join("made").exists());
}

#[test]
fn a_full_disk_stops_before_the_effect_and_the_session_goes_on_later() {
    let scratch = Scratch::new();
    let home = scratch.home();
    let Some(disk) = SmallDisk::mount(&home, "400k") else { return };
    let mut terminal = scratch.start(DEMO);
    terminal.expect("> ").send("Run: touch made\n");
    terminal.expect("run or deny> ");
    disk.fill();
    terminal.send("run\n");
    let which = terminal.expect_one_of(&["Nothing more can be saved", "could not be laid down"]);
    terminal.expect("> ");
    leave(terminal);
    assert!(!scratch.work().join("made").exists(), "stopped before the effect ({which})");
    disk.free();
    let mut again = scratch.start(AGAIN);
    again.expect("\n> ").send("Run: touch made\n");
    approve(&mut again);
    again.expect("completed").expect("\n> ");
    leave(again);
    assert_eq!(scratch.json(&["sessions", "--json", "--demo"])[0]["state"], "ready");
}

#[test]
fn files_are_0600_and_directories_0700() {
    let scratch = Scratch::new();
    let mut terminal = scratch.start(DEMO);
    terminal.expect("> ").send("Run: true\n");
    approve(&mut terminal);
    terminal.expect("completed").expect("\n> ");
    leave(terminal);
    let mut waiting = vec![scratch.home()];
    let mut seen = 0;
    while let Some(path) = waiting.pop() {
        let metadata = std::fs::symlink_metadata(&path).unwrap();
        let mode = metadata.permissions().mode() & 0o777;
        let expected = if metadata.is_dir() { 0o700 } else { 0o600 };
        assert_eq!(mode, expected, "{}: {mode:o}", path.display());
        seen += 1;
        if metadata.is_dir() {
            waiting.extend(std::fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
        }
    }
    assert!(seen > 15, "{seen}");
}
