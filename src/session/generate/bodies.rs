//! Bodies in their ordinary form, to be changed where a test wants another.

use crate::record::{
    Acknowledged, Approval, By, CallId, Decision, Digest, DispatchId, EffectReference, Evidence, KeyId,
    ModelResponse, Operation, Origin, Outcome, SessionStarted, Statement, StatementKind, TailMoved,
    Timestamp, ToolResult, ToolStarted, TurnEnded, TurnExtended, TurnId, TurnStatus, UserMessage,
};
use serde_json::value::RawValue;

pub(crate) const CWD: &str = "/home/me/shop";

pub(crate) fn call_id(text: &str) -> CallId {
    CallId::new(text).unwrap()
}

pub(crate) fn raw(text: &str) -> Box<RawValue> {
    RawValue::from_string(text.to_owned()).unwrap()
}

/// The mark of a copied record.
pub(crate) fn copy_mark(at: Timestamp) -> Option<Box<RawValue>> {
    Some(raw(&format!("{{\"at\":\"{at}\"}}")))
}

pub(crate) fn operation(command: &str) -> Operation {
    timed_operation(command, 300_000)
}

pub(crate) fn timed_operation(command: &str, timeout_ms: u64) -> Operation {
    let names = vec!["HOME".to_owned(), "PATH".to_owned()];
    let bash = crate::record::BashOperation::new(command.into(), CWD.into(), timeout_ms, None, names);
    Operation::bash(&bash).unwrap()
}

pub(crate) fn begun(origin: Origin) -> SessionStarted {
    SessionStarted {
        app: "candor 0.1.0".into(),
        key_id: KeyId::of(&[7; 32]),
        cwd: CWD.into(),
        title: Some("Add milk".into()),
        origin,
        ext: None,
    }
}

pub(crate) fn imported_origin() -> Origin {
    Origin::Imported { format: "mino-2".into(), name: "a.jsonl".into(), sha256: Digest::of(b"file") }
}

pub(crate) fn forked_origin(unknown: Vec<EffectReference>) -> Origin {
    Origin::Forked { sid: super::session_id(99), seq: 40, head: Digest::of(b"line"), unknown }
}

pub(crate) fn reference(dispatch: DispatchId, command: &str) -> EffectReference {
    EffectReference { dispatch, operation: operation(command), started_at: Timestamp::from_millis(5_000) }
}

pub(crate) fn message(turn: TurnId, text: &str) -> UserMessage {
    UserMessage { turn, text: text.into(), imported: false, ext: None }
}

pub(crate) fn text_item(text: &str) -> String {
    let text = serde_json::to_string(text).unwrap();
    format!(r#"{{"type":"message","role":"assistant","content":[{{"type":"output_text","text":{text}}}]}}"#)
}

/// A call with white space and fields that nobody asked for, which must be kept.
pub(crate) fn call_item(id: &str, command: &str) -> String {
    let id = serde_json::to_string(id).unwrap();
    let arguments = serde_json::to_string(&serde_json::json!({ "command": command }).to_string()).unwrap();
    format!(
        r#"{{"type":"function_call", "call_id" : {id},"name":"bash","arguments":{arguments},"x":{{"call_id":1.0e2}}}}"#
    )
}

pub(crate) fn response(turn: TurnId, items: &[String]) -> ModelResponse {
    ModelResponse {
        turn,
        items: items.iter().map(|item| raw(item).into()).collect(),
        protocol: "responses".into(),
        server: Some("https://api.example/v1".into()),
        model: Some("m1".into()),
        response_id: None,
        usage: None,
        duration_ms: Some(1_200),
        instructions_sha256: Some(Digest::of(b"soul")),
        ext: None,
    }
}

pub(crate) fn approval(turn: TurnId, call: &CallId, operation: Operation) -> Approval {
    Approval {
        turn,
        call: call.clone(),
        decision: Decision::Approved,
        by: By::User,
        rule: None,
        standing: false,
        fingerprint: operation.fingerprint(),
        operation,
        edited: false,
        feedback: None,
        ext: None,
    }
}

pub(crate) fn started(
    turn: TurnId,
    call: &CallId,
    dispatch: DispatchId,
    operation: Operation,
) -> ToolStarted {
    ToolStarted {
        turn,
        call: call.clone(),
        dispatch,
        fingerprint: operation.fingerprint(),
        operation,
        repeats: None,
        ext: None,
    }
}

/// A result with the exit code or signal that goes with its outcome.
pub(crate) fn result(
    turn: TurnId,
    call: &CallId,
    dispatch: DispatchId,
    outcome: Outcome,
    evidence: Evidence,
) -> ToolResult {
    let mut result = ToolResult::of_dispatch(turn, call.clone(), dispatch, outcome, evidence);
    match outcome {
        Outcome::Completed => result.exit_code = Some(0),
        Outcome::Failed => result.exit_code = Some(2),
        Outcome::TimedOut | Outcome::Cancelled | Outcome::OutputLimit => result.signal = Some(15),
        Outcome::Unknown
        | Outcome::Denied
        | Outcome::InvalidArguments
        | Outcome::UnknownTool
        | Outcome::NotExecuted => {}
    }
    result
}

pub(crate) fn ended(turn: TurnId, status: TurnStatus) -> TurnEnded {
    TurnEnded { turn, status, error: None, ext: None }
}

pub(crate) fn extended(turn: TurnId) -> TurnExtended {
    TurnExtended { turn, model_requests: 50, tool_calls: 100, by: By::User, ext: None }
}

pub(crate) fn says(dispatch: DispatchId, statement: StatementKind) -> Statement {
    Statement { dispatch, statement, note: None }
}

pub(crate) fn acknowledged(statements: Vec<Statement>) -> Acknowledged {
    Acknowledged { statements, by: By::User, ext: None }
}

pub(crate) fn tail_moved() -> TailMoved {
    TailMoved { offset: 4_096, bytes: 17, sha256: Digest::of(b"{\"v\":1,\"sid\":\"01"), ext: None }
}
