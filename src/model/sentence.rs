//! The sentences for people: what happened, to what, and what to do.

use super::error::{Refusal, Trouble};
use super::key::KeyOrigin;
use super::server_error::{CODE_CHARS, clean};
use super::{BaseUrl, ErrorClass, ModelError};
use std::time::Duration;

/// What of a server's message is shown, in characters.
const SAID_CHARS: usize = 300;

/// What a sentence needs to know besides the trouble.
#[derive(Debug, Clone, Copy)]
pub(super) struct Scene<'a> {
    /// Where the request went.
    pub(super) base: &'a BaseUrl,
    /// The model's name.
    pub(super) model: &'a str,
    /// Where the key comes from.
    pub(super) key_origin: &'a KeyOrigin,
    /// Whether a key was sent.
    pub(super) key_sent: bool,
    /// Words of the answer that were shown.
    pub(super) words: usize,
    /// The turn has results of calls already.
    pub(super) ran_before: bool,
}

impl Scene<'_> {
    /// The error that leaves this room.
    pub(super) fn error(&self, trouble: &Trouble) -> ModelError {
        ModelError { class: trouble.class(), sentence: self.sentence(trouble) }
    }

    fn sentence(&self, trouble: &Trouble) -> String {
        let base = self.base;
        let nothing = self.nothing_run();
        match trouble {
            Trouble::Cancelled => "The answer was stopped.".into(),
            Trouble::Client(why) => format!("The connection to {base} cannot be set up ({why})."),
            Trouble::Unreachable(why) if base.is_loopback() => {
                format!("Nothing answers at {base} ({why}). Start the server or choose another with /model.")
            }
            Trouble::Unreachable(why) => {
                format!("Nothing answers at {base} ({why}). Check the network or choose another with /model.")
            }
            Trouble::Insecure(why) => format!(
                "No encrypted connection to {base} can be made ({why}). Check base_url, the clock, and any proxy between."
            ),
            Trouble::Broken(why) => {
                format!("{} {nothing}; your message is in the composer.", self.broke_off(why))
            }
            Trouble::Damaged { what } => format!("The answer from {base} cannot be read: {what}. {nothing}."),
            Trouble::Redirected(status) => format!(
                "{base} sends elsewhere ({status}), and a key is never sent along. Set base_url to the address itself."
            ),
            Trouble::NotAnAnswer { content_type } => format!(
                "What came from {base} is no answer of a model but {}. Check base_url, and whether a proxy or login page stands before it.",
                clean(content_type, CODE_CHARS)
            ),
            Trouble::Refused(refusal) => self.refused(refusal),
            Trouble::AskedTooLong { wait, about, .. } => {
                format!(
                    "The server asks to wait {} ({about}). {nothing}; send it again then.",
                    duration(*wait)
                )
            }
            Trouble::Incomplete { reason } => self.incomplete(reason),
            Trouble::Unusable(why) => {
                format!("The answer cannot be used: {}. {nothing}.", clean(&why.to_string(), SAID_CHARS))
            }
            Trouble::Unsendable(what) => {
                format!("The conversation cannot be sent: {what}. /fork goes on in a new session from here.")
            }
        }
    }

    fn nothing_run(&self) -> &'static str {
        if self.ran_before { "Nothing more was run" } else { "Nothing was run" }
    }

    fn give_key(&self) -> String {
        match self.key_origin {
            KeyOrigin::Variable(name) => format!("Set {name}, or name a command in config.toml"),
            KeyOrigin::Command | KeyOrigin::Nowhere => "Name a variable or a command in config.toml".into(),
        }
    }

    fn broke_off(&self, why: &str) -> String {
        match self.words {
            0 => format!("The connection to {} broke before the answer began ({why}).", self.base),
            1 => format!("The answer broke off after 1 word ({why})."),
            words => format!("The answer broke off after {words} words ({why})."),
        }
    }

    fn incomplete(&self, reason: &str) -> String {
        let nothing = self.nothing_run();
        match reason {
            "max_output_tokens" => {
                format!(
                    "The answer reached the server's limit of tokens and is cut. {nothing}; ask for less at once."
                )
            }
            "content_filter" => {
                format!("The server's content filter stopped the answer. {nothing}; say it in other words.")
            }
            reason => format!(
                "The server ended the answer early ({}). {nothing}; send it again.",
                clean(reason, CODE_CHARS)
            ),
        }
    }

    fn refused(&self, refusal: &Refusal) -> String {
        let (status, said) = (status(refusal), said(refusal));
        let (model, nothing) = (self.model, self.nothing_run());
        match refusal.class {
            ErrorClass::Auth if !self.key_sent => {
                format!("The server wants a key{status}. {}.", self.give_key())
            }
            ErrorClass::Auth if refusal.status == Some(403) => {
                format!("The server does not allow this with {}{status}{said}. {nothing}.", self.key_origin)
            }
            ErrorClass::Auth => format!("The server refused {}{status}. {nothing}.", self.key_origin),
            ErrorClass::UnknownModel => {
                format!(
                    "The server does not know the model \"{model}\"{status}. /model shows what it offers."
                )
            }
            ErrorClass::Context => format!(
                "The conversation no longer fits into the model{status}. /fork N goes on in a new session without the last N turns."
            ),
            ErrorClass::Rate => {
                format!("The server has had too many requests{status}{said}. {nothing}; send it again later.")
            }
            ErrorClass::Quota => {
                format!(
                    "The account at {} is used up{status}{said}. {nothing}; waiting does not help.",
                    self.base
                )
            }
            ErrorClass::Server | ErrorClass::Transport | ErrorClass::Cancelled => {
                format!("The server is in trouble{status}{said}. {nothing}; send it again later.")
            }
            ErrorClass::Request | ErrorClass::NoKey | ErrorClass::Invalid if refusal.status == Some(404) => {
                format!("There is no Responses API at {}{status}{said}. Check base_url.", self.base)
            }
            ErrorClass::Request | ErrorClass::NoKey | ErrorClass::Invalid => {
                format!("The server refused the request{status}{said}. {nothing}.")
            }
        }
    }
}

/// ` (429)`, or ` (overloaded)` where there is no status.
fn status(refusal: &Refusal) -> String {
    match (refusal.status, &refusal.code) {
        (None, None) => String::new(),
        (Some(_), _) | (None, Some(_)) => format!(" ({refusal})"),
    }
}

/// The server's own message and its id of the request.
fn said(refusal: &Refusal) -> String {
    let id =
        refusal.request_id.as_ref().map(|id| format!(" [{}]", clean(id, CODE_CHARS))).unwrap_or_default();
    let message = clean(&refusal.message, SAID_CHARS);
    if message.is_empty() { id } else { format!(": \"{message}\"{id}") }
}

/// `12 s`, `5 min`, `2 h`.
fn duration(duration: Duration) -> String {
    match duration.as_secs_f64().ceil() {
        seconds if seconds < 120.0 => format!("{seconds} s"),
        seconds if seconds < 7200.0 => format!("{} min", (seconds / 60.0).ceil()),
        seconds => format!("{} h", (seconds / 3600.0).ceil()),
    }
}

#[cfg(test)]
mod tests;
