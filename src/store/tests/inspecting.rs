//! Reports and decisions.

use super::*;
use crate::journal::Fault;
use crate::journal::files::{Files, Hold, How};
use crate::record::{Acknowledged, By, Digest, Evidence, Outcome, Statement, StatementKind, ToolResult};
use crate::store::inspect::{Anchor, Effect, InspectError, InspectRequest, Report, Target, TrustedBy};
use ed25519_dalek::SigningKey;

/// A session whose one command ended like this; open, if it did not end.
pub(super) fn session(outcome: Option<Outcome>) -> (Memory, Store, SessionId, DispatchId) {
    let (memory, turn, dispatch) = (Memory::new(), ids::turn(), ids::dispatch());
    let store = store(&memory);
    let mut open = store.create(new_session(), at(0)).unwrap();
    commit(&mut open, started(turn, dispatch));
    if let Some(outcome) = outcome {
        commit(&mut open, [result(turn, dispatch, outcome).into(), end(turn, outcome)]);
    }
    let id = open.id();
    drop(open);
    (memory, store, id, dispatch)
}

pub(super) fn result(turn: TurnId, dispatch: DispatchId, outcome: Outcome) -> ToolResult {
    let evidence = if outcome == Outcome::Unknown { Evidence::None } else { Evidence::Live };
    bodies::result(turn, &bodies::call_id("c1"), dispatch, outcome, evidence)
}

pub(super) fn end(turn: TurnId, outcome: Outcome) -> Record {
    let status = if outcome == Outcome::Unknown { TurnStatus::Interrupted } else { TurnStatus::Cancelled };
    bodies::ended(turn, status).into()
}

pub(super) fn inspect(store: &Store, id: SessionId) -> Result<Report, InspectError> {
    store.inspect(&InspectRequest::of(Target::Session(id)))
}

fn decide(id: SessionId, dispatch: DispatchId, outcome: DecisionOutcome) -> ReconcileRequest {
    ReconcileRequest {
        target: Target::Session(id),
        dispatch,
        outcome,
        note: "looked at the server's log".into(),
        evidence: Vec::new(),
        operator_key: None,
        operator: "me@here".into(),
    }
}

#[test]
fn a_whole_session_is_exit_code_0() {
    let (memory, store, id, dispatch) = session(Some(Outcome::Completed));
    let report = inspect(&store, id).unwrap();
    let bytes = memory.bytes(&journal_of(&store, id)).unwrap();
    assert_eq!((report.exit_code(), report.verified_records), (0, 7));
    assert_eq!((report.verified_bytes, report.unverified_tail_bytes), (bytes.len() as u64, 0));
    assert_eq!((report.anchor, report.trusted_by), (Anchor::Match, TrustedBy::LocalStore));
    assert_eq!(report.terminal_reason, Some(TurnStatus::Cancelled));
    let row = &report.effects[0];
    assert_eq!(
        (row.dispatch, row.effect, row.outcome),
        (dispatch, Effect::ResultRecorded, Some(Outcome::Completed))
    );
    assert_eq!((row.tool.as_str(), row.exit_code), ("bash", Some(0)));
    assert!(report.journal_complete && !report.requires_reconciliation && !report.reconciled);
    let last = bytes.split_inclusive(|byte| *byte == b'\n').next_back().unwrap();
    assert_eq!(report.head, Digest::of(last));
}

#[test]
fn the_json_has_the_documented_names_in_their_order() {
    let (_, store, id, _) = session(Some(Outcome::Unknown));
    let text = serde_json::to_string(&inspect(&store, id).unwrap()).unwrap();
    let names = [
        "session_id",
        "expected_session",
        "key_id",
        "trusted_by",
        "verified_records",
        "verified_bytes",
        "unverified_tail_bytes",
        "unknown_records",
        "head",
        "anchor",
        "journal_complete",
        "terminal_reason",
        "effects",
        "untracked_tool_approvals",
        "requires_reconciliation",
        "reconciled",
        "warnings",
        "turns",
    ];
    let places: Vec<_> =
        names.map(|name| text.find(&format!("\"{name}\":")).unwrap_or_else(|| panic!("{name}"))).into();
    assert!(places.is_sorted(), "{text}");
    for word in [r#""expected_session":"given""#, r#""trusted_by":"local_store""#, r#""anchor":"match""#] {
        assert!(text.contains(word), "{word} in {text}");
    }
    assert!(text.contains(r#""effect":"unknown","outcome":"unknown","evidence":"none"}"#), "{text}");
}

#[test]
fn what_is_missing_is_exit_code_2() {
    let (_, store, id, _) = session(None);
    let report = inspect(&store, id).unwrap();
    assert_eq!((report.exit_code(), report.journal_complete, report.terminal_reason), (2, false, None));
    assert_eq!((report.effects[0].effect, report.effects[0].outcome), (Effect::Unknown, None));

    let (memory, store, id, _) = session(Some(Outcome::Completed));
    let path = journal_of(&store, id);
    memory.overwrite(&path, &[memory.bytes(&path).unwrap(), b"half".to_vec()].concat());
    let report = inspect(&store, id).unwrap();
    assert_eq!((report.exit_code(), report.unverified_tail_bytes), (2, 4));
    assert!(memory.bytes(&path).unwrap().ends_with(b"half"), "nothing is moved");

    let memory = Memory::new();
    let store = super::store(&memory);
    let mut open = store.create(new_session(), at(0)).unwrap();
    let id = open.id();
    commit(&mut open, started(ids::turn(), ids::dispatch()).into_iter().take(3));
    drop(open);
    let report = inspect(&store, id).unwrap();
    assert_eq!((report.exit_code(), report.untracked_tool_approvals.len()), (2, 1));

    let id = store.create(new_session(), at(0)).unwrap().id();
    assert_eq!(inspect(&store, id).unwrap().exit_code(), 2, "not one turn");
}

#[test]
fn a_decision_closes_an_unknown_effect_and_a_statement_does_not() {
    let (_, store, id, dispatch) = session(Some(Outcome::Unknown));
    assert_eq!(inspect(&store, id).unwrap().exit_code(), 2);
    let mut open = writable(store.open_session(id, at(9)).unwrap());
    let statements = vec![Statement { dispatch, statement: StatementKind::Happened, note: None }];
    commit(&mut open, [Acknowledged { statements, by: By::User, ext: None }.into()]);
    drop(open);
    let report = inspect(&store, id).unwrap();
    assert_eq!((report.exit_code(), report.effects[0].statement), (2, Some(StatementKind::Happened)));

    let request = decide(id, dispatch, DecisionOutcome::Partly);
    let Reconciled::New(decision) = store.reconcile(&request, at(10)).unwrap() else { panic!("not new") };
    assert!(matches!(store.reconcile(&request, at(11)).unwrap(), Reconciled::Same(same) if same == decision));
    let other = decide(id, dispatch, DecisionOutcome::Happened);
    let error = store.reconcile(&other, at(12)).unwrap_err();
    assert!(matches!(error, ReconcileError::Another(_, DecisionOutcome::Partly)), "{error}");

    let report = inspect(&store, id).unwrap();
    assert_eq!((report.exit_code(), report.reconciled), (0, true));
    assert_eq!(report.effects[0].decision, Some(DecisionOutcome::Partly));
    let open = writable(store.open_session(id, at(13)).unwrap());
    assert_eq!(open.decision(dispatch), Some(&decision));
}

#[test]
fn a_decision_counts_only_with_its_key_and_its_record() {
    let (memory, store, id, dispatch) = session(Some(Outcome::Unknown));
    let operator = SigningKey::from_bytes(&[9; 32]);
    let view = store.view(id).unwrap();
    let made = |head: Digest| Decision {
        v: 1,
        sid: id,
        dispatch,
        outcome: DecisionOutcome::Happened,
        note: "seen".into(),
        evidence: Vec::new(),
        seq: 6,
        head,
        key_id: crate::record::KeyId::of(operator.verifying_key().as_bytes()),
        operator: "them".into(),
        at: at(9),
    };
    made(view.head()).write_new(&memory, view.dir(), &operator).unwrap();
    let mut request = InspectRequest::of(Target::Session(id));
    let report = store.inspect(&request).unwrap();
    assert_eq!((report.exit_code(), report.effects[0].decision), (2, None));
    assert!(report.warnings.iter().any(|warning| warning.contains("not signed")), "{:?}", report.warnings);
    request.operator_key = Some(operator.verifying_key());
    assert_eq!(store.inspect(&request).unwrap().exit_code(), 0);

    let path = view.dir().join(format!("decisions/{dispatch}.json"));
    memory.remove(&path).unwrap();
    made(Digest::of(b"elsewhere")).write_new(&memory, view.dir(), &operator).unwrap();
    assert_eq!(store.inspect(&request).unwrap().exit_code(), 2);
    let mut line = memory.bytes(&path).unwrap();
    line[20] ^= 1;
    memory.overwrite(&path, &line);
    assert_eq!(store.inspect(&request).unwrap().exit_code(), 2);
}

#[test]
fn only_open_questions_are_decided() {
    let (_, store, id, dispatch) = session(Some(Outcome::Completed));
    let request = decide(id, dispatch, DecisionOutcome::Happened);
    assert!(matches!(store.reconcile(&request, at(9)), Err(ReconcileError::Completed(_))));
    let other = ReconcileRequest { dispatch: ids::dispatch(), ..request.clone() };
    assert!(matches!(store.reconcile(&other, at(9)), Err(ReconcileError::NoDispatch(_))));
    let silent = ReconcileRequest { note: " \n".into(), ..request };
    assert!(matches!(store.reconcile(&silent, at(9)), Err(ReconcileError::Note(_))));
    let (_, store, id, dispatch) = session(None);
    let request = decide(id, dispatch, DecisionOutcome::Happened);
    assert!(matches!(store.reconcile(&request, at(9)), Err(ReconcileError::NoResult(_))));
}

#[test]
fn an_error_is_unknown_only_if_that_is_asked_for() {
    let (_, store, id, dispatch) = session(Some(Outcome::Failed));
    let strict = InspectRequest { errors_unknown: true, ..InspectRequest::of(Target::Session(id)) };
    assert_eq!(inspect(&store, id).unwrap().exit_code(), 0);
    assert_eq!(store.inspect(&strict).unwrap().exit_code(), 2);
    store.reconcile(&decide(id, dispatch, DecisionOutcome::DidNotHappen), at(9)).unwrap();
    assert_eq!(store.inspect(&strict).unwrap().exit_code(), 0);
}

#[test]
fn one_turn_can_be_asked_for() {
    let memory = Memory::new();
    let store = store(&memory);
    let mut open = store.create(new_session(), at(0)).unwrap();
    commit(&mut open, turn("one"));
    let first = open.session().turns()[0].id;
    commit(&mut open, started(ids::turn(), ids::dispatch()));
    let id = open.id();
    drop(open);
    let mut request = InspectRequest::of(Target::Session(id));
    assert_eq!(store.inspect(&request).unwrap().exit_code(), 2);
    request.turn = Some(first);
    let report = store.inspect(&request).unwrap();
    assert_eq!((report.exit_code(), report.turns.len(), report.effects.len()), (0, 1, 0));
    assert!(report.warnings.iter().any(|said| said.contains("nothing of the other turns (1)")));
    request.turn = Some(ids::turn());
    assert!(matches!(store.inspect(&request), Err(InspectError::NoTurn(_))));
}

#[test]
fn whatever_does_not_verify_is_exit_code_1() {
    let (memory, store, id, _) = session(Some(Outcome::Completed));
    let path = journal_of(&store, id);
    let bytes = memory.bytes(&path).unwrap();
    let lines: Vec<&[u8]> = bytes.split_inclusive(|byte| *byte == b'\n').collect();
    // The last but one signature: the chain alone would not tell.
    let mut forged: Vec<Vec<u8>> = lines.iter().map(|line| line.to_vec()).collect();
    let at = forged[5].len() - 50;
    forged[5][at] = if forged[5][at] == b'0' { b'1' } else { b'0' };
    for (changed, line) in [
        (forged.concat(), 6),
        (lines[..3].concat(), 0),
        ([lines[0], lines[2]].concat(), 2),
        (Vec::new(), 1),
        (b"{}\n".to_vec(), 1),
        (vec![b'x'; 2 << 20], 1),
    ] {
        memory.overwrite(&path, &changed);
        match inspect(&store, id).unwrap_err() {
            InspectError::Damaged(damage) => assert_eq!(damage.line, line, "{damage}"),
            InspectError::Missing(MissingRecords::Behind { .. }) => assert_eq!(line, 0),
            other => panic!("{other}"),
        }
    }
}

#[test]
fn every_signature_is_checked_and_not_only_the_last() {
    let (memory, store, id, _) = session(Some(Outcome::Completed));
    let (path, key) = (journal_of(&store, id), store.keys().current().unwrap());
    // Somebody with another key writes a line and chains the rest behind it with the right one.
    let text = String::from_utf8(memory.bytes(&path).unwrap()).unwrap();
    let mut prev = Digest::ZERO;
    let mut forged = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let unsigned = &line[..line.rfind(",\"sig\"").unwrap()];
        let (before, after) = unsigned.split_once("\"prev\":\"").unwrap();
        let unsigned = format!("{before}\"prev\":\"{prev}{}", &after[64..]);
        let key = if number == 2 { SigningKey::from_bytes(&[9; 32]) } else { key.clone() };
        let line =
            crate::journal::seal::seal(crate::journal::seal::Domain::Journal, unsigned.into_bytes(), &key);
        prev = Digest::of(&line);
        forged.extend(line);
    }
    memory.overwrite(&path, &forged);
    let InspectError::Damaged(damage) = inspect(&store, id).unwrap_err() else { panic!("not damaged") };
    assert_eq!(damage.line, 3);
    assert!(matches!(damage.fault, Fault::Signature(_)));
}

#[test]
fn expectations_that_are_not_met_are_exit_code_1() {
    let (memory, store, id, _) = session(Some(Outcome::Completed));
    let request = InspectRequest::of(Target::Session(id));
    let other = SigningKey::from_bytes(&[9; 32]).verifying_key();
    let wrong_key = InspectRequest { public_key: Some(other), ..request.clone() };
    assert!(matches!(store.inspect(&wrong_key), Err(InspectError::WrongKey { .. })));
    let wrong_session = InspectRequest { session: Some(ids::session()), ..request.clone() };
    assert!(matches!(store.inspect(&wrong_session), Err(InspectError::WrongSession { .. })));
    let wrong_head = InspectRequest { expect_head: Some(Digest::ZERO), ..request.clone() };
    assert!(matches!(store.inspect(&wrong_head), Err(InspectError::WrongHead { .. })));
    assert!(matches!(inspect(&store, ids::session()), Err(InspectError::NoSession(_))));
    let head = store.view(id).unwrap().head();
    let met = InspectRequest {
        session: Some(id),
        public_key: Some(store.keys().current().unwrap().verifying_key()),
        expect_head: Some(head),
        ..request
    };
    let report = store.inspect(&met).unwrap();
    assert_eq!((report.exit_code(), report.trusted_by), (0, TrustedBy::GivenKey));
    memory.remove(&store.layout().head(id)).unwrap();
    assert!(matches!(inspect(&store, id), Err(InspectError::Missing(MissingRecords::NoHead))));
}

#[test]
fn a_copy_is_held_against_the_head_that_the_store_has() {
    let (memory, store, id, _) = session(Some(Outcome::Completed));
    let bytes = memory.bytes(&journal_of(&store, id)).unwrap();
    memory.create_dir(Path::new("/copy")).unwrap();
    let copy = Path::new("/copy/journal.jsonl");
    memory.overwrite(copy, &bytes);
    let request = InspectRequest::of(Target::Path(copy.to_owned()));
    let report = store.inspect(&request).unwrap();
    assert_eq!((report.exit_code(), report.anchor), (0, Anchor::Match));
    let older = bytes.iter().position(|byte| *byte == b'\n').unwrap();
    memory.overwrite(copy, &bytes[..=older]);
    assert!(matches!(store.inspect(&request), Err(InspectError::Missing(MissingRecords::Behind { .. }))));
    memory.remove(&store.layout().head(id)).unwrap();
    assert_eq!(store.inspect(&request).unwrap().anchor, Anchor::Absent);
}

#[test]
fn a_session_in_use_is_neither_inspected_nor_decided() {
    let (_, store, id, dispatch) = session(Some(Outcome::Unknown));
    let open = writable(store.open_session(id, at(9)).unwrap());
    assert!(matches!(inspect(&store, id), Err(InspectError::InUse(_))));
    let request = decide(id, dispatch, DecisionOutcome::Happened);
    assert!(matches!(store.reconcile(&request, at(9)), Err(ReconcileError::Inspect(InspectError::InUse(_)))));
    drop(open);
    inspect(&store, id).unwrap();

    let (memory, store, id, dispatch) = session(None);
    let folder = layout::call(&store.layout().session(id), dispatch);
    memory.create_dir(&folder).unwrap();
    let supervisor = memory.open(&folder.join("lock"), How::Lock).unwrap();
    supervisor.try_lock(Hold::Exclusive).unwrap();
    assert!(matches!(inspect(&store, id), Err(InspectError::InUse(_))));
}

#[test]
fn records_of_a_newer_version_are_never_exit_code_0() {
    let (memory, store, id, _) = session(Some(Outcome::Completed));
    let path = journal_of(&store, id);
    let report = inspect(&store, id).unwrap();
    let unsigned = format!(
        r#"{{"v":1,"sid":"{id}","seq":7,"prev":"{}","at":"{}","type":"telemetry","body":{{}}"#,
        report.head,
        at(9)
    );
    let domain = crate::journal::seal::Domain::Journal;
    let line = crate::journal::seal::seal(domain, unsigned.into_bytes(), &store.keys().current().unwrap());
    memory.overwrite(&path, &[memory.bytes(&path).unwrap(), line].concat());
    let report = inspect(&store, id).unwrap();
    assert_eq!((report.exit_code(), report.unknown_records, report.verified_records), (2, 1, 8));
}

#[test]
fn inspecting_changes_nothing_on_the_disk() {
    use std::os::unix::fs::MetadataExt;
    let dir = tempfile::tempdir().unwrap();
    let disk = Arc::new(crate::journal::files::Disk);
    let store = Store::open(&dir.path().join("data"), &dir.path().join("config"), Kind::Real, disk).unwrap();
    let mut open = store.create(new_session(), at(0)).unwrap();
    commit(&mut open, turn("one"));
    let id = open.id();
    drop(open);
    let path = journal_of(&store, id);
    // An access time that any reading would change.
    let long_ago = std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_000_000);
    let times = std::fs::FileTimes::new().set_accessed(long_ago);
    std::fs::File::options().append(true).open(&path).unwrap().set_times(times).unwrap();
    let state = |path: &Path| {
        let found = std::fs::metadata(path).unwrap();
        (found.atime(), found.mtime(), found.mtime_nsec(), found.ctime_nsec(), found.len(), found.ino())
    };
    let before = (state(&path), state(path.parent().unwrap()));
    assert_eq!(store.inspect(&InspectRequest::of(Target::Path(path.clone()))).unwrap().exit_code(), 0);
    assert_eq!((state(&path), state(path.parent().unwrap())), before);
    std::os::unix::fs::symlink(&path, dir.path().join("link")).unwrap();
    let error = store.inspect(&InspectRequest::of(Target::Path(dir.path().join("link")))).unwrap_err();
    assert!(error.to_string().contains("is a symbolic link"), "{error}");
    let error = store.inspect(&InspectRequest::of(Target::Path(dir.path().to_owned()))).unwrap_err();
    assert!(error.to_string().contains("is a directory"), "{error}");
}
