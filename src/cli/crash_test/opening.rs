//! What the dead program left is opened again.

use super::plan::Face;
use super::scratch::Scratch;
use super::terminal::{LOOK, PATIENCE, Terminal};
use super::{Halt, Stop};
use std::time::{Duration, Instant};

/// What is said in the opened session; nothing is run for it.
const MESSAGE: &str = "Stream 3 words\n";

/// Opens the last session as lines, answers what is asked about it, sends a
/// further message if there is one, and leaves.
pub(super) fn open(terminal: &mut Terminal, says_more: bool, stop: &Stop) -> Result<(), Halt> {
    answer_until_ready(terminal, stop)?;
    if says_more {
        terminal.types(MESSAGE);
        answer_until_ready(terminal, stop)?;
    }
    leave(terminal, stop)
}

/// Answers what is asked until something has been written. Whether that
/// happened before the program was ready for a message.
pub(super) fn until_it_writes(
    terminal: &mut Terminal,
    has_written: impl Fn() -> bool,
    stop: &Stop,
) -> Result<bool, Halt> {
    let until = Instant::now() + PATIENCE;
    while !has_written() {
        if answer(terminal, until)? {
            return Ok(has_written());
        }
        stop.nap(LOOK)?;
    }
    Ok(true)
}

fn answer_until_ready(terminal: &mut Terminal, stop: &Stop) -> Result<(), Halt> {
    let until = Instant::now() + PATIENCE;
    while !answer(terminal, until)? {
        stop.nap(LOOK * 5)?;
    }
    Ok(())
}

/// One look, and what a person answers. Whether nothing is asked any more.
fn answer(terminal: &mut Terminal, until: Instant) -> Result<bool, Halt> {
    let prompts = ["\n> ", "statement> ", "note (Enter for none)> ", "Type stop to stop it", "run or deny> "];
    match terminal.first_of(&prompts) {
        Some(0) => return Ok(true),
        Some(1) => terminal.types("may have run\n"),
        Some(2) => terminal.types("\n"),
        Some(3) => terminal.types("give up\n"),
        Some(_) => return Err(Halt::Stuck("it asks to run something that nobody asked for".into())),
        None if terminal.has_ended() => {
            return Err(Halt::Stuck("it does not open: the program ended".into()));
        }
        None if Instant::now() >= until => {
            return Err(Halt::Stuck("it does not open, or does not go on".into()));
        }
        None => {}
    }
    Ok(false)
}

/// Opens the last session and leaves it.
pub(super) fn look(scratch: &Scratch, face: Face, stop: &Stop) -> Result<(Terminal, Result<(), Halt>), Halt> {
    match face {
        Face::Plain => {
            let mut terminal = Terminal::start(scratch, &["--demo", "--plain", "-c"])?;
            let opened = open(&mut terminal, false, stop);
            Ok((terminal, opened))
        }
        Face::Screen => {
            let mut terminal = Terminal::start(scratch, &["--demo", "-c"])?;
            let opened = look_at_screen(&mut terminal, stop);
            Ok((terminal, opened))
        }
    }
}

fn look_at_screen(terminal: &mut Terminal, stop: &Stop) -> Result<(), Halt> {
    let until = Instant::now() + PATIENCE;
    while !terminal.screen().contains("  ready") {
        if terminal.has_ended() || Instant::now() >= until {
            return Err(Halt::Stuck("it does not open in the full screen".into()));
        }
        stop.nap(Duration::from_millis(5))?;
    }
    leave(terminal, stop)
}

fn leave(terminal: &mut Terminal, stop: &Stop) -> Result<(), Halt> {
    terminal.types("\u{4}");
    match terminal.exit_code(stop)? {
        0 => Ok(()),
        code => Err(Halt::Stuck(format!("it left with exit code {code}"))),
    }
}
