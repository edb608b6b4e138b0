//! Words to cells: width, sanitising, wrapping, Markdown, ANSI.
//!
//! Pure, and naming nothing of ours. Text from outside comes in as `&str` or
//! bytes and goes out as [`Clean`], [`Span`] and [`Row`]; a screen maps these to
//! its library and draws nothing else.

#[cfg(any(test, feature = "lab"))]
pub mod attack;
mod canvas;
mod clean;
mod escape;
mod glyphs;
mod highlight;
mod human;
mod line;
mod markdown;
mod needle;
mod output;
mod part;
mod scan;
mod sgr;
mod style;
mod width;
mod wrap;

pub use clean::Clean;
pub use escape::{Piece, Warning, escape_command, escape_json, warnings};
pub use highlight::Code;
pub use human::{
    count_words, human_bytes, human_count, human_duration, human_elapsed, human_magnitude, short_path,
};
pub use markdown::{Block, MarkdownStream, markdown, markdown_rows};
pub use needle::Needle;
pub use output::{LineIndex, NumberedRow, OutputTail, PIECE_BYTES, Side, output_rows};
pub use part::{crop, highlight};
pub use style::{Color16, Row, Span, Style};
pub use width::{Cell, cells, has_disputed_width, pad, truncate, truncate_middle, truncate_start, width};
pub use wrap::{count_folded, count_rows, fold, rows_of_block, wrap};
