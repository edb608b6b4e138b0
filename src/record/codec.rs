//! A record as the `type` and `body` of a line, and back.

use super::body::{
    Acknowledged, Approval, ModelResponse, SessionRenamed, SessionStarted, TailMoved, ToolResult,
    ToolStarted, TurnEnded, TurnExtended, UserMessage,
};
use serde::Deserialize;
use std::sync::Arc;

/// Why a body cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DecodeError {
    /// A record type or a field that this version does not know.
    #[error("written by a newer Candor: {0}")]
    Newer(String),
    /// Not a body of its type.
    #[error("the body of a {kind} record is not readable: {reason}")]
    Invalid {
        /// The record's type.
        kind: String,
        /// What is wrong with it.
        reason: String,
    },
}

macro_rules! records {
    ($($(#[$doc:meta])* $variant:ident = $word:literal),+ $(,)?) => {
        /// One record; bodies are shared, so that a clone costs nothing.
        #[derive(Debug, Clone)]
        pub enum Record { $($(#[$doc])* $variant(Arc<$variant>)),+ }

        $(impl From<$variant> for Record {
            fn from(body: $variant) -> Self { Self::$variant(Arc::new(body)) }
        })+

        impl Record {
            /// All record types, in the order of the documentation.
            pub const KINDS: &'static [&'static str] = &[$($word),+];

            /// The word in the line's `type`.
            #[must_use]
            pub fn kind(&self) -> &'static str {
                match self { $(Self::$variant(_) => $word),+ }
            }

            /// The compact body, keys in their documented order.
            ///
            /// # Errors
            /// Only if a raw value inside cannot be written, which reading excludes.
            pub fn encode_body(&self) -> Result<String, serde_json::Error> {
                match self { $(Self::$variant(body) => serde_json::to_string(body.as_ref())),+ }
            }

            /// The same behind what these bytes hold.
            ///
            /// # Errors
            /// As [`Self::encode_body`]; what was written until then stays.
            pub fn append_body(&self, bytes: &mut Vec<u8>) -> Result<(), serde_json::Error> {
                match self { $(Self::$variant(body) => serde_json::to_writer(bytes, body.as_ref())),+ }
            }

            /// Reads the body of a record of this type.
            ///
            /// # Errors
            /// [`DecodeError::Newer`] for an unknown type or field, else
            /// [`DecodeError::Invalid`].
            pub fn decode(kind: &str, body: &str) -> Result<Self, DecodeError> {
                match kind {
                    $($word => read::<$variant>(kind, body).map(Self::from),)+
                    _ => Err(DecodeError::Newer(format!("unknown record type \"{}\"", kind.chars().take(40).collect::<String>()))),
                }
            }
        }
    };
}

records! {
    /// Exactly the first.
    SessionStarted = "session_started",
    /// Opens a turn or joins the open one.
    UserMessage = "user_message",
    /// A complete answer of the model.
    ModelResponse = "model_response",
    /// A decision about a call.
    Approval = "approval",
    /// An execution was ordered.
    ToolStarted = "tool_started",
    /// How a call ended.
    ToolResult = "tool_result",
    /// A person allowed a turn to go on.
    TurnExtended = "turn_extended",
    /// How a turn ended.
    TurnEnded = "turn_ended",
    /// A person's statements about unknown outcomes.
    Acknowledged = "acknowledged",
    /// Bytes were moved aside.
    TailMoved = "tail_moved",
    /// Another title.
    SessionRenamed = "session_renamed",
}

/// How much of the reason goes into a sentence.
const REASON_CHARS: usize = 300;

fn read<'a, T: Deserialize<'a>>(kind: &str, body: &'a str) -> Result<T, DecodeError> {
    serde_json::from_str(body).map_err(|error| {
        let mut reason = error.to_string();
        // It quotes unknown names however long they are.
        reason = reason.chars().take(REASON_CHARS).collect();
        // serde has no error kinds; this is its one wording for a closed struct.
        if reason.starts_with("unknown field") {
            DecodeError::Newer(format!("{reason} in a {kind} record"))
        } else {
            DecodeError::Invalid { kind: kind.to_owned(), reason }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const TURN: &str = r#""turn":"0193a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b""#;

    fn round(kind: &str, body: &str) {
        let record = Record::decode(kind, body).unwrap_or_else(|e| panic!("{kind}: {e}"));
        assert_eq!(record.kind(), kind);
        assert_eq!(record.encode_body().unwrap(), body);
        let mut bytes = b"before".to_vec();
        record.append_body(&mut bytes).unwrap();
        assert_eq!(bytes, [b"before", body.as_bytes()].concat());
    }

    #[test]
    fn bodies_come_back_byte_for_byte() {
        round(
            "user_message",
            &format!(r#"{{{TURN},"text":"a\u0001\n\u007f/é"}}"#).replace("\\u007f", "\u{7f}"),
        );
        round(
            "model_response",
            &format!(
                r#"{{{TURN},"items":[{{"type":"x", "n":1.0e2,"s":"\u00e9\/"}}],"protocol":"responses","usage":{{"input":3,"output":1}}}}"#
            ),
        );
        round("tool_result", &format!(r#"{{{TURN},"call":"c1","outcome":"denied"}}"#));
        round("turn_ended", &format!(r#"{{{TURN},"status":"completed","ext":{{"at":"x"}}}}"#));
        round("session_renamed", r#"{"title":"t"}"#);
        round(
            "session_started",
            r#"{"app":"candor 0.1.0","key_id":"0123456789abcdef","cwd":"/","origin":{"kind":"new"}}"#,
        );
    }

    #[test]
    fn unknown_is_newer_and_bad_is_invalid() {
        let newer = |kind: &str, body: &str| matches!(Record::decode(kind, body), Err(DecodeError::Newer(_)));
        assert!(newer("telemetry", "{}"));
        assert!(newer("session_renamed", r#"{"title":"t","more":1}"#));
        assert!(newer(
            "session_started",
            r#"{"app":"a","key_id":"0123456789abcdef","cwd":"/","origin":{"kind":"new","x":1}}"#
        ));
        let invalid =
            |kind: &str, body: &str| matches!(Record::decode(kind, body), Err(DecodeError::Invalid { .. }));
        assert!(invalid("session_renamed", r#"{"title":"a","title":"b"}"#));
        assert!(invalid("session_renamed", r#"{"title":null}"#));
        assert!(invalid("turn_ended", &format!(r#"{{{TURN},"status":"completed","error":null}}"#)));
        assert!(invalid("turn_ended", &format!(r#"{{{TURN},"status":"completed","ext":[]}}"#)));
        assert!(invalid(
            "tail_moved",
            r#"{"offset":9007199254740992,"bytes":0,"sha256":"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"}"#
        ));
        assert!(invalid("user_message", &format!(r#"{{{TURN},"text":"a","imported":false}}"#)));
    }
}
