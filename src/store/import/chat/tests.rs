//! Plain chat histories: what is kept, what is closed, what is left out.

use super::*;
use crate::record::{Evidence, Timestamp, TurnStatus};
use serde_json::{Value, json};

fn import(messages: &[Value]) -> Result<Draft, Refusal> {
    let mut draft = Draft::new(Timestamp::from_millis(0));
    let array = serde_json::to_vec(messages).unwrap();
    read(&array, &mut draft)?;
    // One message a line is the same history.
    let lines: String = messages.iter().map(|message| format!("{message}\n")).collect();
    let mut other = Draft::new(Timestamp::from_millis(0));
    read(lines.as_bytes(), &mut other)?;
    assert_eq!((outcomes(&draft), draft.summary), (outcomes(&other), other.summary));
    Ok(draft)
}

fn user(text: &str) -> Value {
    json!({"role": "user", "content": text})
}

fn says(text: &str) -> Value {
    json!({"role": "assistant", "content": text})
}

fn calls(ids: &[&str]) -> Value {
    let call = |id| json!({"id": id, "type": "function", "function": {"name": "bash", "arguments": "{}"}});
    json!({"role": "assistant", "content": null, "tool_calls": ids.iter().map(call).collect::<Vec<_>>()})
}

fn result(id: &str, text: &str) -> Value {
    json!({"role": "tool", "tool_call_id": id, "content": text})
}

/// Every call with its outcome and its output.
fn outcomes(draft: &Draft) -> Vec<(String, Outcome, String)> {
    let calls = draft.session().turns().iter().flat_map(|turn| turn.calls());
    calls
        .map(|call| {
            let result = call.result.as_ref().unwrap();
            assert_eq!(result.evidence, Some(Evidence::Imported));
            (call.id.to_string(), result.outcome, result.output.clone().unwrap())
        })
        .collect()
}

fn statuses(draft: &Draft) -> Vec<TurnStatus> {
    draft.session().turns().iter().map(|turn| turn.end.as_ref().unwrap().status).collect()
}

fn completed(id: &str, output: &str) -> (String, Outcome, String) {
    (id.to_owned(), Outcome::Completed, output.to_owned())
}

fn unknown(id: &str) -> (String, Outcome, String) {
    (id.to_owned(), Outcome::Unknown, String::new())
}

#[test]
fn it_starts_at_the_first_message_of_a_user() {
    let draft = import(&[
        json!({"role": "system", "content": "Be kind."}),
        says("Hello, what can I do?"),
        user(" \n"),
        user("Add milk."),
        says("Done."),
    ])
    .unwrap();
    assert_eq!((draft.session().turns().len(), draft.summary.dropped_messages), (1, 3));
    assert_eq!(
        (draft.title().as_deref(), statuses(&draft)),
        (Some("Add milk."), vec![TurnStatus::Completed])
    );
}

#[test]
fn results_may_be_out_of_order_and_only_the_first_of_a_call_counts() {
    let draft = import(&[
        user("Do two things."),
        calls(&["a", "b"]),
        result("b", "two"),
        result("a", "one"),
        result("b", "three"),
        result("x", "whose?"),
        says("Both done."),
        result("a", "late"),
    ])
    .unwrap();
    assert_eq!(outcomes(&draft), [completed("a", "one"), completed("b", "two")]);
    assert_eq!((draft.summary.dropped_duplicates, draft.summary.dropped_orphans), (1, 2));
    assert!(!draft.session().is_gated());
}

#[test]
fn an_unanswered_call_is_unknown_where_the_conversation_goes_on() {
    for next in
        [says("I stopped."), user("And now?"), calls(&["c"]), json!({"role": "system", "content": "x"})]
    {
        let draft = import(&[user("Go."), calls(&["a", "b"]), result("b", "two"), next.clone()]).unwrap();
        assert_eq!(outcomes(&draft)[..2], [unknown("a"), completed("b", "two")], "{next}");
        assert!(draft.session().is_gated());
    }
    let draft = import(&[user("Go."), calls(&["a"])]).unwrap();
    assert_eq!((outcomes(&draft), draft.summary.closed_unknown), (vec![unknown("a")], 1));
    assert_eq!(statuses(&draft), [TurnStatus::Interrupted]);
}

#[test]
fn a_result_after_its_call_was_closed_is_an_orphan() {
    let draft = import(&[user("Go."), calls(&["a"]), says("?"), result("a", "late")]).unwrap();
    assert_eq!((outcomes(&draft), draft.summary.dropped_orphans), (vec![unknown("a")], 1));
}

#[test]
fn an_answer_in_several_messages_is_one_answer() {
    let draft =
        import(&[user("Go."), says("First."), says("Second."), user("More."), says("Third.")]).unwrap();
    assert_eq!(statuses(&draft), [TurnStatus::Completed, TurnStatus::Completed]);
    assert_eq!(draft.session().turns()[0].responses().map(|it| it.items.len()).collect::<Vec<_>>(), [2]);
}

#[test]
fn parts_that_are_no_text_are_left_out_and_counted() {
    let image = json!({"type": "image_url", "image_url": {"url": "data:"}});
    let parts = json!([{"type": "text", "text": "What is "}, image, {"type": "text", "text": "this?"}]);
    let draft = import(&[json!({"role": "user", "content": parts}), says("A cat.")]).unwrap();
    assert_eq!((draft.title().as_deref(), draft.summary.dropped_parts), (Some("What is this?"), 1));
}

#[test]
fn a_long_result_keeps_its_ends() {
    let draft =
        import(&[user("Go."), calls(&["a"]), result("a", &"x".repeat(70_000)), says("Long.")]).unwrap();
    let result = draft.session().turns()[0].calls().next().unwrap().result.clone().unwrap();
    assert_eq!((result.truncated, result.output_bytes), (true, Some(70_000)));
}

#[test]
fn what_cannot_be_kept_is_refused_by_its_message() {
    let refused = |messages: &[Value]| import(messages).err().map(|refusal| refusal.to_string()).unwrap();
    assert!(refused(&[json!({"role": "robot", "content": "x"})]).starts_with("message 1: \"robot\""));
    assert!(refused(&[user("Go."), json!({"role": "user", "content": 7})]).starts_with("message 2: "));
    assert!(refused(&[user("Go."), calls(&["a", "a"])]).contains("came before in this turn"));
    assert!(refused(&[user("Go."), calls(&[""])]).contains("1 to 64 bytes"));
    let old = json!({"role": "assistant", "function_call": {"name": "bash", "arguments": "{}"}});
    assert!(refused(&[user("Go."), old]).contains("function_call"));
    for (bytes, place) in [
        (&b"{\"role\":\"user\",\"content\":\"a\"}\n\nnot json\n"[..], Place::Line(3)),
        (b"[{\"role\":\"user\",\"content\":\"a\"},\n", Place::Line(2)),
        (b"\n\xff", Place::Line(2)),
    ] {
        let mut draft = Draft::new(Timestamp::from_millis(0));
        assert_eq!(read(bytes, &mut draft).err().unwrap().place, place);
    }
}
