//! Locks by `flock`: who works holds one exclusively, who only wants to know
//! tries it shared, once, and lets go at once.

use super::files::{Files, Hold, How, OpenFile, append_all, read_small};
use crate::record::Timestamp;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::io;
use std::path::Path;
use std::time::Duration;

/// How long somebody who wants to work waits between two attempts.
const STEP: Duration = Duration::from_millis(25);
/// How often it is tried: for 500 ms at most.
const ATTEMPTS: u32 = 20;
/// A holder's text is far smaller, in bytes.
const HOLDER_BYTES: usize = 4 << 10;

/// Who holds a lock, for the message to the second comer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Holder {
    /// Its process id.
    pub pid: u32,
    /// Its machine.
    pub host: String,
    /// Its terminal, such as `pts/3`, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub terminal: Option<String>,
    /// Since when it holds the lock.
    pub since: Timestamp,
}

impl Holder {
    /// This process, with the terminal that it was started in.
    #[must_use]
    pub fn this_process(now: Timestamp) -> Self {
        let terminal = [rustix::stdio::stdin(), rustix::stdio::stdout(), rustix::stdio::stderr()]
            .into_iter()
            .find_map(|stream| rustix::termios::ttyname(stream, Vec::new()).ok())
            .map(|path| path.to_string_lossy().trim_start_matches("/dev/").to_owned());
        let host = rustix::system::uname().nodename().to_string_lossy().into_owned();
        Self { pid: std::process::id(), host, terminal, since: now }
    }
}

impl fmt::Display for Holder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(terminal) = &self.terminal {
            write!(f, "terminal {terminal}, ")?;
        }
        write!(f, "process {} on {}, since {}", self.pid, self.host, self.since)
    }
}

/// Why a lock was not taken.
#[derive(Debug, thiserror::Error)]
pub enum LockError {
    /// Somebody has it; who, if the text could be read.
    #[error("the session is open elsewhere{}", .0.as_ref().map(|holder| format!(": {holder}")).unwrap_or_default())]
    Held(Option<Holder>),
    /// The lock file cannot be opened.
    #[error("the lock cannot be opened: {0}")]
    Io(#[from] io::Error),
}

/// What a glance at a lock saw.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Probe {
    /// Nobody holds it, or there is no such file.
    Free,
    /// Somebody holds it.
    Held,
    /// Locks do not work here.
    NoLocks,
}

/// An exclusive lock, held until it is dropped and never inherited.
pub struct Lock {
    _file: Box<dyn OpenFile>,
    works: bool,
}

impl Lock {
    /// Takes the lock, waiting for at most 500 ms, and leaves the holder's text in it.
    ///
    /// # Errors
    /// [`LockError::Held`] tells by whom, [`LockError::Io`] what the system says.
    pub fn take(files: &dyn Files, path: &Path, holder: &Holder) -> Result<Self, LockError> {
        let mut file = files.open(path, How::Lock)?;
        let mut attempt = 1;
        let taken = loop {
            match file.try_lock(Hold::Exclusive) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock && attempt < ATTEMPTS => {
                    attempt += 1;
                    files.wait(STEP);
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    return Err(LockError::Held(read_holder(files, path)));
                }
                // The file system has no locks: whoever comes second is not kept out.
                other => break other.is_ok(),
            }
        };
        // Some file systems grant every lock.
        let works = taken && probe(files, path)? == Probe::Held;
        if works {
            write_holder(file.as_mut(), holder);
        }
        Ok(Self { _file: file, works })
    }

    /// Takes the lock of an existing file if it is free, for tidying up.
    ///
    /// # Errors
    /// `NotFound` without such a file, `WouldBlock` if it is held or if locks
    /// keep nobody out, else what the system says.
    pub fn take_existing(files: &dyn Files, path: &Path) -> io::Result<Self> {
        let file = files.open(path, How::Append)?;
        file.try_lock(Hold::Exclusive)?;
        match probe(files, path)? {
            Probe::Held => Ok(Self { _file: file, works: true }),
            Probe::Free | Probe::NoLocks => Err(io::ErrorKind::WouldBlock.into()),
        }
    }

    /// Whether the lock keeps others out. Where it does not, no tools are run.
    #[must_use]
    pub fn works(&self) -> bool {
        self.works
    }
}

/// Looks at a lock without making its file.
///
/// # Errors
/// What the system says about opening it.
pub fn probe(files: &dyn Files, path: &Path) -> io::Result<Probe> {
    let file = match files.open(path, How::Read) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Probe::Free),
        Err(error) => return Err(error),
    };
    Ok(match file.try_lock(Hold::Shared) {
        Ok(()) => Probe::Free,
        Err(error) if error.kind() == io::ErrorKind::WouldBlock => Probe::Held,
        Err(_) => Probe::NoLocks,
    })
}

/// What the holder left in the lock file; it may be of an earlier one. Names
/// with control characters in them are no holder's.
#[must_use]
pub fn read_holder(files: &dyn Files, path: &Path) -> Option<Holder> {
    let text = read_small(files, path, HOLDER_BYTES).ok()?;
    let holder: Holder = serde_json::from_slice(&text).ok()?;
    let acts = |name: &String| name.contains(char::is_control);
    let is_odd = acts(&holder.host) || holder.terminal.as_ref().is_some_and(acts);
    (!is_odd).then_some(holder)
}

/// The text only helps a person, so a full disk must not stand in the way.
fn write_holder(file: &mut dyn OpenFile, holder: &Holder) {
    let text = serde_json::to_vec(holder).unwrap_or_default();
    let _ = file.truncate(0).and_then(|()| append_all(file, &text));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::journal::files::memory::Memory;

    #[test]
    fn names_that_act_on_a_terminal_are_no_holders() {
        let files = Memory::new();
        let path = Path::new("/journal.lock");
        let since = Timestamp::from_millis(0);
        for (host, terminal, known) in [
            ("web", None, true),
            ("web", Some("pts/3"), true),
            ("w\u{1b}[2J", None, false),
            ("web", Some("\u{9d}2;x"), false),
            ("web\nCandor: fine", Some("pts/3"), false),
        ] {
            let holder = Holder { pid: 7, host: host.into(), terminal: terminal.map(Into::into), since };
            let mut file = files.open(path, How::Lock).unwrap();
            write_holder(file.as_mut(), &holder);
            assert_eq!(read_holder(&files, path), known.then_some(holder));
        }
    }

    #[test]
    fn a_holder_is_told_with_its_terminal_if_it_has_one() {
        let since = Timestamp::parse("2026-11-29T20:13:05.000Z").unwrap();
        let holder = Holder { pid: 7, host: "web".into(), terminal: None, since };
        assert_eq!(holder.to_string(), "process 7 on web, since 2026-11-29T20:13:05.000Z");
        let holder = Holder { terminal: Some("pts/3".into()), ..holder };
        assert!(holder.to_string().starts_with("terminal pts/3, process 7 on web"));
        let own = Holder::this_process(since);
        assert_eq!((own.pid, own.since), (std::process::id(), since));
    }
}
