//! A JSON object without its `id`, all else byte for byte and in its order.

use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;
use std::fmt;

/// An item's members in their order, each as it came, without `id`.
#[derive(Debug)]
pub(super) struct WithoutId<'a>(Vec<(String, &'a RawValue)>);

impl<'a> WithoutId<'a> {
    /// Reads an object; `None` for anything else.
    pub(super) fn read(raw: &'a RawValue) -> Option<Self> {
        serde_json::from_str(raw.get()).ok()
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for WithoutId<'a> {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        struct Members;
        impl<'de> Visitor<'de> for Members {
            type Value = Vec<(String, &'de RawValue)>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut members = Vec::new();
                while let Some((name, value)) = map.next_entry::<String, &RawValue>()? {
                    if name != "id" {
                        members.push((name, value));
                    }
                }
                Ok(members)
            }
        }
        d.deserialize_map(Members).map(Self)
    }
}

impl Serialize for WithoutId<'_> {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.collect_map(self.0.iter().map(|(name, value)| (name, value)))
    }
}
