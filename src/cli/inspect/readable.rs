//! The report in words.

use crate::store::inspect::{Anchor, Effect, EffectRow, Report, TrustedBy};
use crate::text::{Clean, human_bytes, human_count};
use std::fmt::Write as _;

/// The report for people: the same value that programs get as JSON.
pub(super) fn readable(report: &Report) -> String {
    let mut text = String::new();
    for (name, value) in summary(report) {
        let _ = writeln!(text, "{name:<9} {value}");
    }
    section(&mut text, "Effects", report.effects.iter().map(effect));
    let untracked = report.untracked_tool_approvals.iter();
    let untracked =
        untracked.map(|approval| format!("turn {}, call {}", approval.turn, clean(&approval.call)));
    section(&mut text, "Approved, with neither a start nor a result", untracked);
    section(&mut text, "Warnings", report.warnings.iter().map(|warning| clean(warning).to_string()));
    text
}

fn summary(report: &Report) -> [(&'static str, String); 6] {
    [
        ("Session", report.session_id.to_string()),
        ("Verdict", verdict(report).to_owned()),
        ("Records", records(report)),
        ("Key", format!("{}, {}", report.key_id, trusted_by(report.trusted_by))),
        ("Head", format!("{}, {}", report.head, anchor(report.anchor))),
        ("Turns", turns(report)),
    ]
}

fn verdict(report: &Report) -> &'static str {
    match (report.requires_reconciliation, report.reconciled) {
        (false, false) => "Everything verifies and is accounted for.",
        (false, true) => "Everything verifies, and every unknown effect has a decision.",
        (true, _) if report.journal_complete && !asks(report) => {
            "Everything verifies, but only up to the head that is known here (see below)."
        }
        (true, _) if report.journal_complete => "Everything verifies, but somebody has to look at effects.",
        (true, _) => "Everything verifies, but the journal is not complete.",
    }
}

/// Whether an effect or an approval waits for somebody.
fn asks(report: &Report) -> bool {
    let open = |row: &EffectRow| row.effect == Effect::Unknown && row.decision.is_none();
    !report.untracked_tool_approvals.is_empty() || report.effects.iter().any(open)
}

fn records(report: &Report) -> String {
    let (count, bytes) = (human_count(report.verified_records), human_bytes(report.verified_bytes));
    let mut text = format!("{count} verified, {bytes}");
    if report.unverified_tail_bytes > 0 {
        let _ = write!(text, "; {} behind them not verified", human_bytes(report.unverified_tail_bytes));
    }
    if report.unknown_records > 0 {
        let _ = write!(text, "; {} of a newer version", human_count(report.unknown_records));
    }
    text
}

fn trusted_by(trusted: TrustedBy) -> &'static str {
    match trusted {
        TrustedBy::GivenKey => "the key that was given",
        TrustedBy::LocalStore => "from this machine's key store",
    }
}

fn anchor(anchor: Anchor) -> &'static str {
    match anchor {
        Anchor::Match => "agrees with the head that is kept here",
        Anchor::Absent => "no head is kept here to hold against it",
    }
}

fn turns(report: &Report) -> String {
    let Some(last) = report.turns.last() else { return "none".to_owned() };
    let end = last.status.map_or_else(|| "open".to_owned(), |status| words(status.word()));
    let imported = report.turns.iter().filter(|turn| turn.imported).count();
    let imported = if imported > 0 { format!(", {imported} imported") } else { String::new() };
    format!("{}{imported}; the last one is {end}", report.turns.len())
}

fn effect(row: &EffectRow) -> String {
    let known = match row.effect {
        Effect::ResultRecorded => "result recorded",
        Effect::Unknown => "UNKNOWN",
    };
    let mut text = format!("{}  {known}: {}", row.dispatch, outcome(row));
    let _ = write!(text, "\n    {}, call {}, turn {}", clean(&row.tool), clean(&row.call), row.turn);
    if let Some(statement) = row.statement {
        let _ = write!(text, "\n    stated by a person: {}", words(statement.word()));
    }
    if let Some(decision) = row.decision {
        let _ = write!(text, "\n    decided: {}", words(decision.word()));
    }
    text
}

fn outcome(row: &EffectRow) -> String {
    let Some(outcome) = row.outcome else { return "started, no result".to_owned() };
    let mut text = words(outcome.word());
    if let Some(code) = row.exit_code {
        let _ = write!(text, ", exit {code}");
    }
    if let Some(evidence) = row.evidence {
        let _ = write!(text, ", evidence: {}", words(evidence.word()));
    }
    text
}

fn section(text: &mut String, title: &str, rows: impl Iterator<Item = String>) {
    for (n, row) in rows.enumerate() {
        if n == 0 {
            let _ = writeln!(text, "\n{title}");
        }
        let _ = writeln!(text, "  {row}");
    }
}

fn words(word: &str) -> String {
    word.replace('_', " ")
}

fn clean(text: &impl ToString) -> Clean {
    Clean::line(&text.to_string())
}
