//! Journals near their limit of 64 MiB, and past it.

use crate::scene::{assert_refused, code, stdout};
use crate::support::{Scratch, records};
use candor::store::Kind;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

/// What one turn takes, in bytes: nearly all of it is one answer of nearly 1 MiB.
const TURN_BYTES: usize = 1 << 20;
/// What a journal may hold, in bytes.
const LIMIT: u64 = 64 << 20;

/// A session of so many turns of [`TURN_BYTES`] each, and its journal.
fn large(scratch: &Scratch, turns: usize) -> (String, PathBuf) {
    let text = "all work and no play ".repeat(TURN_BYTES / 21 - 100);
    let records = (0..turns).flat_map(|_| records::turn("Go on.", &text)).collect();
    let store = records::store(&scratch.home(), Kind::Real);
    let session = records::session(&store, Path::new("/"), "Long answers", records);
    (session.id().to_string(), session.dir().join("journal.jsonl"))
}

/// Twice the journal and what the program itself takes would be too little, four
/// times the limit is more than it ever takes; in KiB.
const MEMORY_KIB: u64 = (4 * LIMIT) >> 10;

#[test]
fn nearly_64_mib_are_verified_in_bounded_memory_and_a_terminal_sees_how_far() {
    let scratch = Scratch::new();
    let (id, journal) = large(&scratch, 59);
    let bytes = journal.metadata().unwrap().len();
    assert!((LIMIT - (6 << 20)..LIMIT).contains(&bytes), "{bytes}");
    let limited = format!("ulimit -d {MEMORY_KIB}; exec \"$0\" inspect \"$1\"");
    let program = crate::support::program();
    let output = std::process::Command::new("bash")
        .args(["-c", &limited, program, &id])
        .env("CANDOR_HOME", scratch.home())
        .output()
        .unwrap();
    assert_eq!(code(&output), 0, "{output:?}");
    assert!(output.stderr.is_empty(), "progress is for a terminal: {output:?}");
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&report["verified_records"], &report["verified_bytes"]), (&178.into(), &bytes.into()));

    let mut terminal = scratch.start(&["inspect", &id]);
    terminal.expect("verifying, ").expect("Everything verifies");
    assert_eq!(terminal.wait_exit(), 0);
    let printed = terminal.printed();
    assert!(printed.matches("verifying, ").count() > 20, "{printed}");
    let shown = terminal.screen();
    assert!(!shown.contains("verifying"), "it is taken away at the end: {shown}");
}

#[test]
fn a_journal_that_changes_while_it_is_read_is_refused() {
    use std::io::Write as _;
    let scratch = Scratch::new();
    let (_, journal) = large(&scratch, 8);
    let copy = scratch.work().join("copy.jsonl");
    std::fs::copy(&journal, &copy).unwrap();
    let done = AtomicBool::new(false);
    let output = std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut file = std::fs::File::options().append(true).open(&copy).unwrap();
            while !done.load(Ordering::Relaxed) {
                file.write_all(b"x").unwrap();
                std::thread::sleep(std::time::Duration::from_millis(1));
            }
        });
        let output = scratch.run(&["inspect", copy.to_str().unwrap()]);
        done.store(true, Ordering::Relaxed);
        output
    });
    assert_refused(&output, "was changed while it was read");
    assert_eq!(stdout(&output), "");
}

#[test]
fn a_file_over_the_limit_is_refused_before_it_is_read() {
    let scratch = Scratch::new();
    let (_, journal) = large(&scratch, 1);
    let bytes = std::fs::read(&journal).unwrap();
    let file = scratch.work().join("file.jsonl");
    let with_length = |len: u64| {
        std::fs::write(&file, &bytes).unwrap();
        std::fs::File::options().write(true).open(&file).unwrap().set_len(len).unwrap();
        scratch.run(&["inspect", file.to_str().unwrap()])
    };
    assert_refused(&with_length(LIMIT + 1), "is longer than 64 MiB");
    assert_refused(&with_length(LIMIT), "line 5 does not verify: it is longer than 1 MiB");
    assert_refused(&scratch.run(&["import", file.to_str().unwrap()]), "line 1");
    with_length(LIMIT + 1);
    assert_refused(&scratch.run(&["import", file.to_str().unwrap()]), "64 MiB");
}
