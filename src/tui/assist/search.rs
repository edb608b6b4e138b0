//! The search in what was written before, as Ctrl+R of a shell.

/// An open search.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Search {
    /// What is looked for.
    pub query: String,
    /// What has it, the newest first, none twice.
    pub hits: Vec<String>,
    /// The chosen one.
    pub chosen: usize,
}

impl Search {
    /// Looks through the messages, given oldest first. Capital letters count if
    /// the query has any.
    pub(crate) fn look<'a>(&mut self, messages: impl DoubleEndedIterator<Item = &'a str>) {
        let exact = self.query.chars().any(char::is_uppercase);
        let has = |message: &str| {
            exact && message.contains(&self.query) || !exact && message.to_lowercase().contains(&self.query)
        };
        let mut seen = std::collections::HashSet::new();
        let hits = messages.rev().filter(|message| has(message) && seen.insert(*message));
        self.hits = hits.map(str::to_owned).collect();
        self.chosen = 0;
    }

    /// Goes to older hits, or with a negative step to newer ones; stays at the ends.
    pub(crate) fn walk(&mut self, step: isize) {
        let last = self.hits.len().saturating_sub(1);
        self.chosen = self.chosen.saturating_add_signed(step).min(last);
    }

    /// The chosen message.
    pub(crate) fn hit(&self) -> Option<&str> {
        self.hits.get(self.chosen).map(String::as_str)
    }
}
