//! Which rows of a text that decides something have been on the screen.

use std::ops::Range;

/// What a frame showed of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Shown {
    /// Cells of a row.
    pub width: usize,
    /// Rows that were visible.
    pub visible: Range<usize>,
    /// The rows that are to be seen.
    pub wanted: Range<usize>,
}

/// What was seen without a gap. It holds for a width; what was seen to its end
/// stays so.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Seen {
    width: usize,
    up_to: usize,
    all: bool,
}

impl Seen {
    /// A frame was drawn.
    pub(crate) fn painted(&mut self, shown: &Shown) {
        if self.width != shown.width {
            *self = Self { width: shown.width, up_to: shown.wanted.start, ..*self };
        }
        let reached = self.up_to.max(shown.wanted.start);
        if shown.visible.start <= reached {
            self.up_to = reached.max(shown.visible.end);
        }
        self.all |= self.up_to >= shown.wanted.end;
    }

    /// Whether every row has been on the screen.
    pub(crate) fn all(&self) -> bool {
        self.all
    }

    /// The first row that has not.
    pub(crate) fn next(&self) -> usize {
        self.up_to
    }
}
