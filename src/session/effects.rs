//! Effects that may have happened: which they are, whether they gate the
//! session, and what repeats them.

use super::copied::copied_at;
use super::state::{Call, Session, UnknownEffect};
use super::words;
use crate::record::{Digest, DispatchId, EffectReference, Operation, Outcome, StatementKind, Timestamp};

impl Session {
    /// All effects whose outcome is unknown, in the order of the journal; those
    /// of a forked session's origin first.
    #[must_use]
    pub fn unknown_effects(&self) -> Vec<UnknownEffect<'_>> {
        let origin = self.origin_unknown().iter().map(|effect| self.of_origin(effect));
        let own = self.unknown.iter().filter_map(|dispatch| self.own_effect(*dispatch));
        origin.chain(own).collect()
    }

    /// The executions of the open turn that have a start and no result: what
    /// they did is not known yet.
    pub fn running_effects(&self) -> impl Iterator<Item = &Call> {
        let calls = self.open_turn().into_iter().flat_map(|turn| turn.calls());
        calls.filter(|call| call.start.is_some() && call.result.is_none())
    }

    /// The unknown effects that no statement covers, in the order of the journal.
    #[must_use]
    pub fn gating(&self) -> Vec<UnknownEffect<'_>> {
        let mut effects = self.unknown_effects();
        effects.retain(|effect| effect.statement.is_none());
        effects
    }

    /// Whether an unknown effect without a statement bars the next message.
    #[must_use]
    pub fn is_gated(&self) -> bool {
        // Statements are only about unknown effects, one about each.
        self.statements.len() < self.origin_unknown().len() + self.unknown.len()
    }

    /// The newest unknown execution of the same operation, unless its chain of
    /// repetitions has ended: running the operation again repeats that one.
    #[must_use]
    pub fn repeated_by(&self, operation: &Operation) -> Option<DispatchId> {
        let same =
            |effect: &UnknownEffect<'_>| effect.operation.is_some_and(|known| known.repeats(operation));
        let effects = self.unknown_effects().into_iter().rev().filter(same);
        effects.map(|effect| effect.dispatch).find(|dispatch| !self.chain_has_ended(*dispatch))
    }

    /// The key under which an execution is the same wish as those it repeats:
    /// the first execution of the chain that `repeats` belongs to, else `own`.
    #[must_use]
    pub fn operation_key(&self, repeats: Option<DispatchId>, own: DispatchId) -> DispatchId {
        repeats.map_or(own, |repeated| self.first_of_chain(repeated))
    }

    /// `seq` of the newest standing approval of exactly this operation that was
    /// given at `since` or later and that no unknown outcome has ended.
    #[must_use]
    pub fn standing_rule(&self, fingerprint: Digest, since: u64) -> Option<u64> {
        let newest = self.standing.iter().rev().find(|standing| standing.fingerprint == fingerprint);
        newest.map(|standing| standing.seq).filter(|seq| *seq >= since)
    }

    /// The unknown effect of this execution, if it is one.
    pub(super) fn unknown_effect(&self, dispatch: DispatchId) -> Option<UnknownEffect<'_>> {
        let origin = self.origin_unknown().iter().find(|effect| effect.dispatch == dispatch);
        origin.map(|effect| self.of_origin(effect)).or_else(|| self.own_effect(dispatch))
    }

    fn of_origin<'a>(&'a self, effect: &'a EffectReference) -> UnknownEffect<'a> {
        UnknownEffect {
            dispatch: effect.dispatch,
            call: None,
            operation: Some(&effect.operation),
            started_at: Some(effect.started_at),
            statement: self.statement(effect.dispatch),
        }
    }

    fn own_effect(&self, dispatch: DispatchId) -> Option<UnknownEffect<'_>> {
        let (turn, call) = self.find_dispatch(dispatch).filter(|(_, call)| call.is_unknown())?;
        Some(UnknownEffect {
            dispatch,
            call: Some((turn, call)),
            operation: call.operation(),
            started_at: started_at(call),
            statement: self.statement(dispatch),
        })
    }

    fn first_of_chain(&self, dispatch: DispatchId) -> DispatchId {
        let mut first = dispatch;
        while let Some(repeated) = self.find_dispatch(first).and_then(|(_, call)| repeats(call)) {
            first = repeated;
        }
        first
    }

    /// Whether a member of the chain completed or is stated to have happened.
    fn chain_has_ended(&self, dispatch: DispatchId) -> bool {
        let first = self.first_of_chain(dispatch);
        let is_member = |member: DispatchId| self.first_of_chain(member) == first;
        let happened = self.statements.values().filter(|said| said.statement == StatementKind::Happened);
        let completed = self.dispatches.keys().filter(|dispatch| self.has_completed(**dispatch));
        happened.map(|said| said.dispatch).chain(completed.copied()).any(is_member)
    }

    fn has_completed(&self, dispatch: DispatchId) -> bool {
        self.find_dispatch(dispatch).is_some_and(|(_, call)| call.outcome() == Some(Outcome::Completed))
    }
}

fn repeats(call: &Call) -> Option<DispatchId> {
    call.start.as_ref().and_then(|start| start.repeats)
}

fn started_at(call: &Call) -> Option<Timestamp> {
    call.start.as_ref().map(|start| copied_at(start.ext.as_deref()).unwrap_or(start.at))
}

/// What the instructions of a fork's every request end with: one paragraph for
/// each effect of its origin that may have happened and was not copied.
#[must_use]
pub fn origin_warnings(session: &Session) -> Vec<String> {
    session
        .origin_unknown()
        .iter()
        .map(|effect| words::origin_warning(effect, session.statement(effect.dispatch)))
        .collect()
}
