//! A text that fills the screen: an output, help, the rules, the transcript.

use super::keys::Act;
use crate::text::{LineIndex, Row, fold, wrap};

/// An open reader.
#[derive(Debug)]
pub(crate) struct Reader {
    /// What it shows.
    pub title: String,
    body: Body,
    top: Place,
    /// Size of the text's place, as last drawn.
    size: (usize, usize),
    /// What else can be done here.
    pub kind: Kind,
}

/// What else can be done in a reader.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Nothing.
    Text,
    /// Delete ends all rules.
    Rules,
    /// Enter shows the values of the variables.
    Environment,
}

/// What is read.
#[derive(Debug)]
enum Body {
    /// Candor's own text; a row that continues a line is indented so far.
    Rows(Vec<Row>, usize),
    /// An output.
    Output(Output),
}

/// An output, and where its rows begin.
#[derive(Debug)]
pub(crate) struct Output {
    bytes: Vec<u8>,
    index: Box<LineIndex>,
}

impl Output {
    /// Reads through it once, which takes a while if it is large.
    pub(crate) fn new(bytes: Vec<u8>) -> Self {
        let mut index = Box::new(LineIndex::default());
        index.push(&bytes);
        Self { bytes, index }
    }

    /// A row as it is, before it is fitted to a width.
    fn row(&self, number: usize) -> Vec<Row> {
        let place = self.index.bytes_of(number..number + 1);
        let cut = |at: u64| usize::try_from(at).unwrap_or(usize::MAX).min(self.bytes.len());
        let read = self.index.read(number..number + 1, &self.bytes[cut(place.start)..cut(place.end)]);
        read.into_iter().map(|numbered| numbered.row).collect()
    }
}

/// A row of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
struct Place {
    line: usize,
    row: usize,
}

impl Reader {
    /// A reader of Candor's own text.
    pub(crate) fn of_rows(title: &str, rows: Vec<Row>, indent: usize, kind: Kind) -> Self {
        Self {
            title: title.into(),
            body: Body::Rows(rows, indent),
            top: Place::default(),
            size: (1, 1),
            kind,
        }
    }

    /// A reader of an output.
    pub(crate) fn of_output(title: &str, output: Output) -> Self {
        let body = Body::Output(output);
        Self { title: title.into(), body, top: Place::default(), size: (1, 1), kind: Kind::Text }
    }

    /// Line numbers for the title: first visible, and how many there are.
    pub(crate) fn position(&self) -> (usize, usize) {
        (self.top.line + 1, self.lines())
    }

    /// The visible rows.
    pub(crate) fn window(&mut self, width: usize, height: usize) -> Vec<Row> {
        self.size = (width, height);
        self.top = self.top.min(self.last_top());
        let mut rows = Vec::with_capacity(height);
        let mut place = self.top;
        while rows.len() < height && place.line < self.lines() {
            rows.extend(self.line(place.line).into_iter().skip(place.row).take(height - rows.len()));
            place = Place { line: place.line + 1, row: 0 };
        }
        rows
    }

    /// Moves as less does.
    pub(crate) fn act(&mut self, act: Act) {
        let page = isize::try_from(self.size.1.saturating_sub(1).max(1)).unwrap_or(1);
        match act {
            Act::RowDown => self.scroll(1),
            Act::RowUp => self.scroll(-1),
            Act::PageDown => self.scroll(page),
            Act::PageUp => self.scroll(-page),
            Act::HalfDown => self.scroll(page / 2 + 1),
            Act::HalfUp => self.scroll(-(page / 2 + 1)),
            Act::Top => self.top = Place::default(),
            Act::Bottom => self.top = self.last_top(),
            _ => {}
        }
    }

    /// Scrolls by rows.
    pub(crate) fn scroll(&mut self, by: isize) {
        let mut left = by.unsigned_abs();
        while left > 0 {
            if by < 0 {
                let step = left.min(self.top.row);
                self.top.row -= step;
                left -= step;
                if left == 0 || self.top.line == 0 {
                    break;
                }
                self.top.line -= 1;
                self.top.row = self.line(self.top.line).len();
            } else {
                let below = self.line(self.top.line).len().saturating_sub(self.top.row + 1);
                let step = left.min(below);
                self.top.row += step;
                left -= step;
                if left == 0 || self.top.line + 1 >= self.lines() {
                    break;
                }
                self.top = Place { line: self.top.line + 1, row: 0 };
                left -= 1;
            }
        }
        self.top = self.top.min(self.last_top());
    }

    fn lines(&self) -> usize {
        match &self.body {
            Body::Rows(rows, _) => rows.len(),
            Body::Output(output) => output.index.rows(),
        }
    }

    /// The rows of one line.
    fn line(&self, index: usize) -> Vec<Row> {
        match &self.body {
            Body::Rows(rows, indent) => match rows.get(index) {
                Some(row) => wrap(&row.spans, self.size.0, (*indent).min(self.size.0 / 2)),
                None => Vec::new(),
            },
            Body::Output(output) => {
                output.row(index).iter().flat_map(|row| fold(&row.spans, self.size.0)).collect()
            }
        }
    }

    /// The first visible row when the last one is at the bottom.
    fn last_top(&self) -> Place {
        let mut missing = self.size.1;
        for line in (0..self.lines()).rev() {
            let height = self.line(line).len();
            if height >= missing {
                return Place { line, row: height - missing };
            }
            missing -= height;
        }
        Place::default()
    }
}
