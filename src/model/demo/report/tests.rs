use super::*;
use serde_json::json;

/// What is said about these results of one message's calls.
fn about_these(message: &str, results: &[serde_json::Value]) -> String {
    let mut conversation = vec![Said::User(message.into())];
    let call = |number: usize| Said::Call { id: format!("c{number}"), command: format!("do {number}") };
    conversation.extend((0..results.len()).map(call));
    let read: Vec<CallResult> =
        results.iter().map(|result| serde_json::from_value(result.clone()).unwrap()).collect();
    let ids: Vec<_> = (0..read.len()).map(|number| format!("c{number}")).collect();
    let results: Vec<_> = ids.iter().map(String::as_str).zip(&read).collect();
    about_results(&conversation, results.iter())
}

#[test]
fn every_outcome_is_said_as_what_it_is() {
    for (result, expected) in [
        (json!({"status": "completed", "exit_code": 0, "output": ""}), "`do 0` completed with exit code 0."),
        (
            json!({"status": "failed", "exit_code": 2, "output": "no\nway\n"}),
            "`do 0` failed with exit code 2.\n\n    no\n    way",
        ),
        (json!({"status": "failed", "output": ""}), "`do 0` failed."),
        (json!({"status": "denied", "output": ""}), "`do 0` was not run, because you did not allow it."),
        (
            json!({"status": "denied", "output": "", "feedback": "not there"}),
            "`do 0` was not run, because you did not allow it. You said: \"not there\"",
        ),
        (json!({"status": "not_executed"}), "`do 0` was not run."),
        (
            json!({"status": "completed", "exit_code": 0, "ran": {"command": "do less"}}),
            "`do less` completed with exit code 0.",
        ),
    ] {
        assert_eq!(about_these("Run: x", &[result]), expected);
    }
}

#[test]
fn what_did_not_succeed_is_never_said_to_have() {
    for status in [
        "failed",
        "timed_out",
        "output_limit",
        "cancelled",
        "unknown",
        "denied",
        "not_executed",
        "invalid_arguments",
        "unknown_tool",
        "something new",
    ] {
        let text = about_these("Is milk on the list?", &[json!({"status": status, "output": "milk"})]);
        assert!(!text.contains("completed") && !text.contains("Yes"), "{status}: {text}");
    }
    let unknown = about_these("Run: x", &[json!({"status": "unknown", "output": ""})]);
    assert!(unknown.contains("may or may not have happened") && unknown.contains("not repeat"), "{unknown}");
}

#[test]
fn the_list_is_read_line_by_line() {
    let about = |what: &str, more: serde_json::Value| {
        let mut result = json!({"status": "completed", "exit_code": 0, "output": "Eggs\noat milk\n"});
        result.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        about_these(&format!("Is {what} on the list?"), &[result])
    };
    assert_eq!(about("eggs", json!({})), "Yes, **eggs** is on the list.");
    assert_eq!(about("milk", json!({})), "No, **milk** is not on the list.");
    let partly = "I do not see **milk** in the part of the list that I was given.";
    assert_eq!(about("milk", json!({"truncated": true})), partly);
}

#[test]
fn several_results_are_several_paragraphs_in_their_order() {
    let (done, not) = (json!({"status": "completed", "exit_code": 0}), json!({"status": "not_executed"}));
    let text = about_these("Run: x\nRun: y", &[done, not]);
    assert_eq!(text, "`do 0` completed with exit code 0.\n\n`do 1` was not run.");
}

#[test]
fn code_and_output_stay_inside_their_marks() {
    assert_eq!(code_span("a `b` c"), "`` a `b` c ``");
    assert_eq!(code_span("a\nb"), "`a ...`");
    let long = (0..25).map(|line| line.to_string()).collect::<Vec<_>>().join("\n");
    assert!(quoted_output(&long, false).ends_with("    19\n\nand 5 more lines."));
    assert!(
        quoted_output(&long, true)
            .ends_with("    19\n\nand more, of which I was given only the beginning and the end.")
    );
    assert_eq!(quoted_output(" \n", false), "");
}

#[test]
fn what_candor_says_is_no_output_of_a_command() {
    let said =
        |status: &str, output: &str| about_these("Run: x", &[json!({"status": status, "output": output})]);
    assert_eq!(
        said("denied", "The user refused this call."),
        "`do 0` was not run, because you did not allow it."
    );
    assert_eq!(
        said("not_executed", "It was never launched."),
        "`do 0` was not run.\n\nIt was never launched."
    );
    let unknown = said("unknown", "Execution was ordered.\n\nIts output so far:\none\n");
    assert!(
        unknown.ends_with("look first.\n\nExecution was ordered.\n\n    Its output so far:\n    one"),
        "{unknown}"
    );
}
