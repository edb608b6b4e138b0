//! The report: one value, printed for people and for programs.

use crate::record::{
    CallId, Digest, DispatchId, Evidence, KeyId, Outcome, SessionId, StatementKind, TurnId, TurnStatus,
};
use crate::store::decision::DecisionOutcome;
use serde::Serialize;

/// What a verified journal proves.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Report {
    /// The session.
    pub session_id: SessionId,
    /// Whether that is the one that was asked for.
    pub expected_session: ExpectedSession,
    /// The key that signs it.
    pub key_id: KeyId,
    /// Where the key comes from.
    pub trusted_by: TrustedBy,
    /// Records whose signature and chain were verified.
    pub verified_records: u64,
    /// Their bytes.
    pub verified_bytes: u64,
    /// Bytes after the last newline.
    pub unverified_tail_bytes: u64,
    /// Records that a newer version wrote, and all after the first of them.
    pub unknown_records: u64,
    /// SHA-256 of the last verified line.
    pub head: Digest,
    /// Whether a head that was kept apart agrees.
    pub anchor: Anchor,
    /// At least one turn, each with its end, and nothing behind.
    pub journal_complete: bool,
    /// The last turn's status.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub terminal_reason: Option<TurnStatus>,
    /// One row for each execution.
    pub effects: Vec<EffectRow>,
    /// Approved calls with neither a start nor a result.
    pub untracked_tool_approvals: Vec<UntrackedApproval>,
    /// Something is missing that a person has to look at.
    pub requires_reconciliation: bool,
    /// There were unknown effects, and each has a valid decision.
    pub reconciled: bool,
    /// What else a reader should know.
    pub warnings: Vec<String>,
    /// The turns.
    pub turns: Vec<TurnRow>,
}

/// Whether the session was asked for by its id.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ExpectedSession {
    /// It was, and is.
    Given,
    /// It was not.
    Absent,
}

/// Where the public key comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum TrustedBy {
    /// It was given.
    GivenKey,
    /// It was found in the local key store.
    LocalStore,
}

/// Whether the local store's head of this session agrees.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Anchor {
    /// Its line is on the chain.
    Match,
    /// There is none.
    Absent,
}

/// What is known of an effect.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Effect {
    /// Its end is recorded.
    ResultRecorded,
    /// It may or may not have happened.
    Unknown,
}

/// One execution.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct EffectRow {
    /// Its id.
    pub dispatch: DispatchId,
    /// Its turn.
    pub turn: TurnId,
    /// Its call.
    pub call: CallId,
    /// The tool.
    pub tool: String,
    /// What is known of it.
    pub effect: Effect,
    /// How it ended; absent without a result.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outcome: Option<Outcome>,
    /// What that rests on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub evidence: Option<Evidence>,
    /// Its exit code.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<u8>,
    /// A person's word in the journal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub statement: Option<StatementKind>,
    /// A valid decision beside the journal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decision: Option<DecisionOutcome>,
}

/// An approved call of which nothing more is known.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct UntrackedApproval {
    /// Its turn.
    pub turn: TurnId,
    /// The call.
    pub call: CallId,
}

/// One turn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TurnRow {
    /// Its id.
    pub turn: TurnId,
    /// How it ended; absent while it is open.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<TurnStatus>,
    /// Whether it is another program's.
    pub imported: bool,
    /// How many calls it has.
    pub calls: usize,
}

impl Report {
    /// 0: everything is complete and accounted for. 2: something is missing.
    #[must_use]
    pub fn exit_code(&self) -> u8 {
        if self.requires_reconciliation { 2 } else { 0 }
    }
}
