//! Reading an output in full: search, marks, copies, files, the pager, and what
//! a running command still adds; on the real binary in a pseudo-terminal.
#![cfg(target_os = "linux")]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::disallowed_methods
)] // a test may fail, and owns its files

mod support;

use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use support::screen::{begin, completed, pause};
use support::{Scratch, Terminal, eventually, write_program};

/// Presses keys one by one, as a person does.
fn press_each(terminal: &mut Terminal, keys: &str) {
    for key in keys.chars() {
        terminal.send(key.encode_utf8(&mut [0; 4]));
        pause();
    }
}

/// Opens the output of the command when its turn is over; these lines are shown.
fn open_output(terminal: &mut Terminal, lines: &str) {
    completed(terminal);
    terminal.send("\u{f}");
    terminal.expect_screen(lines);
}

/// A directory with a program of this name that runs a script, first on PATH.
fn fake(scratch: &Scratch, name: &str, script: &str) -> String {
    let bin = scratch.work().join("../bin");
    std::fs::create_dir_all(&bin).unwrap();
    write_program(&bin.join(name), script);
    format!("{}:{}", bin.display(), std::env::var("PATH").unwrap())
}

fn mode(path: &Path) -> u32 {
    std::fs::metadata(path).unwrap().permissions().mode() & 0o777
}

#[test]
fn a_long_output_is_read_searched_copied_and_saved() {
    let scratch = Scratch::new();
    let clip = scratch.work().join("clip");
    let script = format!("cat > {0}; env > {0}.env", clip.display());
    let path = fake(&scratch, "wl-copy", &script);
    let environment =
        [("PATH", path.as_str()), ("WAYLAND_DISPLAY", "wayland-0"), ("OPENAI_API_KEY", "sk-not-for-others")];
    let mut terminal = begin(&scratch, "seq 1 3000", &environment);
    open_output(&mut terminal, "1-20 of 3,000");
    press_each(&mut terminal, "/2468\r");
    terminal.expect_screen("2468");
    press_each(&mut terminal, "vjj");
    terminal.expect_screen("3 lines marked");
    press_each(&mut terminal, "c");
    terminal.expect_screen("sent 3 lines to the clipboard (by wl-copy)");
    assert_eq!(scratch.read("clip"), "2468\n2469\n2470");
    eventually("the clipboard program ends", || !scratch.read("clip.env").is_empty());
    assert!(!scratch.read("clip.env").contains("sk-not-for-others"));

    press_each(&mut terminal, "sout.txt\r");
    terminal.expect_screen("saved 13.5 KiB to");
    let all: String = (1..=3000).map(|n| format!("{n}\n")).collect();
    assert_eq!(scratch.read("out.txt"), all);
    assert_eq!(mode(&scratch.work().join("out.txt")), 0o600);
    press_each(&mut terminal, "g");
    terminal.expect_screen("1-20 of 3,000");
    press_each(&mut terminal, "vjsout.txt\r");
    terminal.expect_screen("y replaces it");
    press_each(&mut terminal, "n");
    terminal.expect_screen("Nothing was saved");
    assert_eq!(scratch.read("out.txt"), all);
    press_each(&mut terminal, "sout.txt\r");
    terminal.expect_screen("y replaces it");
    press_each(&mut terminal, "y");
    terminal.expect_screen("as it is shown");
    assert_eq!(scratch.read("out.txt"), "1\n2\n");

    // Esc ends marking, then closes.
    terminal.send("\u{1b}");
    terminal.expect_screen("q close");
    terminal.send("q");
    terminal.expect_screen("Enter send");
    assert!(!terminal.printed().contains("\u{1b}]52"), "a program took it; the terminal got nothing");
}

#[test]
fn without_a_clipboard_program_the_terminal_is_sent_it() {
    let scratch = Scratch::new();
    let environment = [("WAYLAND_DISPLAY", ""), ("DISPLAY", ""), ("TMUX", ""), ("STY", "")];
    let mut terminal = begin(&scratch, "printf 'one\\ntwo\\n'", &environment);
    open_output(&mut terminal, "1-2 of 2");
    press_each(&mut terminal, "c");
    terminal.expect_screen("sent 2 lines to the terminal (OSC 52)");
    // "one\ntwo"
    terminal.expect("\u{1b}]52;c;b25lCnR3bw==");
}

#[test]
fn a_clipboard_program_that_fails_is_named() {
    let scratch = Scratch::new();
    let path = fake(&scratch, "tmux", "exit 1");
    let environment =
        [("PATH", path.as_str()), ("TMUX", "/tmp/none,1,0"), ("WAYLAND_DISPLAY", ""), ("DISPLAY", "")];
    let mut terminal = begin(&scratch, "echo word", &environment);
    open_output(&mut terminal, "1-1 of 1");
    press_each(&mut terminal, "c");
    terminal.expect_screen("Nothing was copied: tmux failed (exit 1).");
}

#[test]
fn a_running_command_is_followed_and_hostile_output_stays_harmless() {
    let scratch = Scratch::new();
    let gate = scratch.gate();
    let command =
        "seq 1 50; read l < gate; printf '\\033]0;own''ed\\007\\033[2Jseen\\n'; seq 60 90; read l < gate";
    let mut terminal = begin(&scratch, command, &[]);
    terminal.expect_screen("running");
    terminal.send("\u{f}");
    terminal.expect_screen("31-50 of 50");
    terminal.expect_screen("following");
    std::fs::write(&gate, "go\n").unwrap();
    let screen = terminal.expect_screen("63-82 of 82");
    assert!(screen.contains("\n90"), "{screen}");
    press_each(&mut terminal, "g");
    terminal.expect_screen("1-20 of 82");
    std::fs::write(&gate, "go\n").unwrap();
    press_each(&mut terminal, "/seen\r");
    terminal.expect_screen("seen");
    let printed = terminal.printed();
    assert!(!printed.contains("\u{1b}]0;owned") && !printed.contains("\u{1b}[2Jseen"));
}

#[test]
fn a_cleaned_copy_goes_to_the_pager_and_away() {
    let scratch = Scratch::new();
    let seen = scratch.work().join("seen");
    let path = fake(
        &scratch,
        "my-pager",
        &format!("stat -c %a \"$2\" > {0}.mode; cp \"$2\" {0}; echo \"$1 $2\" > {0}.args", seen.display()),
    );
    let environment = [("PATH", path.as_str()), ("PAGER", "my-pager -R")];
    let mut terminal =
        begin(&scratch, "printf '\\033[31mred\\033[0m\\033]0;t\\007\\n 1%%\\r 2%%\\n'", &environment);
    open_output(&mut terminal, "1-2 of 2");
    press_each(&mut terminal, "e");
    eventually("the pager ends", || !scratch.read("seen.args").is_empty());
    assert_eq!((scratch.read("seen").as_str(), scratch.read("seen.mode").as_str()), ("red\n 2%\n", "600\n"));
    let arguments = scratch.read("seen.args");
    let copy = arguments.trim().strip_prefix("-R ").unwrap();
    eventually("the copy goes", || !Path::new(copy).exists());
    press_each(&mut terminal, "q");
    terminal.expect_screen("Enter send");
}

#[test]
fn what_terminals_draw_differently_leaves_nothing_behind() {
    let scratch = Scratch::new();
    // An Arabic sign: one cell for some terminals, none for others.
    let mut terminal = begin(&scratch, "printf '\\330\\200 left\\n'; seq 1 50", &[]);
    completed(&mut terminal);
    let clears = |terminal: &Terminal| terminal.printed().matches("\u{1b}[2J").count();
    terminal.send("\u{f}");
    terminal.expect_screen("1-20 of 51");
    let before = clears(&terminal);
    press_each(&mut terminal, "j");
    terminal.expect_screen("2-21 of 51");
    let after = clears(&terminal);
    assert!(after > before, "{before} {after}");
    press_each(&mut terminal, "j");
    terminal.expect_screen("3-22 of 51");
    assert_eq!(clears(&terminal), after, "nothing is in doubt any more");
}
