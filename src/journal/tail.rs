//! Torn tails: bytes after the last newline are kept beside the journal, never
//! thrown away. Every step can be the last before a crash.

use super::files::{self, Files, OpenFile};
use super::reading::{Reading, TornTail};
use crate::record::limits::JOURNAL_BYTES;
use crate::record::{Digest, TailMoved};
use std::io;
use std::path::{Path, PathBuf};

const NAME: &str = "tail-";

/// Moves a torn tail aside and finds copies that no record names yet. Gives
/// the records that have to be appended, in the order of their offsets.
///
/// # Errors
/// What the system says; the next opening goes on where this one stopped.
pub fn settle(
    files: &dyn Files,
    dir: &Path,
    journal: &mut dyn OpenFile,
    reading: &Reading,
) -> io::Result<Vec<TailMoved>> {
    if let Some(torn) = &reading.torn {
        copy_aside(files, dir, torn)?;
        journal.truncate(torn.offset)?;
        journal.sync()?;
    }
    let named = |offset| reading.chain.session().tails().iter().any(|tail| tail.record.offset == offset);
    let mut missing = Vec::new();
    for (offset, path) in copies(files, dir)? {
        if named(offset) {
            continue;
        }
        let copy = read_copy(files, &path)?;
        if stands_in(journal, offset, &copy)? {
            files.remove(&path)?;
            continue;
        }
        let (bytes, sha256) = (copy.len() as u64, Digest::of(&copy));
        missing.push(TailMoved { offset, bytes, sha256, ext: None });
    }
    missing.sort_unstable_by_key(|tail| tail.offset);
    Ok(missing)
}

/// After a crash between cutting and recording there can be an older copy of
/// the same offset: the new bytes go behind it, unless they are there already.
fn copy_aside(files: &dyn Files, dir: &Path, torn: &TornTail) -> io::Result<()> {
    let path = dir.join(format!("{NAME}{}", torn.offset));
    let mut copy = match read_copy(files, &path) {
        Ok(copy) => copy,
        Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
        Err(error) => return Err(error),
    };
    if !copy.ends_with(&torn.bytes) {
        copy.extend_from_slice(&torn.bytes);
        files::put(files, &path, &copy)?;
    }
    files.sync_dir(dir)
}

fn read_copy(files: &dyn Files, path: &Path) -> io::Result<Vec<u8>> {
    files::read_small(files, path, usize::try_from(JOURNAL_BYTES).unwrap_or(usize::MAX))
}

/// All `tail-<offset>` of a session.
fn copies(files: &dyn Files, dir: &Path) -> io::Result<Vec<(u64, PathBuf)>> {
    let offset = |name: &str| -> Option<u64> {
        let offset = name.strip_prefix(NAME)?.parse().ok()?;
        (name == format!("{NAME}{offset}")).then_some(offset)
    };
    let names = files.list(dir)?;
    Ok(names.iter().filter_map(|name| Some((offset(name.to_str()?)?, dir.join(name)))).collect())
}

/// Whether the journal still holds these bytes at this place.
fn stands_in(journal: &dyn OpenFile, offset: u64, copy: &[u8]) -> io::Result<bool> {
    let mut bytes = vec![0; copy.len()];
    let length = files::read_full(journal, &mut bytes, offset)?;
    Ok(length == copy.len() && bytes == copy)
}
