//! What the demo is told, read from a request's body.

use serde::Deserialize;
use serde_json::Value;

/// One thing that was said or done.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Said {
    /// A message of the user's.
    User(String),
    /// A message in the assistant's place, notices included.
    Assistant,
    /// A call of an earlier answer.
    Call {
        /// Its id.
        id: String,
        /// The command, where there is one.
        command: String,
    },
    /// What became of a call.
    Result {
        /// The call's id.
        id: String,
        /// How it ended.
        result: CallResult,
    },
}

/// How long the conversation of a request is, without its instructions and
/// tools: these tell of the machine.
pub(super) fn bytes(body: &[u8]) -> usize {
    #[derive(Deserialize)]
    struct Body<'a> {
        #[serde(borrow)]
        input: &'a serde_json::value::RawValue,
    }
    serde_json::from_slice::<Body<'_>>(body).map_or(0, |body| body.input.get().len())
}

/// A result, as the agent words it.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub(super) struct CallResult {
    /// The outcome.
    pub(super) status: String,
    /// The exit code.
    pub(super) exit_code: Option<i64>,
    /// The output, or what there is to say in its place.
    pub(super) output: String,
    /// The output is not all of it.
    pub(super) truncated: bool,
    /// A person's words with a denial.
    pub(super) feedback: Option<String>,
    /// What ran, where a person had edited it.
    pub(super) ran: Option<Value>,
}

/// The conversation in a request's body; `None` if it is none.
pub(super) fn read(body: &[u8]) -> Option<Vec<Said>> {
    #[derive(Deserialize)]
    struct Body {
        input: Vec<Value>,
    }
    let body: Body = serde_json::from_slice(body).ok()?;
    Some(body.input.iter().filter_map(item).collect())
}

fn item(item: &Value) -> Option<Said> {
    let text = |name: &str| item[name].as_str().unwrap_or_default().to_owned();
    match item["type"].as_str()? {
        "message" if item["role"] == "user" => Some(Said::User(content(&item["content"]))),
        "message" => Some(Said::Assistant),
        "function_call" => {
            let arguments = serde_json::from_str::<Value>(&text("arguments")).unwrap_or_default();
            let command = arguments["command"].as_str().unwrap_or_default().to_owned();
            Some(Said::Call { id: text("call_id"), command })
        }
        "function_call_output" => {
            let result = serde_json::from_str(&text("output")).unwrap_or_default();
            Some(Said::Result { id: text("call_id"), result })
        }
        _ => None,
    }
}

fn content(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => parts.iter().filter_map(|part| part["text"].as_str()).collect(),
        _ => String::new(),
    }
}
