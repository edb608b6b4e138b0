//! Everything that can go wrong between the settings and an answer, as data.
//! What is said about it to people is in `sentence`.

use super::key::KeyOrigin;
use super::responses::Unusable;
use super::server_error::{CODE_CHARS, clean};
use super::{ErrorClass, ModelError};
use std::time::Duration;

/// What in the settings keeps every request from being made.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum SetupError {
    /// The variable is not set, and the server is not one that needs no key.
    #[error(
        "{variable} is not set. Set it, name another variable or a command in config.toml, or start candor --demo."
    )]
    NoKey {
        /// Its name.
        variable: String,
    },
    /// The command that prints the key did something else.
    #[error("api_key_command {what}. Run it in a shell to see why, or name a variable in config.toml.")]
    KeyCommand {
        /// What it did, as a predicate.
        what: String,
    },
    /// The key has bytes that no header may have.
    #[error("Candor cannot send {origin}: it holds {what}. Set it again, as one line.")]
    KeyForm {
        /// Where it comes from.
        origin: KeyOrigin,
        /// What it holds, such as `a line break`.
        what: &'static str,
    },
    /// The base URL cannot be used.
    #[error("base_url {what}. Correct it in config.toml or with --base-url.")]
    BaseUrl {
        /// What is wrong with it, as a predicate.
        what: &'static str,
    },
    /// No such protocol.
    #[error("Candor does not know the protocol \"{0}\". The only one today is \"responses\".")]
    Protocol(String),
    /// No model is named.
    #[error("No model is named. Choose one with --model, /model, or as name in config.toml.")]
    NoModel,
    /// The demo's own server could not be started.
    #[error("The demo could not open a port on 127.0.0.1 ({0}). Close what holds it, or try again.")]
    Demo(String),
}

impl From<SetupError> for ModelError {
    fn from(error: SetupError) -> Self {
        let class = match error {
            SetupError::NoKey { .. } | SetupError::KeyCommand { .. } | SetupError::KeyForm { .. } => {
                ErrorClass::NoKey
            }
            SetupError::BaseUrl { .. } | SetupError::Protocol(_) | SetupError::NoModel => ErrorClass::Request,
            SetupError::Demo(_) => ErrorClass::Transport,
        };
        Self { class, sentence: error.to_string() }
    }
}

/// What went wrong with a request. Displayed it is a few words for someone who
/// watches a wait, such as `429` or `connection reset`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum Trouble {
    /// A person stopped it.
    #[error("stopped")]
    Cancelled,
    /// The client cannot be set up, for example because there are no root certificates.
    #[error("{0}")]
    Client(String),
    /// No connection.
    #[error("{0}")]
    Unreachable(String),
    /// No encrypted connection, for example because of the server's certificate.
    #[error("{0}")]
    Insecure(String),
    /// The connection was there and broke or went silent, before or in the answer.
    #[error("{0}")]
    Broken(String),
    /// The answer cannot be read on.
    #[error("damaged answer")]
    Damaged {
        /// What is wrong, as a predicate of "the answer".
        what: String,
    },
    /// The server sends elsewhere; a key is never sent along.
    #[error("{0}")]
    Redirected(u16),
    /// Something that is no answer at all, such as a login page.
    #[error("not an answer")]
    NotAnAnswer {
        /// Its content type.
        content_type: String,
    },
    /// The server said no, by its status or inside its answer.
    #[error("{0}")]
    Refused(Refusal),
    /// The server asks to wait longer than anybody should sit through.
    #[error("long wait")]
    AskedTooLong {
        /// How long.
        wait: Duration,
        /// The kind of trouble that it says this about.
        class: ErrorClass,
        /// That trouble in a few words.
        about: String,
    },
    /// The server ended the answer before the model was done.
    #[error("{reason}")]
    Incomplete {
        /// The server's reason.
        reason: String,
    },
    /// The answer is complete and cannot be used.
    #[error("unusable answer")]
    Unusable(#[from] Unusable),
    /// The conversation is not one that may be sent.
    #[error("unsendable conversation")]
    Unsendable(&'static str),
}

/// The server's own words about a failure, as it sent them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Refusal {
    /// What kind of trouble.
    pub(super) class: ErrorClass,
    /// HTTP status; none inside an answer that began well.
    pub(super) status: Option<u16>,
    /// Its code or type.
    pub(super) code: Option<String>,
    /// Its message.
    pub(super) message: String,
    /// Its id of the request.
    pub(super) request_id: Option<String>,
}

impl std::fmt::Display for Refusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match (self.status, &self.code) {
            (Some(status), _) => write!(f, "{status}"),
            (None, Some(code)) => f.write_str(&clean(code, CODE_CHARS)),
            (None, None) => f.write_str("server error"),
        }
    }
}

impl Refusal {
    /// The same with every text passed through `f`.
    fn map(self, f: impl Fn(String) -> String) -> Self {
        Self {
            code: self.code.map(&f),
            message: f(self.message),
            request_id: self.request_id.map(&f),
            class: self.class,
            status: self.status,
        }
    }
}

impl Trouble {
    /// The same with every text that the server chose freely passed through `f`.
    pub(super) fn map_words(self, f: impl Fn(String) -> String) -> Self {
        match self {
            Self::Refused(refusal) => Self::Refused(refusal.map(f)),
            Self::Incomplete { reason } => Self::Incomplete { reason: f(reason) },
            Self::NotAnAnswer { content_type } => Self::NotAnAnswer { content_type: f(content_type) },
            Self::Cancelled
            | Self::Client(_)
            | Self::Unreachable(_)
            | Self::Insecure(_)
            | Self::Broken(_)
            | Self::Damaged { .. }
            | Self::Redirected(_)
            | Self::AskedTooLong { .. }
            | Self::Unusable(_)
            | Self::Unsendable(_) => self,
        }
    }
    /// The kind of trouble.
    pub(super) fn class(&self) -> ErrorClass {
        match self {
            Self::Cancelled => ErrorClass::Cancelled,
            Self::Redirected(_) | Self::Unsendable(_) => ErrorClass::Request,
            Self::Client(_) | Self::Unreachable(_) | Self::Insecure(_) | Self::Broken(_) => {
                ErrorClass::Transport
            }
            Self::Damaged { .. } | Self::NotAnAnswer { .. } => ErrorClass::Server,
            Self::Refused(refusal) => refusal.class,
            Self::AskedTooLong { class, .. } => *class,
            Self::Incomplete { .. } | Self::Unusable(_) => ErrorClass::Invalid,
        }
    }
}
