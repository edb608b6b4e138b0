//! Whether a completed response may be used: all that must hold before anything
//! of it is kept. Nothing is repaired.

use crate::record::{Item, ItemError, ItemKind};
use serde::Deserialize;
use serde_json::value::RawValue;
use std::collections::HashSet;

/// Items of one response, in number.
pub(super) const ITEMS: usize = 256;
/// Arguments of one call, in bytes.
pub(super) const ARGUMENT_BYTES: usize = 1 << 20;

/// Why a completed response cannot be used, as a clause.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Unusable {
    /// The response's status is not `completed`.
    #[error("its status is \"{0}\"")]
    Status(String),
    /// It holds neither text nor a call.
    #[error("it is empty")]
    Empty,
    /// Too many items.
    #[error("it has over {ITEMS} items")]
    TooManyItems,
    /// An item cannot be kept.
    #[error("{0}")]
    Item(#[from] ItemError),
    /// An item says of itself that it is not complete.
    #[error("a part of it is marked \"{0}\"")]
    ItemStatus(String),
    /// A message in another role than the assistant's, or the result of a call.
    #[error("it speaks for somebody else")]
    Role,
    /// Arguments that are not one JSON object: cut, empty, a list.
    #[error("the arguments of a call are not one JSON object")]
    Arguments,
    /// Arguments over [`ARGUMENT_BYTES`].
    #[error("the arguments of a call have over {} MiB", ARGUMENT_BYTES >> 20)]
    LongArguments,
    /// Two calls with one id.
    #[error("two calls have the same id")]
    DoubledId,
    /// A call that was streamed is not in the final answer, or is another there.
    #[error("a call that was streamed is missing or different at its end")]
    CallsDiffer,
    /// An event that decides over the answer cannot be read.
    #[error("its event {0} is damaged")]
    Event(String),
    /// Damaged events, and no complete answer at the end to make up for them.
    #[error("a part of it is damaged")]
    Damaged,
}

/// What an item says about itself besides what [`Item`] reads.
#[derive(Deserialize)]
struct Claims {
    #[serde(default)]
    status: Option<String>,
    #[serde(default)]
    role: Option<String>,
}

/// Checks and reads all items of a response.
///
/// # Errors
/// [`Unusable`]: the first rule that does not hold.
pub(super) fn validate(items: Vec<Box<RawValue>>) -> Result<Vec<Item>, Unusable> {
    if items.len() > ITEMS {
        return Err(Unusable::TooManyItems);
    }
    let items = items.into_iter().map(one_line).map(validate_item).collect::<Result<Vec<_>, _>>()?;
    let mut ids = HashSet::new();
    if !items.iter().filter_map(call_id).all(|id| ids.insert(id)) {
        return Err(Unusable::DoubledId);
    }
    if items.iter().any(says_something) { Ok(items) } else { Err(Unusable::Empty) }
}

/// Line breaks between tokens become spaces, since an item is kept in one line;
/// inside strings JSON has none.
pub(super) fn one_line(item: Box<RawValue>) -> Box<RawValue> {
    if !item.get().contains(['\n', '\r']) {
        return item;
    }
    let line = item.get().replace(['\n', '\r'], " ");
    RawValue::from_string(line).unwrap_or(item)
}

fn validate_item(raw: Box<RawValue>) -> Result<Item, Unusable> {
    let item = Item::read(raw)?;
    match &item.kind {
        ItemKind::Message { .. } => check_claims(&item.raw)?,
        ItemKind::Call { arguments, .. } => {
            check_claims(&item.raw)?;
            check_arguments(arguments)?;
        }
        // A model that writes the result of a call would forge evidence.
        ItemKind::Other { kind } if kind == "function_call_output" => return Err(Unusable::Role),
        ItemKind::Reasoning { .. } | ItemKind::Other { .. } => {}
    }
    Ok(item)
}

fn check_claims(raw: &RawValue) -> Result<(), Unusable> {
    let claims: Claims = serde_json::from_str(raw.get()).map_err(|e| ItemError::Json(e.to_string()))?;
    match claims.status {
        Some(status) if status != "completed" => return Err(Unusable::ItemStatus(status)),
        _ => {}
    }
    if claims.role.is_none_or(|role| role == "assistant") { Ok(()) } else { Err(Unusable::Role) }
}

/// Doubled keys and control characters inside are the tool's matter; a text that
/// is no object at all cannot even be sent back to every server.
fn check_arguments(arguments: &str) -> Result<(), Unusable> {
    if arguments.len() > ARGUMENT_BYTES {
        return Err(Unusable::LongArguments);
    }
    if is_object(arguments) { Ok(()) } else { Err(Unusable::Arguments) }
}

/// Whether a text is one JSON object, nested no deeper than anybody reads.
pub(super) fn is_object(text: &str) -> bool {
    serde_json::from_str::<serde_json::Map<String, serde_json::Value>>(text).is_ok()
}

fn call_id(item: &Item) -> Option<&str> {
    match &item.kind {
        ItemKind::Call { call_id, .. } => Some(call_id.as_str()),
        ItemKind::Message { .. } | ItemKind::Reasoning { .. } | ItemKind::Other { .. } => None,
    }
}

fn says_something(item: &Item) -> bool {
    match &item.kind {
        ItemKind::Call { .. } => true,
        ItemKind::Message { text, refusal, .. } => !text.is_empty() || !refusal.is_empty(),
        ItemKind::Reasoning { .. } | ItemKind::Other { .. } => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::limits::ITEM_DEPTH;
    use proptest::prelude::*;

    fn check(items: &[&str]) -> Result<Vec<Item>, Unusable> {
        validate(items.iter().map(|item| RawValue::from_string((*item).to_owned()).unwrap()).collect())
    }

    fn call(arguments: &str) -> String {
        let arguments = serde_json::to_string(arguments).unwrap();
        format!(r#"{{"type":"function_call","call_id":"a","name":"bash","arguments":{arguments}}}"#)
    }

    #[test]
    fn arguments_are_one_json_object_or_the_response_is_unusable() {
        for good in ["{}", r#"{"command":"ls"}"#, " {\"a\": 1e2}\n", r#"{"a":1,"a":2}"#, r#"{"a":"\u0000"}"#]
        {
            assert!(check(&[&call(good)]).is_ok(), "{good}");
        }
        let deep = format!(r#"{{"a":{}{}}}"#, "[".repeat(200), "]".repeat(200));
        for bad in
            ["", " ", "[]", "null", "\"{}\"", r#"{"command":"ls"#, "{} {}", "{}x", "{a:1}", "{'a':1}", &deep]
        {
            assert_eq!(check(&[&call(bad)]).unwrap_err(), Unusable::Arguments, "{bad}");
        }
        let long = format!(r#"{{"a":"{}"}}"#, "x".repeat(ARGUMENT_BYTES));
        assert_eq!(check(&[&call(&long)]).unwrap_err(), Unusable::LongArguments);
        let object = r#"{"type":"function_call","call_id":"a","name":"bash","arguments":{"command":"ls"}}"#;
        assert!(matches!(check(&[object]).unwrap_err(), Unusable::Item(ItemError::Json(_))));
    }

    #[test]
    fn every_item_is_complete_and_the_assistants() {
        let message = |more: &str| format!(r#"{{"type":"message","content":"hi"{more}}}"#);
        for good in ["", r#","status":"completed""#, r#","status":null"#, r#","role":"assistant""#] {
            assert!(check(&[&message(good)]).is_ok(), "{good}");
        }
        let in_progress = Unusable::ItemStatus("in_progress".into());
        assert_eq!(check(&[&message(r#","status":"in_progress""#)]).unwrap_err(), in_progress);
        assert_eq!(check(&[&message(r#","role":"user""#)]).unwrap_err(), Unusable::Role);
        let forged = r#"{"type":"function_call_output","call_id":"a","output":"{}"}"#;
        assert_eq!(check(&[&message(""), forged]).unwrap_err(), Unusable::Role);
        let deep = format!(r#"{{"type":"x","v":{}{}}}"#, "[".repeat(ITEM_DEPTH), "]".repeat(ITEM_DEPTH));
        assert_eq!(check(&[&message(""), &deep]).unwrap_err(), Unusable::Item(ItemError::Depth));
    }

    #[test]
    fn something_is_said_or_asked_and_not_too_much() {
        let reasoning = r#"{"type":"reasoning","summary":[],"encrypted_content":"x"}"#;
        let silent = r#"{"type":"message","content":[]}"#;
        for empty in [&[][..], &[reasoning], &[silent], &[reasoning, r#"{"type":"web_search_call"}"#]] {
            assert_eq!(check(empty).unwrap_err(), Unusable::Empty);
        }
        assert!(check(&[reasoning, r#"{"type":"message","content":[{"refusal":"no"}]}"#]).is_ok());
        let call = call("{}");
        assert_eq!(check(&[&call, &call]).unwrap_err(), Unusable::DoubledId);
        let many = [silent; ITEMS + 1];
        assert_eq!(check(&many).unwrap_err(), Unusable::TooManyItems);
    }

    #[test]
    fn line_breaks_between_tokens_become_spaces_and_nothing_else_changes() {
        let item = "{\r\n  \"type\": \"message\",\n\t\"content\":\"a\\nb\", \"x\":1.0e2}";
        let kept = &check(&[item]).unwrap()[0];
        assert_eq!(kept.raw.get(), "{    \"type\": \"message\", \t\"content\":\"a\\nb\", \"x\":1.0e2}");
    }

    proptest! {
        #[test]
        fn no_item_makes_it_panic(text in r#"\{"type":"(message|function_call|reasoning)"[ -~]{0,80}\}"#) {
            if let Ok(raw) = RawValue::from_string(text) {
                let _ = validate(vec![raw]);
            }
        }

        #[test]
        fn a_cut_in_the_arguments_is_always_noticed(command in ".{0,20}", cut in any::<prop::sample::Index>()) {
            let whole = serde_json::json!({"command": command}).to_string();
            let at = cut.index(whole.len());
            if let Some(part) = whole.get(..at) {
                prop_assert_eq!(check(&[&call(part)]).unwrap_err(), Unusable::Arguments);
            }
            prop_assert!(check(&[&call(&whole)]).is_ok());
        }
    }
}
