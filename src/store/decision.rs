//! Signed decisions about unknown effects, made from outside and kept beside
//! the journal. They change no record.

use super::layout;
use crate::journal::Chain;
use crate::journal::files::{self, Files};
use crate::journal::seal::{self, Domain};
use crate::record::{Digest, DispatchId, KeyId, SessionId, Timestamp};
use ed25519_dalek::{SigningKey, VerifyingKey};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// A decision with its note and evidence is smaller, in bytes.
const DECISION_BYTES: usize = 256 << 10;
pub(super) const VERSION: u64 = 1;

/// What somebody decided about an effect after looking.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DecisionOutcome {
    /// It did happen.
    Happened,
    /// It did not happen.
    DidNotHappen,
    /// Part of it happened.
    Partly,
}

impl DecisionOutcome {
    /// The word in the file and in reports.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Happened => "happened",
            Self::DidNotHappen => "did_not_happen",
            Self::Partly => "partly",
        }
    }
}

impl fmt::Display for DecisionOutcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

/// A file that a decision rests on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EvidenceFile {
    /// Its name, without directories.
    pub name: String,
    /// SHA-256 of its bytes.
    pub sha256: Digest,
}

/// A decision about one execution.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Decision {
    pub(super) v: u64,
    /// The session.
    pub sid: SessionId,
    /// The execution.
    pub dispatch: DispatchId,
    /// What was decided.
    pub outcome: DecisionOutcome,
    /// Why.
    pub note: String,
    /// What it rests on.
    pub evidence: Vec<EvidenceFile>,
    /// The journal's last record at that moment.
    pub seq: u64,
    /// SHA-256 of that record's line.
    pub head: Digest,
    /// The key that signed it.
    pub key_id: KeyId,
    /// Who decided, in their own words or by their account.
    pub operator: String,
    /// When.
    pub at: Timestamp,
}

/// Why a decision file counts for nothing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DecisionError {
    /// It cannot be read.
    #[error("it cannot be read: {0}")]
    Io(String),
    /// Its bytes are not those that its values give.
    #[error("it is not written in its one form")]
    Form,
    /// It is about something else.
    #[error("it is about another session or command")]
    Other,
    /// No trusted key signed it.
    #[error("it is not signed by the session's key or a given operator key")]
    Signature,
    /// The record that it names is not in the journal.
    #[error("the record that it was made at is not in this journal")]
    OffChain,
}

impl Decision {
    /// Whether both say the same about the same execution.
    #[must_use]
    pub(super) fn is_same_as(&self, other: &Self) -> bool {
        let says = |it: &Self| (it.sid, it.dispatch, it.outcome, it.note.clone(), it.evidence.clone());
        says(self) == says(other)
    }

    /// Writes it into its place, durably, without replacing.
    pub(super) fn write_new(&self, files: &dyn Files, dir: &Path, key: &SigningKey) -> io::Result<()> {
        let line = seal::seal_value(Domain::Decision, self, key)?;
        let decisions = layout::decisions(dir);
        files::ensure_dir(files, &decisions)?;
        let put = files::put_new(files, &path(dir, self.dispatch), &line);
        let is_there = put.as_ref().is_err_and(|error| error.kind() == io::ErrorKind::AlreadyExists);
        if put.is_ok() || is_there {
            // The folder, and one that is there, can be a killed process's that did not sync.
            files.sync_dir(&decisions)?;
            files.sync_dir(dir)?;
        }
        put
    }
}

/// Where a decision about this execution is.
pub(super) fn path(dir: &Path, dispatch: DispatchId) -> PathBuf {
    layout::decisions(dir).join(format!("{dispatch}.json"))
}

/// The executions that have a decision file.
pub(super) fn decided(files: &dyn Files, dir: &Path) -> io::Result<Vec<DispatchId>> {
    let names = match files.list(&layout::decisions(dir)) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        other => other?,
    };
    let dispatch = |name: &str| DispatchId::parse(name.strip_suffix(".json")?).ok();
    Ok(names.iter().filter_map(|name| dispatch(name.to_str()?)).collect())
}

/// All decisions that count.
pub(super) fn valid(files: &dyn Files, dir: &Path, chain: &Chain, key: &VerifyingKey) -> Vec<Decision> {
    // None of them is needed to open a session.
    let decided = decided(files, dir).unwrap_or_default().into_iter();
    decided.filter_map(|dispatch| read(files, dir, dispatch, chain, &[*key]).ok()).collect()
}

/// Reads the decision about an execution and holds it against the journal and
/// the keys that may decide.
pub(super) fn read(
    files: &dyn Files,
    dir: &Path,
    dispatch: DispatchId,
    chain: &Chain,
    keys: &[VerifyingKey],
) -> Result<Decision, DecisionError> {
    let line = files::read_small(files, &path(dir, dispatch), DECISION_BYTES);
    let line = line.map_err(|error| DecisionError::Io(error.to_string()))?;
    let decision = seal::read_value::<Decision>(&line).filter(|decision| decision.v == VERSION);
    let decision = decision.ok_or(DecisionError::Form)?;
    if decision.sid != chain.session().id() || decision.dispatch != dispatch {
        return Err(DecisionError::Other);
    }
    let signer = keys.iter().find(|key| KeyId::of(key.as_bytes()) == decision.key_id);
    if !signer.is_some_and(|key| seal::verify(Domain::Decision, &line, key)) {
        return Err(DecisionError::Signature);
    }
    if chain.holds(decision.seq, decision.head) { Ok(decision) } else { Err(DecisionError::OffChain) }
}
