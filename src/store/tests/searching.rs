//! Searching inside all sessions, looking at one, and moving one away.

use super::*;
use crate::record::limits::LINE_BYTES;
use crate::record::{Decision, Evidence, Outcome};
use std::sync::Mutex;
use std::sync::atomic::AtomicBool;

fn search(store: &Store, words: &str) -> (Vec<Hit>, Searched) {
    let hits = Mutex::new(Vec::new());
    let needle = Needle::new(words).unwrap();
    let found = |new: Vec<Hit>| hits.lock().unwrap().extend(new);
    let searched = store.search(&needle, &AtomicBool::new(false), &found).unwrap();
    let mut hits = hits.into_inner().unwrap();
    hits.sort_by_key(|hit| (hit.id, hit.seq));
    (hits, searched)
}

fn session(store: &Store, messages: &[&str]) -> SessionId {
    let mut open = store.create(new_session(), at(0)).unwrap();
    for text in messages {
        commit(&mut open, turn(text));
    }
    open.id()
}

#[test]
fn what_anybody_said_is_found_with_its_place() {
    let memory = Memory::new();
    let store = store(&memory);
    session(&store, &["nothing here"]);
    let mut open = store.create(new_session(), at(0)).unwrap();
    let (id, this, dispatch) = (open.id(), ids::turn(), ids::dispatch());
    let (call, operation) = (bodies::call_id("c1"), bodies::operation("echo \"Needle\""));
    let mut denied = bodies::approval(this, &call, operation.clone());
    (denied.decision, denied.feedback) = (Decision::Denied, Some("no needles, please".into()));
    let mut result = bodies::result(this, &call, dispatch, Outcome::Completed, Evidence::Live);
    result.output = Some("first\nthe needle\tin the output\nlast".into());
    result.exit_code = Some(0);
    commit(&mut open, [bodies::message(this, "Find the NEEDLE\nin the hay").into()]);
    commit(&mut open, [bodies::response(this, &[bodies::call_item("c1", "echo \"Needle\"")]).into()]);
    let approval = bodies::approval(this, &call, operation.clone());
    commit(&mut open, [approval.into(), bodies::started(this, &call, dispatch, operation).into()]);
    commit(&mut open, [result.into(), bodies::ended(this, TurnStatus::Cancelled).into()]);
    drop(open);

    let (hits, searched) = search(&store, "needle");
    let said: Vec<_> = hits.iter().map(|hit| (hit.id, hit.seq, hit.who, hit.excerpt.as_str())).collect();
    assert_eq!(
        said,
        [
            (id, 1, Speaker::You, "Find the NEEDLE in the hay"),
            (id, 2, Speaker::Command, "echo \"Needle\""),
            (id, 5, Speaker::Output, "first the needle in the output last"),
        ]
    );
    assert_eq!(&hits[0].excerpt[hits[0].words.clone()], "NEEDLE");
    assert_eq!((searched.sessions, searched.unreadable, searched.hits, searched.more), (2, 0, 3, false));
    assert_eq!(search(&store, "needle in the HAY").0.len(), 1, "a line break is white space");
    assert_eq!(search(&store, "\"needle\"").0.len(), 1, "what JSON escapes is found");
    assert_eq!(search(&store, &id.to_string()).0.len(), 0, "what nobody said is not");
}

#[test]
fn damage_hides_nothing_else() {
    let memory = Memory::new();
    let store = store(&memory);
    let (damaged, gone) = (session(&store, &["the needle", "more"]), session(&store, &["the needle"]));
    let path = journal_of(&store, damaged);
    let mut bytes = memory.bytes(&path).unwrap();
    let broken = b"{\"a needle in a line that is none\"\n".to_vec();
    let long = [b"needle".repeat(LINE_BYTES / 3), b"\n".to_vec()].concat();
    let after = bytes.clone();
    bytes.extend([broken, long, after, b"{\"a torn needle".to_vec()].concat());
    memory.overwrite(&path, &bytes);
    memory.remove(&journal_of(&store, gone)).unwrap();
    let (hits, searched) = search(&store, "needle");
    assert_eq!(hits.iter().map(|hit| (hit.id, hit.seq)).collect::<Vec<_>>(), [(damaged, 1), (damaged, 1)]);
    assert_eq!((searched.sessions, searched.unreadable), (1, 1));
}

#[test]
fn a_search_ends_when_it_is_told_to_and_tells_only_so_much() {
    let memory = Memory::new();
    let store = store(&memory);
    let id = session(&store, &["needle"; 60]);
    let (hits, searched) = search(&store, "needle");
    assert_eq!((hits.len(), searched.more), (50, true));
    assert!(hits.iter().all(|hit| hit.id == id));
    let needle = Needle::new("needle").unwrap();
    let nothing = |_: Vec<Hit>| panic!("it was stopped");
    let searched = store.search(&needle, &AtomicBool::new(true), &nothing).unwrap();
    assert_eq!(searched, Searched::default());
}

#[test]
fn a_long_text_is_told_in_part() {
    let memory = Memory::new();
    let store = store(&memory);
    session(&store, &[&format!("{} ÄÖÜ {}", "ä".repeat(500), "ö".repeat(500))]);
    let (hits, _) = search(&store, "äöü");
    assert_eq!(hits[0].excerpt.chars().count(), 40 + 3 + 160);
    assert_eq!(&hits[0].excerpt[hits[0].words.clone()], "ÄÖÜ");
}

#[test]
fn a_preview_is_read_from_both_shelves_and_given_up() {
    let memory = Memory::new();
    let store = store(&memory);
    let id = session(&store, &["one", "two"]);
    let look = |shelf, stop| store.preview(id, shelf, Arc::new(AtomicBool::new(stop)));
    assert_eq!(look(Shelf::Sessions, false).unwrap().session.turns().len(), 2);
    assert!(matches!(look(Shelf::Sessions, true), Err(StoreError::Io { .. })));
    store.trash(id, None, at(2)).unwrap();
    assert!(look(Shelf::Sessions, false).is_err());
    let seen = look(Shelf::Trash, false).unwrap();
    assert_eq!((seen.session.turns().len(), seen.why), (2, None));
}

#[test]
fn a_damaged_session_is_previewed_as_far_as_it_goes() {
    let memory = Memory::new();
    let store = store(&memory);
    let id = session(&store, &["one", "two"]);
    let path = journal_of(&store, id);
    let mut bytes = memory.bytes(&path).unwrap();
    bytes.extend(b"nonsense\n");
    memory.overwrite(&path, &bytes);
    let seen = store.preview(id, Shelf::Sessions, Arc::default()).unwrap();
    assert_eq!(seen.session.turns().len(), 2);
    assert!(matches!(seen.why, Some(WhyReadOnly::Damaged(_))));
}

#[test]
fn what_may_have_happened_is_moved_only_by_name() {
    let memory = Memory::new();
    let store = store(&memory);
    let mut open = store.create(new_session(), at(0)).unwrap();
    let (id, this, dispatch) = (open.id(), ids::turn(), ids::dispatch());
    commit(&mut open, started(this, dispatch));
    drop(open);
    let wanted = |word: Option<&str>| match store.trash(id, word, at(2)) {
        Err(StoreError::WordWanted { unknown, word }) => (unknown, word),
        other => panic!("{other:?}"),
    };
    assert_eq!(wanted(None), (1, "Add".to_owned()), "its end is not known");
    let mut open = writable(store.open_session(id, at(3)).unwrap());
    let call = bodies::call_id("c1");
    let unknown = bodies::result(this, &call, dispatch, Outcome::Unknown, Evidence::None);
    commit(&mut open, [unknown.into(), bodies::ended(this, TurnStatus::Interrupted).into()]);
    drop(open);
    assert_eq!(wanted(Some("add")), (1, "Add".to_owned()), "the very word");
    store.trash(id, Some("Add"), at(4)).unwrap();
    assert!(store.list().unwrap().is_empty());
}

#[test]
fn the_list_has_the_beginning_of_the_first_message() {
    let memory = Memory::new();
    let store = store(&memory);
    let long = "\"quoted\" ä\n".repeat(2_000);
    let ids = [session(&store, &[&long, "second"]), session(&store, &["short"]), session(&store, &[])];
    let rows = store.list().unwrap();
    let message = |id| rows.iter().find(|row| row.id == id).unwrap().message.clone();
    let begins = message(ids[0]);
    assert!(long.starts_with(&begins) && begins.len() > 300, "{begins:?}");
    assert_eq!((message(ids[1]).as_str(), message(ids[2]).as_str()), ("short", ""));
}
