//! The data directory: create, list, open, fork, delete, keys, heads.
//!
//! What stands in a journal is `journal`'s and what it means `session`'s; here
//! is where things lie, who may touch them, and in which order they are made,
//! so that a crash at any moment leaves something that the next start knows.
#![allow(clippy::disallowed_methods)] // this room owns files and the clock

pub mod clock;
mod copying;
mod create;
mod decision;
mod draft;
mod error;
mod fork;
mod glance;
mod head;
pub mod ids;
pub mod import;
#[cfg(any(test, feature = "lab"))]
pub use import::attack::import as attack_import;
pub mod inspect;
mod keys;
mod launches;
mod layout;
mod list;
mod messages;
mod open;
mod open_session;
mod place;
mod preview;
mod reconcile;
mod search;
mod spool;
#[cfg(test)]
mod tests;
mod tidy;
mod trash;
mod view;

pub use create::NewSession;
pub use decision::{Decision, DecisionError, DecisionOutcome, EvidenceFile};
pub use error::{Found, MissingRecords, StoreError, WhyReadOnly};
pub use head::Head;
pub use keys::{KeyInfo, Keys};
pub use layout::{Kind, Layout, call as call_folder, calls};
pub use list::{Row, RowState};
pub use open::Opened;
pub use open_session::OpenSession;
pub use place::Place;
pub use preview::{Preview, Shelf};
pub use reconcile::{ReconcileError, ReconcileRequest, Reconciled};
pub use search::{Hit, Needle, Searched, Speaker};
pub use spool::Spooled;
pub use view::View;

use crate::journal::files::{Disk, Files, ensure_dir, put};
use crate::journal::lock::{Holder, Lock, LockError};
use crate::record::{SessionId, Timestamp};
use error::At;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// One kind's sessions in the data directory, and the keys.
#[derive(Clone)]
pub struct Store {
    files: Arc<dyn Files>,
    data: PathBuf,
    layout: Layout,
    keys: Keys,
}

impl Store {
    /// A store on the real disk; nothing is read or written yet.
    #[must_use]
    pub fn at(data: &Path, config: &Path, kind: Kind) -> Self {
        Self::on(Arc::new(Disk), data, config, kind)
    }

    /// The same on other files.
    #[must_use]
    pub fn on(files: Arc<dyn Files>, data: &Path, config: &Path, kind: Kind) -> Self {
        let keys = Keys::new(Arc::clone(&files), config.join("keys"));
        Self { files, data: data.to_owned(), layout: Layout::new(data, kind), keys }
    }

    /// A store whose directories are there, durable and tidy.
    ///
    /// # Errors
    /// [`StoreError::Io`] if a directory cannot be made or read.
    pub fn open(data: &Path, config: &Path, kind: Kind, files: Arc<dyn Files>) -> Result<Self, StoreError> {
        let store = Self::make(data, config, kind, files)?;
        store.put_in_order()?;
        Ok(store)
    }

    /// A store whose directories are there. Nothing may be written before
    /// [`Store::put_in_order`].
    ///
    /// # Errors
    /// [`StoreError::Io`] if a directory cannot be made.
    pub fn make(data: &Path, config: &Path, kind: Kind, files: Arc<dyn Files>) -> Result<Self, StoreError> {
        let store = Self::on(files, data, config, kind);
        for dir in [store.layout.sessions(), store.layout.heads(), store.layout.trash()] {
            ensure_dir(store.files.as_ref(), &dir).at("make", &dir)?;
        }
        Ok(store)
    }

    /// The store of the other kind's sessions.
    #[must_use]
    pub fn of_kind(&self, kind: Kind) -> Self {
        Self { layout: Layout::new(&self.data, kind), ..self.clone() }
    }

    /// The store that has this session, of either kind.
    #[must_use]
    pub fn having(&self, id: SessionId) -> Option<Self> {
        let has = |store: &Self| {
            let places = [store.layout.session(id), store.layout.head(id)];
            places.iter().any(|path| store.exists(path).unwrap_or(false))
        };
        Kind::ALL.into_iter().map(|kind| self.of_kind(kind)).find(has)
    }

    /// The sessions of either kind whose ids begin with this text, those of
    /// which only the head is left too.
    ///
    /// # Errors
    /// [`StoreError::Io`] if they cannot be listed.
    pub fn beginning_with(&self, text: &str) -> Result<Vec<SessionId>, StoreError> {
        self.in_both_kinds(text, |store| Ok([store.session_ids()?, store.head_ids()?].concat()))
    }

    /// The same among those in the trash.
    ///
    /// # Errors
    /// [`StoreError::Io`] if they cannot be listed.
    pub fn trashed_beginning_with(&self, text: &str) -> Result<Vec<SessionId>, StoreError> {
        self.in_both_kinds(text, Store::trashed_ids)
    }

    fn in_both_kinds(
        &self,
        text: &str,
        ids: impl Fn(&Self) -> Result<Vec<SessionId>, StoreError>,
    ) -> Result<Vec<SessionId>, StoreError> {
        let mut found = Vec::new();
        for kind in Kind::ALL {
            found.extend(ids(&self.of_kind(kind))?);
        }
        found.retain(|id| id.to_string().starts_with(text));
        found.sort_unstable();
        found.dedup();
        Ok(found)
    }

    /// Whether locks keep others out in the data directory; tried on a file of
    /// their own.
    ///
    /// # Errors
    /// [`StoreError`] if that cannot be tried.
    pub fn locks_work(&self, now: Timestamp) -> Result<bool, StoreError> {
        let path = self.layout.sessions().join(".lock-test");
        match Lock::take(self.files.as_ref(), &path, &Holder::this_process(now)) {
            Ok(lock) => Ok(lock.works()),
            Err(LockError::Held(_)) => Ok(true),
            Err(LockError::Io(error)) => Err(error).at("lock", &path),
        }
    }

    /// Makes a file of its own durable with its name, and removes it again.
    ///
    /// # Errors
    /// [`StoreError`] says what could not be done.
    pub fn try_sync(&self) -> Result<(), StoreError> {
        let (files, dir) = (self.files.as_ref(), self.layout.sessions());
        let path = dir.join(format!(".sync-test-{}", std::process::id()));
        put(files, &path, b"candor\n").at("make durable", &path)?;
        files.remove(&path).at("remove", &path)?;
        files.sync_dir(&dir).at("sync", &dir)
    }

    /// The store that has this session in its trash, of either kind.
    #[must_use]
    pub fn having_trashed(&self, id: SessionId) -> Option<Self> {
        let has = |store: &Self| store.exists(&store.layout.trashed(id)).unwrap_or(false);
        Kind::ALL.into_iter().map(|kind| self.of_kind(kind)).find(has)
    }

    /// Which sessions it holds.
    #[must_use]
    pub fn kind(&self) -> Kind {
        self.layout.kind()
    }

    /// Where things lie.
    #[must_use]
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// The signing keys.
    #[must_use]
    pub fn keys(&self) -> &Keys {
        &self.keys
    }
}
