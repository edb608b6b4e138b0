//! What a turn has used of its limits.

use crate::config::LimitSettings;
use crate::record::TurnExtended;
use crate::session::Turn;

/// What a turn has used of its limits.
#[derive(Debug, Clone, Copy)]
pub(super) struct Used {
    pub(super) requests: u64,
    pub(super) calls: u64,
    /// Calls before those of the last response.
    pub(super) calls_before: u64,
    extra_requests: u64,
    extra_calls: u64,
}

impl Used {
    pub(super) fn of(turn: &Turn) -> Self {
        let calls = turn.calls().count() as u64;
        let last = turn
            .responses()
            .next_back()
            .map_or(0, |response| response.calls.iter().filter(|call| call.result.is_none()).count())
            as u64;
        let sum = |of: fn(&TurnExtended) -> u64| {
            turn.extensions.iter().map(|extension| of(extension)).fold(0, u64::saturating_add)
        };
        Self {
            requests: turn.responses().count() as u64,
            calls,
            calls_before: calls - last,
            extra_requests: sum(|extension| extension.model_requests),
            extra_calls: sum(|extension| extension.tool_calls),
        }
    }

    pub(super) fn allowed_requests(self, limits: LimitSettings) -> u64 {
        limits.model_requests.saturating_add(self.extra_requests)
    }

    pub(super) fn allowed_calls(self, limits: LimitSettings) -> u64 {
        limits.tool_calls.saturating_add(self.extra_calls)
    }
}
