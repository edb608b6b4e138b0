//! The store on files in memory, with faults and power cuts at every operation.

use super::*;
use crate::journal::files::memory::Memory;
use crate::record::{
    DispatchId, Origin, Record, SessionRenamed, Timestamp, TurnEnded, TurnId, TurnStatus, UserMessage,
};
use crate::session::generate::bodies;

/// Some moment, in milliseconds after the first.
fn at(millis: i64) -> Timestamp {
    Timestamp::from_millis(1_796_000_000_000 + millis)
}

/// Below a home that no start has made yet.
const DATA: &str = "/home/data";
const CONFIG: &str = "/home/config";

fn store(memory: &Memory) -> Store {
    opened(memory).unwrap()
}

/// As a start does it.
fn opened(memory: &Memory) -> Result<Store, StoreError> {
    Store::open(Path::new(DATA), Path::new(CONFIG), Kind::Real, Arc::new(memory.clone()))
}

/// With nothing made and nothing tidied.
fn store_without_tidying(memory: &Memory) -> Store {
    Store::on(Arc::new(memory.clone()), Path::new(DATA), Path::new(CONFIG), Kind::Real)
}

fn new_session() -> NewSession {
    NewSession {
        app: "candor test".into(),
        cwd: "/home/me/shop".into(),
        title: Some("Add milk".into()),
        origin: Origin::New {},
        records: Vec::new(),
    }
}

/// A turn that failed before it had an answer.
fn turn(text: &str) -> [Record; 2] {
    let turn = ids::turn();
    let error = Some("no server".into());
    [
        UserMessage { turn, text: text.into(), imported: false, ext: None }.into(),
        TurnEnded { turn, status: TurnStatus::Failed, error, ext: None }.into(),
    ]
}

/// A turn up to the start of its one command.
fn started(turn: TurnId, dispatch: DispatchId) -> Vec<Record> {
    let (call, operation) = (bodies::call_id("c1"), bodies::operation("make"));
    vec![
        bodies::message(turn, "build it").into(),
        bodies::response(turn, &[bodies::call_item("c1", "make")]).into(),
        bodies::approval(turn, &call, operation.clone()).into(),
        bodies::started(turn, &call, dispatch, operation).into(),
    ]
}

fn commit(open: &mut OpenSession, records: impl IntoIterator<Item = Record>) {
    for record in records {
        open.commit(record, at(1)).unwrap();
    }
}

fn journal_of(store: &Store, id: SessionId) -> PathBuf {
    layout::journal(&store.layout().session(id))
}

fn read_only(opened: Opened) -> View {
    match opened {
        Opened::Writable(_) => panic!("writable"),
        Opened::ReadOnly(view) => *view,
    }
}

fn writable(opened: Opened) -> OpenSession {
    match opened {
        Opened::Writable(open) => *open,
        Opened::ReadOnly(view) => panic!("read-only: {:?}", view.why()),
    }
}

#[test]
fn what_was_committed_is_there_after_opening() {
    let memory = Memory::new();
    let store = store(&memory);
    let mut made = store.create(new_session(), at(0)).unwrap();
    commit(&mut made, turn("hello"));
    let (id, head) = (made.id(), made.head());
    drop(made);
    let opened = writable(store.open_session(id, at(2)).unwrap());
    assert_eq!((opened.session().next_seq(), opened.head()), (3, head));
    assert_eq!(opened.session().title(), "Add milk");
    assert!(opened.locks_work() && opened.found().is_empty());
}

mod faults;
mod forks;
mod inspecting;
mod keys;
mod list;
mod losing;
mod matrix;
mod messages;
mod opening;
mod power;
mod searching;
mod works;
