//! What the machine is told and what it answers.

use crate::agent::protocol::{ApprovalRequest, Refusal, Verdict};
use crate::model::{Answer, ModelError};
use crate::record::{CallId, Digest, DispatchId, FolderFacts, Record, Statement, ToolStarted, limits};
use crate::session::Session;

/// What happened.
#[derive(Debug)]
pub(in crate::agent) enum Input {
    /// A person wants to open a turn.
    Message(String),
    /// A person wants to say something to the running turn.
    Join(String),
    /// A person wants the answer to stop.
    StopAnswer,
    /// A person wants the running command to stop.
    StopCommand,
    /// A person changed the operation that is shown.
    Edit {
        /// The call.
        call: CallId,
        /// The new command.
        command: String,
        /// The new limit, in milliseconds.
        timeout_ms: u64,
    },
    /// A person decided about the operation that is shown.
    Decide {
        /// The call.
        call: CallId,
        /// Fingerprint of what was shown.
        fingerprint: Digest,
        /// The answer.
        verdict: Verdict,
    },
    /// A person said whether the turn may go on.
    Extend(bool),
    /// A person made statements about the unknown effects.
    Acknowledge(Vec<Statement>),
    /// A person ended all standing rules.
    RevokeRules,
    /// The model answered.
    Answered {
        /// The validated answer.
        answer: Box<Answer>,
        /// Hash of the instructions that the request carried.
        instructions: Digest,
    },
    /// The model did not answer.
    ModelFailed(ModelError),
    /// The call folder is laid and locked.
    Laid(DispatchId),
    /// The call folder could not be laid: nothing was started.
    LayFailed(String),
    /// The supervisor ended; what its folder holds.
    Ended(Box<FolderFacts>),
}

/// What to do next.
#[derive(Debug)]
pub(in crate::agent) enum Effect {
    /// Write this record; then call [`committed`](super::Machine::committed).
    Commit(Record),
    /// Send a model request built from the session.
    AskModel,
    /// Drop the running model request.
    CancelModel,
    /// Ask a person about this call.
    AskApproval(Box<ApprovalRequest>),
    /// Ask a person whether the turn may go on.
    AskExtension {
        /// Model requests so far.
        model_requests: u64,
        /// Calls so far.
        tool_calls: u64,
    },
    /// Lay the call folder for this start record, which is not written yet.
    Lay(Box<ToolStarted>),
    /// Start the command whose start record is durable.
    Start(DispatchId),
    /// Ask the supervisor to stop the command.
    StopCommand(DispatchId),
    /// Do not obey.
    Refuse {
        /// Why.
        why: Refusal,
        /// One sentence.
        sentence: String,
        /// The message that was not taken.
        text: Option<String>,
    },
    /// Give this message back to the person.
    PutBack(String),
    /// The turn is over, or there is none: wait for a message.
    Rest,
}

/// What the machine may look at besides its input.
pub(in crate::agent) struct View<'a> {
    /// All that is durable.
    pub(in crate::agent) session: &'a Session,
    /// Bytes that the journal has left.
    pub(in crate::agent) space_left: u64,
    /// Makes fresh version 7 ids.
    pub(in crate::agent) fresh: &'a mut dyn FnMut() -> uuid::Uuid,
}

/// Whether a text can be a message at all.
pub(in crate::agent) fn acceptable(text: &str) -> Result<(), String> {
    if text.trim().is_empty() {
        return Err("The message is empty.".into());
    }
    if text.contains('\0') {
        return Err("The message contains a NUL character.".into());
    }
    if text.len() > limits::MESSAGE_BYTES {
        return Err(format!(
            "The message has {} KiB, at most 256 KiB fit. Save it to a file and name the file.",
            text.len().div_ceil(1024)
        ));
    }
    Ok(())
}

pub(super) fn refuse(why: Refusal, sentence: impl Into<String>) -> Effect {
    Effect::Refuse { why, sentence: sentence.into(), text: None }
}

pub(super) fn refuse_text(why: Refusal, sentence: &str, text: String) -> Effect {
    Effect::Refuse { why, sentence: sentence.into(), text: Some(text) }
}

pub(super) fn nothing_shown() -> Effect {
    refuse(Refusal::NotNow, "That command no longer waits for a decision.")
}

/// At most `most` bytes of whole characters.
pub(super) fn cut(mut text: String, most: usize) -> String {
    if text.len() > most {
        let end = (0..=most).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
        text.truncate(end);
    }
    text
}
