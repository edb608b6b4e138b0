//! Histories of other programs, brought in as new sessions that say where they
//! came from. The file is read and never changed; what it does not say is
//! unknown, and nothing in it becomes more certain by being here.

#[cfg(any(test, feature = "lab"))]
pub(super) mod attack;
mod chat;
mod draft;
mod error;
mod mino;
mod source;
mod summary;

pub use error::{ImportError, Place, Refusal, Rule};
pub use summary::Summary;

use super::create::NewSession;
use super::error::{At, StoreError};
use super::{Store, layout};
use crate::journal::files::How;
use crate::journal::{Line, Lines, Raw};
use crate::record::{Digest, Origin, Record, SessionId, Timestamp};
use draft::Draft;
use source::Source;
use std::path::PathBuf;

/// Whose form a file has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Mino's session files, versions 1 and 2.
    Mino,
    /// Chat messages with `tool_calls` and `tool` results, as an array or one a line.
    Chat,
}

impl Format {
    /// The word in the origin of the session.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Mino => "mino",
            Self::Chat => "chat",
        }
    }
}

/// What is to be imported.
#[derive(Debug, Clone)]
pub struct ImportRequest {
    /// The file.
    pub path: PathBuf,
    /// Its form.
    pub format: Format,
    /// Name and version of the program.
    pub app: String,
    /// The absolute directory of the new session's commands.
    pub cwd: String,
}

/// What became of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Imported {
    /// It is a new session.
    New(SessionId, Summary),
    /// It is one already, and nothing was done.
    Before(SessionId),
}

impl Store {
    /// Makes a session of another program's file. It is built aside: a crash or
    /// an error leaves nothing that is listed.
    ///
    /// # Errors
    /// [`ImportError`] says why nothing was made.
    pub fn import(&self, request: &ImportRequest, now: Timestamp) -> Result<Imported, ImportError> {
        let source = Source::read(self.files.as_ref(), &request.path)?;
        if let Some(id) = self.imported_before(source.sha256)? {
            // The process that did so can have been killed before its sync.
            let sessions = self.layout.sessions();
            self.files.sync_dir(&sessions).at("sync", &sessions)?;
            return Ok(Imported::Before(id));
        }
        let mut draft = Draft::new(now);
        match request.format {
            Format::Mino => mino::read(&source.bytes, &mut draft)?,
            Format::Chat => chat::read(&source.bytes, &mut draft)?,
        }
        // A session file can have been begun and never used.
        if request.format == Format::Chat && draft.session().turns().is_empty() {
            return Err(ImportError::Nothing(request.path.clone()));
        }
        let title = draft.title();
        let (records, summary) = draft.finish();
        let new = NewSession {
            app: request.app.clone(),
            cwd: request.cwd.clone(),
            title,
            origin: Origin::Imported {
                format: request.format.word().to_owned(),
                name: source.name,
                sha256: source.sha256,
            },
            records,
        };
        let session = self.create(new, now)?;
        Ok(Imported::New(session.id(), summary))
    }

    /// The session that these bytes were imported as.
    fn imported_before(&self, sha256: Digest) -> Result<Option<SessionId>, StoreError> {
        let ids = self.session_ids()?;
        Ok(ids.into_iter().find(|id| self.imported_bytes(*id) == Some(sha256)))
    }

    /// What a session says it was imported from; nothing if it cannot be read.
    fn imported_bytes(&self, id: SessionId) -> Option<Digest> {
        let file = self.files.open(&layout::journal(&self.layout.session(id)), How::Read).ok()?;
        let mut bytes = Vec::new();
        let Ok(Raw::Line) = Lines::new(file.as_ref(), 0).next(&mut bytes) else { return None };
        let line = Line::decode(&bytes).ok()?;
        match Record::decode(line.kind, line.body) {
            Ok(Record::SessionStarted(body)) => match &body.origin {
                Origin::Imported { sha256, .. } => Some(*sha256),
                Origin::New {} | Origin::Forked { .. } => None,
            },
            Ok(_) | Err(_) => None,
        }
    }
}
