//! What a start clears up: what earlier processes left half done.

use super::Store;
use super::error::{At, StoreError};
use super::layout::{self, Layout};
use crate::journal::files::settle_above;
use crate::journal::lock::Lock;
use crate::record::SessionId;
use std::io;
use std::path::Path;

impl Store {
    /// Makes its directories durable, removes folders that a dead process was
    /// building, and moves heads that a deletion left behind. Whatever cannot be
    /// cleared up waits for the next start. It takes longer the more sessions there
    /// are, and can be done while a person already looks at the screen.
    ///
    /// # Errors
    /// [`StoreError::Io`] if a directory cannot be read or made durable.
    pub fn put_in_order(&self) -> Result<(), StoreError> {
        let sessions = self.layout.sessions();
        let names = self.names(&sessions, |name| Some(name.to_owned()))?;
        // Where one is there, whoever made it had done so before.
        if !names.iter().any(|name| SessionId::parse(name).is_ok()) {
            settle_above(self.files.as_ref(), &sessions).at("make durable", &sessions)?;
        }
        for id in names.iter().filter_map(|name| Layout::built_in(name)) {
            self.clear_if_abandoned(id);
        }
        // Fewer are in the trash than not.
        for id in self.trashed_ids()? {
            let places = (self.exists(&self.layout.head(id)), self.exists(&self.layout.session(id)));
            if let (Ok(true), Ok(false)) = places {
                // If that fails the head shows up as a missing session until it works.
                let _ = self.trash_head(id);
            }
        }
        Ok(())
    }

    /// All sessions that have a head.
    pub(super) fn head_ids(&self) -> Result<Vec<SessionId>, StoreError> {
        self.names(&self.layout.heads(), |name| SessionId::parse(name.strip_suffix(".json")?).ok())
    }

    /// All sessions that have a folder.
    pub(super) fn session_ids(&self) -> Result<Vec<SessionId>, StoreError> {
        self.names(&self.layout.sessions(), |name| SessionId::parse(name).ok())
    }

    /// All sessions in the trash.
    pub(super) fn trashed_ids(&self) -> Result<Vec<SessionId>, StoreError> {
        self.names(&self.layout.trash(), |name| SessionId::parse(name).ok())
    }

    pub(super) fn names<T>(
        &self,
        dir: &Path,
        read: impl Fn(&str) -> Option<T>,
    ) -> Result<Vec<T>, StoreError> {
        let names = match self.files.list(dir) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
            other => other.at("list", dir)?,
        };
        Ok(names.iter().filter_map(|name| read(name.to_str()?)).collect())
    }

    pub(super) fn exists(&self, path: &Path) -> Result<bool, StoreError> {
        self.files.state(path).at("look at", path).map(|state| state.is_some())
    }

    /// Whether a folder holds something, and no lock file.
    fn has_no_lock(&self, dir: &Path) -> bool {
        let lock = layout::lock(dir);
        let name = lock.file_name();
        let names = self.files.list(dir).unwrap_or_default();
        !names.is_empty() && names.iter().all(|found| Some(found.as_os_str()) != name)
    }

    /// A folder whose lock is free. An empty one without a lock file may just
    /// have been made: it goes, and its maker makes it again. One that holds
    /// something else has no maker, who would have begun with the lock: a power
    /// cut took that name and left others.
    fn clear_if_abandoned(&self, id: SessionId) {
        let dir = self.layout.building(id);
        match Lock::take_existing(self.files.as_ref(), &layout::lock(&dir)) {
            Ok(_held) => self.clear_away(id),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                if self.files.remove_dir(&dir).is_err() && self.has_no_lock(&dir) {
                    self.clear_away(id);
                }
            }
            Err(_) => {}
        }
    }
}
