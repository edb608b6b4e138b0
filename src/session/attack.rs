//! What must hold of any records that a journal could hold; for the fuzz target
//! and its property test.
#![allow(clippy::unwrap_used, clippy::panic)] // an attack that gets through has to be loud

use super::{ContextOptions, Found, Session, context, recover};
use crate::record::{Committed, DispatchId, Record, SessionId, Timestamp};
use uuid::Uuid;

/// Takes each line as `type body` of a record: what is refused changes nothing,
/// what is taken can be written and read again, recovery proposes only records
/// that may follow, and a closed turn is closed for good.
///
/// # Panics
/// If it does not hold.
pub fn records(bytes: &[u8]) {
    let mut session = Session::new(SessionId::from_uuid(Uuid::from_u128(7)));
    for (kind, body) in String::from_utf8_lossy(bytes).lines().filter_map(|line| line.split_once(' ')) {
        let Ok(record) = Record::decode(kind, body) else { continue };
        let written = record.encode_body().unwrap();
        assert_eq!(Record::decode(kind, &written).unwrap().encode_body().unwrap(), written);
        let before = format!("{session:?}");
        if apply(&mut session, record).is_err() {
            assert_eq!(format!("{session:?}"), before, "a refused record changed something");
        }
    }
    let mut fresh = 0;
    let mut dispatch = || {
        fresh += 1;
        DispatchId::from_uuid(Uuid::from_u128(u128::MAX - fresh))
    };
    let found = Found { folders: &[], calls_directory: true, given_up: None };
    for step in recover(&session, found, &mut dispatch).steps {
        apply(&mut session, step).unwrap();
    }
    // Nothing can be running without a folder: one recovery is enough.
    assert!(session.open_turn().is_none());
    assert!(recover(&session, found, &mut dispatch).steps.is_empty());
    let options = ContextOptions { output_to_model_bytes: 1000, spool: &|_| None };
    assert!(context(&session, options).is_err(), "a request without an open turn");
}

fn apply(session: &mut Session, record: Record) -> Result<(), super::OrderError> {
    let at = Timestamp::from_millis(0);
    session.apply(Committed { seq: session.next_seq(), at, record })
}
