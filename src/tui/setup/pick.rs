//! One name out of a server's list, or one that is typed.

use crate::tui::composer::Composer;

/// The list, what is typed, and what is marked.
#[derive(Debug)]
pub(crate) struct Pick {
    names: Vec<String>,
    /// Narrows the list, and is a name of its own.
    pub field: Composer,
    /// The marked row of [`Self::rows`].
    pub marked: usize,
}

/// What a row means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Choice {
    /// The model of this name.
    Name(String),
    /// The model of this name, which is in no list.
    Typed(String),
    /// Not this server.
    OtherServer,
}

impl Pick {
    /// A list with the name in use marked, where it is in it.
    pub(crate) fn new(names: Vec<String>, current: &str) -> Self {
        let marked = names.iter().position(|name| name == current).unwrap_or(0);
        Self { names, field: Composer::default(), marked }
    }

    /// The names that hold what is typed; then what is typed, unless it is one
    /// of them; then another server.
    pub(crate) fn rows(&self) -> Vec<Choice> {
        let typed = self.field.text();
        let typed = typed.trim();
        let wanted = typed.to_lowercase();
        let fitting = self.names.iter().filter(|name| name.to_lowercase().contains(&wanted));
        let mut rows: Vec<_> = fitting.cloned().map(Choice::Name).collect();
        if !typed.is_empty() && !self.names.iter().any(|name| name == typed) {
            rows.push(Choice::Typed(typed.to_owned()));
        }
        rows.push(Choice::OtherServer);
        rows
    }

    /// How many names the server told.
    pub(crate) fn offered(&self) -> usize {
        self.names.len()
    }

    /// The marked row.
    pub(crate) fn choice(&self) -> Option<Choice> {
        self.rows().into_iter().nth(self.marked)
    }

    /// The list is another one now.
    pub(crate) fn retyped(&mut self) {
        self.marked = self.marked.min(self.rows().len() - 1);
        if !self.field.is_empty() {
            self.marked = 0;
        }
    }

    /// Moves the mark.
    pub(crate) fn walk(&mut self, by: isize) {
        self.marked = self.marked.saturating_add_signed(by).min(self.rows().len() - 1);
    }
}
