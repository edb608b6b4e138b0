//! New sessions are built aside, complete and durable, and then get their name.

use super::error::{At, Found, StoreError};
use super::head::Head;
use super::keys::key_id;
use super::layout;
use super::open_session::{HeadTrouble, OpenSession};
use super::{Store, ids};
use crate::journal::files;
use crate::journal::lock::{Holder, Lock, LockError};
use crate::journal::{Building, Journal};
use crate::record::{Origin, Record, SessionId, SessionStarted, Timestamp};
use std::io;
use std::path::Path;
use std::sync::Arc;

/// What a new session begins with.
#[derive(Debug, Clone)]
pub struct NewSession {
    /// Name and version of the program.
    pub app: String,
    /// The absolute directory of its commands.
    pub cwd: String,
    /// Its title, if it has one yet.
    pub title: Option<String>,
    /// Where it comes from.
    pub origin: Origin,
    /// Records after the first, of an import or a fork.
    pub records: Vec<Record>,
}

/// A folder can be tidied away by another start just before it is locked.
const ATTEMPTS: u32 = 3;

impl Store {
    /// Makes a session and opens it.
    ///
    /// # Errors
    /// [`StoreError`] says what could not be made. Then nothing is left of it,
    /// unless only the last sync failed: then it may be there, whole.
    pub fn create(&self, new: NewSession, now: Timestamp) -> Result<OpenSession, StoreError> {
        self.create_with(new, now, |_| Ok(()))
    }

    /// The same, with more in its folder than the journal.
    pub(super) fn create_with(
        &self,
        new: NewSession,
        now: Timestamp,
        furnish: impl FnOnce(&Path) -> Result<(), StoreError>,
    ) -> Result<OpenSession, StoreError> {
        let id = ids::session();
        let (journal, lock) = self.build(id, new, now, furnish).inspect_err(|_| self.clear_away(id))?;
        let (dir, sessions) = (self.layout.session(id), self.layout.sessions());
        self.files.sync_dir(&sessions).at("sync", &sessions)?;
        let found = if lock.works() { Vec::new() } else { vec![Found::NoLocks] };
        let (files, head_path) = (Arc::clone(&self.files), self.layout.head(id));
        let head_trouble = HeadTrouble::None;
        let decisions = Vec::new();
        Ok(OpenSession { journal, lock, files, dir, head_path, head_trouble, found, decisions })
    }

    /// Everything up to the rename that gives the folder its name.
    fn build(
        &self,
        id: SessionId,
        new: NewSession,
        now: Timestamp,
        furnish: impl FnOnce(&Path) -> Result<(), StoreError>,
    ) -> Result<(Journal, Lock), StoreError> {
        let files = self.files.as_ref();
        let (aside, dir) = (self.layout.building(id), self.layout.session(id));
        let lock = self.begin_folder(&aside, now)?;
        let calls = layout::calls(&aside);
        files.create_dir(&calls).at("make", &calls)?;
        furnish(&aside)?;
        let journal = self.write_journal(id, &aside, &dir, new, now)?;
        // With the name of the folder itself, or a head could outlive it.
        for made in [&calls, &aside, &self.layout.sessions()] {
            files.sync_dir(made).at("sync", made)?;
        }
        let head_path = self.layout.head(id);
        let session = journal.session();
        Head::new(id, session.next_seq() - 1, journal.head(), session.title())
            .write(files, &head_path, journal.key())
            .at("write", &head_path)?;
        files.rename(&aside, &dir).at("rename", &aside)?;
        Ok((journal, lock))
    }

    fn begin_folder(&self, aside: &Path, now: Timestamp) -> Result<Lock, StoreError> {
        let files = self.files.as_ref();
        let path = layout::lock(aside);
        let mut attempt = 1;
        loop {
            files.create_dir(aside).at("make", aside)?;
            match Lock::take(files, &path, &Holder::this_process(now)) {
                Ok(lock) => return Ok(lock),
                Err(LockError::Io(error))
                    if error.kind() == io::ErrorKind::NotFound && attempt < ATTEMPTS =>
                {
                    attempt += 1;
                }
                Err(LockError::Io(error)) => return Err(error).at("lock", &path),
                Err(LockError::Held(holder)) => return Err(StoreError::InUse(holder)),
            }
        }
    }

    fn write_journal(
        &self,
        id: SessionId,
        aside: &Path,
        dir: &Path,
        new: NewSession,
        now: Timestamp,
    ) -> Result<Journal, StoreError> {
        let key = self.keys.current()?;
        let started = SessionStarted {
            app: new.app,
            key_id: key_id(&key),
            cwd: new.cwd,
            title: new.title,
            origin: new.origin,
            ext: None,
        };
        let path = layout::journal(aside);
        let files = Arc::clone(&self.files);
        let mut building = Building::begin(files, &path, id, key).at("make", &path)?;
        building.commit(started.into(), now)?;
        for record in new.records {
            building.commit(record, now)?;
        }
        Ok(building.finish(&layout::journal(dir)).map_err(crate::journal::CommitError::Poisoned)?)
    }

    /// The head first, and for good: a head without a session would be a missing
    /// session. Whatever is left the next start clears away.
    pub(super) fn clear_away(&self, id: SessionId) {
        let (files, building) = (self.files.as_ref(), self.layout.building(id));
        let head_is_gone = files::remove_put(files, &self.layout.head(id))
            .and_then(|()| files.sync_dir(&self.layout.heads()));
        let _ = head_is_gone.and_then(|()| files.remove_all(&building));
    }
}
