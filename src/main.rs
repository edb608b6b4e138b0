//! The `candor` program: command line in, exit code out.
#![allow(clippy::print_stdout, clippy::print_stderr)] // what is left on the terminal at the end

use candor::agent::{self, Leaving, Setup, Target, Wish};
use candor::cli::{self, Args, Subcommand};
use candor::config::{Paths, Settings};
use candor::plain;
use candor::tools::Launcher;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

fn main() -> ExitCode {
    // A supervisor is chosen before anything else is set up.
    let mut arguments = std::env::args_os();
    if arguments.nth(1).is_some_and(|first| first == "supervise") {
        return match arguments.next() {
            Some(dir) => candor::tools::supervise(Path::new(&dir)),
            None => ExitCode::from(cli::USAGE),
        };
    }
    let args = match cli::parse(std::env::args_os()) {
        Ok(args) => args,
        Err(code) => return ExitCode::from(code),
    };
    match run(args) {
        Ok(code) => ExitCode::from(code),
        Err(sentence) => {
            eprintln!("candor: {sentence}");
            ExitCode::FAILURE
        }
    }
}

fn run(args: Args) -> Result<u8, String> {
    let home = std::env::var_os("CANDOR_HOME").map(PathBuf::from);
    let paths = Paths::find(home.as_deref()).map_err(|error| error.to_string())?;
    match args.command {
        Some(command) => run_command(&paths, command),
        None => converse(paths, args),
    }
}

fn run_command(paths: &Paths, command: Subcommand) -> Result<u8, String> {
    match command {
        Subcommand::Sessions { json, demo } => cli::sessions(paths, json, demo),
        Subcommand::Show { id, json } => cli::show(paths, &id, json),
        Subcommand::Completions { shell } => {
            cli::completions(shell);
            Ok(0)
        }
    }
}

/// The agent with a front end.
fn converse(paths: Paths, args: Args) -> Result<u8, String> {
    if !args.plain {
        return Err("The full screen is not built yet. Start candor --plain.".into());
    }
    let settings = settings(&paths, &args)?;
    let cwd = directory(args.cd.as_deref())?;
    let wish = match (args.session, args.last) {
        (Some(id), _) => Wish::Session(id),
        (None, true) => Wish::Last,
        (None, false) => Wish::New,
    };
    let setup = Setup {
        paths,
        settings,
        demo: args.demo,
        cwd,
        environment: std::env::vars_os().collect(),
        launcher: Launcher::this_program()
            .map_err(|error| format!("This program cannot be found: {error}."))?,
        target: Target::New,
    };
    let options = plain::Options { message: args.message };
    plain::require_terminal()?;
    let handle = agent::start(setup, &wish)?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| format!("The program cannot start: {error}."))?;
    let left = runtime.block_on(plain::run(handle, options))?;
    farewell(&left.leaving);
    // The thread that reads the terminal cannot be told to stop.
    runtime.shutdown_background();
    Ok(left.code)
}

fn settings(paths: &Paths, args: &Args) -> Result<Settings, String> {
    let default = paths.settings_file();
    let file = args.config.as_deref().unwrap_or(&default);
    let mut settings = Settings::load(file, args.config.is_some()).map_err(|error| error.to_string())?;
    if let Some(base_url) = &args.base_url {
        settings.model.base_url.clone_from(base_url);
    }
    if let Some(model) = &args.model {
        settings.model.name.clone_from(model);
    }
    settings.check().map_err(|error| error.to_string())?;
    Ok(settings)
}

/// The absolute directory of a new session's commands.
fn directory(wanted: Option<&Path>) -> Result<String, String> {
    let path = match wanted {
        Some(path) => std::path::absolute(path).and_then(|path| path.canonicalize()),
        None => std::env::current_dir(),
    };
    let shown = wanted.map_or_else(|| "The current directory".into(), |path| path.display().to_string());
    let path = path.map_err(|error| format!("{shown} cannot be used: {error}."))?;
    if !path.is_dir() {
        return Err(format!("{shown} is not a directory."));
    }
    path.into_os_string()
        .into_string()
        .map_err(|_| format!("{shown} has a name that is not UTF-8; commands cannot be recorded there."))
}

/// Three lines that stay: what it was, its head, how to come back.
fn farewell(leaving: &Leaving) {
    let Some(session) = leaving.session else { return };
    println!("{}: {}", leaving.title, leaving.state);
    if let Some(head) = leaving.head {
        println!("head {head}");
    }
    println!("candor --session {session}");
}
