//! Identifiers as newtypes, so that a turn can never be passed for a dispatch.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use sha2::{Digest as _, Sha256};
use std::fmt;
use uuid::Uuid;

/// Why a text is not an identifier.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum IdError {
    /// Not a UUID of version 7 in 36 lower-case characters.
    #[error("\"{0}\" is not a UUID version 7 in lower case")]
    Uuid(String),
    /// Not 64 lower-case hexadecimal digits.
    #[error("\"{0}\" is not 64 lower-case hexadecimal digits")]
    Digest(String),
    /// Not 16 lower-case hexadecimal digits.
    #[error("\"{0}\" is not 16 lower-case hexadecimal digits")]
    KeyId(String),
    /// Empty, or longer than [`super::limits::CALL_ID_BYTES`].
    #[error("a call id has 1 to {max} bytes, this one has {0}", max = super::limits::CALL_ID_BYTES)]
    CallId(usize),
}

fn strict_uuid(text: &str) -> Result<Uuid, IdError> {
    let bad = || IdError::Uuid(text.chars().take(64).collect());
    let uuid = Uuid::try_parse(text).map_err(|_| bad())?;
    let mut buffer = [0; uuid::fmt::Hyphenated::LENGTH];
    let exact = uuid.hyphenated().encode_lower(&mut buffer) == text && uuid.get_version_num() == 7;
    if exact { Ok(uuid) } else { Err(bad()) }
}

/// Reads what stands as a text, without keeping a copy of the text.
pub(super) fn parsed<'de, D: Deserializer<'de>, T, E: fmt::Display>(
    deserializer: D,
    parse: fn(&str) -> Result<T, E>,
) -> Result<T, D::Error> {
    struct Text<T, E>(fn(&str) -> Result<T, E>);

    impl<T, E: fmt::Display> de::Visitor<'_> for Text<T, E> {
        type Value = T;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a string")
        }

        fn visit_str<F: de::Error>(self, text: &str) -> Result<T, F> {
            (self.0)(text).map_err(F::custom)
        }
    }

    deserializer.deserialize_str(Text(parse))
}

macro_rules! uuid_id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(Uuid);

        impl $name {
            /// Reads the 36-character lower-case form of a version 7 UUID.
            ///
            /// # Errors
            /// [`IdError::Uuid`] for any other text.
            pub fn parse(text: &str) -> Result<Self, IdError> {
                strict_uuid(text).map(Self)
            }

            /// Takes a UUID made elsewhere; it has to be of version 7.
            #[must_use]
            pub fn from_uuid(uuid: Uuid) -> Self {
                Self(uuid)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.hyphenated().fmt(f)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.hyphenated().fmt(f)
            }
        }

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
                s.collect_str(self)
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
                parsed(d, Self::parse)
            }
        }
    };
}

uuid_id!(
    /// One conversation, one directory, one journal.
    SessionId
);
uuid_id!(
    /// One user message and all that follows until the turn ends.
    TurnId
);
uuid_id!(
    /// One execution of one call; exists from its start record on.
    DispatchId
);

/// The model's name for a call; unique within its turn only.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct CallId(String);

impl CallId {
    /// Takes the text as the model sent it.
    ///
    /// # Errors
    /// [`IdError::CallId`] when it is empty or too long to be sent back.
    pub fn new(text: impl Into<String>) -> Result<Self, IdError> {
        let text = text.into();
        if text.is_empty() || text.len() > super::limits::CALL_ID_BYTES {
            return Err(IdError::CallId(text.len()));
        }
        Ok(Self(text))
    }

    /// The text as the model sent it.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for CallId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for CallId {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        Self::new(String::deserialize(d)?).map_err(de::Error::custom)
    }
}

/// A SHA-256 value, written as 64 lower-case hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Digest([u8; 32]);

impl Digest {
    /// 64 zeros: what precedes the first line of a journal.
    pub const ZERO: Self = Self([0; 32]);

    /// The SHA-256 of these bytes.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Self {
        Self(Sha256::digest(bytes).into())
    }

    /// Takes a finished hash.
    #[must_use]
    pub fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// Reads 64 lower-case hexadecimal digits.
    ///
    /// # Errors
    /// [`IdError::Digest`] for any other text.
    pub fn parse(text: &str) -> Result<Self, IdError> {
        let bad = || IdError::Digest(text.chars().take(80).collect());
        decode_hex::<32>(text).map(Self).ok_or_else(bad)
    }

    /// The 32 bytes.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

const HEX: &[u8; 16] = b"0123456789abcdef";

/// Lower-case hexadecimal digits of exactly `N` bytes; `None` for anything else.
pub(crate) fn decode_hex<const N: usize>(text: &str) -> Option<[u8; N]> {
    /// No digit; it stands out when it is mixed with others.
    const NONE: u8 = 0xff;
    const VALUES: [u8; 256] = {
        let mut values = [NONE; 256];
        let mut value = 0;
        while value < 16 {
            values[HEX[value] as usize] = value as u8;
            value += 1;
        }
        values
    };
    let bytes = text.as_bytes();
    if bytes.len() != 2 * N {
        return None;
    }
    let (mut out, mut seen) = ([0; N], 0);
    for (slot, pair) in out.iter_mut().zip(bytes.chunks_exact(2)) {
        let (high, low) = (VALUES[usize::from(pair[0])], VALUES[usize::from(pair[1])]);
        seen |= high | low;
        *slot = high << 4 | low;
    }
    (seen != NONE).then_some(out)
}

/// The lower-case hexadecimal digits of these bytes.
#[must_use]
pub(crate) fn encode_hex(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(2 * bytes.len());
    for byte in bytes {
        text.push(char::from(HEX[usize::from(byte >> 4)]));
        text.push(char::from(HEX[usize::from(byte & 15)]));
    }
    text
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&encode_hex(&self.0))
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Serialize for Digest {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Digest {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        parsed(d, Self::parse)
    }
}

/// The first 16 hexadecimal digits of the SHA-256 of a public key.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct KeyId(String);

impl KeyId {
    /// The id of this public key.
    #[must_use]
    pub fn of(public_key: &[u8; 32]) -> Self {
        Self(encode_hex(&Digest::of(public_key).0[..8]))
    }

    /// Reads 16 lower-case hexadecimal digits.
    ///
    /// # Errors
    /// [`IdError::KeyId`] for any other text.
    pub fn parse(text: &str) -> Result<Self, IdError> {
        match decode_hex::<8>(text) {
            Some(_) => Ok(Self(text.to_owned())),
            None => Err(IdError::KeyId(text.chars().take(32).collect())),
        }
    }

    /// The 16 digits.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for KeyId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for KeyId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for KeyId {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        parsed(d, Self::parse)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_lower_case_version_7_is_an_id() {
        let good = "0193a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b";
        assert_eq!(SessionId::parse(good).unwrap().to_string(), good);
        for bad in [
            "0193A1B2-c3d4-7e5f-8a9b-0c1d2e3f4a5b",
            "0193a1b2-c3d4-4e5f-8a9b-0c1d2e3f4a5b",
            "0193a1b2c3d47e5f8a9b0c1d2e3f4a5b",
            "{0193a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b}",
            "",
        ] {
            assert!(SessionId::parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn digests_are_64_lower_case_digits() {
        let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        assert_eq!(Digest::of(b"").to_string(), empty);
        assert_eq!(Digest::parse(empty).unwrap(), Digest::of(b""));
        assert!(Digest::parse(&empty.to_uppercase()).is_err());
        assert!(Digest::parse(&empty[1..]).is_err());
    }

    #[test]
    fn call_ids_are_bounded() {
        assert!(CallId::new("").is_err());
        assert!(CallId::new("x".repeat(64)).is_ok());
        assert!(CallId::new("x".repeat(65)).is_err());
    }
}
