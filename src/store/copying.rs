//! Which records a fork copies, and how they change by it: the original time is
//! kept in `ext.at`, and a rule names the new number of its approval.

use crate::record::{DispatchId, Record, Stamped, Timestamp, TurnId};
use crate::session::{Call, Session, Turn};
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::value::RawValue;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// The records of a session's ended turns up to one of them.
pub(super) struct Copies {
    /// In their order, to be committed after the first record.
    pub(super) records: Vec<Record>,
    /// The executions that they name.
    pub(super) dispatches: HashSet<DispatchId>,
}

/// A record of the original.
struct Original {
    seq: u64,
    at: Timestamp,
    record: Record,
}

impl Copies {
    /// Copies up to this turn, or to the last ended one; `None` if there is no
    /// such ended turn.
    pub(super) fn of(session: &Session, upto: Option<TurnId>) -> Option<Self> {
        let wanted = |turn: &Arc<Turn>| turn.end.is_some() && upto.is_none_or(|id| id == turn.id);
        let last = session.turns().iter().rposition(wanted)?;
        let turns = &session.turns()[..=last];
        let dispatches: HashSet<_> =
            turns.iter().flat_map(|turn| turn.calls()).filter_map(dispatch_of).collect();
        let mut originals: Vec<Original> = turns.iter().flat_map(|turn| of_turn(turn)).collect();
        originals.extend(statements(session, &dispatches));
        originals.sort_unstable_by_key(|original| original.seq);
        // The first record of the fork has number 0.
        let numbers: HashMap<u64, u64> =
            originals.iter().zip(1..).map(|(original, number)| (original.seq, number)).collect();
        let records = originals.into_iter().map(|original| original.copy(&numbers)).collect();
        Some(Self { records, dispatches })
    }
}

fn dispatch_of(call: &Call) -> Option<DispatchId> {
    call.start.as_ref().map(|start| start.dispatch).or_else(|| call.result.as_ref()?.dispatch)
}

fn original<T>(kind: fn(Arc<T>) -> Record) -> impl Fn(&Stamped<T>) -> Original {
    move |stamped| Original { seq: stamped.seq, at: stamped.at, record: kind(Arc::clone(&stamped.body)) }
}

fn of_turn(turn: &Turn) -> Vec<Original> {
    let mut all: Vec<Original> = turn.messages().map(original(Record::UserMessage)).collect();
    all.extend(turn.responses().map(|response| &response.record).map(original(Record::ModelResponse)));
    all.extend(turn.extensions.iter().map(original(Record::TurnExtended)));
    all.extend(turn.end.iter().map(original(Record::TurnEnded)));
    for call in turn.calls() {
        all.extend(call.approval.iter().map(original(Record::Approval)));
        all.extend(call.start.iter().map(original(Record::ToolStarted)));
        all.extend(call.result.iter().map(original(Record::ToolResult)));
    }
    all
}

/// What was said about executions that are copied, or that the original's own
/// origin lists and the fork's will list too.
fn statements(session: &Session, copied: &HashSet<DispatchId>) -> Vec<Original> {
    let inherited: HashSet<_> = session.origin_unknown().iter().map(|effect| effect.dispatch).collect();
    let about = |dispatch: &DispatchId| copied.contains(dispatch) || inherited.contains(dispatch);
    let kept = session.acknowledged().iter().map(|said| {
        let mut body = (*said.body).clone();
        body.statements.retain(|statement| about(&statement.dispatch));
        (said, body)
    });
    kept.filter(|(_, body)| !body.statements.is_empty())
        .map(|(said, body)| Original { seq: said.seq, at: said.at, record: body.into() })
        .collect()
}

impl Original {
    fn copy(self, numbers: &HashMap<u64, u64>) -> Record {
        let at = self.at;
        macro_rules! marked {
            ($body:expr) => {{
                let mut body = (*$body).clone();
                body.ext = Some(mark(body.ext, at));
                body
            }};
        }
        match self.record {
            Record::Approval(body) => {
                let mut body = marked!(body);
                body.rule = body.rule.map(|rule| numbers.get(&rule).copied().unwrap_or(rule));
                body.into()
            }
            Record::SessionStarted(body) => marked!(body).into(),
            Record::UserMessage(body) => marked!(body).into(),
            Record::ModelResponse(body) => marked!(body).into(),
            Record::ToolStarted(body) => marked!(body).into(),
            Record::ToolResult(body) => marked!(body).into(),
            Record::TurnExtended(body) => marked!(body).into(),
            Record::TurnEnded(body) => marked!(body).into(),
            Record::Acknowledged(body) => marked!(body).into(),
            Record::TailMoved(body) => marked!(body).into(),
            Record::SessionRenamed(body) => marked!(body).into(),
        }
    }
}

#[derive(Deserialize)]
struct Mark {
    #[serde(default)]
    at: Option<IgnoredAny>,
}

/// Puts the time into an extension whose other fields keep their bytes. A copy
/// of a copy keeps the time of the first original.
fn mark(ext: Option<Box<RawValue>>, at: Timestamp) -> Box<RawValue> {
    let Some(ext) = ext else { return object(format!(r#"{{"at":"{at}"}}"#)) };
    let marked = serde_json::from_str::<Mark>(ext.get()).is_ok_and(|mark| mark.at.is_some());
    let rest = ext.get().strip_prefix('{').unwrap_or_default().trim_start();
    match (marked, rest) {
        (true, _) => ext,
        (false, "}") => object(format!(r#"{{"at":"{at}"}}"#)),
        (false, rest) => object(format!(r#"{{"at":"{at}",{rest}"#)),
    }
}

/// What is put together here is an object.
fn object(text: String) -> Box<RawValue> {
    RawValue::from_string(text).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mark_leaves_other_fields_as_they_are() {
        let at = Timestamp::from_millis(0);
        for (ext, expected) in [
            (None, r#"{"at":"1970-01-01T00:00:00.000Z"}"#),
            (Some("{ }"), r#"{"at":"1970-01-01T00:00:00.000Z"}"#),
            (Some(r#"{"n":1.0e2}"#), r#"{"at":"1970-01-01T00:00:00.000Z","n":1.0e2}"#),
            (Some(r#"{"at":"earlier","n":1}"#), r#"{"at":"earlier","n":1}"#),
        ] {
            let ext = ext.map(|text| RawValue::from_string(text.to_owned()).unwrap());
            assert_eq!(mark(ext, at).get(), expected);
        }
    }
}
