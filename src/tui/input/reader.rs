//! Owns the event stream while the terminal is ours. The library reads in a
//! thread of its own, so that a terminal that hangs in a read never holds up the
//! screen.

use crate::tui::clock::Clock;
use crate::tui::moment::Moment;
use crossterm::event::{Event, EventStream};
use futures_util::{Stream as _, StreamExt as _};
use std::pin::Pin;
use std::task::Poll;

/// Reads the terminal until it is dropped: from then on another program can.
#[derive(Debug)]
pub(crate) struct Reader {
    stream: EventStream,
    clock: Clock,
}

impl Reader {
    /// Starts to read the terminal.
    pub(crate) fn start(clock: Clock) -> Self {
        Self { stream: EventStream::new(), clock }
    }

    /// The next event, and when it was read; nothing more when the terminal is gone.
    pub(crate) async fn next(&mut self) -> Option<(Event, Moment)> {
        let event = self.stream.next().await?.ok()?;
        Some((event, self.clock.moment()))
    }

    /// The next event if it is there already. The task that asks is woken when
    /// there is one later, as one that waits.
    pub(crate) async fn at_hand(&mut self) -> Option<(Event, Moment)> {
        let polled =
            std::future::poll_fn(|task| Poll::Ready(Pin::new(&mut self.stream).poll_next(task))).await;
        match polled {
            Poll::Ready(event) => Some((event?.ok()?, self.clock.moment())),
            Poll::Pending => None,
        }
    }
}
