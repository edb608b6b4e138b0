//! Large pastes, each kept aside and standing in the draft as one character.

use std::borrow::Cow;

/// A paste with more lines is folded.
const LINES: usize = 20;
/// A paste with more bytes is folded.
const BYTES: usize = 4 << 10;
/// Characters that stand for folded pastes: private use, which nobody types.
const FIRST: u32 = 0xF_0000;
const LAST: u32 = 0xF_FFFD;

/// The folded pastes of a draft, by the place of their character.
#[derive(Debug, Clone, Default)]
pub(super) struct Folds(Vec<String>);

impl Folds {
    /// Keeps a large paste and gives the character that stands for it. A small
    /// one comes back to be inserted; but one that holds such a character
    /// itself is kept too, so that every such character in a draft is ours.
    pub(super) fn fold(&mut self, text: String) -> Result<char, String> {
        let large = text.len() > BYTES || text.lines().count() > LINES;
        if !large && !text.contains(is_mark) {
            return Err(text);
        }
        match mark(self.0.len()) {
            Some(mark) => {
                self.0.push(text);
                Ok(mark)
            }
            None => Err(text.replace(is_mark, "\u{fffd}")),
        }
    }

    /// The paste that a character stands for.
    pub(super) fn get(&self, c: char) -> Option<&str> {
        let index = u32::from(c).checked_sub(FIRST)?;
        self.0.get(usize::try_from(index).ok()?).map(String::as_str)
    }

    /// The paste that a character stands for, if it may stand in the draft itself.
    pub(super) fn unfold(&self, c: char) -> Option<&str> {
        self.get(c).filter(|text| !text.contains(is_mark))
    }

    /// What a character's paste is called in the draft.
    pub(super) fn label(&self, c: char) -> Option<String> {
        let text = self.get(c)?;
        let lines = text.lines().count();
        let lines = if lines == 1 { "1 line".to_owned() } else { format!("{lines} lines") };
        Some(format!("[paste: {lines}, {} KiB]", text.len().div_ceil(1 << 10)))
    }

    /// The text with every paste in its place.
    pub(super) fn expand<'a>(&self, text: &'a str) -> Cow<'a, str> {
        if !text.contains(is_mark) {
            return Cow::Borrowed(text);
        }
        let mut whole = String::with_capacity(text.len());
        for c in text.chars() {
            match self.get(c) {
                Some(paste) => whole.push_str(paste),
                None => whole.push(c),
            }
        }
        Cow::Owned(whole)
    }
}

/// Whether a character is one of those that stand for pastes.
pub(super) fn is_mark(c: char) -> bool {
    (FIRST..=LAST).contains(&u32::from(c))
}

fn mark(index: usize) -> Option<char> {
    let code = FIRST.checked_add(u32::try_from(index).ok()?)?;
    char::from_u32(code).filter(|c| is_mark(*c))
}
