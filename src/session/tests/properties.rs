//! What holds for every prefix of every history.

use crate::record::{ContextItem, ItemKind, Record, StatementKind};
use crate::session::generate::folders::{Sketch, arbitrary, consistent, draw};
use crate::session::generate::story::{fingerprint, next_after};
use crate::session::generate::{Story, bodies, dispatch_id, plans};
use crate::session::{ContextOptions, Found, Recovery, Session, context, missing_records, recover};
use proptest::prelude::*;
use std::collections::BTreeSet;

fn config() -> ProptestConfig {
    ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() }
}

/// Fresh ids that depend on the session only, so that two ways to the same
/// records can be compared.
fn recovered(session: &Session, found: Found<'_>) -> Recovery {
    let mut next = 50_000 + session.dispatch_count() as u128;
    recover(session, found, || {
        next += 1;
        dispatch_id(next - 1)
    })
}

fn commit(session: &mut Session, record: &Record) {
    let kind = record.kind();
    session.check(record).unwrap_or_else(|error| panic!("{kind}: {error}\n{record:?}"));
    session.apply(next_after(session, record.clone())).unwrap();
}

/// Recovers, stopping anew after each number of steps, until nothing is left.
fn check_recovery(before: &Session, sketches: &[Sketch], calls_directory: bool) {
    let folders = if calls_directory { draw(sketches, before) } else { Vec::new() };
    let found = Found { folders: &folders, calls_directory, given_up: None };
    let recovery = recovered(before, found);
    if before.open_turn().is_none() {
        assert!(recovery.steps.is_empty(), "a closed session needs nothing");
        return;
    }
    let mut states = Vec::new();
    for crash_after in 0..=recovery.steps.len() {
        let mut session = before.clone();
        recovery.steps[..crash_after].iter().for_each(|step| commit(&mut session, step));
        let rest = recovered(&session, found);
        rest.steps.iter().for_each(|step| commit(&mut session, step));
        assert_eq!(rest.running, recovery.running);
        let again = recovered(&session, found);
        assert!(again.steps.is_empty(), "recovering twice appends {:?}", again.steps);
        assert_eq!(session.open_turn().is_some(), recovery.running.is_some());
        states.push(fingerprint(&(session.turns().last(), session.unknown_effects(), session.next_seq())));
    }
    assert!(states.windows(2).all(|pair| pair[0] == pair[1]), "a crash during recovery leads elsewhere");
}

/// Ends what runs, closes what is open and opens the gate, as a person would.
fn made_ready(mut session: Session, sketches: &[Sketch]) -> Session {
    let dead: Vec<_> =
        sketches.iter().map(|sketch| Sketch { lock_held: false, alive: false, ..sketch.clone() }).collect();
    let folders = draw(&dead, &session);
    let recovery = recovered(&session, Found { folders: &folders, calls_directory: true, given_up: None });
    assert_eq!(recovery.running, None);
    recovery.steps.iter().for_each(|step| commit(&mut session, step));
    let gating = session.gating();
    let statements: Vec<_> =
        gating.iter().map(|effect| bodies::says(effect.dispatch, StatementKind::Partly)).collect();
    if !statements.is_empty() {
        commit(&mut session, &bodies::acknowledged(statements).into());
    }
    commit(&mut session, &bodies::message(crate::session::generate::turn_id(70_000), "What now?").into());
    session
}

fn told(session: &Session) -> Option<Vec<ContextItem>> {
    let spool = |dispatch| Some(format!("/spool/{dispatch}"));
    context(session, ContextOptions { output_to_model_bytes: 1_024, spool: &spool }).ok()
}

/// Calls and results stand in pairs, in order, with ids of their own.
fn check_pairs(items: &[ContextItem]) {
    let mut open = Vec::new();
    let mut used = BTreeSet::new();
    let mut results = 0;
    for item in items {
        match item {
            ContextItem::Model { item, .. } => {
                assert_eq!(results, 0, "an item of a response stands between results");
                if let ItemKind::Call { call_id, .. } = &item.kind {
                    assert!(used.insert(call_id.clone()), "{call_id} comes twice");
                    open.push(call_id.clone());
                }
            }
            ContextItem::Result { call_id, output } => {
                assert_eq!(open.get(results), Some(call_id), "a result without its call, or out of order");
                check_result(output);
                results += 1;
            }
            ContextItem::User { .. } | ContextItem::Notice { .. } => {
                assert_eq!(results, open.len(), "a call without a result");
            }
        }
        if results == open.len() {
            (open, results) = (Vec::new(), 0);
        }
    }
    assert!(open.is_empty(), "a call without a result at the end");
    assert!(!matches!(items.last(), Some(ContextItem::Notice { .. }) | None), "a notice is the last item");
}

fn check_result(output: &str) {
    let value: serde_json::Value = serde_json::from_str(output).unwrap();
    if value["status"] == "unknown" {
        let text = value["output"].as_str().unwrap();
        assert!(text.contains("may have happened") && text.contains("must not be retried automatically"));
        for word in ["denied", "failed", "aborted", "cancelled", "interrupted"] {
            assert!(!output.contains(word), "an unknown outcome is told as {word}");
        }
    }
}

/// Every item as text, to compare what was told at different times.
fn shown(items: &[ContextItem]) -> Vec<String> {
    items.iter().map(|item| format!("{item:?}")).collect()
}

fn check_context(story: &Story, sketches: &[Sketch]) {
    let mut before: Vec<String> = Vec::new();
    for session in story.prefixes().skip(1) {
        if let Some(items) = told(&session) {
            check_pairs(&items);
            let now = shown(&items);
            assert_eq!(now.get(..before.len()), Some(&before[..]), "what was told once has changed");
            before = now;
        }
        let ready = made_ready(session, sketches);
        let items = told(&ready).unwrap();
        check_pairs(&items);
        assert_eq!(shown(&items).get(..before.len()), Some(&before[..]), "what was told once has changed");
        assert!(matches!(items.last(), Some(ContextItem::User { text }) if text == "What now?"));
    }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn folding_what_was_written_gives_the_live_session(plan in plans()) {
        let story = plan.play();
        let mut session = Session::new(story.session.id());
        for (committed, live) in story.records.iter().zip(story.prefixes().skip(1)) {
            let body = committed.record.encode_body().unwrap();
            let record = Record::decode(committed.record.kind(), &body).unwrap();
            session.apply(next_after(&session, record)).unwrap();
            prop_assert_eq!(fingerprint(&session), fingerprint(&live));
        }
    }

    #[test]
    fn recovery_of_any_prefix_is_valid_and_final(
        plan in plans(),
        sketches in consistent(),
        calls_directory in prop::bool::weighted(0.8),
    ) {
        for session in plan.play().prefixes() {
            check_recovery(&session, &sketches, calls_directory);
        }
    }

    #[test]
    fn recovery_withstands_any_folders(plan in plans(), sketches in arbitrary()) {
        for session in plan.play().prefixes() {
            check_recovery(&session, &sketches, true);
        }
    }

    #[test]
    fn no_launched_folder_is_ever_forgotten(plan in plans(), sketches in arbitrary()) {
        for mut session in plan.play().prefixes() {
            let folders = draw(&sketches, &session);
            let missing = missing_records(&session, &folders);
            let found = Found { folders: &folders, calls_directory: true, given_up: None };
            let recovery = recovered(&session, found);
            recovery.steps.iter().for_each(|step| commit(&mut session, step));
            for folder in folders.iter().filter(|folder| folder.launched) {
                let named = session.knows_dispatch(folder.dispatch);
                prop_assert!(named || missing.contains(&folder.dispatch) || recovery.running.is_some());
            }
        }
    }

    #[test]
    fn the_context_pairs_every_call_and_never_changes(plan in plans(), sketches in consistent()) {
        check_context(&plan.play(), &sketches);
    }
}
