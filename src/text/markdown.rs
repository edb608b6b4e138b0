//! Markdown as blocks of styled text.
//!
//! Everything that was written is seen: links with their targets, images as
//! text, HTML as it stands, and reference definitions as the lines they are.
//! Blocks know nothing of a width until rows are asked for.

mod block;
mod build;
mod inline;
mod segment;
mod stream;
mod table;

pub use block::Block;
pub use stream::MarkdownStream;

use super::style::Row;

/// The blocks of a whole text.
#[must_use]
pub fn markdown(text: &str) -> Vec<Block> {
    let mut stream = MarkdownStream::default();
    stream.push(text);
    stream.finish()
}

/// The rows of these blocks at a width in cells.
#[must_use]
pub fn markdown_rows(blocks: &[Block], width: usize) -> Vec<Row> {
    blocks.iter().flat_map(|block| block.rows(width)).collect()
}

#[cfg(test)]
mod tests;
