//! History in, one validated response out.
//!
//! A model has no authority here: what comes out of [`Model::respond`] is text
//! and requests for calls, complete and checked, and nothing of it was acted on.

#[cfg(any(test, feature = "lab"))]
pub mod attack;
mod base_url;
mod classify;
mod connection;
mod demo;
mod error;
mod http;
mod key;
mod quirks;
mod responses;
mod retry;
mod sentence;
mod server_error;
mod sse;
mod timeouts;
mod wait_hint;

pub use base_url::{BaseUrl, check_base_url};
pub use connection::{ConnectionReport, LocalServer, list_models, probe_local, test_connection};
pub use demo::{DEMO, DemoModel};
pub use key::read_key;
pub use responses::{PROTOCOL, ResponsesModel};
pub use retry::Backoff;
pub use timeouts::Timeouts;

use crate::record::{ContextItem, Item, SessionId, Usage};
use futures_util::future::BoxFuture;
use tokio::sync::mpsc::UnboundedSender;
use tokio_util::sync::CancellationToken;

/// A tool as the model is told of it.
#[derive(Debug, Clone)]
pub struct ToolDefinition {
    /// Its name.
    pub name: &'static str,
    /// What it does and what the model has to know about it.
    pub description: String,
    /// JSON schema of its arguments.
    pub parameters: serde_json::Value,
}

/// One request, independent of any protocol.
#[derive(Debug, Clone)]
pub struct Request {
    /// The session; helps a server to cache.
    pub session: SessionId,
    /// The instructions.
    pub instructions: String,
    /// The conversation, in order.
    pub input: Vec<ContextItem>,
    /// What the model may ask for.
    pub tools: Vec<ToolDefinition>,
}

/// What is seen of a request while it runs; display only.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Progress {
    /// The server began to answer.
    Started,
    /// Text of the answer.
    Text(String),
    /// Text of a refusal.
    Refusal(String),
    /// Text of the model's reasoning; empty when it begins to reason.
    Reasoning(String),
    /// What was shown of this answer is void: it broke off and is asked again.
    Discarded,
    /// Waiting before another attempt.
    Retrying {
        /// How long, in milliseconds.
        wait_ms: u64,
        /// Why, in a few words, such as `429` or `connection reset`.
        reason: String,
    },
}

/// A complete, validated response.
#[derive(Debug, Clone)]
pub struct Answer {
    /// The items, byte for byte as they came, but for line breaks between tokens.
    pub items: Vec<Item>,
    /// The protocol of their form.
    pub protocol: String,
    /// Base URL without credentials.
    pub server: String,
    /// The model's name.
    pub model: String,
    /// The server's id of the response.
    pub response_id: Option<String>,
    /// Tokens, if the server told.
    pub usage: Option<Usage>,
    /// From the first byte of the request to the terminal event, in milliseconds.
    pub duration_ms: u64,
}

/// Why there is no answer: one sentence, and what kind of trouble it is.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{sentence}")]
pub struct ModelError {
    /// What kind of trouble.
    pub class: ErrorClass,
    /// What happened, to what, and what to do; free of control characters and keys.
    pub sentence: String,
}

/// What kind of trouble a request met.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorClass {
    /// A person stopped it.
    Cancelled,
    /// There is no key.
    NoKey,
    /// No connection, or it broke.
    Transport,
    /// The server is in trouble or too busy.
    Server,
    /// Too many requests.
    Rate,
    /// Used up; waiting does not help.
    Quota,
    /// The conversation no longer fits into the model.
    Context,
    /// The server refused the key.
    Auth,
    /// The server does not know the model.
    UnknownModel,
    /// The server refused the request.
    Request,
    /// The answer is complete but cannot be used, or the server ended it early.
    Invalid,
}

/// A model behind some protocol.
pub trait Model: Send + Sync {
    /// Sends one request and waits for a complete, validated response; retries
    /// what may be retried, and says so through `progress`. Cancelling ends it
    /// at once with [`ErrorClass::Cancelled`].
    fn respond(
        &self,
        request: Request,
        progress: UnboundedSender<Progress>,
        cancel: CancellationToken,
    ) -> BoxFuture<'static, Result<Answer, ModelError>>;

    /// The model's name, for the header.
    fn name(&self) -> String;
}

#[cfg(test)]
mod tests;
