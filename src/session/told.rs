//! What the model is told about one call: its result as JSON, and its id.

use super::state::Call;
use super::words;
use crate::record::{CallId, DispatchId, Evidence, Item, Operation, Outcome, Survivor, ToolResult};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// The result in the order in which the model reads it.
#[derive(Serialize)]
struct Told<'a> {
    status: Outcome,
    output: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    exit_code: Option<u8>,
    #[serde(skip_serializing_if = "Option::is_none")]
    signal: Option<u8>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    truncated: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    output_file: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    survivors: Option<&'a [Survivor]>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pipe_held: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    evidence: Option<Evidence>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ran: Option<&'a Operation>,
    #[serde(skip_serializing_if = "Option::is_none")]
    feedback: Option<&'a str>,
}

/// A call's result as the model reads it; `max_bytes` bounds the output.
pub(super) fn result(
    call: &Call,
    result: &ToolResult,
    max_bytes: usize,
    spool: &dyn Fn(DispatchId) -> Option<String>,
) -> String {
    let recorded = result.output.as_deref().unwrap_or_default();
    let output = cut(recorded, result.output_bytes.unwrap_or_default(), max_bytes);
    let truncated = result.truncated || output.len() != recorded.len();
    let approval = call.approval.as_ref();
    let edited = approval.is_some_and(|approval| approval.edited) && call.start.is_some();
    let told = Told {
        status: result.outcome,
        output: with_words(call, result, output),
        exit_code: result.exit_code,
        signal: result.signal,
        truncated,
        output_file: result.dispatch.filter(|_| truncated).and_then(spool),
        survivors: result.survivors.as_deref(),
        pipe_held: result.pipe_held,
        evidence: result.evidence.filter(|evidence| *evidence != Evidence::Live),
        ran: call.operation().filter(|_| edited),
        feedback: approval.and_then(|approval| approval.feedback.as_deref()),
    };
    // Strings, numbers and kept JSON can always be written; the outcome alone
    // would still be the truth.
    serde_json::to_string(&told).unwrap_or_else(|_| format!("{{\"status\":\"{}\"}}", result.outcome))
}

/// The output, or the words that stand for it or before it.
fn with_words(call: &Call, result: &ToolResult, output: String) -> String {
    let words = words::in_place_of_output(result.outcome, result.evidence, call.start.is_some());
    match (words.is_empty(), output.is_empty()) {
        (true, _) => output,
        (false, true) => words.to_owned(),
        (false, false) => format!("{words}\n\n{}\n{output}", words::OUTPUT_SO_FAR),
    }
}

/// The first and the last half of a text that is over the budget, in whole
/// characters, with the number of bytes left out of all that were written.
fn cut(text: &str, written: u64, max_bytes: usize) -> String {
    if text.len() <= max_bytes {
        return text.to_owned();
    }
    let half = max_bytes / 2;
    let first = &text[..(0..=half).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0)];
    let from = text.len() - half;
    let last = &text[(from..=text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or(text.len())..];
    let kept = (first.len() + last.len()) as u64;
    // A mark for bad bytes is longer than what it stands for.
    let about = if first.contains('\u{fffd}') || last.contains('\u{fffd}') { "about " } else { "" };
    format!("{first}\n[… {about}{} bytes left out …]\n{last}", written.saturating_sub(kept))
}

#[derive(Deserialize)]
struct CallIdAt<'a> {
    #[serde(borrow)]
    call_id: &'a RawValue,
}

/// The item with another call id; every other byte stays. None for an item
/// that is not a call.
pub(super) fn renamed(item: &Item, call_id: &CallId) -> Option<Item> {
    let text = item.raw.get();
    let at: CallIdAt<'_> = serde_json::from_str(text).ok()?;
    let old = at.call_id.get();
    // The id is a part of the text, so the distance of the two is its place.
    let start = (old.as_ptr() as usize).checked_sub(text.as_ptr() as usize)?;
    let (before, rest) = text.split_at_checked(start)?;
    let new = serde_json::to_string(call_id.as_str()).ok()?;
    let edited = format!("{before}{new}{}", rest.strip_prefix(old)?);
    Item::read(RawValue::from_string(edited).ok()?).ok()
}
