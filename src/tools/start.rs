//! The agent's half of a call folder: laying down the evidence before the
//! effect, and starting the supervisor. `docs/recovery.md` gives the order.

use super::folder::{Folder, LOCK, ORDER, RECEIPT_ROOM};
use super::{StartError, failpoint, lock};
use crate::record::{Order, limits};
use std::ffi::OsString;
use std::fs::{DirBuilder, File};
use std::io::{self, Write};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;

/// A call folder with everything in it that precedes the start record.
#[derive(Debug)]
pub struct Laid {
    dir: PathBuf,
    lock: File,
}

/// A supervisor that was started.
#[derive(Debug)]
pub struct Execution {
    /// The call folder.
    pub dir: PathBuf,
    /// The supervisor's process id.
    pub supervisor: u32,
}

/// Starts supervisors from a program that knows `supervise DIR`.
#[derive(Debug, Clone)]
pub struct Launcher {
    /// The program.
    pub program: PathBuf,
}

/// Makes the folder of an execution under `calls_dir` and everything in it
/// that has to be on disk before the start record: order, lock (taken), room
/// for the receipt. All of it is durable when this returns.
///
/// # Errors
/// Any error of the file system, a held lock included; what was made is
/// removed again, as nothing has happened yet.
pub fn lay(calls_dir: &Path, order: &Order) -> io::Result<Laid> {
    let dir = std::path::absolute(calls_dir)?.join(order.dispatch.to_string());
    DirBuilder::new().mode(0o700).create(&dir)?;
    let laid = fill(&dir, order).and_then(|lock| {
        File::open(calls_dir)?.sync_all()?;
        Ok(lock)
    });
    match laid {
        Ok(lock) => {
            failpoint("laid");
            Ok(Laid { dir, lock })
        }
        Err(error) => {
            // If this fails, too, a folder without launch.json remains: it says nothing.
            let _ = std::fs::remove_dir_all(&dir);
            Err(error)
        }
    }
}

fn fill(dir: &Path, order: &Order) -> io::Result<File> {
    let folder = Folder::open(dir)?;
    write_new(&folder, ORDER, &serde_json::to_vec(order)?)?;
    let lock = folder.create(LOCK)?;
    lock::take(&lock)?;
    // Blanks: whatever the receipt leaves of them is still JSON.
    write_new(&folder, RECEIPT_ROOM, &[b' '; limits::RECEIPT_BYTES])?;
    folder.sync()?;
    Ok(lock)
}

fn write_new(folder: &Folder, name: &str, bytes: &[u8]) -> io::Result<()> {
    let mut file = folder.create(name)?;
    file.write_all(bytes)?;
    file.sync_data()
}

impl Laid {
    /// The call folder.
    #[must_use]
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// Starts the supervisor with exactly this environment.
    ///
    /// # Errors
    /// [`StartError`]: no supervisor was started, so nothing ran.
    pub fn start(self, environment: Vec<(OsString, OsString)>) -> Result<Execution, StartError> {
        Launcher::this_program()?.start(self, environment)
    }
}

impl Launcher {
    /// The running program itself, also when its file was replaced meanwhile.
    ///
    /// # Errors
    /// When the system cannot tell which program this is.
    pub fn this_program() -> io::Result<Self> {
        let program = if cfg!(target_os = "linux") {
            PathBuf::from("/proc/self/exe")
        } else {
            std::env::current_exe()?
        };
        Ok(Self { program })
    }

    /// Starts a supervisor with exactly this environment. The lock goes with
    /// it: from now on it lives as long as the supervisor does.
    ///
    /// # Errors
    /// [`StartError`]: no supervisor was started, so nothing ran.
    pub fn start(&self, laid: Laid, environment: Vec<(OsString, OsString)>) -> Result<Execution, StartError> {
        let Laid { dir, lock } = laid;
        // No process group of its own: its leader could not begin a session.
        let mut command = Command::new(&self.program);
        command
            .arg("supervise")
            .arg(&dir)
            .env_clear()
            .envs(environment)
            .current_dir("/")
            .stdin(Stdio::null())
            .stdout(Stdio::from(lock))
            .stderr(Stdio::null());
        #[cfg(feature = "failpoints")]
        if let Some(point) = std::env::var_os(failpoint::VARIABLE) {
            command.env(failpoint::VARIABLE, point);
        }
        let mut child = command.spawn()?;
        // The copy of the lock in it would outlive the supervisor.
        drop(command);
        let supervisor = child.id();
        failpoint("spawned");
        // Somebody has to reap it, as long as this process lives; without the
        // thread it only stays a zombie until then.
        let _ = thread::Builder::new().name("reaper".into()).spawn(move || child.wait());
        Ok(Execution { dir, supervisor })
    }
}
