//! Where the key comes from: a variable, or a program that prints it.

use super::error::SetupError;
use super::{ModelError, check_base_url};
use crate::config::ModelSettings;
use secrecy::SecretString;
use std::ffi::OsString;
use std::io::{BufRead, BufReader, Read};
use std::process::{Child, ChildStdout, ExitStatus, Stdio};
use std::sync::mpsc::{self, Sender};
use std::time::Duration;

/// How long the command may take; a password manager may ask for a finger.
const COMMAND_LIMIT: Duration = Duration::from_secs(30);
/// How long its output is waited for after its end; a daemon that it started may
/// hold the pipe for ever.
const PIPE_LIMIT: Duration = Duration::from_millis(250);
/// How often it is looked whether it has ended.
const LOOK_AGAIN: Duration = Duration::from_millis(10);
/// The longest line that is taken for a key, in bytes.
const KEY_BYTES: u64 = 8 << 10;

/// Reads the key that the settings name; none if they name none, or if its
/// variable is not set and the connection to the server is not encrypted, as
/// with a server on this machine. May take as long as `api_key_command` does.
///
/// # Errors
/// A sentence where a key is needed and there is none.
pub fn read_key(settings: &ModelSettings) -> Result<Option<SecretString>, ModelError> {
    Ok(read_with(settings, |name| std::env::var_os(name), COMMAND_LIMIT)?)
}

fn read_with(
    settings: &ModelSettings,
    variable: impl Fn(&str) -> Option<OsString>,
    limit: Duration,
) -> Result<Option<SecretString>, SetupError> {
    if !settings.api_key_command.is_empty() {
        return from_command(&settings.api_key_command, limit).map(Some);
    }
    let name = &settings.api_key_env;
    if name.is_empty() {
        return Ok(None);
    }
    match variable(name).filter(|value| !value.is_empty()) {
        Some(value) => {
            let value = value.into_string().map_err(|_| SetupError::KeyForm {
                origin: format!("in {name}"),
                what: "bytes that are not UTF-8",
            })?;
            Ok(Some(SecretString::from(value)))
        }
        None if check_base_url(&settings.base_url).is_ok_and(|base| !base.is_encrypted()) => Ok(None),
        None => Err(SetupError::NoKey { variable: name.clone() }),
    }
}

/// Where the key comes from, for sentences.
pub(super) fn key_origin(settings: &ModelSettings) -> String {
    if settings.api_key_command.is_empty() { settings.api_key_env.clone() } else { "api_key_command".into() }
}

/// The first line that the command prints.
fn from_command(command: &str, limit: Duration) -> Result<SecretString, SetupError> {
    let failed = |what: String| SetupError::KeyCommand { what };
    let mut child = spawn(command).map_err(|error| failed(format!("cannot be started ({error})")))?;
    let output = child.stdout.take();
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || output.map(|output| send_first_line(output, &sender)));
    match wait(&mut child, limit) {
        Ok(Some(status)) if status.success() => {}
        Ok(Some(status)) => return Err(failed(format!("failed ({status})"))),
        Ok(None) => return Err(failed(format!("took over {} s and was stopped", limit.as_secs_f64()))),
        Err(error) => return Err(failed(format!("cannot be waited for ({error})"))),
    }
    receiver.recv_timeout(PIPE_LIMIT).ok().flatten().ok_or_else(|| failed("printed nothing".into()))
}

/// Waits for the end of a program; one that takes too long is killed.
fn wait(child: &mut Child, limit: Duration) -> std::io::Result<Option<ExitStatus>> {
    let mut waited = Duration::ZERO;
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if waited >= limit {
            child.kill()?;
            return child.wait().map(|_| None);
        }
        std::thread::sleep(LOOK_AGAIN);
        waited += LOOK_AGAIN;
    }
}

#[allow(clippy::disallowed_methods)] // a key may come from a password manager; nothing else is started here
fn spawn(command: &str) -> std::io::Result<Child> {
    let mut shell = std::process::Command::new("sh");
    // The terminal is the screen's: a program that wants to ask uses its own window.
    shell.args(["-c", command]).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    shell.spawn()
}

/// Sends the first line without its end, none if it is empty. The rest is read
/// and dropped, so that the command does not meet a closed pipe.
fn send_first_line(output: ChildStdout, to: &Sender<Option<SecretString>>) {
    let mut line = String::new();
    let mut output = BufReader::new(output);
    let read = output.by_ref().take(KEY_BYTES).read_line(&mut line);
    let line = line.trim_end_matches(['\n', '\r']);
    let key = (read.is_ok() && !line.is_empty()).then(|| SecretString::from(line));
    // Who asked may have given up.
    let _ = to.send(key);
    let _ = std::io::copy(&mut output, &mut std::io::sink());
}
