//! Why a file is not imported: one closed list, one sentence each.

use crate::record::IdError;
use crate::session::OrderError;
use crate::store::StoreError;
use std::fmt;
use std::io;
use std::path::PathBuf;

/// Why nothing was imported.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// The system refused something, or it is no regular file.
    #[error("{}: {error}", path.display())]
    Io {
        /// What could not be read.
        path: PathBuf,
        /// What the system says.
        error: io::Error,
    },
    /// It was changed while it was read.
    #[error("{} was changed while it was read", .0.display())]
    Changed(PathBuf),
    /// It is too long.
    #[error("{} is longer than 64 MiB", .0.display())]
    TooLarge(PathBuf),
    /// It has no turn.
    #[error("{} holds no message of a user", .0.display())]
    Nothing(PathBuf),
    /// Something in it breaks a rule.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// The session could not be made.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// How much of an error's own words goes into a sentence, in characters.
const SAID_CHARS: usize = 300;

/// What breaks which rule.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {rule}")]
pub struct Refusal {
    /// Where.
    pub place: Place,
    /// Which.
    pub rule: Rule,
}

/// A place in a file, counted from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// A line.
    Line(u64),
    /// An element of an array of messages.
    Message(u64),
}

impl Place {
    pub(super) fn refuse(self, rule: Rule) -> Refusal {
        Refusal { place: self, rule }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Line(n) => write!(f, "line {n}"),
            Self::Message(n) => write!(f, "message {n}"),
        }
    }
}

/// A rule that a file can break.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Rule {
    /// Over the length of a line.
    #[error("a line has at most 16 MiB")]
    LongLine,
    /// Not JSON.
    #[error("it is not JSON")]
    Json,
    /// Not UTF-8.
    #[error("it is not UTF-8")]
    Utf8,
    /// Not the fields of a record, or of other types.
    #[error("its fields are not those of the format: {0}")]
    Fields(String),
    /// A version that is not read.
    #[error("only versions 1 and 2 are read, this is version {0}")]
    Version(u64),
    /// A number that does not follow.
    #[error("it has to be number {expected} and is {found}")]
    Seq {
        /// The next number.
        expected: u64,
        /// What stands there.
        found: u64,
    },
    /// Not a turn's id.
    #[error("a turn's id is 32 lower-case hexadecimal digits")]
    TurnId,
    /// A turn's second beginning.
    #[error("the turn's id came before")]
    TurnIdUsed,
    /// A kind that this version of the format does not have.
    #[error("version {version} has no {kind} record")]
    Kind {
        /// The version.
        version: u64,
        /// The kind, shortened.
        kind: String,
    },
    /// A field that a record of its kind does not have.
    #[error("a {kind} record has no {field}")]
    Field {
        /// The kind.
        kind: &'static str,
        /// The field.
        field: &'static str,
    },
    /// A field that a record of its kind needs.
    #[error("a {kind} record needs {field}")]
    Needs {
        /// The kind.
        kind: &'static str,
        /// The field.
        field: &'static str,
    },
    /// About another turn than the open one.
    #[error("it is not about the open turn")]
    Turn,
    /// An answer after an answer.
    #[error("the turn has its answer")]
    Answered,
    /// A word that is not one.
    #[error("\"{0}\" is no status")]
    Status(String),
    /// `completed` without an answer.
    #[error("a completed turn has an answer")]
    NoAnswer,
    /// Not about the first call without a result.
    #[error("it is not about the first call without a result")]
    Call,
    /// A start of a tool that is not known.
    #[error("only bash can have been started")]
    Tool,
    /// Not what the call asked for.
    #[error("what was started is not what the call asked for")]
    Arguments,
    /// Not an absolute directory.
    #[error("the directory of a command is absolute")]
    Directory,
    /// A result that contradicts itself or its call.
    #[error("the result does not fit: {0}")]
    Result(&'static str),
    /// An acknowledgement of nothing.
    #[error("there is nothing unknown to acknowledge in this turn")]
    NothingUnknown,
    /// An item that a response does not have.
    #[error("the response has an unusable item: {0}")]
    Item(&'static str),
    /// A message whose content is not text.
    #[error("the content of a message is text, or a list of parts")]
    Content,
    /// Nobody that speaks.
    #[error("\"{0}\" is no role of a message")]
    Role(String),
    /// A call in a form that is too old.
    #[error("function_call is the form before tool_calls, and is not read")]
    OldCall,
    /// A call id that cannot be kept.
    #[error("{0}")]
    CallId(#[from] IdError),
    /// What a session does not allow.
    #[error("{0}")]
    Order(#[from] OrderError),
    /// Over the length of a record.
    #[error("it would be a record of {0} bytes, and a line of a journal holds 1 MiB")]
    LongRecord(usize),
}

impl Rule {
    /// A field that is wrong; the error may quote as much as the file holds.
    pub(super) fn fields(error: &serde_json::Error) -> Self {
        let said = error.to_string();
        let cut = said.char_indices().nth(SAID_CHARS).map_or(said.len(), |(at, _)| at);
        Self::Fields(said[..cut].to_owned())
    }
}

/// What the file says, cut for a sentence.
pub(super) fn quoted(text: &str) -> String {
    text.chars().take(40).collect()
}
