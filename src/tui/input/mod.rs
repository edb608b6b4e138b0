//! What a person does at the terminal: the only place that reads events.
//!
//! [`reader`] owns crossterm's stream, [`machine`] mends what that stream
//! cannot know from one read alone: a lone Esc, a sequence or a paste torn in
//! two, a paste without brackets, a late answer to somebody's query.

#[cfg(any(test, feature = "lab"))]
pub(super) mod attack;
mod machine;
mod reader;
mod sequence;

#[cfg(test)]
mod tests;

pub(super) use machine::Machine;
pub(super) use reader::Reader;

use super::moment::Moment;
use crossterm::event::{KeyCode, KeyModifiers, MouseEvent};

/// One deed of a person's, and when it was done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Timed {
    /// The deed.
    pub input: Input,
    /// When it was done, which for a held key is earlier than when it is told.
    pub at: Moment,
}

/// One deed of a person's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Input {
    /// A key was pressed.
    Key(Key),
    /// Text was pasted; line ends are `\n`.
    Paste(String),
    /// The mouse.
    Mouse(MouseEvent),
    /// The terminal has another size.
    Resize,
}

/// A key with its modifiers. Shift is part of a letter, not a modifier of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Key {
    /// The key.
    pub code: KeyCode,
    /// What was held with it.
    pub mods: KeyModifiers,
}

impl Key {
    /// The key alone.
    pub(crate) const fn plain(code: KeyCode) -> Self {
        Self { code, mods: KeyModifiers::NONE }
    }

    /// A letter.
    pub(crate) const fn char(c: char) -> Self {
        Self::plain(KeyCode::Char(c))
    }

    /// A key with Ctrl.
    pub(crate) const fn ctrl(c: char) -> Self {
        Self { code: KeyCode::Char(c), mods: KeyModifiers::CONTROL }
    }

    /// A key with Alt.
    pub(crate) const fn alt(c: char) -> Self {
        Self { code: KeyCode::Char(c), mods: KeyModifiers::ALT }
    }

    /// A key with Alt added.
    fn with_alt(self) -> Self {
        Self { mods: self.mods | KeyModifiers::ALT, ..self }
    }

    /// The character that this key types, if it types one.
    pub(crate) fn typed(self) -> Option<char> {
        match self.code {
            KeyCode::Char(c) if self.mods.is_empty() => Some(c),
            _ => None,
        }
    }

    /// The character that this key stands for in a paste.
    fn pasted(self) -> Option<char> {
        match self.code {
            KeyCode::Enter => Some('\r'),
            KeyCode::Tab => Some('\t'),
            KeyCode::Esc => Some('\u{1b}'),
            KeyCode::Char('j') if self.mods == KeyModifiers::CONTROL => Some('\n'),
            KeyCode::Char(c) if !self.mods.contains(KeyModifiers::CONTROL) => Some(c),
            _ => None,
        }
    }
}
