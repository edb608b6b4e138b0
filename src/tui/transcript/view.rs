//! Where the view stands: at the end, or held at a row of a cell.

use super::Transcript;
use super::rows::Look;

/// Where the view stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum View {
    /// At the end, and goes with it.
    #[default]
    Following,
    /// This row of this cell is the first one; `mark` is what was last then.
    Held { top: Place, mark: Mark },
}

/// A row of a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(super) struct Place {
    pub(super) cell: usize,
    pub(super) row: usize,
}

/// The end of the transcript when a person scrolled away from it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Mark {
    cells: usize,
    last_height: usize,
}

impl Transcript {
    /// Scrolls by rows; where the end is in sight, it is followed.
    pub(crate) fn scroll(&mut self, by: isize, look: &Look<'_>) {
        let mark = self.mark(look);
        let from = self.top_now(look);
        let top = self.walk(from, by, look);
        self.view = View::Held { top, mark };
        if top >= self.last_top(look) {
            self.view = View::Following;
        }
    }

    /// Scrolls by a page, which leaves two rows of the one before.
    pub(crate) fn scroll_page(&mut self, pages: isize, look: &Look<'_>) {
        let page = isize::try_from(self.height.saturating_sub(2).max(1)).unwrap_or(1);
        self.scroll(pages * page, look);
    }

    /// Goes to the beginning.
    pub(crate) fn go_to_top(&mut self, look: &Look<'_>) {
        self.view = View::Held { top: Place::default(), mark: self.mark(look) };
        if self.last_top(look) == Place::default() {
            self.view = View::Following;
        }
    }

    /// Goes to the end, and follows.
    pub(crate) fn go_to_end(&mut self) {
        self.view = View::Following;
    }

    pub(super) fn top(&mut self, look: &Look<'_>) -> Place {
        let top = self.top_now(look);
        if let View::Held { mark, .. } = self.view {
            self.view = View::Held { top, mark };
        }
        top
    }

    /// The first visible row. Rows that a cell lost end in its last one.
    fn top_now(&mut self, look: &Look<'_>) -> Place {
        match self.view {
            View::Following => self.last_top(look),
            View::Held { top, .. } => {
                let cell = top.cell.min(self.cells.len().saturating_sub(1));
                let row = if cell == top.cell { top.row } else { 0 };
                let row = row.min(self.height_of(cell, look).saturating_sub(1));
                // What was streamed may be gone, and with it all that was in sight.
                let last = self.last_top(look);
                if (cell, row) > (last.cell, last.row) { last } else { Place { cell, row } }
            }
        }
    }

    /// The first visible row when the last one is at the bottom.
    pub(super) fn last_top(&mut self, look: &Look<'_>) -> Place {
        let mut missing = self.height;
        for cell in (0..self.cells.len()).rev() {
            let height = self.height_of(cell, look);
            if height >= missing {
                return Place { cell, row: height - missing };
            }
            missing -= height;
        }
        Place::default()
    }

    fn walk(&mut self, from: Place, by: isize, look: &Look<'_>) -> Place {
        let mut place = from;
        let mut left = by.unsigned_abs();
        while left > 0 {
            if by < 0 {
                let step = left.min(place.row);
                place.row -= step;
                left -= step;
                if left == 0 || place.cell == 0 {
                    break;
                }
                place.cell -= 1;
                place.row = self.height_of(place.cell, look);
            } else {
                let below = self.height_of(place.cell, look).saturating_sub(place.row + 1);
                let step = left.min(below);
                place.row += step;
                left -= step;
                if left == 0 || place.cell + 1 >= self.cells.len() {
                    break;
                }
                place = Place { cell: place.cell + 1, row: 0 };
                left -= 1;
            }
        }
        place
    }

    pub(super) fn mark(&mut self, look: &Look<'_>) -> Mark {
        match self.view {
            View::Held { mark, .. } => mark,
            View::Following => {
                let cells = self.cells.len();
                Mark { cells, last_height: self.height_of(cells.saturating_sub(1), look) }
            }
        }
    }

    pub(super) fn new_below(&mut self, top: Place, height: usize, look: &Look<'_>) -> usize {
        let View::Held { mark, .. } = self.view else { return 0 };
        let last = mark.cells.saturating_sub(1);
        let grown = self.height_of(last, look).saturating_sub(mark.last_height);
        let added: usize = (mark.cells..self.cells.len()).map(|cell| self.height_of(cell, look)).sum();
        let new = grown + added;
        if new == 0 {
            return 0;
        }
        new.min(self.below(top, height, new, look))
    }

    /// Rows below the view, counted up to `enough`.
    fn below(&mut self, top: Place, height: usize, enough: usize, look: &Look<'_>) -> usize {
        let mut rows = 0;
        for cell in top.cell..self.cells.len() {
            rows += self.height_of(cell, look) - if cell == top.cell { top.row } else { 0 };
            if rows >= height + enough {
                break;
            }
        }
        rows.saturating_sub(height)
    }

    /// Scrolls as little as needed for this row to be in sight.
    pub(super) fn show(&mut self, place: Place, look: &Look<'_>) {
        let top = self.top_now(look);
        let mark = self.mark(look);
        if place < top {
            self.view = View::Held { top: place, mark };
            return;
        }
        let mut rows = 0;
        for cell in top.cell..place.cell {
            rows += self.height_of(cell, look);
        }
        let rows = (rows + place.row).saturating_sub(top.row);
        let wanted = self.height_of(place.cell, look).min(self.height);
        if rows + wanted > self.height {
            let by = isize::try_from(rows + wanted - self.height).unwrap_or(0);
            self.scroll(by, look);
        }
    }
}
