//! Signatures, checked by as many threads as there are cores while the file is
//! being read.

use super::seal::{self, Domain};
use ed25519_dalek::VerifyingKey;
use std::num::NonZero;
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

/// How much is handed over at once, in bytes.
const BATCH_BYTES: usize = 256 << 10;

/// Lines that stand one after another.
#[derive(Default)]
struct Batch {
    /// Number of the first, counted from 1.
    first: u64,
    lengths: Vec<usize>,
    bytes: Vec<u8>,
}

/// Takes lines and hands them to the threads that verify them.
pub(super) struct Verifiers {
    batch: Batch,
    sender: SyncSender<Batch>,
}

impl Verifiers {
    /// Takes the line of this number, counted from 1.
    pub(super) fn take(&mut self, number: u64, line: &[u8]) {
        if self.batch.lengths.is_empty() {
            self.batch.first = number;
        }
        self.batch.lengths.push(line.len());
        self.batch.bytes.extend_from_slice(line);
        if self.batch.bytes.len() >= BATCH_BYTES {
            self.hand_over();
        }
    }

    fn hand_over(&mut self) {
        // The threads leave only after the sender does.
        let _ = self.sender.send(std::mem::take(&mut self.batch));
    }
}

/// Does the work while threads verify what it takes; gives the number of the
/// first line whose signature is not this key's.
pub(super) fn on_all_cores<T>(
    key: &VerifyingKey,
    work: impl FnOnce(&mut Verifiers) -> T,
) -> (T, Option<u64>) {
    let cores = thread::available_parallelism().map_or(1, NonZero::get);
    let (sender, receiver) = sync_channel(2 * cores);
    let receiver = Mutex::new(receiver);
    thread::scope(|scope| {
        let threads: Vec<_> = (0..cores).map(|_| scope.spawn(|| verify(&receiver, key))).collect();
        let mut verifiers = Verifiers { batch: Batch::default(), sender };
        let done = work(&mut verifiers);
        verifiers.hand_over();
        drop(verifiers);
        // A thread that could not do its work has verified nothing.
        let first_bad = threads.into_iter().filter_map(|thread| thread.join().unwrap_or(Some(0))).min();
        (done, first_bad)
    })
}

fn verify(receiver: &Mutex<Receiver<Batch>>, key: &VerifyingKey) -> Option<u64> {
    let mut first_bad = None;
    loop {
        let batch = receiver.lock().map(|receiver| receiver.recv());
        let Ok(Ok(batch)) = batch else { return first_bad };
        let mut rest = batch.bytes.as_slice();
        for (length, number) in batch.lengths.iter().zip(batch.first..) {
            let (line, after) = rest.split_at(*length);
            rest = after;
            if !seal::verify(Domain::Journal, line, key) {
                first_bad = Some(first_bad.map_or(number, |bad: u64| bad.min(number)));
            }
        }
    }
}
