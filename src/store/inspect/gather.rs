//! From a verified journal and the decisions beside it to the report.

use super::InspectRequest;
use super::examine::{InspectError, Verified};
use super::report::{
    Anchor, Effect, EffectRow, ExpectedSession, Report, TrustedBy, TurnRow, UntrackedApproval,
};
use crate::journal::files::Files;
use crate::record::{Decision, DispatchId, KeyId, Outcome, TurnId};
use crate::session::{Call, Session, Turn};
use crate::store::decision::{self, DecisionOutcome};
use crate::store::head::is_older;
use std::collections::HashMap;

/// Valid decisions by execution, and what is wrong with the others.
struct Decisions {
    valid: HashMap<DispatchId, DecisionOutcome>,
    warnings: Vec<String>,
}

pub(super) fn report(
    files: &dyn Files,
    verified: &Verified,
    request: &InspectRequest,
) -> Result<Report, InspectError> {
    let (reading, session) = (&verified.reading, verified.reading.chain.session());
    let turns = chosen(session, request.turn)?;
    let decisions = Decisions::read(files, verified, request);
    let effects = effects(session, &turns, &decisions, request.errors_unknown);
    let untracked_tool_approvals = untracked(&turns);
    let unverified_tail_bytes = reading.torn.as_ref().map_or(0, |torn| torn.bytes.len() as u64);
    let unknown_records = reading.chain.newer().map_or(0, |newer| newer.lines);
    let ended = !turns.is_empty() && turns.iter().all(|turn| turn.end.is_some());
    let journal_complete = ended && unverified_tail_bytes == 0 && unknown_records == 0;
    let unknown = effects.iter().filter(|row| row.effect == Effect::Unknown);
    let (decided, open): (Vec<_>, Vec<_>) = unknown.partition(|row| row.decision.is_some());
    Ok(Report {
        session_id: session.id(),
        expected_session: verified.expected_session,
        key_id: KeyId::of(verified.key.as_bytes()),
        trusted_by: verified.trusted_by,
        verified_records: reading.chain.hashes().len() as u64,
        verified_bytes: reading.vouched,
        unverified_tail_bytes,
        unknown_records,
        head: reading.chain.head(),
        anchor: verified.anchor,
        journal_complete,
        terminal_reason: turns.last().and_then(|turn| turn.end.as_ref()).map(|end| end.status),
        requires_reconciliation: !(journal_complete
            && untracked_tool_approvals.is_empty()
            && open.is_empty()
            && older_head(verified, request).is_none()),
        reconciled: !decided.is_empty() && open.is_empty(),
        warnings: warnings(verified, request, decisions.warnings),
        turns: turns.iter().map(|turn| turn_row(turn)).collect(),
        effects,
        untracked_tool_approvals,
    })
}

fn chosen(session: &Session, turn: Option<TurnId>) -> Result<Vec<&Turn>, InspectError> {
    let Some(id) = turn else { return Ok(session.turns().iter().map(AsRef::as_ref).collect()) };
    let turn = session.turns().iter().find(|turn| turn.id == id).ok_or(InspectError::NoTurn(id))?;
    Ok(vec![turn])
}

fn effects(
    session: &Session,
    turns: &[&Turn],
    decisions: &Decisions,
    errors_unknown: bool,
) -> Vec<EffectRow> {
    calls(turns)
        .filter_map(|(turn, call)| {
            let dispatch = call.start.as_ref().map(|start| start.dispatch);
            let dispatch = dispatch.or_else(|| call.result.as_ref()?.dispatch)?;
            let result = call.result.as_deref();
            let outcome = result.map(|result| result.outcome);
            Some(EffectRow {
                dispatch,
                turn,
                call: call.id.clone(),
                tool: call.operation().map_or(call.name.as_str(), |operation| operation.tool()).to_owned(),
                effect: effect(outcome, errors_unknown),
                outcome,
                evidence: result.and_then(|result| result.evidence),
                exit_code: result.and_then(|result| result.exit_code),
                statement: session.statement(dispatch).map(|said| said.statement),
                decision: decisions.valid.get(&dispatch).copied(),
            })
        })
        .collect()
}

/// Strictly read, an error cannot prove that nothing happened.
fn effect(outcome: Option<Outcome>, errors_unknown: bool) -> Effect {
    match outcome {
        None | Some(Outcome::Unknown) => Effect::Unknown,
        Some(Outcome::Completed | Outcome::NotExecuted) => Effect::ResultRecorded,
        Some(_) if errors_unknown => Effect::Unknown,
        Some(_) => Effect::ResultRecorded,
    }
}

fn untracked(turns: &[&Turn]) -> Vec<UntrackedApproval> {
    let is_untracked = |call: &Call| {
        let approved = call.approval.as_ref().is_some_and(|said| said.decision == Decision::Approved);
        approved && call.start.is_none() && call.result.is_none()
    };
    let untracked = calls(turns).filter(|(_, call)| is_untracked(call));
    untracked.map(|(turn, call)| UntrackedApproval { turn, call: call.id.clone() }).collect()
}

fn calls<'a>(turns: &[&'a Turn]) -> impl Iterator<Item = (TurnId, &'a Call)> {
    turns.iter().flat_map(|turn| turn.calls().map(move |call| (turn.id, call)))
}

fn turn_row(turn: &Turn) -> TurnRow {
    TurnRow {
        turn: turn.id,
        status: turn.end.as_ref().map(|end| end.status),
        imported: turn.imported,
        calls: turn.calls().count(),
    }
}

impl Decisions {
    fn read(files: &dyn Files, verified: &Verified, request: &InspectRequest) -> Self {
        let mut decisions = Self { valid: HashMap::new(), warnings: Vec::new() };
        let keys: Vec<_> = [Some(verified.key), request.operator_key].into_iter().flatten().collect();
        let mut decided = match decision::decided(files, &verified.dir) {
            Ok(decided) => decided,
            Err(error) => {
                decisions.warnings.push(format!("The decisions cannot be read: {error}."));
                return decisions;
            }
        };
        decided.sort_unstable();
        for dispatch in decided {
            match decision::read(files, &verified.dir, dispatch, &verified.reading.chain, &keys) {
                Ok(decision) => {
                    decisions.valid.insert(dispatch, decision.outcome);
                }
                Err(error) => {
                    decisions
                        .warnings
                        .push(format!("The decision about {dispatch} does not count: {error}."));
                }
            }
        }
        decisions
    }
}

/// The record that the head names which is kept here, if turns ended after it
/// and no head from elsewhere says more.
fn older_head(verified: &Verified, request: &InspectRequest) -> Option<u64> {
    let older = |seq: &u64| is_older(verified.reading.chain.session(), *seq);
    verified.head_seq.filter(older).filter(|_| request.expect_head.is_none())
}

fn warnings(verified: &Verified, request: &InspectRequest, mut warnings: Vec<String>) -> Vec<String> {
    let (reading, session) = (&verified.reading, verified.reading.chain.session());
    if let TrustedBy::LocalStore = verified.trusted_by {
        warnings.push(
            "The key is this machine's own; a key kept elsewhere (--public-key) shows more.".to_owned(),
        );
    }
    if let (Anchor::Absent, None) = (verified.anchor, request.expect_head) {
        warnings.push(
            "No head of this session is known here, so an older copy cannot be told from the present one \
             (--expect-head)."
                .to_owned(),
        );
    }
    if let Some(seq) = older_head(verified, request) {
        warnings.push(format!(
            "The head that is kept here is an older one: it names record {seq}, and turns ended after it. It \
             cannot tell whether later records are missing. Opening the session writes it anew; else give one \
             from elsewhere (--expect-head)."
        ));
    }
    if let (Some(turn), others @ 1..) = (request.turn, session.turns().len().saturating_sub(1)) {
        warnings.push(format!(
            "Only turn {turn} is reported on: journal_complete and the exit code say nothing of the other \
             turns ({others})."
        ));
    }
    if let ExpectedSession::Absent = verified.expected_session {
        warnings.push("It was not said which session this has to be (--session).".to_owned());
    }
    if let Some(torn) = &reading.torn {
        let bytes = torn.bytes.len();
        warnings.push(format!(
            "{bytes} bytes after the last record are not verified: a write was cut, or somebody added them."
        ));
    }
    if let Some(newer) = reading.chain.newer() {
        let (line, what) = (newer.line, &newer.what);
        warnings.push(format!(
            "From line {line} on a newer Candor wrote ({what}): what that means is not known here."
        ));
    }
    for tail in session.tails() {
        let (bytes, offset) = (tail.record.bytes, tail.record.offset);
        warnings.push(format!("{bytes} bytes of a cut write were moved aside at byte {offset}."));
    }
    if let (Some((origin, _)), [_, ..]) = (session.forked_from(), session.origin_unknown()) {
        let count = session.origin_unknown().len();
        warnings.push(format!("Unknown effects of session {origin}, from which this one was forked: {count}. Inspect that session."));
    }
    warnings
}
