//! Rows as text for somewhere else.

use super::desk::Desk;
use crate::text::Row;
use std::io;

/// The most that is given to a clipboard.
pub(crate) const CLIPBOARD_BYTES: usize = 100 << 10;

/// Rows as one text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Joined {
    /// The text without a line end at its end, so that pasting it runs nothing;
    /// none if it is over [`CLIPBOARD_BYTES`].
    pub text: Option<String>,
    /// Its lines, as far as they were read.
    pub lines: usize,
}

/// Rows of Candor's own text as one text; a row that goes on with a line is
/// none of these.
pub(crate) fn joined<'a>(rows: impl Iterator<Item = &'a Row>) -> Joined {
    let mut joiner = Joiner::default();
    // They may be filled up with spaces.
    rows.for_each(|row| joiner.push(row.text().trim_end_matches(' '), false));
    joiner.finish()
}

/// Puts rows together.
#[derive(Debug, Default)]
pub(super) struct Joiner {
    text: String,
    lines: usize,
    begun: bool,
}

impl Joiner {
    /// Bytes so far.
    pub(super) fn bytes(&self) -> usize {
        self.text.len()
    }

    pub(super) fn push(&mut self, text: &str, continues: bool) {
        if self.begun && !continues {
            self.text.push('\n');
        }
        self.lines += usize::from(!continues || !self.begun);
        self.begun = true;
        self.text.push_str(text);
    }

    pub(super) fn finish(self) -> Joined {
        let fits = self.text.len() <= CLIPBOARD_BYTES;
        Joined { text: fits.then_some(self.text), lines: self.lines }
    }
}

/// Writes what rows show, each line with its end.
pub(super) fn write_shown(
    desk: &mut Desk,
    rows: std::ops::Range<usize>,
    out: &mut dyn io::Write,
) -> io::Result<u64> {
    let mut bytes = 0;
    let end = rows.end.min(desk.size().rows);
    let mut at = rows.start;
    while at < end {
        let next = end.min(at + 512);
        let read = desk.rows(at..next);
        for (n, row) in read.iter().enumerate() {
            let mut text = row.row.text();
            if at + n > rows.start && !row.continues {
                text.insert(0, '\n');
            }
            out.write_all(text.as_bytes())?;
            bytes += text.len() as u64;
        }
        at = next;
    }
    if end > rows.start {
        out.write_all(b"\n")?;
        bytes += 1;
    }
    Ok(bytes)
}
