//! What a command wrote, as its supervisor kept it, held against the record.

use super::{View, layout};
use crate::journal::files::{How, read_some};
use crate::record::{Digest, DispatchId};
use sha2::{Digest as _, Sha256};
use std::io;

/// What is read at once, in bytes.
const PIECE_BYTES: usize = 64 << 10;
/// The spool of an execution in its call folder.
pub(super) const OUTPUT: &str = "output";

/// What was read of a spool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Spooled {
    /// Its length in bytes.
    pub bytes: u64,
    /// SHA-256 of these bytes.
    pub sha256: Digest,
}

impl View {
    /// Gives the whole spool of an execution to `take`, piece by piece; `None`
    /// if there is none.
    ///
    /// # Errors
    /// What the system or `take` says.
    pub fn read_spool(
        &self,
        dispatch: DispatchId,
        mut take: impl FnMut(&[u8]) -> io::Result<()>,
    ) -> io::Result<Option<Spooled>> {
        let path = layout::call(self.dir(), dispatch).join(OUTPUT);
        let file = match self.files.open(&path, How::Read) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            other => other?,
        };
        let mut hasher = Sha256::new();
        let mut piece = vec![0; PIECE_BYTES];
        let mut bytes = 0;
        loop {
            let read = read_some(file.as_ref(), &mut piece, bytes)?;
            if read == 0 {
                let sha256 = Digest::from_bytes(hasher.finalize().into());
                return Ok(Some(Spooled { bytes, sha256 }));
            }
            hasher.update(&piece[..read]);
            take(&piece[..read])?;
            bytes += read as u64;
        }
    }
}
