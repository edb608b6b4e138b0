//! The bodies of all record types. Fields stand in the order in which they are
//! written; see `docs/journal.md` for the order rules between records.

use super::exact::{extension, flag, integer, is_false, present, present_integer};
use super::item::Items;
use super::{
    By, CallId, Decision, Digest, DispatchId, Evidence, KeyId, Operation, Origin, Outcome, StatementKind,
    Timestamp, TurnId, TurnStatus,
};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// The first record of every journal.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SessionStarted {
    /// Name and version of the program that made the session.
    pub app: String,
    /// The key that signs every line.
    pub key_id: KeyId,
    /// The absolute directory that commands run in.
    pub cwd: String,
    /// At first the first line of the first message.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub title: Option<String>,
    /// Where the session comes from.
    pub origin: Origin,
    /// Room for versions to come.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "extension")]
    pub ext: Option<Box<RawValue>>,
}

/// What a person said; opens a turn or joins the open one.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct UserMessage {
    /// The turn.
    pub turn: TurnId,
    /// The message.
    pub text: String,
    /// Whether the turn is another program's.
    #[serde(default, skip_serializing_if = "is_false", deserialize_with = "flag")]
    pub imported: bool,
    /// Room for versions to come.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "extension")]
    pub ext: Option<Box<RawValue>>,
}

/// Tokens, as the server counted them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Usage {
    /// Of the whole request.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present_integer")]
    pub input: Option<u64>,
    /// Of these, from the server's cache.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present_integer")]
    pub cached: Option<u64>,
    /// Of the answer.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present_integer")]
    pub output: Option<u64>,
    /// Of these, for reasoning.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present_integer")]
    pub reasoning: Option<u64>,
}

/// A complete, validated model response.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModelResponse {
    /// The turn.
    pub turn: TurnId,
    /// The model's items, byte for byte.
    pub items: Items,
    /// The protocol that the items belong to.
    pub protocol: String,
    /// Base URL of the server, without credentials.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub server: Option<String>,
    /// The model's name.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub model: Option<String>,
    /// The server's id of the response.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub response_id: Option<String>,
    /// Tokens, if the server told.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub usage: Option<Usage>,
    /// From the first byte of the request to the terminal event, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present_integer")]
    pub duration_ms: Option<u64>,
    /// SHA-256 of the instructions that the request carried.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub instructions_sha256: Option<Digest>,
    /// Room for versions to come.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "extension")]
    pub ext: Option<Box<RawValue>>,
}

/// The answer to "may this run?".
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Approval {
    /// The turn.
    pub turn: TurnId,
    /// The call.
    pub call: CallId,
    /// Yes or no.
    pub decision: Decision,
    /// On whose word.
    pub by: By,
    /// `seq` of the standing approval that a rule rests on.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present_integer")]
    pub rule: Option<u64>,
    /// Whether the person said "don't ask again".
    #[serde(default, skip_serializing_if = "is_false", deserialize_with = "flag")]
    pub standing: bool,
    /// What was decided about.
    pub operation: Operation,
    /// SHA-256 of the operation's bytes.
    pub fingerprint: Digest,
    /// Whether it differs in anything from what the model asked.
    pub edited: bool,
    /// The person's words with a denial.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub feedback: Option<String>,
    /// Room for versions to come.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "extension")]
    pub ext: Option<Box<RawValue>>,
}

/// An execution was ordered; from here on it may have happened.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ToolStarted {
    /// The turn.
    pub turn: TurnId,
    /// The call.
    pub call: CallId,
    /// The execution.
    pub dispatch: DispatchId,
    /// What runs.
    pub operation: Operation,
    /// SHA-256 of the operation's bytes.
    pub fingerprint: Digest,
    /// The newest unknown execution of the same operation.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub repeats: Option<DispatchId>,
    /// Room for versions to come.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "extension")]
    pub ext: Option<Box<RawValue>>,
}

/// A process of an execution that outlived it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Survivor {
    /// Its process id.
    #[serde(deserialize_with = "integer")]
    pub pid: u64,
    /// Its command line, shortened.
    pub command: String,
}

/// How a call ended.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ToolResult {
    /// The turn.
    pub turn: TurnId,
    /// The call.
    pub call: CallId,
    /// The execution, if there was or may have been one.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub dispatch: Option<DispatchId>,
    /// How it ended.
    pub outcome: Outcome,
    /// What that rests on.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub evidence: Option<Evidence>,
    /// The exit code, 0 to 255.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub exit_code: Option<u8>,
    /// The signal that ended it.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub signal: Option<u8>,
    /// The output, or its two ends.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub output: Option<String>,
    /// All bytes that it wrote; of an unknown one, the spool's as found.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present_integer")]
    pub output_bytes: Option<u64>,
    /// SHA-256 of the spool.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub output_sha256: Option<Digest>,
    /// `output` is not all of it.
    #[serde(default, skip_serializing_if = "is_false", deserialize_with = "flag")]
    pub truncated: bool,
    /// The spool could not grow.
    #[serde(default, skip_serializing_if = "is_false", deserialize_with = "flag")]
    pub output_lost: bool,
    /// Somebody still held the output after the end.
    #[serde(default, skip_serializing_if = "is_false", deserialize_with = "flag")]
    pub pipe_held: bool,
    /// Processes of it that live on.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub survivors: Option<Vec<Survivor>>,
    /// When the command was started.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub started_at: Option<Timestamp>,
    /// When its end was observed.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub ended_at: Option<Timestamp>,
    /// Room for versions to come.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "extension")]
    pub ext: Option<Box<RawValue>>,
}

impl ToolResult {
    /// A result without an execution: refused or not executed.
    #[must_use]
    pub fn without_dispatch(turn: TurnId, call: CallId, outcome: Outcome) -> Self {
        Self {
            turn,
            call,
            dispatch: None,
            outcome,
            evidence: None,
            exit_code: None,
            signal: None,
            output: None,
            output_bytes: None,
            output_sha256: None,
            truncated: false,
            output_lost: false,
            pipe_held: false,
            survivors: None,
            started_at: None,
            ended_at: None,
            ext: None,
        }
    }

    /// A result of an execution, so far without output, exit code or times.
    #[must_use]
    pub fn of_dispatch(
        turn: TurnId,
        call: CallId,
        dispatch: DispatchId,
        outcome: Outcome,
        evidence: Evidence,
    ) -> Self {
        Self {
            dispatch: Some(dispatch),
            evidence: Some(evidence),
            output: Some(String::new()),
            output_bytes: Some(0),
            output_sha256: Some(Digest::of(b"")),
            ..Self::without_dispatch(turn, call, outcome)
        }
    }
}

/// A person allowed a turn to go on.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TurnExtended {
    /// The turn.
    pub turn: TurnId,
    /// That many more model requests.
    #[serde(deserialize_with = "integer")]
    pub model_requests: u64,
    /// That many more calls.
    #[serde(deserialize_with = "integer")]
    pub tool_calls: u64,
    /// On whose word; always a person's.
    pub by: By,
    /// Room for versions to come.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "extension")]
    pub ext: Option<Box<RawValue>>,
}

/// The end of a turn.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TurnEnded {
    /// The turn.
    pub turn: TurnId,
    /// How it ended.
    pub status: TurnStatus,
    /// One sentence, where an error ended it.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub error: Option<String>,
    /// Room for versions to come.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "extension")]
    pub ext: Option<Box<RawValue>>,
}

/// One statement about one unknown execution.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Statement {
    /// The execution.
    pub dispatch: DispatchId,
    /// What the person says.
    pub statement: StatementKind,
    /// The person's own words.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub note: Option<String>,
}

/// A person's statements; they open the gate and change no outcome.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Acknowledged {
    /// In the order of their executions in the journal.
    pub statements: Vec<Statement>,
    /// On whose word.
    pub by: By,
    /// Room for versions to come.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "extension")]
    pub ext: Option<Box<RawValue>>,
}

/// Bytes of a torn tail were moved aside.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TailMoved {
    /// Where they stood in the journal.
    #[serde(deserialize_with = "integer")]
    pub offset: u64,
    /// How many.
    #[serde(deserialize_with = "integer")]
    pub bytes: u64,
    /// Their SHA-256.
    pub sha256: Digest,
    /// Room for versions to come.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "extension")]
    pub ext: Option<Box<RawValue>>,
}

/// The session got another title.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SessionRenamed {
    /// The new one.
    pub title: String,
    /// Room for versions to come.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "extension")]
    pub ext: Option<Box<RawValue>>,
}
