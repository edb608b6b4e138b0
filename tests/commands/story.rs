//! The story of a signed run: killed while a command writes, inspected,
//! recovered, decided about, inspected again.

use crate::scene::{assert_refused, code, finished, killed, open, stdout, unknown};
use crate::support::Scratch;

fn journal(scratch: &Scratch) -> Vec<u8> {
    std::fs::read(scratch.sessions()[0].join("journal.jsonl")).unwrap()
}

fn decide(scratch: &Scratch, id: &str, dispatch: &str, outcome: &str) -> std::process::Output {
    scratch.run(&["reconcile", id, "--dispatch", dispatch, "--outcome", outcome, "--note", "read the list"])
}

#[test]
fn a_killed_run_is_2_until_recovery_signed_the_unknown_and_somebody_decided() {
    let (scratch, id, dispatch) = killed();
    let before = journal(&scratch);
    let output = scratch.run(&["inspect", &id]);
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((code(&output), &report["journal_complete"]), (2, &false.into()));
    assert_eq!(report["effects"][0]["effect"], "unknown");
    assert_refused(&decide(&scratch, &id, &dispatch, "happened"), "no result yet");
    assert_eq!(journal(&scratch), before);

    let mut again = open(&scratch, &id);
    again.expect("statement> ");
    assert_refused(&scratch.run(&["inspect", &id]), "in use");
    assert_refused(&decide(&scratch, &id, &dispatch, "happened"), "in use");
    again.send("\u{4}");
    again.wait_exit();
    let recovered = journal(&scratch);
    assert!(recovered.starts_with(&before));
    let output = scratch.run(&["inspect", &id]);
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((code(&output), &report["journal_complete"]), (2, &true.into()));
    assert_eq!(report["effects"][0]["outcome"], "unknown");

    let output = decide(&scratch, &id, &dispatch, "happened");
    assert_eq!((code(&output), stdout(&output).starts_with("Recorded: ")), (0, true), "{output:?}");
    let output = scratch.run(&["inspect", &id]);
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(code(&output), 0, "{report}");
    let effect = &report["effects"][0];
    assert_eq!((&effect["outcome"], &effect["decision"]), (&"unknown".into(), &"happened".into()));
    assert_eq!(report["reconciled"], true);
    assert_eq!(journal(&scratch), recovered, "neither inspecting nor deciding touches the journal");
}

#[test]
fn a_decision_is_shown_to_people_and_at_the_next_opening() {
    let (scratch, id, dispatch) = unknown();
    assert_eq!(code(&decide(&scratch, &id, &dispatch, "partly")), 0);
    let mut terminal = scratch.start(&["inspect", &id]);
    terminal.expect("every unknown effect has a decision").expect("UNKNOWN").expect("decided: partly");
    assert_eq!(terminal.wait_exit(), 0);
    let mut again = open(&scratch, &id);
    again.expect("partly: read the list").expect("statement> ").send("\u{4}");
    again.wait_exit();
}

#[test]
fn one_decision_for_each_command() {
    let (scratch, id, dispatch) = unknown();
    assert_eq!(code(&decide(&scratch, &id, &dispatch, "happened")), 0);
    let again = decide(&scratch, &id, &dispatch, "happened");
    assert_eq!((code(&again), stdout(&again).starts_with("Recorded before: ")), (0, true));
    assert_refused(&decide(&scratch, &id, &dispatch, "did_not_happen"), "another decision");
    let (scratch, id) = finished();
    let completed = scratch.dispatch();
    assert_refused(&decide(&scratch, &id, &completed, "happened"), "nothing to decide");
    assert_refused(&decide(&scratch, &id, &id, "happened"), "names no command");
}

#[test]
fn an_operators_decision_counts_where_their_key_is_named() {
    let (scratch, id, dispatch) = unknown();
    let own = scratch.json(&["key", "list", "--json"]);
    let new = scratch.json(&["key", "new", "--json"]);
    let (key, public) = (new["key_id"].as_str().unwrap(), new["public_key"].as_str().unwrap());
    let seed = scratch.home().join(format!("config/keys/{key}.seed"));
    let log = scratch.work().join("server.log");
    std::fs::write(&log, "milk: 0\n").unwrap();
    let output = scratch.run(&[
        "reconcile",
        &id,
        "--dispatch",
        &dispatch,
        "--outcome",
        "did_not_happen",
        "--note",
        "see the log",
        "--evidence",
        log.to_str().unwrap(),
        "--operator-key",
        seed.to_str().unwrap(),
    ]);
    assert_eq!(code(&output), 0, "{output:?}");
    assert_eq!(code(&scratch.run(&["inspect", &id])), 2);
    assert_eq!(code(&scratch.run(&["inspect", &id, "--operator-key", public])), 0);
    let first = own[0]["public_key"].as_str().unwrap();
    let output = scratch.run(&["inspect", &id, "--operator-key", public, "--public-key", first]);
    assert_eq!((code(&output), stdout(&output).contains("given_key")), (0, true));
    assert_refused(&scratch.run(&["inspect", &id, "--public-key", public]), "signed with key");
    let decision = scratch.sessions()[0].join(format!("decisions/{dispatch}.json"));
    let decision: serde_json::Value = serde_json::from_slice(&std::fs::read(decision).unwrap()).unwrap();
    assert_eq!((&decision["key_id"], &decision["outcome"]), (&key.into(), &"did_not_happen".into()));
    assert_eq!(decision["evidence"][0]["name"], "server.log");
}

#[test]
fn keys_are_shown_made_and_listed_and_old_ones_stay() {
    let scratch = Scratch::new();
    assert_eq!(scratch.json(&["key", "list", "--json"]), serde_json::json!([]));
    let first = scratch.json(&["key", "--json"]);
    assert_eq!(scratch.json(&["key", "show", "--json"]), first);
    let second = scratch.json(&["key", "new", "--json"]);
    assert_ne!(first["key_id"], second["key_id"]);
    let all = scratch.json(&["key", "list", "--json"]);
    let current: Vec<_> = all.as_array().unwrap().iter().map(|key| &key["current"]).collect();
    assert_eq!(current.iter().filter(|current| **current == true).count(), 1);
    assert_eq!(current.len(), 2);
    let shown = stdout(&scratch.run(&["key"]));
    for name in ["key_id", "public_key"] {
        assert!(shown.contains(second[name].as_str().unwrap()), "{shown}");
    }
}
