//! Chat messages with `tool_calls` and `tool` results, an array of them or one a
//! line. Such a history has no start records: a call without a result may have
//! run, so it is closed as unknown.

mod message;
#[cfg(test)]
mod tests;

use super::draft::{Draft, Observed};
use super::error::{Place, Refusal, Rule};
use crate::record::{CallId, Outcome};
use crate::session::Turn;
use message::{Message, Role, call_items, message_item};
use serde_json::value::RawValue;
use std::collections::HashMap;

/// Reads a whole history into the draft and closes what it leaves open.
pub(super) fn read(bytes: &[u8], draft: &mut Draft) -> Result<(), Refusal> {
    let mut conversation = Conversation { draft, items: Vec::new(), results: HashMap::new() };
    let mut place = Place::Message(1);
    for (at, raw) in messages(bytes)? {
        place = at;
        let message: Message =
            serde_json::from_str(raw.get()).map_err(|error| place.refuse(Rule::fields(&error)))?;
        conversation.take(&message).map_err(|rule| place.refuse(rule))?;
    }
    conversation.end_turn().map_err(|rule| place.refuse(rule))
}

/// The messages with their places. An array begins with its bracket.
fn messages(bytes: &[u8]) -> Result<Vec<(Place, Box<RawValue>)>, Refusal> {
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let lines = bytes[..error.valid_up_to()].iter().filter(|byte| **byte == b'\n').count() as u64;
        Place::Line(lines + 1).refuse(Rule::Utf8)
    })?;
    if text.trim_start().starts_with('[') {
        let array: Vec<Box<RawValue>> = serde_json::from_str(text)
            .map_err(|error| Place::Line(error.line() as u64).refuse(Rule::Json))?;
        return Ok((1..).map(Place::Message).zip(array).collect());
    }
    let lines = (1..).map(Place::Line).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty());
    lines
        .map(|(place, line)| {
            let raw = serde_json::from_str(line).map_err(|_| place.refuse(Rule::Json))?;
            Ok((place, raw))
        })
        .collect()
}

struct Conversation<'a> {
    draft: &'a mut Draft,
    /// Of a response that is still being put together: text of the assistant's
    /// in several messages is one response.
    items: Vec<Box<RawValue>>,
    /// Results of the open calls, in whatever order they came.
    results: HashMap<String, String>,
}

impl Conversation<'_> {
    fn take(&mut self, message: &Message) -> Result<(), Rule> {
        let role = message.role()?;
        if role == Role::Tool {
            return self.result(message);
        }
        self.close_calls()?;
        match role {
            Role::User => self.user(message),
            Role::Assistant => self.assistant(message),
            Role::Instructions | Role::Tool => {
                self.draft.summary.dropped_messages += 1;
                Ok(())
            }
        }
    }

    fn user(&mut self, message: &Message) -> Result<(), Rule> {
        let text = self.text_of(message)?;
        if text.trim().is_empty() {
            self.draft.summary.dropped_messages += 1;
            return Ok(());
        }
        self.end_turn()?;
        self.draft.message(&text).map(drop)
    }

    fn assistant(&mut self, message: &Message) -> Result<(), Rule> {
        if self.draft.session().open_turn().is_none() {
            self.draft.summary.dropped_messages += 1;
            return Ok(());
        }
        let text = self.text_of(message)?;
        let calls = call_items(message)?;
        if !text.trim().is_empty() {
            self.items.push(message_item(&text)?);
        }
        if !calls.is_empty() {
            self.items.extend(calls);
            self.respond()?;
        }
        Ok(())
    }

    /// Keeps a result for the call that it names, if that call is open.
    fn result(&mut self, message: &Message) -> Result<(), Rule> {
        let id = message.tool_call_id.clone().unwrap_or_default();
        let turn = self.draft.session().open_turn();
        let is_open =
            turn.is_some_and(|turn| turn.calls().any(|call| call.result.is_none() && call.id.as_str() == id));
        if !is_open {
            self.draft.summary.dropped_orphans += 1;
        } else if self.results.contains_key(&id) {
            self.draft.summary.dropped_duplicates += 1;
        } else {
            let text = self.text_of(message)?;
            self.results.insert(id, text);
        }
        Ok(())
    }

    /// Gives every open call its result; one that has none may have run.
    fn close_calls(&mut self) -> Result<(), Rule> {
        while let Some(call) = self.open_call() {
            match self.results.remove(call.as_str()) {
                Some(output) => self.draft.observed(&Observed {
                    outcome: Outcome::Completed,
                    exit_code: None,
                    output: &output,
                    truncated: false,
                })?,
                None => {
                    self.draft.unknown()?;
                    self.draft.summary.closed_unknown += 1;
                }
            }
        }
        Ok(())
    }

    fn open_call(&self) -> Option<CallId> {
        self.draft.session().open_turn().and_then(Turn::open_call).map(|call| call.id.clone())
    }

    fn respond(&mut self) -> Result<(), Rule> {
        if self.items.is_empty() { Ok(()) } else { self.draft.response(std::mem::take(&mut self.items)) }
    }

    fn end_turn(&mut self) -> Result<(), Rule> {
        self.close_calls()?;
        self.respond()?;
        self.draft.end_open()
    }

    fn text_of(&mut self, message: &Message) -> Result<String, Rule> {
        let (text, others) = message.text()?;
        self.draft.summary.dropped_parts += others;
        Ok(text)
    }
}
