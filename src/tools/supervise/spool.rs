//! Writing what the command writes: the first part to disk, the end in memory,
//! all of it counted.

use crate::record::{Digest, limits};
use crate::tools::folder::{Folder, OUTPUT_TAIL};
use sha2::{Digest as _, Sha256};
use std::fs::File;
use std::io::{self, Write};

/// The spool while the command runs.
#[derive(Debug)]
pub(super) struct Spool {
    file: File,
    hash: Sha256,
    /// Bytes in the file.
    spooled: u64,
    /// All bytes.
    total: u64,
    /// The last of all bytes.
    tail: Vec<u8>,
    lost: bool,
}

/// What a receipt says of an output.
#[derive(Debug, Clone, Copy)]
pub(super) struct Spooled {
    pub(super) output_bytes: u64,
    pub(super) spool_bytes: u64,
    pub(super) sha256: Digest,
    pub(super) lost: bool,
}

impl Spool {
    pub(super) fn new(file: File) -> Self {
        Self { file, hash: Sha256::new(), spooled: 0, total: 0, tail: Vec::new(), lost: false }
    }

    /// All bytes so far.
    pub(super) fn total(&self) -> u64 {
        self.total
    }

    /// Takes the next bytes. A spool that cannot grow is noted as lost; the
    /// bytes are still counted, so that the command is never held up.
    pub(super) fn take(&mut self, bytes: &[u8]) {
        self.total += bytes.len() as u64;
        let room = usize::try_from(limits::SPOOL_BYTES - self.spooled).unwrap_or(usize::MAX);
        let mut rest = &bytes[..room.min(bytes.len())];
        while !rest.is_empty() && !self.lost {
            match self.file.write(rest) {
                Ok(n) if n > 0 => {
                    self.hash.update(&rest[..n]);
                    self.spooled += n as u64;
                    rest = &rest[n..];
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Ok(_) | Err(_) => self.lost = true,
            }
        }
        self.keep_end(bytes);
    }

    /// Twice the bound is kept, so that not every line moves all of it.
    fn keep_end(&mut self, bytes: &[u8]) {
        let last = last_of(bytes);
        if self.tail.len() + last.len() > 2 * limits::OUTPUT_TAIL_BYTES {
            let excess = self.tail.len() - last_of(&self.tail).len();
            self.tail.drain(..excess);
        }
        self.tail.extend_from_slice(last);
    }

    /// Makes all of it durable, with the end of an output that did not fit.
    pub(super) fn finish(mut self, folder: &Folder) -> Spooled {
        if self.file.sync_data().is_err() {
            self.lost = true;
        }
        if self.total > self.spooled && self.put_tail(folder).is_err() {
            self.lost = true;
        }
        Spooled {
            output_bytes: self.total,
            spool_bytes: self.spooled,
            sha256: Digest::from_bytes(self.hash.finalize().into()),
            lost: self.lost,
        }
    }

    fn put_tail(&self, folder: &Folder) -> io::Result<()> {
        let mut file = folder.create(OUTPUT_TAIL)?;
        file.write_all(last_of(&self.tail))?;
        file.sync_data()
    }
}

fn last_of(bytes: &[u8]) -> &[u8] {
    &bytes[bytes.len().saturating_sub(limits::OUTPUT_TAIL_BYTES)..]
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::fs::read;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]
        #[test]
        fn the_end_is_the_end_however_it_comes(sizes in prop::collection::vec(0_usize..70_000, 0..8)) {
            let scratch = tempfile::tempdir().unwrap();
            let folder = Folder::open(scratch.path()).unwrap();
            let all: Vec<u8> = (0..sizes.iter().sum::<usize>()).map(|n| (n / 7 % 251) as u8).collect();
            let mut spool = Spool::new(folder.create("output").unwrap());
            let mut rest = all.as_slice();
            for size in sizes {
                let (now, later) = rest.split_at(size);
                spool.take(now);
                rest = later;
            }
            prop_assert_eq!(last_of(&spool.tail), last_of(&all));
            let spooled = spool.finish(&folder);
            prop_assert_eq!((spooled.output_bytes, spooled.spool_bytes), (all.len() as u64, all.len() as u64));
            prop_assert_eq!(spooled.sha256, Digest::of(&all));
            prop_assert_eq!(read(scratch.path().join("output")).unwrap(), all);
            prop_assert!(!spooled.lost && !scratch.path().join("output.tail").exists());
        }
    }
}
