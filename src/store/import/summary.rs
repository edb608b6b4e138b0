//! What was kept of a file, what had to be closed, and what was left out.

use serde::Serialize;

/// Counts of an import.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Summary {
    /// Turns in the new session.
    pub turns: u64,
    /// Calls in them.
    pub calls: u64,
    /// Unknown outcomes that gate the session.
    pub gating: u64,
    /// Calls without a result that were closed as unknown.
    pub closed_unknown: u64,
    /// Calls without a result that were closed as not executed.
    pub closed_not_executed: u64,
    /// Turns without an end that were ended.
    pub closed_turns: u64,
    /// Bytes of an incomplete last line that were left out.
    pub dropped_bytes: u64,
    /// Messages before the first one of a user, and those of nobody in a conversation.
    pub dropped_messages: u64,
    /// Parts of messages that are no text.
    pub dropped_parts: u64,
    /// Results of no open call.
    pub dropped_orphans: u64,
    /// Results of a call that had one.
    pub dropped_duplicates: u64,
}
