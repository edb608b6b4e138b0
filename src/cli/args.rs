//! The command line.

use super::named::SessionName;
use super::values::{model_name, session_name};
use super::{CrashTestArgs, ImportArgs, InspectArgs, KeyArgs, ReconcileArgs, SessionsArgs, ShowArgs, say};
use crate::config::check_base_url;
use crate::text::Clean;
use clap::builder::StyledStr;
use clap::{CommandFactory as _, Parser};
use std::ffi::OsString;
use std::io::{self, Write as _};
use std::path::PathBuf;

/// Exit code of a wrong command line; never 1 or 2, which `inspect` uses.
pub const USAGE: u8 = 64;

/// A terminal agent that never claims more than it can prove.
#[derive(Debug, Parser)]
#[command(
    name = "candor",
    version,
    about,
    args_conflicts_with_subcommands = true,
    disable_help_subcommand = true
)]
pub struct Args {
    /// Put into the composer; nothing is sent before Enter
    pub message: Option<String>,
    /// The built-in scripted model: no key, no network
    #[arg(long, conflicts_with_all = ["base_url", "model"])]
    pub demo: bool,
    /// Lines on an ordinary terminal instead of a full screen
    #[arg(long)]
    pub plain: bool,
    /// Open the last session of this directory
    #[arg(short = 'c', long = "continue", conflicts_with = "session")]
    pub last: bool,
    /// Open this session; the first 8 characters of its id are enough
    #[arg(short = 's', long = "session", value_name = "ID", value_parser = session_name)]
    pub session: Option<SessionName>,
    /// Directory of a new session's commands
    #[arg(long, value_name = "DIR", conflicts_with_all = ["session", "last"])]
    pub cd: Option<PathBuf>,
    /// Base URL of the model's server
    #[arg(long, value_name = "URL")]
    pub base_url: Option<String>,
    /// The model's name
    #[arg(long, value_name = "NAME", value_parser = model_name)]
    pub model: Option<String>,
    /// Another settings file
    #[arg(long, value_name = "FILE", global = true)]
    pub config: Option<PathBuf>,
    /// A command that needs no screen
    #[command(subcommand)]
    pub command: Option<Subcommand>,
}

/// The commands that need no screen.
#[derive(Debug, clap::Subcommand)]
pub enum Subcommand {
    /// List sessions with their state
    Sessions(SessionsArgs),
    /// Print a transcript
    Show(ShowArgs),
    /// Look at everything that Candor needs, and say what would break
    Doctor {
        /// For the demo: nothing is contacted
        #[arg(long)]
        demo: bool,
    },
    /// Verify a journal and report its evidence: exit 0, 1 or 2
    Inspect(Box<InspectArgs>),
    /// Record a signed decision about an unknown effect, beside the journal
    Reconcile(Box<ReconcileArgs>),
    /// Bring in another program's history; its file stays as it is
    Import(ImportArgs),
    /// Show the public key and its id
    Key(KeyArgs),
    /// Kill Candor at every step of a turn, in a scratch directory, and check what it then says
    CrashTest(CrashTestArgs),
    /// Print the manual page, for man -l
    Man,
    /// Print completions for a shell
    Completions {
        /// The shell
        #[arg(value_name = "bash|elvish|fish|powershell|zsh")]
        shell: clap_complete::Shell,
    },
}

/// Reads the command line.
///
/// # Errors
/// The exit code after help, version or a usage error was printed.
pub fn parse(arguments: impl IntoIterator<Item = OsString>) -> Result<Args, u8> {
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    let args = Args::try_parse_from(&arguments).map_err(|error| {
        if error.use_stderr() {
            let said = error.render().to_string();
            return refuse(words_of_a_message(&said, &arguments).unwrap_or(&said), &arguments);
        }
        match error.print() {
            // A reader that went away wants no more.
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
                say::aside(&format!("candor: Standard output cannot be written: {error}."));
                1
            }
            Ok(()) | Err(_) => 0,
        }
    })?;
    match contradiction(&args) {
        Some(said) => Err(refuse(&format!("error: {said}\n"), &arguments)),
        None => Ok(args),
    }
}

/// Prints what is wrong, which can repeat any argument, and the usage line.
fn refuse(said: &str, arguments: &[OsString]) -> u8 {
    say::progress(Clean::block(said).as_ref());
    if !said.contains(USAGE_LINE) {
        say::aside(&format!("\n{}", usage(arguments)));
    }
    USAGE
}

/// Instead of what clap says where the words of a message were taken for more
/// than one; nothing where a command was meant.
fn words_of_a_message(said: &str, arguments: &[OsString]) -> Option<&'static str> {
    let about_message = said.split(USAGE_LINE).next().is_some_and(|above| above.contains("[MESSAGE]"));
    let commands = commands();
    let names_one = arguments.iter().skip(1).any(|word| commands.iter().any(|name| word == name.as_str()));
    match (about_message, names_one) {
        (false, _) => None,
        (true, false) => {
            Some("error: a message of several words stands in quotes: candor \"Add milk to shopping.txt\"\n")
        }
        (true, true) => Some("error: a command stands first, before any option\n"),
    }
}

/// The names of all commands.
fn commands() -> Vec<String> {
    Args::command().get_subcommands().map(|command| command.get_name().to_owned()).collect()
}

/// A message of one word that is a command in the wrong place, or nearly one.
fn meant_as_command(word: &str) -> Option<String> {
    let commands = commands();
    if commands.iter().any(|name| name == word) {
        return Some(format!("'{word}' is a command; it stands first, before any option"));
    }
    // Shorter words are too near to words of a language.
    let name = commands.iter().find(|name| word.len() >= 5 && is_one_apart(word, name))?;
    Some(format!("'{word}' is no command, 'candor {name}' is; as a message it can be typed on the screen"))
}

/// Whether one character more, less or other makes one word of the other.
fn is_one_apart(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    let start = a.iter().zip(b).take_while(|(a, b)| a == b).count();
    let (a, b) = (&a[start..], &b[start..]);
    match (a.get(1..), b.get(1..)) {
        (Some(rest_a), Some(rest_b)) => rest_a == b || rest_b == a || rest_a == rest_b,
        (Some(rest), None) | (None, Some(rest)) => rest.is_empty(),
        (None, None) => false,
    }
}

/// What is wrong with values that may not be repeated, or only together.
fn contradiction(args: &Args) -> Option<String> {
    let base_url = args.base_url.as_deref().map_or(Ok(()), check_base_url);
    if let Err(reason) = base_url {
        return Some(format!("the value of '--base-url' {reason}"));
    }
    if let Some(said) = args.message.as_deref().and_then(meant_as_command) {
        return Some(said);
    }
    match &args.command {
        Some(Subcommand::Inspect(inspect)) => inspect.contradiction(),
        Some(_) | None => None,
    }
}

/// What the line begins with, in clap's words.
const USAGE_LINE: &str = "Usage:";

/// The usage line of the command that was meant; clap leaves it out where only
/// a value is wrong.
fn usage(arguments: &[OsString]) -> StyledStr {
    let mut program = Args::command();
    program.build();
    let below = |command, argument| clap::Command::find_subcommand(command, argument).unwrap_or(command);
    arguments.iter().skip(1).fold(&program, below).clone().render_usage()
}

/// Prints the completions of a shell.
///
/// # Errors
/// One sentence, if they cannot be written.
pub fn completions(shell: clap_complete::Shell) -> Result<(), String> {
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut Args::command(), "candor", &mut text);
    let mut out = std::io::stdout().lock();
    out.write_all(&text)
        .and_then(|()| out.flush())
        .map_err(|error| format!("The completions cannot be printed: {error}."))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_that_is_nearly_a_command_is_no_message() {
        for word in ["session", "sesions", "doctors", "inspekt", "sessions"] {
            assert!(meant_as_command(word).is_some(), "{word}");
        }
        for word in ["hello", "hey", "keys", "mad", "how", "inspector", "Run: ls", "date", ""] {
            assert_eq!(meant_as_command(word), None, "{word}");
        }
    }
}
