//! Statements about unknown outcomes.

use super::bounds;
use crate::record::{Acknowledged, By, DispatchId, StatementKind, limits};
use crate::session::order::OrderError;
use crate::session::state::{Session, UnknownEffect};

impl Session {
    pub(super) fn check_acknowledged(&self, body: &Acknowledged) -> Result<(), OrderError> {
        if self.open_turn().is_some() {
            return Err(OrderError::TurnOpen);
        }
        if body.statements.is_empty() {
            return Err(OrderError::NoStatement);
        }
        let gating = self.gating();
        let mut next = 0;
        for statement in &body.statements {
            if let Some(note) = &statement.note {
                bounds::cap("note", note, limits::NOTE_BYTES)?;
            }
            let at = position(&gating, statement.dispatch)?;
            if at < next {
                return Err(OrderError::StatementOrder);
            }
            next = at + 1;
            check_word(body.by, &gating[at], statement.statement)?;
        }
        Ok(())
    }
}

fn position(gating: &[UnknownEffect<'_>], dispatch: DispatchId) -> Result<usize, OrderError> {
    gating.iter().position(|effect| effect.dispatch == dispatch).ok_or(OrderError::NotUnknown)
}

/// Another program's file can only have acknowledged its own turns.
fn check_word(by: By, effect: &UnknownEffect<'_>, statement: StatementKind) -> Result<(), OrderError> {
    let of_source = effect.call.is_some_and(|(turn, _)| turn.imported);
    match by {
        By::User => Ok(()),
        By::Imported if of_source && statement == StatementKind::MayHaveRun => Ok(()),
        By::Imported | By::Rule => Err(OrderError::By),
    }
}
