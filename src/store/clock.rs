//! The time of day, for the rooms that are given it.

use crate::record::Timestamp;
use std::time::{SystemTime, UNIX_EPOCH};

/// Now; a clock before 1970 reads 1970.
#[must_use]
pub fn now() -> Timestamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Timestamp::from_millis(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}
