//! The last known head of a session, kept outside its directory: without it a
//! journal cut at a line's end would look whole.

use super::error::MissingRecords;
use crate::journal::Chain;
use crate::journal::files::{self, Files};
use crate::journal::seal::{self, Domain};
use crate::record::{Digest, SessionId};
use crate::session::Session;
use ed25519_dalek::{SigningKey, VerifyingKey};
use serde::{Deserialize, Serialize};
use std::io;
use std::path::Path;

/// A head file is far smaller, in bytes.
const HEAD_BYTES: usize = 16 << 10;
const VERSION: u64 = 1;

/// What a head file says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Head {
    v: u64,
    /// The session.
    pub sid: SessionId,
    /// A record of it.
    pub seq: u64,
    /// SHA-256 of that record's line.
    pub head: Digest,
    /// The session's title.
    pub title: String,
}

impl Head {
    /// The head of a session at its record `seq`.
    #[must_use]
    pub fn new(sid: SessionId, seq: u64, head: Digest, title: &str) -> Self {
        Self { v: VERSION, sid, seq, head, title: title.to_owned() }
    }

    /// Puts it into its place, durably.
    ///
    /// # Errors
    /// What the system says; the old head is then still there.
    pub fn write(&self, files: &dyn Files, path: &Path, key: &SigningKey) -> io::Result<()> {
        let line = seal::seal_value(Domain::Head, self, key)?;
        files::put(files, path, &line)?;
        path.parent().map_or(Ok(()), |dir| files.sync_dir(dir))
    }
}

/// The bytes of a head file, still unchecked.
pub(super) struct HeadFile(Vec<u8>);

impl HeadFile {
    /// Reads it; `None` if it is not there.
    ///
    /// # Errors
    /// What the system says.
    pub(super) fn read(files: &dyn Files, path: &Path) -> io::Result<Option<Self>> {
        match files::read_small(files, path, HEAD_BYTES) {
            Ok(bytes) => Ok(Some(Self(bytes))),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// What it says, in its one form; whose signature it has is not checked.
    pub(super) fn content(&self) -> Option<Head> {
        seal::read_value::<Head>(&self.0).filter(|head| head.v == VERSION)
    }

    /// Whether it verifies and its line is on the chain; which line that is.
    pub(super) fn check(&self, chain: &Chain, key: &VerifyingKey) -> Result<u64, MissingRecords> {
        let head = self.content().filter(|head| head.sid == chain.session().id());
        let head =
            head.filter(|_| seal::verify(Domain::Head, &self.0, key)).ok_or(MissingRecords::BadHead)?;
        if head.seq >= chain.hashes().len() as u64 {
            Err(MissingRecords::Behind { seq: head.seq })
        } else if chain.holds(head.seq, head.head) {
            Ok(head.seq)
        } else {
            Err(MissingRecords::Another { seq: head.seq })
        }
    }
}

/// Whether a head that names this record is older than the last turn's end, as
/// after a crash between the two: it does not vouch for what came later.
pub(super) fn is_older(session: &Session, seq: u64) -> bool {
    session.turns().iter().any(|turn| turn.end.as_ref().is_some_and(|end| end.seq > seq))
}
