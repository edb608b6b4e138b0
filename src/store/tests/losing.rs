//! What `inspect` must never overlook: lost commands, changed bytes.

use super::inspecting::{end, inspect, result, session};
use super::*;
use crate::record::Outcome;
use crate::store::inspect::InspectError;

#[test]
fn a_command_that_the_journal_lost_is_missed() {
    let (memory, store, id, _) = session(Some(Outcome::Completed));
    let folder = layout::call(&store.layout().session(id), ids::dispatch());
    memory.create_dir(&folder).unwrap();
    assert_eq!(inspect(&store, id).unwrap().exit_code(), 0, "a folder alone was never launched");
    memory.overwrite(&folder.join("launch.json"), b"{}");
    assert!(matches!(inspect(&store, id), Err(InspectError::Missing(MissingRecords::Launch(_)))));
}

/// A session of this many turns with a command each.
fn long_session(turns: usize) -> (Memory, Store, SessionId) {
    let memory = Memory::new();
    let store = store(&memory);
    let mut open = store.create(new_session(), at(0)).unwrap();
    for _ in 0..turns {
        let (turn, dispatch) = (ids::turn(), ids::dispatch());
        commit(&mut open, started(turn, dispatch));
        commit(&mut open, [result(turn, dispatch, Outcome::Completed).into(), end(turn, Outcome::Completed)]);
    }
    let id = open.id();
    (memory, store, id)
}

/// Flips one bit of every `stride`-th byte; each has to be seen.
fn flip(turns: usize, stride: usize) {
    let (memory, store, id) = long_session(turns);
    let path = journal_of(&store, id);
    let bytes = memory.bytes(&path).unwrap();
    assert_eq!(inspect(&store, id).unwrap().exit_code(), 0);
    for position in (0..bytes.len()).step_by(stride) {
        let mut changed = bytes.clone();
        changed[position] ^= 1 << (position % 8);
        memory.overwrite(&path, &changed);
        assert!(inspect(&store, id).is_err(), "byte {position} was changed and nobody saw it");
    }
}

#[test]
fn a_flipped_byte_is_seen() {
    flip(2, 5);
}

/// All bytes of some hundred records. It was never run to its end: in a debug
/// build it had not finished after 26 minutes of processor time.
#[test]
#[ignore = "takes over half an hour; a_flipped_byte_is_seen does the same for some bytes"]
fn every_flipped_byte_of_a_long_journal_is_seen() {
    flip(42, 1);
}
