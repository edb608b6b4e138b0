//! What a line says by itself, wherever it stands: all that can be found out
//! about it by another thread.

use super::error::Fault;
use super::line::{Line, Place, newer_version};
use crate::record::{DecodeError, Digest, Record};

/// What a line says by itself.
#[derive(Debug)]
pub(super) enum Parsed {
    /// It has the form of a line.
    Line {
        /// Version of the form.
        v: u64,
        /// Where it says to stand.
        place: Place,
        /// What it says.
        record: Result<Record, DecodeError>,
        /// The hash of its bytes.
        hash: Digest,
    },
    /// It has the form of a higher version, whose number this is.
    NewForm(u64),
    /// It is no line.
    Bad(Fault),
}

impl Parsed {
    /// Reads a line, newline included.
    pub(super) fn of(bytes: &[u8]) -> Self {
        match Line::read(bytes) {
            Ok((Line { v, place, .. }, record)) => {
                if let Ok(Record::ModelResponse(body)) = &record {
                    // It is kept for whoever folds the record, who also says
                    // what is wrong.
                    let _ = body.items.read();
                }
                Self::Line { v, place, record, hash: Digest::of(bytes) }
            }
            Err(fault) => newer_version(bytes).map_or(Self::Bad(fault), Self::NewForm),
        }
    }
}
