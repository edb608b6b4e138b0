//! Forks of every kind of session that the generator makes up.

use super::*;
use crate::journal::files::Files;
use crate::journal::files::memory::{Plan, Survives};
use crate::record::{Evidence, Outcome};
use crate::session::Session;
use crate::session::generate::{Story, plans};
use proptest::prelude::*;
use std::collections::BTreeSet;

/// Puts a made-up session into a store.
fn keep(story: &Story) -> (Memory, Store, SessionId) {
    let memory = Memory::new();
    let store = store(&memory);
    let header = story.session.header().unwrap();
    let records = story.records[1..].iter().map(|committed| committed.record.clone()).collect();
    let new = NewSession { origin: header.origin.clone(), records, ..new_session() };
    let id = store.create(new, at(0)).unwrap().id();
    (memory, store, id)
}

/// Effects of a session that may have happened: unknown, or started and open.
fn may_have_happened(session: &Session) -> BTreeSet<DispatchId> {
    let open = session.open_turn().into_iter().flat_map(|turn| turn.calls());
    let started = open.filter(|call| call.result.is_none()).filter_map(|call| call.start.as_ref());
    let started = started.map(|start| start.dispatch);
    session.unknown_effects().into_iter().map(|effect| effect.dispatch).chain(started).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn a_kept_session_comes_back_as_it_was(plan in plans()) {
        let story = plan.play();
        let (_, store, id) = keep(&story);
        let open = writable(store.open_session(id, at(1)).unwrap());
        let (kept, made) = (open.session(), &story.session);
        prop_assert_eq!(kept.next_seq(), made.next_seq());
        let bodies = |session: &Session| format!("{:?}", session.turns().iter().map(|turn| {
            (turn.id, turn.imported, turn.calls().map(|call| (call.id.clone(), call.outcome())).collect::<Vec<_>>())
        }).collect::<Vec<_>>());
        prop_assert_eq!(bodies(kept), bodies(made));
        prop_assert_eq!(kept.gating().len(), made.gating().len());
    }

    #[test]
    fn a_row_agrees_with_the_folded_session(plan in plans()) {
        let story = plan.play();
        let (_, store, id) = keep(&story);
        let row = store.list().unwrap().remove(0);
        prop_assert_eq!(row.id, id);
        let gating = story.session.gating().len();
        let expected = match (gating, story.session.open_turn()) {
            (0, None) => RowState::Ready,
            (0, Some(turn)) => RowState::Interrupted {
                command: turn.calls().any(|call| call.start.is_some() && call.result.is_none()),
            },
            (unknown, _) => RowState::NeedsYou { unknown },
        };
        prop_assert_eq!(row.state, expected);
    }

    #[test]
    fn a_fork_keeps_turns_statements_and_all_that_may_have_happened(plan in plans()) {
        let story = plan.play();
        let (_, store, id) = keep(&story);
        for (n, turn) in story.session.turns().iter().enumerate() {
            let fork = store.fork(id, Some(turn.id), "candor test", at(7));
            if turn.end.is_none() {
                prop_assert!(matches!(fork, Err(StoreError::NoTurn(_))));
                continue;
            }
            let fork = fork.unwrap();
            let turns: Vec<_> = fork.session().turns().iter().map(|turn| turn.id).collect();
            let original: Vec<_> = story.session.turns()[..=n].iter().map(|turn| turn.id).collect();
            prop_assert_eq!(turns, original);
            prop_assert_eq!(may_have_happened(fork.session()), may_have_happened(&story.session));
            let inherited = story.session.origin_unknown();
            for effect in fork.session().unknown_effects() {
                let is_kept = effect.call.is_some() || inherited.iter().any(|e| e.dispatch == effect.dispatch);
                let said = story.session.statement(effect.dispatch).filter(|_| is_kept);
                prop_assert_eq!(effect.statement, said);
            }
            let again = store.fork(fork.id(), None, "candor test", at(8)).unwrap();
            prop_assert_eq!(may_have_happened(again.session()), may_have_happened(fork.session()));
        }
    }
}

#[test]
fn outputs_are_linked_and_original_times_kept() {
    let (memory, dispatch) = (Memory::new(), ids::dispatch());
    let store = store(&memory);
    let mut open = store.create(new_session(), at(0)).unwrap();
    let (turn, id) = (ids::turn(), open.id());
    commit(&mut open, started(turn, dispatch));
    let call = bodies::call_id("c1");
    let result = bodies::result(turn, &call, dispatch, Outcome::Failed, Evidence::Live);
    commit(&mut open, [result.into(), bodies::ended(turn, TurnStatus::Cancelled).into()]);
    let folder = layout::call(open.dir(), dispatch);
    memory.create_dir(&folder).unwrap();
    for (name, bytes) in [("output", b"spool"), ("output.tail", b"end.."), ("launch.json", b"{.. }")] {
        memory.overwrite(&folder.join(name), bytes);
    }
    let fork = store.fork(id, Some(turn), "candor test", at(100)).unwrap();
    let linked = layout::call(fork.dir(), dispatch);
    assert_eq!(memory.bytes(&linked.join("output")).unwrap(), b"spool");
    let mut names = memory.list(&linked).unwrap();
    names.sort();
    assert_eq!(names, ["output", "output.tail"], "what was launched there was not launched here");
    let message = fork.session().turns()[0].messages().next().unwrap().clone();
    assert_eq!(crate::session::copied_at(message.ext.as_deref()), Some(at(1)));
    let rows = store.list().unwrap();
    let origin = |sid| rows.iter().find(|row| row.id == sid).map(|row| row.forked_from);
    assert_eq!((origin(fork.id()), origin(id)), (Some(Some(id)), Some(None)), "a list tells them apart");
    assert_eq!((message.at, fork.session().forked_from().map(|(sid, _)| sid)), (at(100), Some(id)));
}

#[test]
fn a_launched_command_that_the_journal_lost_gates_the_fork() {
    let memory = Memory::new();
    let store = store(&memory);
    let mut open = store.create(new_session(), at(0)).unwrap();
    commit(&mut open, turn("one"));
    let (id, lost, ended) = (open.id(), ids::dispatch(), ids::dispatch());
    for dispatch in [lost, ended] {
        let folder = layout::call(open.dir(), dispatch);
        memory.create_dir(&folder).unwrap();
        memory.overwrite(&folder.join("launch.json"), b"{}");
    }
    memory.overwrite(&layout::call(open.dir(), ended).join("receipt.json"), b"{}");
    drop(open);
    let fork = store.fork(id, None, "candor test", at(9)).unwrap();
    let listed: Vec<_> = fork.session().gating().iter().map(|effect| effect.dispatch).collect();
    assert_eq!(listed, [lost]);
    assert_eq!(fork.session().gating()[0].started_at, Some(ids::made_at(lost)));
    let id = fork.id();
    let row = store.list().unwrap().into_iter().find(|row| row.id == id).unwrap();
    assert_eq!(row.state, RowState::NeedsYou { unknown: 1 });
}

#[test]
fn a_fork_that_dies_leaves_nothing_or_all_of_it() {
    for step in 0.. {
        let memory = Memory::new();
        let store = store(&memory);
        let mut open = store.create(new_session(), at(0)).unwrap();
        commit(&mut open, turn("one"));
        let id = open.id();
        drop(open);
        memory.plan(step, Plan::Die);
        let forked = store.fork(id, None, "candor test", at(1)).is_ok();
        for survives in Survives::ALL {
            let next = super::store(&memory.after(survives));
            let rows = next.list().unwrap();
            assert!(rows.iter().all(|row| row.state == RowState::Ready), "{step}, {survives:?}: {rows:?}");
            assert!((1 + usize::from(forked)..=2).contains(&rows.len()), "{step}, {survives:?}");
            for row in rows {
                assert_eq!(writable(next.open_session(row.id, at(2)).unwrap()).session().next_seq(), 3);
            }
        }
        if forked {
            assert!(step > 30, "only {step} operations");
            return;
        }
    }
}
