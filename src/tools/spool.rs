//! Reading what a command wrote, in bounded memory.

use super::folder::{Folder, OUTPUT, OUTPUT_TAIL};
use crate::record::{Digest, OutputExcerpt, SpoolFacts, Timestamp, excerpt, limits};
use sha2::{Digest as _, Sha256};
use std::fs::File;
use std::io::{self, Read};
use std::os::unix::fs::{FileExt, MetadataExt};

const CHUNK: usize = 64 << 10;
/// A cut part of an excerpt is lengthened to a whole character.
const CHARACTER_REST: usize = 3;

/// The spool of an execution, read once.
#[derive(Debug)]
pub(super) struct Spool {
    file: Option<File>,
    /// Its length as found, of which no more than the bound is looked at.
    pub(super) bytes: u64,
    /// SHA-256 of these bytes.
    pub(super) sha256: Digest,
    /// It is longer than any supervisor makes one.
    pub(super) overlong: bool,
    modified_at: Option<Timestamp>,
}

impl Spool {
    /// Reads the spool; one that is not there or cannot be read is empty.
    pub(super) fn read(folder: &Folder) -> Self {
        let nothing =
            Self { file: None, bytes: 0, sha256: Digest::of(b""), overlong: false, modified_at: None };
        let Ok(file) = folder.open_to_read(OUTPUT) else { return nothing };
        let mut hash = Sha256::new();
        let mut bounded = (&file).take(limits::SPOOL_BYTES);
        let mut buffer = vec![0; CHUNK];
        let mut bytes = 0;
        loop {
            match bounded.read(&mut buffer) {
                Ok(0) => break,
                Ok(n) => {
                    hash.update(&buffer[..n]);
                    bytes += n as u64;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                // What cannot be read fits no receipt, by its length.
                Err(_) => break,
            }
        }
        let metadata = file.metadata().ok();
        let millis = |m: &std::fs::Metadata| m.mtime() * 1000 + m.mtime_nsec() / 1_000_000;
        Self {
            bytes,
            sha256: Digest::from_bytes(hash.finalize().into()),
            overlong: metadata.as_ref().is_some_and(|m| m.len() > limits::SPOOL_BYTES),
            modified_at: metadata.as_ref().map(|m| Timestamp::from_millis(millis(m))),
            file: Some(file),
        }
    }

    /// What a record keeps of an output of `total` bytes, the spool's first.
    pub(super) fn facts(self, folder: &Folder, total: u64) -> SpoolFacts {
        let excerpt = self.excerpt(folder, total);
        SpoolFacts { excerpt, spool_bytes: self.bytes, sha256: self.sha256, modified_at: self.modified_at }
    }

    fn excerpt(&self, folder: &Folder, total: u64) -> OutputExcerpt {
        let head = self.part(0, limits::OUTPUT_BYTES);
        let tail = if total > self.bytes {
            tail_beyond(folder)
        } else {
            let wanted = limits::OUTPUT_HALF_BYTES + CHARACTER_REST;
            self.part(self.bytes.saturating_sub(wanted as u64), wanted)
        };
        excerpt(&head, &tail, total)
    }

    /// At most `length` bytes from `start`, none beyond the length as found.
    fn part(&self, start: u64, length: usize) -> Vec<u8> {
        let Some(file) = &self.file else { return Vec::new() };
        let there = usize::try_from(self.bytes.saturating_sub(start)).unwrap_or(usize::MAX);
        let mut part = vec![0; length.min(there)];
        if file.read_exact_at(&mut part, start).is_err() {
            part.clear();
        }
        part
    }
}

/// The facts where no spool can be looked at.
pub(super) fn nothing() -> SpoolFacts {
    SpoolFacts { excerpt: excerpt(b"", b"", 0), spool_bytes: 0, sha256: Digest::of(b""), modified_at: None }
}

/// The last bytes of an output that is longer than its spool. What precedes
/// them is gone, so a character that is cut at their start is left out.
fn tail_beyond(folder: &Folder) -> Vec<u8> {
    let tail = folder.read_small(OUTPUT_TAIL, limits::OUTPUT_TAIL_BYTES).unwrap_or_default();
    let cut = tail.iter().take(CHARACTER_REST).take_while(|b| **b & 0xc0 == 0x80).count();
    tail[cut..].to_vec()
}
