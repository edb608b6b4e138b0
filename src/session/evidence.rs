//! From what lies in a call folder to what may be claimed about the execution.

use crate::record::{
    CallId, DispatchId, Ended, Evidence, FolderFacts, Order, Outcome, Receipt, SessionId, SpoolFacts,
    Survivor, ToolResult, ToolStarted, TurnId, limits,
};

/// Version of the files in a call folder.
const FOLDER_VERSION: u64 = 1;

/// The result that a fitting receipt tells; `evidence` is [`Evidence::Live`]
/// from the process that wrote the start record, else [`Evidence::Receipt`].
///
/// None if there is no receipt, it is another execution's, or it contradicts
/// itself: then nothing may be claimed from it.
pub(super) fn result_from_receipt(
    start: &ToolStarted,
    folder: &FolderFacts,
    evidence: Evidence,
) -> Option<ToolResult> {
    let receipt = folder.receipt.as_ref().filter(|receipt| receipt_fits(start, receipt))?;
    let outcome = outcome_of(receipt)?;
    let mut result =
        ToolResult::of_dispatch(start.turn, start.call.clone(), start.dispatch, outcome, evidence);
    put_output(&mut result, &folder.output, receipt.output_bytes);
    result.output_lost = receipt.output_lost;
    result.pipe_held = receipt.pipe_held;
    result.survivors = named(receipt.survivors.as_deref().unwrap_or_default());
    if outcome.is_observed_end() {
        result.exit_code = receipt.exit_code;
        result.signal = receipt.signal;
        result.started_at = receipt.started_at;
        result.ended_at = Some(receipt.ended_at);
    }
    Some(result)
}

/// What the process that wrote the start record may conclude once nobody holds
/// the execution's lock any more.
#[must_use]
pub fn live_result(session: SessionId, start: &ToolStarted, folder: &FolderFacts) -> ToolResult {
    if let Some(result) = result_from_receipt(start, folder, Evidence::Live) {
        return result;
    }
    if never_launched(session, start, folder) {
        return not_launched(start);
    }
    unknown_result(start.turn, start.call.clone(), start.dispatch, Some(folder))
}

fn receipt_fits(start: &ToolStarted, receipt: &Receipt) -> bool {
    receipt.v == FOLDER_VERSION
        && receipt.dispatch == start.dispatch
        && receipt.fingerprint == start.fingerprint
}

/// None for a receipt that contradicts itself.
fn outcome_of(receipt: &Receipt) -> Option<Outcome> {
    match (receipt.ended, receipt.exit_code, receipt.signal) {
        (_, Some(_), Some(_)) => None,
        (Ended::Exit, Some(0), None) => Some(Outcome::Completed),
        (Ended::Exit, Some(_), None) | (Ended::Exit, None, Some(_)) => Some(Outcome::Failed),
        (Ended::Exit, None, None) => None,
        (Ended::TimeLimit, _, _) => Some(Outcome::TimedOut),
        (Ended::OutputLimit, _, _) => Some(Outcome::OutputLimit),
        (Ended::Stopped, _, _) => Some(Outcome::Cancelled),
        (Ended::NotStarted, None, None) => Some(Outcome::NotExecuted),
        (Ended::NotStarted, _, _) => None,
    }
}

/// An unknown outcome, with the output as it was found and what lives on.
pub(super) fn unknown_result(
    turn: TurnId,
    call: CallId,
    dispatch: DispatchId,
    folder: Option<&FolderFacts>,
) -> ToolResult {
    let mut result = ToolResult::of_dispatch(turn, call, dispatch, Outcome::Unknown, Evidence::None);
    if let Some(folder) = folder {
        put_output(&mut result, &folder.output, folder.output.spool_bytes);
        result.survivors = named(&folder.alive);
    }
    result
}

/// A call that did not run and was not started.
pub(super) fn not_executed(turn: TurnId, call: CallId) -> ToolResult {
    ToolResult::without_dispatch(turn, call, Outcome::NotExecuted)
}

/// A started call whose command was provably never launched.
pub(super) fn not_launched(start: &ToolStarted) -> ToolResult {
    let (turn, call) = (start.turn, start.call.clone());
    ToolResult::of_dispatch(turn, call, start.dispatch, Outcome::NotExecuted, Evidence::NotLaunched)
}

/// Whether the supervisor provably never got to the command: the order is this
/// start's, and there is no launch, no holder, and nothing that only a command
/// could have left.
pub(super) fn never_launched(session: SessionId, start: &ToolStarted, folder: &FolderFacts) -> bool {
    let ordered = folder.order.as_ref().is_some_and(|order| order_fits(session, start, order));
    let traces = folder.launched
        || folder.lock_held
        || folder.receipt.is_some()
        || folder.output.spool_bytes > 0
        || !folder.alive.is_empty();
    ordered && !traces
}

fn order_fits(session: SessionId, start: &ToolStarted, order: &Order) -> bool {
    is_order_for(session, start.turn, &start.call, order)
        && order.dispatch == start.dispatch
        && order.fingerprint == start.fingerprint
        && order.operation == start.operation
}

/// Whether this order is for that call.
pub(super) fn is_order_for(session: SessionId, turn: TurnId, call: &CallId, order: &Order) -> bool {
    order.v == FOLDER_VERSION && order.session == session && order.turn == turn && order.call == *call
}

fn put_output(result: &mut ToolResult, output: &SpoolFacts, bytes: u64) {
    result.output = Some(output.excerpt.text.clone());
    result.truncated = output.excerpt.truncated || bytes > limits::OUTPUT_BYTES as u64;
    result.output_bytes = Some(bytes);
    result.output_sha256 = Some(output.sha256);
}

fn named(survivors: &[Survivor]) -> Option<Vec<Survivor>> {
    let named: Vec<_> = survivors.iter().take(limits::SURVIVORS).cloned().collect();
    Some(named).filter(|named| !named.is_empty())
}
