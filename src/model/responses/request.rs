//! The body of a request.

use super::input::{Input, Recipient, input};
use crate::model::error::Trouble;
use crate::model::quirks::Quirk;
use crate::model::{Request, ToolDefinition};
use serde::Serialize;
use serde_json::Value;

/// Members in the order in which they are written: what changes least first, so
/// that servers can reuse what they know of the beginning.
#[derive(Debug, Serialize)]
struct Body<'a> {
    model: &'a str,
    stream: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    store: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    include: Option<[&'static str; 1]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    parallel_tool_calls: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reasoning: Option<Reasoning>,
    #[serde(skip_serializing_if = "Option::is_none")]
    prompt_cache_key: Option<String>,
    instructions: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_choice: Option<&'static str>,
    tools: Vec<Tool<'a>>,
    input: Vec<Input<'a>>,
}

#[derive(Debug, Serialize)]
struct Reasoning {
    summary: &'static str,
}

#[derive(Debug, Serialize)]
struct Tool<'a> {
    r#type: &'static str,
    name: &'a str,
    description: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    strict: Option<bool>,
    parameters: &'a Value,
}

/// The bytes of a request.
///
/// # Errors
/// [`Trouble::Unsendable`] where the conversation is not one that may be sent.
pub(super) fn body(request: &Request, to: Recipient<'_>) -> Result<Vec<u8>, Trouble> {
    let sent = |quirk: Quirk| !to.quirks.has(quirk);
    let body = Body {
        model: to.model,
        stream: true,
        // Nothing is kept at the server: the journal is the only memory.
        store: sent(Quirk::Store).then_some(false),
        include: sent(Quirk::Include).then_some(["reasoning.encrypted_content"]),
        parallel_tool_calls: sent(Quirk::ParallelToolCalls).then_some(false),
        reasoning: (reasons(to.model) && sent(Quirk::ReasoningSummary))
            .then_some(Reasoning { summary: "auto" }),
        prompt_cache_key: sent(Quirk::PromptCacheKey).then(|| request.session.to_string()),
        instructions: &request.instructions,
        tool_choice: (!request.tools.is_empty()).then_some("auto"),
        tools: request.tools.iter().map(|tool| Tool::of(tool, sent(Quirk::Strict))).collect(),
        input: input(&request.input, to)?,
    };
    serde_json::to_vec(&body).map_err(|_| Trouble::Unsendable("it cannot be written as JSON"))
}

impl<'a> Tool<'a> {
    fn of(tool: &'a ToolDefinition, say_strict: bool) -> Self {
        Self {
            r#type: "function",
            name: tool.name,
            description: &tool.description,
            strict: say_strict.then(|| is_strict(&tool.parameters)),
            parameters: &tool.parameters,
        }
    }
}

/// Whether a model is known to reason, so that summaries can be wished for.
fn reasons(model: &str) -> bool {
    let name = model.rsplit('/').next().unwrap_or(model);
    let generation = name.strip_prefix('o').or_else(|| name.strip_prefix("gpt-"));
    let numbered = generation.and_then(|rest| rest.chars().next()).and_then(|digit| digit.to_digit(10));
    numbered.is_some_and(|number| name.starts_with('o') || number >= 5)
}

/// Whether a schema keeps the rule of `strict`: every object is closed and
/// requires all of its properties.
fn is_strict(schema: &Value) -> bool {
    match schema {
        Value::Object(fields) => {
            let closed = fields.get("type").and_then(Value::as_str) != Some("object")
                || fields.get("additionalProperties") == Some(&Value::Bool(false)) && requires_all(schema);
            closed && fields.values().all(is_strict)
        }
        Value::Array(values) => values.iter().all(is_strict),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => true,
    }
}

fn requires_all(object: &Value) -> bool {
    let required: Vec<_> =
        object["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    object["properties"]
        .as_object()
        .is_none_or(|properties| properties.keys().all(|name| required.contains(&name.as_str())))
}

#[cfg(test)]
mod tests;
