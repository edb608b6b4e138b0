//! What the arguments of `inspect` and `reconcile` name.

use super::examine::InspectError;
use crate::journal::files::{Disk, read_small};
use crate::record::{SessionId, decode_hex};
use ed25519_dalek::{SigningKey, VerifyingKey};
use std::path::{Path, PathBuf};

/// A key file is far smaller, in bytes.
const KEY_FILE_BYTES: usize = 1 << 10;

/// A session of the store, or a journal anywhere.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// A session of the store, of either kind.
    Session(SessionId),
    /// A journal file.
    Path(PathBuf),
}

impl Target {
    /// An id in its one form, else a path.
    #[must_use]
    pub fn parse(text: &str) -> Self {
        SessionId::parse(text).map_or_else(|_| Self::Path(PathBuf::from(text)), Self::Session)
    }
}

/// Reads a public key: 64 hexadecimal digits, or a file that holds them.
///
/// # Errors
/// [`InspectError::BadKey`].
pub fn read_public_key(text: &str) -> Result<VerifyingKey, InspectError> {
    let bytes = decode_hex(text).or_else(|| key_file(Path::new(text)));
    let key = bytes.and_then(|bytes| VerifyingKey::from_bytes(&bytes).ok());
    key.ok_or_else(|| InspectError::BadKey(text.chars().take(200).collect()))
}

/// Reads the seed of a signing key from a file that holds 64 hexadecimal digits.
///
/// # Errors
/// [`InspectError::BadSeed`].
pub fn read_signing_key(path: &Path) -> Result<SigningKey, InspectError> {
    let seed = key_file(path).ok_or_else(|| InspectError::BadSeed(path.to_owned()))?;
    Ok(SigningKey::from_bytes(&seed))
}

fn key_file(path: &Path) -> Option<[u8; 32]> {
    let bytes = read_small(&Disk, path, KEY_FILE_BYTES).ok()?;
    decode_hex(std::str::from_utf8(&bytes).ok()?.trim_end())
}
