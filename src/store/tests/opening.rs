//! What stands against writing, and what a reader gets then.

use super::*;
use crate::journal::files::Files;
use crate::journal::files::memory::Survives;
use crate::journal::seal::{self, Domain};
use crate::journal::{Fault, Newer};
use crate::record::{Digest, Order};

/// A session with these records, closed.
fn session(records: impl IntoIterator<Item = Record>) -> (Memory, Store, SessionId) {
    let memory = Memory::new();
    let store = store(&memory);
    let mut open = store.create(new_session(), at(0)).unwrap();
    commit(&mut open, records);
    let id = open.id();
    drop(open);
    (memory, store, id)
}

/// Appends a line that the session's key signs, whatever it says.
fn append_signed(memory: &Memory, store: &Store, id: SessionId, v: u64, kind: &str, body: &str) {
    let view = store.view(id).unwrap();
    let (seq, prev, now) = (view.reading().chain.hashes().len(), view.head(), at(5));
    let unsigned = format!(
        r#"{{"v":{v},"sid":"{id}","seq":{seq},"prev":"{prev}","at":"{now}","type":"{kind}","body":{body}"#
    );
    let line = seal::seal(Domain::Journal, unsigned.into_bytes(), &store.keys().current().unwrap());
    append(memory, store, id, &line);
}

fn append(memory: &Memory, store: &Store, id: SessionId, bytes: &[u8]) {
    let path = journal_of(store, id);
    memory.overwrite(&path, &[memory.bytes(&path).unwrap(), bytes.to_vec()].concat());
}

fn why(store: &Store, id: SessionId) -> WhyReadOnly {
    read_only(store.open_session(id, at(9)).unwrap()).why().unwrap().clone()
}

#[test]
fn every_changed_byte_is_refused() {
    let (memory, store, id) = session(turn("hello"));
    let path = journal_of(&store, id);
    let bytes = memory.bytes(&path).unwrap();
    let ends: Vec<usize> = (0..bytes.len()).filter(|at| bytes[*at] == b'\n').collect();
    for position in 0..bytes.len() {
        for change in [0x01, 0x80] {
            let mut changed = bytes.clone();
            changed[position] ^= change;
            memory.overwrite(&path, &changed);
            let line = ends.iter().filter(|end| **end < position).count() as u64;
            match store.open_session(id, at(9)) {
                Ok(Opened::Writable(_)) => panic!("byte {position} was changed and nobody saw it"),
                Ok(Opened::ReadOnly(view)) => {
                    // Without the key that the first line names, the first bad one is guessed.
                    let good = view.reading().key.as_ref().map_or(view.session().next_seq(), |_| line);
                    assert_eq!(view.session().next_seq(), good, "byte {position}: {:?}", view.why());
                }
                Err(error) => assert!(matches!(error, StoreError::Unreadable(_)) && line == 0, "{error}"),
            }
            assert_eq!(memory.bytes(&path).unwrap(), changed, "byte {position}: the file was touched");
        }
    }
}

#[test]
fn a_removed_or_doubled_or_exchanged_line_is_damage_with_its_number() {
    let (memory, store, id) = session([turn("one"), turn("two")].concat());
    let path = journal_of(&store, id);
    let bytes = memory.bytes(&path).unwrap();
    let lines: Vec<&[u8]> = bytes.split_inclusive(|byte| *byte == b'\n').collect();
    for (order, line) in [(&[0, 2, 3, 4][..], 2), (&[0, 1, 1, 2, 3, 4], 3), (&[0, 1, 3, 2, 4], 3)] {
        let changed: Vec<u8> = order.iter().flat_map(|line| lines[*line].to_vec()).collect();
        memory.overwrite(&path, &changed);
        let WhyReadOnly::Damaged(damage) = why(&store, id) else { panic!("not damaged") };
        assert_eq!(damage.line, line);
        assert!(matches!(damage.fault, Fault::Sequence { .. }), "{damage}");
    }
}

#[test]
fn a_line_of_another_session_or_key_is_damage() {
    let (memory, store, id) = session(turn("one"));
    let other = store.create(new_session(), at(0)).unwrap().id();
    let foreign = memory.bytes(&journal_of(&store, other)).unwrap();
    append(&memory, &store, id, &foreign);
    assert!(matches!(why(&store, id), WhyReadOnly::Damaged(damage) if damage.fault == Fault::Session(other)));

    let (memory, store, id) = session(turn("one"));
    store.keys().make_current().unwrap();
    append_signed(&memory, &store, id, 1, "session_renamed", r#"{"title":"x"}"#);
    let WhyReadOnly::Damaged(damage) = why(&store, id) else { panic!("not damaged") };
    assert!(matches!(damage.fault, Fault::Signature(_)) && damage.line == 4, "{damage}");
}

#[test]
fn a_signed_record_out_of_order_is_damage() {
    let (memory, store, id) = session(turn("one"));
    let turn = ids::turn();
    let body = format!(r#"{{"turn":"{turn}","status":"completed"}}"#);
    append_signed(&memory, &store, id, 1, "turn_ended", &body);
    assert!(
        matches!(why(&store, id), WhyReadOnly::Damaged(damage) if matches!(damage.fault, Fault::Order(_)))
    );
}

#[test]
fn what_a_newer_version_wrote_is_read_up_to_there() {
    for (v, kind, body) in [
        (1, "telemetry", "{}"),
        (1, "session_renamed", r#"{"title":"x","colour":"red"}"#),
        (2, "session_renamed", r#"{"title":"x"}"#),
    ] {
        let (memory, store, id) = session(turn("one"));
        append_signed(&memory, &store, id, v, kind, body);
        append_signed(&memory, &store, id, 1, "session_renamed", r#"{"title":"later"}"#);
        let view = read_only(store.open_session(id, at(9)).unwrap());
        let Some(WhyReadOnly::Newer(Newer { line: 4, lines: 2, .. })) = view.why() else {
            panic!("{:?}", view.why())
        };
        assert_eq!((view.session().next_seq(), view.session().title()), (3, "Add milk"));
        assert!(matches!(store.list().unwrap()[0].state, RowState::ReadOnly(_)));
    }
    let (memory, store, id) = session(turn("one"));
    append(&memory, &store, id, b"{\"v\":7,\"form\":\"another\"}\nnot even JSON\n");
    let view = read_only(store.open_session(id, at(9)).unwrap());
    assert!(matches!(view.why(), Some(WhyReadOnly::Newer(Newer { line: 4, lines: 2, .. }))));
}

#[test]
fn without_its_key_a_session_is_read_and_forked() {
    let (memory, store, id) = session(turn("one"));
    let key = store.keys().list().unwrap()[0].id.clone();
    memory.remove(&store.keys().dir().join(format!("{key}.seed"))).unwrap();
    assert_eq!(why(&store, id), WhyReadOnly::KeyGone(key.clone()));
    memory.remove(&store.keys().dir().join(format!("{key}.pub"))).unwrap();
    assert_eq!(why(&store, id), WhyReadOnly::KeyGone(key));
    store.keys().make_current().unwrap();
    let fork = store.fork(id, None, "candor test", at(10)).unwrap();
    assert_eq!(fork.session().turns().len(), 1);
}

#[test]
fn the_head_shows_that_records_are_missing() {
    let (memory, store, id) = session(turn("one"));
    let head = store.layout().head(id);
    let written = memory.bytes(&head).unwrap();
    let missing = |store: &Store| match why(store, id) {
        WhyReadOnly::Missing(missing) => missing,
        other => panic!("{other}"),
    };
    memory.remove(&head).unwrap();
    assert_eq!(missing(&store), MissingRecords::NoHead);
    let mut forged = written.clone();
    forged[60] ^= 1;
    memory.overwrite(&head, &forged);
    assert_eq!(missing(&store), MissingRecords::BadHead);
    let key = store.keys().current().unwrap();
    Head::new(id, 1, Digest::of(b"another"), "t").write(&memory, &head, &key).unwrap();
    assert_eq!(missing(&store), MissingRecords::Another { seq: 1 });
    Head::new(id, 3, Digest::of(b"another"), "t").write(&memory, &head, &key).unwrap();
    assert_eq!(missing(&store), MissingRecords::Behind { seq: 3 });
    memory.overwrite(&head, &written);
    writable(store.open_session(id, at(9)).unwrap());
}

#[test]
fn a_launched_command_without_any_record_means_that_records_are_missing() {
    let (memory, store, id) = session(turn("one"));
    let (dir, dispatch) = (store.layout().session(id), ids::dispatch());
    let folder = layout::call(&dir, dispatch);
    memory.create_dir(&folder).unwrap();
    writable(store.open_session(id, at(9)).unwrap());
    memory.overwrite(&folder.join("launch.json"), b"{}");
    assert_eq!(why(&store, id), WhyReadOnly::Missing(MissingRecords::Launch(dispatch)));
}

#[test]
fn a_launched_command_of_an_open_call_is_left_to_recovery() {
    let (turn, dispatch) = (ids::turn(), ids::dispatch());
    let approved = &started(turn, dispatch)[..3];
    let (memory, store, id) = session(approved.to_vec());
    let folder = layout::call(&store.layout().session(id), dispatch);
    memory.create_dir(&folder).unwrap();
    let operation = bodies::operation("make");
    let order = Order {
        v: 1,
        session: id,
        turn,
        call: bodies::call_id("c1"),
        dispatch,
        fingerprint: operation.fingerprint(),
        operation,
    };
    memory.overwrite(&folder.join("order.json"), &serde_json::to_vec(&order).unwrap());
    memory.overwrite(&folder.join("launch.json"), b"{}");
    writable(store.open_session(id, at(9)).unwrap());
}

#[test]
fn a_second_comer_is_told_who_holds_it_and_follows() {
    let memory = Memory::new();
    let store = store(&memory);
    let mut open = store.create(new_session(), at(0)).unwrap();
    let id = open.id();
    let mut view = read_only(store.open_session(id, at(1)).unwrap());
    let Some(WhyReadOnly::OpenElsewhere(Some(holder))) = view.why() else { panic!("{:?}", view.why()) };
    assert_eq!((holder.pid, holder.since), (std::process::id(), at(0)));
    assert!(view.follow().unwrap().is_empty());
    commit(&mut open, turn("hello"));
    let new = view.follow().unwrap();
    assert_eq!(new.iter().map(|committed| committed.seq).collect::<Vec<_>>(), [1, 2]);
    assert_eq!((view.head(), view.session().next_seq()), (open.head(), 3));

    // Half a line waits, a bad one ends it.
    append(&memory, &store, id, b"{\"v\":1");
    assert!(view.follow().unwrap().is_empty() && view.reading().damage.is_none());
    append(&memory, &store, id, b"}\n");
    assert!(view.follow().unwrap().is_empty());
    assert!(matches!(view.why(), Some(WhyReadOnly::Damaged(damage)) if damage.line == 4));
    memory.rename(&store.layout().session(id), &store.layout().trashed(id)).unwrap();
    assert!(view.follow().is_err());
}

#[test]
fn the_lock_is_free_again_after_closing_or_dying() {
    let memory = Memory::new();
    let store = store(&memory);
    let open = store.create(new_session(), at(0)).unwrap();
    let id = open.id();
    assert!(matches!(store.trash(id, None, at(1)), Err(StoreError::InUse(Some(_)))));
    let after_death = super::store(&memory.after(Survives::Everything));
    writable(after_death.open_session(id, at(1)).unwrap());
    drop(open);
    writable(store.open_session(id, at(1)).unwrap());
}

#[test]
fn two_opens_on_the_real_disk_exclude_each_other() {
    let dir = tempfile::tempdir().unwrap();
    let store = Store::open(
        &dir.path().join("data"),
        &dir.path().join("config"),
        Kind::Demo,
        Arc::new(crate::journal::files::Disk),
    )
    .unwrap();
    let open = store.create(new_session(), at(0)).unwrap();
    let id = open.id();
    if !open.locks_work() {
        println!("skipped: locks do not work in {}", dir.path().display());
        return;
    }
    let view = read_only(store.open_session(id, at(1)).unwrap());
    let Some(WhyReadOnly::OpenElsewhere(Some(holder))) = view.why() else { panic!("{:?}", view.why()) };
    assert_eq!(holder.pid, std::process::id());
    drop(open);
    let mut open = writable(store.open_session(id, at(1)).unwrap());
    commit(&mut open, turn("hello"));
    assert!(store.layout().session(id).starts_with(dir.path().join("data/demo/sessions")));
    assert_eq!(store.of_kind(Kind::Real).having(id).map(|store| store.kind()), Some(Kind::Demo));
}

#[test]
fn a_journal_that_is_a_link_is_refused_by_name() {
    let dir = tempfile::tempdir().unwrap();
    let disk = Arc::new(crate::journal::files::Disk);
    let store = Store::open(&dir.path().join("data"), &dir.path().join("config"), Kind::Real, disk).unwrap();
    let id = store.create(new_session(), at(0)).unwrap().id();
    let path = journal_of(&store, id);
    std::fs::rename(&path, dir.path().join("elsewhere")).unwrap();
    std::os::unix::fs::symlink(dir.path().join("elsewhere"), &path).unwrap();
    let error = store.open_session(id, at(1)).err().unwrap().to_string();
    assert!(error.contains("journal.jsonl: it is a symbolic link"), "{error}");
}

#[test]
fn a_draft_comes_back_until_it_is_sent() {
    let (_, store, id) = session(turn("one"));
    assert_eq!(store.draft(id), None);
    store.keep_draft(id, "half a thought").unwrap();
    assert_eq!(store.draft(id).as_deref(), Some("half a thought"));
    store.keep_draft(id, "").unwrap();
    store.keep_draft(id, "").unwrap();
    assert_eq!(store.draft(id), None);
}
