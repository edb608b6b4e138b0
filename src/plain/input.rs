//! Lines from the terminal, and what interrupts them.

use rustix::termios::{QueueSelector, tcflush};
use std::io::Read as _;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

/// What a person typed or did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Typed {
    /// A line, without its end.
    Line(String),
    /// A line that is not UTF-8.
    Unreadable,
    /// Ctrl+D on an empty line.
    End,
    /// Ctrl+C.
    Interrupt,
    /// The terminal is gone, or the process is asked to end: the exit code for it.
    Gone(u8),
}

/// Everything typed, in order.
pub(super) struct Input {
    lines: UnboundedReceiver<Typed>,
}

impl Input {
    /// Starts reading standard input on a thread of its own, and the signals.
    pub(super) fn start() -> std::io::Result<Self> {
        let (sender, lines) = unbounded_channel();
        let reader = sender.clone();
        std::thread::Builder::new().name("lines".into()).spawn(move || read_lines(&reader))?;
        for (kind, typed) in signals() {
            let mut signal = tokio::signal::unix::signal(kind)?;
            let sender = sender.clone();
            tokio::spawn(async move {
                while signal.recv().await.is_some() && sender.send(typed.clone()).is_ok() {}
            });
        }
        Ok(Self { lines })
    }

    /// The next thing typed.
    pub(super) async fn next(&mut self) -> Typed {
        self.lines.recv().await.unwrap_or(Typed::Gone(0))
    }

    /// Forgets all that was typed before now, whole lines and begun ones; what
    /// ends the program is kept.
    pub(super) fn flush(&mut self) -> Option<Typed> {
        // Fails only where standard input is no terminal, which `run` refuses.
        let _ = tcflush(std::io::stdin(), QueueSelector::IFlush);
        let mut gone = None;
        while let Ok(typed) = self.lines.try_recv() {
            if matches!(typed, Typed::Gone(_)) {
                gone = Some(typed);
            }
        }
        gone
    }
}

fn signals() -> [(tokio::signal::unix::SignalKind, Typed); 3] {
    use tokio::signal::unix::SignalKind;
    // 128 + the signal's number is what shells report for it.
    [
        (SignalKind::interrupt(), Typed::Interrupt),
        (SignalKind::terminate(), Typed::Gone(143)),
        (SignalKind::hangup(), Typed::Gone(129)),
    ]
}

fn read_lines(sender: &UnboundedSender<Typed>) {
    let mut line = Vec::new();
    let mut stdin = std::io::stdin().lock();
    let mut buffer = [0; 4096];
    loop {
        // One read of a terminal gives at most one line; none is read ahead.
        let typed = match stdin.read(&mut buffer) {
            // A terminal that hung up reads as empty for ever.
            Ok(0) if rustix::termios::tcgetattr(std::io::stdin()).is_err() => Typed::Gone(129),
            Ok(0) if line.is_empty() => Typed::End,
            Ok(0) => take(&mut line),
            Ok(count) => {
                line.extend_from_slice(&buffer[..count]);
                if line.last() != Some(&b'\n') {
                    continue;
                }
                take(&mut line)
            }
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
            Err(_) => Typed::Gone(129),
        };
        let gone = matches!(typed, Typed::Gone(_));
        if sender.send(typed).is_err() || gone {
            return;
        }
    }
}

fn take(line: &mut Vec<u8>) -> Typed {
    let mut bytes = std::mem::take(line);
    if bytes.last() == Some(&b'\n') {
        bytes.pop();
    }
    String::from_utf8(bytes).map_or(Typed::Unreadable, Typed::Line)
}
