//! One message, and its parts as items.

use crate::record::CallId;
use crate::store::import::error::{Rule, quoted};
use serde::Deserialize;
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Value, json};

/// What is read of a message; other fields are the other program's own.
#[derive(Deserialize)]
pub(super) struct Message {
    role: String,
    #[serde(default)]
    content: Option<Value>,
    #[serde(default)]
    refusal: Option<String>,
    #[serde(default)]
    tool_calls: Option<Vec<ToolCall>>,
    #[serde(default)]
    function_call: Option<Value>,
    #[serde(default)]
    pub(super) tool_call_id: Option<String>,
}

#[derive(Deserialize)]
struct ToolCall {
    #[serde(default)]
    id: String,
    function: Function,
}

#[derive(Deserialize)]
struct Function {
    name: String,
    #[serde(default)]
    arguments: Value,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    User,
    Assistant,
    Tool,
    /// Instructions of the other program's, which are none here.
    Instructions,
}

impl Message {
    pub(super) fn role(&self) -> Result<Role, Rule> {
        match self.role.as_str() {
            "user" => Ok(Role::User),
            "assistant" => Ok(Role::Assistant),
            "tool" => Ok(Role::Tool),
            "system" | "developer" => Ok(Role::Instructions),
            role => Err(Rule::Role(quoted(role))),
        }
    }

    /// Its text, and how many parts are none.
    pub(super) fn text(&self) -> Result<(String, u64), Rule> {
        let (mut text, others) = match &self.content {
            None => (String::new(), 0),
            Some(Value::String(text)) => (text.clone(), 0),
            Some(Value::Array(parts)) => text_of_parts(parts),
            Some(Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_)) => {
                return Err(Rule::Content);
            }
        };
        if let Some(refusal) = &self.refusal {
            text.push_str(refusal);
        }
        Ok((text, others))
    }
}

fn text_of_parts(parts: &[Value]) -> (String, u64) {
    let texts: Vec<&str> = parts
        .iter()
        .filter_map(|part| {
            part.as_str().or_else(|| part["text"].as_str()).or_else(|| part["refusal"].as_str())
        })
        .collect();
    (texts.concat(), (parts.len() - texts.len()) as u64)
}

/// An answer as an item; the other program's has no id of a server.
pub(super) fn message_item(text: &str) -> Result<Box<RawValue>, Rule> {
    item(&json!({"type": "message", "role": "assistant", "content": text}))
}

/// The calls of a message as items.
pub(super) fn call_items(message: &Message) -> Result<Vec<Box<RawValue>>, Rule> {
    if message.function_call.as_ref().is_some_and(|call| !call.is_null()) {
        return Err(Rule::OldCall);
    }
    message.tool_calls.iter().flatten().map(call_item).collect()
}

fn call_item(call: &ToolCall) -> Result<Box<RawValue>, Rule> {
    let id = CallId::new(call.id.as_str())?;
    let Function { name, arguments } = &call.function;
    let arguments = arguments.as_str().map_or_else(|| arguments.to_string(), str::to_owned);
    item(&json!({"type": "function_call", "call_id": id, "name": name, "arguments": arguments}))
}

fn item(value: &Value) -> Result<Box<RawValue>, Rule> {
    to_raw_value(value).map_err(|error| Rule::fields(&error))
}
