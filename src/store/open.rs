//! Opening a session for work, and what stands against it.

use super::Store;
use super::decision;
use super::error::{At, Found, MissingRecords, StoreError, WhyReadOnly};
use super::head::{HeadFile, is_older};
use super::launches::lost_launch;
use super::layout;
use super::open_session::{HeadTrouble, OpenSession};
use super::view::View;
use crate::journal::files::{How, OpenFile};
use crate::journal::lock::{self, Holder, Lock, LockError, Probe};
use crate::journal::{self, Journal, Reading};
use crate::record::{KeyId, SessionId, TailMoved, Timestamp};
use ed25519_dalek::SigningKey;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A session that was opened.
pub enum Opened {
    /// For work.
    Writable(Box<OpenSession>),
    /// To read only; [`View::why`] says why.
    ReadOnly(Box<View>),
}

/// A session's files as they were read, and what stands against writing.
struct Examined {
    dir: PathBuf,
    path: PathBuf,
    file: Box<dyn OpenFile>,
    reading: Reading,
    why: Option<WhyReadOnly>,
    /// Turns ended after the head was written.
    head_is_older: bool,
}

impl Store {
    /// Opens a session for work: takes its lock, reads and verifies it whole,
    /// moves a torn tail aside. An open turn is left open; closing it is
    /// recovery's.
    ///
    /// # Errors
    /// [`StoreError`] if there is no such session or nothing of it can be read.
    pub fn open_session(&self, id: SessionId, now: Timestamp) -> Result<Opened, StoreError> {
        match self.open_for_work(id, now) {
            Err(error @ (StoreError::Io { .. } | StoreError::Commit(_))) => self.view_instead(id, error),
            other => other,
        }
    }

    /// A disk that is full, broken or only to be read is no reason not to show
    /// what it holds.
    fn view_instead(&self, id: SessionId, refused: StoreError) -> Result<Opened, StoreError> {
        let Ok(mut view) = self.view(id) else { return Err(refused) };
        view.why.get_or_insert_with(|| WhyReadOnly::Refused(refused.to_string()));
        Ok(Opened::ReadOnly(Box::new(view)))
    }

    fn open_for_work(&self, id: SessionId, now: Timestamp) -> Result<Opened, StoreError> {
        let dir = self.existing(id)?;
        let path = layout::lock(&dir);
        let lock = match Lock::take(self.files.as_ref(), &path, &Holder::this_process(now)) {
            Ok(lock) => lock,
            Err(LockError::Held(holder)) => {
                let mut view = self.view(id)?;
                view.why = Some(WhyReadOnly::OpenElsewhere(holder));
                return Ok(Opened::ReadOnly(Box::new(view)));
            }
            Err(LockError::Io(error)) => return Err(error).at("lock", &path),
        };
        let mut examined = self.examine(id, &dir, How::Append)?;
        if examined.why.is_none() {
            // Only under the lock: a writer starts commands while others read.
            let session = examined.reading.chain.session();
            let lost = lost_launch(self.files.as_ref(), &dir, session).at("read", &dir)?;
            examined.why = lost.map(|dispatch| MissingRecords::Launch(dispatch).into());
        }
        match (&examined.why, examined.key_id().and_then(|id| self.keys.signing(id))) {
            (None, Some(key)) => self.resume(examined, lock, key, now),
            (_, _) => Ok(Opened::ReadOnly(Box::new(self.view_of(examined)?))),
        }
    }

    /// Reads a session without its lock, to be shown and followed.
    ///
    /// # Errors
    /// [`StoreError`] if there is no such session or nothing of it can be read.
    pub fn view(&self, id: SessionId) -> Result<View, StoreError> {
        let dir = self.existing(id)?;
        let examined = self.examine(id, &dir, How::Read)?;
        self.view_of(examined)
    }

    /// Who has the session open, if somebody has: the holder's text.
    #[must_use]
    pub fn holder(&self, id: SessionId) -> Option<Option<Holder>> {
        let path = layout::lock(&self.layout.session(id));
        let held = lock::probe(self.files.as_ref(), &path).is_ok_and(|probe| probe == Probe::Held);
        held.then(|| lock::read_holder(self.files.as_ref(), &path))
    }

    pub(super) fn existing(&self, id: SessionId) -> Result<PathBuf, StoreError> {
        let dir = self.layout.session(id);
        if self.exists(&dir)? {
            Ok(dir)
        } else if self.exists(&self.layout.head(id))? {
            Err(StoreError::Lost(id))
        } else {
            Err(StoreError::NoSession(id))
        }
    }

    /// Reads the head before the journal: without the lock both can grow.
    fn examine(&self, id: SessionId, dir: &Path, how: How) -> Result<Examined, StoreError> {
        let files = self.files.as_ref();
        let (path, head_path) = (layout::journal(dir), self.layout.head(id));
        let head = HeadFile::read(files, &head_path).at("read", &head_path)?;
        let file = files.open(&path, how).at("open", &path)?;
        let keys = |key: &KeyId| self.keys.public(key);
        let reading = journal::read(file.as_ref(), id, &keys).at("read", &path)?;
        let why = why_read_only(&reading, head.as_ref());
        let head_is_older = match (&head, &reading.key) {
            (Some(head), Some(key)) => {
                head.check(&reading.chain, key).is_ok_and(|seq| is_older(reading.chain.session(), seq))
            }
            (_, _) => false,
        };
        Ok(Examined { dir: dir.to_owned(), path, file, reading, why, head_is_older })
    }

    fn resume(
        &self,
        examined: Examined,
        lock: Lock,
        key: SigningKey,
        now: Timestamp,
    ) -> Result<Opened, StoreError> {
        let Examined { dir, path, mut file, reading, why: _, head_is_older } = examined;
        let tails = journal::settle(self.files.as_ref(), &dir, file.as_mut(), &reading)
            .at("move aside the tail of", &path)?;
        // What a process wrote that was killed before its sync only looks durable.
        file.sync().at("sync", &path)?;
        let sessions = self.layout.sessions();
        self.files.sync_dir(&sessions).at("sync", &sessions)?;
        let decisions = decision::valid(self.files.as_ref(), &dir, &reading.chain, &key.verifying_key());
        let files = Arc::clone(&self.files);
        let mut journal = Journal::resume(files, &path, file, reading, key).at("look at", &path)?;
        let mut found = Vec::new();
        for tail in tails {
            journal.commit(TailMoved::clone(&tail).into(), now)?;
            found.push(Found::Tail(tail));
        }
        if !lock.works() {
            found.push(Found::NoLocks);
        }
        let (files, head_path) = (Arc::clone(&self.files), self.layout.head(journal.session().id()));
        let head_trouble = HeadTrouble::None;
        let mut open = OpenSession { journal, lock, files, dir, head_path, head_trouble, found, decisions };
        if head_is_older {
            open.write_head();
        }
        Ok(Opened::Writable(Box::new(open)))
    }

    fn view_of(&self, examined: Examined) -> Result<View, StoreError> {
        let Examined { dir: _, path, file, reading, why, head_is_older: _ } = examined;
        let key_gone = || {
            let header = reading.chain.session().header()?;
            self.keys.signing(&header.key_id).is_none().then(|| WhyReadOnly::KeyGone(header.key_id.clone()))
        };
        let why = why.or_else(key_gone);
        if let (None, Some(damage)) = (reading.chain.session().header(), &reading.damage) {
            return Err(StoreError::Unreadable(damage.clone()));
        }
        Ok(View { files: Arc::clone(&self.files), path, file, reading, why })
    }
}

impl Examined {
    fn key_id(&self) -> Option<&KeyId> {
        self.reading.chain.session().header().map(|header| &header.key_id)
    }
}

/// Damage first: what is read past it proves nothing.
pub(super) fn why_read_only(reading: &Reading, head: Option<&HeadFile>) -> Option<WhyReadOnly> {
    if let Some(damage) = &reading.damage {
        return Some(WhyReadOnly::Damaged(damage.clone()));
    }
    if let Some(newer) = reading.chain.newer() {
        return Some(WhyReadOnly::Newer(newer.clone()));
    }
    let Some(key) = &reading.key else {
        let header = reading.chain.session().header()?;
        return Some(WhyReadOnly::KeyGone(header.key_id.clone()));
    };
    let head = head.ok_or(MissingRecords::NoHead).and_then(|head| head.check(&reading.chain, key));
    head.err().map(WhyReadOnly::Missing)
}
