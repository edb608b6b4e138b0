//! The directory of one round, and the program that is tested in it.

use super::Halt;
use crate::config::Paths;
use crate::store::{Kind, Layout};
use std::ffi::OsString;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::Duration;

/// How often the removal of a directory is tried, and after how long again.
const REMOVALS: usize = 5;
const BETWEEN_REMOVALS: Duration = Duration::from_millis(100);

/// A home, a directory for commands, and beside both the file with the marks.
#[derive(Debug)]
pub(super) struct Scratch {
    dir: PathBuf,
    program: PathBuf,
}

impl Scratch {
    /// Makes it under `parent`, which is for its owner only.
    pub(super) fn new(parent: &Path, name: &str, program: &Path, is_limited: bool) -> Result<Self, Halt> {
        let scratch = Self { dir: parent.join(name), program: program.to_owned() };
        let made = std::fs::create_dir_all(scratch.work()).and_then(|()| {
            if !is_limited {
                return Ok(());
            }
            let settings = scratch.paths().settings_file();
            std::fs::create_dir_all(scratch.paths().config)?;
            std::fs::write(settings, "[bash]\ntimeout_seconds = 1\n")
        });
        made.map_err(|error| Halt::Broken(format!("{} cannot be made: {error}.", scratch.dir.display())))?;
        Ok(scratch)
    }

    pub(super) fn dir(&self) -> &Path {
        &self.dir
    }

    pub(super) fn program(&self) -> &Path {
        &self.program
    }

    /// Where the commands run.
    pub(super) fn work(&self) -> PathBuf {
        self.dir.join("work")
    }

    fn home(&self) -> PathBuf {
        self.dir.join("home")
    }

    fn paths(&self) -> Paths {
        Paths { config: self.home().join("config"), data: self.home().join("data") }
    }

    /// The sessions of the demo.
    pub(super) fn sessions(&self) -> PathBuf {
        Layout::new(&self.paths().data, Kind::Demo).sessions()
    }

    /// What the commands wrote outside, one mark a line.
    pub(super) fn marks(&self) -> Vec<String> {
        let bytes = std::fs::read(self.dir.join("marks")).unwrap_or_default();
        String::from_utf8_lossy(&bytes).lines().map(str::to_owned).collect()
    }

    /// Nothing of the person's own reaches the program, a key least of all.
    pub(super) fn environment(&self) -> Vec<(&'static str, OsString)> {
        let path = std::env::var_os("PATH").unwrap_or_else(|| "/usr/local/bin:/usr/bin:/bin".into());
        vec![
            ("PATH", path),
            ("HOME", self.dir.clone().into()),
            ("CANDOR_HOME", self.home().into()),
            ("LANG", "C.UTF-8".into()),
            ("TERM", "xterm-256color".into()),
        ]
    }

    /// Runs a command of the program that needs no terminal.
    pub(super) fn run(&self, arguments: &[&str]) -> Result<Output, Halt> {
        Command::new(&self.program)
            .args(arguments)
            .current_dir(self.work())
            .env_clear()
            .envs(self.environment())
            // Ctrl+C is for the test, which ends what it has begun.
            .process_group(0)
            .stdin(Stdio::null())
            .output()
            .map_err(|error| Halt::Broken(format!("{} cannot be started: {error}.", self.program.display())))
    }

    /// Forgets the round.
    pub(super) fn remove(self) {
        remove(&self.dir);
    }
}

/// Removes the directory of a round. A command that outlived its round may make
/// its last mark just then, so it is tried again; what cannot be removed is left
/// to whoever removes the parent.
pub(super) fn remove(dir: &Path) {
    for _ in 0..REMOVALS {
        match std::fs::remove_dir_all(dir) {
            Ok(()) => return,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return,
            Err(_) => std::thread::sleep(BETWEEN_REMOVALS),
        }
    }
}
