//! Another program on the terminal: the person's editor, the person's shell;
//! and the files that are opened for a person to read or edit.
//! What is done in them is the person's, not a tool call.
#![allow(clippy::disallowed_methods)] // an editor is started here, and files are opened for a person

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};

/// A program that will own the terminal.
#[derive(Debug)]
pub(crate) struct Program {
    /// What it is called in a sentence.
    pub name: String,
    command: Command,
}

impl Program {
    /// The person's shell in a directory.
    pub(crate) fn shell(cwd: &str) -> Self {
        let name = variable(&["SHELL"], "/bin/sh");
        let mut command = Command::new(&name);
        command.current_dir(cwd);
        Self { name, command }
    }

    /// The person's editor with a file. `$EDITOR` may hold arguments.
    pub(crate) fn editor(file: &Path) -> Self {
        let name = variable(&["VISUAL", "EDITOR"], "vi");
        let mut command = Command::new("/bin/sh");
        command.arg("-c").arg(format!("exec {name} \"$1\"")).arg("sh").arg(file);
        Self { name, command }
    }

    /// Runs it to its end.
    ///
    /// # Errors
    /// It cannot be started.
    pub(crate) fn run(mut self) -> io::Result<ExitStatus> {
        self.command.status()
    }
}

/// A text in a file that only the person can read, for an editor.
#[derive(Debug)]
pub(crate) struct EditedText {
    path: PathBuf,
}

impl EditedText {
    /// Writes the text into a new file.
    ///
    /// # Errors
    /// The file cannot be made.
    pub(crate) fn create(text: &str) -> io::Result<Self> {
        let path = std::env::temp_dir().join(format!("candor-{}.md", std::process::id()));
        let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path)?;
        file.write_all(text.as_bytes())?;
        Ok(Self { path })
    }

    /// Where it is.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// What the editor left in it.
    ///
    /// # Errors
    /// It cannot be read, or is no text.
    pub(crate) fn read(&self) -> io::Result<String> {
        fs::read_to_string(&self.path)
    }
}

impl Drop for EditedText {
    fn drop(&mut self) {
        // A file that is gone needs no removal.
        let _ = fs::remove_file(&self.path);
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
