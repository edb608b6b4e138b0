//! The mark of a record that a fork copied.

use crate::record::Timestamp;
use serde::Deserialize;
use serde_json::value::RawValue;

#[derive(Deserialize)]
struct Copied {
    at: Timestamp,
}

/// When the original of a copied record was written: `at` in the body's `ext`.
/// None for a record that is no copy.
#[must_use]
pub fn copied_at(ext: Option<&RawValue>) -> Option<Timestamp> {
    serde_json::from_str::<Copied>(ext?.get()).ok().map(|copied| copied.at)
}
