//! A file as lines, read once, with one reused buffer.

use super::files::OpenFile;
use crate::record::limits::LINE_BYTES;
use std::io::{self, BufRead, BufReader, Read};

/// Room for reading ahead, in bytes.
const READ_AHEAD: usize = 256 << 10;

/// The lines of an open file, from a position on.
pub struct Lines<'a> {
    reader: BufReader<Position<'a>>,
    offset: u64,
    /// What was looked at and comes once more.
    ahead: Option<(Raw, Vec<u8>)>,
}

/// What stands next in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Raw {
    /// A whole line, newline included.
    Line,
    /// Bytes up to the end of the file, without a newline.
    Torn,
    /// More bytes without a newline than a line may have.
    TooLong,
    /// Nothing.
    End,
}

struct Position<'a> {
    file: &'a dyn OpenFile,
    offset: u64,
}

impl Read for Position<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.file.read_at(buffer, self.offset)?;
        self.offset += read as u64;
        Ok(read)
    }
}

impl<'a> Lines<'a> {
    /// Reads from `offset` on.
    #[must_use]
    pub fn new(file: &'a dyn OpenFile, offset: u64) -> Self {
        let reader = BufReader::with_capacity(READ_AHEAD, Position { file, offset });
        Self { reader, offset, ahead: None }
    }

    /// What stands next, without taking it: [`Lines::next`] gives it once more,
    /// and it is not read again.
    ///
    /// # Errors
    /// What the system says.
    pub fn peek(&mut self) -> io::Result<(Raw, &[u8])> {
        let ahead = match self.ahead.take() {
            Some(ahead) => ahead,
            None => {
                let mut buffer = Vec::new();
                (self.read(&mut buffer)?, buffer)
            }
        };
        let (raw, bytes) = self.ahead.insert(ahead);
        Ok((*raw, bytes))
    }

    /// Puts what stands next into the buffer, in place of what it held.
    ///
    /// # Errors
    /// What the system says.
    pub fn next(&mut self, buffer: &mut Vec<u8>) -> io::Result<Raw> {
        buffer.clear();
        self.append(buffer)
    }

    /// Puts what stands next behind what the buffer holds.
    ///
    /// # Errors
    /// What the system says.
    pub(super) fn append(&mut self, buffer: &mut Vec<u8>) -> io::Result<Raw> {
        let before = buffer.len();
        let raw = match self.ahead.take() {
            Some((raw, bytes)) => {
                buffer.extend(bytes);
                raw
            }
            None => self.read(buffer)?,
        };
        self.offset += (buffer.len() - before) as u64;
        Ok(raw)
    }

    fn read(&mut self, buffer: &mut Vec<u8>) -> io::Result<Raw> {
        let limit = LINE_BYTES as u64 + 1;
        let read = (&mut self.reader).take(limit).read_until(b'\n', buffer)?;
        Ok(match buffer.last() {
            _ if read == 0 => Raw::End,
            _ if read > LINE_BYTES => Raw::TooLong,
            Some(b'\n') => Raw::Line,
            Some(_) | None => Raw::Torn,
        })
    }

    /// Where the next one begins.
    #[must_use]
    pub fn offset(&self) -> u64 {
        self.offset
    }
}
