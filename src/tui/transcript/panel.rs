//! A call's panel: what was asked, what became of it, the end of its output.

use super::Fold;
use super::rows::{Look, body_width, indented};
use crate::record::{Evidence, Operation, Outcome, ToolResult};
use crate::session::{Call, Entry, Session};
use crate::text::{
    Clean, OutputTail, Row, Span, Style, fold, human_bytes, human_duration, human_elapsed, output_rows, width,
};
use crate::tui::{theme, words};

/// Lines of output that a panel shows.
pub(crate) const OUTPUT_LINES: usize = 10;
/// Rows of a command that a panel shows.
const COMMAND_ROWS: usize = 6;

/// Where a call stands in the session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Panel {
    pub(super) turn: usize,
    pub(super) entry: usize,
    pub(super) call: usize,
}

impl Panel {
    /// The call.
    pub(crate) fn call(self, session: &Session) -> Option<&Call> {
        match session.turns().get(self.turn)?.entries.get(self.entry)? {
            Entry::Response(response) => response.calls.get(self.call),
            Entry::Message(_) => None,
        }
    }
}

/// What is approved, else started, else asked for.
pub(super) fn operation(call: &Call) -> Option<&Operation> {
    let approved = call.approval.as_ref().map(|approval| &approval.operation);
    call.start.as_ref().map(|start| &start.operation).or(approved)
}

/// The command of a call, as far as it can be read.
fn command(call: &Call) -> String {
    match operation(call) {
        Some(operation) => operation.summary().to_owned(),
        None => asked_command(&call.arguments).unwrap_or_else(|| call.arguments.clone()),
    }
}

fn asked_command(arguments: &str) -> Option<String> {
    let read: serde_json::Value = serde_json::from_str(arguments).ok()?;
    Some(read.get("command")?.as_str()?.to_owned())
}

/// The words for the state of a call and their style.
fn state_words(call: &Call, look: &Look<'_>) -> (String, Style) {
    match (&call.result, &call.start) {
        (Some(result), _) => (result_words(call, result), outcome_style(result.outcome)),
        (None, Some(_)) if look.outputs.is_none() => ("started, no result yet".to_owned(), theme::WARNING),
        (None, Some(start)) => {
            let ran = human_duration(words::between(start.at, look.now));
            (format!("running {ran}"), theme::LIVE)
        }
        (None, None) if look.asked == Some(&call.id) => ("waiting for you".to_owned(), theme::WARNING),
        (None, None) if call.approval.is_some() => ("approved, not started".to_owned(), theme::LIVE),
        (None, None) => ("not started".to_owned(), theme::QUIET),
    }
}

fn outcome_style(outcome: Outcome) -> Style {
    match outcome {
        Outcome::Completed => theme::GOOD,
        Outcome::Failed | Outcome::TimedOut | Outcome::OutputLimit => theme::BAD,
        Outcome::Unknown => theme::WARNING,
        Outcome::Cancelled | Outcome::Denied | Outcome::NotExecuted => theme::QUIET,
        Outcome::InvalidArguments | Outcome::UnknownTool => theme::BAD,
    }
}

fn result_words(call: &Call, result: &ToolResult) -> String {
    let limits = operation(call);
    let mut said = match result.outcome {
        Outcome::Completed => "completed".to_owned(),
        Outcome::Failed => "failed".to_owned(),
        Outcome::TimedOut => match limits.and_then(Operation::timeout_ms) {
            Some(limit) => format!("stopped at its limit of {}", human_duration(limit)),
            None => "stopped at its limit".to_owned(),
        },
        Outcome::OutputLimit => match limits.and_then(Operation::output_limit) {
            Some(limit) => format!("stopped at its output limit of {}", human_bytes(limit)),
            None => "stopped at its output limit".to_owned(),
        },
        Outcome::Cancelled => "cancelled".to_owned(),
        Outcome::Unknown => "unknown".to_owned(),
        Outcome::Denied => "denied".to_owned(),
        Outcome::InvalidArguments => "invalid arguments, not run".to_owned(),
        Outcome::UnknownTool => "unknown tool, not run".to_owned(),
        Outcome::NotExecuted => "not executed".to_owned(),
    };
    if let Some(code) = result.exit_code {
        said.push_str(&format!(", exit {code}"));
    }
    if let Some(signal) = result.signal {
        said.push_str(&format!(", signal {signal}"));
    }
    if let (Some(from), Some(to)) = (result.started_at, result.ended_at) {
        said.push_str(&format!(", {}", human_elapsed(words::between(from, to))));
    }
    match result.evidence {
        Some(Evidence::Receipt) => said.push_str(", from its receipt"),
        Some(Evidence::NotLaunched) => said.push_str(", it was never launched"),
        Some(Evidence::Imported) => said.push_str(", imported"),
        Some(Evidence::Live | Evidence::None) | None => {}
    }
    said
}

/// The rows of a call's panel.
pub(super) fn rows(call: &Call, shown: Fold, width: usize, look: &Look<'_>) -> Vec<Row> {
    let mut rows = header(call, shown, width, look);
    if shown == Fold::Folded {
        rows.push(Row::default());
        return rows;
    }
    let room = body_width(width);
    rows.extend(remarks(call, look).iter().flat_map(|remark| super::rows::body(remark, theme::QUIET, width)));
    match (&call.result, &call.start) {
        (Some(result), _) => rows.extend(result_rows(result, shown, room, look)),
        (None, Some(start)) => {
            let tail = look.outputs.and_then(|outputs| outputs.get(&start.dispatch));
            let lines = tail.map(OutputTail::rows).unwrap_or_default();
            rows.extend(last_rows(&lines, room, OUTPUT_LINES).0.into_iter().map(indented));
        }
        (None, None) => {}
    }
    rows.extend(statement_rows(call, width, look));
    rows.push(Row::default());
    rows
}

/// Tool and state, with the command between them if it fits there.
fn header(call: &Call, shown: Fold, room: usize, look: &Look<'_>) -> Vec<Row> {
    let name = Clean::line(&call.name).shortened(20.min(room));
    let (state, style) = state_words(call, look);
    let state = Clean::line(&state).shortened(room.saturating_sub(name.len() + 3));
    let call_command = command(call);
    let command = words::command_spans(&call_command);
    let name_width = width(&name) + 1;
    let state_width = width(&state) + 1;
    let between = room.saturating_sub(name_width + state_width + 2);
    let mut first = vec![Span::plain(Clean::from_static(" ")), Span::new(name, theme::HEADING)];
    let mut used = name_width;
    let one_line = command.len() == 1 && command[0].width() <= between.saturating_sub(2);
    if shown == Fold::Folded && !one_line {
        let begin = Clean::line(&words::summary(&call_command)).shortened(between.saturating_sub(2));
        used += 2 + width(&begin);
        first.extend([Span::plain(Clean::from_static("  ")), Span::plain(begin)]);
    }
    if one_line {
        first.push(Span::plain(Clean::from_static("  ")));
        first.extend(command[0].spans.iter().cloned());
        used += 2 + command[0].width();
    }
    let gap = " ".repeat(room.saturating_sub(used + state_width).max(1));
    first.extend([Span::plain(Clean::line(&gap)), Span::new(state, style)]);
    let mut rows = vec![Row { spans: first }];
    if !one_line && shown != Fold::Folded {
        let folded: Vec<Row> =
            command.iter().flat_map(|line| fold(&line.spans, body_width(room))).map(indented).collect();
        let most = if look.full { folded.len() } else { COMMAND_ROWS };
        let hidden = folded.len().saturating_sub(most);
        rows.extend(folded.into_iter().take(most));
        if hidden > 0 {
            let more = format!("({} of the command)", words::count(hidden, "more row"));
            rows.push(indented(words::row(&more, theme::QUIET)));
        }
    }
    rows
}

/// What is to be known about how it came to run, or not.
fn remarks(call: &Call, look: &Look<'_>) -> Vec<String> {
    let mut remarks = Vec::new();
    if let Some(approval) = &call.approval {
        if let Some(rule) = approval.rule {
            remarks.push(format!("(ran without asking, by the rule of record {rule})"));
        }
        if approval.edited {
            remarks.push("(edited before it was approved)".to_owned());
        }
        if let Some(words) = &approval.feedback {
            remarks.push(format!("You said: {words}"));
        }
    }
    let Some(result) = &call.result else { return remarks };
    for survivor in result.survivors.iter().flatten() {
        remarks.push(format!("(process {} of it is still alive: {})", survivor.pid, survivor.command));
    }
    if result.pipe_held {
        remarks.push("(its output was still held open by somebody after its end)".to_owned());
    }
    if result.output_lost {
        remarks.push("(its output could not be kept in full)".to_owned());
    }
    if result.outcome == Outcome::Unknown && look.session.open_turn().is_none() {
        remarks.push("It may have run completely, in part, or not at all.".to_owned());
    }
    remarks
}

fn result_rows(result: &ToolResult, shown: Fold, room: usize, look: &Look<'_>) -> Vec<Row> {
    let output = result.output.as_deref().unwrap_or_default();
    if output.is_empty() {
        let ran = result.outcome.is_observed_end();
        return if ran { vec![indented(words::row("(no output)", theme::QUIET))] } else { Vec::new() };
    }
    let lines = output_rows(output.trim_end_matches('\n').as_bytes());
    let most = if shown == Fold::Whole { usize::MAX } else { OUTPUT_LINES };
    let (rows, cut) = last_rows(&lines, room, most);
    let mut rows: Vec<Row> = rows.into_iter().map(indented).collect();
    let hidden = lines.len().saturating_sub(most);
    let key = look.reach.words();
    let more = match (result.truncated, hidden, cut) {
        (true, ..) if look.full => {
            Some(format!("{} in all, what is kept of it:", human_bytes(result.output_bytes.unwrap_or(0))))
        }
        (true, ..) => Some(format!("{} in all{key}", human_bytes(result.output_bytes.unwrap_or(0)))),
        (false, 0, false) => None,
        (false, 0, true) => Some(format!("more above{key}")),
        (false, _, _) => Some(format!("{}{key}", words::count(hidden, "more line"))),
    };
    if let Some(more) = more {
        rows.insert(0, indented(words::row(&format!("({more})"), theme::QUIET)));
    }
    rows
}

/// At most that many rows of the end of these lines, and whether some were cut.
pub(crate) fn last_rows(lines: &[Row], width: usize, most: usize) -> (Vec<Row>, bool) {
    let last = &lines[lines.len().saturating_sub(most)..];
    let mut rows: Vec<Row> = last.iter().flat_map(|line| fold(&line.spans, width)).collect();
    let cut = rows.len().saturating_sub(most);
    rows.drain(..cut);
    (rows, cut > 0)
}

/// What a person said about an unknown outcome.
fn statement_rows(call: &Call, width: usize, look: &Look<'_>) -> Vec<Row> {
    let dispatch = call.result.as_ref().and_then(|result| result.dispatch);
    let Some(said) = dispatch.and_then(|dispatch| look.session.statement(dispatch)) else {
        return Vec::new();
    };
    let mut text = format!("You said: {}", crate::session::words::statement(said.statement));
    if let Some(note) = &said.note {
        text.push_str(&format!("\nYour note: {note}"));
    }
    super::rows::body(&text, Style::PLAIN, width)
}
