//! Serde helpers for the exactness of bodies: an absent field is absent, never
//! `null`; a flag is written only when true; an integer fits 2^53 − 1.

use serde::{Deserialize, Deserializer, de};
use serde_json::value::RawValue;

/// An optional field: if it is there it has a value.
pub(super) fn present<'de, D: Deserializer<'de>, T: Deserialize<'de>>(d: D) -> Result<Option<T>, D::Error> {
    T::deserialize(d).map(Some)
}

/// A whole number from 0 to 2^53 − 1.
pub(super) fn integer<'de, D: Deserializer<'de>>(d: D) -> Result<u64, D::Error> {
    let value = u64::deserialize(d)?;
    if value > super::limits::MAX_INTEGER {
        return Err(de::Error::custom("the integer is above 2^53 - 1"));
    }
    Ok(value)
}

/// An optional whole number.
pub(super) fn present_integer<'de, D: Deserializer<'de>>(d: D) -> Result<Option<u64>, D::Error> {
    integer(d).map(Some)
}

/// A flag that is written only when true.
pub(super) fn flag<'de, D: Deserializer<'de>>(d: D) -> Result<bool, D::Error> {
    if bool::deserialize(d)? { Ok(true) } else { Err(de::Error::custom("a flag is written only when true")) }
}

/// Room for versions to come: an object that this version ignores.
pub(super) fn extension<'de, D: Deserializer<'de>>(d: D) -> Result<Option<Box<RawValue>>, D::Error> {
    let raw = Box::<RawValue>::deserialize(d)?;
    if raw.get().starts_with('{') { Ok(Some(raw)) } else { Err(de::Error::custom("ext is an object")) }
}

/// For `skip_serializing_if`.
#[allow(clippy::trivially_copy_pass_by_ref)] // serde passes a reference
pub(super) fn is_false(value: &bool) -> bool {
    !value
}
