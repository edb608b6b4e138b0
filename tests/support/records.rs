//! Sessions that are longer than anybody could talk to, written by the library.

use candor::journal::files::Disk;
use candor::record::{Digest, ModelResponse, Origin, Record, Timestamp, TurnEnded, TurnStatus, UserMessage};
use candor::store::{Kind, NewSession, OpenSession, Store, ids};
use serde_json::value::RawValue;
use std::path::Path;
use std::sync::Arc;

/// Some day in 2026, in milliseconds: when these sessions are begun.
pub(crate) const DAY: i64 = 1_796_000_000_000;

/// The store of this home.
pub(crate) fn store(home: &Path, kind: Kind) -> Store {
    Store::open(&home.join("data"), &home.join("config"), kind, Arc::new(Disk)).unwrap()
}

/// A session that begins with these records, all written at one time.
pub(crate) fn session(store: &Store, cwd: &Path, title: &str, records: Vec<Record>) -> OpenSession {
    let new = NewSession {
        app: "candor test".into(),
        cwd: cwd.to_str().unwrap().into(),
        title: Some(title.into()),
        origin: Origin::New {},
        records,
    };
    store.create(new, Timestamp::from_millis(DAY)).unwrap()
}

/// A whole turn: a question and its answer, in which nothing needs an escape.
pub(crate) fn turn(question: &str, answer: &str) -> [Record; 3] {
    let turn = ids::turn();
    let item = format!(
        r#"{{"type":"message","role":"assistant","content":[{{"type":"output_text","text":"{answer}"}}]}}"#
    );
    let response = ModelResponse {
        turn,
        items: [RawValue::from_string(item).unwrap().into()].into_iter().collect(),
        protocol: "responses".into(),
        server: Some("http://127.0.0.1:9/v1".into()),
        model: Some("m".into()),
        response_id: None,
        usage: None,
        duration_ms: Some(1),
        instructions_sha256: Some(Digest::of(b"")),
        ext: None,
    };
    [
        UserMessage { turn, text: question.into(), imported: false, ext: None }.into(),
        response.into(),
        TurnEnded { turn, status: TurnStatus::Completed, error: None, ext: None }.into(),
    ]
}
