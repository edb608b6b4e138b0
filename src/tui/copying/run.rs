//! Giving a text to programs.
#![allow(clippy::disallowed_methods)] // clipboard programs are started and timed here

use super::{Copied, Failure, Way, ways};
use crate::tui::surroundings::Surroundings;
use std::io::{self, Write};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// How long a program may take. One that hangs must not hang the screen.
const PATIENCE: Duration = Duration::from_secs(2);
/// How often it is looked at.
const LOOK: Duration = Duration::from_millis(5);

/// Tries each way until one works. It waits for programs, so it is not for the
/// thread that draws.
pub(crate) fn copy(text: &str, surroundings: &Surroundings, key_variables: &[String]) -> Copied {
    let mut failed = Vec::new();
    for way in ways(surroundings) {
        let (name, tried) = match way {
            Way::Tmux => ("tmux", give(text, "tmux", &["load-buffer", "-w", "-"], key_variables)),
            Way::Program { name, arguments } => (name, give(text, name, arguments, key_variables)),
            Way::Terminal => return Copied::Terminal,
        };
        match tried {
            Ok(()) if way == Way::Tmux && !tmux_passes_on(key_variables) => return Copied::InTmux,
            Ok(()) => return Copied::By(name),
            Err(failure) => failed.push((name, failure)),
        }
    }
    Copied::Nowhere(failed)
}

/// Whether tmux gives what it keeps to its terminal, by its own word.
fn tmux_passes_on(key_variables: &[String]) -> bool {
    let mut command = program("tmux", &["show-options", "-sv", "set-clipboard"], key_variables);
    command.stdin(Stdio::null()).stdout(Stdio::piped());
    let Ok(mut child) = command.spawn() else { return true };
    if wait(&mut child).is_err() {
        return true;
    }
    let said = child.wait_with_output().map(|output| output.stdout).unwrap_or_default();
    said.trim_ascii() != b"off"
}

fn program(name: &str, arguments: &[&str], key_variables: &[String]) -> Command {
    let mut command = Command::new(name);
    // A clipboard program may stay to serve what it was given: not in our job.
    command.args(arguments).stdout(Stdio::null()).stderr(Stdio::null()).process_group(0);
    for variable in key_variables {
        command.env_remove(variable);
    }
    command
}

/// Runs a program with the text as its input.
pub(super) fn give(
    text: &str,
    name: &str,
    arguments: &[&str],
    key_variables: &[String],
) -> Result<(), Failure> {
    let mut command = program(name, arguments, key_variables);
    let mut child = match command.stdin(Stdio::piped()).spawn() {
        Ok(child) => child,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Err(Failure::Missing),
        Err(error) => return Err(Failure::Error(error.to_string())),
    };
    if let Some(mut input) = child.stdin.take() {
        // It may end without reading, or never read: neither may hold us.
        let text = text.to_owned();
        std::thread::spawn(move || input.write_all(text.as_bytes()));
    }
    wait(&mut child)
}

fn wait(child: &mut Child) -> Result<(), Failure> {
    let until = Instant::now() + PATIENCE;
    loop {
        match child.try_wait() {
            Ok(Some(status)) if status.success() => return Ok(()),
            Ok(Some(status)) => return Err(Failure::Ended(status.code())),
            Ok(None) if Instant::now() < until => std::thread::sleep(LOOK),
            Ok(None) => {
                let _ = child.kill();
                let _ = child.wait();
                return Err(Failure::Hangs);
            }
            Err(error) => return Err(Failure::Error(error.to_string())),
        }
    }
}
