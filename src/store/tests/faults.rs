//! A fault at every single operation.

use super::*;
use crate::journal::files::Files;
use crate::journal::files::memory::{Locks, Plan, Survives};
use crate::journal::{CommitError, Poison};
use rustix::io::Errno;

const FAULTS: [Plan; 3] = [Plan::Fail(Errno::NOSPC), Plan::Short(0), Plan::Short(40)];

fn prepared() -> (Memory, Store) {
    let memory = Memory::new();
    let store = store(&memory);
    store.keys().current().unwrap();
    (memory, store)
}

/// Calls `work` for the operation `first` and each after it, until it was
/// through before that operation came.
fn at_each_operation(first: usize, least: usize, mut work: impl FnMut(usize) -> Memory) {
    for step in first.. {
        if work(step).operations() <= step {
            assert!(step >= least, "there were only {step} operations");
            return;
        }
    }
}

#[test]
fn a_session_is_made_whole_or_not_at_all() {
    for plan in FAULTS {
        at_each_operation(0, 25, |step| {
            let (memory, store) = prepared();
            memory.plan(step, plan);
            let made = store.create(new_session(), at(0)).map(|open| open.id());
            let next = super::store(&memory.after(Survives::Everything));
            let rows = next.list().unwrap();
            match made {
                Ok(id) => assert_eq!(rows.iter().map(|row| row.id).collect::<Vec<_>>(), [id]),
                // Only the sync of its finished name can leave one, and then whole.
                Err(_) => assert!(rows.iter().all(|row| row.state == RowState::Ready), "{step}: {rows:?}"),
            }
            for row in rows {
                writable(next.open_session(row.id, at(1)).unwrap());
            }
            for dir in [next.layout().sessions(), next.layout().heads()] {
                let names = next.files.list(&dir).unwrap();
                assert!(
                    names.iter().all(|name| !name.to_string_lossy().starts_with('.')),
                    "{step}: {names:?}"
                );
            }
            memory
        });
    }
}

#[test]
fn the_first_failed_write_or_sync_is_the_last_for_this_process() {
    for plan in FAULTS {
        at_each_operation(0, 3, |step| {
            let (memory, store) = prepared();
            let mut open = store.create(new_session(), at(0)).unwrap();
            let id = open.id();
            memory.plan(step, plan);
            let [message, _] = turn("hello");
            let Err(error) = open.commit(message.clone(), at(1)) else { return memory };
            let CommitError::Poisoned(poison) = error else { panic!("{step}: {error}") };
            assert_eq!(open.poison(), Some(&poison));
            let done = memory.operations();
            assert_eq!(open.commit(message, at(2)).unwrap_err(), CommitError::Poisoned(poison.clone()));
            assert_eq!(memory.operations(), done, "nothing is tried again");
            assert_eq!(open.session().next_seq(), 1, "nothing is folded");
            drop(open);

            let next = super::store(&memory.after(Survives::Everything));
            let opened = writable(next.open_session(id, at(3)).unwrap());
            let found = (opened.session().next_seq(), opened.session().tails().len());
            match poison {
                Poison::Short { written, .. } if written > 0 => assert_eq!(found, (2, 1)),
                Poison::Sync(_) => assert_eq!(found, (2, 0)),
                Poison::Foreign | Poison::Short { .. } | Poison::Write(_) => assert_eq!(found, (1, 0)),
            }
            memory
        });
    }
}

#[test]
fn a_changed_moved_or_removed_journal_is_never_written_again() {
    let meddlers: [fn(&Memory, &Path); 4] = [
        |memory, path| memory.remove(path).unwrap(),
        |memory, path| {
            let bytes = memory.bytes(path).unwrap();
            memory.remove(path).unwrap();
            memory.overwrite(path, &bytes);
        },
        |memory, path| memory.overwrite(path, &[memory.bytes(path).unwrap(), b"x".to_vec()].concat()),
        |memory, path| memory.overwrite(path, b""),
    ];
    for meddle in meddlers {
        let (memory, store) = prepared();
        let mut open = store.create(new_session(), at(0)).unwrap();
        let path = journal_of(&store, open.id());
        meddle(&memory, &path);
        let before = memory.bytes(&path);
        let [message, _] = turn("hello");
        assert_eq!(open.commit(message, at(1)).unwrap_err(), CommitError::Poisoned(Poison::Foreign));
        assert_eq!(memory.bytes(&path), before);
    }
}

#[test]
fn a_failed_head_write_is_said_once_and_tried_again() {
    // The record itself takes three operations.
    at_each_operation(3, 9, |step| {
        let (memory, store) = prepared();
        let mut open = store.create(new_session(), at(0)).unwrap();
        let id = open.id();
        let head = |store: &Store| store.head_content(&store.layout().head(id)).unwrap().seq;
        let [message, end] = turn("one");
        commit(&mut open, [message]);
        memory.plan(step, Plan::Fail(Errno::NOSPC));
        assert_eq!(open.commit(end, at(1)).unwrap().seq, 2, "the record stands");
        let through = memory.operations() <= step;
        assert_ne!(open.take_head_trouble().is_some(), through);
        assert!(open.take_head_trouble().is_none() && open.poison().is_none(), "said once");
        let reached = memory.clone();
        if !through {
            let memory = memory.after(Survives::Everything);
            assert!(matches!(head(&super::store(&memory)), 0 | 2));
            commit(&mut open, turn("two"));
            assert_eq!(head(&store), 4);
        }
        reached
    });
}

#[test]
fn a_deleted_session_is_in_one_place_whatever_fails() {
    for plan in [Plan::Fail(Errno::NOSPC), Plan::Die] {
        at_each_operation(0, 10, |step| {
            let (memory, store) = prepared();
            let id = store.create(new_session(), at(0)).unwrap().id();
            memory.plan(step, plan);
            let done = store.trash(id, None, at(1)).and_then(|()| store.restore(id));
            for survives in Survives::ALL {
                let next = super::store(&memory.after(survives));
                let all = [next.list().unwrap(), next.list_trash().unwrap()].concat();
                // Where only one of two directories was synced, both can name it.
                let places = if survives == Survives::Synced { 1..3 } else { 1..2 };
                assert!(places.contains(&all.len()), "{step}, {survives:?}: {done:?}");
                let ready = all.iter().filter(|row| row.state == RowState::Ready).count();
                assert_eq!(ready, 1, "{step}, {survives:?}: {done:?}, {all:?}");
            }
            memory
        });
    }
}

#[test]
fn a_file_system_without_locks_is_said() {
    for locks in [Locks::Refused, Locks::Granted] {
        let (memory, store) = prepared();
        assert!(store.locks_work(at(0)).unwrap());
        memory.set_locks(locks);
        assert!(!store.locks_work(at(0)).unwrap());
        let open = store.create(new_session(), at(0)).unwrap();
        assert!(!open.locks_work() && matches!(open.found(), [Found::NoLocks]));
        let id = open.id();
        drop(open);
        let aside = store.layout().building(ids::session());
        memory.create_dir(&aside).unwrap();
        memory.overwrite(&layout::lock(&aside), b"");
        store.put_in_order().unwrap();
        assert!(memory.state(&aside).unwrap().is_some(), "somebody may be building it");
        let open = writable(store.open_session(id, at(1)).unwrap());
        assert!(!open.locks_work() && matches!(open.found(), [Found::NoLocks]));
    }
}

#[test]
fn whether_syncs_work_is_found_out_by_trying() {
    let memory = Memory::new();
    let store = store(&memory);
    memory.plan(usize::MAX, Plan::Fail(Errno::NOSPC));
    store.try_sync().unwrap();
    let operations = memory.operations();
    assert!(memory.list(&store.layout().sessions()).unwrap().is_empty(), "nothing is left of it");
    for operation in 0..operations {
        memory.plan(operation, Plan::Fail(Errno::NOSPC));
        assert!(store.try_sync().is_err(), "operation {operation}");
    }
}
