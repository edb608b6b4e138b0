//! What `candor doctor` says of sessions, keys and the place where they are.

use crate::scene::{code, finished, open, stdout};
use crate::support::Scratch;
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Command, Output};

/// The line about one thing; the exit code is 1 exactly if a line is a problem.
fn line(output: &Output, what: &str) -> String {
    let said = stdout(output);
    let problem = said.lines().any(|line| line.starts_with("problem"));
    assert_eq!(code(output), i32::from(problem), "{said}");
    let line = said.lines().find(|line| line.split_whitespace().nth(1) == Some(what));
    line.unwrap_or_else(|| panic!("no line about {what} in {said}")).to_owned()
}

fn doctor(scratch: &Scratch, what: &str) -> String {
    line(&scratch.run(&["doctor", "--demo"]), what)
}

fn assert_says(said: &str, words: &[&str]) {
    assert!(words.iter().all(|word| said.contains(word)), "{words:?} in {said:?}");
}

#[test]
fn all_is_well_before_the_first_session_and_after_it() {
    let scratch = Scratch::new();
    assert_says(&doctor(&scratch, "data"), &["ok", "will be made"]);
    assert_says(&doctor(&scratch, "keys"), &["ok", "with the first session"]);
    assert!(!scratch.home().exists(), "looking makes nothing");
    let (scratch, _) = finished();
    for (what, words) in [
        ("data", "for its owner only"),
        ("locks", "keep a second Candor out"),
        ("syncs", "can be made durable"),
        ("keys", "signs"),
        ("sessions", "1 agree with their heads"),
        ("bash", "/bin/bash runs"),
    ] {
        assert_says(&doctor(&scratch, what), &["ok", words]);
    }
    assert_eq!(
        fs::read_dir(scratch.home().join("data/demo/sessions")).unwrap().count(),
        2,
        "with the lock's file"
    );
}

#[test]
fn what_others_can_read_or_change_is_a_problem() {
    let (scratch, _) = finished();
    let key = scratch.json(&["key", "--json"])["key_id"].as_str().unwrap().to_owned();
    let seed = format!("config/keys/{key}.seed");
    for (path, mode, what, words) in [
        ("data/demo/sessions", 0o755, "data", "look into"),
        ("data/demo/heads", 0o710, "data", "look into"),
        ("data/demo/trash", 0o770, "data", "look into"),
        ("config/keys", 0o750, "data", "look into"),
        ("config", 0o777, "data", "change"),
        ("data", 0o720, "data", "change"),
        (&seed, 0o644, "keys", "sign with it"),
    ] {
        let place = scratch.home().join(path);
        let before = place.metadata().unwrap().permissions();
        fs::set_permissions(&place, Permissions::from_mode(mode)).unwrap();
        assert_says(&doctor(&scratch, what), &["problem", words, path, "chmod"]);
        fs::set_permissions(&place, before).unwrap();
        assert_says(&doctor(&scratch, what), &["ok"]);
    }
    fs::set_permissions(scratch.home().join("config"), Permissions::from_mode(0o755)).unwrap();
    assert_says(&doctor(&scratch, "data"), &["ok"]);
}

#[test]
fn a_key_that_is_gone_is_a_problem() {
    let (scratch, id) = finished();
    let keys = scratch.home().join("config/keys");
    let key = scratch.json(&["key", "--json"])["key_id"].as_str().unwrap().to_owned();
    fs::remove_file(keys.join("current")).unwrap();
    assert_says(&doctor(&scratch, "keys"), &["problem", "current"]);
    scratch.run(&["key", "new"]);
    assert_says(&doctor(&scratch, "keys"), &["ok", "of 2"]);
    for ending in ["seed", "pub"] {
        fs::remove_file(keys.join(format!("{key}.{ending}"))).unwrap();
    }
    assert_says(&doctor(&scratch, "sessions"), &["problem", &id, "is not on this machine"]);
}

#[test]
fn heads_are_held_against_their_journals() {
    let (scratch, id) = finished();
    let journal = scratch.sessions()[0].join("journal.jsonl");
    let head = scratch.home().join(format!("data/demo/heads/{id}.json"));
    let (lines, sealed) = (fs::read(&journal).unwrap(), fs::read(&head).unwrap());
    let mut changed = lines.clone();
    changed[600] ^= 1;
    let shorter = lines[..lines.len() - 1].iter().rposition(|byte| *byte == b'\n').unwrap() + 1;
    for (journal_bytes, head_bytes, words) in [
        (&lines, None, "head file is gone"),
        (&lines, Some(&sealed[1..]), "head file does not verify"),
        (&lines[..shorter].to_vec(), Some(&sealed[..]), "the journal ends before record"),
        (&changed, Some(&sealed[..]), "does not verify"),
    ] {
        fs::write(&journal, journal_bytes).unwrap();
        match head_bytes {
            Some(bytes) => fs::write(&head, bytes).unwrap(),
            None => fs::remove_file(&head).unwrap(),
        }
        assert_says(&doctor(&scratch, "sessions"), &["problem", &id, words]);
    }
    fs::write(&journal, &lines).unwrap();
    assert_says(&doctor(&scratch, "sessions"), &["ok", "1 agree"]);
    fs::remove_dir_all(journal.parent().unwrap()).unwrap();
    assert_says(&doctor(&scratch, "sessions"), &["problem", &id, "its files are gone"]);
}

#[test]
fn a_session_in_use_is_not_looked_at() {
    let (scratch, id) = finished();
    let mut terminal = open(&scratch, &id);
    terminal.expect("\n> ");
    assert_says(&doctor(&scratch, "sessions"), &["ok", "0 agree", "1 in use"]);
    terminal.send("\u{4}");
    terminal.wait_exit();
    assert_eq!(scratch.id(), id);
}

/// The doctor where these commands were run before; none where that may not be.
fn in_a_namespace(scratch: &Scratch, before: &str) -> Option<Output> {
    let script = format!("{before} || exit 99; exec \"$0\" doctor --demo");
    let output = Command::new("unshare")
        .args(["-m", "sh", "-c", &script, crate::support::program()])
        .env("CANDOR_HOME", scratch.home())
        .output();
    match output {
        Ok(output) if matches!(output.status.code(), Some(0 | 1)) && !output.stdout.is_empty() => {
            Some(output)
        }
        other => {
            println!("skipped: no mounts of its own here ({other:?})");
            None
        }
    }
}

#[test]
fn a_home_in_memory_is_noted_and_breaks_nothing() {
    let (scratch, _) = finished();
    let home = scratch.home();
    let Some(output) = in_a_namespace(&scratch, &format!("mount -t tmpfs tmpfs {}", home.display())) else {
        return;
    };
    assert_says(&line(&output, "disk"), &["note", "is on tmpfs", "memory"]);
    assert_eq!(code(&output), 0);
}

#[test]
fn a_bash_that_does_not_run_is_a_problem() {
    let (scratch, _) = finished();
    for other in ["/dev/null", "/bin/false"] {
        let real = Path::new(other).canonicalize().unwrap();
        let mount = format!("mount --bind {} \"$(readlink -f /bin/bash)\"", real.display());
        let Some(output) = in_a_namespace(&scratch, &mount) else { return };
        assert_says(&line(&output, "bash"), &["problem", "/bin/bash", "no command"]);
    }
}
