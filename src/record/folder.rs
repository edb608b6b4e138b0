//! The evidence of one execution outside the journal: the forms of the files
//! in a call folder, and what a reader found there. `docs/recovery.md` tells
//! who writes them and in which order.

use super::exact::{flag, integer, is_false, present};
use super::{CallId, Digest, DispatchId, Operation, OutputExcerpt, SessionId, Survivor, Timestamp, TurnId};
use serde::{Deserialize, Serialize};

/// `order.json`: what was ordered, laid down before the start record.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Order {
    /// Version of the form: 1.
    pub v: u64,
    /// The session.
    pub session: SessionId,
    /// The turn.
    pub turn: TurnId,
    /// The call.
    pub call: CallId,
    /// The execution.
    pub dispatch: DispatchId,
    /// SHA-256 of the operation's bytes.
    pub fingerprint: Digest,
    /// What is to run.
    pub operation: Operation,
}

/// `launch.json`: the supervisor itself; from here on the command may run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Launch {
    /// Version of the form: 1.
    pub v: u64,
    /// The supervisor's process id.
    #[serde(deserialize_with = "integer")]
    pub pid: u64,
    /// Field 22 of its `/proc/PID/stat`, in clock ticks since boot.
    #[serde(deserialize_with = "integer")]
    pub start_time: u64,
    /// `/proc/sys/kernel/random/boot_id`.
    pub boot_id: String,
}

/// `process.json`: the command's shell.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProcessNote {
    /// Version of the form: 1.
    pub v: u64,
    /// The shell's process id, which is its group's too.
    #[serde(deserialize_with = "integer")]
    pub pid: u64,
    /// Field 22 of its `/proc/PID/stat`.
    #[serde(deserialize_with = "integer")]
    pub start_time: u64,
}

/// How a supervised execution came to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ended {
    /// By itself.
    Exit,
    /// At its time limit.
    TimeLimit,
    /// At its output limit.
    OutputLimit,
    /// On request.
    Stopped,
    /// It could not be started.
    NotStarted,
}

/// `receipt.json`: the supervisor's word on how it ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Receipt {
    /// Version of the form: 1.
    pub v: u64,
    /// The execution.
    pub dispatch: DispatchId,
    /// SHA-256 of the operation's bytes.
    pub fingerprint: Digest,
    /// How it ended.
    pub ended: Ended,
    /// The shell's exit code.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub exit_code: Option<u8>,
    /// The signal that ended the shell.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub signal: Option<u8>,
    /// When the shell was started.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub started_at: Option<Timestamp>,
    /// When its end was observed.
    pub ended_at: Timestamp,
    /// All bytes that it wrote.
    #[serde(deserialize_with = "integer")]
    pub output_bytes: u64,
    /// Length of `output`.
    #[serde(deserialize_with = "integer")]
    pub spool_bytes: u64,
    /// SHA-256 of `output`.
    pub output_sha256: Digest,
    /// The spool could not grow.
    #[serde(default, skip_serializing_if = "is_false", deserialize_with = "flag")]
    pub output_lost: bool,
    /// Somebody still held the output after the end.
    #[serde(default, skip_serializing_if = "is_false", deserialize_with = "flag")]
    pub pipe_held: bool,
    /// Processes of it that live on.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub survivors: Option<Vec<Survivor>>,
}

/// What lies in a call folder, as one reading of it found.
#[derive(Debug, Clone)]
pub struct FolderFacts {
    /// The execution, by the folder's name.
    pub dispatch: DispatchId,
    /// `order.json`, if it is there and readable.
    pub order: Option<Order>,
    /// `launch.json` is there, readable or not: the command may have run.
    pub launched: bool,
    /// Somebody holds `lock`: the supervisor lives.
    pub lock_held: bool,
    /// `receipt.json`, if it is readable and its `spool_bytes` and
    /// `output_sha256` are those of `output`.
    pub receipt: Option<Receipt>,
    /// Processes of the execution that are alive.
    pub alive: Vec<Survivor>,
    /// What `output` holds: excerpt, length (which counts all bytes of a fitting
    /// receipt) and hash.
    pub output: SpoolFacts,
}

impl FolderFacts {
    /// Of an execution whose folder is gone: it may have run.
    #[must_use]
    pub fn of_nothing(dispatch: DispatchId) -> Self {
        let excerpt = OutputExcerpt { text: String::new(), truncated: false };
        let output = SpoolFacts { excerpt, spool_bytes: 0, sha256: Digest::of(b""), modified_at: None };
        Self {
            dispatch,
            order: None,
            launched: true,
            lock_held: false,
            receipt: None,
            alive: Vec::new(),
            output,
        }
    }
}

/// What the spool of an execution holds.
#[derive(Debug, Clone)]
pub struct SpoolFacts {
    /// What a record keeps of it.
    pub excerpt: OutputExcerpt,
    /// Length of the spool as found.
    pub spool_bytes: u64,
    /// SHA-256 of the spool; of nothing, if there is none.
    pub sha256: Digest,
    /// When it was last written, if it is there.
    pub modified_at: Option<Timestamp>,
}
