//! Times: UTC, milliseconds, always the same 24 characters.

use super::ids::parsed;
use jiff::civil::DateTime;
use jiff::tz::Offset;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;

/// A text that is not a time of the journal's one form.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("\"{0}\" is not a time like 2026-11-29T20:13:05.123Z")]
pub struct TimestampError(String);

/// A moment in UTC with milliseconds, as in `2026-11-29T20:13:05.123Z`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(i64);

impl Timestamp {
    /// 9999-12-30T22:00:00.000Z: the form has four digits for the year, and the
    /// time library leaves room for every offset.
    const LAST: i64 = 253_402_207_200_000;

    /// From milliseconds since 1970; years before 1970 and after 9999 are
    /// drawn to the nearest that the form can write.
    #[must_use]
    pub fn from_millis(millis: i64) -> Self {
        Self(millis.clamp(0, Self::LAST))
    }

    /// Milliseconds since 1970.
    #[must_use]
    pub fn as_millis(self) -> i64 {
        self.0
    }

    /// Reads exactly the 24-character form.
    ///
    /// # Errors
    /// [`TimestampError`] for any other text.
    pub fn parse(text: &str) -> Result<Self, TimestampError> {
        let bad = || TimestampError(text.chars().take(40).collect());
        let millis = millis(text).ok_or_else(bad)?;
        if (0..=Self::LAST).contains(&millis) { Ok(Self(millis)) } else { Err(bad()) }
    }
}

/// Every digit in its place; a date and a time of day that there are.
fn millis(text: &str) -> Option<i64> {
    const FORM: &[u8; 24] = b"0000-00-00T00:00:00.000Z";
    let text: &[u8; 24] = text.as_bytes().try_into().ok()?;
    let fits = |(byte, form): (&u8, &u8)| if *form == b'0' { byte.is_ascii_digit() } else { byte == form };
    if !text.iter().zip(FORM).all(fits) {
        return None;
    }
    let number = |from: usize, to: usize| {
        text[from..to].iter().fold(0i32, |number, digit| 10 * number + i32::from(digit - b'0'))
    };
    let small = |from: usize| i8::try_from(number(from, from + 2)).ok();
    let year = i16::try_from(number(0, 4)).ok()?;
    let nanos = number(20, 23) * 1_000_000;
    let time = DateTime::new(year, small(5)?, small(8)?, small(11)?, small(14)?, small(17)?, nanos).ok()?;
    Some(Offset::UTC.to_timestamp(time).ok()?.as_millisecond())
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let time = jiff::Timestamp::from_millisecond(self.0).map_err(|_| fmt::Error)?;
        write!(f, "{time:.3}")
    }
}

impl fmt::Debug for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Timestamp {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        parsed(d, Self::parse)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_form_is_exact() {
        let text = "2026-11-29T20:13:05.123Z";
        assert_eq!(Timestamp::parse(text).unwrap().to_string(), text);
        assert_eq!(Timestamp::from_millis(0).to_string(), "1970-01-01T00:00:00.000Z");
        assert_eq!(Timestamp::from_millis(i64::MAX).to_string(), "9999-12-30T22:00:00.000Z");
        for bad in [
            "2026-11-29T20:13:05Z",
            "2026-11-29 20:13:05.123Z",
            "2026-11-29T20:13:05.1234Z",
            "2026-11-29T20:13:05.123z",
            "2026-11-29T21:13:05.123+01:00",
        ] {
            assert!(Timestamp::parse(bad).is_err(), "{bad}");
        }
    }
}
