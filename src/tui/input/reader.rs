//! Owns the event stream while the terminal is ours. It runs in a task of its
//! own, so that a terminal that hangs in a read never holds up the screen.

use crate::tui::clock::Clock;
use crate::tui::moment::Moment;
use crossterm::event::{Event, EventStream};
use futures_util::StreamExt;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::task::JoinHandle;

/// Where events come from, with the time at which each was read.
pub(crate) type Source = UnboundedReceiver<(Event, Moment)>;

/// The running reader.
#[derive(Debug)]
pub(crate) struct Reader {
    task: JoinHandle<()>,
}

impl Reader {
    /// Starts to read the terminal. The source ends when the terminal is gone.
    pub(crate) fn start(clock: Clock) -> (Self, Source) {
        let (sender, source) = unbounded_channel();
        (Self { task: tokio::spawn(forward(clock, sender)) }, source)
    }

    /// Stops, and returns once nobody reads the terminal any more, so that
    /// another program can.
    pub(crate) async fn stop(self) {
        self.task.abort();
        // Its only result is that it was stopped.
        let _ = self.task.await;
    }
}

async fn forward(clock: Clock, sender: UnboundedSender<(Event, Moment)>) {
    let mut stream = EventStream::new();
    while let Some(Ok(event)) = stream.next().await {
        if sender.send((event, clock.moment())).is_err() {
            return;
        }
    }
}
