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
        Self::with_file(variable(&["VISUAL", "EDITOR"], "vi"), file)
    }

    /// The person's pager with a file. `$PAGER` may hold arguments.
    pub(crate) fn pager(file: &Path) -> Self {
        Self::with_file(variable(&["PAGER"], "less"), file)
    }

    /// A command line that a person has set, and a file behind it.
    fn with_file(name: String, file: &Path) -> Self {
        let mut command = Command::new("/bin/sh");
        command.arg("-c").arg(format!("exec {name} \"$1\"")).arg("sh").arg(file);
        Self { name, command, said: None }
    }

    /// Runs it to its end. The variables that hold keys of models are not for
    /// it.
    ///
    /// # Errors
    /// It cannot be started.
    pub(crate) fn run(mut self, key_variables: &[String]) -> io::Result<ExitStatus> {
        for variable in key_variables {
            self.command.env_remove(variable);
        }
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

/// A text in a file that only the person can read, for another program to
/// show. The file goes with this.
#[derive(Debug)]
pub(crate) struct CleanCopy {
    path: PathBuf,
}

/// Copies beside each other, at most: a name that is taken is not asked for again.
const COPIES: u32 = 1000;

impl CleanCopy {
    /// Makes a new file and has it written.
    ///
    /// # Errors
    /// The file cannot be made or written.
    pub(crate) fn create(write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<Self> {
        let name = |n: u32| std::env::temp_dir().join(format!("candor-{}-{n}.txt", std::process::id()));
        let make = |path: &Path| OpenOptions::new().write(true).create_new(true).mode(0o600).open(path);
        for path in (0..COPIES).map(name) {
            match make(&path) {
                Ok(mut file) => {
                    let copy = Self { path };
                    write(&mut file)?;
                    return Ok(copy);
                }
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
        Err(io::ErrorKind::AlreadyExists.into())
    }

    /// Where it is.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for CleanCopy {
    fn drop(&mut self) {
        // A file that is gone needs no removal.
        let _ = fs::remove_file(&self.path);
    }
}

fn variable(names: &[&str], otherwise: &str) -> String {
    let set = names.iter().find_map(|name| std::env::var(name).ok().filter(|value| !value.trim().is_empty()));
    set.unwrap_or_else(|| otherwise.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn a_clean_copy_is_private_and_goes() {
        let copies: Vec<CleanCopy> = ["one", "two"]
            .map(|text| CleanCopy::create(|out| out.write_all(text.as_bytes())).unwrap())
            .into();
        let paths: Vec<PathBuf> = copies.iter().map(|copy| copy.path().to_owned()).collect();
        assert_ne!(paths[0], paths[1]);
        for (path, text) in paths.iter().zip(["one", "two"]) {
            assert_eq!(fs::read_to_string(path).unwrap(), text);
            assert_eq!(fs::metadata(path).unwrap().permissions().mode() & 0o777, 0o600);
        }
        drop(copies);
        assert!(paths.iter().all(|path| !path.exists()));
    }

    #[test]
    fn no_program_gets_the_key() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let mut command = Command::new("/bin/sh");
        command.arg("-c").arg("printf %s \"$KEY_OF_A_TEST\" > \"$1\"").arg("sh").arg(file.path());
        command.env("KEY_OF_A_TEST", "secret");
        let program = Program { name: "sh".into(), command, said: None };
        assert!(program.run(&["KEY_OF_A_TEST".into()]).unwrap().success());
        assert_eq!(fs::read_to_string(file.path()).unwrap(), "");
    }
}
