//! A session that grows record by record, each through the checks.

use super::{bodies, session_id};
use crate::record::{Committed, DispatchId, Origin, Record, Timestamp, TurnId};
use crate::session::{OrderError, Session};
use std::fmt::Debug;
use std::hash::{DefaultHasher, Hash, Hasher};

/// A session with the records that made it.
#[derive(Debug, Clone)]
pub(crate) struct Story {
    pub(crate) session: Session,
    pub(crate) records: Vec<Committed>,
    ids: u128,
}

impl Story {
    /// A new session of this origin, with its first record.
    pub(crate) fn of(origin: Origin) -> Self {
        let mut story = Self::blank();
        story.add(bodies::begun(origin));
        story
    }

    pub(crate) fn new() -> Self {
        Self::of(Origin::New {})
    }

    pub(crate) fn blank() -> Self {
        let session = Session::new(session_id(1));
        Self { session, records: Vec::new(), ids: 100 }
    }

    /// Commits a record, which has to be allowed.
    pub(crate) fn add(&mut self, record: impl Into<Record>) {
        let record = record.into();
        let kind = record.kind();
        self.session.check(&record).unwrap_or_else(|error| panic!("{kind}: {error}\n{record:?}"));
        let committed = next_after(&self.session, record);
        self.session.apply(committed.clone()).unwrap_or_else(|error| panic!("{kind}: {error}"));
        self.records.push(committed);
    }

    /// Why the record is refused; neither checking nor applying changes anything.
    pub(crate) fn refuses(&self, record: impl Into<Record>) -> OrderError {
        let record = record.into();
        let error = self.session.check(&record).expect_err("the record is allowed");
        let mut session = self.session.clone();
        let applied = session.apply(next_after(&session, record));
        assert_eq!(applied, Err(error.clone()));
        assert_eq!(fingerprint(&session), fingerprint(&self.session), "a refused record changed the session");
        error
    }

    /// The session before the first record and after each.
    pub(crate) fn prefixes(&self) -> impl Iterator<Item = Session> {
        let mut session = Session::new(self.session.id());
        let after_each = self.records.iter().map(move |committed| {
            session.apply(committed.clone()).unwrap();
            session.clone()
        });
        std::iter::once(Session::new(self.session.id())).chain(after_each)
    }

    pub(crate) fn turn_id(&mut self) -> TurnId {
        self.ids += 1;
        super::turn_id(self.ids)
    }

    pub(crate) fn dispatch_id(&mut self) -> DispatchId {
        self.ids += 1;
        super::dispatch_id(self.ids)
    }
}

/// The record as the next one of this session.
pub(crate) fn next_after(session: &Session, record: Record) -> Committed {
    let seq = session.next_seq();
    Committed { seq, at: Timestamp::from_millis(1_000 * i64::try_from(seq).unwrap()), record }
}

/// A short value that differs where two values differ.
pub(crate) fn fingerprint(value: &impl Debug) -> u64 {
    let mut hasher = DefaultHasher::new();
    format!("{value:?}").hash(&mut hasher);
    hasher.finish()
}
