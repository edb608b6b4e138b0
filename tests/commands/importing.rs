//! Other programs' histories, through the real program.

use crate::scene::{assert_refused, code, stdout};
use crate::support::{Scratch, Terminal};
use std::path::{Path, PathBuf};

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/mino/valid").join(name)
}

fn import(scratch: &Scratch, file: &Path, more: &[&str]) -> serde_json::Value {
    scratch.json(&[&["import", file.to_str().unwrap(), "--json"], more].concat())
}

fn listed(scratch: &Scratch) -> Vec<serde_json::Value> {
    scratch.json(&["sessions", "--json"]).as_array().unwrap().clone()
}

#[test]
fn a_file_is_a_session_that_says_where_it_came_from() {
    let scratch = Scratch::new();
    let file = scratch.work().join("41.jsonl");
    std::fs::copy(fixture("41_recovery_ack.jsonl"), &file).unwrap();
    let before = (std::fs::read(&file).unwrap(), std::fs::metadata(&file).unwrap().modified().unwrap());
    let report = import(&scratch, &file, &[]);
    assert_eq!((&report["summary"]["turns"], &report["summary"]["gating"]), (&1.into(), &0.into()));
    let id = report["session"].as_str().unwrap();
    let shown = scratch.json(&["show", id, "--json"]);
    assert_eq!(
        (&shown["origin"]["kind"], &shown["origin"]["name"]),
        (&"imported".into(), &"41.jsonl".into())
    );
    assert_eq!(shown["origin"]["sha256"], candor::record::Digest::of(&before.0).to_string());
    assert_eq!(shown["title"], "Add milk to shopping.txt.");
    let after = (std::fs::read(&file).unwrap(), std::fs::metadata(&file).unwrap().modified().unwrap());
    assert_eq!(before, after);
    let inspected = scratch.run(&["inspect", id]);
    assert_eq!(code(&inspected), 2, "an acknowledgement is no decision: {inspected:?}");

    let again = import(&scratch, &file, &[]);
    assert_eq!((&again["session"], &again["imported_before"]), (&id.into(), &true.into()));
    assert!(stdout(&scratch.run(&["import", file.to_str().unwrap()])).contains("imported before"));
    assert_eq!(listed(&scratch).len(), 1);
}

#[test]
fn what_may_have_run_there_is_asked_about_here() {
    let scratch = Scratch::new();
    let report = import(&scratch, &fixture("32_crash_after_start.jsonl"), &[]);
    assert_eq!((&report["summary"]["closed_unknown"], &report["summary"]["gating"]), (&1.into(), &1.into()));
    assert_eq!(listed(&scratch)[0]["state"], "needs you");
    let id = report["session"].as_str().unwrap();
    let mut terminal = scratch.start_with(
        &["--plain", "-s", id, "--base-url", "http://127.0.0.1:9", "--model", "m"],
        &[("OPENAI_API_KEY", "x")],
    );
    terminal.expect("echo milk >> shopping.txt").expect("statement> ").send("\u{4}");
    terminal.wait_exit();
}

#[test]
fn a_refusal_names_line_and_rule_and_leaves_nothing() {
    let scratch = Scratch::new();
    let invalid = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/mino/invalid/07_seq_gap.jsonl");
    assert_refused(&scratch.run(&["import", invalid.to_str().unwrap()]), "line 2: it has to be number 2");
    assert_refused(&scratch.run(&["import", "nowhere"]), "nowhere");
    assert_refused(&scratch.run(&["import", "/dev/null"]), "/dev/null");
    assert_refused(&scratch.run(&["import", scratch.work().to_str().unwrap()]), "directory");
    let empty = scratch.work().join("empty.json");
    std::fs::write(&empty, "[]").unwrap();
    assert_refused(
        &scratch.run(&["import", empty.to_str().unwrap(), "--format", "chat"]),
        "no message of a user",
    );
    let sessions = scratch.home().join("data/sessions");
    assert_eq!(std::fs::read_dir(sessions).unwrap().count(), 0);
    assert!(listed(&scratch).is_empty());
}

#[test]
fn a_chat_is_summed_up() {
    let scratch = Scratch::new();
    let file = scratch.work().join("chat.json");
    let call = r#"{"id":"a","type":"function","function":{"name":"bash","arguments":"{}"}}"#;
    let text = format!(
        r#"[{{"role":"system","content":"x"}},{{"role":"user","content":"Go."}},
            {{"role":"assistant","content":null,"tool_calls":[{call}]}},{{"role":"tool","tool_call_id":"b","content":"?"}}]"#
    );
    std::fs::write(&file, text).unwrap();
    let said = stdout(&scratch.run(&["import", file.to_str().unwrap(), "--format", "chat"]));
    for words in ["turns: 1; calls: 1", "as unknown: 1", "results of no open call: 1", "asks about: 1"] {
        assert!(said.contains(words), "{words:?} in {said}");
    }
}

/// Everything by which an import changes what is on the disk, one after the
/// other: between any two of them nothing changes but a file that was just made.
const STEPS: [&str; 9] =
    ["mkdir", "write", "flock", "fsync", "fdatasync", "rename", "renameat2", "ftruncate", "unlink"];

/// Killed when it is about to do this for the `n`-th time; says whether it came
/// to the end.
fn killed_at(scratch: &Scratch, call: &str, n: u32) -> bool {
    let (trace, inject) = (format!("trace={call}"), format!("inject={call}:signal=SIGKILL:when={n}"));
    let file = fixture("43_two_turns_unknown_unacknowledged.jsonl");
    let arguments = ["-qq", "-o", "/dev/null", "-e", &trace, "-e", &inject];
    let program = [crate::support::program(), "import", file.to_str().unwrap()];
    let mut terminal: Terminal = scratch.start_program("strace", &[&arguments[..], &program[..]].concat());
    terminal.wait_exit() == 0
}

#[test]
fn killed_in_the_middle_nothing_is_left() {
    let traced = std::process::Command::new("strace").args(["-qq", "-o", "/dev/null", "true"]).status();
    if !traced.is_ok_and(|status| status.success()) {
        println!("skipped: strace is not here or may not trace");
        return;
    }
    let names = |scratch: &Scratch, dir: &str| {
        let entries = std::fs::read_dir(scratch.home().join("data").join(dir)).into_iter().flatten();
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect::<Vec<_>>()
    };
    let mut kills = 0;
    for call in STEPS {
        for n in 1.. {
            let scratch = Scratch::new();
            let finished = killed_at(&scratch, call, n);
            let rows = listed(&scratch);
            // Killed after it got its name, it is there, whole.
            let is_whole = |row: &serde_json::Value| {
                row["state"] == "needs you" && row["detail"] == "2 unknown outcomes"
            };
            assert!(rows.len() <= 1 && rows.iter().all(is_whole), "{call} {n}: {rows:?}");
            let again = import(&scratch, &fixture("43_two_turns_unknown_unacknowledged.jsonl"), &[]);
            assert_eq!(again["imported_before"], !rows.is_empty(), "{call} {n}");
            let id = again["session"].as_str().unwrap();
            let left = (names(&scratch, "sessions"), names(&scratch, "heads"));
            assert_eq!(
                left,
                (vec![id.to_owned()], vec![format!("{id}.json")]),
                "{call} {n}: the next start tidies"
            );
            assert_eq!(code(&scratch.run(&["inspect", id])), 2, "{call} {n}");
            if finished {
                assert_eq!(rows.len(), 1);
                break;
            }
            kills += 1;
            assert!(n < 200, "never finishes");
        }
    }
    assert!(kills > 30, "only {kills} kills");
    println!("killed at {kills} steps");
}
