//! Where a session comes from.

use super::exact::{present, present_integer};
use super::{Digest, DispatchId, Operation, SessionId, Timestamp};
use serde::{Deserialize, Deserializer, Serialize, de};

/// Where a session comes from.
#[derive(Debug, Clone, Serialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum Origin {
    /// Begun here.
    New {},
    /// Read from another program's file.
    Imported {
        /// The file's format.
        format: String,
        /// The file's name.
        name: String,
        /// SHA-256 of the file.
        sha256: Digest,
    },
    /// Copied from another session up to one of its records.
    Forked {
        /// The session that was forked.
        sid: SessionId,
        /// Its last record that was looked at.
        seq: u64,
        /// SHA-256 of that record's line.
        head: Digest,
        /// Effects of the origin that are unknown and not copied.
        unknown: Vec<EffectReference>,
    },
}

/// An effect of another session that may have happened.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EffectReference {
    /// The execution.
    pub dispatch: DispatchId,
    /// What was to run.
    pub operation: Operation,
    /// When it was started.
    pub started_at: Timestamp,
}

/// The fields of all kinds. An internal tag would have serde buffer the values,
/// and an operation's raw bytes do not survive that.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Fields {
    kind: Kind,
    #[serde(default, deserialize_with = "present")]
    format: Option<String>,
    #[serde(default, deserialize_with = "present")]
    name: Option<String>,
    #[serde(default, deserialize_with = "present")]
    sha256: Option<Digest>,
    #[serde(default, deserialize_with = "present")]
    sid: Option<SessionId>,
    #[serde(default, deserialize_with = "present_integer")]
    seq: Option<u64>,
    #[serde(default, deserialize_with = "present")]
    head: Option<Digest>,
    #[serde(default, deserialize_with = "present")]
    unknown: Option<Vec<EffectReference>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum Kind {
    New,
    Imported,
    Forked,
}

impl<'de> Deserialize<'de> for Origin {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        let fields = Fields::deserialize(d)?;
        let source = (fields.format, fields.name, fields.sha256);
        let original = (fields.sid, fields.seq, fields.head, fields.unknown);
        match (fields.kind, source, original) {
            (Kind::New, (None, None, None), (None, None, None, None)) => Ok(Self::New {}),
            (Kind::Imported, (Some(format), Some(name), Some(sha256)), (None, None, None, None)) => {
                Ok(Self::Imported { format, name, sha256 })
            }
            (Kind::Forked, (None, None, None), (Some(sid), Some(seq), Some(head), Some(unknown))) => {
                Ok(Self::Forked { sid, seq, head, unknown })
            }
            (Kind::New | Kind::Imported | Kind::Forked, _, _) => {
                Err(de::Error::custom("the origin has not the fields of its kind"))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fork_that_lists_unknown_effects_is_read_back() {
        let id = "0193a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b";
        let text = format!(
            r#"{{"kind":"forked","sid":"{id}","seq":3,"head":"{}","unknown":[{{"dispatch":"{id}","operation":{{"tool":"bash", "command":"ls"}},"started_at":"2026-11-29T20:13:05.123Z"}}]}}"#,
            Digest::ZERO
        );
        let origin: Origin = serde_json::from_str(&text).unwrap();
        assert_eq!(serde_json::to_string(&origin).unwrap(), text);
    }

    #[test]
    fn each_kind_has_its_own_fields() {
        let read = |text: &str| serde_json::from_str::<Origin>(text);
        assert!(read(r#"{"kind":"new"}"#).is_ok());
        for text in [
            r#"{"kind":"other"}"#,
            r#"{"kind":"new","seq":1}"#,
            r#"{"kind":"new","seq":null}"#,
            r#"{"kind":"imported","format":"mino-2","name":"a"}"#,
            r#"{}"#,
        ] {
            assert!(read(text).is_err(), "{text}");
        }
    }
}
