//! Reading and verifying everything; what is left is true, or there is no report.

use super::report::{Anchor, ExpectedSession, TrustedBy};
use super::{InspectRequest, Target};
use crate::journal::files::{Files, How, OpenFile};
use crate::journal::lock::{self, Probe};
use crate::journal::{Damage, Fault, Line, Lines, Raw, Reading, read_verified};
use crate::record::limits::{DISPATCHES, JOURNAL_BYTES};
use crate::record::{Digest, DispatchId, KeyId, Record, SessionId, TurnId};
use crate::store::error::MissingRecords;
use crate::store::head::HeadFile;
use crate::store::launches::{call_folders, lost_launch};
use crate::store::{Kind, Store, layout};
use ed25519_dalek::VerifyingKey;
use std::io;
use std::path::{Path, PathBuf};

/// Why there is no report; each is exit code 1.
#[derive(Debug, thiserror::Error)]
pub enum InspectError {
    /// There is no such session.
    #[error("there is no session {0}")]
    NoSession(SessionId),
    /// The system refused something, or it is no regular file.
    #[error("{}: {error}", path.display())]
    Io {
        /// What could not be read.
        path: PathBuf,
        /// What the system says.
        error: io::Error,
    },
    /// Somebody works with it.
    #[error("{} is in use: stop what uses it, or copy the file and inspect the copy", .0.display())]
    InUse(PathBuf),
    /// It is longer than a journal may be.
    #[error("{} is longer than 64 MiB, which is more than a journal may hold", .0.display())]
    TooLong(PathBuf),
    /// It was changed while it was read.
    #[error("{} was changed while it was read", .0.display())]
    Changed(PathBuf),
    /// A line is not good.
    #[error(transparent)]
    Damaged(#[from] Damage),
    /// It holds more executions than one may.
    #[error("the journal names more than {DISPATCHES} commands")]
    TooManyDispatches,
    /// Records are missing.
    #[error("records are missing: {0}")]
    Missing(#[from] MissingRecords),
    /// It is another session's.
    #[error("the journal is of session {found}, not of {expected}")]
    WrongSession {
        /// What it has to be.
        expected: SessionId,
        /// What it is.
        found: SessionId,
    },
    /// It is signed with another key.
    #[error("the journal is signed with key {found}, not with {expected}")]
    WrongKey {
        /// What it has to be.
        expected: KeyId,
        /// What it is.
        found: KeyId,
    },
    /// Its key is not here and none was given.
    #[error("the key {0} of the journal is not on this machine: give it with --public-key")]
    NoKey(KeyId),
    /// Its last line is another one.
    #[error("the last record is {found}, not the expected {expected}")]
    WrongHead {
        /// What it has to be.
        expected: Digest,
        /// What it is.
        found: Digest,
    },
    /// It has no such turn.
    #[error("the journal has no turn {0}")]
    NoTurn(TurnId),
    /// A key argument that names none.
    #[error("\"{0}\" is neither a key of 64 hexadecimal digits nor a file that holds one")]
    BadKey(String),
    /// A file that holds no seed.
    #[error("{} is no file that holds the 64 hexadecimal digits of a key's seed", .0.display())]
    BadSeed(PathBuf),
}

/// A verified journal.
pub(in crate::store) struct Verified {
    pub(in crate::store) reading: Reading,
    /// The journal's file.
    pub(in crate::store) path: PathBuf,
    /// The directory that holds its decisions.
    pub(in crate::store) dir: PathBuf,
    pub(in crate::store) key: VerifyingKey,
    pub(in crate::store) expected_session: ExpectedSession,
    pub(in crate::store) trusted_by: TrustedBy,
    pub(in crate::store) anchor: Anchor,
    /// The record that the head which is kept here names.
    pub(in crate::store) head_seq: Option<u64>,
}

/// Verifies what the request names.
pub(in crate::store) fn examine(store: &Store, request: &InspectRequest) -> Result<Verified, InspectError> {
    let path = locate(store, &request.target)?;
    let dir = path.parent().unwrap_or(Path::new("")).to_owned();
    let io = |error| InspectError::Io { path: path.clone(), error };
    let files = store.files.as_ref();
    refuse_if_held(files, &layout::lock(&dir), &path)?;
    let file = files.open(&path, How::Read).map_err(io)?;
    let before = file.state().map_err(io)?;
    if before.len > JOURNAL_BYTES {
        return Err(InspectError::TooLong(path));
    }
    let mut lines = Lines::new(file.as_ref(), 0);
    let (sid, key_id) = beginning(&mut lines).map_err(io)??;
    let expected_session = check_session(request, sid)?;
    let (key, trusted_by) = find_key(store, request, key_id)?;
    let progress = |read| (request.progress)(read, before.len);
    let reading = read_verified(lines, sid, key, &progress).map_err(io)?;
    refuse_if_running(files, &dir, &reading, &path)?;
    if file.state().map_err(io)? != before || files.state(&path).map_err(io)? != Some(before) {
        return Err(InspectError::Changed(path));
    }
    if let Some(damage) = reading.damage {
        return Err(damage.into());
    }
    if reading.chain.session().dispatch_count() > DISPATCHES {
        return Err(InspectError::TooManyDispatches);
    }
    let head_seq = check_head(store, file.as_ref(), &reading, &key)?;
    let lost = lost_launch(files, &dir, reading.chain.session());
    let lost = lost.map_err(|error| InspectError::Io { path: layout::calls(&dir), error })?;
    if let Some(dispatch) = lost {
        return Err(MissingRecords::Launch(dispatch).into());
    }
    let found = reading.chain.head();
    match request.expect_head {
        Some(expected) if expected != found => Err(InspectError::WrongHead { expected, found }),
        Some(_) | None => {
            let anchor = head_seq.map_or(Anchor::Absent, |_| Anchor::Match);
            Ok(Verified { reading, path, dir, key, expected_session, trusted_by, anchor, head_seq })
        }
    }
}

fn locate(store: &Store, target: &Target) -> Result<PathBuf, InspectError> {
    match target {
        Target::Path(path) => Ok(path.clone()),
        Target::Session(id) => {
            let owner = store.having(*id).ok_or(InspectError::NoSession(*id))?;
            Ok(layout::journal(&owner.layout.session(*id)))
        }
    }
}

fn refuse_if_held(files: &dyn Files, lock: &Path, path: &Path) -> Result<(), InspectError> {
    match lock::probe(files, lock) {
        Ok(Probe::Held) => Err(InspectError::InUse(path.to_owned())),
        Ok(Probe::Free | Probe::NoLocks) => Ok(()),
        Err(error) => Err(InspectError::Io { path: lock.to_owned(), error }),
    }
}

/// The dispatch locks of an open turn: of what it started, and of the newest
/// folder, whose start record may be lost.
fn refuse_if_running(
    files: &dyn Files,
    dir: &Path,
    reading: &Reading,
    path: &Path,
) -> Result<(), InspectError> {
    let Some(turn) = reading.chain.session().open_turn() else { return Ok(()) };
    let io = |error| InspectError::Io { path: layout::calls(dir), error };
    let started = turn.calls().filter(|call| call.result.is_none()).filter_map(|call| call.start.as_ref());
    let newest = call_folders(files, dir).map_err(io)?.into_iter().max();
    let candidates: Vec<DispatchId> = started.map(|start| start.dispatch).chain(newest).collect();
    for dispatch in candidates {
        refuse_if_held(files, &layout::call(dir, dispatch).join("lock"), path)?;
    }
    Ok(())
}

/// Session and key by the first line, which is not verified yet.
fn beginning(lines: &mut Lines<'_>) -> io::Result<Result<(SessionId, KeyId), Damage>> {
    let (raw, bytes) = lines.peek()?;
    let fault = match raw {
        Raw::Line => match Line::decode(bytes).map(|line| (line, Record::decode(line.kind, line.body))) {
            Ok((line, Ok(Record::SessionStarted(body)))) => {
                return Ok(Ok((line.place.sid, body.key_id.clone())));
            }
            Ok((_, Ok(record))) => Fault::Body(format!("it is a {} record", record.kind())),
            Ok((_, Err(error))) => Fault::Body(error.to_string()),
            Err(fault) => fault,
        },
        Raw::TooLong => Fault::LongLine,
        Raw::Torn | Raw::End => Fault::Empty,
    };
    Ok(Err(Damage { line: 1, fault }))
}

fn check_session(request: &InspectRequest, found: SessionId) -> Result<ExpectedSession, InspectError> {
    let by_target = match &request.target {
        Target::Session(id) => Some(*id),
        Target::Path(_) => None,
    };
    let expected: Vec<SessionId> = [by_target, request.session].into_iter().flatten().collect();
    match expected.iter().find(|expected| **expected != found) {
        Some(expected) => Err(InspectError::WrongSession { expected: *expected, found }),
        None if expected.is_empty() => Ok(ExpectedSession::Absent),
        None => Ok(ExpectedSession::Given),
    }
}

fn find_key(
    store: &Store,
    request: &InspectRequest,
    found: KeyId,
) -> Result<(VerifyingKey, TrustedBy), InspectError> {
    let (key, trusted_by) = match request.public_key {
        Some(key) => (key, TrustedBy::GivenKey),
        None => match store.keys.public(&found) {
            Some(key) => (key, TrustedBy::LocalStore),
            None => return Err(InspectError::NoKey(found)),
        },
    };
    let expected = KeyId::of(key.as_bytes());
    if expected == found { Ok((key, trusted_by)) } else { Err(InspectError::WrongKey { expected, found }) }
}

/// Holds the journal, wherever it is, against the head that the store has of
/// its session; a session of the store must have one.
fn check_head(
    store: &Store,
    file: &dyn OpenFile,
    reading: &Reading,
    key: &VerifyingKey,
) -> Result<Option<u64>, InspectError> {
    let sid = reading.chain.session().id();
    let mut is_in_store = false;
    for kind in Kind::ALL {
        let store = store.of_kind(kind);
        let files = store.files.as_ref();
        let own = layout::journal(&store.layout.session(sid));
        // A deleted session's head is still known.
        for head in [store.layout.head(sid), store.layout.trashed_head(sid)] {
            let io = |error| InspectError::Io { path: head.clone(), error };
            let Some(head) = HeadFile::read(files, &head).map_err(io)? else { continue };
            return Ok(Some(head.check(&reading.chain, key)?));
        }
        let io = |error| InspectError::Io { path: own.clone(), error };
        let identity = file.state().map_err(io)?.identity;
        is_in_store |= files.state(&own).map_err(io)?.is_some_and(|state| state.identity == identity);
    }
    if is_in_store { Err(MissingRecords::NoHead.into()) } else { Ok(None) }
}
