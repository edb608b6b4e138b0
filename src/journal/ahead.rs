//! Lines parsed ahead of the fold, by as many threads as there are cores: what a
//! line says by itself is most of the work of reading a journal.

use super::lines::{Lines, Raw};
use super::parsed::Parsed;
use std::collections::VecDeque;
use std::io;
use std::num::NonZero;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex};
use std::thread;

/// How much is read before it is worth starting threads, in bytes.
const ALONE_BYTES: usize = 256 << 10;

/// How much is parsed at once, in bytes.
const BATCH_BYTES: usize = 256 << 10;

/// How many batches wait or are being parsed, for each core.
const BATCHES_OF_A_CORE: usize = 2;

/// Nothing is wrong with the file.
const THREAD_GONE: &str = "a thread that reads it has failed, not the file; try it again";

/// What came after the last whole line.
#[derive(Debug)]
pub(super) enum Ending {
    /// Nothing.
    End,
    /// Bytes without a newline.
    Torn(Vec<u8>),
    /// More bytes without a newline than a line may have.
    TooLong,
}

impl Ending {
    /// What was read onto the end of the buffer, from `at` on; none for a line.
    fn of(raw: Raw, buffer: &mut Vec<u8>, at: usize) -> Option<Self> {
        match raw {
            Raw::Line => None,
            Raw::Torn => Some(Self::Torn(buffer.split_off(at))),
            Raw::TooLong => Some(Self::TooLong),
            Raw::End => Some(Self::End),
        }
    }
}

/// Lines that stand one after another.
#[derive(Default)]
struct Batch {
    bytes: Vec<u8>,
    lengths: Vec<usize>,
    parsed: Vec<Parsed>,
    /// What stands behind them, if they are the last ones.
    ending: Option<io::Result<Ending>>,
}

impl Batch {
    fn read(lines: &mut Lines<'_>) -> Self {
        let mut batch = Self { bytes: Vec::with_capacity(BATCH_BYTES), ..Self::default() };
        while batch.ending.is_none() && batch.bytes.len() < BATCH_BYTES {
            let before = batch.bytes.len();
            batch.ending = match lines.append(&mut batch.bytes) {
                Ok(raw) => Ending::of(raw, &mut batch.bytes, before).map(Ok),
                Err(error) => Some(Err(error)),
            };
            if batch.ending.is_none() {
                batch.lengths.push(batch.bytes.len() - before);
            }
        }
        batch
    }

    fn parse(mut self) -> Self {
        let mut rest = self.bytes.as_slice();
        for length in &self.lengths {
            let (line, after) = rest.split_at(*length);
            rest = after;
            self.parsed.push(Parsed::of(line));
        }
        self
    }

    /// Hands its lines over; what stands behind them, if they are the last ones.
    fn give<E>(
        self,
        take: &mut impl FnMut(&[u8], Parsed) -> Result<(), E>,
    ) -> Result<Option<io::Result<Ending>>, E> {
        let mut rest = self.bytes.as_slice();
        for (length, parsed) in self.lengths.into_iter().zip(self.parsed) {
            let (line, after) = rest.split_at(length);
            rest = after;
            take(line, parsed)?;
        }
        Ok(self.ending)
    }
}

/// A batch to be parsed, and where it is waited for.
type Order = (Batch, SyncSender<Batch>);

/// Hands over every whole line with what it says by itself, in their order, until
/// one is refused; what stands behind the last one.
///
/// # Errors
/// Why a line was refused, or inside of it what the system says.
pub(super) fn each_line<E>(
    mut lines: Lines<'_>,
    mut take: impl FnMut(&[u8], Parsed) -> Result<(), E>,
) -> Result<io::Result<Ending>, E> {
    let (mut line, mut alone) = (Vec::new(), 0);
    while alone < ALONE_BYTES {
        let raw = match lines.next(&mut line) {
            Ok(raw) => raw,
            Err(error) => return Ok(Err(error)),
        };
        if let Some(ending) = Ending::of(raw, &mut line, 0) {
            return Ok(Ok(ending));
        }
        take(&line, Parsed::of(&line))?;
        alone += line.len();
    }
    in_batches(lines, take)
}

fn in_batches<E>(
    mut lines: Lines<'_>,
    mut take: impl FnMut(&[u8], Parsed) -> Result<(), E>,
) -> Result<io::Result<Ending>, E> {
    let cores = thread::available_parallelism().map_or(1, NonZero::get);
    let room = BATCHES_OF_A_CORE * cores;
    let (sender, receiver) = sync_channel::<Order>(room);
    let receiver = Arc::new(Mutex::new(receiver));
    thread::scope(|scope| {
        for _ in 0..cores {
            let receiver = Arc::clone(&receiver);
            scope.spawn(move || parse_all(&receiver));
        }
        // It leaves with the threads, so that nobody waits for one that is gone.
        drop(receiver);
        let order = move |batch| {
            let (answer, parsed) = sync_channel(1);
            let _ = sender.send((batch, answer));
            parsed
        };
        let (mut waiting, mut whole) = (VecDeque::new(), false);
        loop {
            while !whole && waiting.len() < room {
                let batch = Batch::read(&mut lines);
                whole = batch.ending.is_some();
                waiting.push_back(order(batch));
            }
            let batch = waiting.pop_front().and_then(|parsed: Receiver<Batch>| parsed.recv().ok());
            let Some(batch) = batch else { return Ok(Err(io::Error::other(THREAD_GONE))) };
            if let Some(ending) = batch.give(&mut take)? {
                return Ok(ending);
            }
        }
    })
}

fn parse_all(receiver: &Mutex<Receiver<Order>>) {
    loop {
        let order = receiver.lock().map(|receiver| receiver.recv());
        let Ok(Ok((batch, answer))) = order else { return };
        // Whoever refused a line waits for no other.
        let _ = answer.send(batch.parse());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::journal::error::Fault;
    use crate::journal::files::{Disk, Files, How};

    /// What was handed over of a file with these bytes, and what it ended with.
    fn read(bytes: &[u8], mut refused: impl FnMut(usize) -> bool) -> (Vec<u8>, Option<Ending>) {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("file");
        std::fs::write(&path, bytes).unwrap();
        let file = Disk.open(&path, How::Read).unwrap();
        let (mut seen, mut count) = (Vec::new(), 0);
        let ended = each_line(Lines::new(file.as_ref(), 0), |line, parsed| {
            assert!(matches!(parsed, Parsed::Bad(_)), "no line of a journal: {parsed:?}");
            if refused(count) {
                return Err(Fault::Form);
            }
            seen.extend_from_slice(line);
            count += 1;
            Ok(())
        });
        (seen, ended.ok().map(Result::unwrap))
    }

    fn lines(count: usize) -> Vec<u8> {
        (0..count).flat_map(|number| format!("{{\"number\":{number}}}\n").into_bytes()).collect()
    }

    #[test]
    fn lines_come_in_their_order_whatever_their_number() {
        // A few, and many times what is parsed at once.
        for count in [0, 1, 1_000, 200_000] {
            let whole = lines(count);
            let (seen, ending) = read(&whole, |_| false);
            assert!(seen == whole && matches!(ending, Some(Ending::End)), "{count}");
            let torn = [&whole[..], b"{\"to"].concat();
            let (seen, ending) = read(&torn, |_| false);
            assert!(seen == whole, "{count}, and a torn one");
            assert!(matches!(ending, Some(Ending::Torn(tail)) if tail == b"{\"to"), "{count}");
        }
    }

    #[test]
    fn nothing_comes_after_a_line_that_was_refused() {
        let whole = lines(200_000);
        for last in [0, 7, 150_000] {
            let (seen, ending) = read(&whole, |number| number == last);
            assert!(ending.is_none() && seen == lines(last), "{last}");
        }
    }
}
