//! Whether a conversation may be sent: every call has its one result, every result
//! its call, and something is there to answer. Only some servers would notice;
//! the others would answer nonsense.

use crate::record::{ContextItem, ItemKind};
use std::collections::HashMap;

/// Checks the items of a request.
///
/// # Errors
/// What is wrong, as a clause.
pub(super) fn check_pairs(items: &[ContextItem]) -> Result<(), &'static str> {
    let mut waits = HashMap::new();
    for item in items {
        match item {
            ContextItem::Model { item, .. } => {
                if let ItemKind::Call { call_id, .. } = &item.kind
                    && waits.insert(call_id.as_str(), true).is_some()
                {
                    return Err("two of its calls have the same id");
                }
            }
            ContextItem::Result { call_id, .. } => match waits.insert(call_id.as_str(), false) {
                Some(true) => {}
                Some(false) => return Err("one of its calls has two results"),
                None => return Err("one of its results belongs to no call"),
            },
            ContextItem::User { .. } | ContextItem::Notice { .. } => {}
        }
    }
    if waits.into_values().any(|waits| waits) {
        return Err("one of its calls has no result");
    }
    match items.last() {
        Some(ContextItem::User { .. } | ContextItem::Result { .. }) => Ok(()),
        Some(ContextItem::Notice { .. } | ContextItem::Model { .. }) | None => {
            Err("it does not end with something to answer")
        }
    }
}
