//! What is offered, in which order, and what is put into the message.

use super::files::Found;
use super::quote::quoted;
use super::*;
use std::os::unix::ffi::OsStrExt;

#[test]
fn only_a_slash_at_the_beginning_and_an_at_at_a_words_beginning_ask() {
    let word = |text: &str| Some(Asked::Word(text.into()));
    let path = |text: &str| Some(Asked::Path(text.into()));
    for (draft, before, expected) in [
        (Some("/"), "/", word("/")),
        (Some("/he"), "/he", word("/he")),
        (Some("/help"), "/he", None),
        (Some("/help me"), "/help me", None),
        (Some(" /he"), " /he", None),
        (None, "/he", None),
        (Some("@"), "@", path("")),
        (Some("see @src/ma"), "see @src/ma", path("src/ma")),
        (Some("see (@src"), "see (@src", path("src")),
        (Some("mail me@host"), "mail me@host", None),
        (Some("at @ five"), "at @ five", None),
        (None, "second line @x", path("x")),
        (Some("@日"), "@日", path("日")),
    ] {
        assert_eq!(asked(draft, before), expected, "{before:?} of {draft:?}");
    }
}

/// Each row's second column is what bash makes of the first; see below.
const QUOTED: &[(&[u8], &str)] = &[
    (b"src/main.rs", "src/main.rs"),
    (b"a b", "'a b'"),
    (b"it's", "'it'\\''s'"),
    (b"-rf", "./-rf"),
    (b"~", "./~"),
    (b"$(x)`y`", "'$(x)`y`'"),
    (b"a\nb", "$'a\\nb'"),
    (b"a\x1b[31m'\\", "$'a\\x1b[31m\\'\\\\'"),
    (b"a\xffb", "$'a\\xffb'"),
    ("日本 é".as_bytes(), "'日本 é'"),
    ("e\u{301}t\u{e9}".as_bytes(), "e\u{301}t\u{e9}"),
    ("a\u{202e}b".as_bytes(), "$'a\\xe2\\x80\\xaeb'"),
    ("a\u{a0}b".as_bytes(), "$'a\\xc2\\xa0b'"),
];

#[test]
fn a_path_is_quoted_so_that_nothing_of_it_hides() {
    for (path, expected) in QUOTED {
        assert_eq!(quoted(path), *expected);
    }
}

#[test]
#[allow(clippy::disallowed_methods)] // bash is asked what it reads
fn bash_reads_exactly_the_path_that_was_quoted() {
    for (path, quoted) in QUOTED {
        let output = std::process::Command::new("/bin/bash")
            .args(["--norc", "--noprofile", "-c", &format!("printf %s {quoted}")])
            .env("LC_ALL", "C")
            .output()
            .unwrap();
        let plain = output.stdout.strip_prefix(b"./").unwrap_or(&output.stdout);
        assert_eq!(plain, *path, "{quoted}");
    }
}

fn files(names: &[&str]) -> Assist {
    let mut assist = Assist::default();
    let walk = assist.files.begin("/w", Default::default()).unwrap();
    let found = names
        .iter()
        .map(|name| Found::new(name.trim_end_matches('/').as_bytes(), name.ends_with('/')))
        .collect();
    assist.add(Batch { walk, found, end: Some(false) });
    assist
}

fn offered(assist: &Assist) -> Vec<String> {
    match assist.shown() {
        Some((Offered::Paths(paths), _)) => paths.iter().map(|path| path.quoted.clone()).collect(),
        _ => Vec::new(),
    }
}

#[test]
fn the_best_path_is_first() {
    let mut assist =
        files(&["src/tui/main_view.rs", "main.rs", "src/main.rs", "domain/x", "m/a/i/n", "src/", "other"]);
    assist.refresh(Some(Asked::Path("main".into())));
    assert_eq!(offered(&assist), ["main.rs", "src/main.rs", "src/tui/main_view.rs", "domain/x", "m/a/i/n"]);
    assist.refresh(Some(Asked::Path("SRC/MAIN".into())));
    assert_eq!(offered(&assist), ["src/main.rs", "src/tui/main_view.rs"], "in small letters too");
    assist.refresh(Some(Asked::Path("nothing like it".into())));
    assert!(assist.shown().is_none());
}

#[test]
fn what_was_closed_stays_closed_until_something_else_is_written() {
    let mut assist = files(&["one"]);
    assist.refresh(Some(Asked::Path("o".into())));
    assist.dismiss();
    assist.refresh(Some(Asked::Path("o".into())));
    assert!(assist.shown().is_none());
    assist.refresh(Some(Asked::Path("on".into())));
    assert_eq!(offered(&assist), ["one"]);
}

#[test]
fn a_walk_that_is_too_late_adds_nothing() {
    let mut assist = files(&["one"]);
    assist.refresh(Some(Asked::Path(String::new())));
    assist.add(Batch { walk: 7, found: vec![Found::new(b"strange", false)], end: None });
    assert_eq!(offered(&assist), ["one"]);
}

#[test]
fn the_search_finds_newest_first_and_none_twice() {
    let messages = ["fix the parser", "Add milk", "add tea", "fix the parser"];
    let mut search = Search { query: "fix".into(), ..Search::default() };
    search.look(messages.iter().copied());
    assert_eq!(search.hits, ["fix the parser"]);
    search.query = "add".into();
    search.look(messages.iter().copied());
    assert_eq!(search.hits, ["add tea", "Add milk"]);
    search.walk(1);
    search.walk(1);
    assert_eq!(search.hit(), Some("Add milk"), "the oldest stays");
    search.query = "Add".into();
    search.look(messages.iter().copied());
    assert_eq!(search.hits, ["Add milk"], "a capital letter counts");
}

fn walked(directory: &std::path::Path) -> Vec<String> {
    let mut names = Vec::new();
    walk(directory.to_str().unwrap(), 1, |batch| {
        names.extend(batch.found.iter().map(|found| String::from_utf8_lossy(&found.path).into_owned()));
        true
    });
    names
}

#[test]
#[allow(clippy::disallowed_methods)] // a test owns its files
fn a_walk_passes_over_what_nobody_writes() {
    let directory = tempfile::tempdir().unwrap();
    let make = |name: &str| {
        let path = directory.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, "").unwrap();
    };
    for name in
        ["src/main.rs", ".git/config", "target/debug/x", "a/node_modules/y", "built/z", ".github/ci.yml"]
    {
        make(name);
    }
    std::fs::write(directory.path().join(".gitignore"), "built/\n").unwrap();
    std::os::unix::fs::symlink("/", directory.path().join("root")).unwrap();
    let odd = std::ffi::OsStr::from_bytes(b"odd\n\xff");
    std::fs::write(directory.path().join(odd), "").unwrap();
    let expected =
        [".github", ".github/ci.yml", ".gitignore", "a", "odd\n\u{fffd}", "root", "src", "src/main.rs"];
    assert_eq!(walked(directory.path()), expected);
    assert!(walked(&directory.path().join("gone")).is_empty());
}
