//! What a round shows, held against what may be said of it: a pure function of
//! what was observed.
//!
//! The marks are what happened; they were written by the commands themselves,
//! outside of everything that Candor owns.

use super::plan::{Does, FAILS_WITH, LABELS};
use super::victims::Hits;
use serde_json::Value;
use std::collections::{BTreeMap, HashSet};

/// Of what kind a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Wrong {
    /// Something ran, or was written, more often than it was asked for.
    Duplicate,
    /// Something that was there is gone, or cannot be reached.
    Loss,
    /// Something is said that is not so.
    FalseClaim,
}

impl Wrong {
    pub(super) const ALL: [Self; 3] = [Self::Duplicate, Self::Loss, Self::FalseClaim];

    pub(super) fn words(self) -> &'static str {
        match self {
            Self::Duplicate => "duplicate",
            Self::Loss => "loss",
            Self::FalseClaim => "false claim",
        }
    }
}

/// One thing that must not be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Finding {
    pub(super) wrong: Wrong,
    pub(super) sentence: String,
}

/// What lies in a call folder at the end.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Evidence {
    pub(super) launched: bool,
    pub(super) receipt: bool,
}

/// What a person had seen as lines; all of it has to be on disk.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Printed {
    /// Questions whether a command may run.
    pub(super) asked: usize,
    /// Commands that were said to run.
    pub(super) running: usize,
    /// Outcomes.
    pub(super) ended: usize,
}

/// One session as the program's own commands tell of it.
#[derive(Debug, Clone, Default)]
pub(super) struct Told {
    /// Its state in `sessions --json`; none if it is not listed.
    pub(super) state: Option<String>,
    /// The outcomes in `show --json`, in order; none if it refuses.
    pub(super) shown: Option<Vec<String>>,
    /// The exit code of `inspect`.
    pub(super) inspected: Option<i32>,
}

/// Everything that a round shows.
#[derive(Debug, Clone, Default)]
pub(super) struct Observed {
    /// What the two calls do.
    pub(super) calls: Vec<Does>,
    /// Who was killed during the turn.
    pub(super) hits: Hits,
    /// What the terminal had shown when the program died.
    pub(super) printed: Printed,
    /// Every line that the commands wrote outside.
    pub(super) marks: Vec<String>,
    /// The session's journal, from the kill to the last opening but one, in order.
    pub(super) journals: Vec<Vec<u8>>,
    /// The same after a further opening in which nothing was asked.
    pub(super) again: Vec<u8>,
    /// What lies in the call folders, by execution.
    pub(super) evidence: BTreeMap<String, Evidence>,
    /// What kept an opening or a turn from going on.
    pub(super) stuck: Vec<String>,
    /// None if no session was made.
    pub(super) told: Option<Told>,
    /// How many sessions there are on disk.
    pub(super) sessions: usize,
}

/// A record, as far as the judge looks at it.
struct Record {
    kind: String,
    body: Value,
}

/// Everything that must not be.
pub(super) fn judge(observed: &Observed) -> Vec<Finding> {
    let records = records_of(observed.journals.last());
    let mut findings = Vec::new();
    let mut found = |wrong: Wrong, sentence: String| findings.push(Finding { wrong, sentence });
    nothing_twice(observed, &records, &mut found);
    nothing_lost(observed, &records, &mut found);
    for (at, result) in of(&records, "tool_result").enumerate() {
        claim_is_true(observed, &records, at, result, &mut found);
    }
    findings
}

/// The outcomes of the calls, in order.
pub(super) fn outcomes(observed: &Observed) -> Vec<String> {
    let records = records_of(observed.journals.last());
    of(&records, "tool_result").map(|result| text(result, "outcome")).collect()
}

type Found<'a> = dyn FnMut(Wrong, String) + 'a;

fn nothing_twice(observed: &Observed, records: &[Record], found: &mut Found<'_>) {
    let mut seen = HashSet::new();
    for mark in &observed.marks {
        if !seen.insert(mark) {
            found(Wrong::Duplicate, format!("{mark:?} was written twice"));
        }
    }
    for label in LABELS {
        let begun = |mark: &&String| mark.starts_with(&format!("{label} begin "));
        let times = observed.marks.iter().filter(begun).collect::<HashSet<_>>().len();
        if times > 1 {
            found(Wrong::Duplicate, format!("command {label} was approved once and ran {times} times"));
        }
    }
    for kind in ["tool_started", "tool_result"] {
        let mut seen = HashSet::new();
        for body in of(records, kind) {
            if !seen.insert(text(body, "call")) {
                found(Wrong::Duplicate, format!("{} has a second {kind}", text(body, "call")));
            }
        }
    }
    if let Some(last) = observed.journals.last()
        && observed.again.len() > last.len()
    {
        found(Wrong::Duplicate, "an opening with nothing to do wrote records".into());
    }
}

fn nothing_lost(observed: &Observed, records: &[Record], found: &mut Found<'_>) {
    let mut found = |sentence: String| found(Wrong::Loss, sentence);
    observed.stuck.iter().for_each(|sentence| found(sentence.clone()));
    let steps = observed.journals.iter().zip(observed.journals.iter().skip(1).chain([&observed.again]));
    for (before, after) in steps {
        if !after.starts_with(whole_lines(before)) {
            found("records that were on disk are gone or changed".into());
        }
    }
    let dead = records_of(observed.journals.first());
    let on_disk = |kind: &str| of(&dead, kind).count();
    let Printed { asked, running, ended } = observed.printed;
    for (what, shown, on_disk) in [
        ("a question", asked.min(1), on_disk("model_response")),
        ("a running command", running, on_disk("approval")),
        ("an outcome", ended, on_disk("tool_result")),
    ] {
        if shown > on_disk {
            found(format!("{what} was on the terminal {shown} times and is on disk {on_disk} times"));
        }
    }
    let started: HashSet<String> = of(records, "tool_started").map(|start| text(start, "dispatch")).collect();
    for mark in &observed.marks {
        let dispatch = mark.rsplit(' ').next().unwrap_or_default();
        if !started.contains(dispatch) {
            found(format!("{mark:?} has no start record"));
        }
    }
    let count = |kind: &str| of(records, kind).count();
    if observed.stuck.is_empty() && count("user_message") != count("turn_ended") {
        found("a turn has no end after its session was opened".into());
    }
    if observed.stuck.is_empty() && count("tool_result") != calls(records).len() {
        found("a call has no outcome after its session was opened".into());
    }
    let Some(told) = &observed.told else {
        if observed.sessions > 0 && observed.stuck.is_empty() {
            found("a session was not asked about".into());
        }
        return;
    };
    match told.state.as_deref() {
        Some("ready" | "needs you" | "command running" | "interrupted" | "open elsewhere") => {}
        Some(state) => found(format!("the session is listed as {state}")),
        None => found("the session is not listed".into()),
    }
    match &told.shown {
        None => found("candor show does not show the session".into()),
        Some(shown) if *shown != outcomes(observed) => {
            found(format!("candor show tells other outcomes than the journal: {shown:?}"));
        }
        Some(_) => {}
    }
    let unknown = of(records, "tool_result").any(|result| text(result, "outcome") == "unknown");
    match told.inspected {
        Some(0) => {}
        Some(2) if unknown => {}
        code => found(format!("candor inspect exits with {code:?}")),
    }
}

/// Holds what is said of one call against its marks.
fn claim_is_true(observed: &Observed, records: &[Record], at: usize, result: &Value, found: &mut Found<'_>) {
    let call = text(result, "call");
    let asked = calls(records).iter().position(|other| *other == call);
    let (Some(label), Some(does)) =
        (asked.and_then(|asked| LABELS.get(asked)), asked.and_then(|asked| observed.calls.get(asked)))
    else {
        return found(Wrong::FalseClaim, format!("result {at} is of a call that was not asked for"));
    };
    let (outcome, evidence) = (text(result, "outcome"), text(result, "evidence"));
    let dispatch = text(result, "dispatch");
    let times = |what: &str| {
        let mark = format!("{label} {what} {dispatch}");
        observed.marks.iter().filter(|line| **line == mark).count()
    };
    let (begun, done) = (times("begin"), times("end"));
    let touched = observed.marks.iter().any(|mark| mark.starts_with(&format!("{label} ")));
    let signal = result.get("signal").and_then(Value::as_u64);
    let code = result.get("exit_code").and_then(Value::as_u64);
    let hit = |who: &Option<String>| who.as_deref() == Some(dispatch.as_str());
    let limited = observed.calls.contains(&Does::TooLong);
    let on_disk = observed.evidence.get(&dispatch).copied().unwrap_or_default();
    let is_true = match outcome.as_str() {
        "completed" => code == Some(0) && *does != Does::Fails && (begun, done) == (1, 1),
        "failed" if signal.is_some() => hit(&observed.hits.command),
        "failed" => code == Some(FAILS_WITH) && *does == Does::Fails && (begun, done) == (1, 1),
        "timed_out" => limited,
        "cancelled" => *does == Does::Stopped,
        "not_executed" => !touched,
        "denied" => *does == Does::Denied && !touched,
        "unknown" => true,
        _ => false,
    };
    if !is_true {
        let exit = code.or(signal).map(|number| format!(" ({number})")).unwrap_or_default();
        let marks = observed.marks.iter().filter(|mark| mark.starts_with(label)).count();
        found(
            Wrong::FalseClaim,
            format!(
                "command {label} is said to be {outcome}{exit}; it left {marks} marks, and does {does:?}"
            ),
        );
    }
    if evidence == "receipt" && !on_disk.receipt {
        found(Wrong::FalseClaim, format!("command {label} has no receipt that its outcome could rest on"));
    }
    if evidence == "not_launched" && on_disk.launched {
        found(Wrong::FalseClaim, format!("command {label} was launched and is said not to have been"));
    }
    if outcome == "unknown" && (on_disk.receipt || !hit(&observed.hits.supervisor)) {
        found(Wrong::Loss, format!("the end of command {label} was observed and is said to be unknown"));
    }
    if outcome == "completed" && !text(result, "output").contains(&format!("said {label}\n")) {
        found(Wrong::Loss, format!("the output of command {label} is not in its result"));
    }
}

/// The calls of the first answer that has any, in order.
fn calls(records: &[Record]) -> Vec<String> {
    let items = of(records, "model_response").filter_map(|body| body["items"].as_array());
    let calls = items.flatten().filter(|item| item["type"] == "function_call");
    calls.map(|item| text(item, "call_id")).collect()
}

fn text(value: &Value, name: &str) -> String {
    value.get(name).and_then(Value::as_str).unwrap_or_default().to_owned()
}

fn of<'a>(records: &'a [Record], kind: &'a str) -> impl Iterator<Item = &'a Value> {
    records.iter().filter(move |record| record.kind == kind).map(|record| &record.body)
}

/// Up to the last line that is whole.
fn whole_lines(bytes: &[u8]) -> &[u8] {
    let end = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    &bytes[..end]
}

fn records_of(journal: Option<&Vec<u8>>) -> Vec<Record> {
    let lines = whole_lines(journal.map_or(&[], Vec::as_slice)).split(|byte| *byte == b'\n');
    let values = lines.filter_map(|line| serde_json::from_slice::<Value>(line).ok());
    values.map(|mut line| Record { kind: text(&line, "type"), body: line["body"].take() }).collect()
}

#[cfg(test)]
mod tests;
