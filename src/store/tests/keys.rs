//! Keys are made once and stay.

use super::*;
use crate::journal::files::memory::{Plan, Survives};
use std::sync::Barrier;

#[test]
fn of_two_first_starts_the_loser_takes_the_winners_key() {
    for _ in 0..20 {
        let dir = tempfile::tempdir().unwrap();
        let start = Barrier::new(4);
        let first = || {
            start.wait();
            let store = Store::at(&dir.path().join("data"), &dir.path().join("config"), Kind::Real);
            store.keys().current().unwrap().verifying_key()
        };
        let keys: Vec<_> = std::thread::scope(|scope| {
            let starts: Vec<_> = (0..4).map(|_| scope.spawn(first)).collect();
            starts.into_iter().map(|start| start.join().unwrap()).collect()
        });
        assert!(keys.iter().all(|key| *key == keys[0]));
        let names = std::fs::read_dir(dir.path().join("config/keys")).unwrap().count();
        assert_eq!(names, 3, "the losers' keys are gone");
    }
}

#[test]
fn another_key_is_for_future_sessions_and_the_old_one_stays() {
    let memory = Memory::new();
    let store = store(&memory);
    let old = store.create(new_session(), at(0)).unwrap().id();
    let made = store.keys().make_current().unwrap();
    let new = store.create(new_session(), at(1)).unwrap();
    assert_eq!(new.session().header().unwrap().key_id, made.id);
    let opened = writable(store.open_session(old, at(2)).unwrap());
    assert_ne!(opened.session().header().unwrap().key_id, made.id);
    let current: Vec<_> = store.keys().list().unwrap().into_iter().filter(|key| key.current).collect();
    assert_eq!(current, [made]);
}

#[test]
fn a_first_start_that_dies_leaves_a_key_or_none() {
    for step in 0.. {
        let memory = Memory::new();
        let store = store(&memory);
        memory.plan(step, Plan::Die);
        let made = store.keys().current().ok();
        for survives in Survives::ALL {
            let next = super::store(&memory.after(survives));
            let key = next.keys().current().unwrap();
            assert!(made.as_ref().is_none_or(|made| *made == key), "{step}, {survives:?}");
        }
        if made.is_some() {
            assert!(step > 20);
            return;
        }
    }
}

#[test]
fn a_key_that_is_named_and_gone_is_an_error_with_its_id() {
    let memory = Memory::new();
    let store = store(&memory);
    let id = keys_id(&store);
    crate::journal::files::Files::remove(&memory, &store.keys().dir().join(format!("{id}.seed"))).unwrap();
    let error = store.create(new_session(), at(0)).err().unwrap();
    assert!(error.to_string().contains(&id), "{error}");
}

fn keys_id(store: &Store) -> String {
    store.keys().current().unwrap();
    store.keys().list().unwrap()[0].id.to_string()
}
