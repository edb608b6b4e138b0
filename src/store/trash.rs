//! Deleting moves; nothing is removed.

use super::Store;
use super::error::{At, StoreError};
use super::launches::call_folders;
use super::layout;
use crate::journal::lock::{self, Holder, Lock, LockError, Probe};
use crate::record::{DispatchId, SessionId, Timestamp};
use std::path::Path;

impl Store {
    /// Moves a session to the trash: its directory, then its head. Where an
    /// outcome is unknown the first word of its title has to be given.
    ///
    /// # Errors
    /// [`StoreError::InUse`] or [`StoreError::Running`] while somebody works
    /// with it, [`StoreError::WordWanted`] without that word, else what could
    /// not be done.
    pub fn trash(&self, id: SessionId, title_word: Option<&str>, now: Timestamp) -> Result<(), StoreError> {
        let dir = self.existing(id)?;
        let path = layout::lock(&dir);
        let _lock = match Lock::take(self.files.as_ref(), &path, &Holder::this_process(now)) {
            Ok(lock) => lock,
            Err(LockError::Held(holder)) => return Err(StoreError::InUse(holder)),
            Err(LockError::Io(error)) => return Err(error).at("lock", &path),
        };
        if let Some(dispatch) = self.running(&dir)? {
            return Err(StoreError::Running(dispatch));
        }
        self.is_named(id, title_word)?;
        self.move_durably(&dir, &self.layout.trashed(id))?;
        self.trash_head(id)
    }

    /// What may have happened is not moved away by a slip of the hand.
    fn is_named(&self, id: SessionId, title_word: Option<&str>) -> Result<(), StoreError> {
        // What cannot be read has nothing to name.
        let Ok(view) = self.view(id) else { return Ok(()) };
        let session = view.session();
        let unknown = session.unknown_effects().len() + session.running_effects().count();
        let word = session.title().split_whitespace().next().map_or_else(|| id.to_string(), str::to_owned);
        let named = unknown == 0 || title_word == Some(&word);
        if named { Ok(()) } else { Err(StoreError::WordWanted { unknown, word }) }
    }

    /// Brings a session back: its head, then its directory.
    ///
    /// # Errors
    /// [`StoreError::NoSession`] if it is not in the trash, else what could not
    /// be done.
    pub fn restore(&self, id: SessionId) -> Result<(), StoreError> {
        let trashed = self.layout.trashed(id);
        if !self.exists(&trashed)? {
            return Err(StoreError::NoSession(id));
        }
        if self.exists(&self.layout.trashed_head(id))? {
            self.move_durably(&self.layout.trashed_head(id), &self.layout.head(id))?;
        }
        self.move_durably(&trashed, &self.layout.session(id))
    }

    pub(super) fn trash_head(&self, id: SessionId) -> Result<(), StoreError> {
        let head = self.layout.head(id);
        if self.exists(&head)? { self.move_durably(&head, &self.layout.trashed_head(id)) } else { Ok(()) }
    }

    /// The new name is durable before the old one is gone for good.
    fn move_durably(&self, from: &Path, to: &Path) -> Result<(), StoreError> {
        self.files.rename(from, to).at("move", from)?;
        for dir in [to, from].into_iter().filter_map(Path::parent) {
            self.files.sync_dir(dir).at("sync", dir)?;
        }
        Ok(())
    }

    /// A command of the session whose supervisor lives.
    pub(super) fn running(&self, dir: &Path) -> Result<Option<DispatchId>, StoreError> {
        for dispatch in call_folders(self.files.as_ref(), dir).at("list", dir)? {
            let path = layout::call(dir, dispatch).join("lock");
            if lock::probe(self.files.as_ref(), &path).at("look at", &path)? == Probe::Held {
                return Ok(Some(dispatch));
            }
        }
        Ok(None)
    }
}
