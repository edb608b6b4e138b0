//! Each thing that must not be is planted and found; what is true is let pass.

use super::*;
use serde_json::json;

const ONE: &str = "d-one";
const TWO: &str = "d-two";

fn line(kind: &str, body: Value) -> String {
    format!("{}\n", json!({"type": kind, "body": body}))
}

fn journal(results: &[Value]) -> Vec<u8> {
    let call = |id: &str| json!({"type": "function_call", "call_id": id});
    let mut text = line("session_started", json!({}));
    text += &line("user_message", json!({"text": "Run: …"}));
    text += &line("model_response", json!({"items": [call("c1"), call("c2")]}));
    for result in results {
        if let Some(dispatch) = result.get("dispatch").filter(|_| result["started"] != false) {
            text += &line("tool_started", json!({"call": result["call"], "dispatch": dispatch}));
        }
        text += &line("tool_result", result.clone());
    }
    text += &line("turn_ended", json!({"status": "completed"}));
    text.into_bytes()
}

fn completed(call: &str, dispatch: &str, label: &str) -> Value {
    json!({
        "call": call, "dispatch": dispatch, "outcome": "completed", "evidence": "live",
        "exit_code": 0, "output": format!("said {label}\n"),
    })
}

fn result(outcome: &str, evidence: &str) -> Value {
    json!({"call": "c1", "dispatch": ONE, "outcome": outcome, "evidence": evidence})
}

fn marks(label: &str, dispatch: &str, what: &[&str]) -> Vec<String> {
    what.iter().map(|what| format!("{label} {what} {dispatch}")).collect()
}

/// A round in which the first call has this result and the second did not run.
fn observed(first: Value, marks: Vec<String>) -> Observed {
    let second = json!({"call": "c2", "outcome": "not_executed"});
    let journal = journal(&[first, second]);
    let shown = outcomes(&Observed { journals: vec![journal.clone()], ..Observed::default() });
    Observed {
        calls: vec![Does::Quick, Does::Quick],
        marks,
        journals: vec![journal.clone(), journal.clone()],
        again: journal,
        told: Some(Told { state: Some("ready".into()), shown: Some(shown), inspected: Some(0) }),
        sessions: 1,
        ..Observed::default()
    }
}

fn happened() -> Observed {
    observed(completed("c1", ONE, "one"), marks("one", ONE, &["begin", "end"]))
}

#[track_caller]
fn finds(observed: &Observed, expected: &[Wrong]) {
    let found = judge(observed);
    let kinds: Vec<Wrong> = found.iter().map(|finding| finding.wrong).collect();
    assert_eq!(kinds, expected, "{found:#?}");
}

#[test]
fn what_is_true_is_let_pass() {
    finds(&happened(), &[]);
    finds(&Observed::default(), &[]);
    let late = marks("one", ONE, &["begin", "end", "late"]);
    finds(&observed(completed("c1", ONE, "one"), late), &[]);
    finds(&observed(json!({"call": "c1", "outcome": "not_executed"}), vec![]), &[]);
    finds(&observed(result("not_executed", "not_launched"), vec![]), &[]);
}

#[test]
fn a_mark_that_was_written_twice_is_a_duplicate() {
    let mut twice = happened();
    twice.marks.push(twice.marks[0].clone());
    // It is also no longer true that it completed once.
    finds(&twice, &[Wrong::Duplicate, Wrong::FalseClaim]);
    let mut late = happened();
    late.marks.extend(marks("one", ONE, &["late", "late"]));
    finds(&late, &[Wrong::Duplicate]);
}

#[test]
fn a_command_that_ran_again_under_another_name_is_a_duplicate() {
    let mut again = happened();
    again.marks.extend(marks("one", TWO, &["begin"]));
    finds(&again, &[Wrong::Duplicate, Wrong::Loss]);
}

#[test]
fn an_opening_that_writes_what_is_written_is_a_duplicate() {
    let mut more = happened();
    more.again.extend(line("turn_ended", json!({})).into_bytes());
    finds(&more, &[Wrong::Duplicate]);
    let second = completed("c1", TWO, "one");
    let journal = journal(&[completed("c1", ONE, "one"), second]);
    let mut twice = happened();
    twice.journals = vec![journal.clone()];
    twice.again = journal;
    assert!(judge(&twice).iter().filter(|found| found.wrong == Wrong::Duplicate).count() == 2);
}

#[test]
fn a_record_that_is_gone_or_changed_is_a_loss() {
    let mut gone = happened();
    let more = line("session_renamed", json!({"title": "x"}));
    gone.journals[0].extend(more.as_bytes());
    finds(&gone, &[Wrong::Loss]);
    let mut changed = happened();
    changed.journals[0][3] ^= 1;
    finds(&changed, &[Wrong::Loss]);
    // A line that was never whole was never committed.
    let mut torn = happened();
    torn.journals[0].extend(b"{\"v\":1");
    finds(&torn, &[]);
}

#[test]
fn what_was_shown_before_it_was_on_disk_is_a_loss() {
    let shown = |asked, running, ended| {
        let mut observed = happened();
        observed.printed = Printed { asked, running, ended };
        let text = String::from_utf8(observed.journals[0].clone()).unwrap();
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        // Up to the first call's result.
        observed.journals[0] = lines[..5].concat().into_bytes();
        observed
    };
    finds(&shown(2, 0, 1), &[]);
    finds(&shown(1, 0, 2), &[Wrong::Loss]);
    finds(&shown(1, 1, 1), &[Wrong::Loss]);
}

#[test]
fn an_effect_without_a_start_record_is_a_loss() {
    let mut unseen = happened();
    unseen.marks.extend(marks("two", TWO, &["late"]));
    finds(&unseen, &[Wrong::Loss, Wrong::FalseClaim]);
}

#[test]
fn a_session_that_cannot_be_reached_is_a_loss() {
    let told = |change: fn(&mut Told)| {
        let mut observed = happened();
        change(observed.told.as_mut().unwrap());
        observed
    };
    finds(&told(|told| told.state = None), &[Wrong::Loss]);
    finds(&told(|told| told.state = Some("damaged".into())), &[Wrong::Loss]);
    finds(&told(|told| told.shown = None), &[Wrong::Loss]);
    finds(&told(|told| told.shown = Some(vec![])), &[Wrong::Loss]);
    finds(&told(|told| told.inspected = Some(1)), &[Wrong::Loss]);
    finds(&told(|told| told.inspected = Some(2)), &[Wrong::Loss]);
    finds(&told(|told| told.inspected = None), &[Wrong::Loss]);
    let mut stuck = happened();
    stuck.stuck.push("it does not open".into());
    finds(&stuck, &[Wrong::Loss]);
}

#[test]
fn a_turn_or_a_call_that_stays_open_is_a_loss() {
    let cut = |kind: &str| {
        let mut observed = happened();
        let text = String::from_utf8(observed.again.clone()).unwrap();
        let lines: String = text.split_inclusive('\n').filter(|line| !line.contains(kind)).collect();
        observed.journals = vec![lines.clone().into_bytes()];
        observed.again = lines.into_bytes();
        observed
    };
    finds(&cut("turn_ended"), &[Wrong::Loss]);
    let mut open = cut("not_executed");
    open.told.as_mut().unwrap().shown = Some(vec!["completed".into()]);
    finds(&open, &[Wrong::Loss]);
}

#[test]
fn an_end_that_was_observed_may_not_be_called_unknown() {
    let unknown = |supervisor: Option<&str>, receipt| {
        let mut observed = observed(result("unknown", "none"), marks("one", ONE, &["begin"]));
        observed.hits.supervisor = supervisor.map(str::to_owned);
        observed.evidence.insert(ONE.into(), Evidence { launched: true, receipt });
        observed.told.as_mut().unwrap().inspected = Some(2);
        observed
    };
    finds(&unknown(Some(ONE), false), &[]);
    finds(&unknown(Some(ONE), true), &[Wrong::Loss]);
    finds(&unknown(Some(TWO), false), &[Wrong::Loss]);
    finds(&unknown(None, false), &[Wrong::Loss]);
}

#[test]
fn an_output_that_is_not_in_the_result_is_a_loss() {
    let mut first = completed("c1", ONE, "one");
    first["output"] = "".into();
    finds(&observed(first, marks("one", ONE, &["begin", "end"])), &[Wrong::Loss]);
}

#[test]
fn completed_without_both_marks_is_a_false_claim() {
    for there in [&[][..], &["begin"], &["end"]] {
        finds(&observed(completed("c1", ONE, "one"), marks("one", ONE, there)), &[Wrong::FalseClaim]);
    }
    let mut nonzero = completed("c1", ONE, "one");
    nonzero["exit_code"] = 3.into();
    finds(&observed(nonzero, marks("one", ONE, &["begin", "end"])), &[Wrong::FalseClaim]);
    let mut fails = happened();
    fails.calls[0] = Does::Fails;
    finds(&fails, &[Wrong::FalseClaim]);
}

#[test]
fn not_executed_with_any_mark_is_a_false_claim() {
    for what in ["begin", "end", "late"] {
        finds(
            &observed(result("not_executed", "not_launched"), marks("one", ONE, &[what])),
            &[Wrong::FalseClaim],
        );
    }
}

#[test]
fn a_failure_needs_its_exit_code_or_its_killer() {
    let failed = |ending: Value, does, command: Option<&str>| {
        let mut first = result("failed", "live");
        first.as_object_mut().unwrap().extend(ending.as_object().unwrap().clone());
        let mut observed = observed(first, marks("one", ONE, &["begin", "end"]));
        observed.calls[0] = does;
        observed.hits.command = command.map(str::to_owned);
        observed
    };
    finds(&failed(json!({"exit_code": 3}), Does::Fails, None), &[]);
    finds(&failed(json!({"exit_code": 3}), Does::Quick, None), &[Wrong::FalseClaim]);
    finds(&failed(json!({"exit_code": 4}), Does::Fails, None), &[Wrong::FalseClaim]);
    finds(&failed(json!({"signal": 9}), Does::Quick, Some(ONE)), &[]);
    finds(&failed(json!({"signal": 9}), Does::Quick, Some(TWO)), &[Wrong::FalseClaim]);
    finds(&failed(json!({"signal": 9}), Does::Quick, None), &[Wrong::FalseClaim]);
}

#[test]
fn what_only_a_person_or_a_limit_does_needs_one() {
    let said = |outcome: &str, does, there: &[&str]| {
        let mut observed = observed(result(outcome, "live"), marks("one", ONE, there));
        observed.calls[0] = does;
        observed
    };
    finds(&said("timed_out", Does::TooLong, &["begin"]), &[]);
    finds(&said("timed_out", Does::Quick, &["begin"]), &[Wrong::FalseClaim]);
    finds(&said("cancelled", Does::Stopped, &["begin"]), &[]);
    finds(&said("cancelled", Does::Quick, &["begin"]), &[Wrong::FalseClaim]);
    finds(&said("denied", Does::Denied, &[]), &[]);
    finds(&said("denied", Does::Quick, &[]), &[Wrong::FalseClaim]);
    finds(&said("denied", Does::Denied, &["begin"]), &[Wrong::FalseClaim]);
    finds(&said("output_limit", Does::Loud, &["begin"]), &[Wrong::FalseClaim]);
    finds(&said("aborted", Does::Quick, &[]), &[Wrong::FalseClaim]);
}

#[test]
fn evidence_that_is_not_on_disk_is_a_false_claim() {
    let rests_on = |outcome: Value, launched, receipt, there: &[&str]| {
        let mut observed = observed(outcome, marks("one", ONE, there));
        observed.evidence.insert(ONE.into(), Evidence { launched, receipt });
        observed
    };
    let mut by_receipt = completed("c1", ONE, "one");
    by_receipt["evidence"] = "receipt".into();
    finds(&rests_on(by_receipt.clone(), true, true, &["begin", "end"]), &[]);
    finds(&rests_on(by_receipt, true, false, &["begin", "end"]), &[Wrong::FalseClaim]);
    let not_launched = result("not_executed", "not_launched");
    finds(&rests_on(not_launched.clone(), false, false, &[]), &[]);
    finds(&rests_on(not_launched, true, false, &[]), &[Wrong::FalseClaim]);
}

#[test]
fn a_result_of_a_call_that_nobody_asked_for_is_a_false_claim() {
    let mut first = completed("c9", ONE, "one");
    first["call"] = "c9".into();
    finds(&observed(first, marks("one", ONE, &["begin", "end"])), &[Wrong::FalseClaim]);
}
