//! The `candor` program: command line in, exit code out.

use candor::agent::first::FirstStart;
use candor::agent::{self, Setup, Started, Target, Wish};
use candor::cli::{self, Args, Subcommand};
use candor::config::{ConfigError, Paths, ScreenSettings, Settings};
use candor::tools::Launcher;
use candor::{plain, tui};
use std::io::{IsTerminal as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

fn main() -> ExitCode {
    // A supervisor is chosen before anything else is set up.
    let mut arguments = std::env::args_os();
    if arguments.nth(1).is_some_and(|first| first == "supervise") {
        return match (arguments.next(), arguments.next()) {
            (Some(dir), None) => candor::tools::supervise(Path::new(&dir)),
            (_, _) => {
                cli::aside("Usage: candor supervise DIR");
                ExitCode::from(cli::USAGE)
            }
        };
    }
    let args = match cli::parse(std::env::args_os()) {
        Ok(args) => args,
        Err(code) => return ExitCode::from(code),
    };
    writes_fail_instead_of_killing();
    match run(args) {
        Ok(code) => ExitCode::from(code),
        Err(sentence) => {
            cli::complain(&sentence);
            ExitCode::FAILURE
        }
    }
}

/// A write beyond the limit for files has to be an error that is said, like one
/// on a full disk. A handler, unlike an ignored signal, is gone in a supervisor
/// and its command.
fn writes_fail_instead_of_killing() {
    let unheeded = Arc::new(AtomicBool::new(false));
    // Without the handler all works as long as no such limit is met.
    let _ = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, unheeded);
}

fn run(args: Args) -> Result<u8, String> {
    let home = std::env::var_os("CANDOR_HOME").map(PathBuf::from);
    let paths = Paths::find(home.as_deref()).map_err(|error| error.to_string())?;
    match args.command {
        Some(command) => run_command(&paths, command, args.config.as_deref()),
        None => converse(paths, args),
    }
}

fn run_command(paths: &Paths, command: Subcommand, config: Option<&Path>) -> Result<u8, String> {
    match command {
        Subcommand::Sessions(args) => cli::sessions(paths, &args),
        Subcommand::Show(args) => cli::show(paths, &args),
        Subcommand::Inspect(args) => cli::inspect(paths, *args),
        Subcommand::Reconcile(args) => cli::reconcile(paths, *args),
        Subcommand::Import(args) => cli::import(paths, &args),
        Subcommand::Key(args) => cli::key(paths, &args),
        Subcommand::CrashTest(args) => cli::crash_test(&args),
        Subcommand::Completions { shell } => cli::completions(shell).map(|()| 0),
        Subcommand::Man => cli::man().map(|()| 0),
        Subcommand::Doctor { demo } => {
            cli::doctor(paths, loaded(paths, config).map_err(|error| error.to_string()), demo)
        }
    }
}

/// The agent with a front end.
fn converse(paths: Paths, args: Args) -> Result<u8, String> {
    let mut settings = settings(&paths, &args)?;
    let cwd = directory(args.cd.as_deref())?;
    let wish = match (args.session, args.last) {
        (Some(name), _) => Wish::Session(name.find(&paths)?),
        (None, true) => Wish::Last,
        (None, false) => Wish::New,
    };
    let face = if args.plain { Face::Plain } else { Face::Screen };
    face.require_terminal()?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| format!("The program cannot start: {error}."))?;
    let settings_file = args.config.clone().unwrap_or_else(|| paths.settings_file());
    let mut demo = args.demo;
    let first = (wish == Wish::New && !demo).then(|| FirstStart::of(&settings.model)).flatten();
    if let (Face::Plain, Some(first)) = (face, &first) {
        match runtime.block_on(plain::begin(&settings_file, first.server()))? {
            plain::Beginning::Demo => demo = true,
            plain::Beginning::With(model) => settings.model = model,
            plain::Beginning::Left => return Ok(0),
        }
    }
    let look = Look {
        screen: settings.screen.clone(),
        context_window: settings.model.context_window,
        key_variable: settings.model.api_key_env.clone(),
        first,
    };
    let setup = Setup {
        paths,
        settings,
        settings_file,
        demo,
        cwd,
        environment: std::env::vars_os().collect(),
        launcher: Launcher::this_program()
            .map_err(|error| format!("This program cannot be found: {error}."))?,
        target: Target::New,
    };
    let started = agent::start(setup, &wish)?;
    let code = runtime.block_on(face.run(started, look, args.message))?;
    // The thread that reads the terminal cannot be told to stop.
    runtime.shutdown_background();
    Ok(code)
}

/// What the screen takes from the settings.
struct Look {
    screen: ScreenSettings,
    context_window: u64,
    first: Option<FirstStart>,
    key_variable: String,
}

/// Which front end.
#[derive(Debug, Clone, Copy)]
enum Face {
    Screen,
    Plain,
}

impl Face {
    fn require_terminal(self) -> Result<(), String> {
        let (input, output) = (std::io::stdin().is_terminal(), std::io::stdout().is_terminal());
        match self {
            Self::Plain if !input => {
                Err("candor --plain needs a terminal: from a pipe nothing is approved or acknowledged."
                    .into())
            }
            Self::Screen if !input || !output => Err(
                "candor needs a terminal for its screen. candor --help names the commands that need none."
                    .into(),
            ),
            Self::Plain | Self::Screen => Ok(()),
        }
    }

    async fn run(self, started: Started, look: Look, message: Option<String>) -> Result<u8, String> {
        let Started { handle, cwd, model, demo, failure } = started;
        let left = match self {
            Self::Plain => {
                plain::run(handle, plain::Options { message }).await.map(|left| (left.lines, left.code))
            }
            Self::Screen => {
                tokio::spawn(async { candor::tools::panicpoint("screen") });
                let Look { screen: settings, context_window, key_variable, first } = look;
                let options =
                    tui::Options { settings, message, cwd, model, demo, context_window, first, key_variable };
                let left = tui::run(handle, options).await.map_err(|error| error.to_string());
                left.map(|left| (left.lines, 0))
            }
        };
        if let Ok(sentence) = failure.try_recv() {
            return Err(sentence);
        }
        let (lines, code) = left?;
        let mut out = std::io::stdout().lock();
        // A terminal that is gone reads no last words.
        let _ = lines.iter().try_for_each(|line| writeln!(out, "{line}"));
        Ok(code)
    }
}

/// The settings as the file has them.
fn loaded(paths: &Paths, config: Option<&Path>) -> Result<Settings, ConfigError> {
    let default = paths.settings_file();
    Settings::load(config.unwrap_or(&default), config.is_some())
}

fn settings(paths: &Paths, args: &Args) -> Result<Settings, String> {
    let mut settings = loaded(paths, args.config.as_deref()).map_err(|error| error.to_string())?;
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
