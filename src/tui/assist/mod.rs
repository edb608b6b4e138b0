//! What is offered while a message is written: words after `/`, paths after
//! `@`, and messages that were written before. Pure; the directory is walked
//! by the driver.

mod files;
mod quote;
mod search;
mod walk;

#[cfg(test)]
mod tests;

pub(crate) use files::{Batch, Files};
pub(crate) use search::Search;
pub(crate) use walk::walk;

use super::slash::{SLASHES, Slash};

/// What stands before the cursor and can be completed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Asked {
    /// A `/` and letters, and nothing else in the draft.
    Word(String),
    /// What follows an `@`, up to the cursor.
    Path(String),
}

/// What completes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Offered {
    /// Words after `/`, with their sentences.
    Words(Vec<(&'static str, Slash, &'static str)>),
    /// Paths, the best first.
    Paths(Vec<Path>),
}

impl Offered {
    /// Whether there is no choice.
    pub(crate) fn is_one(&self) -> bool {
        match self {
            Self::Words(words) => words.len() == 1,
            Self::Paths(paths) => paths.len() == 1,
        }
    }
}

/// A path of the session's directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Path {
    /// As it is put into a message.
    pub quoted: String,
    /// As it is typed after `@` to look further into it, if it is a directory.
    pub further: Option<String>,
}

/// What is offered for the draft as it is.
#[derive(Debug, Default)]
pub(crate) struct Assist {
    /// The paths of the session's directory.
    pub files: Files,
    /// The search in the history, while it is open.
    pub search: Option<Search>,
    asked: Option<Asked>,
    offered: Option<Offered>,
    chosen: Option<usize>,
}

impl Assist {
    /// The draft may have changed: offers what fits now. Says whether the paths
    /// of the directory have to be looked up.
    pub(crate) fn refresh(&mut self, asked: Option<Asked>) -> bool {
        if asked == self.asked {
            return false;
        }
        let begins = matches!((&self.asked, &asked), (None | Some(Asked::Word(_)), Some(Asked::Path(_))));
        self.asked = asked;
        self.offer();
        begins
    }

    /// Offers nothing until something else is written.
    pub(crate) fn dismiss(&mut self) {
        self.offered = None;
        self.chosen = None;
    }

    /// More paths are known.
    pub(crate) fn add(&mut self, batch: Batch) {
        let dismissed = matches!(self.asked, Some(Asked::Path(_))) && self.offered.is_none();
        if self.files.add(batch) && !dismissed && matches!(self.asked, Some(Asked::Path(_))) {
            let chosen = self.chosen;
            self.offer();
            self.chosen = chosen.filter(|at| *at < self.len()).or(self.chosen);
        }
    }

    fn offer(&mut self) {
        let files = &mut self.files;
        self.offered = self.asked.as_ref().map(|asked| match asked {
            Asked::Word(word) => Offered::Words(
                SLASHES.iter().filter(|(name, _, _)| name.starts_with(word.as_str())).copied().collect(),
            ),
            Asked::Path(typed) => Offered::Paths(files.fitting(typed)),
        });
        // Enter takes a path at once, but sends a word that only happens to fit.
        self.chosen = match &self.offered {
            Some(Offered::Paths(paths)) if !paths.is_empty() => Some(0),
            _ => None,
        };
    }

    /// What is offered and which of it is chosen, if there is anything to see.
    pub(crate) fn shown(&self) -> Option<(&Offered, Option<usize>)> {
        let offered = self.offered.as_ref()?;
        let looking = matches!(offered, Offered::Paths(_)) && self.files.is_walking();
        (self.len() > 0 || looking).then_some((offered, self.chosen))
    }

    fn len(&self) -> usize {
        match &self.offered {
            Some(Offered::Words(words)) => words.len(),
            Some(Offered::Paths(paths)) => paths.len(),
            None => 0,
        }
    }

    /// Moves the choice, around the ends; says whether there is one to move.
    pub(crate) fn walk_choice(&mut self, step: isize) -> bool {
        let count = self.len();
        if count == 0 {
            return false;
        }
        let next = match (self.chosen, step > 0) {
            (None, true) => 0,
            (None, false) => count - 1,
            (Some(at), true) => (at + 1) % count,
            (Some(at), false) => (at + count - 1) % count,
        };
        self.chosen = Some(next);
        true
    }

    /// The chosen word after `/`; with `or_first`, else the first one.
    pub(crate) fn word(&self, or_first: bool) -> Option<(&'static str, Slash)> {
        let Some(Offered::Words(words)) = &self.offered else { return None };
        let at = self.chosen.or(or_first.then_some(0))?;
        words.get(at).map(|(name, word, _)| (*name, *word))
    }

    /// The chosen path, and how many characters before the cursor it replaces.
    pub(crate) fn path(&self) -> Option<(&Path, usize)> {
        let (Some(Offered::Paths(paths)), Some(Asked::Path(typed))) = (&self.offered, &self.asked) else {
            return None;
        };
        paths.get(self.chosen?).map(|path| (path, typed.chars().count() + 1))
    }
}

/// What before the cursor can be completed: `draft` is the whole draft if it has
/// only one line, `before` the cursor's line up to the cursor.
pub(crate) fn asked(draft: Option<&str>, before: &str) -> Option<Asked> {
    if draft == Some(before) && before.starts_with('/') && !before.contains(char::is_whitespace) {
        return Some(Asked::Word(before.to_owned()));
    }
    let at = before.rfind('@')?;
    let typed = &before[at + 1..];
    let begins =
        before[..at].chars().next_back().is_none_or(|c| c.is_whitespace() || "([{<\"'`=:,;".contains(c));
    (begins && !typed.contains(char::is_whitespace)).then(|| Asked::Path(typed.to_owned()))
}
