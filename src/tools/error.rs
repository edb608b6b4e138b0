//! Why a call cannot be prepared or started.

use crate::record::{OperationError, limits};
use std::io;

/// Arguments that describe no command; the sentence goes to the model.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InvalidArguments {
    /// Not one object of the known keys, each once, with values of their type.
    #[error("the arguments are not {{\"command\": string, \"timeout_seconds\": integer or null}}: {0}")]
    Form(String),
    /// Nothing to run.
    #[error("the command is empty")]
    Empty,
    /// A NUL byte, which no argument of a program can hold.
    #[error("the command contains a NUL byte")]
    Nul,
    /// More than [`limits::COMMAND_BYTES`].
    #[error("the command has {0} bytes, more than the {max} allowed", max = limits::COMMAND_BYTES)]
    TooLong(usize),
    /// A time limit that is no whole number.
    #[error("timeout_seconds is {0}, not an integer or null")]
    NoInteger(String),
    /// A time limit below one second, or of nothing at all.
    #[error("the time limit is below 1")]
    TooShort,
    /// The operation cannot be written in its one form.
    #[error(transparent)]
    Operation(#[from] OperationError),
}

/// The supervisor could not be started: nothing ran.
#[derive(Debug, thiserror::Error)]
#[error("the supervisor could not be started: {0}")]
pub struct StartError(#[from] pub io::Error);
