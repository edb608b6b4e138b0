//! Text that was not sent: it comes back after any end, and proves nothing.

use super::Store;
use super::error::{At, StoreError};
use super::layout;
use crate::journal::files;
use crate::record::SessionId;
use crate::record::limits::MESSAGE_BYTES;
use std::io;

impl Store {
    /// The text that was left in a session; nothing if it cannot be read.
    #[must_use]
    pub fn draft(&self, id: SessionId) -> Option<String> {
        let path = layout::draft(&self.layout.session(id));
        let bytes = files::read_small(self.files.as_ref(), &path, 4 * MESSAGE_BYTES).ok()?;
        String::from_utf8(bytes).ok().filter(|text| !text.is_empty())
    }

    /// Keeps a text beside the journal; an empty one removes what was kept.
    ///
    /// # Errors
    /// [`StoreError::Io`].
    pub fn keep_draft(&self, id: SessionId, text: &str) -> Result<(), StoreError> {
        let path = layout::draft(&self.layout.session(id));
        if !text.is_empty() {
            return files::put(self.files.as_ref(), &path, text.as_bytes()).at("write", &path);
        }
        match self.files.remove(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error).at("remove", &path),
            Ok(()) | Err(_) => Ok(()),
        }
    }
}
