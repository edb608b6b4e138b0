//! Where rows begin and end in a stream of bytes.

use super::PIECE_BYTES;
use crate::text::line::LineStart;
use crate::text::scan::{Scanner, Step};
use crate::text::sgr;

/// What lies between two carriage returns of a progress line, at most, in bytes.
const PROGRESS_BYTES: usize = 1 << 10;

/// The end of a piece.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Cut {
    /// Where the next piece begins, in bytes from the stream's beginning.
    pub(super) at: u64,
    /// What the next piece begins with.
    pub(super) start: LineStart,
    pub(super) kind: CutKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CutKind {
    /// The line ended.
    LineEnd,
    /// The line goes on in the next piece.
    TooLong,
    /// The line goes on, and what it showed so far is written over: states of
    /// a progress line that nobody needs to see.
    WrittenOver,
}

/// Splits a stream into lines and long lines into pieces. Its cuts depend on
/// the bytes only, not on how they were fed, and are the same again when it is
/// begun anew at one of them.
#[derive(Debug, Clone, Default)]
pub(super) struct Splitter {
    position: u64,
    state: LineStart,
    /// The last byte was 0xC2, which begins a C1 control or plain text.
    after_c2: bool,
    /// Bytes of the piece so far.
    length: usize,
    last_return: Option<Return>,
    /// The longest stretch between carriage returns in the piece.
    longest: usize,
}

/// A carriage return in the piece.
#[derive(Debug, Clone, Copy)]
struct Return {
    /// Bytes of the piece up to and with it.
    length: usize,
    state: LineStart,
}

impl Splitter {
    /// One that goes on at a cut.
    pub(super) fn at(position: u64, state: LineStart) -> Self {
        Self { position, state, ..Self::default() }
    }

    /// Bytes fed so far.
    pub(super) fn position(&self) -> u64 {
        self.position
    }

    /// Whether the last piece has begun.
    pub(super) fn is_inside(&self) -> bool {
        self.length > 0
    }

    pub(super) fn feed(&mut self, bytes: &[u8], mut on_cut: impl FnMut(Cut)) {
        let mut rest = bytes;
        while !rest.is_empty() {
            let plain = self.plain_bytes(rest);
            self.advance(plain);
            let Some((byte, after)) = rest.get(plain..).and_then(<[u8]>::split_first) else { return };
            if self.length >= PIECE_BYTES && *byte != b'\n' && self.may_cut_before(*byte) {
                on_cut(self.cut_long(*byte));
            }
            self.advance(1);
            self.read(*byte);
            if *byte == b'\n' {
                self.state.scanner = Scanner::default();
                on_cut(self.cut(CutKind::LineEnd));
            }
            rest = after;
        }
    }

    /// How many bytes ahead change nothing but the position.
    fn plain_bytes(&self, bytes: &[u8]) -> usize {
        if !self.state.scanner.is_text() || self.after_c2 {
            return 0;
        }
        let room = PIECE_BYTES.saturating_sub(self.length).min(bytes.len());
        let ahead = &bytes[..room];
        let end = memchr::memchr3(b'\n', b'\r', 0x1b, ahead).unwrap_or(room);
        memchr::memchr(0xc2, &ahead[..end]).unwrap_or(end)
    }

    fn advance(&mut self, bytes: usize) {
        self.length += bytes;
        self.position += bytes as u64;
    }

    fn read(&mut self, byte: u8) {
        match (self.after_c2, byte) {
            (true, 0x80..=0x9f) => self.step(char::from(byte)),
            (true, _) => {
                self.step(char::REPLACEMENT_CHARACTER);
                self.read_first(byte);
            }
            (false, _) => self.read_first(byte),
        }
        self.after_c2 = byte == 0xc2;
        if byte == b'\r' {
            self.longest = self.longest.max(self.since_return());
            self.last_return = Some(Return { length: self.length, state: self.state });
        }
    }

    /// Reads a byte that does not end a C1 control. What its character is
    /// matters only in ASCII.
    fn read_first(&mut self, byte: u8) {
        match byte {
            0xc2 => {}
            0x80.. => self.step(char::REPLACEMENT_CHARACTER),
            _ => self.step(char::from(byte)),
        }
    }

    fn step(&mut self, c: char) {
        if self.state.scanner.step(c) == Step::Sgr {
            self.state.pen = sgr::apply(self.state.pen, self.state.scanner.params());
        }
    }

    fn since_return(&self) -> usize {
        self.length - self.last_return.map_or(0, |last| last.length)
    }

    /// Never inside a character; bytes that are none may be cut anywhere.
    fn may_cut_before(&self, byte: u8) -> bool {
        let continues = byte & 0b1100_0000 == 0b1000_0000;
        !continues || self.length >= PIECE_BYTES + 3
    }

    /// Cuts a piece that is long enough before `next`, which does not end the line.
    fn cut_long(&mut self, next: u8) -> Cut {
        let is_progress = self.longest.max(self.since_return()) <= PROGRESS_BYTES && next != b'\r';
        match self.last_return.filter(|_| is_progress) {
            Some(last) => self.cut_at_return(last),
            None => self.cut(CutKind::TooLong),
        }
    }

    fn cut(&mut self, kind: CutKind) -> Cut {
        *self = Self::at(self.position, self.state);
        Cut { at: self.position, start: self.state, kind }
    }

    fn cut_at_return(&mut self, last: Return) -> Cut {
        let kept = self.length - last.length;
        self.length = kept;
        self.last_return = None;
        self.longest = 0;
        Cut { at: self.position - kept as u64, start: last.state, kind: CutKind::WrittenOver }
    }
}
