//! Rows of the list.

use super::*;
use crate::journal::files::{Files, Hold, How};
use crate::record::{Acknowledged, By, Evidence, Outcome, Statement, StatementKind};

fn state(store: &Store, id: SessionId) -> RowState {
    store.list().unwrap().into_iter().find(|row| row.id == id).unwrap().state
}

#[test]
fn each_state_has_its_row() {
    let memory = Memory::new();
    let store = store(&memory);
    let mut open = store.create(new_session(), at(0)).unwrap();
    let id = open.id();
    commit(&mut open, turn("hello"));
    assert!(matches!(state(&store, id), RowState::OpenElsewhere(Some(_))));
    drop(open);
    assert_eq!(state(&store, id), RowState::Ready);

    let (turn, dispatch) = (ids::turn(), ids::dispatch());
    let mut open = writable(store.open_session(id, at(2)).unwrap());
    commit(&mut open, started(turn, dispatch));
    drop(open);
    assert_eq!(state(&store, id), RowState::Interrupted { command: true });
    assert!(state(&store, id).wants_a_person());

    let folder = layout::call(&store.layout().session(id), dispatch);
    memory.create_dir(&folder).unwrap();
    let receipt = memory.open(&folder.join("receipt.json"), How::Lock).unwrap();
    assert_eq!(state(&store, id), RowState::Interrupted { command: false }, "its receipt tells its end");
    drop(receipt);
    memory.remove(&folder.join("receipt.json")).unwrap();
    let supervisor = memory.open(&folder.join("lock"), How::Lock).unwrap();
    supervisor.try_lock(Hold::Exclusive).unwrap();
    let command = Some(("make".to_owned(), at(1)));
    assert_eq!(state(&store, id), RowState::CommandRunning { command, open: false });
    assert!(matches!(store.trash(id, None, at(3)), Err(StoreError::Running(which)) if which == dispatch));
    drop(supervisor);

    let mut open = writable(store.open_session(id, at(4)).unwrap());
    let call = bodies::call_id("c1");
    let unknown = bodies::result(turn, &call, dispatch, Outcome::Unknown, Evidence::None);
    commit(&mut open, [unknown.into(), bodies::ended(turn, TurnStatus::Interrupted).into()]);
    drop(open);
    assert_eq!(state(&store, id), RowState::NeedsYou { unknown: 1 });

    let mut open = writable(store.open_session(id, at(5)).unwrap());
    let statements = vec![Statement { dispatch, statement: StatementKind::Happened, note: None }];
    commit(&mut open, [Acknowledged { statements, by: By::User, ext: None }.into()]);
    drop(open);
    assert_eq!(state(&store, id), RowState::Ready);
}

#[test]
fn a_damaged_session_is_one_row_and_hides_no_other() {
    let memory = Memory::new();
    let store = store(&memory);
    let ids: Vec<_> = (0..1_000)
        .map(|n| {
            let mut open = store.create(new_session(), at(n)).unwrap();
            open.commit(SessionRenamed { title: format!("session {n}"), ext: None }.into(), at(n)).unwrap();
            open.id()
        })
        .collect();
    memory.overwrite(&journal_of(&store, ids[7]), b"{\"v\":1,\"sid\"\nnonsense\n");
    let rows = store.list().unwrap();
    assert_eq!(rows.len(), 1_000);
    let damaged: Vec<_> = rows.iter().filter(|row| matches!(row.state, RowState::Damaged(_))).collect();
    assert_eq!(damaged.iter().map(|row| row.id).collect::<Vec<_>>(), [ids[7]]);
    assert_eq!(damaged[0].title, "session 7", "its head still tells its title");
    assert_eq!(rows[0].title, "session 999", "the newest is first");
}

#[test]
fn a_head_without_a_session_is_a_missing_session() {
    let memory = Memory::new();
    let store = store(&memory);
    let id = store.create(new_session(), at(0)).unwrap().id();
    memory.remove_all(&store.layout().session(id)).unwrap();
    assert_eq!(state(&store, id), RowState::Missing);
    assert!(matches!(store.open_session(id, at(1)), Err(StoreError::Lost(_))));
}

#[test]
fn a_journal_cut_at_a_line_is_not_whole() {
    let memory = Memory::new();
    let store = store(&memory);
    let mut open = store.create(new_session(), at(0)).unwrap();
    let id = open.id();
    commit(&mut open, turn("hello"));
    drop(open);
    let path = journal_of(&store, id);
    let bytes = memory.bytes(&path).unwrap();
    let first = bytes.iter().position(|byte| *byte == b'\n').unwrap();
    memory.overwrite(&path, &bytes[..=first]);
    assert!(matches!(state(&store, id), RowState::Damaged(_)));
    let view = read_only(store.open_session(id, at(1)).unwrap());
    assert_eq!(view.why(), Some(&WhyReadOnly::Missing(MissingRecords::Behind { seq: 2 })));
}

#[test]
fn the_trash_gives_back_what_it_got() {
    let memory = Memory::new();
    let store = store(&memory);
    let id = store.create(new_session(), at(0)).unwrap().id();
    store.trash(id, None, at(1)).unwrap();
    assert!(store.list().unwrap().is_empty());
    assert_eq!(store.list_trash().unwrap()[0].id, id);
    store.restore(id).unwrap();
    assert_eq!(state(&store, id), RowState::Ready);
    assert!(store.list_trash().unwrap().is_empty());
    assert!(matches!(store.restore(id), Err(StoreError::NoSession(_))));
}
