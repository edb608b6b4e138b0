//! `candor crash-test` as a person runs it, and against programs that do what
//! must not be done.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::disallowed_methods)] // a test may fail, and owns its files

mod support;

use rustix::process::Signal;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use support::{Scratch, eventually, find, signal};

/// Runs `candor crash-test`, with its scratch below this directory.
fn crash_test(temp: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(support::program());
    command.arg("crash-test").args(arguments).env("TMPDIR", temp);
    command.output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// A program that does this whenever the last session is opened again, and is
/// Candor otherwise. `$session` is the session's directory.
fn faulty(dir: &Path, deed: &str) -> PathBuf {
    let path = dir.join("faulty");
    let script = format!(
        "#!/bin/bash\n\
         session=$(echo \"$CANDOR_HOME\"/data/demo/sessions/*)\n\
         if [ \"$3\" = -c ] && [ -e \"$session/journal.jsonl\" ]; then\n{deed}\nfi\n\
         exec {program} \"$@\"\n",
        program = support::program(),
    );
    std::fs::write(&path, script).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o700)).unwrap();
    path
}

/// What the totals of the table are: duplicates, losses, false claims.
fn totals(printed: &str) -> [usize; 3] {
    let line = printed.lines().find(|line| line.starts_with("all ")).unwrap();
    let numbers: Vec<usize> = line.split_whitespace().filter_map(|word| word.parse().ok()).collect();
    [numbers[4], numbers[5], numbers[6]]
}

/// Attacks a faulty program; what was found of each kind, and what was printed.
fn attacked(deed: &str) -> ([usize; 3], String) {
    let temp = tempfile::tempdir().unwrap();
    let program = faulty(temp.path(), deed);
    let run =
        crash_test(temp.path(), &["--rounds", "36", "--seed", "5", "--program", program.to_str().unwrap()]);
    let printed = text(&run.stdout);
    assert_eq!(run.status.code(), Some(1), "{printed}\n{}", text(&run.stderr));
    let kept = printed.lines().find_map(|line| line.strip_prefix("What was found is kept in ")).unwrap();
    let kept = Path::new(kept.trim_end_matches('.'));
    let rounds: Vec<PathBuf> = std::fs::read_dir(kept).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert!(!rounds.is_empty() && rounds.len() <= 20, "{rounds:?}");
    assert!(rounds.iter().all(|round| round.join("found.txt").exists()), "only these are kept: {rounds:?}");
    (totals(&printed), printed)
}

#[test]
fn the_program_itself_passes_and_leaves_nothing_behind() {
    let temp = tempfile::tempdir().unwrap();
    let run = crash_test(temp.path(), &["--rounds", "44", "--seed", "1"]);
    let printed = text(&run.stdout);
    assert_eq!(run.status.code(), Some(0), "{printed}\n{}", text(&run.stderr));
    assert!(printed.starts_with("44 rounds with --seed 1, in "), "{printed}");
    assert_eq!(totals(&printed), [0, 0, 0]);
    assert!(!printed.contains("Never hit"), "{printed}");
    assert_eq!(std::fs::read_dir(temp.path()).unwrap().count(), 0, "the scratch is removed");
    // Nobody looks at a progress that is not on a terminal.
    assert_eq!(text(&run.stderr), "");
}

#[test]
fn a_command_that_is_run_again_is_reported() {
    let deed = "cd \"$session/../../../../../work\"\n\
        for order in \"$session\"/calls/*/order.json; do\n\
          [ -e \"$order\" ] || continue\n\
          dispatch=$(basename \"$(dirname \"$order\")\")\n\
          python3 -c 'import json,sys; print(json.load(open(sys.argv[1]))[\"operation\"][\"command\"])' \"$order\" \
            | CANDOR_DISPATCH=$dispatch bash >/dev/null 2>&1\n\
        done";
    let ([duplicates, _, _], printed) = attacked(deed);
    assert!(duplicates > 0, "{printed}");
    assert!(printed.contains("was written twice"), "{printed}");
}

#[test]
fn a_record_that_is_cut_off_is_reported() {
    let deed = "size=$(tail -n 1 \"$session/journal.jsonl\" | wc -c)\n\
        truncate -s \"-$size\" \"$session/journal.jsonl\"";
    let ([_, losses, _], printed) = attacked(deed);
    assert!(losses > 0, "{printed}");
    assert!(printed.contains("records that were on disk are gone"), "{printed}");
}

/// The receipts of commands that died with their supervisor are forged.
#[test]
fn a_success_that_did_not_happen_is_reported() {
    let deed = r#"for dir in "$session"/calls/*; do
          [ -e "$dir/launch.json" ] && [ ! -e "$dir/receipt.json" ] || continue
          flock --nonblock "$dir/lock" true || continue
          order=$(cat "$dir/order.json")
          fingerprint=${order#*'"fingerprint":"'}; fingerprint=${fingerprint%%\"*}
          bytes=$(stat -c %s "$dir/output"); hash=$(sha256sum < "$dir/output")
          echo "{\"v\":1,\"dispatch\":\"$(basename "$dir")\",\"fingerprint\":\"$fingerprint\",\"ended\":\"exit\",\"exit_code\":0,\"ended_at\":\"2024-01-01T00:00:00.000Z\",\"output_bytes\":$bytes,\"spool_bytes\":$bytes,\"output_sha256\":\"${hash%% *}\"}" > "$dir/receipt.json"
        done"#;
    let ([_, _, claims], printed) = attacked(deed);
    assert!(claims > 0, "{printed}");
    assert!(printed.contains("is said to be completed (0)"), "{printed}");
}

#[test]
fn a_session_that_does_not_open_is_reported() {
    let ([_, losses, _], printed) = attacked("echo no; exit 1");
    assert!(losses > 0, "{printed}");
    assert!(printed.contains("it does not open"), "{printed}");
}

/// Ctrl+C on the terminal ends the rounds, with the table so far and nothing
/// left behind.
#[test]
fn ctrl_c_prints_the_table_so_far() {
    let scratch = Scratch::new();
    let temp = scratch.work().join("temp");
    std::fs::create_dir(&temp).unwrap();
    let arguments = ["crash-test", "--rounds", "10000", "--seed", "1"];
    let mut terminal = scratch.start_with(&arguments, &[("TMPDIR", temp.to_str().unwrap())]);
    terminal.expect("of 10000, 0 found, about ");
    terminal.send("\u{3}");
    terminal.expect("killed at").expect("Stopped after ");
    assert_eq!(terminal.wait_exit(), 130);
    assert_eq!(std::fs::read_dir(&temp).unwrap().count(), 0);
    assert!(scratch.sessions().is_empty(), "the person's own home is not touched");
    let mark = format!("{}", temp.display());
    eventually("what it started has ended", || support::processes_with(&mark).is_empty());
}

#[test]
fn a_request_to_end_is_heeded_too() {
    let scratch = Scratch::new();
    let arguments = ["crash-test", "--rounds", "10000"];
    let temp = scratch.work();
    let mut terminal = scratch.start_with(&arguments, &[("TMPDIR", temp.to_str().unwrap())]);
    terminal.expect("of 10000");
    signal(terminal.pid(), Signal::TERM);
    assert_eq!(terminal.wait_exit(), 130);
    assert!(find(terminal.printed().as_bytes(), b"Stopped after").is_some());
}

#[test]
fn what_is_missing_is_one_sentence_and_what_is_mistyped_is_usage() {
    let temp = tempfile::tempdir().unwrap();
    let run = crash_test(&temp.path().join("not there"), &["--rounds", "1"]);
    assert_eq!(run.status.code(), Some(1));
    assert!(text(&run.stderr).contains("No scratch directory can be made in "), "{run:?}");
    let run = crash_test(temp.path(), &["--rounds", "1", "--program", "/not/there"]);
    assert_eq!(run.status.code(), Some(1));
    assert!(text(&run.stderr).contains("/not/there cannot be used"), "{run:?}");
    for wrong in [&["--rounds", "0"][..], &["--rounds", "many"], &["--seed", "-1"], &["more"]] {
        assert_eq!(crash_test(temp.path(), wrong).status.code(), Some(64), "{wrong:?}");
    }
}
