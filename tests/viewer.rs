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

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use support::{Scratch, Terminal, eventually};

/// Starts the demo with these variables and has it run a command.
fn run(scratch: &Scratch, command: &str, environment: &[(&str, &str)]) -> Terminal {
    let mut terminal = scratch.start_with(&["--demo"], environment);
    terminal.expect_screen("Enter s");
    let message = format!("Run: {command}");
    terminal.send(&message);
    terminal.expect_screen(message.get(..20).unwrap_or(&message));
    pause();
    terminal.send("\r");
    terminal.expect_screen(" Ready");
    terminal.send("y");
    terminal.expect_screen("Enter does it");
    pause();
    terminal.send("\r");
    terminal
}

/// A letter and an Enter in one burst are a paste.
fn pause() {
    std::thread::sleep(std::time::Duration::from_millis(150));
}

/// Presses keys one by one, as a person does.
fn press(terminal: &mut Terminal, keys: &str) {
    for key in keys.chars() {
        terminal.send(key.encode_utf8(&mut [0; 4]));
        pause();
    }
}

/// A directory with a program of this name that runs a script, first on PATH.
fn fake(scratch: &Scratch, name: &str, script: &str) -> String {
    let bin = scratch.work().join("../bin");
    std::fs::create_dir_all(&bin).unwrap();
    let path = bin.join(name);
    std::fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
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
    let mut terminal = run(&scratch, "seq 1 3000", &environment);
    terminal.expect_screen("completed, exit 0");
    terminal.expect_screen("  ready");
    terminal.send("\u{f}");
    terminal.expect_screen("1-19 of 3,000");
    press(&mut terminal, "/2468\r");
    terminal.expect_screen("2468");
    press(&mut terminal, "vjj");
    terminal.expect_screen("3 lines marked");
    press(&mut terminal, "c");
    terminal.expect_screen("sent 3 lines to the clipboard (by wl-copy)");
    assert_eq!(scratch.read("clip"), "2468\n2469\n2470");
    eventually("the clipboard program ends", || !scratch.read("clip.env").is_empty());
    assert!(!scratch.read("clip.env").contains("sk-not-for-others"));

    press(&mut terminal, "sout.txt\r");
    terminal.expect_screen("saved 13.5 KiB to");
    let all: String = (1..=3000).map(|n| format!("{n}\n")).collect();
    assert_eq!(scratch.read("out.txt"), all);
    assert_eq!(mode(&scratch.work().join("out.txt")), 0o600);
    press(&mut terminal, "g");
    terminal.expect_screen("1-19 of 3,000");
    press(&mut terminal, "vjsout.txt\r");
    terminal.expect_screen("y replaces it");
    press(&mut terminal, "n");
    terminal.expect_screen("Nothing was saved");
    assert_eq!(scratch.read("out.txt"), all);
    press(&mut terminal, "sout.txt\r");
    terminal.expect_screen("y replaces it");
    press(&mut terminal, "y");
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
    let mut terminal = run(&scratch, "printf 'one\\ntwo\\n'", &environment);
    terminal.expect_screen("completed, exit 0");
    terminal.expect_screen("  ready");
    terminal.send("\u{f}");
    terminal.expect_screen("1-2 of 2");
    press(&mut terminal, "c");
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
    let mut terminal = run(&scratch, "echo word", &environment);
    terminal.expect_screen("completed, exit 0");
    terminal.expect_screen("  ready");
    terminal.send("\u{f}");
    terminal.expect_screen("1-1 of 1");
    press(&mut terminal, "c");
    terminal.expect_screen("Nothing was copied: tmux failed (exit 1).");
}

#[test]
fn a_running_command_is_followed_and_hostile_output_stays_harmless() {
    let scratch = Scratch::new();
    let gate = scratch.work().join("gate");
    rustix::fs::mknodat(rustix::fs::CWD, &gate, rustix::fs::FileType::Fifo, 0o600.into(), 0).unwrap();
    let command =
        "seq 1 50; read l < gate; printf '\\033]0;own''ed\\007\\033[2Jseen\\n'; seq 60 90; read l < gate";
    let mut terminal = run(&scratch, command, &[]);
    terminal.expect_screen("running");
    terminal.send("\u{f}");
    terminal.expect_screen("32-50 of 50");
    terminal.expect_screen("following");
    std::fs::write(&gate, "go\n").unwrap();
    let screen = terminal.expect_screen("64-82 of 82");
    assert!(screen.contains("\n90"), "{screen}");
    press(&mut terminal, "g");
    terminal.expect_screen("1-19 of 82");
    std::fs::write(&gate, "go\n").unwrap();
    press(&mut terminal, "/seen\r");
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
        run(&scratch, "printf '\\033[31mred\\033[0m\\033]0;t\\007\\n 1%%\\r 2%%\\n'", &environment);
    terminal.expect_screen("completed, exit 0");
    terminal.expect_screen("  ready");
    terminal.send("\u{f}");
    terminal.expect_screen("1-2 of 2");
    press(&mut terminal, "e");
    eventually("the pager ends", || !scratch.read("seen.args").is_empty());
    assert_eq!((scratch.read("seen").as_str(), scratch.read("seen.mode").as_str()), ("red\n 2%\n", "600\n"));
    let arguments = scratch.read("seen.args");
    let copy = arguments.trim().strip_prefix("-R ").unwrap();
    eventually("the copy goes", || !Path::new(copy).exists());
    press(&mut terminal, "q");
    terminal.expect_screen("Enter send");
}

#[test]
fn what_terminals_draw_differently_leaves_nothing_behind() {
    let scratch = Scratch::new();
    // An Arabic sign: one cell for some terminals, none for others.
    let mut terminal = run(&scratch, "printf '\\330\\200 left\\n'; seq 1 50", &[]);
    terminal.expect_screen("completed, exit 0");
    terminal.expect_screen("  ready");
    let clears = |terminal: &Terminal| terminal.printed().matches("\u{1b}[2J").count();
    terminal.send("\u{f}");
    terminal.expect_screen("1-19 of 51");
    let before = clears(&terminal);
    press(&mut terminal, "j");
    terminal.expect_screen("2-20 of 51");
    let after = clears(&terminal);
    assert!(after > before, "{before} {after}");
    press(&mut terminal, "j");
    terminal.expect_screen("3-21 of 51");
    assert_eq!(clears(&terminal), after, "nothing is in doubt any more");
}
