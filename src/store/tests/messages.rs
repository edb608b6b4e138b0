//! What the history of the composer is read from.

use super::*;

fn said(store: &Store, without: Option<SessionId>) -> Vec<String> {
    store.messages_of("/home/me/shop", without)
}

#[test]
fn the_messages_of_a_directory_come_in_the_order_of_their_writing() {
    let memory = Memory::new();
    let store = store(&memory);
    let mut one = store.create(new_session(), at(0)).unwrap();
    let mut two = store.create(new_session(), at(1)).unwrap();
    let elsewhere = NewSession { cwd: "/home/me".into(), ..new_session() };
    let mut other = store.create(elsewhere, at(2)).unwrap();
    let say = |open: &mut OpenSession, text: &str, time| {
        turn(text).into_iter().for_each(|record| drop(open.commit(record, at(time)).unwrap()));
    };
    say(&mut one, "first", 3);
    say(&mut two, "second", 4);
    say(&mut one, "third", 5);
    commit(&mut other, turn("of another directory"));
    assert_eq!(said(&store, None), ["first", "second", "third"]);
    assert_eq!(said(&store, Some(one.id())), ["second"], "an open session brings its own");
    let id = two.id();
    drop(two);
    store.trash(id, None, at(6)).unwrap();
    assert_eq!(said(&store, None), ["first", "third"], "the trash is out of the history");
}

#[test]
fn damage_hides_no_message_of_another_session() {
    let memory = Memory::new();
    let store = store(&memory);
    let mut one = store.create(new_session(), at(0)).unwrap();
    let mut two = store.create(new_session(), at(1)).unwrap();
    commit(&mut one, turn("whole"));
    commit(&mut two, turn("broken"));
    memory.overwrite(&journal_of(&store, two.id()), b"{\"v\":1,\"sid\"\nnonsense\n");
    assert_eq!(said(&store, None), ["whole"]);
}

#[test]
fn a_long_history_keeps_its_newest_thousand() {
    let memory = Memory::new();
    let store = store(&memory);
    let mut open = store.create(new_session(), at(0)).unwrap();
    for n in 0..1_010 {
        turn(&format!("message {n}"))
            .into_iter()
            .for_each(|record| drop(open.commit(record, at(n)).unwrap()));
    }
    let said = said(&store, None);
    assert_eq!((said.len(), said[0].as_str()), (1_000, "message 10"));
    assert_eq!(said.last().unwrap(), "message 1009");
}

#[test]
fn copies_in_a_fork_are_not_said_twice() {
    let memory = Memory::new();
    let store = store(&memory);
    let mut open = store.create(new_session(), at(0)).unwrap();
    commit(&mut open, turn("once"));
    let id = open.id();
    drop(open);
    drop(store.fork(id, None, "candor test", at(2)).unwrap());
    assert_eq!(said(&store, None), ["once"]);
}
