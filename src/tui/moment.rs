//! Time as the screen's rules see it: a moment is handed in, never asked for.

use std::ops::{Add, Sub};
use std::time::Duration;

/// A point in time, counted from the start of the screen.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Moment(Duration);

impl Moment {
    /// This long after the start.
    pub(crate) fn after_start(elapsed: Duration) -> Self {
        Self(elapsed)
    }

    /// How much later this is; zero if it is earlier.
    pub(crate) fn since(self, earlier: Self) -> Duration {
        self.0.saturating_sub(earlier.0)
    }
}

impl Add<Duration> for Moment {
    type Output = Self;
    fn add(self, span: Duration) -> Self {
        Self(self.0.saturating_add(span))
    }
}

impl Sub<Duration> for Moment {
    type Output = Self;
    fn sub(self, span: Duration) -> Self {
        Self(self.0.saturating_sub(span))
    }
}

/// Shorthand for tables of times in tests.
#[cfg(test)]
pub(crate) fn at(millis: u64) -> Moment {
    Moment(Duration::from_millis(millis))
}
