//! What a refusal means: which kind of trouble, and whether to try again.

use super::ErrorClass;
use super::error::Trouble;
use super::quirks::{Quirk, Quirks};
use super::retry::Again;
use super::server_error::ServerError;
use super::wait_hint;
use std::time::Duration;

/// A failed attempt: what happened, and what may help.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Failure {
    /// What happened.
    pub(super) trouble: Trouble,
    /// What may help.
    pub(super) remedy: Remedy,
}

/// What may help against a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Remedy {
    /// Nothing that Candor may do by itself.
    Stop,
    /// Another attempt.
    Again(Again),
    /// Another attempt without what the server refuses.
    Without(Quirk),
}

impl Failure {
    /// A failure that another attempt does not mend.
    pub(super) fn stop(trouble: impl Into<Trouble>) -> Self {
        Self { trouble: trouble.into(), remedy: Remedy::Stop }
    }

    /// A failure that another attempt may mend.
    pub(super) fn again(trouble: Trouble) -> Self {
        Self { trouble, remedy: Remedy::Again(Again::default()) }
    }

    /// A failure of the connection; only a client that cannot be set up stays so.
    pub(super) fn of_connection(trouble: Trouble) -> Self {
        if let Trouble::Client(_) = trouble { Self::stop(trouble) } else { Self::again(trouble) }
    }
}

/// What the head of a refusal says besides its status.
#[derive(Debug, Clone, Default)]
pub(super) struct Head {
    /// HTTP status.
    pub(super) status: u16,
    /// How long to wait.
    pub(super) wait: Option<Duration>,
    /// `x-should-retry`: the server's own verdict.
    pub(super) should_retry: Option<bool>,
    /// The server's id of the request.
    pub(super) request_id: Option<String>,
}

/// Codes that mean: used up, waiting does not help.
const QUOTA: [&str; 4] =
    ["insufficient_quota", "usage_limit_reached", "billing_hard_limit_reached", "quota_exceeded"];
/// Codes that mean: too much to do.
const OVERLOAD: [&str; 3] = ["server_is_overloaded", "slow_down", "overloaded_error"];
/// Codes that mean: the conversation is too long.
const CONTEXT: [&str; 2] = ["context_length_exceeded", "exceed_context_size_error"];
/// Codes that mean: no such model.
const UNKNOWN_MODEL: [&str; 2] = ["model_not_found", "unknown_model"];
/// Codes that mean: too many requests.
const RATE: [&str; 2] = ["rate_limit_exceeded", "rate_limit_error"];
/// Codes inside an answer that mean: the request itself is refused.
const REQUEST: [&str; 6] = [
    "invalid_prompt",
    "invalid_request_error",
    "bio_policy",
    "cyber_policy",
    "misalignment_policy_violation",
    "content_filter",
];

/// A refusal by status.
pub(super) fn by_status(head: &Head, error: &ServerError, quirks: Quirks) -> Failure {
    let (class, overloaded, retry) = verdict(head.status, error);
    let learnt = if matches!(head.status, 400 | 404 | 422) { quirks.learn(error) } else { None };
    let remedy = match (learnt, head.should_retry.unwrap_or(retry)) {
        (Some(quirk), _) => Remedy::Without(quirk),
        (None, true) => {
            let told = (class == ErrorClass::Rate).then(|| wait_hint::from_message(&error.message)).flatten();
            Remedy::Again(Again { overloaded, at_least: head.wait.or(told) })
        }
        (None, false) => Remedy::Stop,
    };
    let refusal = error.refusal(class, Some(head.status), head.request_id.as_deref());
    Failure { trouble: Trouble::Refused(refusal), remedy }
}

/// Class, overloaded, worth another attempt.
fn verdict(status: u16, error: &ServerError) -> (ErrorClass, bool, bool) {
    match status {
        401 | 403 => (ErrorClass::Auth, false, false),
        402 => (ErrorClass::Quota, false, false),
        429 if error.is(&QUOTA) => (ErrorClass::Quota, false, false),
        429 => (ErrorClass::Rate, false, true),
        400 | 413 | 422 if is_context(error) => (ErrorClass::Context, false, false),
        400 | 404 if is_unknown_model(error) => (ErrorClass::UnknownModel, false, false),
        // llama.cpp answers 500 to what it cannot parse in our request; that
        // does not get better by asking again.
        500 if is_about_parsing(error) => (ErrorClass::Request, false, false),
        408 | 409 | 500 | 502 | 503 | 504 | 520..=524 | 529 => {
            (ErrorClass::Server, status == 529 || error.is(&OVERLOAD), true)
        }
        501 | 505..=599 => (ErrorClass::Server, false, false),
        _ => (ErrorClass::Request, false, false),
    }
}

/// A refusal inside an answer that had begun.
pub(super) fn in_answer(error: &ServerError) -> Failure {
    let numeric = error.code.as_deref().and_then(|code| code.parse::<u16>().ok());
    let (class, overloaded, retry) = match numeric {
        // OpenRouter and others give the HTTP status that it would have been.
        Some(status @ 400..=599) => verdict(status, error),
        _ if error.is(&QUOTA) => (ErrorClass::Quota, false, false),
        _ if is_context(error) => (ErrorClass::Context, false, false),
        _ if error.is(&UNKNOWN_MODEL) => (ErrorClass::UnknownModel, false, false),
        _ if error.is(&RATE) => (ErrorClass::Rate, false, true),
        _ if error.is(&REQUEST) => (ErrorClass::Request, false, false),
        _ => (ErrorClass::Server, error.is(&OVERLOAD), true),
    };
    let at_least = wait_hint::from_message(&error.message);
    let remedy = if retry { Remedy::Again(Again { overloaded, at_least }) } else { Remedy::Stop };
    Failure { trouble: Trouble::Refused(error.refusal(class, None, None)), remedy }
}

fn is_context(error: &ServerError) -> bool {
    error.is(&CONTEXT)
        || error.message.contains("ContextWindowExceededError")
        || error.message.contains("maximum context length")
}

fn is_unknown_model(error: &ServerError) -> bool {
    let lower = error.message.to_lowercase();
    let missing = ["not found", "does not exist", "not exist", "unknown model"];
    error.is(&UNKNOWN_MODEL)
        || error.param.as_deref() == Some("model")
        || lower.contains("model") && missing.iter().any(|words| lower.contains(words))
}

fn is_about_parsing(error: &ServerError) -> bool {
    error.is(&["server_error"]) && error.message.to_lowercase().contains("pars")
}

#[cfg(test)]
mod tests;
