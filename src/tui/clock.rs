//! The one place of the screen that asks for the time.

use super::moment::Moment;
use crate::record::Timestamp;
use tokio::time::Instant;

/// Counts from the start of the screen.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Clock(Instant);

/// One reading of both clocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Now {
    /// For rules about spans.
    pub moment: Moment,
    /// For what is shown to people.
    pub wall: Timestamp,
}

impl Clock {
    /// A clock that starts now.
    pub(crate) fn start() -> Self {
        Self(Instant::now())
    }

    /// Since the start.
    pub(crate) fn moment(self) -> Moment {
        Moment::after_start(self.0.elapsed())
    }

    /// Both clocks.
    pub(crate) fn now(self) -> Now {
        let wall = Timestamp::from_millis(jiff::Timestamp::now().as_millisecond());
        Now { moment: self.moment(), wall }
    }

    /// The moment in the runtime's terms, to sleep until it.
    pub(crate) fn instant(self, moment: Moment) -> Instant {
        self.0 + moment.since(Moment::default())
    }
}
