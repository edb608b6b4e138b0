use super::*;
use crate::model::ErrorClass;
use crate::model::classify::Remedy;
use proptest::prelude::*;
use serde_json::json;

fn take(events: &[Value]) -> (Vec<Progress>, Result<Option<Complete>, Failure>) {
    let (mut assembler, mut shown) = (Assembler::default(), Vec::new());
    for event in events {
        let text = event.as_str().map_or_else(|| event.to_string(), String::from);
        match assembler.take(&text) {
            Ok(Step::Quiet | Step::EndOfStream) => {}
            Ok(Step::Show(progress)) => shown.push(progress),
            Ok(Step::Complete(complete)) => return (shown, Ok(Some(*complete))),
            Err(failure) => return (shown, Err(failure)),
        }
    }
    (shown, Ok(None))
}

fn end(events: &[Value]) -> Result<Complete, Unusable> {
    match take(events).1 {
        Ok(complete) => Ok(complete.unwrap()),
        Err(Failure { trouble: Trouble::Unusable(why), remedy: Remedy::Stop }) => Err(why),
        Err(other) => panic!("{other:?}"),
    }
}

fn message(text: &str) -> Value {
    json!({"type": "message", "role": "assistant", "status": "completed", "content": [{"type": "output_text", "text": text}]})
}

fn call(id: &str, arguments: &str) -> Value {
    json!({"type": "function_call", "call_id": id, "name": "bash", "arguments": arguments, "status": "completed"})
}

fn added(item: &Value) -> Value {
    json!({"type": "response.output_item.added", "item": item})
}

fn done(item: &Value) -> Value {
    json!({"type": "response.output_item.done", "item": item})
}

fn done_at(index: i64, item: &Value) -> Value {
    json!({"type": "response.output_item.done", "output_index": index, "item": item})
}

fn completed(output: &[Value]) -> Value {
    json!({"type": "response.completed", "response": {"id": "r", "status": "completed", "output": output}})
}

fn text(item: &str, delta: &str) -> Value {
    json!({"type": "response.output_text.delta", "item_id": item, "delta": delta})
}

fn ids(complete: &Complete) -> Vec<String> {
    let ids = complete.items.iter().map(|item| {
        let value: Value = serde_json::from_str(item.raw.get()).unwrap();
        value["call_id"].as_str().unwrap_or("message").to_owned()
    });
    ids.collect()
}

#[test]
fn the_final_items_count_and_else_the_single_ones_in_their_order() {
    let (a, b, m) = (call("a", "{}"), call("b", "{}"), message("hi"));
    assert_eq!(ids(&end(&[done(&a), completed(&[m.clone(), a.clone()])]).unwrap()), ["message", "a"]);
    assert_eq!(ids(&end(&[done(&a), done(&b), completed(&[])]).unwrap()), ["a", "b"]);
    assert_eq!(ids(&end(&[done_at(1, &a), done_at(0, &b), completed(&[])]).unwrap()), ["b", "a"]);
    // A number that is missing somewhere says nothing about the order.
    assert_eq!(ids(&end(&[done_at(1, &a), done(&b), completed(&[])]).unwrap()), ["a", "b"]);
    let without_output = json!({"type": "response.completed", "response": {"status": "completed"}});
    assert_eq!(ids(&end(&[done(&a), without_output]).unwrap()), ["a"]);
}

#[test]
fn a_streamed_call_must_stand_in_the_final_answer_as_it_was() {
    let a = call("a", r#"{"command":"ls"}"#);
    for last in [
        vec![message("hi")],
        vec![call("a", r#"{"command":"rm -rf /"}"#)],
        vec![
            json!({"type": "function_call", "call_id": "a", "name": "other", "arguments": r#"{"command":"ls"}"#}),
        ],
    ] {
        assert_eq!(end(&[done(&a), completed(&last)]).unwrap_err(), Unusable::CallsDiffer);
    }
    assert_eq!(
        end(&[done(&a), done(&a), completed(std::slice::from_ref(&a))]).unwrap_err(),
        Unusable::CallsDiffer
    );
    // Another id, other white space: some servers do that.
    assert!(end(&[done(&a), completed(&[call("x", r#"{ "command": "ls" }"#)])]).is_ok());
    // Text before a call gets no event of its own at Ollama.
    assert!(end(&[done(&a), completed(&[a.clone(), message("hi")])]).is_ok());
}

#[test]
fn a_call_that_was_begun_and_is_gone_makes_the_answer_unusable() {
    let a = call("a", "");
    assert_eq!(end(&[added(&a), completed(&[message("hi")])]).unwrap_err(), Unusable::CallsDiffer);
    assert_eq!(end(&[added(&a), done(&message("hi")), completed(&[])]).unwrap_err(), Unusable::CallsDiffer);
}

#[test]
fn a_damaged_event_hides_later_text_and_rules_single_items_out() {
    let torn = Value::String(r#"{"type":"response.output_text.delta","delta":"\ud83d"}"#.into());
    let events = [text("m", "one"), torn.clone(), text("m", "three"), completed(&[message("one two three")])];
    let (shown, last) = take(&events);
    assert_eq!(shown, [Progress::Text("one".into())]);
    assert!(last.unwrap().is_some());
    let garbage = Value::String("{".into());
    assert_eq!(end(&[garbage, done(&message("hi")), completed(&[])]).unwrap_err(), Unusable::Damaged);
    for event in ["response.output_item.done", "response.completed"] {
        let bad = Value::String(format!(r#"{{"type":"{event}","item":7,"response":7,"output_index":"x"}}"#));
        assert_eq!(end(&[bad]).unwrap_err(), Unusable::Event(event.into()));
    }
}

#[test]
fn messages_and_parts_of_reasoning_are_paragraphs() {
    let thought = |part: i64, delta: &str| json!({"type": "response.reasoning_summary_text.delta", "item_id": "r", "summary_index": part, "delta": delta});
    let events = [
        added(&json!({"type": "reasoning", "summary": []})),
        thought(0, "a"),
        thought(1, "b"),
        text("m", "c"),
        text("m", "d"),
        text("n", "e"),
    ];
    let (reasoning, words) =
        (|text: &str| Progress::Reasoning(text.into()), |text: &str| Progress::Text(text.into()));
    let expected =
        [reasoning(""), reasoning("a"), reasoning("\n\nb"), words("c"), words("d"), words("\n\ne")];
    assert_eq!(take(&events).0, expected);
}

#[test]
fn only_completed_is_completed() {
    let ended = |kind: &str, response: Value| json!({"type": kind, "response": response});
    let output = || json!([message("hi")]);
    let status = |status: &str| ended("response.completed", json!({"status": status, "output": output()}));
    assert_eq!(end(&[status("in_progress")]).unwrap_err(), Unusable::Status("in_progress".into()));
    let none = ended("response.completed", json!({"output": output()}));
    assert_eq!(end(&[none]).unwrap_err(), Unusable::Status("missing".into()));
    let trouble = |event: Value| take(&[event]).1.unwrap_err().trouble;
    assert_eq!(trouble(status("incomplete")), Trouble::Incomplete { reason: "no reason given".into() });
    let lie = ended("response.incomplete", json!({"status": "completed", "output": output()}));
    assert_eq!(trouble(lie), Trouble::Incomplete { reason: "no reason given".into() });
    for event in [
        status("failed"),
        ended("response.failed", json!({"status": "completed", "output": output()})),
        ended(
            "response.completed",
            json!({"status": "completed", "output": output(), "error": {"message": "x"}}),
        ),
    ] {
        assert_eq!(trouble(event).class(), ErrorClass::Server);
    }
}

#[test]
fn tokens_are_read_as_far_as_they_are_told() {
    let usage = |usage: Value| {
        let response = json!({"status": "completed", "output": [message("hi")], "usage": usage});
        end(&[json!({"type": "response.completed", "response": response})]).unwrap().usage
    };
    let full = json!({"input_tokens": 9, "input_tokens_details": {"cached_tokens": 8}, "output_tokens": 7,
        "output_tokens_details": {"reasoning_tokens": 6}});
    let read = Usage { input: Some(9), cached: Some(8), output: Some(7), reasoning: Some(6) };
    assert_eq!(usage(full), Some(read));
    let some = Usage { input: Some(9), output: Some(1), ..Usage::default() };
    assert_eq!(
        usage(json!({"input_tokens": 9, "output_tokens": 1, "input_tokens_details": null})),
        Some(some)
    );
    let odd = json!({"input_tokens": 1u64 << 60, "output_tokens": -1, "input_tokens_details": "x"});
    for nothing in [json!(null), json!({}), json!({"input_tokens": 0, "output_tokens": 0}), json!("x"), odd] {
        assert_eq!(usage(nothing), None);
    }
}

/// Events as servers send them and as they should not.
fn any_event() -> impl Strategy<Value = Value> {
    let item = prop_oneof![
        Just(message("hi")),
        Just(call("a", "{}")),
        Just(call("b", "{")),
        Just(json!({"type": "reasoning"})),
        Just(json!(null)),
        Just(json!({"type": 1})),
    ];
    let status = prop_oneof![Just("completed"), Just("failed"), Just("incomplete"), Just("?")];
    prop_oneof![
        item.clone().prop_map(|item| added(&item)),
        item.clone().prop_map(|item| done(&item)),
        (any::<i64>(), item.clone()).prop_map(|(index, item)| done_at(index, &item)),
        (status, proptest::collection::vec(item, 0..4)).prop_map(|(status, output)| {
            json!({"type": "response.completed", "response": {"status": status, "output": output}})
        }),
        ".{0,12}".prop_map(|delta| text("m", &delta)),
        ".{0,40}".prop_map(Value::String),
        Just(json!({"type": "error"})),
        Just(json!({"error": 1})),
    ]
}

proptest! {
    #[test]
    fn no_events_make_it_panic_and_what_is_accepted_is_sound(events in proptest::collection::vec(any_event(), 0..12)) {
        if let Ok(Some(complete)) = take(&events).1 {
            let calls = ids(&complete);
            prop_assert!(!calls.is_empty());
            prop_assert!(calls.iter().filter(|id| *id == "a").count() <= 1);
            prop_assert!(!calls.contains(&"b".to_owned()));
        }
    }

    #[test]
    fn no_text_makes_it_panic(text in ".*") {
        let _ = Assembler::default().take(&text);
        let _ = Assembler::default().take_whole(&text);
    }
}
