//! Tables: aligned columns, wrapped where they must be, and a list of fields
//! where columns would be too narrow to read.

use crate::text::clean::Clean;
use crate::text::style::{Row, Span, Style};
use crate::text::width::width;
use crate::text::wrap::wrap;
use pulldown_cmark::Alignment;

/// Cells between two columns.
const GUTTER: usize = 2;
/// A column that must give room keeps at least this many cells.
const NARROWEST: usize = 8;

type Cell = Vec<Span>;

/// A table; its first row is the head.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Table {
    alignments: Vec<Alignment>,
    rows: Vec<Vec<Cell>>,
}

impl Eq for Table {}

impl Table {
    pub(super) fn new(alignments: Vec<Alignment>) -> Self {
        Self { alignments, rows: Vec::new() }
    }

    pub(super) fn begin_row(&mut self) {
        self.rows.push(Vec::new());
    }

    pub(super) fn add_cell(&mut self, mut cell: Cell) {
        if self.rows.len() == 1 {
            cell.iter_mut().for_each(|span| span.style.bold = true);
        }
        if let Some(row) = self.rows.last_mut() {
            row.push(cell);
        }
    }

    pub(super) fn rows(&self, room: usize) -> Vec<Row> {
        match self.columns(room) {
            Some(columns) => self.aligned(&columns),
            None => self.as_fields(room),
        }
    }

    /// The width of each column, or `None` if they do not fit.
    fn columns(&self, room: usize) -> Option<Vec<usize>> {
        let wanted: Vec<usize> = (0..self.alignments.len()).map(|n| self.wanted(n)).collect();
        let mut left = room.checked_sub(GUTTER * wanted.len().saturating_sub(1))?;
        if wanted.iter().map(|width| width.min(&NARROWEST)).sum::<usize>() > left {
            return None;
        }
        // The narrowest first: what one does not need is there for the wider.
        let mut order: Vec<usize> = (0..wanted.len()).collect();
        order.sort_by_key(|n| wanted[*n]);
        let mut columns = vec![0; wanted.len()];
        for (done, n) in order.iter().enumerate() {
            columns[*n] = wanted[*n].min(left / (wanted.len() - done));
            left -= columns[*n];
        }
        Some(columns)
    }

    /// The width of column `n` if nothing of it is wrapped, at least 1.
    fn wanted(&self, n: usize) -> usize {
        let cells = self.rows.iter().filter_map(|row| row.get(n));
        cells.map(|cell| cell_width(cell)).max().unwrap_or(0).max(1)
    }

    fn aligned(&self, columns: &[usize]) -> Vec<Row> {
        let mut rows = Vec::new();
        for (n, row) in self.rows.iter().enumerate() {
            rows.extend(self.aligned_row(row, columns));
            if n == 0 {
                rows.push(rule(columns));
            }
        }
        rows
    }

    fn aligned_row(&self, row: &[Cell], columns: &[usize]) -> Vec<Row> {
        let empty = Vec::new();
        let cells: Vec<Vec<Row>> = columns
            .iter()
            .enumerate()
            .map(|(n, width)| wrap(row.get(n).unwrap_or(&empty), *width, 0))
            .collect();
        let height = cells.iter().map(Vec::len).max().unwrap_or(0);
        (0..height).map(|line| self.line_of_cells(&cells, columns, line)).collect()
    }

    fn line_of_cells(&self, cells: &[Vec<Row>], columns: &[usize], line: usize) -> Row {
        let mut shown = Row::default();
        let mut blank = 0;
        for ((cell, width), alignment) in cells.iter().zip(columns).zip(&self.alignments) {
            let content = cell.get(line);
            let free = width.saturating_sub(content.map_or(0, Row::width));
            let before = match alignment {
                Alignment::None | Alignment::Left => 0,
                Alignment::Center => free / 2,
                Alignment::Right => free,
            };
            if let Some(content) = content.filter(|content| !content.spans.is_empty()) {
                shown.spans.extend(spaces(blank + before));
                shown.spans.extend(content.spans.iter().cloned());
                blank = free - before + GUTTER;
            } else {
                blank += width + GUTTER;
            }
        }
        shown
    }

    fn as_fields(&self, room: usize) -> Vec<Row> {
        let Some((head, records)) = self.rows.split_first() else { return Vec::new() };
        let mut rows = Vec::new();
        for (n, record) in records.iter().enumerate() {
            if n > 0 {
                rows.push(Row::default());
            }
            for (name, value) in head.iter().zip(record) {
                let field = name.iter().cloned().chain([Span::plain(Clean::from_static(": "))]);
                rows.extend(wrap(&field.chain(value.iter().cloned()).collect::<Vec<_>>(), room, 2));
            }
        }
        if records.is_empty() {
            head.iter().for_each(|name| rows.extend(wrap(name, room, 2)));
        }
        rows
    }
}

fn cell_width(cell: &[Span]) -> usize {
    cell.iter().map(|span| width(&span.text)).sum()
}

fn rule(columns: &[usize]) -> Row {
    let dashes: Vec<String> = columns.iter().map(|width| "-".repeat(*width)).collect();
    Row::from(Span::new(Clean::tidied(dashes.join("  ")), Style::DIM))
}

fn spaces(cells: usize) -> Option<Span> {
    (cells > 0).then(|| Span::plain(Clean::tidied(" ".repeat(cells))))
}
