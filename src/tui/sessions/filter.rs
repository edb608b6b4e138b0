//! Which sessions are shown: pure, tested as a table.

use crate::agent::SessionRow;

/// Which sessions the list is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scope {
    /// Those of this directory.
    Here,
    /// All.
    Everywhere,
    /// Those in the trash.
    Trash,
}

impl Scope {
    /// The next one.
    pub(super) fn next(self) -> Self {
        match self {
            Self::Here => Self::Everywhere,
            Self::Everywhere => Self::Trash,
            Self::Trash => Self::Here,
        }
    }

    fn holds(self, row: &SessionRow) -> bool {
        match self {
            Self::Here => row.here,
            Self::Everywhere | Self::Trash => true,
        }
    }
}

/// From this length on a word may be the beginning of an id.
const ID_LENGTH: usize = 8;

/// Numbers of the rows that belong to the scope and hold every word of the
/// filter in their title, directory or first message, in either case; a word
/// may also be the beginning of their id.
pub(super) fn shown(rows: &[SessionRow], scope: Scope, filter: &str) -> Vec<usize> {
    let words: Vec<String> = filter.split_whitespace().map(str::to_lowercase).collect();
    let fits = |row: &SessionRow| {
        if words.is_empty() {
            return true;
        }
        let texts = format!("{}\n{}\n{}", row.title, row.cwd, row.message).to_lowercase();
        let id = row.id.to_string();
        let is_id = |word: &String| word.len() >= ID_LENGTH && id.starts_with(word.as_str());
        words.iter().all(|word| texts.contains(word.as_str()) || is_id(word))
    };
    let numbered = rows.iter().enumerate();
    numbered.filter(|(_, row)| scope.holds(row) && fits(row)).map(|(index, _)| index).collect()
}
