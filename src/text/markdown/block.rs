//! One block of Markdown, and its rows.

use super::table::Table;
use crate::text::clean::Clean;
use crate::text::highlight::Code;
use crate::text::style::{Row, Span, Style};
use crate::text::width::{truncate_start, width};
use crate::text::wrap::{count_folded, count_rows, fold, wrap};

/// A paragraph, heading, code block, table or rule, with what the lists and
/// quotes around it put before its rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block {
    prefix: Prefix,
    leaf: Leaf,
}

/// What stands at the left of a block.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Prefix {
    /// Of the blank row before the block, if there is one.
    pub(super) gap: Option<Clean>,
    /// Of its first row.
    pub(super) first: Clean,
    /// Of the others; as wide as the first.
    pub(super) rest: Clean,
}

/// What a block shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Leaf {
    /// Wrapped between words; a LF breaks a line.
    Text(Vec<Span>),
    /// Lines of code, folded; and what can be coloured of it.
    Code {
        code: Option<Code>,
        lines: Vec<Row>,
    },
    Table(Table),
    Rule,
}

/// Code stands out by its indent, not by colour alone.
const CODE_INDENT: usize = 2;
/// Cells of a wide character, for which every row must have room.
const WIDEST: usize = 2;

impl Block {
    pub(super) fn new(prefix: Prefix, leaf: Leaf) -> Self {
        Self { prefix, leaf }
    }

    /// Its code, where a grammar may colour it.
    #[must_use]
    pub fn code(&self) -> Option<&Code> {
        match &self.leaf {
            Leaf::Code { code, .. } => code.as_ref(),
            Leaf::Text(_) | Leaf::Table(_) | Leaf::Rule => None,
        }
    }

    /// Shows its code with these colours, which [`Code::highlight`] gave; no row moves.
    pub fn color(&mut self, colored: &[Row]) {
        if let Leaf::Code { lines, .. } = &mut self.leaf
            && lines.len() == colored.len()
        {
            lines.clone_from_slice(colored);
        }
    }

    /// Its rows at a width in cells, with the blank row before it, if any.
    #[must_use]
    pub fn rows(&self, width: usize) -> Vec<Row> {
        let layout = Layout::new(&self.prefix, width);
        let content = match &self.leaf {
            Leaf::Text(spans) => wrap(spans, layout.room, 0),
            Leaf::Code { lines, .. } => code_rows(lines, layout.room),
            Leaf::Table(table) => table.rows(layout.room),
            Leaf::Rule => vec![Row::from(Span::plain(Clean::tidied("-".repeat(layout.room))))],
        };
        let gap = self.prefix.gap.iter().map(|gap| Row::from(dim(layout.fit(gap))));
        gap.chain(content.into_iter().enumerate().map(|(n, row)| layout.row(n, row))).collect()
    }

    /// The number of its rows, mostly without making them.
    #[must_use]
    pub fn count_rows(&self, width: usize) -> usize {
        let room = Layout::new(&self.prefix, width).room;
        let content = match &self.leaf {
            Leaf::Text(spans) => count_rows(spans, room, 0),
            Leaf::Code { lines, .. } => count_code_rows(lines, room),
            Leaf::Table(table) => table.rows(room).len(),
            Leaf::Rule => 1,
        };
        content + usize::from(self.prefix.gap.is_some())
    }
}

/// The indent of code, but for what the narrowest rows need.
fn code_indent(room: usize) -> usize {
    CODE_INDENT.min(room.saturating_sub(WIDEST))
}

fn code_rows(lines: &[Row], room: usize) -> Vec<Row> {
    let indent = code_indent(room);
    let mut rows: Vec<Row> = lines.iter().flat_map(|line| fold(&line.spans, room - indent)).collect();
    for row in &mut rows {
        row.spans.insert(0, Span::plain(Clean::tidied(" ".repeat(indent))));
    }
    rows
}

fn count_code_rows(lines: &[Row], room: usize) -> usize {
    lines.iter().map(|line| count_folded(&line.spans, room - code_indent(room))).sum()
}

fn dim(text: Clean) -> Span {
    Span::new(text, Style::DIM)
}

/// A prefix at a width: nested ever deeper, it leaves half of the row.
struct Layout<'a> {
    prefix: &'a Prefix,
    prefix_room: usize,
    room: usize,
}

impl<'a> Layout<'a> {
    fn new(prefix: &'a Prefix, room: usize) -> Self {
        let prefix_room = width(&prefix.rest).min(room / 2).min(room.saturating_sub(WIDEST));
        Self { prefix, prefix_room, room: (room - prefix_room).max(1) }
    }

    fn fit(&self, prefix: &Clean) -> Clean {
        Clean::tidied(truncate_start(prefix, self.prefix_room).to_owned())
    }

    fn row(&self, n: usize, content: Row) -> Row {
        let prefix = self.fit(if n == 0 { &self.prefix.first } else { &self.prefix.rest });
        if prefix.is_empty() {
            return content;
        }
        let mut row = Row::from(Span::plain(prefix));
        row.spans.extend(content.spans);
        row
    }
}
