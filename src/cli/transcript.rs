//! A session as text for reading and as values for programs.

use crate::record::{Item, ItemKind, Origin, Outcome, ToolResult};
use crate::session::{Call, Entry, Session, Turn};
use crate::text::Clean;
use serde::Serialize;
use std::fmt::Write as _;
use std::sync::Arc;

/// A session for programs.
#[derive(Debug, Serialize)]
pub(super) struct Transcript {
    session: String,
    title: String,
    cwd: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    origin: Option<Origin>,
    turns: Vec<TurnView>,
}

#[derive(Debug, Serialize)]
struct TurnView {
    turn: String,
    status: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    imported: bool,
    entries: Vec<EntryView>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "snake_case", tag = "type")]
enum EntryView {
    User { text: String },
    Assistant { text: String },
    Call(Box<CallView>),
}

#[derive(Debug, Serialize)]
struct CallView {
    call: String,
    tool: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    command: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    decision: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    decided_by: Option<&'static str>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    edited: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    feedback: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    dispatch: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    outcome: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    evidence: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    exit_code: Option<u8>,
    #[serde(skip_serializing_if = "Option::is_none")]
    signal: Option<u8>,
    #[serde(skip_serializing_if = "Option::is_none")]
    output: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    output_bytes: Option<u64>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    truncated: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    statement: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
}

impl Transcript {
    pub(super) fn of(session: &Session, turns: &[Arc<Turn>]) -> Self {
        Self {
            session: session.id().to_string(),
            title: session.title().to_owned(),
            cwd: session.header().map_or_else(String::new, |header| header.cwd.clone()),
            origin: session.header().map(|header| header.origin.clone()),
            turns: turns.iter().map(|turn| turn_view(session, turn)).collect(),
        }
    }
}

fn turn_view(session: &Session, turn: &Turn) -> TurnView {
    let end = turn.end.as_ref();
    TurnView {
        turn: turn.id.to_string(),
        status: end.map(|end| end.status.word()),
        error: end.and_then(|end| end.error.clone()),
        imported: turn.imported,
        entries: turn.entries.iter().flat_map(|entry| entry_views(session, entry)).collect(),
    }
}

fn entry_views(session: &Session, entry: &Entry) -> Vec<EntryView> {
    match entry {
        Entry::Message(message) => vec![EntryView::User { text: message.text.clone() }],
        Entry::Response(response) => {
            let texts = response.items.iter().filter_map(text_of).map(|text| EntryView::Assistant { text });
            let calls = response.calls.iter().map(|call| EntryView::Call(Box::new(call_view(session, call))));
            texts.chain(calls).collect()
        }
    }
}

/// What an item says to a reader.
fn text_of(item: &Item) -> Option<String> {
    match &item.kind {
        ItemKind::Message { text, refusal, .. } => {
            Some(format!("{text}{refusal}")).filter(|text| !text.is_empty())
        }
        ItemKind::Reasoning { .. } | ItemKind::Call { .. } | ItemKind::Other { .. } => None,
    }
}

fn call_view(session: &Session, call: &Call) -> CallView {
    let (approval, result) = (call.approval.as_ref(), call.result.as_ref());
    let dispatch =
        call.start.as_ref().map(|start| start.dispatch).or(result.and_then(|result| result.dispatch));
    let statement = dispatch.and_then(|dispatch| session.statement(dispatch));
    CallView {
        call: call.id.to_string(),
        tool: call.name.clone(),
        command: command_of(call),
        decision: approval.map(|approval| approval.decision.word()),
        decided_by: approval.map(|approval| approval.by.word()),
        edited: approval.is_some_and(|approval| approval.edited),
        feedback: approval.and_then(|approval| approval.feedback.clone()),
        dispatch: dispatch.map(|dispatch| dispatch.to_string()),
        outcome: result.map(|result| result.outcome.word()),
        evidence: result.and_then(|result| result.evidence).map(|evidence| evidence.word()),
        exit_code: result.and_then(|result| result.exit_code),
        signal: result.and_then(|result| result.signal),
        output: result.and_then(|result| result.output.clone()),
        output_bytes: result.and_then(|result| result.output_bytes),
        truncated: result.is_some_and(|result| result.truncated),
        statement: statement.map(|statement| statement.statement.word()),
        note: statement.and_then(|statement| statement.note.clone()),
    }
}

fn command_of(call: &Call) -> Option<String> {
    let started = call.start.as_ref().map(|start| &start.operation);
    let operation = started.or(call.approval.as_ref().map(|approval| &approval.operation));
    operation.map(|operation| operation.summary().to_owned()).or_else(|| Some(call.arguments.clone()))
}

/// These turns as Markdown, cleaned for a terminal.
pub(super) fn markdown(session: &Session, turns: &[Arc<Turn>]) -> String {
    let mut text = format!("# {}\n", Clean::line(session.title()));
    let header = session.header();
    let _ = writeln!(
        text,
        "\nSession {}, in {}\n",
        session.id(),
        Clean::line(header.map_or("", |header| &header.cwd))
    );
    if let Some(origin) = header.and_then(|header| came_from(&header.origin)) {
        let _ = writeln!(text, "{}\n", Clean::line(&origin));
    }
    for turn in turns {
        for entry in &turn.entries {
            entry_markdown(session, entry, &mut text);
        }
        let status = turn.end.as_ref().map_or("open", |end| end.status.word());
        if status != "completed" {
            let error = turn.end.as_ref().and_then(|end| end.error.as_deref());
            let error = error.map(|error| format!(" {}", Clean::line(error.trim()))).unwrap_or_default();
            let _ = writeln!(text, "_Turn {}.{error}_\n", status.replace('_', " "));
        }
    }
    text
}

fn came_from(origin: &Origin) -> Option<String> {
    match origin {
        Origin::New {} => None,
        Origin::Imported { format, name, sha256 } => {
            Some(format!("Imported from {name} ({format}, SHA-256 {sha256})"))
        }
        Origin::Forked { sid, seq, .. } => Some(format!("Forked from session {sid} at record {seq}")),
    }
}

fn entry_markdown(session: &Session, entry: &Entry, text: &mut String) {
    match entry {
        Entry::Message(message) => {
            let _ = writeln!(text, "## You\n\n{}\n", Clean::block(&message.text));
        }
        Entry::Response(response) => {
            for said in response.items.iter().filter_map(text_of) {
                let _ = writeln!(text, "## Assistant\n\n{}\n", Clean::block(&said));
            }
            for call in &response.calls {
                call_markdown(session, call, text);
            }
        }
    }
}

fn call_markdown(session: &Session, call: &Call, text: &mut String) {
    let state = call.result.as_ref().map_or_else(|| "no result yet".to_owned(), |result| state_of(result));
    let _ = writeln!(text, "## {}: {state}\n", Clean::line(&call.name));
    fenced(&command_of(call).unwrap_or_default(), text);
    if let Some(feedback) = call.approval.as_ref().and_then(|approval| approval.feedback.as_deref()) {
        let _ = writeln!(text, "The user said: {}\n", Clean::line(feedback));
    }
    let Some(result) = &call.result else { return };
    if let Some(output) = result.output.as_deref().filter(|output| !output.is_empty()) {
        let _ = writeln!(text, "Output{}:\n", whole_output_at(result));
        fenced(output, text);
    }
    if let Some(statement) = result.dispatch.and_then(|dispatch| session.statement(dispatch)) {
        let note = statement.note.as_deref().map(|note| format!(" ({note})")).unwrap_or_default();
        let _ = writeln!(
            text,
            "The user states: {}{}\n",
            statement.statement.word().replace('_', " "),
            Clean::line(&note)
        );
    }
}

/// Where the whole output is to be had, if the record holds only its ends.
fn whole_output_at(result: &ToolResult) -> String {
    match result.dispatch.filter(|_| result.truncated) {
        Some(dispatch) => format!(", its ends; --output {dispatch} shows what was kept"),
        None => String::new(),
    }
}

fn state_of(result: &ToolResult) -> String {
    let mut state = result.outcome.word().replace('_', " ");
    if let Some(code) = result.exit_code {
        let _ = write!(state, ", exit {code}");
    }
    if let Some(signal) = result.signal {
        let _ = write!(state, ", signal {signal}");
    }
    if result.outcome == Outcome::Unknown {
        state.push_str(" (it may have run)");
    }
    if let Some(evidence) = result.evidence {
        let _ = write!(state, ", evidence: {}", evidence.word().replace('_', " "));
    }
    state
}

fn fenced(content: &str, text: &mut String) {
    let content = Clean::block(content);
    // A fence has to be longer than any in its content.
    let ticks = content.as_str().split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(ticks.max(2) + 1);
    let _ = writeln!(text, "{fence}\n{content}\n{fence}\n");
}
