//! Messages, responses, extensions and the end of a turn.

use super::{bounds, goes_on};
use crate::record::{
    By, Item, ItemKind, ModelResponse, Origin, TurnEnded, TurnExtended, TurnStatus, UserMessage, limits,
};
use crate::session::copied::copied_at;
use crate::session::order::OrderError;
use crate::session::state::{Call, Entry, Session, Turn};
use std::collections::BTreeSet;
use std::sync::Arc;

/// A response's items and calls, read once for checking and folding.
#[derive(Default)]
pub(in crate::session) struct ReadResponse {
    pub(in crate::session) items: Arc<[Item]>,
    pub(in crate::session) calls: Vec<Call>,
}

impl Session {
    pub(super) fn check_message(&self, body: &UserMessage) -> Result<(), OrderError> {
        bounds::message(&body.text)?;
        match self.open_turn() {
            Some(turn) => self.check_join(turn, body),
            None => self.check_opening(body),
        }
    }

    fn check_opening(&self, body: &UserMessage) -> Result<(), OrderError> {
        if self.turn_ids.contains(&body.turn) {
            return Err(OrderError::TurnIdUsed);
        }
        if body.imported {
            return if self.takes_imported() { Ok(()) } else { Err(OrderError::ImportedHere) };
        }
        self.check_gate(self.is_copy(body))
    }

    fn check_join(&self, turn: &Turn, body: &UserMessage) -> Result<(), OrderError> {
        if turn.id != body.turn {
            return Err(OrderError::OtherTurn);
        }
        if turn.imported != body.imported {
            return Err(OrderError::ImportedMark);
        }
        let after_calls =
            matches!(turn.entries.last(), Some(Entry::Response(last)) if !last.calls.is_empty());
        if !after_calls || turn.open_call().is_some() {
            return Err(OrderError::JoinNotNow);
        }
        if turn.imported { Ok(()) } else { self.check_gate(turn.copied) }
    }

    /// A copied turn was written when the effects that the origin lists were
    /// not there yet, so only effects of copied turns can bar it.
    fn check_gate(&self, copied: bool) -> Result<(), OrderError> {
        let closed = if copied {
            self.unknown.iter().any(|dispatch| !self.statements.contains_key(dispatch))
        } else {
            self.is_gated()
        };
        if closed { Err(OrderError::Gated) } else { Ok(()) }
    }

    fn takes_imported(&self) -> bool {
        let kind = match self.header.as_ref().map(|header| &header.origin) {
            Some(Origin::Imported { .. } | Origin::Forked { .. }) => true,
            Some(Origin::New {}) | None => false,
        };
        kind && self.turns.last().is_none_or(|turn| turn.imported)
    }

    /// Copies stand in forks only, before every turn of the fork's own.
    pub(in crate::session) fn is_copy(&self, body: &UserMessage) -> bool {
        self.forked_from().is_some()
            && copied_at(body.ext.as_deref()).is_some()
            && self.turns.last().is_none_or(|turn| turn.imported || turn.copied)
    }

    pub(super) fn read_response(&self, body: &ModelResponse) -> Result<ReadResponse, OrderError> {
        let turn = self.in_turn(body.turn)?;
        if turn.open_call().is_some() {
            return Err(OrderError::CallOpen);
        }
        if turn.is_answered() {
            return Err(OrderError::Answered);
        }
        goes_on(turn)?;
        if !turn.imported {
            has_all_fields(body)?;
        }
        let items = body.items.read()?;
        let calls = calls_of(items);
        let mut fresh = BTreeSet::new();
        match calls.iter().find(|call| self.call_ids.contains(&call.id) || !fresh.insert(&call.id)) {
            Some(twice) => Err(OrderError::CallIdUsed(twice.id.clone())),
            None => Ok(ReadResponse { items: Arc::clone(items), calls }),
        }
    }

    pub(super) fn check_extension(&self, body: &TurnExtended) -> Result<(), OrderError> {
        let turn = self.in_turn(body.turn)?;
        if turn.imported {
            return Err(OrderError::NotImported("turn_extended"));
        }
        goes_on(turn)?;
        if body.by == By::User { Ok(()) } else { Err(OrderError::By) }
    }

    pub(super) fn check_end(&self, body: &TurnEnded) -> Result<(), OrderError> {
        let turn = self.in_turn(body.turn)?;
        if turn.open_call().is_some() {
            return Err(OrderError::CallOpen);
        }
        if let Some(error) = &body.error {
            bounds::cap("error", error, limits::ERROR_BYTES)?;
        }
        if status_fits(turn, body.status) { Ok(()) } else { Err(OrderError::Status) }
    }
}

fn has_all_fields(body: &ModelResponse) -> Result<(), OrderError> {
    let fields = [
        ("server", body.server.is_some()),
        ("model", body.model.is_some()),
        ("duration_ms", body.duration_ms.is_some()),
        ("instructions_sha256", body.instructions_sha256.is_some()),
    ];
    match fields.iter().find(|(_, present)| !present) {
        Some((name, _)) => Err(OrderError::ResponseLacks(name)),
        None => Ok(()),
    }
}

fn calls_of(items: &[Item]) -> Vec<Call> {
    let call = |(item, read): (usize, &Item)| match &read.kind {
        ItemKind::Call { call_id, name, arguments } => Some(Call {
            item,
            id: call_id.clone(),
            name: name.clone(),
            arguments: arguments.clone(),
            approval: None,
            start: None,
            result: None,
        }),
        ItemKind::Message { .. } | ItemKind::Reasoning { .. } | ItemKind::Other { .. } => None,
    };
    items.iter().enumerate().filter_map(call).collect()
}

/// `completed` exactly if there is an answer; but another program may have
/// saved an answer and not called its turn complete.
fn status_fits(turn: &Turn, status: TurnStatus) -> bool {
    let unconfirmed = turn.is_unconfirmed();
    match status {
        TurnStatus::Completed => turn.is_answered(),
        TurnStatus::Failed | TurnStatus::Cancelled => !unconfirmed && (turn.imported || !turn.is_answered()),
        TurnStatus::Interrupted => turn.imported || !turn.is_answered(),
        TurnStatus::UnconfirmedEffects => unconfirmed,
    }
}
