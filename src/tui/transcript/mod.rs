//! The conversation as cells: one for each message, answer, call and line of
//! Candor's own. A frame costs only the rows that are visible: a cell is
//! wrapped when it comes into sight, and its height is kept for the width.
//!
//! The scroll position is a cell and a row in it, so what a person reads stays
//! where it is whatever is added below.

mod build;
mod live;
mod panel;
mod rows;

#[cfg(test)]
mod tests;

pub(crate) use build::{Note, note_rows};
pub(crate) use live::Live;
pub(crate) use panel::{OUTPUT_LINES, Panel, last_rows};
pub(crate) use rows::Look;

use crate::session::Session;
use crate::text::Row;
use build::Cell;
use std::rc::Rc;

/// All cells, and where the view stands.
#[derive(Debug, Default)]
pub(crate) struct Transcript {
    cells: Vec<Held>,
    /// Cells and turns that nothing changes any more.
    stable: Stable,
    width: usize,
    height: usize,
    view: View,
    /// The chosen panel, while the focus is here.
    selected: Option<usize>,
}

#[derive(Debug, Clone, Copy, Default)]
struct Stable {
    cells: usize,
    turns: usize,
    notes: usize,
}

/// A cell with its rows at the current width.
#[derive(Debug)]
struct Held {
    cell: Cell,
    height: Option<usize>,
    rows: Option<Rc<[Row]>>,
}

/// Where the view stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum View {
    /// At the end, and goes with it.
    #[default]
    Following,
    /// This row of this cell is the first one; `mark` is what was last then.
    Held { top: Place, mark: Mark },
}

/// A row of a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
struct Place {
    cell: usize,
    row: usize,
}

/// The end of the transcript when a person scrolled away from it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Mark {
    cells: usize,
    last_height: usize,
}

/// The visible rows.
#[derive(Debug)]
pub(crate) struct Window {
    /// From top to bottom; fewer than the height if there is not more.
    pub rows: Vec<Row>,
    /// Rows that came below since a person scrolled away.
    pub new_below: usize,
    /// The row of the chosen panel's first line.
    pub selected: Option<usize>,
}

impl Transcript {
    /// Brings the cells up to date with the session and Candor's lines.
    pub(crate) fn update(&mut self, session: &Session, look: &Look<'_>) {
        let last_turn = session.turns().len().saturating_sub(1);
        let fresh =
            build::cells(session, look, build::From { turn: self.stable.turns, note: self.stable.notes });
        let mut old = self.cells.drain(self.stable.cells..).collect::<Vec<_>>().into_iter();
        let mut before_last = Stable { cells: self.cells.len(), ..self.stable };
        for built in fresh {
            if built.turn < last_turn {
                before_last =
                    Stable { cells: self.cells.len() + 1, turns: built.turn + 1, notes: built.notes };
            }
            let held = old.next().filter(|held| held.cell == built.cell);
            self.cells.push(held.unwrap_or(Held { cell: built.cell, height: None, rows: None }));
        }
        self.stable = before_last;
        self.selected = self.selected.filter(|index| *index < self.cells.len());
    }

    /// Has every cell made again, because something old has changed.
    pub(crate) fn rebuild(&mut self, session: &Session, look: &Look<'_>) {
        self.stable = Stable::default();
        self.update(session, look);
    }

    /// The rows for a place of this size.
    pub(crate) fn window(&mut self, width: usize, height: usize, look: &Look<'_>) -> Window {
        self.resize(width, height);
        self.forget_live();
        let top = self.top(look);
        let mut rows = Vec::with_capacity(height);
        let mut selected = None;
        let mut place = top;
        while rows.len() < height && place.cell < self.cells.len() {
            if self.selected == Some(place.cell) && place.row == 0 {
                selected = Some(rows.len());
            }
            let cell = self.rows(place.cell, look);
            rows.extend(cell.iter().skip(place.row).take(height - rows.len()).cloned());
            place = Place { cell: place.cell + 1, row: 0 };
        }
        self.forget_outside(top.cell..place.cell);
        Window { rows, new_below: self.new_below(top, height, look), selected }
    }

    /// Scrolls by rows; down past the end follows again.
    pub(crate) fn scroll(&mut self, by: isize, look: &Look<'_>) {
        let mark = self.mark(look);
        let from = self.top_now(look);
        let top = self.walk(from, by, look);
        self.view = View::Held { top, mark };
        if by > 0 && top >= self.last_top(look) {
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
    }

    /// Goes to the end, and follows.
    pub(crate) fn go_to_end(&mut self) {
        self.view = View::Following;
    }

    /// The chosen panel.
    pub(crate) fn selected(&self) -> Option<Panel> {
        self.cells.get(self.selected?)?.cell.panel()
    }

    /// Chooses no panel.
    pub(crate) fn deselect(&mut self) {
        self.selected = None;
    }

    /// Chooses the last panel, or the next one up or down, and brings it into sight.
    pub(crate) fn select(&mut self, step: isize, look: &Look<'_>) {
        let is_panel = |index: &usize| self.cells[*index].cell.panel().is_some();
        let next = match (self.selected, step) {
            (None, _) => (0..self.cells.len()).rev().find(is_panel),
            (Some(at), ..0) => (0..at).rev().find(is_panel),
            (Some(at), _) => (at + 1..self.cells.len()).find(is_panel),
        };
        if let Some(cell) = next {
            self.selected = Some(cell);
            self.show(Place { cell, row: 0 }, look);
        }
    }

    /// The last panel that has an execution.
    pub(crate) fn last_executed(&self, session: &Session) -> Option<Panel> {
        let panels = self.cells.iter().rev().filter_map(|held| held.cell.panel());
        panels.into_iter().find(|panel| panel.call(session).is_some_and(|call| call.start.is_some()))
    }

    /// Every row, for reading in full.
    pub(crate) fn all_rows(&mut self, look: &Look<'_>) -> Vec<Row> {
        let mut all = Vec::new();
        for index in 0..self.cells.len() {
            all.extend(self.rows(index, look).iter().cloned());
            self.cells[index].rows = None;
        }
        all
    }

    fn resize(&mut self, width: usize, height: usize) {
        self.height = height;
        if self.width != width {
            self.width = width;
            for held in &mut self.cells {
                (held.height, held.rows) = (None, None);
            }
        }
    }

    /// What changes without a record is made anew once for each frame.
    fn forget_live(&mut self) {
        for held in self.cells.iter_mut().skip(self.stable.cells).filter(|held| held.cell.is_live()) {
            (held.height, held.rows) = (None, None);
        }
    }

    fn rows(&mut self, index: usize, look: &Look<'_>) -> Rc<[Row]> {
        let Some(held) = self.cells.get_mut(index) else { return Rc::from([]) };
        if let Some(rows) = &held.rows {
            return Rc::clone(rows);
        }
        let rows: Rc<[Row]> = rows::of_cell(&held.cell, self.width, look).into();
        held.height = Some(rows.len());
        held.rows = Some(Rc::clone(&rows));
        rows
    }

    fn height_of(&mut self, index: usize, look: &Look<'_>) -> usize {
        match self.cells.get(index).and_then(|held| held.height) {
            Some(height) => height,
            None => self.rows(index, look).len(),
        }
    }

    /// Keeps heights, but rows only of what is in sight.
    fn forget_outside(&mut self, visible: std::ops::Range<usize>) {
        let before = visible.start.saturating_sub(2);
        for (index, held) in self.cells.iter_mut().enumerate() {
            if index < before || index > visible.end + 1 {
                held.rows = None;
            }
        }
    }

    fn top(&mut self, look: &Look<'_>) -> Place {
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
                Place { cell, row: row.min(self.height_of(cell, look).saturating_sub(1)) }
            }
        }
    }

    /// The first visible row when the last one is at the bottom.
    fn last_top(&mut self, look: &Look<'_>) -> Place {
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

    fn mark(&mut self, look: &Look<'_>) -> Mark {
        match self.view {
            View::Held { mark, .. } => mark,
            View::Following => {
                let cells = self.cells.len();
                Mark { cells, last_height: self.height_of(cells.saturating_sub(1), look) }
            }
        }
    }

    fn new_below(&mut self, top: Place, height: usize, look: &Look<'_>) -> usize {
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
    fn show(&mut self, place: Place, look: &Look<'_>) {
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
