//! The whole conversation as rows, for a reader.

use super::rows::{self, Look};
use super::view::View;
use super::{Held, Transcript};
use crate::text::Row;

/// All of it.
#[derive(Debug, Default)]
pub(crate) struct Whole {
    /// From the first to the last.
    pub rows: Vec<Row>,
    /// Which of them is the first in sight in the conversation; none while its
    /// end is followed.
    pub first: Option<usize>,
}

impl Transcript {
    /// Every row at a width, with nothing left out of what the records keep.
    pub(crate) fn whole(&self, width: usize, look: &Look<'_>) -> Whole {
        let look = Look { full: true, ..*look };
        let top = match self.view {
            View::Following => None,
            View::Held { top, .. } => Some(top),
        };
        let mut whole = Whole::default();
        for (index, held) in self.cells.iter().enumerate() {
            let cell = rows::of_cell(&held.cell, width, &look);
            if let Some(top) = top.filter(|top| top.cell == index) {
                whole.first = Some(whole.rows.len() + in_full(held, top.row, cell.len()));
            }
            whole.rows.extend(cell.iter().cloned());
        }
        whole
    }
}

/// Where a row of a cell is when nothing of the cell is left out. What a panel
/// leaves out stands before what it shows, below its first row.
fn in_full(held: &Held, row: usize, full: usize) -> usize {
    match held.height {
        Some(shown) if row > 0 => full.saturating_sub(shown.saturating_sub(row)),
        Some(_) | None => row.min(full.saturating_sub(1)),
    }
}
