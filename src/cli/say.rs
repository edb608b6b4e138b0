//! Standard output: whole, or a sentence that says why not.

use crate::text::{Clean, escape_json};
use std::io::{self, Write as _};

/// Says on standard error why the program ends without what was wanted. The
/// sentence may repeat an argument, a path, a setting or what a file holds.
pub fn complain(sentence: &str) {
    aside(&format!("candor: {}", Clean::line(sentence)));
}

/// Prints this text. A reader that went away wants no more, and that is no
/// failure.
pub(super) fn text(text: &str) -> Result<(), String> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        other => other.map_err(|error| format!("Standard output cannot be written: {error}.")),
    }
}

/// Says something on standard error. That it cannot be written there changes
/// nothing about the exit code, and there is nobody left to tell.
pub fn aside(text: &str) {
    let _ = writeln!(io::stderr().lock(), "{text}");
}

/// The same without an end of line.
pub(super) fn progress(text: &str) {
    let mut out = io::stderr().lock();
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}

/// Prints a value for programs. It may be a person's terminal that reads it, so
/// what a terminal acts on is escaped.
pub(super) fn json(value: &impl serde::Serialize) -> Result<(), String> {
    let mut json = serde_json::to_string_pretty(value)
        .map_err(|error| format!("The report cannot be written: {error}."))?;
    json.push('\n');
    text(&escape_json(json))
}
