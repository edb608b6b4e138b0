//! The one way in: a record is checked against the session, written and synced,
//! and only then folded.

use super::error::{CommitError, Poison};
use super::files::{Files, How, Identity, OpenFile, append_once};
use super::line::{self, Place};
use super::reading::Reading;
use super::seal::{self, Domain, TRAILER_BYTES};
use crate::record::limits::{JOURNAL_BYTES, LINE_BYTES, RESERVE_BYTES};
use crate::record::{Committed, Digest, Record, SessionId, Timestamp};
use crate::session::{self, Session};
use ed25519_dalek::SigningKey;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A journal that is open for writing, with its records folded.
pub struct Journal {
    file: JournalFile,
    key: SigningKey,
    session: Session,
    head: Digest,
    poison: Option<Poison>,
    building: bool,
}

/// The file and what was written to it.
struct JournalFile {
    files: Arc<dyn Files>,
    path: PathBuf,
    open: Box<dyn OpenFile>,
    identity: Identity,
    len: u64,
}

/// A journal in a folder that nobody sees yet: its records are synced together
/// when it is finished.
pub struct Building(Journal);

impl Building {
    /// Makes the file; the directory that holds its name is the caller's to sync.
    ///
    /// # Errors
    /// What the system says.
    pub fn begin(files: Arc<dyn Files>, path: &Path, sid: SessionId, key: SigningKey) -> io::Result<Self> {
        let open = files.open(path, How::New)?;
        let identity = open.state()?.identity;
        let file = JournalFile { files, path: path.to_owned(), open, identity, len: 0 };
        let session = Session::new(sid);
        Ok(Self(Journal { file, key, session, head: Digest::ZERO, poison: None, building: true }))
    }

    /// Writes a record and folds it.
    ///
    /// # Errors
    /// [`CommitError`] says why it is not in the journal.
    pub fn commit(&mut self, record: Record, at: Timestamp) -> Result<Committed, CommitError> {
        self.0.commit(record, at)
    }

    /// The records so far.
    #[must_use]
    pub fn session(&self) -> &Session {
        &self.0.session
    }

    /// Hash of the last line.
    #[must_use]
    pub fn head(&self) -> Digest {
        self.0.head
    }

    /// Makes all records durable.
    ///
    /// # Errors
    /// [`Poison::Sync`].
    pub fn finish(mut self, path: &Path) -> Result<Journal, Poison> {
        self.0.file.open.sync().map_err(|error| Poison::Sync(error.to_string()))?;
        path.clone_into(&mut self.0.file.path);
        self.0.building = false;
        Ok(self.0)
    }
}

impl Journal {
    /// Goes on with a journal that was read whole and found good.
    ///
    /// # Errors
    /// What the system says.
    pub fn resume(
        files: Arc<dyn Files>,
        path: &Path,
        open: Box<dyn OpenFile>,
        reading: Reading,
        key: SigningKey,
    ) -> io::Result<Self> {
        let identity = open.state()?.identity;
        let file = JournalFile { files, path: path.to_owned(), open, identity, len: reading.bytes };
        let head = reading.chain.head();
        let session = reading.chain.into_session();
        Ok(Self { file, key, session, head, poison: None, building: false })
    }

    /// Writes a record, makes it durable, and folds it.
    ///
    /// # Errors
    /// [`CommitError`] says why it is not in the journal. After
    /// [`CommitError::Poisoned`] nothing ever goes in by this value.
    pub fn commit(&mut self, record: Record, at: Timestamp) -> Result<Committed, CommitError> {
        self.healthy()?;
        self.session.check(&record)?;
        let unsigned = self.encode(&record, at)?;
        self.check_room(&record, unsigned.len() + TRAILER_BYTES)?;
        let line = seal::seal(Domain::Journal, unsigned, &self.key);
        self.file.write(&line, self.building).inspect_err(|poison| self.poison = Some(poison.clone()))?;
        let committed = Committed { seq: self.session.next_seq(), at, record };
        self.head = Digest::of(&line);
        self.session.apply(committed.clone())?;
        Ok(committed)
    }

    /// Whether the record would fit, before a person is asked about it.
    ///
    /// # Errors
    /// [`CommitError::TooLong`], [`CommitError::Full`], or what stands against
    /// every record.
    pub fn room_for(&self, record: &Record) -> Result<(), CommitError> {
        self.healthy()?;
        let unsigned = self.encode(record, Timestamp::from_millis(0))?;
        self.check_room(record, unsigned.len() + TRAILER_BYTES)
    }

    /// Bytes that are left for records that open something.
    #[must_use]
    pub fn space_left(&self) -> u64 {
        JOURNAL_BYTES.saturating_sub(RESERVE_BYTES).saturating_sub(self.file.len)
    }

    /// The folded records.
    #[must_use]
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// Hash of the last line.
    #[must_use]
    pub fn head(&self) -> Digest {
        self.head
    }

    /// The key that signs it.
    #[must_use]
    pub fn key(&self) -> &SigningKey {
        &self.key
    }

    /// Why nothing more can be saved.
    #[must_use]
    pub fn poison(&self) -> Option<&Poison> {
        self.poison.as_ref()
    }

    fn healthy(&self) -> Result<(), CommitError> {
        self.poison.clone().map_or(Ok(()), |poison| Err(CommitError::Poisoned(poison)))
    }

    fn encode(&self, record: &Record, at: Timestamp) -> Result<Vec<u8>, CommitError> {
        let place = Place { sid: self.session.id(), seq: self.session.next_seq(), prev: self.head, at };
        line::encode(&place, record).map_err(CommitError::Encode)
    }

    fn check_room(&self, record: &Record, bytes: usize) -> Result<(), CommitError> {
        let reserve = if session::needs_reserve(record) { RESERVE_BYTES } else { 0 };
        let left = JOURNAL_BYTES.saturating_sub(reserve).saturating_sub(self.file.len);
        if bytes > LINE_BYTES {
            Err(CommitError::TooLong { bytes })
        } else if bytes as u64 > left {
            Err(CommitError::Full { bytes, left })
        } else {
            Ok(())
        }
    }
}

impl JournalFile {
    /// One write and one sync. Only a write that was interrupted before it took
    /// anything is made again; a sync never is.
    fn write(&mut self, line: &[u8], building: bool) -> Result<(), Poison> {
        if !self.is_ours() {
            return Err(Poison::Foreign);
        }
        let length = line.len();
        match append_once(self.open.as_mut(), line) {
            Ok(written) if written == length => self.len += length as u64,
            Ok(written) => return Err(Poison::Short { written, length }),
            Err(error) => return Err(Poison::Write(error.to_string())),
        }
        if building {
            return Ok(());
        }
        self.open.sync().map_err(|error| Poison::Sync(error.to_string()))
    }

    /// The path still names the open file, and its length is what we wrote.
    fn is_ours(&self) -> bool {
        let named = self.files.state(&self.path);
        named.is_ok_and(|state| {
            state.is_some_and(|state| state.identity == self.identity && state.len == self.len)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::journal::files::memory::Memory;
    use crate::record::TurnStatus;
    use crate::session::generate::{bodies, session_id, turn_id};

    /// A journal of which this many bytes are said to be used.
    fn journal(used: u64) -> (Memory, Journal) {
        let memory = Memory::new();
        let path = Path::new("/journal.jsonl");
        let key = SigningKey::from_bytes(&[7; 32]);
        let mut building = Building::begin(Arc::new(memory.clone()), path, session_id(1), key).unwrap();
        let begun = bodies::begun(crate::record::Origin::New {});
        building.commit(begun.into(), Timestamp::from_millis(0)).unwrap();
        let mut journal = building.finish(path).unwrap();
        journal.file.len = used;
        (memory, journal)
    }

    #[test]
    fn what_closes_may_use_the_reserve_and_what_opens_may_not() {
        let message = Record::from(bodies::message(turn_id(1), "hello"));
        let end = Record::from(bodies::ended(turn_id(1), TurnStatus::Failed));
        let (_, with_room) = journal(JOURNAL_BYTES - RESERVE_BYTES - 1_000);
        assert_eq!((with_room.room_for(&message), with_room.space_left()), (Ok(()), 1_000));
        let (memory, mut without) = journal(JOURNAL_BYTES - RESERVE_BYTES - 100);
        let before = memory.bytes(Path::new("/journal.jsonl"));
        let full = without.commit(message.clone(), Timestamp::from_millis(0)).unwrap_err();
        assert!(matches!(full, CommitError::Full { left: 100, .. }) && full.is_size(), "{full}");
        assert!(without.room_for(&end).is_ok() && without.poison().is_none());
        assert_eq!(memory.bytes(Path::new("/journal.jsonl")), before);
        let (_, at_the_end) = journal(JOURNAL_BYTES - 100);
        assert!(matches!(at_the_end.room_for(&end), Err(CommitError::Full { left: 100, .. })));
        assert_eq!(at_the_end.space_left(), 0);
    }

    #[test]
    fn a_line_holds_a_mebibyte() {
        let (_, mut journal) = journal(0);
        journal.file.len = journal.file.open.state().unwrap().len;
        let message = bodies::message(turn_id(1), "hello");
        journal.commit(message.into(), Timestamp::from_millis(0)).unwrap();
        let empty = bodies::response(turn_id(1), &[bodies::text_item("")]);
        let used = journal.encode(&empty.into(), Timestamp::from_millis(0)).unwrap().len() + TRAILER_BYTES;
        let filled = |more: usize| {
            let text = "x".repeat(LINE_BYTES - used + more);
            Record::from(bodies::response(turn_id(1), &[bodies::text_item(&text)]))
        };
        let too_long = CommitError::TooLong { bytes: LINE_BYTES + 1 };
        assert_eq!(journal.commit(filled(1), Timestamp::from_millis(0)).unwrap_err(), too_long);
        journal.commit(filled(0), Timestamp::from_millis(0)).unwrap();
    }

    #[test]
    fn a_record_out_of_order_never_reaches_the_file() {
        let (memory, mut journal) = journal(0);
        let end = bodies::ended(turn_id(1), TurnStatus::Failed);
        let before = memory.operations();
        let refused = journal.commit(end.into(), Timestamp::from_millis(0)).unwrap_err();
        assert!(matches!(refused, CommitError::Order(_)) && journal.poison().is_none());
        assert_eq!(memory.operations(), before);
    }
}
