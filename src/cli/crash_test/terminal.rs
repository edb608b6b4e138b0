//! The program in a pseudo-terminal.

use super::scratch::Scratch;
use super::{Halt, Stop};
use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};
use rustix::process::{Pid, Signal, kill_process};
use std::io::{Read as _, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Rows and columns; every row of a round's commands is visible.
const SIZE: (u16, u16) = (40, 120);
/// How long the program may take for anything, on a machine that is busy.
pub(super) const PATIENCE: Duration = Duration::from_secs(30);
/// Between two looks at what a program does.
pub(super) const LOOK: Duration = Duration::from_micros(100);

/// What makes pseudo-terminals.
const MULTIPLEXER: &str = "/dev/ptmx";

/// What the program puts around each picture, so that none is seen half drawn.
const PICTURE_BEGINS: &[u8] = b"\x1b[?2026h";
const PICTURE_ENDS: &[u8] = b"\x1b[?2026l";

/// What was printed, and whether more may come.
#[derive(Debug, Default)]
struct Seen {
    bytes: Vec<u8>,
    ended: bool,
}

/// A program in a pseudo-terminal. Killed when it is dropped.
pub(super) struct Terminal {
    child: Box<dyn Child + Send + Sync>,
    /// Closing it would be a hang-up.
    _master: Box<dyn MasterPty + Send>,
    writer: Box<dyn Write + Send>,
    seen: Arc<Mutex<Seen>>,
    /// Where the next text is looked for.
    from: usize,
    /// Up to where there was none.
    looked: usize,
    screen: vt100::Parser,
    fed: usize,
    exited: bool,
}

/// Says why there are no pseudo-terminals, if there are none.
///
/// # Errors
/// A sentence.
pub(super) fn try_one() -> Result<(), String> {
    // The library's own words for it are not for people.
    rustix::fs::access(MULTIPLEXER, rustix::fs::Access::READ_OK | rustix::fs::Access::WRITE_OK)
        .map_err(|error| no_terminal(&format!("{MULTIPLEXER} cannot be used ({error})")))?;
    native_pty_system().openpty(size()).map(drop).map_err(|error| no_terminal(&error))
}

fn size() -> PtySize {
    PtySize { rows: SIZE.0, cols: SIZE.1, pixel_width: 0, pixel_height: 0 }
}

fn no_terminal(error: &impl std::fmt::Display) -> String {
    format!("The test needs a pseudo-terminal, and there is none to be had: {error}.")
}

impl Terminal {
    /// Starts the program that is tested.
    pub(super) fn start(scratch: &Scratch, arguments: &[&str]) -> Result<Self, Halt> {
        let broken = |error: &dyn std::fmt::Display| Halt::Broken(no_terminal(&error));
        let pty = native_pty_system().openpty(size()).map_err(|error| broken(&error))?;
        let mut command = CommandBuilder::new(scratch.program());
        command.args(arguments);
        command.cwd(scratch.work());
        command.env_clear();
        for (name, value) in scratch.environment() {
            command.env(name, value);
        }
        let child = pty.slave.spawn_command(command).map_err(|error| {
            Halt::Broken(format!("{} cannot be started: {error}.", scratch.program().display()))
        })?;
        drop(pty.slave);
        let mut reader = pty.master.try_clone_reader().map_err(|error| broken(&error))?;
        let writer = pty.master.take_writer().map_err(|error| broken(&error))?;
        let seen = Arc::new(Mutex::new(Seen::default()));
        let shared = Arc::clone(&seen);
        std::thread::spawn(move || {
            let mut buffer = [0; 8192];
            loop {
                // The other side's end is an error on Linux.
                let count = reader.read(&mut buffer).unwrap_or(0);
                let mut seen = lock(&shared);
                seen.bytes.extend_from_slice(&buffer[..count]);
                seen.ended |= count == 0;
                if seen.ended {
                    return;
                }
            }
        });
        let screen = vt100::Parser::new(SIZE.0, SIZE.1, 0);
        Ok(Self {
            child,
            _master: pty.master,
            writer,
            seen,
            from: 0,
            looked: 0,
            screen,
            fed: 0,
            exited: false,
        })
    }

    /// Types this; a dead program reads nothing, which others find out.
    pub(super) fn types(&mut self, text: &str) {
        let _ = self.writer.write_all(text.as_bytes()).and_then(|()| self.writer.flush());
    }

    /// Which of these texts was printed first since the last one that was found.
    pub(super) fn first_of(&mut self, texts: &[&str]) -> Option<usize> {
        let seen = lock(&self.seen);
        if seen.bytes.len() == self.looked {
            return None;
        }
        let rest = &seen.bytes[self.from..];
        let found =
            texts.iter().enumerate().filter_map(|(which, text)| Some((find(rest, text.as_bytes())?, which)));
        match found.min() {
            Some((at, which)) => {
                self.from += at + texts[which].len();
                self.looked = 0;
                Some(which)
            }
            None => {
                self.looked = seen.bytes.len();
                None
            }
        }
    }

    /// What the screen shows now, as of its last whole picture: half of one
    /// and half of the next would show a dialog that has been answered.
    pub(super) fn screen(&mut self) -> String {
        let seen = lock(&self.seen);
        let whole = whole_pictures(&seen.bytes).len().max(self.fed);
        self.screen.process(&seen.bytes[self.fed..whole]);
        self.fed = whole;
        self.screen.screen().contents()
    }

    /// Whether it has ended by itself.
    pub(super) fn has_ended(&mut self) -> bool {
        self.exited |= matches!(self.child.try_wait(), Ok(Some(_)));
        self.exited
    }

    /// `kill -9` of this one process. Says whether that was its end: one that
    /// had ended before was not crashed.
    pub(super) fn crash(&mut self) -> bool {
        if self.has_ended() {
            return false;
        }
        let pid = self.child.process_id().and_then(|pid| i32::try_from(pid).ok()).and_then(Pid::from_raw);
        // It is not reaped yet, so its pid is its own.
        let sent = pid.is_some_and(|pid| kill_process(pid, Signal::KILL).is_ok());
        let status = self.child.wait();
        self.exited = true;
        sent && status.is_ok_and(|status| status.signal().is_some())
    }

    /// Waits for its end; its exit code.
    pub(super) fn exit_code(&mut self, stop: &Stop) -> Result<u32, Halt> {
        let until = Instant::now() + PATIENCE;
        loop {
            match self.child.try_wait() {
                Ok(Some(status)) => {
                    self.exited = true;
                    return Ok(status.exit_code());
                }
                Ok(None) if Instant::now() < until => stop.nap(Duration::from_millis(2))?,
                Ok(None) => return Err(Halt::Stuck("it does not end when it is left".into())),
                Err(error) => {
                    return Err(Halt::Broken(format!("The program cannot be waited for: {error}.")));
                }
            }
        }
    }

    /// Everything that was printed.
    pub(super) fn printed(&self) -> Vec<u8> {
        lock(&self.seen).bytes.clone()
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        if !self.exited {
            self.crash();
        }
    }
}

fn lock(seen: &Mutex<Seen>) -> MutexGuard<'_, Seen> {
    seen.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Up to the picture that is still being drawn, if one is.
fn whole_pictures(bytes: &[u8]) -> &[u8] {
    let last = |marker: &[u8]| bytes.windows(marker.len()).rposition(|window| window == marker);
    match (last(PICTURE_BEGINS), last(PICTURE_ENDS)) {
        (Some(begins), ends) if ends.is_none_or(|ends| ends < begins) => &bytes[..begins],
        _ => bytes,
    }
}

fn find(haystack: &[u8], needle: &[u8]) -> Option<usize> {
    haystack.windows(needle.len()).position(|window| window == needle)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_is_looked_at_when_it_is_whole() {
        let whole =
            |text: &'static str| String::from_utf8_lossy(whole_pictures(text.as_bytes())).into_owned();
        assert_eq!(whole(""), "");
        assert_eq!(whole("lines"), "lines");
        assert_eq!(whole("a\x1b[?2026hone"), "a");
        assert_eq!(whole("\x1b[?2026hone\x1b[?2026l"), "\x1b[?2026hone\x1b[?2026l");
        assert_eq!(whole("\x1b[?2026hone\x1b[?2026l\x1b[?2026htw"), "\x1b[?2026hone\x1b[?2026l");
    }
}
