//! No command and no option is forgotten: the rows are made from the program's
//! own description of its command line.

use crate::scene::code;
use crate::support::Scratch;
use crate::usage::{ID, KEY, assert_usage};
use candor::cli::Args;
use clap::{Arg, ArgAction, Command, CommandFactory as _};

/// For each command words that are right, so that only what is added is wrong.
/// Nothing of it need be there: a right command line fails with 1.
const RIGHT: &[(&str, &[&str])] = &[
    ("candor", &[]),
    ("candor sessions", &[]),
    ("candor sessions rm", &[ID]),
    ("candor sessions restore", &[ID]),
    ("candor show", &[ID]),
    ("candor doctor", &[]),
    ("candor inspect", &[ID]),
    ("candor reconcile", &[ID, "--dispatch", ID, "--outcome", "happened", "--note", "seen"]),
    ("candor import", &["nowhere.jsonl"]),
    ("candor key", &[]),
    ("candor key show", &[]),
    ("candor key new", &[]),
    ("candor key list", &[]),
    ("candor crash-test", &["--program", "nowhere"]),
    ("candor man", &[]),
    ("candor completions", &["bash"]),
];

/// For each option a value that is right, and values of the wrong kind.
fn values(command: &str, option: &str) -> (&'static str, &'static [&'static str]) {
    let id = (
        ID,
        &["", "7", "0193a1b", "0193A1B2-C3D4-7E5F-8A9B-0C1D2E3F4A5B", "0193a1b2-c3d4-4e5f-8a9b-0c1d2e3f4a5b"]
            [..],
    );
    let file = ("nowhere", &[""][..]);
    match (command, option) {
        (_, "session" | "turn" | "dispatch") | ("candor show", "output") => id,
        ("candor inspect", "public-key" | "operator-key") => (KEY, &["", "nowhere", "/dev/null", ".", "12"]),
        ("candor reconcile", "operator-key") => ("/dev/null", &["", "nowhere", "/dev/null", ".", KEY]),
        (_, "expect-head") => (KEY, &["", "0", "last"]),
        (_, "outcome") => ("partly", &["", "unknown", "Happened"]),
        (_, "note") => ("seen", &["", " \n"]),
        (_, "format") => ("chat", &["", "openai"]),
        (_, "base-url") => (
            "http://127.0.0.1:9/v1",
            &[
                "",
                "nonsense",
                "127.0.0.1:80",
                "ftp://host/",
                "http://",
                "http://me:secret@host/v1",
                "http://host/?key=1",
            ],
        ),
        (_, "model") => ("m", &["", " ", "two\nlines"]),
        (_, "config" | "cd" | "evidence" | "program") => file,
        (_, "rounds" | "from") => ("1", &["", "0", "-1", "many"]),
        (_, "seed") => ("1", &["", "-1", "any"]),
        // Any word, since any word may begin a title.
        (_, "title-word") => ("word", &[]),
        (_, other) => panic!("{command} has a new option --{other}: what is a wrong value of it?"),
    }
}

#[test]
fn no_option_of_any_command_is_taken_twice_without_its_value_or_with_a_wrong_one() {
    let mut program = Args::command();
    program.build();
    let mut commands = Vec::new();
    collect("", &program, &mut commands);
    let known: Vec<&str> = RIGHT.iter().map(|(name, _)| *name).collect();
    let names: Vec<&str> = commands.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names.iter().find(|name| !known.contains(name)), None, "a new command");
    let scratch = Scratch::new();
    for (name, command) in &commands {
        let right = RIGHT.iter().find(|row| row.0 == name).unwrap().1;
        let path: Vec<&str> = name.split(' ').skip(1).collect();
        let refused = |more: &[&str]| assert_usage(&scratch, &[&path, right, more].concat(), name);
        for option in command.get_arguments().filter(|argument| !argument.is_positional()) {
            for wrong in wrong_uses(name, option) {
                refused(&wrong.iter().map(String::as_str).collect::<Vec<_>>());
            }
        }
        refused(&["--no-such-option"]);
        refused(&["-x"]);
        if *name != "candor" {
            refused(&["one", "more"]);
        }
        assert!(!scratch.home().exists(), "{name}: a wrong command line writes nothing");
    }
}

/// A right command line of each, or the rows above would show nothing.
#[test]
fn what_is_right_is_not_refused() {
    let scratch = Scratch::new();
    for (name, right) in RIGHT {
        let path: Vec<&str> = name.split(' ').skip(1).collect();
        let output = scratch.run(&[&path, *right].concat());
        assert_ne!(code(&output), 64, "{name}: {output:?}");
    }
}

fn collect<'a>(above: &str, command: &'a Command, into: &mut Vec<(String, &'a Command)>) {
    let name = if above.is_empty() {
        command.get_name().to_owned()
    } else {
        format!("{above} {}", command.get_name())
    };
    into.push((name.clone(), command));
    for below in command.get_subcommands() {
        collect(&name, below, into);
    }
}

/// What must not be said with an option.
fn wrong_uses(command: &str, option: &Arg) -> Vec<Vec<String>> {
    let name = option.get_long().unwrap();
    let long = format!("--{name}");
    match option.get_action() {
        ArgAction::Help | ArgAction::Version => Vec::new(),
        ArgAction::SetTrue => {
            let short = option.get_short().map(|short| vec![format!("-{short}"), long.clone()]);
            let twice = vec![long.clone(), long.clone()];
            [Some(twice), Some(vec![format!("{long}=yes")]), short].into_iter().flatten().collect()
        }
        ArgAction::Set | ArgAction::Append => {
            let (right, wrong) = values(command, name);
            let twice = vec![long.clone(), right.to_owned(), long.clone(), right.to_owned()];
            let twice = matches!(option.get_action(), ArgAction::Set).then_some(twice);
            let wrong = wrong.iter().map(|value| vec![format!("{long}={value}")]);
            [Some(vec![long.clone()]), twice].into_iter().flatten().chain(wrong).collect()
        }
        other => panic!("{command} {long} is {other:?}"),
    }
}
