//! What the system tells the process while the screen is up.

use std::io;
use std::time::Duration;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

/// `SIGTSTP`, which has no name in the runtime; 20 on Linux, 18 on macOS and the BSDs.
const SIGTSTP: i32 = if cfg!(target_os = "linux") { 20 } else { 18 };

/// What is to be done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Told {
    /// End: `SIGTERM`, `SIGHUP`, or the terminal is gone.
    Terminate,
    /// Suspend: `SIGTSTP` from outside.
    Suspend,
}

/// The signals of the process, and the end of the terminal.
#[derive(Debug)]
pub(crate) struct Signals {
    terminate: Signal,
    hangup: Signal,
    stop: Signal,
    /// Nobody is to die of a Ctrl+C that was meant for an editor.
    _interrupt: Signal,
    _quit: Signal,
    lost: UnboundedReceiver<()>,
}

impl Signals {
    /// Listens from now on.
    ///
    /// # Errors
    /// A handler cannot be set.
    pub(crate) fn listen() -> io::Result<Self> {
        Ok(Self {
            terminate: signal(SignalKind::terminate())?,
            hangup: signal(SignalKind::hangup())?,
            stop: signal(SignalKind::from_raw(SIGTSTP))?,
            _interrupt: signal(SignalKind::interrupt())?,
            _quit: signal(SignalKind::quit())?,
            lost: watch_terminal()?,
        })
    }

    /// Waits for the next.
    pub(crate) async fn next(&mut self) -> Told {
        tokio::select! {
            _ = self.terminate.recv() => Told::Terminate,
            _ = self.hangup.recv() => Told::Terminate,
            Some(()) = self.lost.recv() => Told::Terminate,
            _ = self.stop.recv() => Told::Suspend,
        }
    }
}

/// How long the loop has to end after its terminal is gone.
const PARTING: Duration = Duration::from_secs(2);
/// What shells report for an end by `SIGHUP`: 128 + 1.
const HUNG_UP: i32 = 129;

/// A terminal that hangs up is noticed by a thread that waits for nothing
/// else, because `SIGHUP` may be ignored. A loop that was just reading never
/// comes back from the library, which takes the end of input for a reason to
/// read again: then this thread ends the process, which a journal survives and
/// a command does not notice.
fn watch_terminal() -> io::Result<UnboundedReceiver<()>> {
    use rustix::event::{PollFd, PollFlags, poll};
    let (sender, receiver) = unbounded_channel();
    let watch = move || {
        let terminal = io::stdin();
        let mut terminals = [PollFd::new(&terminal, PollFlags::empty())];
        while poll(&mut terminals, None) == Err(rustix::io::Errno::INTR) {}
        // Nobody may be there any more to be told.
        let _ = sender.send(());
        std::thread::sleep(PARTING);
        std::process::exit(HUNG_UP);
    };
    std::thread::Builder::new().name("terminal watch".into()).spawn(watch)?;
    Ok(receiver)
}
