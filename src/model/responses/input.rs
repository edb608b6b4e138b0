//! The conversation as input items.
//!
//! What a model made goes back byte for byte to the same maker, and in plain
//! form to any other.

use super::PROTOCOL;
use crate::model::BaseUrl;
use crate::model::error::Trouble;
use crate::model::quirks::{Quirk, Quirks};
use crate::record::{ContextItem, Item, ItemKind, Maker};
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::value::RawValue;
use std::collections::HashMap;
use std::fmt;

/// One item of the input, as it is written.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(super) enum Input<'a> {
    /// A message; always with its type, which llama.cpp needs.
    Message {
        /// `message`
        r#type: &'static str,
        /// `user` or `assistant`
        role: &'static str,
        /// What it says.
        content: Content<'a>,
    },
    /// A call of another maker's.
    Call {
        /// `function_call`
        r#type: &'static str,
        /// The model's id.
        call_id: &'a str,
        /// The tool's name.
        name: &'a str,
        /// The arguments as received.
        arguments: &'a str,
    },
    /// A result.
    Output {
        /// `function_call_output`
        r#type: &'static str,
        /// The call.
        call_id: &'a str,
        /// The result.
        output: &'a str,
    },
    /// An item of the same maker's, as it came.
    Raw(&'a RawValue),
    /// The same without its id.
    WithoutId(WithoutId<'a>),
}

/// What a message says.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(super) enum Content<'a> {
    /// The user's words, as one part.
    Parts([Part<'a>; 1]),
    /// Assistant text of ours: as a part it would need an id.
    Text(String),
    /// The same, borrowed.
    Borrowed(&'a str),
}

/// One part of a message.
#[derive(Debug, Serialize)]
pub(super) struct Part<'a> {
    r#type: &'static str,
    text: &'a str,
}

/// To whom the input goes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Recipient<'a> {
    /// The server.
    pub(super) base: &'a BaseUrl,
    /// The model.
    pub(super) model: &'a str,
    /// What the server does not take.
    pub(super) quirks: Quirks,
}

impl Recipient<'_> {
    /// Whether these items were made there: same protocol, server and model family.
    fn made(&self, maker: &Maker) -> bool {
        maker.protocol == PROTOCOL
            && maker.server.as_deref() == Some(self.base.to_string().as_str())
            && maker.model.as_deref().is_some_and(|model| family(model) == family(self.model))
    }
}

/// A model's name without the date of a snapshot: `gpt-5.6-2026-08-21` is `gpt-5.6`.
fn family(model: &str) -> &str {
    let date = model.len().checked_sub("-2026-08-21".len()).and_then(|at| model.split_at_checked(at));
    match date {
        Some((name, date))
            if date.bytes().zip(b"-0000-00-00".iter()).all(|(byte, form)| match form {
                b'-' => byte == b'-',
                _ => byte.is_ascii_digit(),
            }) =>
        {
            name
        }
        _ => model,
    }
}

/// The input of a request.
///
/// # Errors
/// [`Trouble::Unsendable`] where calls and results do not pair up or nobody is to
/// be answered: only some servers would notice.
pub(super) fn input<'a>(items: &'a [ContextItem], to: Recipient<'_>) -> Result<Vec<Input<'a>>, Trouble> {
    check(items).map_err(Trouble::Unsendable)?;
    let mut input = Vec::with_capacity(items.len());
    let mut rest = items;
    while let Some(first) = rest.first() {
        // The items of one response stand together; what follows is never the model's.
        let length = rest.iter().take_while(|item| matches!(item, ContextItem::Model { .. })).count();
        let (response, after) = rest.split_at(length.max(1));
        match first {
            ContextItem::Model { .. } => write_response(response, to, &mut input),
            ContextItem::User { text } => input.push(Input::Message {
                r#type: "message",
                role: "user",
                content: Content::Parts([Part { r#type: "input_text", text }]),
            }),
            ContextItem::Notice { text } => input.push(Input::assistant(Content::Borrowed(text))),
            ContextItem::Result { call_id, output } => input.push(Input::Output {
                r#type: "function_call_output",
                call_id: call_id.as_str(),
                output,
            }),
        }
        rest = after;
    }
    Ok(input)
}

fn check(items: &[ContextItem]) -> Result<(), &'static str> {
    let mut open = HashMap::new();
    for item in items {
        match item {
            ContextItem::Model { item, .. } => {
                if let ItemKind::Call { call_id, .. } = &item.kind
                    && open.insert(call_id.as_str(), true).is_some()
                {
                    return Err("two of its calls have the same id");
                }
            }
            ContextItem::Result { call_id, .. } => match open.get_mut(call_id.as_str()) {
                Some(waiting) if *waiting => *waiting = false,
                Some(_) => return Err("one of its calls has two results"),
                None => return Err("one of its results belongs to no call"),
            },
            ContextItem::User { .. } | ContextItem::Notice { .. } => {}
        }
    }
    if open.values().any(|waiting| *waiting) {
        return Err("one of its calls has no result");
    }
    match items.last() {
        Some(ContextItem::User { .. } | ContextItem::Result { .. }) => Ok(()),
        Some(ContextItem::Notice { .. } | ContextItem::Model { .. }) | None => {
            Err("it does not end with something to answer")
        }
    }
}

/// Writes the items of one response.
fn write_response<'a>(response: &'a [ContextItem], to: Recipient<'_>, input: &mut Vec<Input<'a>>) {
    let items = response.iter().filter_map(|item| match item {
        ContextItem::Model { item, maker } => Some((item, maker)),
        ContextItem::User { .. } | ContextItem::Notice { .. } | ContextItem::Result { .. } => None,
    });
    let keep_reasoning = |item: &Item| match &item.kind {
        // Nothing is stored at the server, so without its blob it cannot be found there.
        ItemKind::Reasoning { encrypted, .. } => *encrypted && !to.quirks.has(Quirk::ReasoningItems),
        ItemKind::Message { .. } | ItemKind::Call { .. } | ItemKind::Other { .. } => true,
    };
    // An item with an id demands the reasoning that it came with.
    let whole = items.clone().all(|(item, _)| keep_reasoning(item));
    for (item, maker) in items {
        if !to.made(maker) {
            input.extend(converted(item));
        } else if whole {
            input.push(Input::Raw(&item.raw));
        } else if keep_reasoning(item) {
            input.push(WithoutId::read(&item.raw).map_or(Input::Raw(&item.raw), Input::WithoutId));
        }
    }
}

/// An item in the form that every server understands, if it has one.
fn converted(item: &Item) -> Option<Input<'_>> {
    match &item.kind {
        ItemKind::Message { text, refusal, .. } => {
            let words = [text.as_str(), refusal.as_str()].into_iter().filter(|words| !words.is_empty());
            let words = words.collect::<Vec<_>>().join("\n\n");
            (!words.is_empty()).then(|| Input::assistant(Content::Text(words)))
        }
        ItemKind::Call { call_id, name, arguments } => {
            Some(Input::Call { r#type: "function_call", call_id: call_id.as_str(), name, arguments })
        }
        ItemKind::Reasoning { .. } | ItemKind::Other { .. } => None,
    }
}

impl<'a> Input<'a> {
    fn assistant(content: Content<'a>) -> Self {
        Self::Message { r#type: "message", role: "assistant", content }
    }
}

/// An item's members in their order, each as it came, without `id`.
#[derive(Debug)]
pub(super) struct WithoutId<'a>(Vec<(String, &'a RawValue)>);

impl<'a> WithoutId<'a> {
    fn read(raw: &'a RawValue) -> Option<Self> {
        serde_json::from_str(raw.get()).ok()
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for WithoutId<'a> {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        struct Members;
        impl<'de> Visitor<'de> for Members {
            type Value = Vec<(String, &'de RawValue)>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut members = Vec::new();
                while let Some((name, value)) = map.next_entry::<String, &RawValue>()? {
                    if name != "id" {
                        members.push((name, value));
                    }
                }
                Ok(members)
            }
        }
        d.deserialize_map(Members).map(Self)
    }
}

impl Serialize for WithoutId<'_> {
    fn serialize<S: serde::Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.collect_map(self.0.iter().map(|(name, value)| (name, value)))
    }
}
