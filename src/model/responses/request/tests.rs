use super::*;
use crate::model::quirks::Quirks;
use crate::model::responses::PROTOCOL;
use crate::record::{CallId, ContextItem, Item, Maker, SessionId};
use serde_json::json;
use serde_json::value::RawValue;
use std::path::Path;
use std::sync::Arc;

const SERVER: &str = "https://api.openai.com/v1";

fn to(quirks: Quirks) -> Recipient<'static> {
    Recipient { server: SERVER, model: "gpt-5.6", quirks }
}

fn maker(model: &str) -> Arc<Maker> {
    Arc::new(Maker { protocol: PROTOCOL.into(), server: Some(SERVER.into()), model: Some(model.into()) })
}

fn model_item(raw: &str, maker: &Arc<Maker>) -> ContextItem {
    let item = Item::read(RawValue::from_string(raw.to_owned()).unwrap()).unwrap();
    ContextItem::Model { item, maker: Arc::clone(maker) }
}

fn user(text: &str) -> ContextItem {
    ContextItem::User { text: text.into() }
}

fn result(id: &str, output: &str) -> ContextItem {
    ContextItem::Result { call_id: CallId::new(id).unwrap(), output: output.into() }
}

fn request(input: Vec<ContextItem>) -> Request {
    Request {
        session: SessionId::parse("0193a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b").unwrap(),
        instructions: "<contents of the instructions file>".into(),
        input,
        tools: vec![ToolDefinition {
            name: "bash",
            description: "Run one bash command in the start directory.".into(),
            parameters: json!({"type": "object", "properties": {"command": {"type": "string"}},
                "required": ["command"], "additionalProperties": false}),
        }],
    }
}

fn written(input: Vec<ContextItem>, to: Recipient<'_>) -> Value {
    serde_json::from_slice(&body(&request(input), to).unwrap()).unwrap()
}

/// The items of an example, as the session would hand them over.
fn context(items: &Value) -> Vec<ContextItem> {
    let maker = maker("gpt-5.6");
    let item = |item: &Value| match (item["type"].as_str().unwrap(), item["role"].as_str()) {
        ("message", Some("user")) => user(item["content"][0]["text"].as_str().unwrap()),
        ("message", _) if item["content"].is_string() => {
            ContextItem::Notice { text: item["content"].as_str().unwrap().into() }
        }
        ("function_call_output", _) => {
            result(item["call_id"].as_str().unwrap(), item["output"].as_str().unwrap())
        }
        _ => model_item(&item.to_string(), &maker),
    };
    items.as_array().unwrap().iter().map(item).collect()
}

#[test]
fn requests_are_those_of_the_examples() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/wire/examples");
    for name in ["turn_request1", "turn_request2", "recovered_turn", "recovered_batch"] {
        #[allow(clippy::disallowed_methods)] // a test's own file
        let text = std::fs::read_to_string(folder.join(format!("responses_{name}.req.json"))).unwrap();
        let mut example: Value = serde_json::from_str(&text).unwrap();
        example["prompt_cache_key"] = "0193a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b".into();
        // How hard it should think is the server's default here.
        example["reasoning"].as_object_mut().unwrap().remove("effort");
        assert_eq!(written(context(&example["input"]), to(Quirks::default())), example, "{name}");
    }
}

#[test]
fn the_same_request_is_the_same_bytes_and_a_longer_one_begins_with_them() {
    let short = vec![user("one")];
    let long = vec![user("one"), ContextItem::Notice { text: "n".into() }, user("two")];
    let bytes = |input: &Vec<ContextItem>| body(&request(input.clone()), to(Quirks::default())).unwrap();
    assert_eq!(bytes(&short), bytes(&short));
    let (short, long) = (bytes(&short), bytes(&long));
    assert!(long.starts_with(&short[..short.len() - 2]));
}

#[test]
fn raw_items_go_back_byte_for_byte_to_their_maker_only() {
    let raw = r#"{"type":"message", "id":"m","content":[{"type":"output_text","text":"hi","x":1.0e2}],"phase":"commentary"}"#;
    let send = |maker: &Arc<Maker>| {
        let input = vec![user("a"), model_item(raw, maker), user("b")];
        String::from_utf8(body(&request(input), to(Quirks::default())).unwrap()).unwrap()
    };
    for same in ["gpt-5.6", "gpt-5.6-2026-08-21"] {
        assert!(send(&maker(same)).contains(raw), "{same}");
    }
    let plain = r#"{"type":"message","role":"assistant","content":"hi"}"#;
    let other = |change: fn(&mut Maker)| {
        let mut maker = Maker::clone(&maker("gpt-5.6"));
        change(&mut maker);
        Arc::new(maker)
    };
    for maker in [
        maker("gpt-5.6-mini"),
        maker("gpt-5"),
        other(|maker| maker.server = Some("http://127.0.0.1:8080/v1".into())),
        other(|maker| maker.protocol = "chat".into()),
        other(|maker| maker.server = None),
        other(|maker| maker.model = None),
    ] {
        let sent = send(&maker);
        assert!(sent.contains(plain) && !sent.contains(raw), "{maker:?}");
    }
}

#[test]
fn reasoning_goes_to_its_maker_with_its_blob_or_not_at_all() {
    let kept = r#"{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"gAAA"}"#;
    let lost = r#"{"type":"reasoning","id":"rs_1","summary":[]}"#;
    let call =
        r#"{"type":"function_call","id":"fc_1","call_id":"c","name":"bash","arguments":"{ }","extra":[1]}"#;
    let bare =
        json!({"type": "function_call", "call_id": "c", "name": "bash", "arguments": "{ }", "extra": [1]});
    let items = |reasoning: &str, model: &str, quirks| {
        let maker = maker(model);
        let input =
            vec![user("a"), model_item(reasoning, &maker), model_item(call, &maker), result("c", "{}")];
        let items = written(input, to(quirks))["input"].as_array().unwrap()[1..].to_vec();
        items[..items.len() - 1].to_vec()
    };
    let value = |text: &str| serde_json::from_str::<Value>(text).unwrap();
    let none = Quirks::default();
    assert_eq!(items(kept, "gpt-5.6", none), [value(kept), value(call)]);
    // Without it, its partners may not name it by their ids.
    assert_eq!(items(lost, "gpt-5.6", none), std::slice::from_ref(&bare));
    assert_eq!(items(kept, "gpt-5.6", none.with(Quirk::ReasoningAndIds)), [bare]);
    // A message of parts may not be without its id, one of text may.
    let message = r#"{"type":"message","id":"m","role":"assistant","content":[{"type":"output_text","text":"t"}],"phase":"commentary"}"#;
    let made = maker("gpt-5.6");
    let input = vec![user("a"), model_item(lost, &made), model_item(message, &made), user("b")];
    let plain = json!({"type": "message", "role": "assistant", "content": "t", "phase": "commentary"});
    assert_eq!(written(input, to(none))["input"][1], plain);
    let foreign = json!({"type": "function_call", "call_id": "c", "name": "bash", "arguments": "{ }"});
    assert_eq!(items(kept, "other", none), [foreign]);
}

#[test]
fn only_responses_that_lost_their_reasoning_lose_their_ids() {
    let maker = maker("gpt-5.6");
    let lost = r#"{"type":"reasoning","summary":[]}"#;
    let call = |n: u8| {
        format!(
            r#"{{"type":"function_call","id":"fc_{n}","call_id":"c{n}","name":"bash","arguments":"{{}}"}}"#
        )
    };
    let input = vec![
        user("a"),
        model_item(lost, &maker),
        model_item(&call(1), &maker),
        result("c1", "{}"),
        model_item(&call(2), &maker),
        result("c2", "{}"),
    ];
    let sent = written(input, to(Quirks::default()));
    let ids: Vec<_> =
        sent["input"].as_array().unwrap().iter().filter_map(|item| item["id"].as_str()).collect();
    assert_eq!(ids, ["fc_2"]);
}

#[test]
fn refusals_and_empty_texts_have_a_plain_form_too() {
    let other = maker("other");
    let input = vec![
        user("a"),
        model_item(r#"{"type":"message","content":[{"text":"t"},{"refusal":"r"}]}"#, &other),
        model_item(r#"{"type":"message","content":[]}"#, &other),
        model_item(r#"{"type":"web_search_call"}"#, &other),
        user("b"),
    ];
    let sent = written(input, to(Quirks::default()));
    assert_eq!(sent["input"].as_array().unwrap().len(), 3);
    assert_eq!(sent["input"][1]["content"], "t\n\nr");
}

#[test]
fn imported_arguments_that_are_no_object_are_wrapped() {
    let other = maker("other");
    let call = r#"{"type":"function_call","call_id":"c","name":"bash","arguments":"{\"command\": \"ls"}"#;
    let sent = written(vec![user("a"), model_item(call, &other), result("c", "{}")], to(Quirks::default()));
    let arguments: Value = serde_json::from_str(sent["input"][1]["arguments"].as_str().unwrap()).unwrap();
    assert_eq!(arguments, json!({"_invalid_arguments": "{\"command\": \"ls"}));
}

#[test]
fn what_does_not_pair_up_is_never_sent() {
    let maker = maker("gpt-5.6");
    let call =
        || model_item(r#"{"type":"function_call","call_id":"c","name":"bash","arguments":"{}"}"#, &maker);
    let notice = || ContextItem::Notice { text: "n".into() };
    for input in [
        vec![],
        vec![user("a"), call()],
        vec![user("a"), call(), user("b")],
        vec![user("a"), result("c", "{}")],
        vec![user("a"), call(), result("c", "{}"), result("c", "{}")],
        vec![user("a"), call(), call(), result("c", "{}")],
        vec![user("a"), call(), result("c", "{}"), call(), result("c", "{}")],
        vec![user("a"), notice()],
    ] {
        let refused = body(&request(input.clone()), to(Quirks::default()));
        assert!(matches!(refused, Err(Trouble::Unsendable(_))), "{input:?}");
    }
}

#[test]
fn what_a_server_refuses_is_left_out() {
    let full = written(vec![user("a")], to(Quirks::default()));
    for (quirk, pointer) in [
        (Quirk::Include, "/include"),
        (Quirk::Store, "/store"),
        (Quirk::ParallelToolCalls, "/parallel_tool_calls"),
        (Quirk::Strict, "/tools/0/strict"),
        (Quirk::PromptCacheKey, "/prompt_cache_key"),
        (Quirk::ReasoningSummary, "/reasoning"),
    ] {
        assert!(full.pointer(pointer).is_some(), "{pointer}");
        let less = written(vec![user("a")], to(Quirks::default().with(quirk)));
        assert!(less.pointer(pointer).is_none(), "{pointer}");
        assert!(less.get("tools").is_some() && less.get("instructions").is_some());
    }
}

#[test]
fn strict_is_said_only_of_schemas_that_keep_its_rule() {
    let object = |more: Value| {
        let mut schema = json!({"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": ["integer", "null"]}},
            "required": ["a", "b"], "additionalProperties": false});
        schema.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        schema
    };
    assert!(is_strict(&object(json!({}))));
    assert!(!is_strict(&object(json!({"required": ["a"]}))));
    assert!(!is_strict(&object(json!({"additionalProperties": true}))));
    let inner = json!({"properties": {"a": {"type": "object", "properties": {"c": {}}, "additionalProperties": false}}, "required": ["a"]});
    assert!(!is_strict(&object(inner)));
}

#[test]
fn summaries_are_wished_for_from_models_that_reason() {
    for (model, expected) in [
        ("gpt-5.6", true),
        ("openai/gpt-5", true),
        ("o3-mini", true),
        ("gpt-4o", false),
        ("olmo-2", false),
        ("smollm2", false),
        ("gpt-oss-20b", false),
    ] {
        assert_eq!(reasons(model), expected, "{model}");
    }
}
