//! What a person searches for: literal text, in small or capital letters unless
//! it holds a capital.

use super::clean::Clean;
use memchr::memmem::{Finder, FinderRev};
use std::borrow::Cow;
use std::ops::Range;

/// A text that is searched for.
#[derive(Debug, Clone)]
pub struct Needle {
    typed: Clean,
    /// As it is compared: in small letters if letters of both cases fit.
    compared: String,
    any_case: bool,
    first: Finder<'static>,
    last: FinderRev<'static>,
}

impl Needle {
    /// The needle that somebody typed; none if nothing of it can be seen.
    #[must_use]
    pub fn new(typed: &str) -> Option<Self> {
        let typed = Clean::line(typed);
        if typed.is_empty() {
            return None;
        }
        let any_case = !typed.contains(char::is_uppercase);
        let compared: String = if any_case { typed.chars().map(small).collect() } else { typed.to_string() };
        let first = Finder::new(compared.as_bytes()).into_owned();
        let last = FinderRev::new(compared.as_bytes()).into_owned();
        Some(Self { typed, compared, any_case, first, last })
    }

    /// As it was typed.
    #[must_use]
    pub fn typed(&self) -> &Clean {
        &self.typed
    }

    /// Bytes of its longest occurrence, at least.
    #[must_use]
    pub fn reach(&self) -> usize {
        // A letter of the other case may be longer, by three bytes at most.
        self.compared.chars().count() * 4
    }

    /// Where it occurs in a text, from left to right, without overlaps.
    #[must_use]
    pub fn find_all(&self, text: &str) -> Vec<Range<usize>> {
        if let Some(bytes) = self.comparable(text) {
            let length = self.compared.len();
            return self.first.find_iter(&bytes).map(|at| at..at + length).collect();
        }
        let mut found = Vec::new();
        let mut from = 0;
        while let Some(rest) = text.get(from..) {
            let Some(range) = rest.char_indices().find_map(|(at, _)| self.at(text, from + at)) else { break };
            from = range.end;
            found.push(range);
        }
        found
    }

    /// Whether it begins in a text before `end`.
    #[must_use]
    pub fn begins_before(&self, text: &str, end: usize) -> bool {
        match self.comparable(text) {
            Some(bytes) => self.first.find(&bytes).is_some_and(|at| at < end),
            None => {
                text.char_indices().take_while(|(at, _)| *at < end).any(|(at, _)| self.at(text, at).is_some())
            }
        }
    }

    /// Whether what is shown of these bytes holds it exactly where they do:
    /// nothing but printable ASCII, line ends, and tabs if it holds no space.
    pub(super) fn is_told_by(&self, bytes: &[u8]) -> bool {
        let tabs = !self.compared.contains(' ');
        // Without a way out in its middle this loop is made of wide instructions.
        let odd = |byte: u8| !matches!(byte, b' '..=b'~' | b'\n') & !(byte == b'\t' && tabs);
        !bytes.chunks(4 << 10).any(|part| part.iter().fold(false, |any, byte| any | odd(*byte)))
    }

    /// The first occurrence at or after `from` in bytes that tell it.
    pub(super) fn first_in(&self, bytes: &[u8], from: usize) -> Option<usize> {
        let rest = bytes.get(from..)?;
        Some(from + self.first.find(&self.in_case(rest))?)
    }

    /// The last occurrence that begins before `end` in bytes that tell it.
    pub(super) fn last_in(&self, bytes: &[u8], end: usize) -> Option<usize> {
        let end = end.saturating_add(self.compared.len()).saturating_sub(1).min(bytes.len());
        self.last.rfind(self.in_case(bytes.get(..end)?))
    }

    fn in_case<'a>(&self, bytes: &'a [u8]) -> Cow<'a, [u8]> {
        if self.any_case { Cow::Owned(bytes.to_ascii_lowercase()) } else { Cow::Borrowed(bytes) }
    }

    /// The text as bytes that can be compared as such.
    fn comparable<'a>(&self, text: &'a str) -> Option<Cow<'a, [u8]>> {
        (!self.any_case || text.is_ascii()).then(|| self.in_case(text.as_bytes()))
    }

    /// The occurrence that begins at `at`.
    fn at(&self, text: &str, at: usize) -> Option<Range<usize>> {
        let mut rest = text.get(at..)?.chars();
        let fits = self.compared.chars().all(|c| rest.next().map(small) == Some(c));
        fits.then(|| at..text.len() - rest.as_str().len())
    }
}

/// A letter as it is compared. Where a small letter is several characters, the
/// first of them stands for it.
fn small(c: char) -> char {
    c.to_lowercase().next().unwrap_or(c)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn found(needle: &str, text: &str) -> Vec<String> {
        let needle = Needle::new(needle).unwrap();
        needle.find_all(text).into_iter().map(|range| text[range].to_owned()).collect()
    }

    #[test]
    fn a_capital_asks_for_the_case() {
        for (needle, text, expected) in [
            ("err", "Error ERR err", vec!["Err", "ERR", "err"]),
            ("Err", "Error ERR err", vec!["Err"]),
            ("ärger", "ÄRGER Ärger", vec!["ÄRGER", "Ärger"]),
            ("Ärger", "ÄRGER Ärger", vec!["Ärger"]),
            ("k", "\u{212a}elvin", vec!["\u{212a}"]),
            ("aa", "aaaa a", vec!["aa", "aa"]),
            (".*", "a.*b", vec![".*"]),
            ("a\tb", "a b", vec!["a b"]),
            ("x", "", vec![]),
        ] {
            assert_eq!(found(needle, text), expected, "{needle} in {text}");
        }
    }

    #[test]
    fn what_cannot_be_seen_is_no_needle() {
        for typed in ["", "\u{200b}", "\u{1b}[31m"] {
            assert!(Needle::new(typed).is_none(), "{typed:?}");
        }
    }

    #[test]
    fn bytes_tell_only_what_is_shown_as_it_is() {
        let word = Needle::new("ab").unwrap();
        let spaced = Needle::new("a b").unwrap();
        for (bytes, one, two) in [
            (b"plain\n".as_slice(), true, true),
            (b"a\tb", true, false),
            (b"a\x1b[1mb", false, false),
            (b"a\rb", false, false),
            ("é".as_bytes(), false, false),
            (b"\x00", false, false),
        ] {
            assert_eq!((word.is_told_by(bytes), spaced.is_told_by(bytes)), (one, two), "{bytes:?}");
        }
        assert_eq!(word.first_in(b"abAB", 1), Some(2));
        assert_eq!(word.last_in(b"abAB", 2), Some(0));
        assert_eq!(word.last_in(b"abAB", 3), Some(2));
        assert_eq!(word.last_in(b"a", 9), None);
    }

    proptest! {
        #[test]
        fn the_quick_way_and_the_slow_one_agree(needle in "[abAB]{1,3}", text in "[abAB ]{0,20}") {
            let needle = Needle::new(&needle).unwrap();
            let quick = needle.find_all(&text);
            // One letter beyond ASCII sends the search the slow way.
            let slow = needle.find_all(&format!("{text}é"));
            prop_assert_eq!(quick, slow);
        }
    }
}
