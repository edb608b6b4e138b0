//! A list of sessions with one chosen.

use crate::agent::SessionRow;

/// The sessions, as last told.
#[derive(Debug, Clone, Default)]
pub(crate) struct List {
    /// Those of this directory; nothing before they are known.
    pub here: Option<Vec<SessionRow>>,
    /// All of them.
    pub all: Vec<SessionRow>,
    /// The chosen one.
    pub chosen: usize,
}

impl List {
    /// Takes a new list; the same session stays chosen if it is still there.
    pub(crate) fn set(&mut self, rows: Vec<SessionRow>) {
        let chosen = self.chosen().map(|row| row.id);
        let here: Vec<SessionRow> = rows.iter().filter(|row| row.here).cloned().collect();
        self.all = rows;
        let same = here.iter().position(|row| Some(row.id) == chosen);
        self.chosen = same.unwrap_or_else(|| self.chosen.min(here.len().saturating_sub(1)));
        self.here = Some(here);
    }

    /// The rows that are shown.
    pub(crate) fn rows(&self) -> &[SessionRow] {
        self.here.as_deref().unwrap_or_default()
    }

    /// How many there are of other directories.
    pub(crate) fn elsewhere(&self) -> usize {
        self.all.len() - self.rows().len()
    }

    /// The chosen row.
    pub(crate) fn chosen(&self) -> Option<&SessionRow> {
        self.rows().get(self.chosen)
    }

    /// Moves the choice; says whether it went past the end.
    pub(crate) fn walk(&mut self, step: isize) -> bool {
        let last = self.rows().len().saturating_sub(1);
        let wanted = self.chosen.saturating_add_signed(step);
        self.chosen = wanted.min(last);
        wanted > last
    }

    /// The first row: who needs a person, else the newest.
    pub(crate) fn enter_at_top(&mut self) -> bool {
        self.chosen = 0;
        !self.rows().is_empty()
    }

    /// The last row, which is nearest to the composer below.
    pub(crate) fn enter_from_below(&mut self) -> bool {
        self.chosen = self.rows().len().saturating_sub(1);
        !self.rows().is_empty()
    }
}
