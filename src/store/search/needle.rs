//! What is searched for, in two forms: one for the raw bytes of a journal,
//! which finds at least every line that holds it, and one for the texts that a
//! line says.

use regex::bytes::Regex as Raw;
use regex::{Regex, RegexBuilder};
use std::fmt::Write as _;
use std::ops::Range;

/// A regular expression of a long text takes memory, in bytes at most.
const SIZE: usize = 64 << 20;

/// Words that are searched for as they stand: letters of either case, any white
/// space for any other.
#[derive(Debug, Clone)]
pub struct Needle {
    raw: Raw,
    text: Regex,
}

impl Needle {
    /// A needle; none if there is nothing to search for, or far too much.
    #[must_use]
    pub fn new(words: &str) -> Option<Self> {
        let words = words.trim();
        if words.is_empty() {
            return None;
        }
        let (mut raw, mut text) = (String::new(), String::new());
        for (index, word) in words.split_whitespace().enumerate() {
            if index > 0 {
                raw.push_str(r"(?:\s|\\+[nrtf]|\\+u[0-9a-f]{4})+");
                text.push_str(r"\s+");
            }
            text.push_str(&regex::escape(word));
            word.chars().for_each(|c| push_raw(&mut raw, c));
        }
        let text = RegexBuilder::new(&text).case_insensitive(true).size_limit(SIZE).build().ok()?;
        let raw =
            regex::bytes::RegexBuilder::new(&raw).case_insensitive(true).size_limit(SIZE).build().ok()?;
        Some(Self { raw, text })
    }

    /// Where a line may hold it, at or after a position of these bytes.
    pub(super) fn find_raw(&self, bytes: &[u8], from: usize) -> Option<Range<usize>> {
        self.raw.find_at(bytes, from).map(|found| found.range())
    }

    /// Where a text holds it first.
    pub(super) fn find(&self, text: &str) -> Option<Range<usize>> {
        self.text.find(text).map(|found| found.range())
    }
}

/// A character as JSON may have written it, once or within another JSON text.
/// Nobody escapes letters and digits of ASCII.
fn push_raw(pattern: &mut String, c: char) {
    if c.is_ascii_alphanumeric() {
        pattern.push(c);
        return;
    }
    let mut literal = [0; 4];
    let literal = regex::escape(c.encode_utf8(&mut literal));
    // A quotation mark or a backslash in JSON within JSON stands after several.
    let before = if c.is_ascii() { r"\\*" } else { "" };
    let _ = write!(pattern, "(?:{before}{literal}");
    for case in [c].into_iter().chain(c.to_lowercase()).chain(c.to_uppercase()) {
        let mut units = [0; 2];
        pattern.push('|');
        for unit in case.encode_utf16(&mut units) {
            let _ = write!(pattern, r"\\+u{unit:04x}");
        }
    }
    pattern.push(')');
}

#[cfg(test)]
mod tests {
    use super::*;

    fn holds(words: &str, json: &str) -> bool {
        Needle::new(words).unwrap().find_raw(json.as_bytes(), 0).is_some()
    }

    #[test]
    fn every_way_to_write_it_in_json_is_found() {
        for (words, json) in [
            ("milk", r#""Add MILK to""#),
            ("add milk", r#""Add\nmilk""#),
            ("add  milk", r#""{\"command\":\"add\\tmilk\"}""#),
            (r#"say "hi""#, r#""say \"hi\"""#),
            (r#"say "hi""#, r#""{\"command\":\"say \\\"hi\\\"\"}""#),
            (r#"say "hi""#, r#""say \u0022hi\u0022""#),
            (r"c:\dir", r#""C:\\dir""#),
            ("a/b", r#""a\/b""#),
            ("<b>", r#""\u003cb\u003E""#),
            ("größe", r#""GRÖSSE Größe""#),
            ("größe", r#""GR\u00d6\u00dfE""#),
            ("ÄRGER", r#""\u00e4rger""#),
            ("🥛", r#""\ud83e\udd5b""#),
            ("牛乳", r#""牛乳""#),
        ] {
            assert!(holds(words, json), "{words} in {json}");
        }
        assert!(!holds("milk", r#""silk""#) && !holds("a.b", r#""axb""#));
    }

    #[test]
    fn nothing_is_no_needle() {
        assert!(Needle::new(" \t ").is_none() && Needle::new("").is_none());
    }
}
