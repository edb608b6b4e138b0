//! Recorded and doctored streams, each with what must come of it, in pieces of
//! one byte, of seven, and whole.

use super::*;
use crate::model::ErrorClass;
use crate::model::classify::Remedy;
use crate::model::responses::Unusable;
use crate::model::retry::Again;
use crate::record::{ItemError, ItemKind};
use serde_json::Value;
use std::path::Path;
use std::time::Duration;
use tokio::sync::mpsc::unbounded_channel;

/// What comes of a stream.
#[derive(Debug, PartialEq)]
enum Outcome {
    /// One call with this command.
    Call(String),
    /// One message with this text.
    Text(String),
    /// One message with this refusal.
    Refusal(String),
    /// Not usable.
    Fails(Trouble, Remedy),
    /// The server said no.
    Refused(ErrorClass, Option<String>, Remedy),
}

fn read(stream: &[u8], piece: usize) -> (Outcome, Vec<Progress>) {
    let (sender, mut receiver) = unbounded_channel();
    let mut shown = Shown::nothing(&sender);
    let mut reader = Reader::new();
    let mut end = None;
    for bytes in stream.chunks(piece) {
        match reader.take(bytes, &mut shown) {
            Ok(None) => {}
            Ok(Some(complete)) => end = Some(Ok(complete)),
            Err(failure) => end = Some(Err(failure)),
        }
        if end.is_some() {
            break;
        }
    }
    let mut progress = Vec::new();
    while let Ok(step) = receiver.try_recv() {
        progress.push(step);
    }
    (outcome(end.unwrap_or_else(|| Err(cut()))), progress)
}

fn outcome(end: Result<Complete, Failure>) -> Outcome {
    let complete = match end {
        Ok(complete) => complete,
        Err(Failure { trouble: Trouble::Refused(refusal), remedy }) => {
            return Outcome::Refused(refusal.class, refusal.code, remedy);
        }
        Err(Failure { trouble, remedy }) => return Outcome::Fails(trouble, remedy),
    };
    assert!(complete.items.iter().all(|item| !item.raw.get().contains(['\n', '\r'])));
    assert!(complete.response_id.is_some());
    match &complete.items[..] {
        [item] => match &item.kind {
            ItemKind::Call { arguments, name, .. } => {
                assert_eq!(name, "bash");
                let arguments: Value = serde_json::from_str(arguments).unwrap();
                Outcome::Call(arguments["command"].as_str().unwrap().into())
            }
            ItemKind::Message { text, refusal, .. } if text.is_empty() => Outcome::Refusal(refusal.clone()),
            ItemKind::Message { text, .. } => Outcome::Text(text.clone()),
            other => panic!("{other:?}"),
        },
        other => panic!("{other:?}"),
    }
}

fn fixture(name: &str) -> Vec<u8> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/wire");
    #[allow(clippy::disallowed_methods)] // a test's own file
    std::fs::read(folder.join(name)).unwrap()
}

/// The files of a folder that are streams.
fn streams(folder: &str) -> Vec<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/wire").join(folder);
    #[allow(clippy::disallowed_methods)] // a test's own files
    let names =
        std::fs::read_dir(path).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<_> = names.filter(|name| name.ends_with(".sse")).collect();
    names.sort();
    names
}

fn check(folder: &str, table: Vec<(&str, Outcome)>) {
    let mut named: Vec<_> = table.iter().map(|(name, _)| format!("responses_{name}.sse")).collect();
    named.sort();
    assert_eq!(named, streams(folder), "every file has its row");
    for (name, expected) in table {
        let stream = fixture(&format!("{folder}/responses_{name}.sse"));
        let whole = read(&stream, stream.len());
        assert_eq!(whole.0, expected, "{name}");
        for piece in [1, 7] {
            assert_eq!(read(&stream, piece), whole, "{name} in pieces of {piece}");
        }
    }
}

fn again() -> Remedy {
    Remedy::Again(Again::default())
}

fn cut_off() -> Outcome {
    Outcome::Fails(Trouble::Broken("connection closed".into()), again())
}

fn unusable(why: Unusable) -> Outcome {
    Outcome::Fails(Trouble::Unusable(why), Remedy::Stop)
}

#[test]
fn doctored_streams() {
    let call = || Outcome::Call("mock-command".into());
    let wait = Again { overloaded: false, at_least: Some(Duration::from_millis(11_054)) };
    let no_id = ItemError::CallId("a call id has 1 to 64 bytes, this one has 0".into());
    check(
        "edge",
        vec![
            ("args_done_without_deltas", call()),
            ("base", call()),
            ("completed_empty_output", call()),
            ("cr_only", call()),
            ("data_after_completed", call()),
            ("done_nospace", call()),
            ("duplicate_call_id", unusable(Unusable::DoubledId)),
            ("eof_before_completed", cut_off()),
            (
                "error_event_nested",
                Outcome::Refused(ErrorClass::Server, Some("internal_error".into()), again()),
            ),
            ("error_no_type", Outcome::Refused(ErrorClass::Server, Some("502".into()), again())),
            (
                "failed_context",
                Outcome::Refused(ErrorClass::Context, Some("context_length_exceeded".into()), Remedy::Stop),
            ),
            (
                "failed_rate_limit",
                Outcome::Refused(ErrorClass::Rate, Some("rate_limit_exceeded".into()), Remedy::Again(wait)),
            ),
            ("id_retry_fields", call()),
            (
                "incomplete_content_filter",
                Outcome::Fails(Trouble::Incomplete { reason: "content_filter".into() }, Remedy::Stop),
            ),
            (
                "invalid_utf8_in_delta",
                Outcome::Fails(Trouble::Damaged { what: "it is not UTF-8".into() }, again()),
            ),
            ("keepalive_comments", call()),
            ("missing_call_id", unusable(Unusable::Item(no_id))),
            ("multiline_data", call()),
            ("no_final_blank_line", cut_off()),
            ("obfuscation", call()),
            ("refusal", Outcome::Refusal("I can't help with that.".into())),
            ("unknown_events", call()),
        ],
    );
}

#[test]
fn recorded_streams() {
    let added = || Outcome::Call("echo milk > shopping.txt".into());
    check(
        "llama-server",
        vec![
            // Completed, it says, with nothing in it: the limit fell into a call.
            ("maxtokens", unusable(Unusable::Empty)),
            ("recovered", Outcome::Call("cat shopping.txt".into())),
            ("step1", added()),
            ("step2", Outcome::Text("Result: 0.0.0\n".into())),
            // Completed, it says, with arguments that end in the middle.
            ("truncated22", unusable(Unusable::Arguments)),
            ("truncated25", unusable(Unusable::Arguments)),
            ("truncated28", added()),
        ],
    );
}

#[test]
fn text_is_shown_as_it_comes_and_its_words_are_counted() {
    let (_, progress) = read(&fixture("llama-server/responses_step2.sse"), 16);
    let texts = progress.iter().filter_map(|step| match step {
        Progress::Text(text) => Some(text.as_str()),
        _ => None,
    });
    assert_eq!(texts.collect::<String>(), "Result: 0.0.0\n");
    assert_eq!(progress.iter().filter(|step| **step == Progress::Started).count(), 1);

    let (sender, _receiver) = unbounded_channel();
    let mut shown = Shown::nothing(&sender);
    for text in ["two wo", "rds", " and", " \n", "two"] {
        shown.show(Progress::Text(text.into()));
    }
    assert_eq!(shown.words, 4);
}
