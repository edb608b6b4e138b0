//! Server-sent events: bytes in, the `data` of events out.
//!
//! Only what the framing needs is here; what an event means is the protocol's
//! matter. Our own decoder because the usual crate panics on a byte-order mark,
//! has no size bound and holds everything back after one bad byte.

/// The longest event and the longest line, in bytes. A server echoes instructions
/// and tools in several events, so it is far above any answer.
const EVENT_BYTES: usize = 16 << 20;
/// The longest stream, in bytes.
pub(super) const STREAM_BYTES: usize = 64 << 20;

/// Why a stream cannot be read on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(super) enum SseError {
    /// A line that is not UTF-8.
    #[error("it is not UTF-8")]
    Utf8,
    /// An event over [`EVENT_BYTES`].
    #[error("one event has over {} MiB", EVENT_BYTES >> 20)]
    EventTooLong,
    /// A stream over [`STREAM_BYTES`].
    #[error("it has over {} MiB", STREAM_BYTES >> 20)]
    StreamTooLong,
}

/// Reads events from bytes that arrive in any pieces.
///
/// The caller pushes what arrived and pulls events until there is none; so what
/// stands behind an event that ends the conversation is never looked at.
#[derive(Debug)]
pub(super) struct Decoder {
    /// The longest event and the longest line, in bytes.
    longest: usize,
    buffer: Vec<u8>,
    /// Where the unfinished line begins in the buffer.
    line_start: usize,
    /// Up to where the unfinished line was searched for its end.
    searched: usize,
    /// How many bytes more are taken.
    room: usize,
    /// More came than were taken.
    cut: bool,
    /// The last line ended with CR: a following LF belongs to it.
    after_cr: bool,
    /// No line was read yet: a byte-order mark may stand before it.
    mark_expected: bool,
    /// The data lines of the unfinished event.
    data: Option<String>,
}

impl Decoder {
    /// A decoder at the beginning of a stream.
    pub(super) fn new() -> Self {
        Self::with_limits(EVENT_BYTES, STREAM_BYTES)
    }

    fn with_limits(event: usize, stream: usize) -> Self {
        Self {
            longest: event,
            buffer: Vec::new(),
            line_start: 0,
            searched: 0,
            room: stream,
            cut: false,
            after_cr: false,
            mark_expected: true,
            data: None,
        }
    }

    /// Takes bytes that arrived.
    pub(super) fn push(&mut self, bytes: &[u8]) {
        self.buffer.drain(..self.line_start);
        self.searched -= self.line_start;
        self.line_start = 0;
        let taken = &bytes[..bytes.len().min(self.room)];
        self.room -= taken.len();
        self.cut |= taken.len() < bytes.len();
        self.buffer.extend_from_slice(taken);
    }

    /// The data of the next complete event; `None` until more bytes are pushed.
    /// An event that is still unfinished when the stream ends does not exist.
    ///
    /// # Errors
    /// [`SseError`]; nothing can be read after it.
    pub(super) fn next_event(&mut self) -> Result<Option<String>, SseError> {
        while let Some((from, to)) = self.next_line() {
            if let Some(event) = self.take_line(from, to)? {
                return Ok(Some(event));
            }
        }
        if self.buffer.len() - self.line_start > self.longest {
            return Err(SseError::EventTooLong);
        }
        if self.cut {
            return Err(SseError::StreamTooLong);
        }
        Ok(None)
    }

    /// The place of the next complete line, without its end.
    fn next_line(&mut self) -> Option<(usize, usize)> {
        if self.after_cr && self.line_start < self.buffer.len() {
            self.after_cr = false;
            if self.buffer[self.line_start] == b'\n' {
                self.line_start += 1;
                self.searched = self.searched.max(self.line_start);
            }
        }
        let rest = &self.buffer[self.searched..];
        let Some(length) = rest.iter().position(|byte| matches!(byte, b'\n' | b'\r')) else {
            self.searched = self.buffer.len();
            return None;
        };
        let (from, to) = (self.line_start, self.searched + length);
        self.after_cr = self.buffer[to] == b'\r';
        self.line_start = to + 1;
        self.searched = self.line_start;
        Some((from, to))
    }

    /// Reads one line; the event, if the line ended one.
    fn take_line(&mut self, from: usize, to: usize) -> Result<Option<String>, SseError> {
        if to - from > self.longest {
            return Err(SseError::EventTooLong);
        }
        // Whole lines are decoded, so a character may be split between pieces.
        let line = std::str::from_utf8(&self.buffer[from..to]).map_err(|_| SseError::Utf8)?;
        let line = match std::mem::take(&mut self.mark_expected) {
            true => line.strip_prefix('\u{feff}').unwrap_or(line),
            false => line,
        };
        if line.is_empty() {
            return Ok(self.data.take());
        }
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        // `event`, `id`, `retry`, unknown fields and comments (no field name) carry
        // nothing that we use: servers disagree about them, never about `data`.
        if field != "data" {
            return Ok(None);
        }
        let value = value.strip_prefix(' ').unwrap_or(value);
        if self.data.as_ref().map_or(0, |data| data.len() + 1) + value.len() > self.longest {
            return Err(SseError::EventTooLong);
        }
        match &mut self.data {
            Some(data) => {
                data.push('\n');
                data.push_str(value);
            }
            None => self.data = Some(value.to_owned()),
        }
        Ok(None)
    }
}

#[cfg(any(test, feature = "lab"))]
pub(super) mod attack;
#[cfg(test)]
mod tests;
