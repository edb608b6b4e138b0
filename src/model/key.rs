//! Where the key comes from: a variable, or a program that prints it.

use super::error::SetupError;
use super::{ModelError, check_base_url};
use crate::config::ModelSettings;
use secrecy::SecretString;
use std::ffi::OsString;
use std::fmt;
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
    let name = match KeyOrigin::of(settings) {
        KeyOrigin::Command => return from_command(&settings.api_key_command, limit).map(Some),
        KeyOrigin::Nowhere => return Ok(None),
        KeyOrigin::Variable(name) => name,
    };
    match variable(&name).filter(|value| !value.is_empty()) {
        Some(value) => {
            let value = value.into_string().map_err(|_| SetupError::KeyForm {
                origin: KeyOrigin::Variable(name),
                what: "bytes that are not UTF-8",
            })?;
            Ok(Some(SecretString::from(value)))
        }
        None if check_base_url(&settings.base_url).is_ok_and(|base| !base.is_encrypted()) => Ok(None),
        None => Err(SetupError::NoKey { variable: name }),
    }
}

/// Where the key comes from, for sentences.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum KeyOrigin {
    /// A variable, by its name.
    Variable(String),
    /// `api_key_command`.
    Command,
    /// The settings name none.
    Nowhere,
}

impl KeyOrigin {
    pub(super) fn of(settings: &ModelSettings) -> Self {
        match (settings.api_key_command.as_str(), settings.api_key_env.as_str()) {
            ("", "") => Self::Nowhere,
            ("", variable) => Self::Variable(variable.into()),
            _ => Self::Command,
        }
    }
}

impl fmt::Display for KeyOrigin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Variable(name) => write!(f, "the key in {name}"),
            Self::Command => f.write_str("the key from api_key_command"),
            Self::Nowhere => f.write_str("the key"),
        }
    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use secrecy::ExposeSecret;

    fn read(settings: &ModelSettings, value: Option<&str>) -> Result<Option<String>, SetupError> {
        let variable = |name: &str| (name == "KEY").then_some(value).flatten().map(OsString::from);
        let key = read_with(settings, variable, Duration::from_secs(30))?;
        Ok(key.map(|key| key.expose_secret().to_owned()))
    }

    fn settings(base_url: &str, variable: &str, command: &str) -> ModelSettings {
        ModelSettings {
            base_url: base_url.into(),
            api_key_env: variable.into(),
            api_key_command: command.into(),
            ..ModelSettings::default()
        }
    }

    #[test]
    fn a_variable() {
        let hosted = settings("https://host/v1", "KEY", "");
        assert_eq!(read(&hosted, Some("sk")).unwrap().as_deref(), Some("sk"));
        let missing = SetupError::NoKey { variable: "KEY".into() };
        assert_eq!(read(&hosted, None).unwrap_err(), missing);
        assert_eq!(read(&hosted, Some("")).unwrap_err(), missing);
        let local = settings("http://127.0.0.1:8080/v1", "KEY", "");
        assert_eq!(read(&local, None).unwrap(), None);
        assert_eq!(read(&local, Some("sk")).unwrap().as_deref(), Some("sk"));
        assert_eq!(read(&settings("https://host/v1", "", ""), Some("sk")).unwrap(), None);
    }

    #[test]
    fn a_command() {
        let command = |command: &str| read(&settings("https://host/v1", "KEY", command), Some("unused"));
        assert_eq!(command("printf 'sk\\r\\nmore\\n'").unwrap().as_deref(), Some("sk"));
        assert_eq!(command("printf sk").unwrap().as_deref(), Some("sk"));
        // More than a pipe holds, and somebody who keeps it open.
        assert_eq!(command("echo sk; seq 100000; sleep 5 &").unwrap().as_deref(), Some("sk"));
        for (text, what) in
            [("true", "printed nothing"), ("echo", "printed nothing"), ("echo sk; exit 3", "failed")]
        {
            let error = ModelError::from(command(text).unwrap_err()).sentence;
            assert!(error.contains(what) && !error.contains("sk"), "{error}");
        }
    }

    #[test]
    fn a_command_that_hangs_is_stopped() {
        let hanging = settings("https://host/v1", "", "exec sleep 600");
        let error = read_with(&hanging, |_| None, Duration::from_millis(20)).unwrap_err();
        let sentence = ModelError::from(error).sentence;
        assert!(sentence.contains("took over 0.02 s and was stopped"), "{sentence}");
    }
}
