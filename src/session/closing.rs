//! What the records and the call folders say about each open call of a turn:
//! the table of `docs/recovery.md`, row by row.

use super::evidence::{
    is_order_for, never_launched, not_executed, not_launched, result_from_receipt, unknown_result,
};
use super::recovery::{Found, StillRunning};
use super::state::{Call, Session, Turn};
use crate::record::{DispatchId, Evidence, FolderFacts, Outcome, ToolResult, ToolStarted};

/// What is to be done about one call.
pub(super) enum Conclusion<'a> {
    /// It still runs.
    Running(StillRunning),
    /// It has this result.
    Result(Box<ToolResult>),
    /// Unknown, and no record names its execution; its folder, if there is one.
    Lost(Option<&'a FolderFacts>),
}

impl From<ToolResult> for Conclusion<'_> {
    fn from(result: ToolResult) -> Self {
        Self::Result(Box::new(result))
    }
}

impl Conclusion<'_> {
    pub(super) fn dispatch(&self) -> Option<DispatchId> {
        match self {
            Self::Running(running) => Some(running.dispatch),
            Self::Result(result) => result.dispatch,
            Self::Lost(folder) => folder.map(|folder| folder.dispatch),
        }
    }

    fn is_unknown(&self) -> bool {
        match self {
            Self::Running(_) => false,
            Self::Result(result) => result.outcome == Outcome::Unknown,
            Self::Lost(_) => true,
        }
    }
}

/// The open turn with all that is known about it.
#[derive(Clone, Copy)]
pub(super) struct Closing<'a> {
    pub(super) session: &'a Session,
    pub(super) turn: &'a Turn,
    pub(super) found: Found<'a>,
}

impl<'a> Closing<'a> {
    /// One conclusion for each call without a result, in order.
    pub(super) fn conclusions(self) -> impl Iterator<Item = (&'a Call, Conclusion<'a>)> {
        let mut after_unknown = self.turn.is_unconfirmed();
        self.turn.calls().filter(|call| call.result.is_none()).map(move |call| {
            let conclusion = if after_unknown {
                not_executed(self.turn.id, call.id.clone()).into()
            } else {
                self.conclude(call)
            };
            after_unknown |= conclusion.is_unknown() && !self.turn.imported;
            (call, conclusion)
        })
    }

    /// The first row of the table in `docs/recovery.md` that fits.
    fn conclude(self, call: &Call) -> Conclusion<'a> {
        if self.turn.imported {
            return self.conclude_imported(call);
        }
        if call.is_refused() {
            return ToolResult::without_dispatch(self.turn.id, call.id.clone(), Outcome::Denied).into();
        }
        match &call.start {
            Some(start) => self.conclude_started(call, start),
            None => self.conclude_not_started(call),
        }
    }

    fn conclude_started(self, call: &Call, start: &ToolStarted) -> Conclusion<'a> {
        let folder = self.found.folders.iter().find(|folder| folder.dispatch == start.dispatch);
        let Some(facts) = folder else {
            return self.unknown(call, start.dispatch, None).into();
        };
        if facts.lock_held {
            return Conclusion::Running(self.running(call, facts, true));
        }
        if let Some(result) = result_from_receipt(start, facts, Evidence::Receipt) {
            return result.into();
        }
        if never_launched(self.session.id(), start, facts) {
            return not_launched(start).into();
        }
        if !facts.alive.is_empty() && self.found.given_up != Some(start.dispatch) {
            return Conclusion::Running(self.running(call, facts, false));
        }
        self.unknown(call, start.dispatch, folder).into()
    }

    fn conclude_not_started(self, call: &Call) -> Conclusion<'a> {
        match self.unnamed_folder(call) {
            Some(folder) if folder.lock_held => Conclusion::Running(self.running(call, folder, true)),
            Some(folder) => Conclusion::Lost(Some(folder)),
            None if self.start_may_be_torn() => Conclusion::Lost(None),
            None => not_executed(self.turn.id, call.id.clone()).into(),
        }
    }

    /// Another program left the call open: whether it ran cannot be known.
    fn conclude_imported(self, call: &Call) -> Conclusion<'a> {
        match &call.start {
            Some(start) => self.unknown(call, start.dispatch, None).into(),
            None => Conclusion::Lost(None),
        }
    }

    fn unknown(self, call: &Call, dispatch: DispatchId, folder: Option<&FolderFacts>) -> ToolResult {
        unknown_result(self.turn.id, call.id.clone(), dispatch, folder)
    }

    fn running(self, call: &Call, folder: &FolderFacts, supervised: bool) -> StillRunning {
        StillRunning {
            turn: self.turn.id,
            call: call.id.clone(),
            dispatch: folder.dispatch,
            supervised,
            alive: folder.alive.clone(),
            lost_record: call.start.is_none(),
        }
    }

    /// A folder for a call without a start record whose command may have run. An
    /// order that cannot be read does not exclude that it is this call's.
    fn unnamed_folder(self, call: &Call) -> Option<&'a FolderFacts> {
        let (session, turn) = (self.session.id(), self.turn.id);
        let may_have_run = |folder: &&FolderFacts| folder.launched || folder.lock_held;
        let unnamed = |folder: &&FolderFacts| self.session.is_new_dispatch(folder.dispatch);
        let its_own = |folder: &&FolderFacts| {
            folder.order.as_ref().is_none_or(|order| is_order_for(session, turn, &call.id, order))
        };
        self.found.folders.iter().filter(may_have_run).filter(unnamed).find(its_own)
    }

    fn start_may_be_torn(self) -> bool {
        let torn = self.session.tails().iter().any(|tail| tail.turn == Some(self.turn.id));
        torn && !self.found.calls_directory
    }
}
