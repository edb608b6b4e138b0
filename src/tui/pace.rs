//! How often the screen is drawn when no key asks for it.

use super::moment::Moment;
use std::time::Duration;

/// Thirty frames a second are enough to follow what flows, and leave the time to
/// keys.
const SPAN: Duration = Duration::from_millis(33);
/// What comes after a pause waits for nothing: so many frames may follow each
/// other at once.
const AT_ONCE: u32 = 4;

/// Says when the next frame may be drawn.
#[derive(Debug, Default)]
pub(super) struct Pace {
    /// When it would be drawn if none were ever drawn at once.
    due: Moment,
}

impl Pace {
    /// When a frame may be drawn that no key asked for.
    pub(super) fn next(&self) -> Moment {
        self.due - SPAN * (AT_ONCE - 1)
    }

    /// Such a frame was drawn.
    pub(super) fn drawn(&mut self, now: Moment) {
        self.due = self.due.max(now) + SPAN;
    }
}

#[cfg(test)]
mod tests {
    use super::{AT_ONCE, Pace, SPAN};
    use crate::tui::moment::at;

    /// When frames are drawn if something changes in every millisecond of these.
    fn drawn(pace: &mut Pace, millis: std::ops::Range<u64>) -> Vec<u64> {
        let due = |now: &u64| {
            let due = pace.next() <= at(*now);
            if due {
                pace.drawn(at(*now));
            }
            due
        };
        millis.filter(due).collect()
    }

    #[test]
    fn a_few_frames_come_at_once_and_then_thirty_a_second() {
        let mut pace = Pace::default();
        let frames = drawn(&mut pace, 1_000..2_000);
        let at_once = usize::try_from(AT_ONCE).unwrap();
        assert_eq!(frames[..at_once], [1_000, 1_001, 1_002, 1_003]);
        let span = u64::try_from(SPAN.as_millis()).unwrap();
        let later = &frames[at_once..];
        assert!(later.windows(2).all(|pair| pair[1] - pair[0] == span), "{later:?}");
        assert_eq!(frames.len(), 34);
        assert_eq!(drawn(&mut pace, 5_000..5_010).len(), at_once, "after a pause");
    }
}
