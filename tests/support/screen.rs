//! The full screen as a person uses it: a dialog is read before it is answered,
//! and no two keys come in one burst, which would be a paste.

use super::{Scratch, Terminal};
use std::time::Duration;

pub(crate) const DEMO: &[&str] = &["--demo"];

/// The time between two keys of a person.
pub(crate) fn pause() {
    std::thread::sleep(Duration::from_millis(150));
}

/// A person reads a dialog before pressing a key; keys typed ahead answer nothing.
pub(crate) fn look_first() {
    std::thread::sleep(Duration::from_millis(1200));
}

/// A key, a moment after what came before it.
pub(crate) fn press(terminal: &mut Terminal, key: &str) {
    pause();
    terminal.send(key);
}

pub(crate) fn press_enter(terminal: &mut Terminal) {
    press(terminal, "\r");
}

/// Starts the demo, and waits until a message can be written.
pub(crate) fn start_demo(scratch: &Scratch) -> Terminal {
    let mut terminal = scratch.start(DEMO);
    terminal.expect_screen("Enter start");
    terminal
}

/// Writes where the cursor is, and presses Enter when all of it is shown.
pub(crate) fn write(terminal: &mut Terminal, text: &str) {
    terminal.send(text);
    terminal.expect_screen(text);
    press_enter(terminal);
}

/// Sends a message as soon as one can be written; of a long one the beginning
/// has to be shown.
pub(crate) fn say(terminal: &mut Terminal, message: &str) {
    terminal.expect_screen("Enter s");
    terminal.send(message);
    terminal.expect_screen(message.get(..20).unwrap_or(message));
    press_enter(terminal);
}

/// A letter in a dialog, then Enter when the dialog says what that does.
pub(crate) fn choose(terminal: &mut Terminal, letter: &str) {
    terminal.send(letter);
    terminal.expect_screen("Enter does it");
    press_enter(terminal);
}

/// Answers only after the dialog says that it is ready.
pub(crate) fn answer(terminal: &mut Terminal, letter: &str) {
    terminal.expect_screen(" Ready");
    choose(terminal, letter);
}

/// Starts the demo, and sends it a message.
pub(crate) fn start_saying(scratch: &Scratch, message: &str) -> Terminal {
    let mut terminal = scratch.start(DEMO);
    say(&mut terminal, message);
    terminal
}

/// Starts the demo with these variables; it is asked to run a command and may.
pub(crate) fn begin(scratch: &Scratch, command: &str, environment: &[(&str, &str)]) -> Terminal {
    let mut terminal = scratch.start_with(DEMO, environment);
    say(&mut terminal, &format!("Run: {command}"));
    answer(&mut terminal, "y");
    terminal
}

/// Waits until a command has completed and its turn is over.
pub(crate) fn completed(terminal: &mut Terminal) {
    terminal.expect_screen("completed, exit 0");
    terminal.expect_screen("  ready");
}
