//! The rooms of `src/` may name each other only as `docs/architecture.md` says.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::disallowed_methods)] // a test may fail, and owns its files

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Which rooms each room may name.
const MAY_NAME: &[(&str, &[&str])] = &[
    ("record", &[]),
    ("text", &[]),
    ("session", &["record"]),
    ("journal", &["record", "session"]),
    ("store", &["journal", "session", "record"]),
    ("config", &["record"]),
    ("model", &["record", "config"]),
    ("tools", &["record", "config"]),
    ("agent", &["record", "session", "journal", "store", "config", "model", "tools"]),
    ("tui", &["agent", "session", "record", "text", "config"]),
    ("plain", &["agent", "session", "record", "text", "config"]),
    ("cli", &["store", "journal", "session", "record", "text", "config", "model", "tools"]),
    ("main", &["cli", "config", "agent", "tui", "plain", "tools"]),
];

fn sources(dir: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

fn room_of(path: &Path) -> String {
    let first = path.components().next().unwrap().as_os_str().to_str().unwrap();
    first.trim_end_matches(".rs").to_owned()
}

/// Code without comments and string literals, so that prose names nothing.
fn bare(code: &str) -> String {
    let mut out = String::with_capacity(code.len());
    let mut rest = code.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            '/' if rest.peek() == Some(&'/') => {
                for c in rest.by_ref() {
                    if c == '\n' {
                        out.push('\n');
                        break;
                    }
                }
            }
            '"' => {
                while let Some(c) = rest.next() {
                    match c {
                        '\\' => drop(rest.next()),
                        '"' => break,
                        _ => {}
                    }
                }
                out.push_str("\"\"");
            }
            '\'' => {
                // A character literal such as '"' must not open a string.
                let ahead: Vec<char> = rest.clone().take(3).collect();
                let literal = match ahead.as_slice() {
                    ['\\', _, '\''] => 3,
                    [_, '\'', ..] => 2,
                    _ => 0,
                };
                rest.by_ref().take(literal).for_each(drop);
            }
            _ => out.push(c),
        }
    }
    out
}

/// Every room that follows `crate::` or `candor::`, grouped imports included.
fn named(code: &str) -> BTreeSet<String> {
    let mut rooms = BTreeSet::new();
    for root in ["crate::", "candor::"] {
        for (at, _) in code.match_indices(root) {
            let after = &code[at + root.len()..];
            if let Some(group) = after.strip_prefix('{') {
                let mut depth = 0usize;
                let mut word = String::new();
                for c in group.chars() {
                    match c {
                        '{' => depth += 1,
                        '}' if depth == 0 => break,
                        '}' => depth -= 1,
                        ',' if depth == 0 => word.clear(),
                        ':' if depth == 0 && !word.is_empty() => {
                            rooms.insert(std::mem::take(&mut word));
                        }
                        c if depth == 0 && (c.is_alphanumeric() || c == '_') => word.push(c),
                        _ => {}
                    }
                }
            } else {
                rooms.insert(after.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect());
            }
        }
    }
    rooms
}

#[test]
fn the_rooms_name_only_what_they_may() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let table: BTreeMap<&str, &[&str]> = MAY_NAME.iter().copied().collect();
    let mut files = Vec::new();
    sources(&src, &mut files);
    let mut wrong = Vec::new();
    for file in files {
        let inside = file.strip_prefix(&src).unwrap();
        let room = room_of(inside);
        // The list of attacks names them all; it is in no program.
        if room == "lib" || room == "attacks" {
            continue;
        }
        let allowed = table
            .get(room.as_str())
            .unwrap_or_else(|| panic!("{} is in no room of the table", inside.display()));
        for name in named(&bare(&std::fs::read_to_string(&file).unwrap())) {
            if table.contains_key(name.as_str()) && name != room && !allowed.contains(&name.as_str()) {
                wrong.push(format!("{} names {name}", inside.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn the_check_sees_paths_groups_and_not_prose() {
    let code = bare(
        r#"
        // crate::store is only talked about
        use crate::{record::Digest, tools::{self, Bash}};
        let q = '"'; let text = "crate::tui::run";
        fn f() { crate::journal::open(); candor::agent::start(); }
    "#,
    );
    let rooms: Vec<String> = named(&code).into_iter().collect();
    assert_eq!(rooms, ["agent", "journal", "record", "tools"]);
}

/// Every name in backticks of `docs/faults.md` that looks like a test's is one.
#[test]
fn the_tests_that_the_list_of_faults_names_exist() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = Vec::new();
    sources(&root.join("src"), &mut files);
    sources(&root.join("tests"), &mut files);
    let code: String = files.iter().map(|file| std::fs::read_to_string(file).unwrap()).collect();
    let list = std::fs::read_to_string(root.join("docs/faults.md")).unwrap();
    let is_test = |word: &&str| {
        let is_name =
            word.bytes().all(|byte| byte == b'_' || byte.is_ascii_lowercase() || byte.is_ascii_digit());
        is_name && word.matches('_').count() >= 2
    };
    let named = list.split('`').skip(1).step_by(2).filter(is_test);
    let mut count = 0;
    for name in named {
        assert!(code.contains(&format!("fn {name}(")), "{name} is named in docs/faults.md and is nowhere");
        count += 1;
    }
    assert!(count > 50, "{count}");
}
