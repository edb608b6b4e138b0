//! What can be written down: records, outcomes, ids, limits.
//!
//! Plain values with one exact text form each. Nothing here knows a file, a
//! clock, a model or a screen; order rules between records live in `session`.

mod body;
mod codec;
mod context;
mod exact;
mod folder;
mod ids;
mod item;
pub mod limits;
mod operation;
mod origin;
mod outcome;
mod output;
mod time;

pub use body::{
    Acknowledged, Approval, ModelResponse, SessionRenamed, SessionStarted, Statement, Survivor, TailMoved,
    ToolResult, ToolStarted, TurnEnded, TurnExtended, Usage, UserMessage,
};
pub use codec::{DecodeError, Record};
pub use context::{ContextItem, Maker};
pub use folder::{Ended, FolderFacts, Launch, Order, ProcessNote, Receipt, SpoolFacts};
pub use ids::{CallId, Digest, DispatchId, IdError, KeyId, SessionId, TurnId};
pub(crate) use ids::{decode_hex, encode_hex};
pub use item::{Item, ItemError, ItemKind, Items};
pub use operation::{BashOperation, Operation, OperationError};
pub use origin::{EffectReference, Origin};
pub use outcome::{By, Decision, Evidence, Outcome, StatementKind, TurnStatus};
pub use output::{OutputExcerpt, excerpt};
pub use time::{Timestamp, TimestampError};

use std::sync::Arc;

/// A record with its place in the journal: what was committed.
#[derive(Debug, Clone)]
pub struct Committed {
    /// Position in the journal, counted from 0.
    pub seq: u64,
    /// When it was written; for people and for sorting, no rule depends on it.
    pub at: Timestamp,
    /// What was written.
    pub record: Record,
}

/// One body with its place in the journal.
#[derive(Debug)]
pub struct Stamped<T> {
    /// Position in the journal, counted from 0.
    pub seq: u64,
    /// When it was written.
    pub at: Timestamp,
    /// The body, shared with whoever else looks at the same record.
    pub body: Arc<T>,
}

impl<T> Clone for Stamped<T> {
    fn clone(&self) -> Self {
        Self { seq: self.seq, at: self.at, body: Arc::clone(&self.body) }
    }
}

impl<T> std::ops::Deref for Stamped<T> {
    type Target = T;
    fn deref(&self) -> &T {
        &self.body
    }
}
