//! A power cut, or the death of the process, at every single operation.

use super::*;
use crate::journal::files::memory::{Plan, Survives};
use crate::record::Digest;

/// What was told to be durable: the session and how many of its records.
#[derive(Debug, Default, Clone, Copy)]
struct Told {
    session: Option<SessionId>,
    records: u64,
}

/// A session's whole life; stops at the first thing that is not done.
fn life(store: &Store, told: &mut Told) -> Option<()> {
    let mut open = store.create(new_session(), at(0)).ok()?;
    *told = Told { session: Some(open.id()), records: 1 };
    let renamed = SessionRenamed { title: "Another title".into(), ext: None }.into();
    for record in turn("one").into_iter().chain([renamed]).chain(turn("two")) {
        open.commit(record, at(1)).ok()?;
        told.records += 1;
    }
    Some(())
}

#[test]
fn what_was_told_to_be_saved_is_there_after_a_power_cut() {
    for plan in [Plan::Die, Plan::DieInWrite(0), Plan::DieInWrite(60), Plan::DieInWrite(10_000)] {
        for step in 0.. {
            let memory = Memory::new();
            let store = store(&memory);
            memory.plan(step, plan);
            let mut told = Told::default();
            let lived = life(&store, &mut told);
            for survives in Survives::ALL {
                check(&memory.after(survives), told, &format!("{plan:?} at {step}, {survives:?}"));
            }
            if lived.is_some() {
                assert!(step > 60, "only {step} operations");
                break;
            }
        }
    }
}

fn check(memory: &Memory, told: Told, moment: &str) {
    let store = store(memory);
    let rows = store.list().unwrap();
    assert!(rows.len() <= 1 && rows.len() >= usize::from(told.session.is_some()), "{moment}: {rows:?}");
    for row in rows {
        let fine = matches!(row.state, RowState::Ready | RowState::Interrupted { .. });
        assert!(fine && told.session.is_none_or(|id| id == row.id), "{moment}: {row:?}");
        let open = writable(store.open_session(row.id, at(9)).unwrap());
        let session = open.session();
        let own = session.next_seq() - session.tails().len() as u64;
        assert!((told.records..=told.records + 1).contains(&own), "{moment}: {own} of {}", told.records);
        check_tails(memory, &open, moment);
    }
}

/// Every copy of a tail is named by a record with its hash.
fn check_tails(memory: &Memory, open: &OpenSession, moment: &str) {
    for tail in open.session().tails() {
        let copy = memory.bytes(&open.dir().join(format!("tail-{}", tail.record.offset))).unwrap();
        let named = (tail.record.bytes, tail.record.sha256);
        assert_eq!(named, (copy.len() as u64, Digest::of(&copy)), "{moment}");
    }
    let names = crate::journal::files::Files::list(memory, open.dir()).unwrap();
    let copies = names.iter().filter(|name| name.to_string_lossy().starts_with("tail-")).count();
    assert_eq!(copies, open.session().tails().len(), "{moment}");
}

/// A session with a torn tail of these bytes, and where they begin.
fn torn(tail: &[u8]) -> (Memory, SessionId, u64) {
    let memory = Memory::new();
    let store = store(&memory);
    let mut open = store.create(new_session(), at(0)).unwrap();
    let id = open.id();
    commit(&mut open, turn("one"));
    drop(open);
    let path = journal_of(&store, id);
    let whole = memory.bytes(&path).unwrap();
    memory.overwrite(&path, &[&whole, tail].concat());
    (memory.after(Survives::Everything), id, whole.len() as u64)
}

#[test]
fn a_torn_tail_is_kept_whatever_interrupts_its_moving() {
    const TAIL: &[u8] = b"{\"v\":1,\"sid\":\"half a reco";
    for plan in [Plan::Die, Plan::DieInWrite(1), Plan::DieInWrite(60), Plan::DieInWrite(500)] {
        for step in 0.. {
            let (memory, id, offset) = torn(TAIL);
            memory.plan(step, plan);
            let opened = store_without_tidying(&memory).open_session(id, at(2));
            let opened = matches!(opened, Ok(Opened::Writable(_)));
            for survives in Survives::ALL {
                let moment = format!("{plan:?} at {step}, {survives:?}");
                let memory = memory.after(survives);
                let store = super::store(&memory);
                let cut = after_last_line(&memory.bytes(&journal_of(&store, id)).unwrap());
                let open = writable(store.open_session(id, at(3)).unwrap());
                check_tails(&memory, &open, &moment);
                let copy = memory.bytes(&open.dir().join(format!("tail-{offset}"))).unwrap();
                for bytes in [TAIL, &cut].into_iter().filter(|bytes| !bytes.is_empty()) {
                    assert!(copy.windows(bytes.len()).any(|window| window == bytes), "{moment}");
                }
                let head = open.head();
                drop(open);
                let again = writable(store.open_session(id, at(4)).unwrap());
                assert!(again.head() == head && again.found().is_empty(), "{moment}: opened twice");
            }
            if opened {
                assert!(step > 30, "only {step} operations");
                break;
            }
        }
    }
}

fn after_last_line(journal: &[u8]) -> Vec<u8> {
    let end = journal.iter().rposition(|byte| *byte == b'\n').unwrap();
    journal[end + 1..].to_vec()
}

#[test]
fn a_copy_whose_bytes_still_stand_in_the_journal_is_removed() {
    let (memory, id, whole) = torn(b"");
    let store = store(&memory);
    let dir = store.layout().session(id);
    let bytes = memory.bytes(&journal_of(&store, id)).unwrap();
    let (copied, other) = (dir.join(format!("tail-{}", whole - 20)), dir.join("tail-7"));
    memory.overwrite(&copied, &bytes[bytes.len() - 20..]);
    memory.overwrite(&other, b"not what stands at byte 7");
    let open = writable(store.open_session(id, at(2)).unwrap());
    assert_eq!(memory.bytes(&copied), None);
    assert_eq!(open.session().tails().iter().map(|tail| tail.record.offset).collect::<Vec<_>>(), [7]);
    check_tails(&memory, &open, "a copy that no record named");
}

#[test]
fn a_journal_cut_at_every_byte_opens_with_its_tail_kept() {
    let (memory, id, whole) = torn(b"");
    let store = store(&memory);
    let path = journal_of(&store, id);
    let bytes = memory.bytes(&path).unwrap();
    let lines: Vec<usize> =
        bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at + 1).collect();
    for cut in lines[0]..usize::try_from(whole).unwrap() {
        let memory = memory.after(Survives::Everything);
        memory.overwrite(&path, &bytes[..cut]);
        let store = super::store(&memory);
        let view = read_only(store.open_session(id, at(2)).unwrap());
        assert_eq!(view.why(), Some(&WhyReadOnly::Missing(MissingRecords::Behind { seq: 2 })), "{cut}");
        assert_eq!(memory.bytes(&path).unwrap().len(), cut, "nothing is written");

        let reading = view.reading();
        let good = lines.iter().rev().find(|end| **end <= cut).copied().unwrap();
        let torn = reading.torn.as_ref().map_or(&[][..], |torn| &torn.bytes);
        assert_eq!((reading.bytes, torn), (good as u64, &bytes[good..cut]));
    }
}
