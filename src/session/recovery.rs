//! Closing a turn that a process left open, from the records and what lies in
//! the call folders. Nothing is run and nobody is asked to find out more.

use super::evidence::{is_order_for, never_launched, result_from_receipt, unknown_result};
use super::state::{Call, Session, Turn};
use crate::record::{
    CallId, DispatchId, Evidence, FolderFacts, Outcome, Record, Survivor, ToolResult, TurnEnded, TurnId,
    TurnStatus,
};
use std::collections::BTreeSet;

/// What was found on disk beside the journal.
#[derive(Debug, Clone, Copy)]
pub struct Found<'a> {
    /// The call folders.
    pub folders: &'a [FolderFacts],
    /// Whether the session has its `calls/` directory at all. Without it a start
    /// record that was in a torn tail cannot be excluded.
    pub calls_directory: bool,
    /// An execution without a supervisor that the person gave up.
    pub given_up: Option<DispatchId>,
}

/// How an open turn is closed.
#[derive(Debug, Clone, Default)]
pub struct Recovery {
    /// Records to commit, in this order, each through the one way in.
    pub steps: Vec<Record>,
    /// A command that still runs; nothing after its call is closed yet.
    pub running: Option<StillRunning>,
    /// What is to be said of each call that the steps close.
    pub findings: Vec<Finding>,
}

/// A command that was found running.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StillRunning {
    /// The turn.
    pub turn: TurnId,
    /// The call.
    pub call: CallId,
    /// The execution.
    pub dispatch: DispatchId,
    /// Its supervisor lives and will leave a receipt. If not, its end cannot be
    /// recorded: it can be waited for, stopped or given up, and will be unknown.
    pub supervised: bool,
    /// Processes of it that are alive.
    pub alive: Vec<Survivor>,
    /// The journal has no start record of it.
    pub lost_record: bool,
}

/// What recovery concluded about one call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The turn.
    pub turn: TurnId,
    /// The call.
    pub call: CallId,
    /// The execution, if there was or may have been one.
    pub dispatch: Option<DispatchId>,
    /// What was asked for: the command, else the tool's name.
    pub operation: String,
    /// How it ended.
    pub outcome: Outcome,
    /// What that rests on.
    pub evidence: Option<Evidence>,
    /// It was started and the journal has no record of that.
    pub lost_record: bool,
}

/// The records that close the open turn as far as it can be closed now.
/// `fresh` makes the id of an execution that has neither record nor folder.
///
/// Committing any number of the steps and asking again gives the rest.
#[must_use]
pub fn recover(session: &Session, found: Found<'_>, mut fresh: impl FnMut() -> DispatchId) -> Recovery {
    let Some(turn) = session.open_turn() else { return Recovery::default() };
    let mut recovery = Recovery::default();
    for (call, conclusion) in (Closing { session, turn, found }).conclusions() {
        match conclusion {
            Conclusion::Running(running) => {
                recovery.running = Some(running);
                return recovery;
            }
            Conclusion::Result(result) => recovery.add(call, *result, false),
            Conclusion::Lost(folder) => {
                let dispatch = folder.map_or_else(&mut fresh, |folder| folder.dispatch);
                let mut result = unknown_result(turn.id, call.id.clone(), dispatch, folder);
                if turn.imported {
                    result.evidence = Some(Evidence::Imported);
                }
                recovery.add(call, result, folder.is_some());
            }
        }
    }
    let status = if turn.is_answered() { TurnStatus::Completed } else { TurnStatus::Interrupted };
    recovery.steps.push(end(turn.id, status));
    recovery
}

/// The records that close the open turn when the running agent lost the end of
/// its started command: unknown, the rest not executed, `unconfirmed_effects`.
/// Nothing if no started call is open.
#[must_use]
pub fn close_unconfirmed(session: &Session, folder: Option<&FolderFacts>) -> Vec<Record> {
    let Some(turn) = session.open_turn() else { return Vec::new() };
    let mut open = turn.calls().filter(|call| call.result.is_none());
    let Some((call, start)) = open.next().and_then(|call| Some((call, call.start.as_ref()?))) else {
        return Vec::new();
    };
    let mut steps = vec![unknown_result(turn.id, call.id.clone(), start.dispatch, folder).into()];
    steps.extend(open.map(|call| not_executed(turn, call).into()));
    steps.push(end(turn.id, TurnStatus::UnconfirmedEffects));
    steps
}

/// Folders of commands that may have run although no record names them and
/// recovery will not name them either: the journal has lost more than it can mend.
#[must_use]
pub fn missing_records(session: &Session, folders: &[FolderFacts]) -> Vec<DispatchId> {
    let found = Found { folders, calls_directory: true, given_up: None };
    let named: BTreeSet<_> = match session.open_turn() {
        Some(turn) => {
            Closing { session, turn, found }.conclusions().filter_map(|(_, it)| it.dispatch()).collect()
        }
        None => BTreeSet::new(),
    };
    let launched = folders.iter().filter(|folder| folder.launched).map(|folder| folder.dispatch);
    launched.filter(|dispatch| !session.knows_dispatch(*dispatch) && !named.contains(dispatch)).collect()
}

fn end(turn: TurnId, status: TurnStatus) -> Record {
    TurnEnded { turn, status, error: None, ext: None }.into()
}

fn not_executed(turn: &Turn, call: &Call) -> ToolResult {
    ToolResult::without_dispatch(turn.id, call.id.clone(), Outcome::NotExecuted)
}

impl Recovery {
    fn add(&mut self, call: &Call, result: ToolResult, lost_record: bool) {
        self.findings.push(Finding {
            turn: result.turn,
            call: call.id.clone(),
            dispatch: result.dispatch,
            operation: call
                .operation()
                .map_or(call.name.as_str(), |operation| operation.summary())
                .to_owned(),
            outcome: result.outcome,
            evidence: result.evidence,
            lost_record,
        });
        self.steps.push(result.into());
    }
}

/// What is to be done about one call.
enum Conclusion<'a> {
    /// It still runs.
    Running(StillRunning),
    /// It has this result.
    Result(Box<ToolResult>),
    /// Unknown, and no record names its execution; its folder, if there is one.
    Lost(Option<&'a FolderFacts>),
}

impl Conclusion<'_> {
    fn dispatch(&self) -> Option<DispatchId> {
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
struct Closing<'a> {
    session: &'a Session,
    turn: &'a Turn,
    found: Found<'a>,
}

impl<'a> Closing<'a> {
    /// One conclusion for each call without a result, in order.
    fn conclusions(self) -> impl Iterator<Item = (&'a Call, Conclusion<'a>)> {
        let mut after_unknown = self.turn.is_unconfirmed();
        self.turn.calls().filter(|call| call.result.is_none()).map(move |call| {
            let conclusion = if after_unknown {
                Conclusion::Result(Box::new(not_executed(self.turn, call)))
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
            let denied = ToolResult::without_dispatch(self.turn.id, call.id.clone(), Outcome::Denied);
            return Conclusion::Result(Box::new(denied));
        }
        match &call.start {
            Some(start) => self.conclude_started(call, start),
            None => self.conclude_not_started(call),
        }
    }

    fn conclude_started(self, call: &Call, start: &crate::record::ToolStarted) -> Conclusion<'a> {
        let folder = self.found.folders.iter().find(|folder| folder.dispatch == start.dispatch);
        let Some(facts) = folder else {
            return Conclusion::Result(Box::new(self.unknown(call, start.dispatch, None)));
        };
        if facts.lock_held {
            return Conclusion::Running(self.running(call, facts, true));
        }
        if let Some(result) = result_from_receipt(start, facts, Evidence::Receipt) {
            return Conclusion::Result(Box::new(result));
        }
        if never_launched(self.session.id(), start, facts) {
            let (turn, call) = (self.turn.id, call.id.clone());
            let evidence = Evidence::NotLaunched;
            let result = ToolResult::of_dispatch(turn, call, start.dispatch, Outcome::NotExecuted, evidence);
            return Conclusion::Result(Box::new(result));
        }
        if !facts.alive.is_empty() && self.found.given_up != Some(start.dispatch) {
            return Conclusion::Running(self.running(call, facts, false));
        }
        Conclusion::Result(Box::new(self.unknown(call, start.dispatch, folder)))
    }

    fn conclude_not_started(self, call: &Call) -> Conclusion<'a> {
        match self.unnamed_folder(call) {
            Some(folder) if folder.lock_held => Conclusion::Running(self.running(call, folder, true)),
            Some(folder) => Conclusion::Lost(Some(folder)),
            None if self.start_may_be_torn() => Conclusion::Lost(None),
            None => Conclusion::Result(Box::new(not_executed(self.turn, call))),
        }
    }

    /// Another program left the call open: whether it ran cannot be known.
    fn conclude_imported(self, call: &Call) -> Conclusion<'a> {
        let Some(start) = &call.start else { return Conclusion::Lost(None) };
        let mut result = self.unknown(call, start.dispatch, None);
        result.evidence = Some(Evidence::Imported);
        Conclusion::Result(Box::new(result))
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
        let unnamed = |folder: &&FolderFacts| !self.session.knows_dispatch(folder.dispatch);
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
