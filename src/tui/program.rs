//! Another program on the terminal: the person's editor, the person's shell;
//! and the files that are opened for a person to read or edit.
//! What is done in them is the person's, not a tool call.
#![allow(clippy::disallowed_methods)] // an editor is started here, and files are opened for a person

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};

use super::sentences;

/// A program that will own the terminal.
#[derive(Debug)]
pub(crate) struct Program {
    /// What it is called in a sentence.
    pub name: String,
    command: Command,
    /// What stands on the terminal before it.
    said: Option<&'static str>,
}

impl Program {
    /// The person's shell in a directory, which first says whose it is.
    pub(crate) fn shell(cwd: &str) -> Self {
        let name = variable(&["SHELL"], "/bin/sh");
        let mut command = Command::new(&name);
        command.current_dir(cwd);
        Self { name, command, said: Some(sentences::SHELL) }
    }

    /// The person's editor with a file. `$EDITOR` may hold arguments.
    pub(crate) fn editor(file: &Path) -> Self {
        let name = variable(&["VISUAL", "EDITOR"], "vi");
        let mut command = Command::new("/bin/sh");
        command.arg("-c").arg(format!("exec {name} \"$1\"")).arg("sh").arg(file);
        Self { name, command, said: None }
    }

    /// Runs it to its end.
    ///
    /// # Errors
    /// It cannot be started.
    pub(crate) fn run(mut self) -> io::Result<ExitStatus> {
        if let Some(said) = self.said {
            let mut out = io::stdout();
            writeln!(out, "{said}").and_then(|()| out.flush())?;
        }
        self.command.status()
    }
}

/// What is read back at most, in bytes: what is longer is no message.
const EDITED_BYTES: u64 = 16 << 20;

/// A text in a file that only the person can read, for an editor. The file goes
/// with it, unless it holds what could not be taken.
#[derive(Debug)]
pub(crate) struct EditedText {
    path: PathBuf,
    keep: bool,
}

impl EditedText {
    /// Writes the text into a new file.
    ///
    /// # Errors
    /// The file cannot be made.
    pub(crate) fn create(text: &str) -> io::Result<Self> {
        let path = std::env::temp_dir().join(format!("candor-{}.md", uuid::Uuid::now_v7()));
        let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path)?;
        let edited = Self { path, keep: false };
        file.write_all(text.as_bytes())?;
        Ok(edited)
    }

    /// Where it is.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// What the editor left in it.
    ///
    /// # Errors
    /// A sentence. What is no text or too long stays in the file, which the
    /// sentence names.
    pub(crate) fn read(mut self) -> Result<String, String> {
        let length =
            fs::metadata(&self.path).map_err(|error| sentences::no_editor(&error.to_string()))?.len();
        let read = if length > EDITED_BYTES {
            Err(io::Error::other(format!("it has {} MiB", length >> 20)))
        } else {
            fs::read_to_string(&self.path)
        };
        read.map_err(|error| {
            self.keep = true;
            sentences::not_taken(&error.to_string(), &self.path)
        })
    }
}

impl Drop for EditedText {
    fn drop(&mut self) {
        if !self.keep {
            // A file that is gone needs no removal.
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// The whole output of an execution, as it is kept.
///
/// # Errors
/// There is none, or it cannot be read.
pub(crate) fn read_output(file: Option<&Path>) -> io::Result<Vec<u8>> {
    fs::read(file.ok_or(io::ErrorKind::NotFound)?)
}

fn variable(names: &[&str], otherwise: &str) -> String {
    let set = names.iter().find_map(|name| std::env::var(name).ok().filter(|value| !value.trim().is_empty()));
    set.unwrap_or_else(|| otherwise.to_owned())
}
