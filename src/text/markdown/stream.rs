//! Markdown that is still coming.

use super::block::Block;
use super::build::blocks;
use super::segment::{Segmenter, without_definition};
use crate::text::line::clean_line;

/// The tab stops of Markdown.
const TABS: usize = 4;

/// A text that grows. Blocks of [`stable`](Self::stable) never change again;
/// only what follows them is read anew, when [`tail`](Self::tail) is asked for.
#[derive(Debug, Default)]
pub struct MarkdownStream {
    stable: Vec<Block>,
    segmenter: Segmenter,
    /// Whole lines after the stable blocks, cleaned.
    part: String,
    /// The unfinished line, as it came.
    line: String,
}

impl MarkdownStream {
    /// Takes the next piece of text.
    pub fn push(&mut self, delta: &str) {
        let mut rest = delta;
        while let Some((end, after)) = rest.split_once('\n') {
            self.line.push_str(end);
            let line = std::mem::take(&mut self.line);
            self.take_line(&line);
            rest = after;
        }
        self.line.push_str(rest);
    }

    /// The blocks that are complete.
    #[must_use]
    pub fn stable(&self) -> &[Block] {
        &self.stable
    }

    /// The blocks that may still change.
    #[must_use]
    pub fn tail(&self) -> Vec<Block> {
        let mut segmenter = self.segmenter;
        let (line, begins_part) = read_line(&self.line, &mut segmenter);
        let first = self.stable.is_empty();
        if begins_part {
            let before = blocks(&self.part, first);
            let after = blocks(&line, first && before.is_empty());
            before.into_iter().chain(after).collect()
        } else {
            blocks(&format!("{}{line}", self.part), first)
        }
    }

    /// All blocks, when nothing more comes.
    #[must_use]
    pub fn finish(mut self) -> Vec<Block> {
        let tail = self.tail();
        self.stable.extend(tail);
        self.stable
    }

    fn take_line(&mut self, raw: &str) {
        let (line, begins_part) = read_line(raw, &mut self.segmenter);
        if begins_part {
            let part = std::mem::take(&mut self.part);
            self.stable.extend(blocks(&part, self.stable.is_empty()));
        }
        self.part.push_str(&line);
        self.part.push('\n');
    }
}

/// The line cleaned, and whether a part begins with it.
fn read_line(raw: &str, segmenter: &mut Segmenter) -> (String, bool) {
    let mut line = String::with_capacity(raw.len());
    clean_line(raw, TABS, &mut line);
    let place = segmenter.place(&line);
    let line = if place.is_code { line } else { without_definition(&line).into_owned() };
    (line, place.begins_part)
}
