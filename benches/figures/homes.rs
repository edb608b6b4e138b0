//! Directories full of sessions, made by the store itself.

use super::unsynced::Unsynced;
use candor::journal::files::Files;
use candor::record::{
    Approval, BashOperation, By, CallId, Decision, Digest, Evidence, ModelResponse, Operation, Origin,
    Outcome, Record, SessionId, SessionStarted, Timestamp, ToolResult, ToolStarted, TurnEnded, TurnStatus,
    UserMessage,
};
use candor::store::{Kind, NewSession, Store, clock, ids};
use ed25519_dalek::VerifyingKey;
use serde_json::json;
use serde_json::value::RawValue;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;

/// The argument with which this program fills a home.
pub(crate) const FILL: &str = "--fill";

/// Stands in the last answer of every session that was made here.
/// One word, and in no cell the letter that stood there: all of it is painted.
pub(crate) const LAST_WORDS: &str = "UTTERLY-LAST-WORDS";

/// `CANDOR_HOME` and a directory to work in, on the disk of the build.
pub(crate) struct Home {
    dir: tempfile::TempDir,
}

impl Home {
    pub(crate) fn empty() -> Self {
        let dir = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        std::fs::create_dir(dir.path().join("work")).unwrap();
        Self { dir }
    }

    /// So many sessions of so many turns each.
    pub(crate) fn with(sessions: usize, turns: usize) -> Self {
        Self::filled(&Filling::Sessions { sessions, turns }).0
    }

    /// One session whose journal is about that long; its id.
    pub(crate) fn with_long_session(bytes: usize) -> (Self, SessionId) {
        Self::filled(&Filling::Long { bytes })
    }

    /// Sessions of 4 MB, that many bytes in all.
    pub(crate) fn with_bytes(bytes: usize) -> Self {
        Self::filled(&Filling::Bytes { bytes }).0
    }

    /// Filled by a process of its own: one that has made thousands of sessions is
    /// large, and starts another the slower for it.
    fn filled(filling: &Filling) -> (Self, SessionId) {
        let home = Self::empty();
        let mut filler = Command::new(std::env::current_exe().unwrap());
        filler.arg(FILL).arg(home.dir.path()).arg(serde_json::to_string(filling).unwrap());
        let filled = filler.stderr(Stdio::inherit()).output().unwrap();
        assert!(filled.status.success(), "{filled:?}");
        let last = SessionId::parse(std::str::from_utf8(&filled.stdout).unwrap().trim()).unwrap();
        settle();
        (home, last)
    }

    pub(crate) fn path(&self) -> PathBuf {
        home_in(self.dir.path())
    }

    pub(crate) fn work(&self) -> PathBuf {
        work_in(self.dir.path())
    }

    /// The store as Candor has it.
    pub(crate) fn store(&self) -> Store {
        store_in(self.dir.path(), Arc::new(candor::journal::files::Disk))
    }

    /// The key that signs its sessions.
    pub(crate) fn public_key(&self) -> VerifyingKey {
        self.store().keys().current().unwrap().verifying_key()
    }

    pub(crate) fn journal(&self, id: SessionId) -> PathBuf {
        self.path().join("data/sessions").join(id.to_string()).join("journal.jsonl")
    }

    /// All journals, in no order.
    pub(crate) fn journals(&self) -> Vec<PathBuf> {
        let sessions = std::fs::read_dir(self.path().join("data/sessions")).unwrap();
        let journals = sessions.map(|session| session.unwrap().path().join("journal.jsonl"));
        journals.filter(|journal| journal.exists()).collect()
    }
}

fn home_in(dir: &Path) -> PathBuf {
    dir.join("home")
}

fn work_in(dir: &Path) -> PathBuf {
    dir.join("work")
}

fn store_in(dir: &Path, files: Arc<dyn Files>) -> Store {
    let home = home_in(dir);
    Store::open(&home.join("data"), &home.join("config"), Kind::Real, files).unwrap()
}

/// What a home holds.
#[derive(serde::Serialize, serde::Deserialize)]
enum Filling {
    Sessions { sessions: usize, turns: usize },
    Long { bytes: usize },
    Bytes { bytes: usize },
}

/// Fills a home, as an argument says, and prints its last session's id.
pub(crate) fn fill(dir: &Path, filling: &str) {
    let store = store_in(dir, Arc::new(Unsynced::default()));
    let mut last = None;
    let mut add = |session: usize, more: &mut dyn FnMut(usize) -> bool| {
        last = Some(add(&store, &work_in(dir), session, more));
    };
    match serde_json::from_str(filling).unwrap() {
        Filling::Sessions { sessions, turns } => {
            (0..sessions).for_each(|session| add(session, &mut |number| number < turns));
        }
        Filling::Long { bytes } => {
            let each = turn_bytes();
            add(0, &mut |turn| (turn + 1) * each < bytes);
        }
        Filling::Bytes { bytes } => {
            const EACH: usize = 4_000_000;
            let each = turn_bytes();
            for session in 0..(bytes / EACH).max(1) {
                add(session, &mut |turn| turn * each < EACH.min(bytes));
            }
        }
    }
    println!("{}", last.unwrap());
}

fn add(store: &Store, work: &Path, session: usize, more: &mut dyn FnMut(usize) -> bool) -> SessionId {
    let cwd = work.to_str().unwrap();
    let records = records(cwd, session * 7_919, more);
    let new = NewSession {
        app: "candor bench".into(),
        cwd: cwd.into(),
        title: Some(format!("Session number {session}")),
        origin: Origin::New {},
        records,
    };
    store.create(new, clock::now()).unwrap().id()
}

/// The first record of a session.
pub(crate) fn beginning(cwd: &str) -> Record {
    let key_id = candor::record::KeyId::of(&[7; 32]);
    let (app, origin) = ("candor bench".into(), Origin::New {});
    SessionStarted { app, key_id, cwd: cwd.into(), title: None, origin, ext: None }.into()
}

/// What comes after the first record: turns, as long as more are wanted.
pub(crate) fn records(cwd: &str, seed: usize, more: &mut dyn FnMut(usize) -> bool) -> Vec<Record> {
    let mut records = Vec::new();
    let mut number = 0;
    while more(number) {
        turn(&mut records, cwd, seed + number);
        number += 1;
    }
    last_turn(&mut records);
    records
}

/// Bytes of a turn in the journal: what turns that were made take, rounded up.
fn turn_bytes() -> usize {
    const TURNS: usize = 50;
    let home = Home::empty();
    let store = store_in(home.dir.path(), Arc::new(Unsynced::default()));
    let id = add(&store, &home.work(), 0, &mut |turn| turn < TURNS);
    let length = std::fs::metadata(home.journal(id)).unwrap().len();
    (length as usize).div_ceil(TURNS)
}

/// A message, a command with 4 KiB of output, an answer.
fn turn(records: &mut Vec<Record>, cwd: &str, seed: usize) {
    let (turn, dispatch, call) = (ids::turn(), ids::dispatch(), CallId::new(format!("call_{seed}")).unwrap());
    let command = format!("make -C part-{seed} check 2>&1 | tee log-{seed}.txt");
    let names = vec!["HOME".into(), "PATH".into()];
    let bash = BashOperation::new(command.clone(), cwd.into(), 300_000, None, names);
    let operation = Operation::bash(&bash).unwrap();
    let fingerprint = operation.fingerprint();
    let arguments = json!({ "command": command }).to_string();
    let asked =
        json!({"type": "function_call", "name": "bash", "call_id": call.as_str(), "arguments": arguments});
    let output = prose(seed, 4_096);
    records.push(UserMessage { turn, text: prose(seed + 1, 200), imported: false, ext: None }.into());
    records.push(response(turn, vec![message(&prose(seed + 2, 1_000)), asked]).into());
    let approval = Approval {
        turn,
        call: call.clone(),
        decision: Decision::Approved,
        by: By::User,
        rule: None,
        standing: false,
        operation: operation.clone(),
        fingerprint,
        edited: false,
        feedback: None,
        ext: None,
    };
    records.push(approval.into());
    let started =
        ToolStarted { turn, call: call.clone(), dispatch, operation, fingerprint, repeats: None, ext: None };
    records.push(started.into());
    let mut result = ToolResult::of_dispatch(turn, call, dispatch, Outcome::Completed, Evidence::Live);
    result.exit_code = Some(0);
    result.output_bytes = Some(output.len() as u64);
    result.output_sha256 = Some(Digest::of(output.as_bytes()));
    result.output = Some(output);
    (result.started_at, result.ended_at) = (Some(clock::now()), Some(clock::now()));
    records.push(result.into());
    records.push(response(turn, vec![message(&prose(seed + 3, 3_500))]).into());
    records.push(TurnEnded { turn, status: TurnStatus::Completed, error: None, ext: None }.into());
}

fn last_turn(records: &mut Vec<Record>) {
    let turn = ids::turn();
    records.push(UserMessage { turn, text: "How did it end?".into(), imported: false, ext: None }.into());
    records.push(response(turn, vec![message(LAST_WORDS)]).into());
    records.push(TurnEnded { turn, status: TurnStatus::Completed, error: None, ext: None }.into());
}

/// An answer of a model.
pub(crate) fn response(turn: candor::record::TurnId, items: Vec<serde_json::Value>) -> ModelResponse {
    ModelResponse {
        turn,
        items: items.iter().map(|item| RawValue::from_string(item.to_string()).unwrap().into()).collect(),
        protocol: "responses".into(),
        server: Some("http://127.0.0.1:1/v1".into()),
        model: Some("bench".into()),
        response_id: None,
        usage: None,
        duration_ms: Some(1_000),
        instructions_sha256: Some(Digest::of(b"instructions")),
        ext: None,
    }
}

/// An item with a text.
pub(crate) fn message(text: &str) -> serde_json::Value {
    json!({"type": "message", "role": "assistant", "status": "completed",
        "content": [{"type": "output_text", "text": text, "annotations": []}]})
}

/// Lines of words that are not the same everywhere; lower case only.
pub(crate) fn prose(seed: usize, bytes: usize) -> String {
    const WORDS: &[&str] = &[
        "bread", "milk", "the", "of", "list", "write", "kernel", "a", "report", "found", "module", "is",
        "tested", "again", "with", "warnings", "and", "eleven", "objects", "linked", "into", "place",
    ];
    let mut state = seed as u64 ^ 0x9e37_79b9_7f4a_7c15;
    let mut text = String::with_capacity(bytes + 16);
    let mut column = 0;
    while text.len() < bytes {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let word = WORDS[(state >> 33) as usize % WORDS.len()];
        text.push_str(word);
        column += word.len() + 1;
        text.push(if column > 72 { '\n' } else { ' ' });
        column %= 73;
    }
    text.truncate(bytes);
    text
}

/// Lets the disk have what was made, so that no figure pays for it.
fn settle() {
    rustix::fs::sync();
}

/// A moment for records that are written now.
pub(crate) fn now() -> Timestamp {
    clock::now()
}

/// The whole file, so that it is in memory; its length.
pub(crate) fn warm(path: &Path) -> usize {
    std::fs::read(path).unwrap().len()
}
