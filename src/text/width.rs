//! How many cells text takes.
//!
//! Width is measured per grapheme cluster, exactly as the screen library
//! measures it when it draws: `unicode-width` of the whole cluster, plus one
//! for each half-width Katakana sound mark, which terminals give a cell of its
//! own. Clusters of no width are not drawn. Characters of ambiguous width count
//! one cell: a terminal set to draw them in two must be asked, and Candor asks
//! terminals nothing; none of them is used for Candor's own marks.

use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

/// One grapheme cluster of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cell<'a> {
    /// Where it begins in the text, in bytes.
    pub start: usize,
    /// The cluster.
    pub text: &'a str,
    /// Its width in cells.
    pub width: usize,
}

/// The grapheme clusters of `text` with their widths.
pub fn cells(text: &str) -> impl Iterator<Item = Cell<'_>> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let cluster = first_cluster(text.get(at..)?)?;
        let cell = Cell { start: at, text: cluster, width: cluster_width(cluster) };
        at += cluster.len();
        Some(cell)
    })
}

/// The width of `text` in cells.
#[must_use]
pub fn width(text: &str) -> usize {
    cells(text).map(|cell| cell.width).sum()
}

/// The longest beginning of `text` that fits into `room` cells.
#[must_use]
pub fn truncate(text: &str, room: usize) -> &str {
    let mut used = 0;
    for cell in cells(text) {
        used += cell.width;
        if used > room {
            return &text[..cell.start];
        }
    }
    text
}

/// The longest end of `text` that fits into `room` cells.
#[must_use]
pub fn truncate_start(text: &str, room: usize) -> &str {
    let mut excess = width(text).saturating_sub(room);
    for cell in cells(text) {
        if excess == 0 {
            return &text[cell.start..];
        }
        excess = excess.saturating_sub(cell.width);
    }
    if excess == 0 && room > 0 && width(text) <= room { text } else { "" }
}

/// `text` cut or filled up with spaces to exactly `room` cells.
#[must_use]
pub fn pad(text: &str, room: usize) -> String {
    let shown = truncate(text, room);
    let mut padded = String::from(shown);
    padded.extend(std::iter::repeat_n(' ', room - width(shown)));
    padded
}

/// Printable ASCII before another ASCII byte is a cluster of its own, which
/// spares most text the search in tables.
fn first_cluster(text: &str) -> Option<&str> {
    match text.as_bytes() {
        [] => None,
        [b' '..=b'~'] => Some(text),
        [b' '..=b'~', next, ..] if next.is_ascii() => text.get(..1),
        _ => text.graphemes(true).next(),
    }
}

fn cluster_width(cluster: &str) -> usize {
    match cluster.as_bytes() {
        [b' '..=b'~'] => 1,
        _ if cluster.contains(char::is_control) => 0,
        _ => cluster.width() + cluster.chars().filter(|c| matches!(c, '\u{ff9e}' | '\u{ff9f}')).count(),
    }
}

#[cfg(test)]
mod tests;
