//! The sentences of this room, for people and for the model.

use super::recovery::Finding;
use crate::record::{EffectReference, Evidence, Outcome, Statement, StatementKind, TurnStatus};

/// How every message of Candor's own to the model begins.
pub const NOTICE: &str = "Candor runtime notice:";

/// Stands before a message that joined a running turn.
pub const SAYS_MORE: &str = "Candor runtime notice: the user says more.";

/// How much of an operation a sentence shows, in characters.
const SUMMARY_CHARS: usize = 200;

/// What a person says with this statement.
#[must_use]
pub fn statement(kind: StatementKind) -> &'static str {
    match kind {
        StatementKind::MayHaveRun => "I understand that it may have run.",
        StatementKind::Happened => "I checked: it did happen.",
        StatementKind::DidNotHappen => "I checked: it did not happen.",
        StatementKind::Partly => "I checked: part of it happened.",
    }
}

/// A statement with its note, as the user's words.
pub(super) fn says(said: &Statement) -> String {
    let words = statement(said.statement);
    match &said.note {
        Some(note) => format!("the user says: \"{words}\" and adds: \"{note}\"."),
        None => format!("the user says: \"{words}\""),
    }
}

/// The first line of an operation, shortened.
#[must_use]
pub fn summary(operation: &str) -> String {
    let line = operation.lines().next().unwrap_or_default();
    let cut: String = line.chars().take(SUMMARY_CHARS).collect();
    if cut.len() < operation.trim_end().len() { format!("{cut} ...") } else { cut }
}

/// A session's title in a list: a fork has that of its origin, so it is marked.
#[must_use]
pub fn listed_title(title: &str, is_fork: bool) -> String {
    if is_fork { format!("(fork) {title}") } else { title.to_owned() }
}

/// The notice after a turn that did not complete.
pub(super) fn ended(status: TurnStatus) -> String {
    format!(
        "{NOTICE} this turn ended with the status {status}. Whatever results stand above are all that is known; \
         nothing was retried."
    )
}

/// The notice after another program's complete turn in which an outcome is unknown.
pub(super) fn ended_with_unknown() -> String {
    format!("{NOTICE} an outcome in this turn is unknown; nothing was retried.")
}

/// What a person is told about a turn's end; nothing of a complete one.
/// `goes_on`: it is the last one, and a message can follow it here.
#[must_use]
pub fn turn_end(status: TurnStatus, error: Option<&str>, goes_on: bool) -> Option<String> {
    let said = match (status, error) {
        (TurnStatus::Completed, _) => return None,
        (_, Some(error)) => error,
        (TurnStatus::Failed, None) => "The turn failed.",
        (TurnStatus::Cancelled, None) => "You stopped this turn. Nothing more of it runs.",
        (TurnStatus::Interrupted, None) if goes_on => {
            "This turn was cut off. What stands above is what is known; nothing was run again. \
             Your next message goes on; the model is told this."
        }
        (TurnStatus::Interrupted, None) => {
            "This turn was cut off. What stands above is what is known; nothing was run again."
        }
        (TurnStatus::UnconfirmedEffects, None) => {
            "The end of the command above was lost, so the turn was ended. It may have happened; \
             nothing more was run."
        }
    };
    Some(said.to_owned())
}

/// A statement about a call, as a sentence of a notice.
pub(super) fn says_about(call_id: &str, said: &Statement) -> String {
    format!("About the call {call_id} {}", says(said))
}

/// Instead of an output, where nothing was run or nothing is known.
pub(super) fn in_place_of_output(
    outcome: Outcome,
    evidence: Option<Evidence>,
    started: bool,
) -> &'static str {
    match outcome {
        Outcome::Denied => {
            "The user refused this call, so it was not run. Do not ask for it again unless they want it."
        }
        Outcome::InvalidArguments => {
            "The arguments are not what the tool's definition asks for, so nothing was run."
        }
        Outcome::UnknownTool => "There is no tool of this name, so nothing was run.",
        Outcome::NotExecuted if evidence == Some(Evidence::NotLaunched) => {
            "Execution was ordered, but it is proved that the command was never launched. It did not run."
        }
        Outcome::NotExecuted if started => {
            "Execution was ordered, but the command could not be started. It did not run."
        }
        Outcome::NotExecuted => "This call was not run.",
        Outcome::Unknown if evidence == Some(Evidence::Imported) => {
            "Execution may have been ordered by another program, and its end was not recorded. It may have \
             happened, completely or in part. It must not be retried automatically."
        }
        Outcome::Unknown if started => {
            "Execution was ordered, but its end was not recorded. It may have happened, completely or in part. \
             It must not be retried automatically."
        }
        Outcome::Unknown => {
            "It cannot be excluded that execution was ordered, and its end was not recorded. It may have \
             happened, completely or in part. It must not be retried automatically."
        }
        Outcome::Completed
        | Outcome::Failed
        | Outcome::TimedOut
        | Outcome::Cancelled
        | Outcome::OutputLimit => "",
    }
}

/// Stands before what an unknown execution had written.
pub(super) const OUTPUT_SO_FAR: &str = "Its output so far:";

/// What an effect of a fork's origin means for the model.
pub(super) fn origin_warning(effect: &EffectReference, said: Option<&Statement>) -> String {
    let operation = &effect.operation;
    let place = operation.cwd().map(|cwd| format!(" in {cwd}")).unwrap_or_default();
    let said = said.map(|said| format!(" About this {}", says(said))).unwrap_or_default();
    format!(
        "In the session that this one was forked from, the following was started at {}{place}, and its outcome is \
         unknown: it may have happened and must not be retried automatically.\n{}\n{}",
        effect.started_at,
        operation.summary(),
        said.trim_start()
    )
    .trim_end()
    .to_owned()
}

impl Finding {
    /// What a person is told about the call.
    #[must_use]
    pub fn sentence(&self) -> String {
        let what = summary(&self.operation);
        let lost = if self.lost_record {
            " The journal has lost a record: this command was started and is not in it."
        } else {
            ""
        };
        format!("{what}: {}{}.{lost}", self.outcome.word().replace('_', " "), self.rests_on())
    }

    fn rests_on(&self) -> &'static str {
        match self.evidence {
            Some(Evidence::Receipt) => ", from its receipt",
            Some(Evidence::NotLaunched) => ", it was never launched",
            Some(Evidence::Imported) => ", imported",
            Some(Evidence::None) => ", its end was not recorded",
            Some(Evidence::Live) | None => "",
        }
    }
}
