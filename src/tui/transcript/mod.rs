//! The conversation as cells: one for each message, answer, call and line of
//! Candor's own. A frame costs only the rows that are visible: a cell is
//! wrapped when it comes into sight, and its height is kept for the width.
//!
//! The scroll position is a cell and a row in it, so what a person reads stays
//! where it is whatever is added below.

mod build;
mod colors;
mod find;
mod folds;
mod live;
mod panel;
mod reach;
mod rows;
mod view;
mod whole;

#[cfg(test)]
mod tests;

pub(crate) use build::{Note, note_rows};
pub(crate) use colors::Colors;
pub(crate) use folds::{Fold, Folds};
pub(crate) use live::{Cut, Live};
pub(crate) use panel::{OUTPUT_LINES, Panel, last_rows};
pub(crate) use reach::Reach;
pub(crate) use rows::Look;
use rows::Rows;

use crate::session::Session;
use crate::text::Row;
use build::Cell;
use std::rc::Rc;
use view::{Place, View};

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
    /// The panels that say which key leads to the others.
    landmarks: reach::Landmarks,
    /// A record that is to be in sight.
    wanted: Option<u64>,
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
    rows: Option<Rc<Rows>>,
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
        self.find_landmarks(look);
        self.go_to_wanted(look);
        let top = self.top(look);
        let mut rows = Vec::with_capacity(height);
        let mut selected = None;
        let mut place = top;
        while rows.len() < height && place.cell < self.cells.len() {
            if self.selected == Some(place.cell) && place.row == 0 {
                selected = Some(rows.len());
            }
            let cell = self.rows(place.cell, look);
            rows.extend(cell.since(place.row).take(height - rows.len()).cloned());
            place = Place { cell: place.cell + 1, row: 0 };
        }
        self.forget_outside(top.cell..place.cell);
        Window { rows, new_below: self.new_below(top, height, look), selected }
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

    /// Has the rows in sight made again: colours have come, no row moves.
    pub(crate) fn recolor(&mut self) {
        for held in &mut self.cells {
            held.rows = None;
        }
    }

    /// The chosen panel shows more or less; it stays in sight.
    pub(crate) fn refold(&mut self, look: &Look<'_>) {
        let Some(cell) = self.selected else { return };
        if let Some(held) = self.cells.get_mut(cell) {
            (held.height, held.rows) = (None, None);
        }
        self.show(Place { cell, row: 0 }, look);
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

    fn rows(&mut self, index: usize, look: &Look<'_>) -> Rc<Rows> {
        let Some(held) = self.cells.get_mut(index) else { return Rc::default() };
        if let Some(rows) = &held.rows {
            return Rc::clone(rows);
        }
        let reach = self.landmarks.reach(index);
        let rows = Rc::new(rows::of_cell(&held.cell, self.width, &Look { reach, ..*look }));
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
}
