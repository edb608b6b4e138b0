//! Reading, indexing and searching one text, a slice at a time.

use super::export::{CLIPBOARD_BYTES, Joiner};
use super::{Find, Joined, Order, Size, Told};
use crate::text::{LineIndex, NumberedRow, PIECE_BYTES, Side};
use std::io;
use std::ops::Range;
use std::sync::Arc;

/// How much of a text is indexed before orders are looked at again: so little
/// that rows come at once even where each byte is a line.
const INDEX_SLICE: usize = 256 << 10;
/// The first slice is enough for a screen, so that it comes at once.
const FIRST_SLICE: usize = 128 << 10;
/// How much of a text is searched before orders are looked at again.
const SEARCH_SLICE: u64 = 256 << 10;
/// How much is read for rows at once.
const ROWS_SLICE: u64 = 256 << 10;

/// Bytes that can be read from any place.
pub(crate) trait Source: Send + Sync {
    /// Reads at a place; 0 at the end.
    ///
    /// # Errors
    /// What the system says.
    fn read_at(&self, buffer: &mut [u8], at: u64) -> io::Result<usize>;
}

impl Source for Vec<u8> {
    fn read_at(&self, buffer: &mut [u8], at: u64) -> io::Result<usize> {
        let rest = usize::try_from(at).ok().and_then(|at| self.get(at..)).unwrap_or_default();
        let count = rest.len().min(buffer.len());
        buffer[..count].copy_from_slice(&rest[..count]);
        Ok(count)
    }
}

/// A text with the index of its rows. It holds the index, and never more of the
/// text than it is reading.
pub(crate) struct Desk {
    source: Arc<dyn Source>,
    index: LineIndex,
    /// All that is there was indexed.
    complete: bool,
    search: Option<Search>,
    /// The line whose row is wanted.
    line: Option<u64>,
    buffer: Vec<u8>,
}

/// A search that goes on.
struct Search {
    find: Box<Find>,
    /// What is left to be searched; an end beyond the text means all of it.
    rest: Range<usize>,
}

impl Desk {
    pub(crate) fn new(source: Arc<dyn Source>) -> Self {
        Self {
            source,
            index: LineIndex::default(),
            complete: false,
            search: None,
            line: None,
            buffer: Vec::new(),
        }
    }

    /// Does what an order wants, or begins it.
    ///
    /// # Errors
    /// The order, if it takes long and is to be carried out beside.
    pub(crate) fn obey(&mut self, order: Order) -> Result<Option<Told>, Order> {
        match order {
            Order::Rows(rows) => return Ok(Some(Told::Rows(rows.start, self.rows(rows)))),
            Order::Copy(rows) => return Ok(Some(Told::Copied(self.copy(rows)))),
            Order::Line(line) => self.line = Some(line),
            Order::Find(find) => self.search = Some(Search { rest: find.rows.clone(), find }),
            Order::StopFinding => self.search = None,
            Order::Grown => self.complete = false,
            Order::Open(_) | Order::Save(..) | Order::CleanCopy => return Err(order),
        }
        Ok(None)
    }

    /// How large the text is.
    pub(crate) fn size(&self) -> Size {
        let index = &self.index;
        Size { rows: index.rows(), lines: index.lines(), bytes: index.bytes(), complete: self.complete }
    }

    /// Whether [`Desk::work`] has anything to do.
    pub(crate) fn has_work(&self) -> bool {
        !self.complete || self.search.is_some() || self.line.is_some()
    }

    /// Does one slice of what is to be done.
    pub(crate) fn work(&mut self) -> Option<Told> {
        match self.reach_line().or_else(|| self.search_slice()) {
            Some(told) => Some(told),
            None if self.complete => None,
            None => Some(self.index_slice()),
        }
    }

    /// Rows from the text, as far as they are indexed.
    pub(super) fn rows(&mut self, rows: Range<usize>) -> Vec<NumberedRow> {
        let mut read = Vec::new();
        let mut rest = rows.start..rows.end.min(self.index.rows());
        while !rest.is_empty() {
            let batch = self.index.batch_from(rest.start, ROWS_SLICE);
            let batch = rest.start..batch.end.min(rest.end);
            let range = self.index.bytes_of(batch.clone());
            let bytes = read_range(&*self.source, &mut self.buffer, range);
            let new = self.index.read(batch.clone(), bytes);
            if new.is_empty() {
                break;
            }
            read.extend(new);
            rest.start = batch.end;
        }
        read
    }

    /// The text of rows, if it is not too long for a clipboard.
    pub(super) fn copy(&mut self, rows: Range<usize>) -> Joined {
        let mut joiner = Joiner::default();
        let mut rest = rows.start..rows.end.min(self.index.rows());
        while !rest.is_empty() && joiner.bytes() <= CLIPBOARD_BYTES {
            let batch = self.index.batch_from(rest.start, ROWS_SLICE);
            let batch = rest.start..batch.end.min(rest.end);
            rest.start = batch.end;
            self.rows(batch).iter().for_each(|row| joiner.push(&row.row.text(), row.continues));
        }
        joiner.finish()
    }

    /// Another desk for the same text as far as it is indexed, for work that
    /// takes long.
    pub(crate) fn twin(&self) -> Self {
        let (source, index) = (Arc::clone(&self.source), self.index.clone());
        Self { index, complete: self.complete, ..Self::new(source) }
    }

    /// Indexes all that is there.
    pub(super) fn finish(&mut self) {
        while !self.complete {
            self.index_slice();
        }
    }

    /// Bytes of memory that the index holds.
    #[cfg(test)]
    pub(super) fn memory(&self) -> usize {
        self.index.memory() + self.buffer.capacity()
    }

    /// All its bytes in order, in slices.
    pub(super) fn for_each_slice(
        &mut self,
        mut take: impl FnMut(&[u8]) -> io::Result<()>,
    ) -> io::Result<u64> {
        let mut at = 0;
        loop {
            let bytes = read_range(&*self.source, &mut self.buffer, at..at + INDEX_SLICE as u64);
            if bytes.is_empty() {
                return Ok(at);
            }
            at += bytes.len() as u64;
            take(bytes)?;
        }
    }

    /// The row of the line that is wanted, or of the last line, once the index
    /// is that far.
    fn reach_line(&mut self) -> Option<Told> {
        let line = self.line.filter(|line| self.complete || *line < self.index.lines())?;
        self.line = None;
        let near = self.index.rows_near_line(line);
        let before = self.rows(near.clone()).iter().take_while(|row| row.line < line).count();
        Some(Told::Line((near.start + before).min(self.index.rows().saturating_sub(1))))
    }

    fn index_slice(&mut self) -> Told {
        let at = self.index.bytes();
        let length = if at == 0 { FIRST_SLICE } else { INDEX_SLICE };
        let bytes = read_range(&*self.source, &mut self.buffer, at..at + length as u64);
        self.index.push(bytes);
        self.complete = bytes.len() < length;
        Told::Size(self.size())
    }

    /// Nothing, if there is no search, or it has to wait for the index.
    fn search_slice(&mut self) -> Option<Told> {
        let search = self.search.as_mut()?;
        let rows = self.index.rows();
        // The row that is being read may still change.
        let known = if self.complete { rows } else { rows.saturating_sub(1) };
        let rest = search.rest.start..search.rest.end.min(known);
        if rest.is_empty() {
            let waits = search.find.side == Side::First && !self.complete && search.rest.end > known;
            return if waits { None } else { self.found(None) };
        }
        let batch = match search.find.side {
            Side::First => {
                let batch = self.index.batch_from(rest.start, SEARCH_SLICE);
                rest.start..batch.end.min(rest.end)
            }
            Side::Last => {
                let batch = self.index.batch_to(rest.end, SEARCH_SLICE);
                batch.start.max(rest.start)..rest.end
            }
        };
        let mut range = self.index.bytes_of(batch.clone());
        range.end = (range.end + PIECE_BYTES as u64).min(self.index.bytes());
        let bytes = read_range(&*self.source, &mut self.buffer, range);
        let found = self.index.find(batch.clone(), bytes, &search.find.needle, search.find.side);
        if found.is_some() {
            return self.found(found);
        }
        let whole = search.find.rows.end.min(rows).saturating_sub(search.find.rows.start).max(1);
        match search.find.side {
            Side::First => search.rest.start = batch.end,
            Side::Last => search.rest.end = batch.start,
        }
        let left = search.rest.end.min(rows).saturating_sub(search.rest.start);
        let percent = u8::try_from(whole.saturating_sub(left) * 100 / whole).unwrap_or(100);
        Some(Told::Searched { number: search.find.number, percent })
    }

    fn found(&mut self, row: Option<usize>) -> Option<Told> {
        let search = self.search.take()?;
        Some(Told::Found { number: search.find.number, row })
    }
}

/// The bytes of a range, as far as they can be read.
fn read_range<'a>(source: &dyn Source, buffer: &'a mut Vec<u8>, range: Range<u64>) -> &'a [u8] {
    let length = usize::try_from(range.end - range.start).unwrap_or(usize::MAX);
    if buffer.len() < length {
        buffer.resize(length, 0);
    }
    let mut filled = 0;
    while filled < length {
        match source.read_at(&mut buffer[filled..length], range.start + filled as u64) {
            Ok(0) => break,
            Ok(count) => filled += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            // What cannot be read is not shown; the file was readable at its opening.
            Err(_) => break,
        }
    }
    &buffer[..filled]
}
