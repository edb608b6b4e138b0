//! The texts of a record that a person has seen or can see, each once.

use crate::record::{Decision, Item, ItemKind, Operation, Record};
use serde::Deserialize;
use std::borrow::Cow;

/// Who said what was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Speaker {
    /// The person.
    You,
    /// The model.
    Assistant,
    /// A command, as it was asked for or approved.
    Command,
    /// What a command wrote, as far as its record holds it.
    Output,
    /// The title.
    Title,
    /// A line of Candor's own.
    Candor,
}

#[derive(Deserialize)]
struct Arguments {
    command: String,
}

/// All texts of a record, in the order in which they are shown.
pub(super) fn texts(record: &Record) -> Vec<(Speaker, Cow<'_, str>)> {
    match record {
        // The first title is taken from what is said next.
        Record::SessionStarted(_) => Vec::new(),
        Record::SessionRenamed(body) => vec![said(Speaker::Title, &body.title)],
        Record::UserMessage(body) => vec![said(Speaker::You, &body.text)],
        Record::ModelResponse(body) => {
            body.items.read().map(|items| items.iter().flat_map(of_item).collect()).unwrap_or_default()
        }
        Record::Approval(body) => {
            // What was asked for stands in the response already.
            let other = body.edited && body.decision == Decision::Approved;
            let edited = other.then(|| said(Speaker::Command, Operation::summary(&body.operation)));
            let words = body.feedback.iter().map(|words| said(Speaker::You, words));
            edited.into_iter().chain(words).collect()
        }
        Record::ToolResult(body) => body.output.iter().map(|output| said(Speaker::Output, output)).collect(),
        Record::TurnEnded(body) => body.error.iter().map(|error| said(Speaker::Candor, error)).collect(),
        Record::Acknowledged(body) => {
            let notes = body.statements.iter().filter_map(|statement| statement.note.as_deref());
            notes.map(|note| said(Speaker::You, note)).collect()
        }
        Record::ToolStarted(_) | Record::TurnExtended(_) | Record::TailMoved(_) => Vec::new(),
    }
}

fn said(who: Speaker, text: &str) -> (Speaker, Cow<'_, str>) {
    (who, Cow::Borrowed(text))
}

fn of_item(item: &Item) -> Vec<(Speaker, Cow<'_, str>)> {
    match &item.kind {
        ItemKind::Message { text, refusal, .. } => {
            vec![said(Speaker::Assistant, text), said(Speaker::Assistant, refusal)]
        }
        ItemKind::Reasoning { summary, .. } => vec![said(Speaker::Assistant, summary)],
        ItemKind::Call { arguments, .. } => match serde_json::from_str(arguments) {
            Ok(Arguments { command }) => vec![(Speaker::Command, command.into())],
            Err(_) => vec![said(Speaker::Command, arguments)],
        },
        ItemKind::Other { .. } => Vec::new(),
    }
}
