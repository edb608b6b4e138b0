//! Where a text may be cut so that its parts can be read alone.
//!
//! A cut is made before a line by what stands before it, never by what follows.
//! So the blocks before a cut are final while text still comes, and a text has
//! the same blocks whether it came at once or letter by letter.

use std::borrow::Cow;

/// Reads the lines of a text and says where parts begin.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Segmenter {
    after_blank: bool,
    fence: Option<Fence>,
    /// Whether the part holds a list, which items after a blank line go on with.
    has_list: bool,
}

/// What a line is to the lines before it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    /// A new part begins with it.
    pub(super) begins_part: bool,
    /// It is code: inside of a fence, or indented and in no list.
    pub(super) is_code: bool,
}

/// An open code fence.
#[derive(Debug, Clone, Copy)]
struct Fence {
    mark: char,
    length: usize,
    /// It stands in a list item and ends with it.
    in_item: bool,
}

impl Segmenter {
    /// Takes the next line.
    pub(super) fn place(&mut self, line: &str) -> Place {
        let text = line.trim_start_matches(' ');
        let indent = line.len() - text.len();
        let blank = text.trim_end().is_empty();
        if indent == 0 && !blank && self.fence.is_some_and(|fence| fence.in_item) {
            self.fence = None;
        }
        let is_code = self.fence.is_some() || (indent >= 4 && !self.has_list);
        let goes_on = indent > 0 || blank || is_code || (self.has_list && is_item(text));
        let begins_part = self.after_blank && !goes_on;
        self.has_list &= !begins_part;
        self.after_blank = blank;
        if indent < 4 {
            self.read(text, indent);
        }
        Place { begins_part, is_code }
    }

    fn read(&mut self, text: &str, indent: usize) {
        let run = fence_run(text);
        self.fence = match (self.fence, run) {
            (Some(open), Some((mark, length, info))) => {
                let closes = mark == open.mark && length >= open.length && info.trim().is_empty();
                (!closes).then_some(open)
            }
            (None, Some((mark, length, info))) if mark == '~' || !info.contains('`') => {
                Some(Fence { mark, length, in_item: indent > 0 && self.has_list })
            }
            (open, _) => open,
        };
        self.has_list |= self.fence.is_none() && is_item(text);
    }
}

/// The run of three or more fence marks that `text` begins with, and the rest.
fn fence_run(text: &str) -> Option<(char, usize, &str)> {
    let mark = text.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let info = text.trim_start_matches(mark);
    let length = text.len() - info.len();
    (length >= 3).then_some((mark, length, info))
}

fn is_item(text: &str) -> bool {
    let digits = text.trim_start_matches(|c: char| c.is_ascii_digit());
    let after = match text.len() - digits.len() {
        0 => text.strip_prefix(['-', '+', '*']),
        1..=9 => digits.strip_prefix(['.', ')']),
        _ => None,
    };
    after.is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
}

/// The line so that it defines no reference. Definitions are not drawn by
/// Markdown, and their links may stand in other parts: here both stay text.
pub(super) fn without_definition(line: &str) -> Cow<'_, str> {
    let text = line.trim_start_matches(|c: char| " >-+*.)".contains(c) || c.is_ascii_digit());
    let label = text.strip_prefix('[').map(after_label);
    if label.is_some_and(|after| after.is_none_or(|after| after.starts_with(':'))) {
        let markers = &line[..line.len() - text.len()];
        Cow::Owned(format!("{markers}\\{text}"))
    } else {
        Cow::Borrowed(line)
    }
}

/// What follows the bracket that ends a label, if it ends in this line.
fn after_label(text: &str) -> Option<&str> {
    let mut escaped = false;
    let end = text.find(|c| {
        let ends = c == ']' && !escaped;
        escaped = c == '\\' && !escaped;
        ends
    });
    end.and_then(|end| text.get(end + 1..))
}
