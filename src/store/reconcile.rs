//! Recording a decision about an unknown effect. The journal is not touched and
//! nothing is run.

use super::Store;
use super::decision::{self, Decision, DecisionError, DecisionOutcome, EvidenceFile};
use super::inspect::{InspectError, InspectRequest, Target, Verified, examine};
use super::keys::key_id;
use crate::journal::files::{How, OpenFile, read_some};
use crate::record::limits::NOTE_BYTES;
use crate::record::{Digest, DispatchId, KeyId, Outcome, Timestamp};
use ed25519_dalek::SigningKey;
use sha2::{Digest as _, Sha256};
use std::io;
use std::path::{Path, PathBuf};

/// What is read of an evidence file at once, in bytes.
const PIECE_BYTES: usize = 64 << 10;

/// A decision that is to be recorded.
#[derive(Debug, Clone)]
pub struct ReconcileRequest {
    /// The journal.
    pub target: Target,
    /// The execution.
    pub dispatch: DispatchId,
    /// What was decided.
    pub outcome: DecisionOutcome,
    /// Why.
    pub note: String,
    /// Files that it rests on.
    pub evidence: Vec<PathBuf>,
    /// The key to sign with; else the session's own.
    pub operator_key: Option<SigningKey>,
    /// Who decides.
    pub operator: String,
}

/// Whether a decision is a new one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reconciled {
    /// It was recorded.
    New(Decision),
    /// It had been recorded before.
    Same(Decision),
}

/// Why a decision is not recorded.
#[derive(Debug, thiserror::Error)]
pub enum ReconcileError {
    /// The journal cannot be relied on, or is in use.
    #[error(transparent)]
    Inspect(#[from] InspectError),
    /// No record names the execution.
    #[error("the journal names no command {0}")]
    NoDispatch(DispatchId),
    /// Its result is not there yet.
    #[error("command {0} has no result yet: open the session first, so that recovery records one")]
    NoResult(DispatchId),
    /// It completed.
    #[error("command {0} completed: there is nothing to decide")]
    Completed(DispatchId),
    /// Nothing, or too much, was said.
    #[error("the note has {0} bytes, and it has to have 1 to {NOTE_BYTES}")]
    Note(usize),
    /// There is no key to sign with.
    #[error("the seed of the session's key is not on this machine: give a key with --operator-key")]
    NoKey,
    /// Something else was decided before.
    #[error("another decision about command {0} is recorded: {1}")]
    Another(DispatchId, DecisionOutcome),
    /// There is a file in its place that is no valid decision.
    #[error("there is a decision about command {0} already, and it does not count: {1}")]
    Invalid(DispatchId, DecisionError),
    /// The system refused something.
    #[error("{}: {error}", path.display())]
    Io {
        /// What could not be read or written.
        path: PathBuf,
        /// What the system says.
        error: io::Error,
    },
}

impl Store {
    /// Records a signed decision beside the journal.
    ///
    /// # Errors
    /// [`ReconcileError`] says why it was not recorded.
    pub fn reconcile(
        &self,
        request: &ReconcileRequest,
        now: Timestamp,
    ) -> Result<Reconciled, ReconcileError> {
        let note = request.note.trim().len();
        if note == 0 || request.note.len() > NOTE_BYTES {
            return Err(ReconcileError::Note(request.note.len()));
        }
        let verified = examine(self, &InspectRequest::of(request.target.clone()))?;
        check_dispatch(&verified, request.dispatch)?;
        let key = self.operator_key(&verified, request)?;
        let decision = self.decide(&verified, request, &key, now)?;
        self.settle(&verified.path)?;
        let path = decision::path(&verified.dir, request.dispatch);
        match decision.write_new(self.files.as_ref(), &verified.dir, &key) {
            Ok(()) => Ok(Reconciled::New(decision)),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                self.compare(&verified, &decision, &key)
            }
            Err(error) => Err(ReconcileError::Io { path, error }),
        }
    }

    /// Makes the journal durable, whose last record the decision will name: the
    /// process that wrote it can have been killed before its sync.
    fn settle(&self, journal: &Path) -> Result<(), ReconcileError> {
        let synced = self.files.open(journal, How::Read).and_then(|mut file| file.sync());
        synced.map_err(|error| ReconcileError::Io { path: journal.to_owned(), error })
    }

    fn operator_key(
        &self,
        verified: &Verified,
        request: &ReconcileRequest,
    ) -> Result<SigningKey, ReconcileError> {
        match &request.operator_key {
            Some(key) => Ok(key.clone()),
            None => {
                let id = KeyId::of(verified.key.as_bytes());
                self.keys.signing(&id).ok_or(ReconcileError::NoKey)
            }
        }
    }

    fn decide(
        &self,
        verified: &Verified,
        request: &ReconcileRequest,
        key: &SigningKey,
        now: Timestamp,
    ) -> Result<Decision, ReconcileError> {
        let chain = &verified.reading.chain;
        let evidence = request.evidence.iter().map(|path| {
            let io = |error| ReconcileError::Io { path: path.clone(), error };
            let file = self.files.open(path, How::Read).map_err(io)?;
            let sha256 = hash(file.as_ref()).map_err(io)?;
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            Ok(EvidenceFile { name, sha256 })
        });
        Ok(Decision {
            v: decision::VERSION,
            sid: chain.session().id(),
            dispatch: request.dispatch,
            outcome: request.outcome,
            note: request.note.clone(),
            evidence: evidence.collect::<Result<_, ReconcileError>>()?,
            seq: (chain.hashes().len() as u64).saturating_sub(1),
            head: chain.head(),
            key_id: key_id(key),
            operator: request.operator.clone(),
            at: now,
        })
    }

    fn compare(
        &self,
        verified: &Verified,
        decision: &Decision,
        key: &SigningKey,
    ) -> Result<Reconciled, ReconcileError> {
        let (dispatch, keys) = (decision.dispatch, [verified.key, key.verifying_key()]);
        let there =
            decision::read(self.files.as_ref(), &verified.dir, dispatch, &verified.reading.chain, &keys);
        match there {
            Ok(there) if there.is_same_as(decision) => Ok(Reconciled::Same(there)),
            Ok(there) => Err(ReconcileError::Another(dispatch, there.outcome)),
            Err(error) => Err(ReconcileError::Invalid(dispatch, error)),
        }
    }
}

fn check_dispatch(verified: &Verified, dispatch: DispatchId) -> Result<(), ReconcileError> {
    let session = verified.reading.chain.session();
    let (_, call) = session.find_dispatch(dispatch).ok_or(ReconcileError::NoDispatch(dispatch))?;
    match call.result.as_ref().map(|result| result.outcome) {
        None => Err(ReconcileError::NoResult(dispatch)),
        Some(Outcome::Completed) => Err(ReconcileError::Completed(dispatch)),
        Some(_) => Ok(()),
    }
}

fn hash(file: &dyn OpenFile) -> io::Result<Digest> {
    let mut hasher = Sha256::new();
    let mut piece = vec![0; PIECE_BYTES];
    let mut offset = 0;
    loop {
        match read_some(file, &mut piece, offset)? {
            0 => return Ok(Digest::from_bytes(hasher.finalize().into())),
            read => {
                hasher.update(&piece[..read]);
                offset += read as u64;
            }
        }
    }
}
