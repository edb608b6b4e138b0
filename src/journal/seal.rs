//! The trailer of a signed line, and what exactly is signed.

use crate::record::{decode_hex, encode_hex};
use ed25519_dalek::ed25519::signature::MultipartSigner;
use ed25519_dalek::{Signature, SigningKey, VerifyingKey};
use serde::{Serialize, de::DeserializeOwned};

/// Length of `,"sig":"` + 128 digits + `"}` + newline.
pub const TRAILER_BYTES: usize = OPENING.len() + SIGNATURE_DIGITS + CLOSING.len();

const OPENING: &[u8] = b",\"sig\":\"";
const CLOSING: &[u8] = b"\"}\n";
const SIGNATURE_DIGITS: usize = 128;

/// What a signature is about; a signature of one kind is none of another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Domain {
    /// A line of a journal.
    Journal,
    /// A head file.
    Head,
    /// A decision made from outside.
    Decision,
}

impl Domain {
    /// The text that is signed before the line's own bytes.
    fn prefix(self) -> &'static [u8] {
        match self {
            Self::Journal => b"candor-journal:1\n",
            Self::Head => b"candor-head:1\n",
            Self::Decision => b"candor-decision:1\n",
        }
    }
}

/// Signs a line: everything before its trailer, without the closing brace.
#[must_use]
pub fn seal(domain: Domain, mut unsigned: Vec<u8>, key: &SigningKey) -> Vec<u8> {
    let signature = key.multipart_sign(&[domain.prefix(), &unsigned]).to_bytes();
    unsigned.reserve(TRAILER_BYTES);
    unsigned.extend_from_slice(OPENING);
    unsigned.extend_from_slice(encode_hex(&signature).as_bytes());
    unsigned.extend_from_slice(CLOSING);
    unsigned
}

/// Everything before the trailer and the signature in it; `None` if the line
/// does not end with a trailer in its one form.
#[must_use]
pub fn split(line: &[u8]) -> Option<(&[u8], [u8; 64])> {
    let at = line.len().checked_sub(TRAILER_BYTES)?;
    let (unsigned, trailer) = line.split_at(at);
    let digits = trailer.strip_prefix(OPENING)?.strip_suffix(CLOSING)?;
    let signature = decode_hex::<64>(std::str::from_utf8(digits).ok()?)?;
    Some((unsigned, signature))
}

/// Signs a value that is one line by itself.
///
/// # Errors
/// If it cannot be written as an object.
pub fn seal_value<T: Serialize>(domain: Domain, value: &T, key: &SigningKey) -> serde_json::Result<Vec<u8>> {
    let mut unsigned = serde_json::to_vec(value)?;
    unsigned.pop();
    Ok(seal(domain, unsigned, key))
}

/// Reads a value that is one line by itself, if its bytes are exactly those
/// that [`seal_value`] would write; whose signature it has is not checked.
#[must_use]
pub fn read_value<T: Serialize + DeserializeOwned>(line: &[u8]) -> Option<T> {
    let (unsigned, _) = split(line)?;
    let object = [unsigned, b"}"].concat();
    let value: T = serde_json::from_slice(&object).ok()?;
    (serde_json::to_vec(&value).ok()? == object).then_some(value)
}

/// Whether the line's trailer holds this key's signature of its other bytes.
#[must_use]
pub fn verify(domain: Domain, line: &[u8], key: &VerifyingKey) -> bool {
    split(line).is_some_and(|(unsigned, signature)| {
        let message = [domain.prefix(), unsigned].concat();
        key.verify_strict(&message, &Signature::from_bytes(&signature)).is_ok()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_trailer_has_its_length_and_one_form() {
        let key = SigningKey::from_bytes(&[7; 32]);
        let line = seal(Domain::Journal, b"{\"a\":1".to_vec(), &key);
        assert_eq!((TRAILER_BYTES, line.len()), (139, 6 + 139));
        assert!(verify(Domain::Journal, &line, &key.verifying_key()));
        assert!(!verify(Domain::Head, &line, &key.verifying_key()), "a domain of its own");
        for at in 0..line.len() {
            let mut other = line.clone();
            other[at] ^= 0x20;
            assert!(!verify(Domain::Journal, &other, &key.verifying_key()), "byte {at}");
        }
    }
}
