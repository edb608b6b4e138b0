//! [`Clean`]: text from outside, made safe to draw.

use super::glyphs::tidy;
use super::line::{TERMINAL_TABS, clean_line};
use super::scan::{Motion, Scanner, Step};
use super::width;
use std::borrow::Cow;
use std::fmt;
use std::ops::{Deref, Range};

/// Text that a terminal acts on in no way: no control characters or sequences,
/// nothing invisible, no cluster without bounds. Whatever came from a model, a
/// command, a file or a server is drawn only as this.
///
/// Cleaning clean text changes nothing.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Clean(Cow<'static, str>);

impl Clean {
    /// Everything of `text` in one line: each line break, and each tab, becomes
    /// one space. Carriage returns and erasing hide nothing here, nor does a
    /// string without an end: a sentence may go on behind the text that began it.
    #[must_use]
    pub fn line(text: &str) -> Self {
        let mut scanner = Scanner::default();
        let mut shown = String::with_capacity(text.len());
        let mut carried = String::new();
        for c in text.replace("\r\n", "\n").chars() {
            if c == '\n' {
                scanner = Scanner::default();
                shown.extend(carried.drain(..).chain([' ']));
                continue;
            }
            let was_string = scanner.is_string();
            match scanner.step(c) {
                Step::Text => shown.push(c),
                Step::Move(Motion::Tab | Motion::Return) => shown.push(' '),
                Step::Move(_) | Step::Sgr | Step::Nothing => {}
            }
            match scanner.is_string() {
                true if was_string => carried.push(c),
                true => {}
                false => carried.clear(),
            }
        }
        shown.push_str(&carried);
        let mut tidied = String::with_capacity(shown.len());
        tidy(&shown, &mut tidied);
        Self::tidied(tidied)
    }

    /// `text` with its lines as a terminal would leave them: tabs as spaces up
    /// to the next multiple of eight, what was written over after a carriage
    /// return or erased gone, LF between lines. What a person decides about is
    /// shown by [`escape_command`](super::escape_command) instead.
    #[must_use]
    pub fn block(text: &str) -> Self {
        let mut cleaned = String::with_capacity(text.len());
        for (n, line) in text.split('\n').enumerate() {
            if n > 0 {
                cleaned.push('\n');
            }
            clean_line(line, TERMINAL_TABS, &mut cleaned);
        }
        Self::tidied(cleaned)
    }

    /// Candor's own words.
    #[must_use]
    pub fn from_static(text: &'static str) -> Self {
        let cleaned = Self::block(text);
        if cleaned.as_str() == text { Self(Cow::Borrowed(text)) } else { cleaned }
    }

    /// Text that this room has already made safe.
    pub(super) fn tidied(text: String) -> Self {
        Self(Cow::Owned(text))
    }

    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Its lines; none of an empty text.
    pub fn lines(&self) -> impl Iterator<Item = Self> + '_ {
        self.0.lines().map(|line| Self::tidied(line.to_owned()))
    }

    /// The longest beginning that fits into `room` cells, with ".." for its end
    /// if something had to go.
    #[must_use]
    pub fn shortened(&self, room: usize) -> Self {
        if width::width(self) <= room {
            return self.clone();
        }
        let dots = width::truncate("..", room);
        let kept = width::truncate(self, room - dots.len());
        Self::tidied(format!("{kept}{dots}"))
    }

    /// This and then `other`, where both were parts of one clean text.
    pub(super) fn followed_by(&self, other: &Self) -> Self {
        Self::tidied(format!("{self}{other}"))
    }

    /// A part of it; nothing if `range` cuts a character.
    pub(super) fn part(&self, range: Range<usize>) -> Self {
        if range == (0..self.0.len()) {
            return self.clone();
        }
        match &self.0 {
            Cow::Borrowed(text) => Self(Cow::Borrowed(text.get(range).unwrap_or_default())),
            Cow::Owned(text) => Self::tidied(text.get(range).unwrap_or_default().to_owned()),
        }
    }
}

impl Deref for Clean {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl AsRef<str> for Clean {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Clean {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

#[cfg(test)]
mod tests;
