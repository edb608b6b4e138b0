//! The file, read once and whole.

use super::error::ImportError;
use crate::journal::files::{Files, How, OpenFile, read_full};
use crate::record::Digest;
use std::io;
use std::path::Path;

/// The longest file that is read, in bytes.
const FILE_BYTES: u64 = 64 << 20;

pub(super) struct Source {
    /// Its name without directories.
    pub(super) name: String,
    pub(super) bytes: Vec<u8>,
    pub(super) sha256: Digest,
}

impl Source {
    pub(super) fn read(files: &dyn Files, path: &Path) -> Result<Self, ImportError> {
        let io = |error| ImportError::Io { path: path.to_owned(), error };
        let file = files.open(path, How::Read).map_err(io)?;
        let before = file.state().map_err(io)?;
        if before.len > FILE_BYTES {
            return Err(ImportError::TooLarge(path.to_owned()));
        }
        let bytes = whole(file.as_ref(), before.len).map_err(io)?;
        if file.state().map_err(io)? != before || bytes.len() as u64 != before.len {
            return Err(ImportError::Changed(path.to_owned()));
        }
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        Ok(Self { name, sha256: Digest::of(&bytes), bytes })
    }
}

/// No more than was there at first; growth shows in the state.
fn whole(file: &dyn OpenFile, len: u64) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; usize::try_from(len).map_err(io::Error::other)?];
    let filled = read_full(file, &mut bytes, 0)?;
    bytes.truncate(filled);
    Ok(bytes)
}
