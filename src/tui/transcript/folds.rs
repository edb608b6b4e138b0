//! How much of each panel a person wants to see.

use super::Panel;
use std::collections::HashMap;

/// How much of a panel is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Fold {
    /// One line.
    Folded,
    /// The command and the end of the output.
    #[default]
    Usual,
    /// All of the output that the record keeps.
    Whole,
}

/// The panels that are not shown as usual.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Folds(HashMap<Panel, Fold>);

impl Folds {
    /// How much of this one is shown.
    pub(crate) fn of(&self, panel: Panel) -> Fold {
        self.0.get(&panel).copied().unwrap_or_default()
    }

    /// Shows more or less of it.
    pub(crate) fn change(&mut self, panel: Panel, more: bool) {
        let next = match (self.of(panel), more) {
            (Fold::Folded, false) | (Fold::Usual, false) => Fold::Folded,
            (Fold::Folded, true) | (Fold::Whole, false) => Fold::Usual,
            (Fold::Usual, true) | (Fold::Whole, true) => Fold::Whole,
        };
        self.0.insert(panel, next);
    }
}
