//! `candor inspect` as others call it.

use crate::scene::{assert_refused, finished, unknown};
use crate::support::Scratch;
use std::path::Path;

#[test]
fn a_whole_session_is_0_for_programs_and_for_people() {
    let (scratch, id) = finished();
    let report = scratch.json(&["inspect", &id]);
    assert_eq!(report["session_id"], id);
    assert_eq!(report["expected_session"], "given");
    assert_eq!(report["effects"][0]["outcome"], "completed");
    let mut terminal = scratch.start(&["inspect", &id]);
    terminal.expect(&id).expect("Everything verifies and is accounted for.");
    terminal.expect("completed, exit 0, evidence: live");
    assert_eq!(terminal.wait_exit(), 0);
    let mut terminal = scratch.start(&["inspect", &id, "--json"]);
    terminal.expect("\"journal_complete\": true");
    assert_eq!(terminal.wait_exit(), 0);
}

#[test]
fn nothing_is_changed_not_even_a_time() {
    use std::os::unix::fs::MetadataExt as _;
    let (scratch, id) = finished();
    let state = || {
        let mut all = Vec::new();
        let mut waiting = vec![scratch.home()];
        while let Some(path) = waiting.pop() {
            let meta = std::fs::symlink_metadata(&path).unwrap();
            let times = [meta.mtime_nsec(), meta.ctime_nsec(), meta.mtime(), meta.ctime()];
            if meta.is_dir() {
                waiting.extend(std::fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
                all.push((path, times, 0, 0));
            } else {
                all.push((path, times, meta.atime(), meta.atime_nsec()));
            }
        }
        all.sort();
        all
    };
    let before = state();
    assert_eq!(scratch.run(&["inspect", &id]).status.code(), Some(0));
    let after = state();
    let journal = |rows: &[(std::path::PathBuf, [i64; 4], i64, i64)]| {
        rows.iter().find(|row| row.0.ends_with("journal.jsonl")).cloned()
    };
    assert_eq!(journal(&before), journal(&after));
    let written = |rows: Vec<(std::path::PathBuf, [i64; 4], i64, i64)>| {
        rows.into_iter().map(|(path, times, ..)| (path, times)).collect::<Vec<_>>()
    };
    assert_eq!(written(before), written(after));
}

/// What `inspect` asks of the system, one call a line; none where that cannot be seen.
fn system_calls(scratch: &Scratch, id: &str, options: &[&str]) -> Option<String> {
    let log = scratch.work().join("calls.log");
    let status = std::process::Command::new("strace")
        .args(["-f", "-qq", "-o", log.to_str().unwrap()])
        .args(options)
        .args([crate::support::program(), "inspect", id])
        .env("CANDOR_HOME", scratch.home())
        .stdout(std::process::Stdio::null())
        .status();
    if status.is_ok_and(|status| status.success()) {
        return Some(std::fs::read_to_string(&log).unwrap());
    }
    println!("skipped: strace is not here or may not trace");
    None
}

#[test]
fn the_journal_is_read_once_and_verified_on_all_cores() {
    let (scratch, id) = finished();
    let journal = scratch.sessions()[0].join("journal.jsonl");
    let reads = ["-P", journal.to_str().unwrap(), "-e", "trace=read,pread64,readv,preadv,preadv2,mmap"];
    let Some(calls) = system_calls(&scratch, &id, &reads) else { return };
    let given = |line: &str| line.rsplit_once(" = ").unwrap().1.trim().parse::<u64>().unwrap();
    assert_eq!(calls.lines().map(given).sum::<u64>(), journal.metadata().unwrap().len(), "{calls}");
    let Some(calls) = system_calls(&scratch, &id, &["-e", "trace=clone,clone3"]) else { return };
    let cores = std::thread::available_parallelism().unwrap().get();
    assert_eq!(calls.matches("CLONE_THREAD").count(), cores, "{calls}");
}

#[test]
fn a_public_key_can_be_given_as_a_file() {
    let (scratch, id) = finished();
    let key = scratch.json(&["key", "--json"]);
    let file = scratch.work().join("their key");
    std::fs::write(&file, format!("{}\n", key["public_key"].as_str().unwrap())).unwrap();
    let report = scratch.json(&["inspect", &id, "--public-key", file.to_str().unwrap()]);
    assert_eq!((&report["trusted_by"], &report["key_id"]), (&"given_key".into(), &key["key_id"]));
}

/// Whatever is read, by each command that reads a file which a person names.
#[test]
fn what_is_no_regular_file_is_one_sentence_for_every_command() {
    let (scratch, id, dispatch) = unknown();
    let place = |name: &str| scratch.work().join(name);
    std::os::unix::fs::symlink(scratch.sessions()[0].join("journal.jsonl"), place("link")).unwrap();
    let mode = rustix::fs::Mode::from_raw_mode(0o600);
    rustix::fs::mkfifoat(rustix::fs::CWD, place("fifo"), mode).unwrap();
    std::fs::create_dir(place("folder")).unwrap();
    let decide = ["--dispatch", &dispatch, "--outcome", "happened", "--note", "seen"];
    for (path, words) in [
        (place("link"), "is a symbolic link"),
        (place("fifo"), "is a FIFO"),
        (place("folder"), "is a directory"),
        (Path::new("/dev/null").to_owned(), "is a character device"),
        (place("nothing"), "No such file"),
    ] {
        let path = path.to_str().unwrap();
        let evidence = [&["reconcile", &id], &decide[..], &["--evidence", path]].concat();
        for command in [
            &["inspect", path][..],
            &["import", path],
            &["import", path, "--format", "chat"],
            &[&["reconcile", path], &decide[..]].concat(),
            &evidence,
        ] {
            assert_refused(&scratch.run(command), words);
        }
    }
    assert!(!scratch.sessions()[0].join("decisions").exists(), "nothing was decided");
}

#[test]
fn what_is_no_journal_is_one_sentence() {
    let (scratch, id) = finished();
    let dir = scratch.sessions()[0].clone();
    assert_refused(&scratch.run(&["inspect", dir.to_str().unwrap()]), "No report");
    assert_refused(&scratch.run(&["inspect", "/dev/null"]), "/dev/null");
    assert_refused(&scratch.run(&["inspect", "no/such\nfile"]), "no/such file");
    let link = scratch.work().join("link");
    std::os::unix::fs::symlink(dir.join("journal.jsonl"), &link).unwrap();
    assert_refused(&scratch.run(&["inspect", link.to_str().unwrap()]), "link");
    let fifo = scratch.work().join("fifo");
    rustix::fs::mkfifoat(rustix::fs::CWD, &fifo, rustix::fs::Mode::from_raw_mode(0o600)).unwrap();
    assert_refused(&scratch.run(&["inspect", fifo.to_str().unwrap()]), "fifo");
    assert_refused(&scratch.run(&["inspect", "0193a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b"]), "no session");
    assert_refused(&scratch.run(&["inspect", &id, "--expect-head", &"0".repeat(64)]), "not the expected");
}

/// Whoever runs the tests: root reads everything, so it runs the program as
/// somebody else.
#[test]
fn what_may_not_be_read_is_one_sentence() {
    use std::os::unix::fs::PermissionsExt as _;
    use std::os::unix::process::CommandExt as _;
    let (scratch, id) = finished();
    let public = scratch.json(&["key", "--json"])["public_key"].as_str().unwrap().to_owned();
    let place = tempfile::tempdir().unwrap();
    let (program, copy) = (place.path().join("candor"), place.path().join("copy"));
    std::fs::copy(crate::support::program(), &program).unwrap();
    let made =
        std::process::Command::new("cp").arg("-r").args([&scratch.sessions()[0], &copy]).status().unwrap();
    assert!(made.success());
    let journal = copy.join("journal.jsonl");
    let mode = |path: &std::path::Path, mode: u32| {
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
    };
    for path in [place.path(), &program, &copy, &copy.join("calls")] {
        mode(path, 0o755);
    }
    for path in [&journal, &copy.join("journal.lock")] {
        mode(path, 0o644);
    }
    let inspect = || {
        let mut command = std::process::Command::new(&program);
        command.args(["inspect", journal.to_str().unwrap(), "--public-key", &public]);
        command.env("CANDOR_HOME", place.path().join("home")).current_dir(place.path());
        if rustix::process::geteuid().is_root() {
            command.uid(65534).gid(65534);
        }
        command.output().unwrap()
    };
    let readable = inspect();
    assert_eq!(readable.status.code(), Some(0), "{readable:?}");
    assert!(String::from_utf8_lossy(&readable.stdout).contains(&id));
    // The evidence that a command was lost lies in the call folders.
    for path in [&journal, &copy.join("journal.lock"), &copy.join("calls"), &copy] {
        let before = path.metadata().unwrap().permissions().mode();
        mode(path, 0);
        assert_refused(&inspect(), "ermission denied");
        mode(path, before);
    }
    assert_eq!(inspect().status.code(), Some(0));
}
