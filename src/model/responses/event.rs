//! One event of a Responses stream: which of the many it is, and what of it is used.
//!
//! Servers leave out numbers, repeat events and invent new ones; so only the
//! fields that are needed are read, and what is not known is ignored.

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::Value;
use serde_json::value::RawValue;

/// An event, as far as it is used.
#[derive(Debug)]
pub(super) enum Event {
    /// The response exists.
    Created(Option<String>),
    /// A call begins.
    CallAdded,
    /// Reasoning begins.
    ReasoningAdded,
    /// Text of the answer.
    Text(Delta),
    /// Text of a refusal.
    Refusal(Delta),
    /// Text of the reasoning.
    Reasoning(Delta),
    /// An item is complete.
    ItemDone {
        /// Its place, where the server says it.
        index: Option<i64>,
        /// The item.
        item: Box<RawValue>,
    },
    /// The response ended, in one way or the other.
    Ended(Box<Ended>),
    /// An error, in the server's own shape.
    Error(Value),
    /// `[DONE]`: no part of this protocol, but some proxies send it.
    Done,
    /// Known or unknown, of no use here.
    Ignored,
    /// Not readable, and what it was cannot be seen.
    Damaged,
}

/// What distinguishes two paragraphs: item and part of a summary.
pub(super) type Paragraph = (Option<String>, Option<i64>);

/// A piece of text and the item that it belongs to.
#[derive(Debug, Deserialize)]
pub(super) struct Delta {
    /// The text.
    pub(super) delta: String,
    /// The item's id.
    #[serde(default)]
    item_id: Option<String>,
    /// The part of a summary.
    #[serde(default)]
    summary_index: Option<i64>,
}

impl Delta {
    /// The paragraph that it belongs to.
    pub(super) fn paragraph(&self) -> Paragraph {
        (self.item_id.clone(), self.summary_index)
    }
}

/// The response object of a terminal event.
#[derive(Debug, Deserialize)]
pub(super) struct Ended {
    /// The server's id of the response.
    #[serde(default)]
    pub(super) id: Option<String>,
    /// `completed`, `incomplete`, `failed` or another word.
    #[serde(default)]
    pub(super) status: Option<String>,
    /// The items.
    #[serde(default)]
    pub(super) output: Option<Vec<Box<RawValue>>>,
    /// Tokens, in the server's shape.
    #[serde(default)]
    pub(super) usage: Option<Box<RawValue>>,
    /// The error, in the server's shape.
    #[serde(default)]
    pub(super) error: Option<Box<RawValue>>,
    /// Why it is incomplete.
    #[serde(default)]
    pub(super) incomplete_details: Option<IncompleteDetails>,
}

/// Why a response is incomplete.
#[derive(Debug, Deserialize)]
pub(super) struct IncompleteDetails {
    /// An open set of words.
    #[serde(default)]
    pub(super) reason: Option<String>,
}

/// An event that decides over the answer and cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Unreadable {
    /// Its type.
    pub(super) kind: String,
}

#[derive(Deserialize)]
struct Typed {
    #[serde(rename = "type", default)]
    kind: Option<String>,
    #[serde(default)]
    error: Option<IgnoredAny>,
}

#[derive(Deserialize)]
struct Created {
    #[serde(default)]
    response: Option<Id>,
}

#[derive(Deserialize)]
struct Id {
    #[serde(default)]
    id: Option<String>,
}

#[derive(Deserialize)]
struct Added {
    item: AddedItem,
}

#[derive(Deserialize)]
struct AddedItem {
    #[serde(rename = "type")]
    kind: String,
}

#[derive(Deserialize)]
struct ItemDone {
    #[serde(default)]
    output_index: Option<i64>,
    item: Box<RawValue>,
}

#[derive(Deserialize)]
struct Terminal {
    response: Box<Ended>,
}

impl Event {
    /// Reads the data of one event. The `event:` line is not looked at: not every
    /// server sends one.
    ///
    /// # Errors
    /// [`Unreadable`] for an event that carries an item or ends the response.
    pub(super) fn read(data: &str) -> Result<Self, Unreadable> {
        let data = data.trim();
        if data.is_empty() {
            return Ok(Self::Ignored);
        }
        if data == "[DONE]" {
            return Ok(Self::Done);
        }
        let Ok(typed) = serde_json::from_str::<Typed>(data) else { return Ok(Self::Damaged) };
        let Some(kind) = typed.kind else {
            return Ok(if typed.error.is_some() { error(data) } else { Self::Ignored });
        };
        let unreadable = || Unreadable { kind: kind.clone() };
        Ok(match kind.as_str() {
            "response.created" | "response.in_progress" | "response.queued" => {
                display(data, |created: Created| {
                    Self::Created(created.response.and_then(|response| response.id))
                })
            }
            "response.output_item.added" => display(data, |added: Added| match added.item.kind.as_str() {
                "function_call" => Self::CallAdded,
                "reasoning" => Self::ReasoningAdded,
                _ => Self::Ignored,
            }),
            "response.output_text.delta" => display(data, Self::Text),
            "response.refusal.delta" => display(data, Self::Refusal),
            "response.reasoning_summary_text.delta" | "response.reasoning_text.delta" => {
                display(data, Self::Reasoning)
            }
            "response.output_item.done" => {
                let done: ItemDone = serde_json::from_str(data).map_err(|_| unreadable())?;
                Self::ItemDone { index: done.output_index, item: done.item }
            }
            "response.completed" | "response.incomplete" | "response.failed" => {
                let terminal: Terminal = serde_json::from_str(data).map_err(|_| unreadable())?;
                Self::Ended(terminal.response.named(&kind))
            }
            "error" => error(data),
            _ => Self::Ignored,
        })
    }
}

impl Ended {
    /// An event's own name counts too: a response that failed or is incomplete
    /// is not made complete by what its object says.
    fn named(mut self: Box<Self>, event: &str) -> Box<Self> {
        match event {
            "response.failed" => self.status = Some("failed".into()),
            "response.incomplete" => self.status = Some("incomplete".into()),
            _ => {}
        }
        self
    }
}

/// An event that is only shown: if it cannot be read it is dropped.
fn display<'a, T: Deserialize<'a>>(data: &'a str, event: impl FnOnce(T) -> Event) -> Event {
    serde_json::from_str(data).map_or(Event::Damaged, event)
}

fn error(data: &str) -> Event {
    serde_json::from_str(data).map_or(Event::Damaged, Event::Error)
}
