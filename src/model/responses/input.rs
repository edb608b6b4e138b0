//! The conversation as input items.
//!
//! What a model made goes back byte for byte to the same maker, and in plain
//! form to any other.

use super::PROTOCOL;
use super::pairs::check_pairs;
use super::validate::is_object;
use super::without_id::WithoutId;
use crate::model::error::Trouble;
use crate::model::quirks::{Quirk, Quirks};
use crate::record::{ContextItem, Item, ItemKind, Maker};
use serde::Serialize;
use serde_json::value::RawValue;
use std::borrow::Cow;

/// One item of the input, as it is written.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(super) enum Input<'a> {
    /// An item in the form that every server understands.
    Plain(Plain<'a>),
    /// An item of the same maker's, as it came.
    Raw(&'a RawValue),
    /// The same without its id.
    WithoutId(WithoutId<'a>),
}

/// An item in the form that every server understands; always with its type, which
/// llama.cpp needs.
#[derive(Debug, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum Plain<'a> {
    /// A message.
    Message {
        /// `user` or `assistant`
        role: &'static str,
        /// What it says.
        content: Content<'a>,
        /// The server's word for its place in the turn.
        #[serde(skip_serializing_if = "Option::is_none")]
        phase: Option<&'a str>,
    },
    /// A call.
    FunctionCall {
        /// The model's id.
        call_id: &'a str,
        /// The tool's name.
        name: &'a str,
        /// The arguments as received.
        arguments: Cow<'a, str>,
    },
    /// A result.
    FunctionCallOutput {
        /// The call.
        call_id: &'a str,
        /// The result.
        output: &'a str,
    },
}

/// What a message says.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(super) enum Content<'a> {
    /// The user's words, as one part.
    Parts([Part<'a>; 1]),
    /// Assistant text that has no id of the server's: as a part it would need one.
    Text(Cow<'a, str>),
}

/// One part of a message.
#[derive(Debug, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum Part<'a> {
    /// The user's words.
    InputText {
        /// The words.
        text: &'a str,
    },
}

/// To whom the input goes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Recipient<'a> {
    /// The server, as it is recorded.
    pub(super) server: &'a str,
    /// The model.
    pub(super) model: &'a str,
    /// What the server does not take.
    pub(super) quirks: Quirks,
}

impl Recipient<'_> {
    /// Whether these items were made there: same protocol, server and model family.
    fn made(&self, maker: &Maker) -> bool {
        maker.protocol == PROTOCOL
            && maker.server.as_deref() == Some(self.server)
            && maker.model.as_deref().is_some_and(|model| family(model) == family(self.model))
    }
}

/// A model's name without the date of a snapshot: `gpt-5.6-2026-08-21` is `gpt-5.6`.
fn family(model: &str) -> &str {
    let form = "-0000-00-00";
    let split = model.len().checked_sub(form.len()).and_then(|at| model.split_at_checked(at));
    let fits = |date: &str| date.chars().map(|c| if c.is_ascii_digit() { '0' } else { c }).eq(form.chars());
    split.filter(|(_, date)| fits(date)).map_or(model, |(name, _)| name)
}

/// The input of a request.
///
/// # Errors
/// [`Trouble::Unsendable`] where calls and results do not pair up or nobody is to
/// be answered: only some servers would notice.
pub(super) fn input<'a>(items: &'a [ContextItem], to: Recipient<'_>) -> Result<Vec<Input<'a>>, Trouble> {
    check_pairs(items).map_err(Trouble::Unsendable)?;
    let mut input = Vec::with_capacity(items.len());
    let mut rest = items;
    while let Some(first) = rest.first() {
        // The items of one response stand together; what follows is never the model's.
        let length = rest.iter().take_while(|item| matches!(item, ContextItem::Model { .. })).count();
        let (response, after) = rest.split_at(length.max(1));
        match first {
            ContextItem::Model { .. } => write_response(response, to, &mut input),
            ContextItem::User { text } => input.push(user(text)),
            ContextItem::Notice { text } => input.push(assistant(Cow::Borrowed(text), None)),
            ContextItem::Result { call_id, output } => {
                input.push(Input::Plain(Plain::FunctionCallOutput { call_id: call_id.as_str(), output }));
            }
        }
        rest = after;
    }
    Ok(input)
}

/// Writes the items of one response.
fn write_response<'a>(response: &'a [ContextItem], to: Recipient<'_>, input: &mut Vec<Input<'a>>) {
    let items = response.iter().filter_map(|item| match item {
        ContextItem::Model { item, maker } => Some((item, maker)),
        ContextItem::User { .. } | ContextItem::Notice { .. } | ContextItem::Result { .. } => None,
    });
    let keep_reasoning = |item: &Item| match &item.kind {
        // Nothing is stored at the server, so without its blob it cannot be found there.
        ItemKind::Reasoning { encrypted, .. } => *encrypted && !to.quirks.has(Quirk::ReasoningAndIds),
        ItemKind::Message { .. } | ItemKind::Call { .. } | ItemKind::Other { .. } => true,
    };
    // An item with an id demands the reasoning that it came with.
    let whole = !to.quirks.has(Quirk::ReasoningAndIds) && items.clone().all(|(item, _)| keep_reasoning(item));
    for (item, maker) in items {
        if !to.made(maker) {
            input.extend(converted(item));
        } else if whole {
            input.push(Input::Raw(&item.raw));
        } else if keep_reasoning(item) {
            input.extend(without_id(item));
        }
    }
}

/// An item in the form that every server understands, if it has one.
fn converted(item: &Item) -> Option<Input<'_>> {
    match &item.kind {
        ItemKind::Message { text, refusal, .. } => said(text, refusal).map(|words| assistant(words, None)),
        ItemKind::Call { call_id, name, arguments } => {
            let (call_id, arguments) = (call_id.as_str(), sendable(arguments));
            Some(Input::Plain(Plain::FunctionCall { call_id, name, arguments }))
        }
        ItemKind::Reasoning { .. } | ItemKind::Other { .. } => None,
    }
}

/// An item of the same maker's that may not name the reasoning it came with.
fn without_id(item: &Item) -> Option<Input<'_>> {
    match &item.kind {
        // A message of parts must have an id, so it becomes one of text.
        ItemKind::Message { text, refusal, phase } => {
            said(text, refusal).map(|words| assistant(words, phase.as_deref()))
        }
        ItemKind::Call { .. } | ItemKind::Reasoning { .. } | ItemKind::Other { .. } => {
            Some(WithoutId::read(&item.raw).map_or(Input::Raw(&item.raw), Input::WithoutId))
        }
    }
}

/// All that a message says; servers refuse empty ones.
fn said<'a>(text: &'a str, refusal: &'a str) -> Option<Cow<'a, str>> {
    match (text, refusal) {
        ("", "") => None,
        (words, "") | ("", words) => Some(Cow::Borrowed(words)),
        (text, refusal) => Some(Cow::Owned(format!("{text}\n\n{refusal}"))),
    }
}

/// Arguments that every server can read. Imported ones may be anything, and what
/// is no JSON object would be refused in this and every later request.
fn sendable(arguments: &str) -> Cow<'_, str> {
    if is_object(arguments) {
        Cow::Borrowed(arguments)
    } else {
        Cow::Owned(serde_json::json!({ "_invalid_arguments": arguments }).to_string())
    }
}

fn user(text: &str) -> Input<'_> {
    let content = Content::Parts([Part::InputText { text }]);
    Input::Plain(Plain::Message { role: "user", content, phase: None })
}

fn assistant<'a>(words: Cow<'a, str>, phase: Option<&'a str>) -> Input<'a> {
    Input::Plain(Plain::Message { role: "assistant", content: Content::Text(words), phase })
}
