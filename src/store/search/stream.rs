//! A journal's lines that may hold the needle, read once with one buffer.

use super::needle::Needle;
use crate::journal::files::{OpenFile, read_some};
use crate::record::limits::LINE_BYTES;
use std::io;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};

/// As much as is read at once, in bytes: it is still in the cache when it is
/// looked through.
const READ: usize = 256 << 10;

/// A buffer that holds the longest line and what is read with it.
pub(super) struct Stream {
    buffer: Vec<u8>,
}

impl Stream {
    pub(super) fn new() -> Self {
        Self { buffer: vec![0; LINE_BYTES + READ] }
    }

    /// Hands on every whole line that may hold the needle, its line break
    /// included, until told to stop; gives how many bytes were read. A line
    /// that is too long is no line of a journal and is passed over.
    pub(super) fn lines(
        &mut self,
        file: &dyn OpenFile,
        needle: &Needle,
        stop: &AtomicBool,
        mut line: impl FnMut(&[u8]) -> ControlFlow<()>,
    ) -> io::Result<u64> {
        let (mut kept, mut offset, mut too_long) = (0, 0, false);
        while !stop.load(Ordering::Relaxed) {
            let room = kept + READ;
            let read = read_some(file, &mut self.buffer[kept..room], offset)?;
            if read == 0 {
                break;
            }
            offset += read as u64;
            let filled = kept + read;
            let last = self.buffer[kept..filled].iter().rposition(|byte| *byte == b'\n');
            let Some(end) = last.map(|at| kept + at + 1) else {
                too_long |= filled > LINE_BYTES;
                kept = if too_long { 0 } else { filled };
                continue;
            };
            let whole = &self.buffer[..end];
            let skipped = if too_long { end_of_line(whole, 0) } else { 0 };
            too_long = false;
            if each(&whole[skipped..], needle, &mut line).is_break() {
                break;
            }
            self.buffer.copy_within(end..filled, 0);
            kept = filled - end;
        }
        Ok(offset)
    }
}

fn each(lines: &[u8], needle: &Needle, line: &mut impl FnMut(&[u8]) -> ControlFlow<()>) -> ControlFlow<()> {
    let mut from = 0;
    while let Some(found) = needle.find_raw(lines, from) {
        let start = lines[..found.start].iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        let end = end_of_line(lines, found.start);
        line(&lines[start..end])?;
        from = end;
    }
    ControlFlow::Continue(())
}

fn end_of_line(bytes: &[u8], from: usize) -> usize {
    bytes[from..].iter().position(|byte| *byte == b'\n').map_or(bytes.len(), |at| from + at + 1)
}
