//! When a failed attempt is made again: a pure schedule.
//!
//! A request has no effect but cost, so it may be repeated as long as nothing
//! of its answer was used; nothing is, before it is complete and on disk.

use std::time::Duration;

/// How long to wait between attempts, and how often to try again.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Backoff {
    /// The first wait; each further one is twice as long.
    pub base: Duration,
    /// The first wait when the server is overloaded.
    pub overloaded_base: Duration,
    /// No wait of our own is longer.
    pub cap: Duration,
    /// The longest wait that a server may ask for.
    pub longest_asked: Duration,
    /// How often a request is repeated that got no answer.
    pub request_retries: u32,
    /// How often a request is repeated whose answer broke off.
    pub stream_retries: u32,
}

impl Default for Backoff {
    fn default() -> Self {
        Self {
            base: Duration::from_millis(500),
            overloaded_base: Duration::from_secs(2),
            cap: Duration::from_secs(20),
            longest_asked: Duration::from_secs(60),
            request_retries: 4,
            stream_retries: 3,
        }
    }
}

/// How far an attempt came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Phase {
    /// No good answer began.
    Request,
    /// The answer had begun.
    Stream,
}

/// What a failure says about the next attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Again {
    /// The server has too much to do.
    pub(super) overloaded: bool,
    /// The server asks to wait at least that long.
    pub(super) at_least: Option<Duration>,
}

/// What to do after a failed attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Next {
    /// Try again after this time.
    Wait(Duration),
    /// The server asks for a longer wait than anybody should sit through.
    AskedTooLong(Duration),
    /// It was tried often enough.
    GiveUp,
}

/// The attempts of one request so far.
#[derive(Debug)]
pub(super) struct Schedule {
    backoff: Backoff,
    request_retries: u32,
    stream_retries: u32,
}

impl Schedule {
    pub(super) fn new(backoff: Backoff) -> Self {
        Self { backoff, request_retries: 0, stream_retries: 0 }
    }

    /// What to do after a failure; `random` is from 0 to 1.
    pub(super) fn next(&mut self, phase: Phase, again: Again, random: f64) -> Next {
        if let Some(asked) = again.at_least
            && asked > self.backoff.longest_asked
        {
            return Next::AskedTooLong(asked);
        }
        let before = self.request_retries + self.stream_retries;
        let (used, allowed) = match phase {
            Phase::Request => (&mut self.request_retries, self.backoff.request_retries),
            Phase::Stream => (&mut self.stream_retries, self.backoff.stream_retries),
        };
        if *used >= allowed {
            return Next::GiveUp;
        }
        *used += 1;
        Next::Wait(self.own_wait(before, again.overloaded, random).max(again.at_least.unwrap_or_default()))
    }

    /// Our own wait before the retry after `before` others: 50 to 100 % of it,
    /// so that many clients do not come back at once.
    fn own_wait(&self, before: u32, overloaded: bool, random: f64) -> Duration {
        let base = if overloaded { self.backoff.overloaded_base } else { self.backoff.base };
        let full = base.saturating_mul(1u32.checked_shl(before).unwrap_or(u32::MAX)).min(self.backoff.cap);
        full.mul_f64(0.5 + 0.5 * random.clamp(0.0, 1.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seconds(seconds: f64) -> Next {
        Next::Wait(Duration::from_secs_f64(seconds))
    }

    #[test]
    fn waits_double_up_to_the_cap() {
        let mut schedule = Schedule::new(Backoff { request_retries: 9, ..Backoff::default() });
        let waits = [0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 20.0, 20.0];
        for wait in waits {
            assert_eq!(schedule.next(Phase::Request, Again::default(), 1.0), seconds(wait));
        }
    }

    #[test]
    fn jitter_takes_up_to_half() {
        let mut schedule = Schedule::new(Backoff::default());
        assert_eq!(schedule.next(Phase::Request, Again::default(), 0.0), seconds(0.25));
        assert_eq!(schedule.next(Phase::Request, Again::default(), 0.5), seconds(0.75));
    }

    #[test]
    fn eight_attempts_in_all() {
        let mut schedule = Schedule::new(Backoff::default());
        for _ in 0..4 {
            assert!(matches!(schedule.next(Phase::Request, Again::default(), 0.0), Next::Wait(_)));
        }
        assert_eq!(schedule.next(Phase::Request, Again::default(), 0.0), Next::GiveUp);
        for _ in 0..3 {
            assert!(matches!(schedule.next(Phase::Stream, Again::default(), 0.0), Next::Wait(_)));
        }
        assert_eq!(schedule.next(Phase::Stream, Again::default(), 0.0), Next::GiveUp);
    }

    #[test]
    fn what_the_server_asks_is_a_minimum_up_to_a_minute() {
        let asked = |seconds| Again { at_least: Some(Duration::from_secs(seconds)), overloaded: false };
        let mut schedule = Schedule::new(Backoff::default());
        assert_eq!(schedule.next(Phase::Request, asked(12), 1.0), seconds(12.0));
        assert_eq!(schedule.next(Phase::Request, asked(0), 1.0), seconds(1.0));
        assert_eq!(schedule.next(Phase::Request, asked(60), 1.0), seconds(60.0));
        let too_long = Next::AskedTooLong(Duration::from_secs(61));
        assert_eq!(schedule.next(Phase::Request, asked(61), 1.0), too_long);
    }

    #[test]
    fn overload_waits_longer() {
        let mut schedule = Schedule::new(Backoff::default());
        let overloaded = Again { overloaded: true, at_least: None };
        assert_eq!(schedule.next(Phase::Request, overloaded, 1.0), seconds(2.0));
        assert_eq!(schedule.next(Phase::Request, overloaded, 1.0), seconds(4.0));
    }
}
