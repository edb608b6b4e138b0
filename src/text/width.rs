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
    let mut start = 0;
    std::iter::from_fn(move || {
        let rest = text.get(start..)?;
        let (length, width) = first_cluster(rest)?;
        let cell = Cell { start, text: rest.get(..length)?, width };
        start += length;
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
    ""
}

/// `text` in at most `room` cells: if it has more, its beginning and its end
/// around two dots.
#[must_use]
pub fn truncate_middle(text: &str, room: usize) -> String {
    const DOTS: usize = 2;
    if width(text) <= room {
        return text.to_owned();
    }
    let Some(kept) = room.checked_sub(DOTS) else { return truncate_start(text, room).to_owned() };
    let begin = truncate(text, kept / 3);
    format!("{begin}..{}", truncate_start(text, kept - width(begin)))
}

/// `text` cut or filled up with spaces to exactly `room` cells.
#[must_use]
pub fn pad(text: &str, room: usize) -> String {
    let shown = truncate(text, room);
    let mut padded = String::from(shown);
    padded.extend(std::iter::repeat_n(' ', room - width(shown)));
    padded
}

/// Length and width of the cluster that `text` begins with.
fn first_cluster(text: &str) -> Option<(usize, usize)> {
    let mut chars = text.chars();
    let first = chars.next()?;
    match simple_width(first) {
        Some(width) if chars.next().is_none_or(is_simple) => Some((first.len_utf8(), width)),
        _ => text.graphemes(true).next().map(|cluster| (cluster.len(), cluster_width(cluster))),
    }
}

/// Whether `c` is visible and makes a cluster of its own before another simple
/// character: printable ASCII, Latin, Greek, Cyrillic and CJK letters. They are
/// most of all text, and need no search in tables.
pub(super) fn is_simple(c: char) -> bool {
    simple_width(c).is_some()
}

fn simple_width(c: char) -> Option<usize> {
    match c {
        ' '..='~' | '\u{c0}'..='\u{2ff}' | '\u{391}'..='\u{3ce}' | '\u{400}'..='\u{481}' => Some(1),
        '\u{2010}'..='\u{2027}' => Some(1),
        '\u{3001}'..='\u{3003}' | '\u{3008}'..='\u{3011}' | '\u{3041}'..='\u{3096}' => Some(2),
        '\u{30a1}'..='\u{30fa}' | '\u{4e00}'..='\u{9fff}' => Some(2),
        '\u{ac00}'..='\u{d7a3}' | '\u{ff01}'..='\u{ff5e}' => Some(2),
        _ => None,
    }
}

fn cluster_width(cluster: &str) -> usize {
    if cluster.contains(char::is_control) {
        return 0;
    }
    cluster.width() + cluster.chars().filter(|c| matches!(c, '\u{ff9e}' | '\u{ff9f}')).count()
}

/// Blocks of which every terminal draws a single character, and one with
/// European accents, in as many cells as [`width`] says.
const AGREED: [(u32, u32); 17] = [
    (0x0020, 0x02ff),   // Latin
    (0x0370, 0x0482),   // Greek, Cyrillic
    (0x048a, 0x052f),   // Cyrillic
    (0x1e00, 0x1fff),   // Latin and Greek with accents
    (0x2010, 0x2027),   // dashes, quotation marks
    (0x2030, 0x205e),   // punctuation
    (0x20a0, 0x20bf),   // currencies
    (0x2100, 0x2319),   // letter-like, arrows, mathematics
    (0x2500, 0x27bf),   // boxes, symbols
    (0x3000, 0x303e),   // CJK punctuation
    (0x3041, 0x30ff),   // Kana
    (0x3400, 0x9fff),   // Han
    (0xac00, 0xd7a3),   // Hangul
    (0xff01, 0xffe6),   // full and half width
    (0xfffd, 0xfffd),   // what stands for broken text
    (0x1f300, 0x1f64f), // pictures
    (0x20000, 0x2fffd), // Han
];

/// Whether terminals draw this cell's text in different numbers of cells: what
/// it leaves behind when it goes cannot be known.
#[must_use]
pub fn has_disputed_width(cell: &str) -> bool {
    // Most cells hold one letter of ASCII.
    if let [b' '..=b'~'] = cell.as_bytes() {
        return false;
    }
    let mut chars = cell.chars().map(u32::from);
    let first = chars.next().unwrap_or(u32::from(' '));
    let agreed = AGREED.iter().any(|(from, to)| (*from..=*to).contains(&first));
    !agreed || chars.any(|mark| !(0x0300..=0x036f).contains(&mark))
}

#[cfg(test)]
mod tests;
