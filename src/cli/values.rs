//! Values of arguments. One that cannot be meant is a usage error, not a failure.

use super::named::SessionName;
use crate::record::limits::NOTE_BYTES;
use crate::record::{Digest, DispatchId, IdError, SessionId, TurnId};
use crate::store::inspect::{InspectError, Target, read_public_key, read_signing_key};
use ed25519_dalek::{SigningKey, VerifyingKey};
use std::ffi::OsString;
use std::path::PathBuf;

pub(super) fn session_id(text: &str) -> Result<SessionId, IdError> {
    SessionId::parse(text)
}

/// A session's id, or the beginning of it.
pub(super) fn session_name(text: &str) -> Result<SessionName, &'static str> {
    SessionName::parse(text)
}

pub(super) fn turn_id(text: &str) -> Result<TurnId, IdError> {
    TurnId::parse(text)
}

pub(super) fn dispatch_id(text: &str) -> Result<DispatchId, IdError> {
    DispatchId::parse(text)
}

pub(super) fn digest(text: &str) -> Result<Digest, IdError> {
    Digest::parse(text)
}

pub(super) fn public_key(text: &str) -> Result<VerifyingKey, InspectError> {
    read_public_key(text)
}

/// The seed that an operator signs with.
pub(super) fn signing_key(file: PathBuf) -> Result<SigningKey, InspectError> {
    read_signing_key(&file)
}

/// A name that a server could know.
pub(super) fn model_name(text: &str) -> Result<String, &'static str> {
    let bad = text.trim().is_empty() || text.chars().any(char::is_control);
    if bad { Err("a model's name is one line of text") } else { Ok(text.to_owned()) }
}

/// What a decision says in words.
pub(super) fn note(text: &str) -> Result<String, String> {
    match text.len() {
        _ if text.trim().is_empty() => Err("a decision needs its reason in words".to_owned()),
        0..=NOTE_BYTES => Ok(text.to_owned()),
        bytes => Err(format!("it has {bytes} bytes, and at most {NOTE_BYTES} are kept")),
    }
}

/// A session or a journal; a path need not be UTF-8.
pub(super) fn target(text: OsString) -> Result<Target, &'static str> {
    match text.to_str() {
        Some("") => Err("neither a session nor a path"),
        Some(text) => Ok(Target::parse(text)),
        None => Ok(Target::Path(PathBuf::from(text))),
    }
}
