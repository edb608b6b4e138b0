//! Signing keys: made here at the first start, never removed, since old
//! sessions need them.

use super::error::{At, StoreError};
use crate::journal::files::{self, Files, ensure_dir, settle_above};
use crate::record::{KeyId, decode_hex, encode_hex};
use ed25519_dalek::{SigningKey, VerifyingKey};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A key file is far smaller, in bytes.
const KEY_FILE_BYTES: usize = 1 << 10;

/// The directory of signing keys.
#[derive(Clone)]
pub struct Keys {
    files: Arc<dyn Files>,
    dir: PathBuf,
}

/// A key that is known here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyInfo {
    /// Its id.
    pub id: KeyId,
    /// The public key.
    pub public: VerifyingKey,
    /// New sessions are signed with it.
    pub current: bool,
    /// Its seed is here too.
    pub can_sign: bool,
}

impl Keys {
    pub(super) fn new(files: Arc<dyn Files>, dir: PathBuf) -> Self {
        Self { files, dir }
    }

    /// The key for new sessions; the first start makes one. Of two first
    /// starts the loser takes the winner's.
    ///
    /// # Errors
    /// [`StoreError`] if there is none and none can be made.
    pub fn current(&self) -> Result<SigningKey, StoreError> {
        if let Some(id) = self.current_id()? {
            return self.required(&id);
        }
        let key = self.write_fresh()?;
        let path = self.current_path();
        match files::put_new(self.files.as_ref(), &path, self.current_text(&key).as_bytes()) {
            Ok(()) => self.files.sync_dir(&self.dir).at("sync", &self.dir).map(|()| key),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                self.forget(&key_id(&key));
                let id = self.current_id()?.ok_or(StoreError::CurrentKey(path))?;
                self.required(&id)
            }
            Err(error) => Err(error).at("write", &path),
        }
    }

    /// Makes another key for future sessions; old ones stay.
    ///
    /// # Errors
    /// [`StoreError`] if it cannot be made.
    pub fn make_current(&self) -> Result<KeyInfo, StoreError> {
        let key = self.write_fresh()?;
        let path = self.current_path();
        files::put(self.files.as_ref(), &path, self.current_text(&key).as_bytes()).at("write", &path)?;
        self.files.sync_dir(&self.dir).at("sync", &self.dir)?;
        Ok(KeyInfo { id: key_id(&key), public: key.verifying_key(), current: true, can_sign: true })
    }

    /// A key to sign with, if its seed is here and readable.
    #[must_use]
    pub fn signing(&self, id: &KeyId) -> Option<SigningKey> {
        let key = SigningKey::from_bytes(&self.read_hex(&self.path(id, "seed"))?);
        (key_id(&key) == *id).then_some(key)
    }

    /// A key to verify with, if it is here and readable.
    #[must_use]
    pub fn public(&self, id: &KeyId) -> Option<VerifyingKey> {
        let stored =
            self.read_hex(&self.path(id, "pub")).and_then(|bytes| VerifyingKey::from_bytes(&bytes).ok());
        let key = stored.or_else(|| self.signing(id).map(|key| key.verifying_key()))?;
        (KeyId::of(key.as_bytes()) == *id).then_some(key)
    }

    /// All keys that are here, by id.
    ///
    /// # Errors
    /// [`StoreError::Io`] if the directory cannot be read.
    pub fn list(&self) -> Result<Vec<KeyInfo>, StoreError> {
        let names = match self.files.list(&self.dir) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
            other => other.at("list", &self.dir)?,
        };
        let id_of = |name: &std::ffi::OsString| {
            let (id, ending) = name.to_str()?.split_once('.')?;
            matches!(ending, "seed" | "pub").then(|| KeyId::parse(id).ok()).flatten()
        };
        let mut ids: Vec<KeyId> = names.iter().filter_map(id_of).collect();
        ids.sort_unstable();
        ids.dedup();
        let current = self.current_id()?;
        let info = |id: KeyId| {
            let public = self.public(&id)?;
            let can_sign = self.signing(&id).is_some();
            Some(KeyInfo { current: current.as_ref() == Some(&id), id, public, can_sign })
        };
        Ok(ids.into_iter().filter_map(info).collect())
    }

    /// Where the keys are.
    #[must_use]
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    fn required(&self, id: &KeyId) -> Result<SigningKey, StoreError> {
        self.signing(id).ok_or_else(|| StoreError::NoKey { id: id.clone(), dir: self.dir.clone() })
    }

    fn write_fresh(&self) -> Result<SigningKey, StoreError> {
        let mut seed = [0; 32];
        getrandom::fill(&mut seed).map_err(|error| StoreError::Randomness(error.to_string()))?;
        let key = SigningKey::from_bytes(&seed);
        let id = key_id(&key);
        ensure_dir(self.files.as_ref(), &self.dir).at("make", &self.dir)?;
        settle_above(self.files.as_ref(), &self.dir).at("make durable", &self.dir)?;
        for (ending, bytes) in [("seed", &seed), ("pub", key.verifying_key().as_bytes())] {
            let path = self.path(&id, ending);
            let text = format!("{}\n", encode_hex(bytes));
            files::put_new(self.files.as_ref(), &path, text.as_bytes()).at("write", &path)?;
        }
        self.files.sync_dir(&self.dir).at("sync", &self.dir)?;
        Ok(key)
    }

    /// Removes a key that no session was ever signed with.
    fn forget(&self, id: &KeyId) {
        for ending in ["pub", "seed"] {
            let _ = self.files.remove(&self.path(id, ending));
        }
    }

    fn current_id(&self) -> Result<Option<KeyId>, StoreError> {
        let path = self.current_path();
        match files::read_small(self.files.as_ref(), &path, KEY_FILE_BYTES) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error).at("read", &path),
            Ok(bytes) => {
                let text =
                    std::str::from_utf8(&bytes).ok().and_then(|text| KeyId::parse(text.trim_end()).ok());
                text.map(Some).ok_or(StoreError::CurrentKey(path))
            }
        }
    }

    fn read_hex(&self, path: &Path) -> Option<[u8; 32]> {
        let bytes = files::read_small(self.files.as_ref(), path, KEY_FILE_BYTES).ok()?;
        decode_hex(std::str::from_utf8(&bytes).ok()?.trim_end())
    }

    fn current_text(&self, key: &SigningKey) -> String {
        format!("{}\n", key_id(key))
    }

    fn current_path(&self) -> PathBuf {
        self.dir.join("current")
    }

    fn path(&self, id: &KeyId, ending: &str) -> PathBuf {
        self.dir.join(format!("{id}.{ending}"))
    }
}

/// The id of a signing key.
pub(super) fn key_id(key: &SigningKey) -> KeyId {
    KeyId::of(key.verifying_key().as_bytes())
}
