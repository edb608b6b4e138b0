//! Mino's session files, versions 1 and 2: the rules of its own loader, and what
//! its restart would do with a turn that was left open. Two things are done with
//! more care: a turn whose answer is saved is complete, and a file of a later
//! version is refused.

mod items;
mod line;
#[cfg(test)]
mod tests;

use super::draft::{Draft, Observed};
use super::error::{Place, Refusal, Rule, quoted};
use crate::record::{Outcome, TurnId, TurnStatus};
use crate::session::{Call, Turn};
use line::{Kind, Line, ToolResult};
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::Value;
use std::collections::BTreeMap;

/// The longest line, its newline included, in bytes.
const LINE_BYTES: usize = 16 << 20;
/// The longest output of a result, in bytes.
const OUTPUT_BYTES: usize = 65_536;
/// The longest command, in bytes.
const COMMAND_BYTES: usize = 16 << 10;
/// The one tool that can have been started.
const BASH: &str = "bash";

/// Reads a whole file into the draft and closes what it leaves open.
pub(super) fn read(bytes: &[u8], draft: &mut Draft) -> Result<(), Refusal> {
    let mut file = File { draft, turns: BTreeMap::new(), last_seq: 0 };
    let mut rest = bytes;
    let mut place = Place::Line(1);
    for number in 1.. {
        place = Place::Line(number);
        let Some(end) = rest.iter().position(|byte| *byte == b'\n') else { break };
        let (line, after) = (&rest[..end], &rest[end + 1..]);
        if line.len() >= LINE_BYTES {
            return Err(place.refuse(Rule::LongLine));
        }
        if serde_json::from_slice::<IgnoredAny>(line).is_err() {
            if after.is_empty() {
                break;
            }
            return Err(place.refuse(Rule::Json));
        }
        file.take(line).map_err(|rule| place.refuse(rule))?;
        rest = after;
    }
    file.draft.summary.dropped_bytes = rest.len() as u64;
    file.close().map_err(|rule| place.refuse(rule))
}

/// What a line is held against.
struct File<'a> {
    draft: &'a mut Draft,
    /// The turns so far, by their ids in the file.
    turns: BTreeMap<String, TurnId>,
    last_seq: u64,
}

impl File<'_> {
    fn take(&mut self, bytes: &[u8]) -> Result<(), Rule> {
        let text = std::str::from_utf8(bytes).map_err(|_| Rule::Utf8)?;
        let line: Line = serde_json::from_str(text).map_err(|error| Rule::fields(&error))?;
        let kind = line.kind()?;
        if line.seq != self.last_seq + 1 {
            return Err(Rule::Seq { expected: self.last_seq + 1, found: line.seq });
        }
        line.check_fields(kind)?;
        self.in_its_turn(&line, kind)?;
        match kind {
            Kind::UserMessage => self.user_message(&line),
            Kind::AssistantMessage => self.assistant_message(line),
            Kind::ModelResponse => self.model_response(line),
            Kind::ToolStart => self.tool_start(&line),
            Kind::ToolResult => self.tool_result(&line),
            Kind::TurnEnd => self.turn_end(&line),
            Kind::RecoveryAck => self.recovery_ack(&line),
        }?;
        self.last_seq += 1;
        Ok(())
    }

    /// Whether the record may stand here, as far as its turn decides that.
    fn in_its_turn(&self, line: &Line, kind: Kind) -> Result<(), Rule> {
        let open = self.draft.session().open_turn().map(|turn| turn.id);
        let named = self.turns.get(&line.turn_id).copied();
        let fits = match kind {
            Kind::UserMessage if named.is_some() => return Err(Rule::TurnIdUsed),
            Kind::UserMessage | Kind::RecoveryAck => open.is_none(),
            Kind::AssistantMessage
            | Kind::ModelResponse
            | Kind::ToolStart
            | Kind::ToolResult
            | Kind::TurnEnd => open.is_some() && open == named,
        };
        if fits { Ok(()) } else { Err(Rule::Turn) }
    }

    fn user_message(&mut self, line: &Line) -> Result<(), Rule> {
        let turn = self.draft.message(line.text().unwrap_or_default())?;
        self.turns.insert(line.turn_id.clone(), turn);
        Ok(())
    }

    fn assistant_message(&mut self, line: Line) -> Result<(), Rule> {
        let turn = self.open_turn()?;
        if turn.responses().next().is_some() {
            return Err(Rule::Answered);
        }
        let (text, output) = (line.text.unwrap_or_default(), line.output.unwrap_or_default());
        if items::has_call(&output) {
            return Err(Rule::Item("an assistant_message has no call"));
        }
        self.draft.response(items::checked(&text, output)?)
    }

    fn model_response(&mut self, line: Line) -> Result<(), Rule> {
        let items = items::checked(&line.text.unwrap_or_default(), line.output.unwrap_or_default())?;
        self.draft.response(items)
    }

    fn tool_start(&mut self, line: &Line) -> Result<(), Rule> {
        let call = self.named_call(line)?;
        if line.name.as_deref() != Some(call.name.as_str()) || call.start.is_some() {
            return Err(Rule::Call);
        }
        if call.name != BASH {
            return Err(Rule::Tool);
        }
        let requested = Bash::of(&call.arguments).ok_or(Rule::Arguments)?;
        let recorded = line.arguments.as_ref().and_then(|raw| Bash::of(raw.get()));
        if recorded.as_ref() != Some(&requested) {
            return Err(Rule::Arguments);
        }
        let cwd = line.cwd.as_deref().filter(|cwd| cwd.starts_with('/')).ok_or(Rule::Directory)?;
        self.draft.start(BASH, &requested.command, cwd)
    }

    fn tool_result(&mut self, line: &Line) -> Result<(), Rule> {
        let started = self.named_call(line)?.start.is_some();
        let Some(result) = &line.result else {
            return Err(Rule::Needs { kind: Kind::ToolResult.word(), field: "result" });
        };
        let outcome = fitting_outcome(result, started)?;
        match outcome {
            Outcome::Unknown => self.draft.unknown(),
            Outcome::Denied | Outcome::InvalidArguments | Outcome::UnknownTool | Outcome::NotExecuted => {
                self.draft.without_effect(outcome)
            }
            Outcome::Completed
            | Outcome::Failed
            | Outcome::TimedOut
            | Outcome::Cancelled
            | Outcome::OutputLimit => self.draft.observed(&Observed {
                outcome,
                exit_code: exit_code(result)?,
                output: &result.output,
                truncated: result.truncated(),
            }),
        }
    }

    fn turn_end(&mut self, line: &Line) -> Result<(), Rule> {
        let word = line.status().unwrap_or_default();
        let status = match word {
            "completed" => TurnStatus::Completed,
            "failed" => TurnStatus::Failed,
            "cancelled" => TurnStatus::Cancelled,
            "interrupted" => TurnStatus::Interrupted,
            _ => return Err(Rule::Status(quoted(word))),
        };
        let turn = self.open_turn()?;
        if status == TurnStatus::Completed && turn.open_call().is_none() && !turn.is_answered() {
            return Err(Rule::NoAnswer);
        }
        self.draft.end(status)
    }

    fn recovery_ack(&mut self, line: &Line) -> Result<(), Rule> {
        let turn = self.turns.get(&line.turn_id).copied().ok_or(Rule::NothingUnknown)?;
        self.draft.acknowledge(turn)
    }

    /// What Mino's restart would append, but for an answer that is complete.
    fn close(&mut self) -> Result<(), Rule> {
        while let Some(call) = self.draft.session().open_turn().and_then(Turn::open_call) {
            if call.start.is_some() {
                self.draft.unknown()?;
                self.draft.summary.closed_unknown += 1;
            } else {
                self.draft.without_effect(Outcome::NotExecuted)?;
                self.draft.summary.closed_not_executed += 1;
            }
        }
        self.draft.summary.closed_turns = u64::from(self.draft.session().open_turn().is_some());
        self.draft.end_open()
    }

    fn open_turn(&self) -> Result<&Turn, Rule> {
        self.draft.session().open_turn().ok_or(Rule::Turn)
    }

    fn named_call(&self, line: &Line) -> Result<&Call, Rule> {
        let call = self.open_turn()?.open_call().ok_or(Rule::Call)?;
        if line.call_id.as_deref() == Some(call.id.as_str()) { Ok(call) } else { Err(Rule::Call) }
    }
}

/// What Mino's bash takes, and nothing else.
#[derive(PartialEq, Eq)]
struct Bash {
    command: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct BashArguments {
    command: String,
}

impl Bash {
    fn of(arguments: &str) -> Option<Self> {
        let BashArguments { command } = serde_json::from_str(arguments).ok()?;
        let fits = !command.is_empty() && command.len() <= COMMAND_BYTES && !command.contains('\0');
        fits.then_some(Self { command })
    }
}

/// The outcome, if the result is one that such a call can have.
fn fitting_outcome(result: &ToolResult, started: bool) -> Result<Outcome, Rule> {
    let outcome = serde_json::from_value::<Outcome>(Value::String(result.status.clone()))
        .map_err(|_| Rule::Status(quoted(&result.status)))?;
    let needs_start = outcome.is_observed_end() || outcome == Outcome::Unknown;
    match (needs_start, started) {
        (true, false) => return Err(Rule::Result("its status needs a start")),
        (false, true) => return Err(Rule::Result("its status is that of a call that was not started")),
        (true, true) | (false, false) => {}
    }
    if result.output.len() > OUTPUT_BYTES {
        return Err(Rule::Result("its output has more than 65,536 bytes"));
    }
    if !outcome.is_observed_end() && (result.exit_code.is_some() || result.truncated()) {
        return Err(Rule::Result("nothing was observed that could have an exit code or a cut output"));
    }
    match outcome {
        Outcome::Completed if result.exit_code.is_some_and(|code| code != 0) => {
            Err(Rule::Result("a completed command has exit code 0"))
        }
        Outcome::OutputLimit if !result.truncated() => {
            Err(Rule::Result("an output over its limit is truncated"))
        }
        Outcome::Completed
        | Outcome::Failed
        | Outcome::TimedOut
        | Outcome::Cancelled
        | Outcome::OutputLimit
        | Outcome::Unknown
        | Outcome::Denied
        | Outcome::InvalidArguments
        | Outcome::UnknownTool
        | Outcome::NotExecuted => Ok(outcome),
    }
}

fn exit_code(result: &ToolResult) -> Result<Option<u8>, Rule> {
    let code = result.exit_code.map(u8::try_from).transpose();
    code.map_err(|_| Rule::Result("an exit code is between 0 and 255"))
}
