//! Closing a turn that a process left open, from the records and what lies in
//! the call folders. Nothing is run and nobody is asked to find out more.

use super::closing::{Closing, Conclusion};
use super::evidence::unknown_result;
use super::state::{Call, Session};
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
        let (mut result, lost_record) = match conclusion {
            Conclusion::Running(running) => {
                recovery.running = Some(running);
                return recovery;
            }
            Conclusion::Result(result) => (*result, false),
            Conclusion::Lost(folder) => {
                let dispatch = folder.map_or_else(&mut fresh, |folder| folder.dispatch);
                (unknown_result(turn.id, call.id.clone(), dispatch, folder), folder.is_some())
            }
        };
        if turn.imported {
            result.evidence = Some(Evidence::Imported);
        }
        recovery.add(call, result, lost_record);
    }
    let status = if turn.is_answered() { TurnStatus::Completed } else { TurnStatus::Interrupted };
    recovery.steps.push(end(turn.id, status));
    recovery
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
    launched.filter(|dispatch| session.is_new_dispatch(*dispatch) && !named.contains(dispatch)).collect()
}

fn end(turn: TurnId, status: TurnStatus) -> Record {
    TurnEnded { turn, status, error: None, ext: None }.into()
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
