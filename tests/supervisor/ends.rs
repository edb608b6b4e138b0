//! How commands end by themselves, and what they find around them.

use crate::scene::{PATIENCE, Scene};
use candor::config::BashSettings;
use candor::record::{Digest, Ended};
use std::fs;

#[test]
fn the_exit_code_and_the_output_come_back() {
    let scene = Scene::new();
    for (command, code, output) in [
        ("true", 0, ""),
        ("echo out; echo err >&2; exit 3", 3, "out\nerr\n"),
        ("printf 'no newline'", 0, "no newline"),
        ("exit 255", 255, ""),
        ("cat; read line; echo \"<$line> $?\"", 0, "<> 1\n"),
    ] {
        let done = scene.run(command);
        done.assert_exit(code);
        assert_eq!(done.text(), output, "{command}");
        assert_eq!(done.facts.output.excerpt.text, output, "{command}");
        assert_eq!(done.receipt().output_sha256, Digest::of(output.as_bytes()));
        assert!(done.facts.launched && done.facts.alive.is_empty());
    }
}

#[test]
fn a_program_that_is_not_there_is_127() {
    let done = Scene::new().run("no-such-program-anywhere");
    done.assert_exit(127);
    assert!(done.text().contains("not found"), "{}", done.text());
}

#[test]
fn a_signal_that_is_not_ours_is_named() {
    let done = Scene::new().run("kill -SEGV $$");
    assert_eq!(done.ending(), (Ended::Exit, None, Some(11)));
}

#[test]
fn the_order_of_both_streams_is_kept() {
    let done = Scene::new().run("for i in {1..300}; do echo a$i; echo b$i >&2; done");
    let expected: String = (1..=300).map(|i| format!("a{i}\nb{i}\n")).collect();
    assert_eq!(done.text(), expected);
    let done = Scene::new().run("echo one; echo two > /dev/stderr; echo three > /dev/stdout");
    assert_eq!(done.text(), "one\ntwo\nthree\n");
}

#[test]
fn bytes_that_are_no_text_are_kept_and_marked() {
    let done = Scene::new().run(r"printf 'a\xff\xf0\x9f\x98b\0c'");
    assert_eq!(done.output, b"a\xff\xf0\x9f\x98b\0c");
    assert_eq!(done.facts.output.excerpt.text, "a\u{fffd}\u{fffd}b\0c");
}

#[test]
fn there_is_no_terminal() {
    let done = Scene::new().run("(: < /dev/tty) 2>&1; tty; ps -o tty= -p $$ 2>/dev/null || echo '?'");
    assert!(done.text().contains("No such device or address"), "{}", done.text());
    assert!(done.text().contains("not a tty"), "{}", done.text());
}

#[test]
fn a_directory_that_is_gone_is_not_started() {
    let scene = Scene::new();
    fs::remove_dir(scene.work()).unwrap();
    let done = scene.run("touch ../effect");
    assert_eq!(done.ending(), (Ended::NotStarted, None, None));
    assert_eq!(done.receipt().started_at, None);
    assert!(done.facts.launched && done.output.is_empty());
    assert!(!scene.calls().join("../effect").exists());
}

#[test]
fn the_environment_is_exactly_what_was_approved() {
    let settings = BashSettings {
        environment: vec!["PATH".into(), "MY_*".into(), "SECRET_KEY".into()],
        set: [("TERM".to_owned(), "dumb".to_owned()), ("SECRET_KEY".to_owned(), "leak".to_owned())].into(),
        ..BashSettings::default()
    };
    let variables = [("MY_VALUE", "a b"), ("SECRET_KEY", "leak"), ("OTHER", "x"), ("CANDOR_SESSION", "old")];
    let scene = Scene::with(&settings, &variables);
    let mut run = scene.start("env -0", PATIENCE);
    let done = run.end();
    let mut names: Vec<&str> =
        done.text().split('\0').filter_map(|pair| Some(pair.split_once('=')?.0)).collect();
    names.sort_unstable();
    // The last three are bash's own.
    let expected = [
        "CANDOR_DISPATCH",
        "CANDOR_OPERATION",
        "CANDOR_SESSION",
        "MY_VALUE",
        "PATH",
        "PWD",
        "SHLVL",
        "TERM",
        "_",
    ];
    assert_eq!(names, expected);
    assert!(!done.text().contains("leak"));
    assert!(done.text().contains(&format!("CANDOR_DISPATCH={}\0", run.dispatch)));
    assert!(done.text().contains(&format!("PWD={}\0", scene.work().display())));
}

#[test]
fn no_descriptor_and_no_ignored_signal_leaks() {
    let mut scene = Scene::new();
    // As if the agent itself had inherited descriptors and ignored signals.
    scene.wrap("trap '' HUP INT QUIT TERM XFSZ\nexec 8</dev/null 9>/dev/null 251</dev/null");
    let done = scene.run("ls /proc/$$/fd; grep SigIgn /proc/self/status; true");
    let (descriptors, ignored) = done.text().split_once("SigIgn:").unwrap();
    assert_eq!(descriptors, "0\n1\n2\n");
    // The C library leaves its own two, 32 and 33, ignored in what it spawns.
    let ignored = u64::from_str_radix(ignored.trim(), 16).unwrap() & 0x7fff_ffff;
    assert_eq!(ignored, 0, "{ignored:x}");
}

#[test]
fn the_folder_holds_the_documented_files() {
    let scene = Scene::new();
    let mut run = scene.start("echo hi", PATIENCE);
    let done = run.end();
    let mut names: Vec<_> =
        fs::read_dir(&run.dir).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    names.sort_unstable();
    assert_eq!(
        names,
        ["control", "launch.json", "lock", "order.json", "output", "process.json", "receipt.json"]
    );
    assert_eq!(fs::read(run.dir.join("output")).unwrap(), b"hi\n");
    let receipt = fs::read_to_string(run.dir.join("receipt.json")).unwrap();
    assert!(receipt.starts_with(&format!(r#"{{"v":1,"dispatch":"{}","fingerprint":""#, run.dispatch)));
    let order = done.facts.order.as_ref().unwrap();
    assert_eq!(order.operation.command(), Some("echo hi"));
    let (started, ended) = (done.receipt().started_at.unwrap(), done.receipt().ended_at);
    assert!(started <= ended);
}
