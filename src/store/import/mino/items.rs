//! The items of a response, by the rules that the file was written under.

use crate::store::import::error::Rule;
use serde::Deserialize;
use serde_json::json;
use serde_json::value::{RawValue, to_raw_value};
use std::collections::HashSet;

/// The longest call id, in bytes.
const CALL_ID_BYTES: usize = 512;

/// What the rules look at; everything else is the model's own.
#[derive(Deserialize)]
struct Item {
    #[serde(default, rename = "type")]
    kind: String,
    #[serde(default)]
    role: Option<String>,
    #[serde(default)]
    status: Option<String>,
    #[serde(default)]
    phase: Option<String>,
    #[serde(default)]
    content: Option<Box<RawValue>>,
    #[serde(default)]
    call_id: Option<String>,
    #[serde(default)]
    name: Option<String>,
    #[serde(default)]
    arguments: Option<Box<RawValue>>,
}

#[derive(Deserialize)]
struct Part {
    #[serde(default, rename = "type")]
    kind: String,
    #[serde(default)]
    text: Option<String>,
    #[serde(default)]
    refusal: Option<String>,
}

/// Whether a call is among them.
pub(super) fn has_call(output: &[Box<RawValue>]) -> bool {
    output.iter().any(|raw| read(raw).is_ok_and(|item| item.kind == "function_call"))
}

/// The items as they are kept; where the file has none, a message of the text.
pub(super) fn checked(text: &str, output: Vec<Box<RawValue>>) -> Result<Vec<Box<RawValue>>, Rule> {
    if output.is_empty() {
        if text.trim().is_empty() {
            return Err(Rule::Item("it has neither text nor calls"));
        }
        let message = json!({"type": "message", "role": "assistant", "content": text});
        return Ok(vec![to_raw_value(&message).map_err(|error| Rule::fields(&error))?]);
    }
    let mut calls = HashSet::new();
    let mut says_something = false;
    for raw in &output {
        let item = read(raw)?;
        match item.kind.as_str() {
            "message" => check_message(&item)?,
            "reasoning" if item.role.is_none() => continue,
            "reasoning" => return Err(Rule::Item("reasoning has no role")),
            "function_call" => check_call(&item, &mut calls)?,
            _ => return Err(Rule::Item("it is no message, reasoning or call")),
        }
        says_something = true;
    }
    if says_something {
        output.into_iter().map(on_one_line).collect()
    } else {
        Err(Rule::Item("it has neither text nor calls"))
    }
}

fn read(raw: &RawValue) -> Result<Item, Rule> {
    serde_json::from_str(raw.get()).map_err(|error| Rule::fields(&error))
}

/// A carriage return can stand between tokens; inside a string it cannot.
fn on_one_line(raw: Box<RawValue>) -> Result<Box<RawValue>, Rule> {
    if !raw.get().contains('\r') {
        return Ok(raw);
    }
    RawValue::from_string(raw.get().replace('\r', " ")).map_err(|error| Rule::fields(&error))
}

fn check_message(item: &Item) -> Result<(), Rule> {
    if item.role.as_deref() != Some("assistant") {
        return Err(Rule::Item("a message is the assistant's"));
    }
    check_status(item)?;
    if !matches!(item.phase.as_deref(), None | Some("" | "commentary" | "final_answer")) {
        return Err(Rule::Item("a message has a known phase"));
    }
    let content = item.content.as_ref().map_or("[]", |raw| raw.get());
    let parts: Vec<Part> = serde_json::from_str(content).map_err(|_| Rule::Content)?;
    let mut has_text = false;
    for part in &parts {
        let text = match part.kind.as_str() {
            "output_text" => &part.text,
            "refusal" => &part.refusal,
            _ => return Err(Rule::Item("a part is output_text or refusal")),
        };
        has_text |= text.as_deref().is_some_and(|text| !text.trim().is_empty());
    }
    if has_text { Ok(()) } else { Err(Rule::Item("a message has text")) }
}

fn check_call(item: &Item, calls: &mut HashSet<String>) -> Result<(), Rule> {
    check_status(item)?;
    let id = item.call_id.as_deref().unwrap_or_default();
    if id.trim().is_empty() || id.len() > CALL_ID_BYTES {
        return Err(Rule::Item("a call has an id of at most 512 bytes"));
    }
    if !calls.insert(id.to_owned()) {
        return Err(Rule::Item("a call's id comes once in a response"));
    }
    if item.name.as_deref().unwrap_or_default().trim().is_empty() {
        return Err(Rule::Item("a call names its tool"));
    }
    match &item.arguments {
        Some(arguments) if arguments.get().starts_with('"') => Ok(()),
        Some(_) | None => Err(Rule::Item("a call's arguments are a string")),
    }
}

fn check_status(item: &Item) -> Result<(), Rule> {
    match item.status.as_deref() {
        None | Some("" | "completed") => Ok(()),
        Some(_) => Err(Rule::Item("its status is completed")),
    }
}
