//! A program in a pseudo-terminal, and what it printed.

use super::{PATIENCE, find, signal};
use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};
use std::io::{Read as _, Write as _};
use std::path::Path;
use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant};

#[derive(Default)]
struct Screen {
    bytes: Vec<u8>,
    ended: bool,
    hanging_up: bool,
}

/// A program in a pseudo-terminal.
pub(crate) struct Terminal {
    master: Option<Box<dyn MasterPty + Send>>,
    writer: Box<dyn std::io::Write + Send>,
    child: Box<dyn Child + Send + Sync>,
    seen: Arc<(Mutex<Screen>, Condvar)>,
    size: (u16, u16),
    from: usize,
}

impl Terminal {
    pub(crate) fn start(
        home: &Path,
        work: &Path,
        arguments: &[&str],
        environment: &[(&str, &str)],
        size: (u16, u16),
    ) -> Self {
        Self::start_program(super::program(), home, work, arguments, environment, size)
    }

    pub(crate) fn start_program(
        program: &str,
        home: &Path,
        work: &Path,
        arguments: &[&str],
        environment: &[(&str, &str)],
        size: (u16, u16),
    ) -> Self {
        let (rows, cols) = size;
        let pty =
            native_pty_system().openpty(PtySize { rows, cols, pixel_width: 0, pixel_height: 0 }).unwrap();
        let mut command = CommandBuilder::new(program);
        command.args(arguments);
        command.cwd(work);
        command.env("CANDOR_HOME", home);
        command.env("TERM", "xterm-256color");
        command.env("LANG", "C.UTF-8");
        command.env_remove("OPENAI_API_KEY");
        command.env_remove("NO_COLOR");
        command.env_remove("TMUX");
        for (name, value) in environment {
            command.env(name, value);
        }
        let child = pty.slave.spawn_command(command).unwrap();
        drop(pty.slave);
        let mut reader = pty.master.try_clone_reader().unwrap();
        let seen = Arc::new((Mutex::new(Screen::default()), Condvar::new()));
        let shared = Arc::clone(&seen);
        std::thread::spawn(move || {
            let mut buffer = [0; 8192];
            loop {
                let count = reader.read(&mut buffer).unwrap_or(0);
                let mut screen = shared.0.lock().unwrap();
                screen.bytes.extend_from_slice(&buffer[..count]);
                screen.ended |= count == 0 || screen.hanging_up;
                shared.1.notify_all();
                if screen.ended {
                    return;
                }
            }
        });
        let writer = pty.master.take_writer().unwrap();
        Self { master: Some(pty.master), writer, child, seen, size, from: 0 }
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.process_id().unwrap()
    }

    /// Types this, as it is.
    pub(crate) fn send(&mut self, text: &str) {
        self.send_bytes(text.as_bytes());
    }

    pub(crate) fn send_bytes(&mut self, bytes: &[u8]) {
        let pieces: Vec<&[u8]> =
            if split_escapes() { bytes.split_inclusive(|byte| *byte == 0x1b).collect() } else { vec![bytes] };
        for (index, piece) in pieces.into_iter().enumerate() {
            if index > 0 {
                std::thread::sleep(SPLIT);
            }
            self.writer.write_all(piece).unwrap();
            self.writer.flush().unwrap();
        }
    }

    fn wait<T>(&self, what: &str, mut look: impl FnMut(&Screen) -> Option<T>) -> T {
        let until = Instant::now() + PATIENCE;
        let mut screen = self.seen.0.lock().unwrap();
        loop {
            if let Some(found) = look(&screen) {
                return found;
            }
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() || screen.ended {
                // One more look: the end may have come with the text.
                let text =
                    String::from_utf8_lossy(&screen.bytes[self.from.min(screen.bytes.len())..]).into_owned();
                panic!(
                    "waited for {what:?}; {} since the last wait:\n{text}",
                    if screen.ended { "ended," } else { "" }
                );
            }
            screen = self.seen.1.wait_timeout(screen, left).unwrap().0;
        }
    }

    /// Waits until this text was printed after the last text waited for.
    pub(crate) fn expect(&mut self, text: &str) -> &mut Self {
        let from = self.from;
        let at = self.wait(text, |screen| find(&screen.bytes[from..], text.as_bytes()));
        self.from = from + at + text.len();
        self
    }

    /// Waits for the first of these texts; which one it is, or none if the
    /// program ended instead.
    pub(crate) fn first_or_end(&mut self, texts: &[&str]) -> Option<usize> {
        let from = self.from;
        let first = self.wait(&texts.join(" or "), |screen| {
            let found = texts.iter().enumerate().filter_map(|(which, text)| {
                find(&screen.bytes[from..], text.as_bytes()).map(|at| (at, which))
            });
            found.min().map(Some).or(screen.ended.then_some(None))
        });
        first.map(|(at, which)| {
            self.from = from + at + texts[which].len();
            which
        })
    }

    /// Waits for the first of these texts; which one it is.
    pub(crate) fn expect_one_of(&mut self, texts: &[&str]) -> usize {
        self.first_or_end(texts).unwrap_or_else(|| panic!("ended; printed:\n{}", self.printed()))
    }

    /// Types this; false if nobody reads it any more.
    pub(crate) fn try_send(&mut self, text: &str) -> bool {
        self.writer.write_all(text.as_bytes()).and_then(|()| self.writer.flush()).is_ok()
    }

    /// Everything printed so far.
    pub(crate) fn printed(&self) -> String {
        String::from_utf8_lossy(&self.seen.0.lock().unwrap().bytes).into_owned()
    }

    pub(crate) fn printed_bytes(&self) -> Vec<u8> {
        self.seen.0.lock().unwrap().bytes.clone()
    }

    /// What a terminal of this size has made of everything so far.
    pub(crate) fn parsed(&self) -> vt100::Parser {
        let mut parser = vt100::Parser::new(self.size.0, self.size.1, 0);
        parser.process(&self.seen.0.lock().unwrap().bytes);
        parser
    }

    /// What a terminal of this size shows now.
    pub(crate) fn screen(&self) -> String {
        self.parsed().screen().contents()
    }

    /// Waits until the screen of a full-screen program shows this text.
    pub(crate) fn expect_screen(&mut self, text: &str) -> String {
        let (rows, cols) = self.size;
        let mut parser = vt100::Parser::new(rows, cols, 0);
        let mut fed = 0;
        let mut last = String::new();
        let until = Instant::now() + PATIENCE;
        let mut screen = self.seen.0.lock().unwrap();
        loop {
            parser.process(&screen.bytes[fed..]);
            fed = screen.bytes.len();
            let contents = parser.screen().contents();
            if contents.contains(text) {
                return contents;
            }
            last.clone_from(&contents);
            let left = until.saturating_duration_since(Instant::now());
            assert!(!left.is_zero() && !screen.ended, "waited for {text:?} on the screen:\n{last}");
            screen = self.seen.1.wait_timeout(screen, left).unwrap().0;
        }
    }

    pub(crate) fn resize(&mut self, rows: u16, cols: u16) {
        self.size = (rows, cols);
        let size = PtySize { rows, cols, pixel_width: 0, pixel_height: 0 };
        self.master.as_ref().unwrap().resize(size).unwrap();
    }

    /// `kill -9` of this one process; waits until it is dead.
    pub(crate) fn kill(&mut self) {
        signal(self.pid(), rustix::process::Signal::KILL);
        self.child.wait().unwrap();
    }

    /// What it printed last may still be on its way to the reader.
    fn wait_for_last_words(&self) {
        let screen = self.seen.0.lock().unwrap();
        let ended = |screen: &mut Screen| !screen.ended;
        drop(self.seen.1.wait_timeout_while(screen, Duration::from_secs(5), ended));
    }

    /// Kills it if it has not ended by itself.
    pub(crate) fn kill_if_alive(&mut self) {
        if self.child.try_wait().unwrap().is_none() {
            let _ = self.child.kill();
        }
        self.wait_exit();
    }

    /// Sends a signal and waits for the exit code.
    pub(crate) fn signal(&mut self, signal_kind: rustix::process::Signal) -> u32 {
        signal(self.pid(), signal_kind);
        self.wait_exit()
    }

    /// Closes the terminal, as a closed window does.
    pub(crate) fn hang_up(mut self) -> u32 {
        // The reader holds the terminal open until something wakes it.
        self.seen.0.lock().unwrap().hanging_up = true;
        self.send("\u{c}");
        self.wait("the reader's end", |screen| screen.ended.then_some(()));
        self.master = None;
        drop(std::mem::replace(&mut self.writer, Box::new(std::io::sink())));
        self.wait_exit()
    }

    /// Waits for the end; its exit code.
    pub(crate) fn wait_exit(&mut self) -> u32 {
        let until = Instant::now() + PATIENCE;
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                self.wait_for_last_words();
                return status.exit_code();
            }
            assert!(Instant::now() < until, "does not end; printed:\n{}", self.printed());
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        if let Ok(None) = self.child.try_wait() {
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
    }
}

/// How long a slow line takes between an escape character and what follows it.
const SPLIT: Duration = Duration::from_millis(20);

/// Whether this is the test binary in which every sequence is split.
fn split_escapes() -> bool {
    module_path!().starts_with("screen_split")
}
