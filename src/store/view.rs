//! A session that is only read, and followed while another process writes it.

use super::error::WhyReadOnly;
use crate::journal::files::{Files, OpenFile};
use crate::journal::{Damage, Fault, Lines, Raw, Reading, verify_line};
use crate::record::{Committed, Digest};
use crate::session::Session;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A session that is only read.
pub struct View {
    pub(super) files: Arc<dyn Files>,
    pub(super) path: PathBuf,
    pub(super) file: Box<dyn OpenFile>,
    pub(super) reading: Reading,
    pub(super) why: Option<WhyReadOnly>,
}

impl View {
    /// The folded records, up to the last good one.
    #[must_use]
    pub fn session(&self) -> &Session {
        self.reading.chain.session()
    }

    /// Why it can only be read; none if it was merely asked for so.
    #[must_use]
    pub fn why(&self) -> Option<&WhyReadOnly> {
        self.why.as_ref()
    }

    /// Its directory.
    #[must_use]
    pub fn dir(&self) -> &Path {
        self.path.parent().unwrap_or(&self.path)
    }

    /// Hash of the last good line.
    #[must_use]
    pub fn head(&self) -> Digest {
        self.reading.chain.head()
    }

    /// What was read.
    #[must_use]
    pub fn reading(&self) -> &Reading {
        &self.reading
    }

    /// Reads what was appended since, each line verified and folded. A line
    /// that is still being written waits for the next time. Nothing more comes
    /// after damage.
    ///
    /// # Errors
    /// What the system says, or `NotFound` when the session was moved away.
    pub fn follow(&mut self) -> io::Result<Vec<Committed>> {
        let state = self.file.state()?;
        if self.files.state(&self.path)?.is_none_or(|named| named.identity != state.identity) {
            return Err(io::ErrorKind::NotFound.into());
        }
        let mut new = Vec::new();
        if self.reading.damage.is_some() || state.len == self.reading.bytes {
            return Ok(new);
        }
        let mut lines = Lines::new(self.file.as_ref(), self.reading.bytes);
        let mut line = Vec::new();
        loop {
            let fault = match lines.next(&mut line)? {
                Raw::End | Raw::Torn => return Ok(new),
                Raw::TooLong => Fault::LongLine,
                Raw::Line => match take(&mut self.reading, &line, lines.offset()) {
                    Ok(committed) => {
                        new.extend(committed);
                        continue;
                    }
                    Err(fault) => fault,
                },
            };
            let damage = Damage { line: self.reading.chain.next_line(), fault };
            self.why = Some(WhyReadOnly::Damaged(damage.clone()));
            self.reading.damage = Some(damage);
            return Ok(new);
        }
    }
}

fn take(reading: &mut Reading, line: &[u8], end: u64) -> Result<Option<Committed>, Fault> {
    let checked = reading.chain.check(line)?;
    if checked.is_framed() {
        verify_line(reading.key.as_ref(), line)?;
    }
    let committed = reading.chain.fold(checked)?;
    reading.bytes = end;
    reading.torn = None;
    Ok(committed)
}
