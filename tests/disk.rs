//! Real disks that are full, broken, limited or only to be read, real outputs
//! that take nothing, and journals of other versions, on the real binary.
#![cfg(target_os = "linux")]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::disallowed_methods
)] // a test may fail, and owns its files

mod support;

use ed25519_dalek::{Signer as _, SigningKey};
use sha2::{Digest as _, Sha256};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use support::lines::{AGAIN, DEMO, approve, ask, settle};
use support::small_disk::SmallDisk;
use support::{Scratch, Terminal, can_trace, claims, leave};

const NOT_SAVED: &str = "Nothing more can be saved";

fn run_it(terminal: &mut Terminal, command: &str) {
    terminal.send(&format!("Run: {command}\n"));
    approve(terminal);
}

/// A session with one completed command.
fn finished() -> (Scratch, String) {
    finished_in(Scratch::new())
}

fn finished_in(scratch: Scratch) -> (Scratch, String) {
    let mut terminal = scratch.start(DEMO);
    ask(&mut terminal, "echo one >> log");
    terminal.expect("completed").expect("\n> ");
    leave(terminal);
    let id = scratch.id();
    (scratch, id)
}

fn journal_of(scratch: &Scratch) -> PathBuf {
    scratch.sessions()[0].join("journal.jsonl")
}

/// What is said of each command agrees with the mark that it left outside.
fn outcomes_are_true(scratch: &Scratch) {
    let log = scratch.read("log");
    let results = scratch.records("tool_result");
    for start in scratch.records("tool_started") {
        let Some(result) = results.iter().find(|result| result["dispatch"] == start["dispatch"]) else {
            continue;
        };
        let command = start["operation"]["command"].as_str().unwrap();
        let word = command.split_whitespace().nth(1).unwrap();
        let times = log.lines().filter(|line| *line == word).count();
        match result["outcome"].as_str().unwrap() {
            "completed" => assert_eq!(times, 1, "{word}"),
            "not_executed" => assert_eq!(times, 0, "{word}"),
            "unknown" => assert!(times <= 1, "{word}"),
            other => panic!("{word}: {other}"),
        }
    }
}

/// The session opens again, answers what it asks, and goes on.
fn goes_on(scratch: &Scratch) {
    let mut again = scratch.start(AGAIN);
    settle(&mut again);
    outcomes_are_true(scratch);
    run_it(&mut again, "echo afterwards >> log");
    again.expect("completed").expect("\n> ");
    leave(again);
    outcomes_are_true(scratch);
    scratch.verify_journals();
}

/// The session opens only to be read, and says why, as lines and on the screen.
fn opens_read_only(scratch: &Scratch, id: &str, as_lines: &str, on_the_screen: &str) {
    let mut plain = scratch.start(&["--plain", "-s", id]);
    plain.expect("can only be read").expect(as_lines).expect("\n> ");
    leave(plain);
    let mut screen = scratch.start(&["-s", id]);
    screen.expect_screen(on_the_screen);
    leave(screen);
}

/// `candor` with this limit for the size of files, in KiB.
fn start_limited(scratch: &Scratch, kib: u32, arguments: &[&str]) -> Terminal {
    let line = format!("ulimit -f {kib}; exec \"$0\" \"$@\"");
    let begin = ["-c", line.as_str(), support::program()];
    scratch.start_program("bash", &[&begin[..], arguments].concat())
}

#[test]
fn a_limit_for_files_is_an_error_that_is_said_and_kills_nothing() {
    let scratch = Scratch::new();
    let mut terminal = start_limited(&scratch, 12, DEMO);
    terminal.expect("\n> ");
    let met = (0..20).any(|n| {
        terminal.send(&format!("Run: echo word{n} >> log\n"));
        if terminal.expect_one_of(&["run or deny> ", NOT_SAVED]) == 1 {
            return true;
        }
        terminal.send("run\n");
        terminal.expect_one_of(&["Built", "\n> ", NOT_SAVED]) == 2
    });
    assert!(met, "{}", terminal.printed());
    leave(terminal);
    goes_on(&scratch);
}

#[test]
fn no_room_for_any_file_is_one_sentence() {
    let scratch = Scratch::new();
    let mut terminal = start_limited(&scratch, 0, DEMO);
    terminal.expect("\n> ").send("hello\n");
    terminal.expect("File too large").expect("> ");
    leave(terminal);
    assert!(scratch.sessions().is_empty());
}

/// A disk for so many files, directories among them, on which Candor was never
/// started; says whether the first start met its end. The next start finds
/// nothing half made.
fn first_start_with(inodes: u32) -> Option<bool> {
    const NO_SPACE: &str = "No space left on device";
    let scratch = Scratch::new();
    let disk = SmallDisk::mount(&scratch.home(), &format!("2m,nr_inodes={inodes}"))?;
    let mut first = scratch.start(DEMO);
    let met = match first.first_or_end(&["\n> "]) {
        None => {
            assert_eq!(first.wait_exit(), 1, "{inodes}");
            assert!(first.printed().contains(NO_SPACE), "{inodes}: {}", first.printed());
            true
        }
        Some(_) => {
            first.send("hello\n");
            let met = first.expect_one_of(&[NO_SPACE, "\n> "]) == 0;
            leave(first);
            met
        }
    };
    disk.make_roomy();
    let rows = scratch.json(&["sessions", "--json", "--demo"]);
    for row in rows.as_array().unwrap() {
        assert!(matches!(row["state"].as_str(), Some("ready" | "interrupted")), "{inodes}: {row}");
    }
    let mut next = scratch.start(DEMO);
    ask(&mut next, "echo one >> log");
    next.expect("completed").expect("\n> ");
    leave(next);
    assert_eq!(scratch.read("log"), "one\n", "{inodes}");
    scratch.verify_journals();
    Some(met)
}

#[test]
fn a_first_start_on_a_disk_that_is_full_at_any_file_says_so_and_the_next_one_works() {
    let mut met = 0;
    for inodes in 2..40 {
        match first_start_with(inodes) {
            None => return,
            Some(false) => break,
            Some(true) => met += 1,
        }
    }
    assert!((10..38).contains(&met), "{met} places");
}

#[test]
fn a_disk_that_became_read_only_is_read_and_says_why() {
    let scratch = Scratch::new();
    let Some(disk) = SmallDisk::mount(&scratch.home(), "2m") else { return };
    let (scratch, id) = finished_in(scratch);
    let before = std::fs::read(journal_of(&scratch)).unwrap();
    disk.make_read_only();
    for arguments in [&["show", &id][..], &["inspect", &id], &["sessions", "--demo"]] {
        let output = scratch.run(arguments);
        assert_eq!(output.status.code(), Some(0), "{arguments:?}: {output:?}");
    }
    opens_read_only(&scratch, &id, "Read-only file system", "can only be read");
    let mut new = scratch.start(DEMO);
    match new.first_or_end(&["\n> "]) {
        Some(_) => {
            new.send("hello\n");
            new.expect("Read-only file system");
            leave(new);
        }
        None => assert_eq!(new.wait_exit(), 1),
    }
    assert!(new_is_said(&scratch), "nothing new is listed");
    disk.make_writable();
    assert_eq!(std::fs::read(journal_of(&scratch)).unwrap(), before);
    goes_on(&scratch);
}

fn new_is_said(scratch: &Scratch) -> bool {
    scratch.json(&["sessions", "--json", "--demo"]).as_array().unwrap().len() == 1
}

/// The session under `strace`, which makes this call on this file fail.
fn start_with_fault(scratch: &Scratch, path: &Path, fault: &str) -> (Terminal, PathBuf) {
    let log = scratch.work().join("calls.log");
    let (call, rest) = fault.split_once(':').unwrap();
    let (trace, inject) = ("trace=write,fdatasync".to_owned(), format!("inject={call}:{rest}"));
    let trace = if call == "openat" { "trace=openat".to_owned() } else { trace };
    let begin = ["-f", "-qq", "-P", path.to_str().unwrap(), "-o", log.to_str().unwrap()];
    let calls = ["-e", trace.as_str(), "-e", inject.as_str(), support::program()];
    (scratch.start_program("strace", &[&begin[..], &calls, AGAIN].concat()), log)
}

#[test]
fn the_first_system_call_that_fails_on_the_journal_is_the_last() {
    if !can_trace() {
        return;
    }
    for (fault, words) in [
        ("write:error=ENOSPC:when=1", "No space left"),
        ("write:error=EDQUOT:when=3", "quota"),
        ("write:error=EIO:when=4", "Input/output error"),
        ("fdatasync:error=EIO:when=4", "Input/output error"),
        ("fdatasync:error=EINTR:when=2", "Interrupted"),
    ] {
        let (scratch, _) = finished();
        let (mut terminal, log) = start_with_fault(&scratch, &journal_of(&scratch), fault);
        terminal.expect("\n> ").send("Run: echo two >> log\n");
        if terminal.expect_one_of(&["run or deny> ", NOT_SAVED]) == 0 {
            terminal.send("run\n");
            terminal.expect(NOT_SAVED);
        }
        terminal.expect(words).expect("> ");
        leave(terminal);
        let calls = std::fs::read_to_string(&log).unwrap();
        // What the tracer leaves may be inside of a call that it never saw begin.
        let last = calls.lines().rfind(|line| !line.contains("<detached"));
        assert!(last.unwrap().contains("(INJECTED)"), "{fault}: nothing follows it: {calls}");
        assert_eq!(scratch.read("log"), "one\n", "{fault}: stopped before the effect");
        goes_on(&scratch);
    }
}

#[test]
fn a_write_that_a_signal_interrupts_is_made_again() {
    if !can_trace() {
        return;
    }
    let (scratch, _) = finished();
    let fault = "write:error=EINTR:when=2+3";
    let (mut terminal, log) = start_with_fault(&scratch, &journal_of(&scratch), fault);
    ask(&mut terminal, "echo two >> log");
    terminal.expect("completed").expect("\n> ");
    leave(terminal);
    assert!(std::fs::read_to_string(&log).unwrap().matches("EINTR").count() >= 2);
    assert_eq!(scratch.read("log"), "one\ntwo\n");
    goes_on(&scratch);
}

/// A turn of two commands, answering whatever is asked, as far as it goes.
fn as_far_as_it_goes(terminal: &mut Terminal) {
    let mut message = "Run: echo one>>log\\\nRun: echo two>>log\n";
    let prompts = ["run or deny> ", "statement> ", "note (Enter for none)> ", "\n> "];
    while let Some(which) = terminal.first_or_end(&prompts) {
        let answer = match which {
            0 => "run\n",
            1 => "may have run\n",
            2 => "\n",
            _ => std::mem::replace(&mut message, "\u{4}"),
        };
        if !terminal.try_send(answer) {
            break;
        }
    }
    terminal.wait_exit();
}

/// Syncs that fail in the agent and in the supervisor, each in another place of
/// a turn; `cargo test --test disk -- --ignored` takes all of them.
fn syncs_fail_at(places: impl Iterator<Item = u32>) {
    if !can_trace() {
        return;
    }
    for n in places {
        let scratch = Scratch::new();
        let inject = format!("inject=fsync,fdatasync:error=EIO:when={n}");
        let begin = ["-f", "-qq", "-o", "/dev/null", "-e", "trace=fsync,fdatasync", "-e", &inject];
        let program = [support::program()];
        let mut terminal = scratch.start_program("strace", &[&begin[..], &program, DEMO].concat());
        as_far_as_it_goes(&mut terminal);
        claims::check(&scratch, &format!("sync {n} failed"));
    }
}

#[test]
fn a_sync_that_fails_anywhere_in_a_turn_makes_nothing_false_and_nothing_double() {
    syncs_fail_at((1..60).step_by(5));
}

#[test]
#[ignore = "takes a minute"]
fn a_sync_that_fails_in_any_place_of_a_turn_makes_nothing_false_and_nothing_double() {
    syncs_fail_at(1..60);
}

/// One line on standard error and exit 1, whatever it was to print.
fn assert_said(output: &Output, what: &str) {
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{what}: {output:?}");
    assert!(said.contains("No space left on device") && said.lines().count() == 1, "{what}: {said}");
}

fn candor(scratch: &Scratch, arguments: &[&str]) -> Command {
    let mut command = Command::new(support::program());
    command.args(arguments).env("CANDOR_HOME", scratch.home()).current_dir(scratch.work());
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn full() -> Stdio {
    Stdio::from(std::fs::File::options().write(true).open("/dev/full").unwrap())
}

/// Every command that prints, with a session and a command of it.
fn printing<'a>(id: &'a str, dispatch: &'a str) -> Vec<Vec<&'a str>> {
    vec![
        vec!["show", id],
        vec!["show", id, "--json"],
        vec!["show", id, "--output", dispatch],
        vec!["inspect", id],
        vec!["inspect", id, "--json"],
        vec!["sessions", "--demo"],
        vec!["sessions", "--demo", "--json"],
        vec!["key"],
        vec!["key", "--json"],
        vec!["doctor", "--demo"],
        vec!["man"],
        vec!["completions", "bash"],
        vec!["--help"],
        vec!["inspect", "--help"],
        vec!["--version"],
    ]
}

#[test]
fn an_output_that_takes_nothing_is_one_sentence_for_every_command() {
    let (scratch, id) = finished();
    let dispatch = scratch.dispatch();
    let output = scratch.sessions()[0].join("calls").join(&dispatch).join("output");
    std::fs::write(output, "something\n").unwrap();
    for arguments in printing(&id, &dispatch) {
        let output = candor(&scratch, &arguments).stdout(full()).output().unwrap();
        assert_said(&output, &format!("{arguments:?}"));
    }
}

#[test]
fn a_reader_that_went_away_is_no_panic() {
    let (scratch, id) = finished();
    let dispatch = scratch.dispatch();
    for arguments in printing(&id, &dispatch) {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let output = candor(&scratch, &arguments).stdout(writer).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(matches!(output.status.code(), Some(0 | 1)), "{arguments:?}: {output:?}");
        assert!(said.lines().count() <= 1 && !said.contains("panic"), "{arguments:?}: {said}");
    }
}

#[test]
fn errors_that_nobody_can_be_told_change_no_exit_code() {
    let (scratch, id) = finished();
    let other = "0193a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b";
    for (arguments, code) in [
        (vec!["show", other], 1),
        (vec!["inspect", other], 1),
        (vec!["inspect", &id], 0),
        (vec!["inspect", "--no-such-option"], 64),
        (vec!["inspect"], 64),
    ] {
        let output = candor(&scratch, &arguments).stderr(full()).output().unwrap();
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {output:?}");
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The key that a fresh home made.
fn key_of(scratch: &Scratch) -> SigningKey {
    let id = scratch.json(&["key", "--json"])["key_id"].as_str().unwrap().to_owned();
    let seed = std::fs::read_to_string(scratch.home().join(format!("config/keys/{id}.seed"))).unwrap();
    let byte = |at: usize| u8::from_str_radix(&seed[2 * at..2 * at + 2], 16).unwrap();
    SigningKey::from_bytes(&std::array::from_fn(byte))
}

/// Appends a line as a later version would write it, by the documentation alone.
fn append(scratch: &Scratch, id: &str, version: u64, kind: &str, body: &str) {
    let path = journal_of(scratch);
    let mut bytes = std::fs::read(&path).unwrap();
    let last = bytes.split_inclusive(|byte| *byte == b'\n').next_back().unwrap();
    let (prev, seq) = (hex(&Sha256::digest(last)), bytes.iter().filter(|byte| **byte == b'\n').count());
    let at = "2027-01-01T00:00:00.000Z";
    let unsigned = format!(
        r#"{{"v":{version},"sid":"{id}","seq":{seq},"prev":"{prev}","at":"{at}","type":"{kind}","body":{body}"#
    );
    let signature = key_of(scratch).sign(format!("candor-journal:1\n{unsigned}").as_bytes());
    bytes.extend(format!("{unsigned},\"sig\":\"{}\"}}\n", hex(&signature.to_bytes())).as_bytes());
    std::fs::write(path, bytes).unwrap();
}

#[test]
fn what_a_newer_candor_wrote_is_read_only_everywhere_and_says_why() {
    for (version, kind, body, what) in [
        (1, "telemetry", "{}", "unknown record type"),
        (1, "session_renamed", r#"{"title":"x","colour":"red"}"#, "colour"),
        (2, "session_renamed", r#"{"title":"x"}"#, "form 2"),
    ] {
        let (scratch, id) = finished();
        append(&scratch, &id, version, kind, body);
        let before = std::fs::read(journal_of(&scratch)).unwrap();
        let row = scratch.json(&["sessions", "--json", "--demo"])[0].clone();
        assert_eq!(row["state"], "read-only", "{row}");
        assert!(row["detail"].as_str().unwrap().contains("written by a newer Candor"), "{row}");

        let shown = scratch.run(&["show", &id]);
        let said = String::from_utf8_lossy(&shown.stderr);
        assert!(String::from_utf8_lossy(&shown.stdout).contains("echo one >> log"), "{shown:?}");
        assert!(said.contains("written by a newer Candor") && said.contains(what), "{said}");

        let inspected = scratch.run(&["inspect", &id, "--json"]);
        let report: serde_json::Value = serde_json::from_slice(&inspected.stdout).unwrap();
        assert_eq!((inspected.status.code(), &report["unknown_records"]), (Some(2), &1.into()), "{report}");

        opens_read_only(&scratch, &id, "written by a newer Candor", "written by a newer");
        assert_eq!(std::fs::read(journal_of(&scratch)).unwrap(), before, "it is never written");
    }
}

/// Each journal in `tests/fixtures/journal` was written by a released version
/// and is signed with the seed of 32 bytes 0x07. A release adds its own.
#[test]
fn the_journals_of_all_released_versions_keep_opening() {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/journal");
    let released: Vec<PathBuf> = std::fs::read_dir(fixtures).unwrap().map(|it| it.unwrap().path()).collect();
    assert!(released.iter().any(|path| path.ends_with("golden.jsonl")), "{released:?}");
    for path in released {
        let scratch = Scratch::new();
        let (id, before) = bring_in(&scratch, &path);
        let row = scratch.json(&["sessions", "--json"])[0].clone();
        assert!(!matches!(row["state"].as_str().unwrap(), "read-only" | "damaged" | "missing"), "{row}");
        let inspected = scratch.run(&["inspect", &id, "--json"]);
        assert!(matches!(inspected.status.code(), Some(0 | 2)), "{inspected:?}");
        let shown = scratch.run(&["show", &id]);
        assert!(shown.status.success() && shown.stderr.is_empty(), "{shown:?}");
        let store = candor::store::Store::at(
            &scratch.home().join("data"),
            &scratch.home().join("config"),
            candor::store::Kind::Real,
        );
        let opened = store
            .open_session(candor::record::SessionId::parse(&id).unwrap(), candor::store::clock::now())
            .unwrap();
        assert!(matches!(opened, candor::store::Opened::Writable(_)), "{}", path.display());
        assert!(std::fs::read(journal_of(&scratch)).unwrap().starts_with(&before));
    }
}

/// Puts a journal with its key and its head into a home.
fn bring_in(scratch: &Scratch, path: &Path) -> (String, Vec<u8>) {
    let bytes = std::fs::read(path).unwrap();
    let last = bytes.split_inclusive(|byte| *byte == b'\n').next_back().unwrap();
    let line: serde_json::Value = serde_json::from_slice(last).unwrap();
    let (id, seq, head) = (line["sid"].as_str().unwrap(), &line["seq"], hex(&Sha256::digest(last)));
    let key = SigningKey::from_bytes(&[7; 32]);
    let public = key.verifying_key().to_bytes();
    let key_id = hex(&Sha256::digest(public))[..16].to_owned();
    let (keys, data) = (scratch.home().join("config/keys"), scratch.home().join("data"));
    let session = data.join("sessions").join(id);
    for dir in [&keys, &session.join("calls"), &data.join("heads")] {
        std::fs::create_dir_all(dir).unwrap();
    }
    std::fs::write(keys.join(format!("{key_id}.seed")), hex(&[7; 32])).unwrap();
    std::fs::write(keys.join(format!("{key_id}.pub")), hex(&public)).unwrap();
    std::fs::write(keys.join("current"), &key_id).unwrap();
    std::fs::write(session.join("journal.jsonl"), &bytes).unwrap();
    let unsigned = format!(r#"{{"v":1,"sid":"{id}","seq":{seq},"head":"{head}","title":"Old""#);
    let signature = hex(&key.sign(format!("candor-head:1\n{unsigned}").as_bytes()).to_bytes());
    let head = format!("{unsigned},\"sig\":\"{signature}\"}}\n");
    std::fs::write(data.join("heads").join(format!("{id}.json")), head).unwrap();
    (id.to_owned(), bytes)
}
