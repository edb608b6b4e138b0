//! Events as lines.

use crate::agent::{ApprovalRequest, ModelList, OpenedSession, RunningCommand, UnknownReport};
use crate::record::{By, Committed, Decision, Item, ItemKind, Outcome, Record, ToolResult, TurnEnded};
use crate::session::{Call, Entry, Session, Turn, words};
use crate::text::{Clean, escape_command, human_duration, human_elapsed, warnings};

/// How many lines of a running command's output are printed as they come.
const LIVE_LINES: usize = 200;

/// A line of Candor's own. It cannot be imitated: text from outside is always
/// indented or behind a word, and a sentence that repeats some stays one line.
pub(super) fn own(sentence: &str) {
    println!("Candor: {}", Clean::line(sentence));
}

/// A block of text from outside under a name, indented.
pub(super) fn block(name: &str, text: &str) {
    println!("{name}");
    indented(text);
}

fn indented(text: &str) {
    for line in Clean::block(text.trim_end_matches('\n')).lines() {
        println!("  {line}");
    }
}

/// The rows of a command as the bytes that will run, and its warnings.
fn command(text: &str) {
    for row in escape_command(text) {
        let row: String = row.iter().map(|piece| piece.text.as_str()).collect();
        println!("    {row}");
    }
    for warning in warnings(text) {
        println!("  Warning: {warning}");
    }
}

/// Which model answers, and what else could.
pub(super) fn models(list: &ModelList) {
    let name = &list.model.name;
    let current = if name.is_empty() { "No model is named yet" } else { name.as_str() };
    own(&format!("{current}, at {}. /model NAME changes it.", list.model.base_url));
    match &list.offered {
        Ok(names) => names.iter().for_each(|name| println!("  {}", Clean::line(name))),
        Err(sentence) => own(sentence),
    }
}

/// What was opened.
pub(super) fn opened(opened: &OpenedSession) {
    let title = match opened.session.title() {
        "" => "New conversation".to_owned(),
        title => format!("Session: {title}"),
    };
    println!("{}   in {}   {}", Clean::line(&title), Clean::line(&opened.cwd), Clean::line(&opened.model));
    if let Some(demo) = opened.demo_words(&opened.cwd) {
        own(&demo);
    }
    let given: Vec<String> =
        opened.given.iter().map(|given| format!("{} ({} bytes)", given.name, given.bytes)).collect();
    if !given.is_empty() {
        own(&format!("Given to the model: {}.", given.join(", ")));
    }
    let turns = opened.session.turns();
    if let Some((last, earlier)) = turns.split_last() {
        if !earlier.is_empty() {
            own(&format!("{} earlier turns are not printed; candor show prints them.", earlier.len()));
        }
        turn(last, opened.read_only.is_none());
    }
    for finding in &opened.found {
        own(&finding.sentence);
    }
    if let Some(why) = &opened.read_only {
        own(&why.sentence());
    }
}

fn turn(turn: &Turn, goes_on: bool) {
    for entry in &turn.entries {
        match entry {
            Entry::Message(message) => block("You", &message.text),
            Entry::Response(response) => {
                answer(&response.items);
                response.calls.iter().for_each(past_call);
            }
        }
    }
    if let Some(end) = &turn.end {
        turn_end(end, goes_on);
    }
}

fn past_call(call: &Call) {
    let asked = call.start.as_ref().map(|start| start.operation.summary());
    let asked = asked.or(call.approval.as_ref().map(|approval| approval.operation.summary()));
    println!("Tool: {}", Clean::line(&call.name));
    command(asked.unwrap_or(&call.arguments));
    if let Some(result) = &call.result {
        println!("  {}", state_words(result));
        indented(result.output.as_deref().unwrap_or_default());
    }
}

/// The readable items of an answer.
pub(super) fn answer(items: &[Item]) {
    for item in items {
        match &item.kind {
            ItemKind::Message { text, refusal, .. } => {
                for text in [text, refusal].into_iter().filter(|text| !text.is_empty()) {
                    block("Assistant", text);
                }
            }
            ItemKind::Reasoning { .. } | ItemKind::Call { .. } | ItemKind::Other { .. } => {}
        }
    }
}

/// What a committed record means to a reader who has not seen it yet.
pub(super) fn committed(session: &Session, committed: &Committed, streamed: bool) {
    match &committed.record {
        Record::ModelResponse(_) if !streamed => {
            if let Some(Entry::Response(response)) =
                session.turns().last().and_then(|turn| turn.entries.last())
            {
                answer(&response.items);
            }
        }
        Record::Approval(approval) if approval.by == By::Rule => {
            own("Runs without asking: you said so for this very command.");
            command(approval.operation.summary());
        }
        Record::Approval(approval) if approval.decision == Decision::Approved => {
            println!("Running: {}", Clean::line(approval.operation.summary()));
        }
        Record::ToolResult(result) => result_line(result),
        Record::TurnEnded(end) => turn_end(end, true),
        Record::Acknowledged(_) => own("Saved. Nothing was run again."),
        Record::SessionStarted(_)
        | Record::UserMessage(_)
        | Record::ModelResponse(_)
        | Record::Approval(_)
        | Record::ToolStarted(_)
        | Record::TurnExtended(_)
        | Record::TailMoved(_) => {}
        Record::SessionRenamed(renamed) => own(&format!("The title is now: {}", renamed.title)),
    }
}

fn result_line(result: &ToolResult) {
    println!("  {}", state_words(result));
    match result.outcome {
        Outcome::InvalidArguments => own("The model's arguments cannot be used; it was told so."),
        Outcome::UnknownTool => own("The model asked for a tool that does not exist; it was told so."),
        Outcome::Completed
        | Outcome::Failed
        | Outcome::TimedOut
        | Outcome::Cancelled
        | Outcome::OutputLimit
        | Outcome::Unknown
        | Outcome::Denied
        | Outcome::NotExecuted => {}
    }
    for survivor in result.survivors.iter().flatten() {
        own(&format!("Process {} of it lives on: {}", survivor.pid, survivor.command));
    }
}

/// The state of a call in words: outcome, exit code, duration, evidence.
fn state_words(result: &ToolResult) -> String {
    let mut words = result.outcome.word().replace('_', " ");
    if let Some(code) = result.exit_code {
        words.push_str(&format!(", exit {code}"));
    }
    if let Some(signal) = result.signal {
        words.push_str(&format!(", signal {signal}"));
    }
    if let (Some(start), Some(end)) = (result.started_at, result.ended_at) {
        let millis = u64::try_from(end.as_millis() - start.as_millis()).unwrap_or(0);
        words.push_str(&format!(", {}", human_elapsed(millis)));
    }
    match result.evidence {
        Some(crate::record::Evidence::Receipt) => words.push_str(", from its receipt"),
        Some(crate::record::Evidence::Imported) => words.push_str(", imported"),
        Some(crate::record::Evidence::NotLaunched) => words.push_str(", proved: it was never launched"),
        Some(crate::record::Evidence::Live | crate::record::Evidence::None) | None => {}
    }
    if result.pipe_held {
        words.push_str(", its output was still held by another process");
    }
    if result.output_lost {
        words.push_str(", a part of its output could not be saved");
    }
    words
}

fn turn_end(end: &TurnEnded, goes_on: bool) {
    if let Some(said) = words::turn_end(end.status, end.error.as_deref(), goes_on) {
        own(&said);
    }
}

/// The question before a command runs.
pub(super) fn approval(request: &ApprovalRequest) {
    let (position, count) = request.position;
    let which = if count > 1 { format!("  {position} of {count}") } else { String::new() };
    println!("\nRun this command?{which}");
    if let Some(started) = request.repeats {
        own(&format!(
            "This command was started at {started} and its outcome is unknown. Running it now may do it twice."
        ));
    }
    command(request.operation.summary());
    println!("  in     {}", Clean::line(request.operation.cwd().unwrap_or_default()));
    println!("  limit  {}", human_duration(request.operation.timeout_ms().unwrap_or_default()));
    for (name, value) in &request.environment {
        println!("  env    {}={}", Clean::line(name), Clean::line(value));
    }
    for other in &request.others {
        println!("  then   {}", Clean::line(other));
    }
    if request.first {
        println!("  Runs with your account's permissions. This is not a sandbox.");
    }
}

/// All that is known about an effect whose outcome is unknown.
pub(super) fn unknown(report: &UnknownReport, position: usize, count: usize) {
    println!("\nThis command may have run ({position} of {count})");
    println!("  Its end was not recorded. It may have run completely, in part, or not at all.");
    println!("  Nothing was run again.");
    if let Some(operation) = &report.operation {
        command(operation.summary());
        println!("  in        {}", Clean::line(operation.cwd().unwrap_or("an unknown directory")));
    }
    if let Some((at, by)) = report.approved {
        println!("  approved  {at} {by}");
    }
    if report.imported {
        println!("  imported  from another program's file, which does not say how it ended");
    }
    if let Some(at) = report.started_at {
        println!("  started   {at}");
    }
    if let Some(at) = report.last_output_at {
        println!("  output    {} bytes, last at {at}", report.output_bytes);
    }
    match (report.pid, report.alive.is_empty()) {
        (Some(pid), true) => println!("  process   {pid}: gone"),
        (None, true) => println!("  process   none of it is known"),
        (_, false) => {
            for process in &report.alive {
                println!("  process   {} is alive: {}", process.pid, Clean::line(&process.command));
            }
        }
    }
    let (files, at_least) = &report.changed;
    if !files.is_empty() {
        let lead = if *at_least { "at least: " } else { "" };
        println!("  changed since, by anything: {lead}{}", Clean::line(&files.join(", ")));
    }
    if !report.output.is_empty() {
        println!("  output so far:");
        indented(&report.output);
    }
    if let Some(decision) = &report.decision {
        println!("  decision  {}", Clean::line(decision));
    }
}

/// What runs, and whether its end can be recorded.
pub(super) fn running(command: &RunningCommand) {
    if command.found {
        own(&format!("Still running since {}: {}", command.started_at, command.summary));
    }
    if !command.supervised {
        own("Its supervisor is gone, so its end cannot be recorded: whatever you do, it will be unknown.");
        own("Type stop to stop it, give up to stop waiting for it, or Ctrl+D to leave.");
    }
}

/// Prints text in flight line by line, so that no character and no control
/// sequence is split.
#[derive(Debug)]
pub(super) struct Flow {
    name: Option<&'static str>,
    pending: Vec<u8>,
    started: bool,
    lines: usize,
    most: usize,
}

impl Flow {
    /// Text of the model, all of it, under its name.
    pub(super) fn of_model() -> Self {
        Self { name: Some("Assistant"), pending: Vec::new(), started: false, lines: 0, most: usize::MAX }
    }

    /// Output of a command, its first lines.
    pub(super) fn of_command() -> Self {
        Self { name: None, most: LIVE_LINES, ..Self::of_model() }
    }

    /// Adds text and prints the lines that it completes.
    pub(super) fn push(&mut self, bytes: &[u8]) {
        if !self.started {
            self.started = true;
            if let Some(name) = self.name {
                println!("{name}");
            }
        }
        for part in bytes.split_inclusive(|byte| *byte == b'\n') {
            self.pending.extend_from_slice(part);
            // A line without an end must not grow for ever.
            if part.ends_with(b"\n") || self.pending.len() > 64 << 10 {
                self.line();
            }
        }
    }

    fn line(&mut self) {
        let line = std::mem::take(&mut self.pending);
        self.lines += 1;
        if self.lines <= self.most {
            println!("  {}", Clean::line(String::from_utf8_lossy(&line).trim_end_matches(['\n', '\r'])));
        }
    }

    /// Prints what is left and begins anew; says whether anything was printed.
    pub(super) fn end(&mut self) -> bool {
        if !self.pending.is_empty() {
            self.line();
        }
        if self.lines > self.most {
            own(&format!("{} more lines; candor show prints them.", self.lines - self.most));
        }
        self.lines = 0;
        std::mem::take(&mut self.started)
    }
}
