//! The `candor` program: command line in, exit code out.

use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    let mut arguments = std::env::args_os().skip(1);
    // Before anything else is set up: a supervisor needs none of it.
    if arguments.next().is_some_and(|first| first == "supervise") {
        return arguments.next().map_or(ExitCode::FAILURE, |dir| candor::tools::supervise(Path::new(&dir)));
    }
    ExitCode::SUCCESS
}
