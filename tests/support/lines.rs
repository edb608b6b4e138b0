//! The program as lines, as a person uses it.

use super::Terminal;

pub(crate) const DEMO: &[&str] = &["--demo", "--plain"];
/// The directory's last session.
pub(crate) const AGAIN: &[&str] = &["--demo", "--plain", "-c"];

/// Sends a message as soon as the prompt is there.
pub(crate) fn say(terminal: &mut Terminal, message: &str) {
    terminal.expect("\n> ").send(&format!("{message}\n"));
}

/// Approves the command that is asked about next.
pub(crate) fn approve(terminal: &mut Terminal) {
    terminal.expect("run or deny> ").send("run\n");
}

/// Has the demo ask for a command, and approves it.
pub(crate) fn ask(terminal: &mut Terminal, command: &str) {
    say(terminal, &format!("Run: {command}"));
    approve(terminal);
}

/// Says of every unknown outcome that it may have run, without a note, until the
/// prompt is there.
pub(crate) fn settle(terminal: &mut Terminal) {
    loop {
        match terminal.expect_one_of(&["statement> ", "note (Enter for none)> ", "\n> "]) {
            0 => terminal.send("may have run\n"),
            1 => terminal.send("\n"),
            _ => return,
        }
    }
}
