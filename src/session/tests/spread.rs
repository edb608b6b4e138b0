//! The generator has to produce what the properties are about.

use crate::record::{By, Decision, Evidence, Outcome, Record, StatementKind};
use crate::session::generate::{Story, plans};
use crate::session::{Entry, Turn};
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

const STORIES: usize = 300;

fn stories() -> impl Iterator<Item = Story> {
    let mut runner = TestRunner::deterministic();
    (0..STORIES).map(move |_| plans().new_tree(&mut runner).unwrap().current().play())
}

/// What a history contains, each in one word.
fn features(story: &Story) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut note = |is: bool, what: &str| {
        if is {
            found.insert(what.to_owned());
        }
    };
    let session = &story.session;
    note(session.turns().iter().flat_map(|turn| turn.calls()).count() >= 2, "two calls");
    note(session.turns().iter().any(|turn| turn.responses().any(|r| r.calls.len() >= 2)), "batch");
    note(session.turns().iter().any(|turn| turn.imported), "imported turn");
    note(session.turns().iter().any(|turn| turn.copied && !turn.imported), "copied turn");
    note(session.forked_from().is_some(), "fork");
    note(!session.origin_unknown().is_empty(), "origin unknown");
    note(session.is_gated(), "gated at the end");
    let joined =
        |turn: &Arc<Turn>| turn.entries.iter().skip(1).any(|entry| matches!(entry, Entry::Message(_)));
    note(session.turns().iter().any(joined), "joined message");
    let mut ids = BTreeMap::new();
    for (n, turn) in session.turns().iter().enumerate() {
        for call in turn.calls() {
            note(ids.insert(call.id.clone(), n).is_some_and(|before| before != n), "repeated id");
            note(call.id.as_str().starts_with('c') && !call.id.as_str().starts_with("call"), "lookalike id");
            note(call.is_unknown() && call.start.is_none(), "unknown without start");
            note(call.start.as_ref().is_some_and(|start| start.repeats.is_some()), "repeats");
        }
    }
    for committed in &story.records {
        match &committed.record {
            Record::Approval(body) => {
                note(body.decision == Decision::Denied, "denial");
                note(body.edited, "edit");
                note(body.by == By::Rule, "by rule");
            }
            Record::ToolResult(body) => {
                note(true, body.outcome.word());
                note(body.truncated, "cut output");
                note(body.evidence == Some(Evidence::Receipt), "receipt");
            }
            Record::TurnEnded(body) => note(true, &format!("turn {}", body.status)),
            Record::Acknowledged(body) => {
                note(true, &format!("acknowledged by {}", body.by));
                body.statements.iter().for_each(|said| note(true, said.statement.word()));
            }
            Record::TailMoved(_) => note(true, "torn tail"),
            Record::TurnExtended(_) => note(true, "extension"),
            Record::SessionRenamed(_) => note(true, "rename"),
            Record::SessionStarted(_)
            | Record::UserMessage(_)
            | Record::ModelResponse(_)
            | Record::ToolStarted(_) => {}
        }
    }
    found
}

#[test]
fn histories_spread_over_everything() {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for story in stories() {
        for feature in features(&story) {
            *counts.entry(feature).or_default() += 1;
        }
    }
    let count = |what: &str| counts.get(what).copied().unwrap_or(0);
    assert!(count("two calls") * 5 >= STORIES, "{counts:#?}");
    let mut wanted: Vec<String> = Outcome::ALL.iter().map(|outcome| outcome.word().to_owned()).collect();
    wanted.extend(StatementKind::ALL.iter().map(|statement| statement.word().to_owned()));
    wanted.extend(
        ["completed", "failed", "cancelled", "interrupted", "unconfirmed_effects"]
            .map(|status| format!("turn {status}")),
    );
    wanted.extend(
        [
            "batch",
            "imported turn",
            "copied turn",
            "fork",
            "origin unknown",
            "gated at the end",
            "joined message",
            "repeated id",
            "lookalike id",
            "unknown without start",
            "repeats",
            "denial",
            "edit",
            "by rule",
            "cut output",
            "receipt",
            "torn tail",
            "extension",
            "rename",
            "acknowledged by user",
            "acknowledged by imported",
        ]
        .map(str::to_owned),
    );
    let rare: Vec<_> = wanted.iter().filter(|what| count(what) < 5).collect();
    assert!(rare.is_empty(), "too rare: {rare:?} in {counts:#?}");
}
