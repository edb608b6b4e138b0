//! One line, and which fields a record of its kind has.

use crate::store::import::error::{Rule, quoted};
use serde::Deserialize;
use serde_json::value::RawValue;

/// A line; an empty text is an absent one.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Line {
    #[serde(default)]
    v: u64,
    #[serde(default)]
    pub(super) seq: u64,
    #[serde(default)]
    pub(super) turn_id: String,
    #[serde(default)]
    kind: String,
    #[serde(default)]
    pub(super) text: Option<String>,
    #[serde(default)]
    pub(super) output: Option<Vec<Box<RawValue>>>,
    #[serde(default)]
    status: Option<String>,
    #[serde(default)]
    pub(super) call_id: Option<String>,
    #[serde(default)]
    pub(super) name: Option<String>,
    #[serde(default)]
    pub(super) arguments: Option<Box<RawValue>>,
    #[serde(default)]
    pub(super) cwd: Option<String>,
    #[serde(default)]
    pub(super) result: Option<ToolResult>,
    /// Of version 3, which is refused by its number and not by its fields.
    #[serde(default, rename = "covered_seq")]
    _covered_seq: Option<u64>,
}

/// How a call ended.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ToolResult {
    #[serde(default)]
    pub(super) status: String,
    #[serde(default)]
    pub(super) output: String,
    #[serde(default)]
    pub(super) exit_code: Option<i64>,
    #[serde(default)]
    truncated: Option<bool>,
}

impl ToolResult {
    pub(super) fn truncated(&self) -> bool {
        self.truncated == Some(true)
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    UserMessage,
    AssistantMessage,
    ModelResponse,
    ToolStart,
    ToolResult,
    TurnEnd,
    RecoveryAck,
}

impl Kind {
    const ALL: [Self; 7] = [
        Self::UserMessage,
        Self::AssistantMessage,
        Self::ModelResponse,
        Self::ToolStart,
        Self::ToolResult,
        Self::TurnEnd,
        Self::RecoveryAck,
    ];

    pub(super) fn word(self) -> &'static str {
        match self {
            Self::UserMessage => "user_message",
            Self::AssistantMessage => "assistant_message",
            Self::ModelResponse => "model_response",
            Self::ToolStart => "tool_start",
            Self::ToolResult => "tool_result",
            Self::TurnEnd => "turn_end",
            Self::RecoveryAck => "recovery_ack",
        }
    }

    /// The version that brought it.
    fn since(self) -> u64 {
        match self {
            Self::UserMessage | Self::AssistantMessage | Self::TurnEnd => 1,
            Self::ModelResponse | Self::ToolStart | Self::ToolResult | Self::RecoveryAck => 2,
        }
    }

    /// The fields that it has beside number, turn and kind.
    fn fields(self) -> &'static [&'static str] {
        match self {
            Self::UserMessage => &["text"],
            Self::AssistantMessage | Self::ModelResponse => &["text", "output"],
            Self::ToolStart => &["call_id", "name", "arguments", "cwd"],
            Self::ToolResult => &["call_id", "result"],
            Self::TurnEnd => &["status"],
            Self::RecoveryAck => &[],
        }
    }
}

impl Line {
    pub(super) fn text(&self) -> Option<&str> {
        self.text.as_deref().filter(|text| !text.is_empty())
    }

    pub(super) fn status(&self) -> Option<&str> {
        self.status.as_deref().filter(|status| !status.is_empty())
    }

    /// Its kind, if its version is one that is read and has such records.
    pub(super) fn kind(&self) -> Result<Kind, Rule> {
        if !(1..=2).contains(&self.v) {
            return Err(Rule::Version(self.v));
        }
        let kind = Kind::ALL.into_iter().find(|kind| kind.word() == self.kind && kind.since() <= self.v);
        kind.ok_or_else(|| Rule::Kind { version: self.v, kind: quoted(&self.kind) })
    }

    /// Whether it has a turn and only the fields of its kind.
    pub(super) fn check_fields(&self, kind: Kind) -> Result<(), Rule> {
        let is_digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        if self.turn_id.len() != 32 || !self.turn_id.bytes().all(is_digit) {
            return Err(Rule::TurnId);
        }
        let set = |text: &Option<String>| text.as_deref().is_some_and(|text| !text.is_empty());
        let present = [
            ("text", self.text().is_some()),
            ("output", self.output.as_ref().is_some_and(|output| !output.is_empty())),
            ("status", self.status().is_some()),
            ("call_id", set(&self.call_id)),
            ("name", set(&self.name)),
            ("arguments", self.arguments.is_some()),
            ("cwd", set(&self.cwd)),
            ("result", self.result.is_some()),
        ];
        let strange = present.iter().find(|(field, there)| *there && !kind.fields().contains(field));
        match strange {
            Some((field, _)) => Err(Rule::Field { kind: kind.word(), field }),
            None if kind == Kind::AssistantMessage
                && self.text().is_none_or(|text| text.trim().is_empty()) =>
            {
                Err(Rule::Needs { kind: kind.word(), field: "text" })
            }
            None => Ok(()),
        }
    }
}
