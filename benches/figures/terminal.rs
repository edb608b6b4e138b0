//! A program in a pseudo-terminal, and when each byte of it came.

use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};
use std::io::{Read as _, Write as _};
use std::path::Path;
use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant};

/// Rows and columns of every screen that is measured.
pub(crate) const SIZE: (u16, u16) = (40, 120);
const PATIENCE: Duration = Duration::from_secs(120);
/// The pause after which Enter is a key and not part of a paste.
const PAUSE: Duration = Duration::from_millis(150);

#[derive(Default)]
struct Seen {
    bytes: Vec<u8>,
    /// Up to where bytes had come, and when.
    arrivals: Vec<(usize, Instant)>,
    ended: bool,
}

/// A program in a pseudo-terminal. It is killed when this is dropped.
pub(crate) struct Terminal {
    _master: Box<dyn MasterPty + Send>,
    writer: Box<dyn std::io::Write + Send>,
    child: Box<dyn Child + Send + Sync>,
    seen: Arc<(Mutex<Seen>, Condvar)>,
    parser: vt100::Parser,
    parsed: usize,
    /// Up to where texts were waited for.
    from: usize,
    /// When it was started.
    pub(crate) begun: Instant,
}

impl Terminal {
    pub(crate) fn start(program: &Path, arguments: &[&str], home: &Path, work: &Path) -> Self {
        let (rows, cols) = SIZE;
        let size = PtySize { rows, cols, pixel_width: 0, pixel_height: 0 };
        let pty = native_pty_system().openpty(size).unwrap();
        let mut command = CommandBuilder::new(program);
        command.args(arguments);
        command.cwd(work);
        for (name, value) in [("TERM", "xterm-256color"), ("LANG", "C.UTF-8")] {
            command.env(name, value);
        }
        command.env("CANDOR_HOME", home);
        ["OPENAI_API_KEY", "NO_COLOR", "TMUX", "SSH_TTY", "SSH_CONNECTION"]
            .iter()
            .for_each(|name| command.env_remove(name));
        let mut reader = pty.master.try_clone_reader().unwrap();
        let writer = pty.master.take_writer().unwrap();
        let seen = Arc::new((Mutex::new(Seen::default()), Condvar::new()));
        let shared = Arc::clone(&seen);
        std::thread::spawn(move || {
            let mut buffer = vec![0; 64 << 10];
            loop {
                let count = reader.read(&mut buffer).unwrap_or(0);
                let at = Instant::now();
                let mut seen = shared.0.lock().unwrap();
                seen.bytes.extend_from_slice(&buffer[..count]);
                let length = seen.bytes.len();
                seen.arrivals.push((length, at));
                seen.ended |= count == 0;
                shared.1.notify_all();
                if seen.ended {
                    return;
                }
            }
        });
        let begun = Instant::now();
        let child = pty.slave.spawn_command(command).unwrap();
        drop(pty.slave);
        let parser = vt100::Parser::new(rows, cols, 0);
        Self { _master: pty.master, writer, child, seen, parser, parsed: 0, from: 0, begun }
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.process_id().unwrap()
    }

    /// Types this; when that was.
    pub(crate) fn send(&mut self, text: &str) -> Instant {
        let at = Instant::now();
        self.writer.write_all(text.as_bytes()).unwrap();
        self.writer.flush().unwrap();
        at
    }

    /// What comes from here on is waited for.
    pub(crate) fn forget(&mut self) {
        self.from = self.seen.0.lock().unwrap().bytes.len();
    }

    /// Waits until these bytes came after the last ones waited for; when that was.
    pub(crate) fn wait_for(&mut self, text: &str) -> Instant {
        let until = Instant::now() + PATIENCE;
        let mut scanned = self.from;
        let shared = Arc::clone(&self.seen);
        let mut seen = shared.0.lock().unwrap();
        loop {
            if let Some(at) = memchr::memmem::find(&seen.bytes[scanned..], text.as_bytes()) {
                let end = scanned + at + text.len();
                self.from = end;
                let arrival = seen.arrivals.partition_point(|(length, _)| *length < end);
                return seen.arrivals[arrival].1;
            }
            scanned = (seen.bytes.len() + 1).saturating_sub(text.len()).max(self.from);
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() || seen.ended {
                self.parser.process(&seen.bytes[self.parsed..]);
                panic!("waited for {text:?} on this screen:\n{}", self.parser.screen().contents());
            }
            seen = shared.1.wait_timeout(seen, left).unwrap().0;
        }
    }

    /// Whether these bytes have come since the last ones that were forgotten or
    /// shown, and when; nothing is waited for.
    pub(crate) fn came(&self, text: &str, since: usize) -> Option<Instant> {
        let seen = self.seen.0.lock().unwrap();
        let end = since + memchr::memmem::find(&seen.bytes[since..], text.as_bytes())? + text.len();
        let arrival = seen.arrivals.partition_point(|(length, _)| *length < end);
        Some(seen.arrivals[arrival].1)
    }

    /// How many bytes have come.
    pub(crate) fn mark(&self) -> usize {
        self.seen.0.lock().unwrap().bytes.len()
    }

    /// Waits until the screen shows this; what it shows then.
    pub(crate) fn shows(&mut self, text: &str) -> String {
        self.until(text, |screen| screen.contains(text))
    }

    fn until(&mut self, what: &str, holds: impl Fn(&str) -> bool) -> String {
        let until = Instant::now() + PATIENCE;
        let shared = Arc::clone(&self.seen);
        let mut seen = shared.0.lock().unwrap();
        loop {
            self.parser.process(&seen.bytes[self.parsed..]);
            self.parsed = seen.bytes.len();
            self.from = self.parsed;
            let screen = self.parser.screen().contents();
            if holds(&screen) {
                return screen;
            }
            let left = until.saturating_duration_since(Instant::now());
            assert!(!left.is_zero() && !seen.ended, "waited for {what:?} on this screen:\n{screen}");
            seen = shared.1.wait_timeout(seen, left).unwrap().0;
        }
    }

    /// Presses Enter, as a person does.
    pub(crate) fn enter(&mut self) -> Instant {
        std::thread::sleep(PAUSE);
        self.send("\r")
    }

    /// Sends a message to the model.
    pub(crate) fn say(&mut self, message: &str) {
        self.shows("Enter s");
        self.send(message);
        self.shows(message);
        self.enter();
    }

    /// Approves the command that is asked about.
    pub(crate) fn approve(&mut self) {
        self.shows(" Ready");
        self.send("y");
        self.shows("Enter does it");
        self.enter();
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
