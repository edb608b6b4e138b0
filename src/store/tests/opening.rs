//! What stands against writing, and what a reader gets then.

use super::*;
use crate::journal::files::Files;
use crate::journal::files::memory::Survives;
use crate::journal::{Damage, Fault};
use crate::record::{Digest, Order, TailMoved};
use crate::session::StillRunning;
use crate::session::{OrderError, recover};

fn session(records: impl IntoIterator<Item = Record>) -> (Memory, Store, SessionId) {
    let memory = Memory::new();
    let store = store(&memory);
    let mut open = store.create(new_session(), at(0)).unwrap();
    commit(&mut open, records);
    let id = open.id();
    drop(open);
    (memory, store, id)
}
