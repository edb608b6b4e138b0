//! A session's first title.

use crate::record::limits::FIRST_TITLE_CHARS;

/// The first line of the first message, cut.
#[must_use]
pub fn first_title(text: &str) -> String {
    let line = text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    line.chars().filter(|c| !c.is_control()).take(FIRST_TITLE_CHARS).collect()
}
