//! Which characters may reach the screen.

use super::width::{cells, is_simple, width};
use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthChar;

const ZWNJ: char = '\u{200c}';
const ZWJ: char = '\u{200d}';
const TEXT_STYLE: char = '\u{fe0e}';
const EMOJI_STYLE: char = '\u{fe0f}';

/// Marks of one letter that are kept; languages use up to four.
pub(super) const MARKS: usize = 8;
const TOO_MANY: usize = MARKS + 1;
/// Characters of one cluster that are kept; the longest emoji has ten.
pub(super) const CLUSTER: usize = 32;

/// Whether `c` draws nothing by itself: controls, bidirectional controls,
/// zero-width and other default-ignorable characters, fillers, tags,
/// annotations, line separators and noncharacters.
///
/// From Unicode 16: `Default_Ignorable_Code_Point` and the general categories
/// Cc, Cf (but the visible number and verse marks), Zl and Zp.
pub(super) fn is_invisible(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}'
            | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fdd0}'..='\u{fdef}' | '\u{fe00}'..='\u{fe0f}'
            | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{13430}'..='\u{1343f}'
            | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
        || u32::from(c) & 0xfffe == 0xfffe
}

/// Adds `text`, which holds no line break, to `out` without what is not drawn.
///
/// Invisible characters go, but for joiners and emoji styles where they shape
/// what is seen, and so do marks before the first letter. Clusters are bounded:
/// what follows [`MARKS`] marks on one letter, or [`CLUSTER`] characters,
/// becomes one U+FFFD, as does a cluster of no width. So neighbours of what went
/// do not join to a new cluster, and tidying tidied text changes nothing.
pub(super) fn tidy(text: &str, out: &mut String) {
    if text.chars().all(is_simple) {
        out.push_str(text);
        return;
    }
    for cell in cells(&drawable(text)) {
        match (cell.text.len(), cell.width) {
            (1, _) => out.push_str(cell.text),
            (_, 0) if cell.start == 0 => {}
            (_, 0) => out.push(char::REPLACEMENT_CHARACTER),
            _ => bound(cell.text, out),
        }
    }
}

/// `text` without invisible characters.
fn drawable(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut base = '\0';
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let previous = kept.chars().next_back();
        let next = chars.peek().copied();
        match c {
            '\u{2028}' | '\u{2029}' => {
                kept.push(' ');
                // What follows joins nothing before it.
                base = ' ';
            }
            ZWNJ if previous.is_some_and(needs_joiners) => kept.push(c),
            ZWJ if previous.is_some_and(needs_joiners) || joins(base, next) => kept.push(c),
            TEXT_STYLE | EMOJI_STYLE if previous.is_some_and(|base| changes_width(base, c)) => kept.push(c),
            _ if is_invisible(c) => {}
            _ => {
                kept.push(c);
                if !is_mark(c) && !is_skin_tone(c) {
                    base = c;
                }
            }
        }
    }
    kept
}

/// Adds a cluster without what exceeds the bounds.
fn bound(cluster: &str, out: &mut String) {
    let mut marks = 0;
    for c in cluster.chars().take(CLUSTER) {
        marks = if is_mark(c) { marks + 1 } else { 0 };
        match marks {
            0..=MARKS => out.push(c),
            TOO_MANY => out.push(char::REPLACEMENT_CHARACTER),
            _ => {}
        }
    }
    if cluster.chars().nth(CLUSTER).is_some() && marks <= MARKS {
        out.truncate(out.trim_end_matches([ZWJ, ZWNJ]).len());
        out.push(char::REPLACEMENT_CHARACTER);
    }
}

/// Whether it takes no cell of its own.
pub(super) fn is_mark(c: char) -> bool {
    c.width().unwrap_or(0) == 0
}

fn is_skin_tone(c: char) -> bool {
    matches!(c, '\u{1f3fb}'..='\u{1f3ff}')
}

/// Whether joiners belong to the spelling after `c`: Arabic and its relatives,
/// the scripts of India and South-East Asia, Mongolian.
fn needs_joiners(c: char) -> bool {
    matches!(c, '\u{600}'..='\u{dff}' | '\u{f00}'..='\u{109f}' | '\u{1700}'..='\u{18af}'
        | '\u{1900}'..='\u{1cff}' | '\u{a800}'..='\u{abff}' | '\u{10a00}'..='\u{11fff}')
}

/// Whether a joiner between the two makes one emoji of them.
fn joins(base: char, next: Option<char>) -> bool {
    let Some(next) = next.filter(|next| !is_mark(*next) && !is_skin_tone(*next)) else { return false };
    let joined: String = [base, ZWJ, next].iter().collect();
    joined.graphemes(true).count() == 1
}

fn changes_width(base: char, style: char) -> bool {
    let styled: String = [base, style].iter().collect();
    width(&styled) != base.width().unwrap_or(0)
}
