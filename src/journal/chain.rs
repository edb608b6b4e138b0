//! Lines that follow one another, folded as they come.

use super::error::Fault;
use super::line::{Place, VERSION};
use super::parsed::Parsed;
use crate::record::{Committed, DecodeError, Digest, KeyId, Record, SessionId, Timestamp};
use crate::session::Session;

/// Records that a newer version wrote: the fold stopped before them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Newer {
    /// Number of the first such line, counted from 1.
    pub line: u64,
    /// What is not known in it.
    pub what: String,
    /// How many lines were not folded: that one and all after it.
    pub lines: u64,
}

/// A journal up to one of its lines.
#[derive(Debug, Clone)]
pub struct Chain {
    session: Session,
    hashes: Vec<Digest>,
    newer: Option<Newer>,
}

/// A line whose framing, session, number and chain are right.
#[derive(Debug)]
pub struct Checked {
    meaning: Meaning,
    seq: u64,
    at: Timestamp,
    hash: Digest,
}

#[derive(Debug)]
enum Meaning {
    Record(Record),
    /// A type, field or version that is not known.
    Newer(String),
    /// A form that is not known: neither chain nor signature can be checked.
    Opaque(String),
}

impl Checked {
    /// Whether its signature can be checked, and the next line's `prev`.
    #[must_use]
    pub fn is_framed(&self) -> bool {
        !matches!(self.meaning, Meaning::Opaque(_))
    }

    /// The key that the first record names.
    #[must_use]
    pub fn key_id(&self) -> Option<&KeyId> {
        match &self.meaning {
            Meaning::Record(Record::SessionStarted(body)) => Some(&body.key_id),
            Meaning::Record(_) | Meaning::Newer(_) | Meaning::Opaque(_) => None,
        }
    }
}

impl Chain {
    /// A journal of this session before its first line.
    #[must_use]
    pub fn new(sid: SessionId) -> Self {
        Self { session: Session::new(sid), hashes: Vec::new(), newer: None }
    }

    /// The records, folded.
    #[must_use]
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// Gives the folded records away.
    #[must_use]
    pub fn into_session(self) -> Session {
        self.session
    }

    /// The hashes of the lines, in their order.
    #[must_use]
    pub fn hashes(&self) -> &[Digest] {
        &self.hashes
    }

    /// The hash of the last line; zeros before the first.
    #[must_use]
    pub fn head(&self) -> Digest {
        self.hashes.last().copied().unwrap_or(Digest::ZERO)
    }

    /// Whether the line `seq` is here and has this hash.
    #[must_use]
    pub fn holds(&self, seq: u64, hash: Digest) -> bool {
        usize::try_from(seq).ok().and_then(|seq| self.hashes.get(seq)) == Some(&hash)
    }

    /// The records that a newer version wrote.
    #[must_use]
    pub fn newer(&self) -> Option<&Newer> {
        self.newer.as_ref()
    }

    /// Number of the next line, counted from 1.
    #[must_use]
    pub fn next_line(&self) -> u64 {
        let opaque = self.newer.as_ref().map_or(0, |newer| newer.line - 1 + newer.lines);
        opaque.max(self.hashes.len() as u64) + 1
    }

    /// Checks everything of the next line but its signature and the order rules.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn check(&self, bytes: &[u8]) -> Result<Checked, Fault> {
        self.check_parsed(Parsed::of(bytes))
    }

    /// The same of a line that was parsed already.
    pub(super) fn check_parsed(&self, parsed: Parsed) -> Result<Checked, Fault> {
        let opaque = |v: u64| Checked {
            meaning: Meaning::Opaque(format!("form {v}")),
            seq: 0,
            at: Timestamp::from_millis(0),
            hash: Digest::ZERO,
        };
        // After a line whose form is not known nothing can be held against it.
        if self.newer.is_some() && self.next_line() > self.hashes.len() as u64 + 1 {
            return Ok(opaque(VERSION));
        }
        let (v, place, record, hash) = match parsed {
            Parsed::Line { v, place, record, hash } => (v, place, record, hash),
            Parsed::NewForm(v) => return Ok(opaque(v)),
            Parsed::Bad(fault) => return Err(fault),
        };
        self.check_place(v, &place)?;
        let meaning = match record {
            Ok(record) => Meaning::Record(record),
            Err(DecodeError::Newer(what)) => Meaning::Newer(what),
            Err(error @ DecodeError::Invalid { .. }) => return Err(Fault::Body(error.to_string())),
        };
        Ok(Checked { meaning, seq: place.seq, at: place.at, hash })
    }

    fn check_place(&self, v: u64, place: &Place) -> Result<(), Fault> {
        let expected = self.hashes.len() as u64;
        if v == 0 {
            Err(Fault::Form)
        } else if place.sid != self.session.id() {
            Err(Fault::Session(place.sid))
        } else if place.seq != expected {
            Err(Fault::Sequence { expected, found: place.seq })
        } else if place.prev != self.head() {
            Err(Fault::Chain)
        } else {
            Ok(())
        }
    }

    /// Takes a checked line in and folds its record; gives it back unless a
    /// newer version wrote this line or one before it.
    ///
    /// # Errors
    /// [`Fault::Order`] if the record may not stand here; nothing is changed.
    pub fn fold(&mut self, checked: Checked) -> Result<Option<Committed>, Fault> {
        let line = self.next_line();
        let framed = checked.is_framed();
        let folded = match (&mut self.newer, checked.meaning) {
            (Some(newer), _) => {
                newer.lines += 1;
                None
            }
            (slot @ None, Meaning::Newer(what) | Meaning::Opaque(what)) => {
                *slot = Some(Newer { line, what, lines: 1 });
                None
            }
            (None, Meaning::Record(record)) => {
                let committed = Committed { seq: checked.seq, at: checked.at, record };
                self.session.apply(committed.clone()).map_err(Fault::Order)?;
                Some(committed)
            }
        };
        if framed {
            self.hashes.push(checked.hash);
        }
        Ok(folded)
    }
}
