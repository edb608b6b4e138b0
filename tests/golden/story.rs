//! The records of the golden journal: every type, and most of what each may hold.

use candor::record::{
    Acknowledged, Approval, BashOperation, By, CallId, Decision, Digest, DispatchId, Evidence, KeyId,
    ModelResponse, Operation, Origin, Outcome, Record, SessionRenamed, SessionStarted, Statement,
    StatementKind, Survivor, TailMoved, Timestamp, ToolResult, ToolStarted, TurnEnded, TurnExtended, TurnId,
    TurnStatus, Usage, UserMessage, excerpt,
};
use serde_json::value::RawValue;

/// The session of the golden journal.
pub const SESSION: &str = "019ae2d8-1f3b-7abc-8def-0123456789ab";

fn turn(number: u8) -> TurnId {
    TurnId::parse(&format!("019ae2d8-1f3b-7000-8000-0000000000{number:02x}")).unwrap()
}

fn dispatch(number: u8) -> DispatchId {
    DispatchId::parse(&format!("019ae2d8-2000-7000-9000-0000000000{number:02x}")).unwrap()
}

fn raw(text: &str) -> Box<RawValue> {
    RawValue::from_string(text.to_owned()).unwrap()
}

fn call_id(text: &str) -> CallId {
    CallId::new(text).unwrap()
}

fn time(text: &str) -> Option<Timestamp> {
    Some(Timestamp::parse(text).unwrap())
}

fn operation(command: &str) -> Operation {
    let names = vec!["PATH".to_owned(), "HOME".to_owned()];
    Operation::bash(&BashOperation::new(command.into(), "/home/me/shop".into(), 300_000, None, names))
        .unwrap()
}

fn limited(command: &str) -> Operation {
    let names = vec!["PATH".to_owned()];
    Operation::bash(&BashOperation::new(command.into(), "/home/me/shop".into(), 5_000, Some(65_536), names))
        .unwrap()
}

fn message(number: u8, text: &str) -> Record {
    UserMessage { turn: turn(number), text: text.into(), imported: false, ext: None }.into()
}

fn call(id: &str, name: &str, arguments: &str) -> String {
    let arguments = serde_json::to_string(arguments).unwrap();
    format!(
        r#"{{"type":"function_call","id":"fc_{id}", "call_id" : "{id}","name":"{name}","arguments":{arguments},"status":"completed"}}"#
    )
}

fn bash(id: &str, command: &str) -> String {
    call(id, "bash", &serde_json::json!({ "command": command }).to_string())
}

fn answer(text: &str) -> String {
    let text = serde_json::to_string(text).unwrap();
    format!(
        r#"{{"type":"message","role":"assistant","content":[{{"type":"output_text","text":{text},"annotations":[]}}]}}"#
    )
}

fn response(number: u8, items: &[String], usage: Option<Usage>) -> Record {
    ModelResponse {
        turn: turn(number),
        items: items.iter().map(|item| raw(item).into()).collect(),
        protocol: "responses".into(),
        server: Some("https://api.example/v1".into()),
        model: Some("gpt-5.6".into()),
        response_id: usage.map(|_| "resp_1".into()),
        usage,
        duration_ms: Some(1_250),
        instructions_sha256: Some(Digest::of(b"the instructions")),
        ext: None,
    }
    .into()
}

fn approved(number: u8, id: &str, operation: &Operation) -> Approval {
    Approval {
        turn: turn(number),
        call: call_id(id),
        decision: Decision::Approved,
        by: By::User,
        rule: None,
        standing: false,
        fingerprint: operation.fingerprint(),
        operation: operation.clone(),
        edited: false,
        feedback: None,
        ext: None,
    }
}

fn started(number: u8, id: &str, execution: u8, operation: &Operation) -> ToolStarted {
    ToolStarted {
        turn: turn(number),
        call: call_id(id),
        dispatch: dispatch(execution),
        fingerprint: operation.fingerprint(),
        operation: operation.clone(),
        repeats: None,
        ext: None,
    }
}

fn result(
    number: u8,
    id: &str,
    execution: u8,
    outcome: Outcome,
    evidence: Evidence,
    output: &str,
) -> ToolResult {
    let mut result =
        ToolResult::of_dispatch(turn(number), call_id(id), dispatch(execution), outcome, evidence);
    result.output = Some(output.into());
    result.output_bytes = Some(output.len() as u64);
    result.output_sha256 = Some(Digest::of(output.as_bytes()));
    result
}

fn refused(number: u8, id: &str, outcome: Outcome) -> Record {
    ToolResult::without_dispatch(turn(number), call_id(id), outcome).into()
}

fn ended(number: u8, status: TurnStatus, error: Option<&str>) -> Record {
    TurnEnded { turn: turn(number), status, error: error.map(String::from), ext: None }.into()
}

/// All records, in their order.
pub fn records(key_id: KeyId) -> Vec<Record> {
    let started = SessionStarted {
        app: "candor 0.1.0".into(),
        key_id,
        cwd: "/home/me/shop".into(),
        title: Some("Add milk to \"shopping.txt\"".into()),
        origin: Origin::New {},
        ext: None,
    };
    [vec![started.into()], a_completed_turn(), a_turn_of_many_ends(), an_interrupted_turn(), a_repetition()]
        .concat()
}

fn a_completed_turn() -> Vec<Record> {
    let milk = operation("echo milk >> shopping.txt");
    let reasoning = r#"{"type":"reasoning","id":"rs_1","summary":[{"type":"summary_text","text":"caf\u00e9 \/ \ud83d\ude00"}],"encrypted_content":"gAAA","n":1.0e2,"big":12345678901234567890123}"#;
    let usage = Usage { input: Some(412), cached: Some(0), output: Some(37), reasoning: Some(12) };
    let mut done =
        result(1, "call_1", 1, Outcome::Completed, Evidence::Live, "a\tb\n\u{1}\u{7f}\\ \"é\" 😀\u{fffd}\n");
    done.exit_code = Some(0);
    done.started_at = time("2026-11-29T20:13:08.004Z");
    done.ended_at = time("2026-11-29T20:13:08.010Z");
    vec![
        message(1, "Add milk to \"shopping.txt\".\nPlease."),
        response(1, &[reasoning.into(), bash("call_1", "echo milk >> shopping.txt")], Some(usage)),
        Approval { standing: true, ..approved(1, "call_1", &milk) }.into(),
        started(1, "call_1", 1, &milk).into(),
        done.into(),
        response(1, &[answer("Milk is on the list.")], None),
        ended(1, TurnStatus::Completed, None),
    ]
}

fn a_turn_of_many_ends() -> Vec<Record> {
    let (milk, wait) = (operation("echo milk >> shopping.txt"), limited("sleep 60 & yes 0123456789abcde"));
    let (publish, make) = (operation("git push"), operation("make 'test <&>'"));
    let by_rule = Approval { by: By::Rule, rule: Some(3), ..approved(2, "call_1", &milk) };
    let mut failed = result(2, "call_1", 2, Outcome::Failed, Evidence::Live, "");
    failed.exit_code = Some(2);
    let mut stopped = result(2, "call_2", 3, Outcome::TimedOut, Evidence::Receipt, "");
    let spool = "0123456789abcde\n".repeat(4_200);
    let kept = excerpt(spool.as_bytes(), spool.as_bytes(), spool.len() as u64);
    (stopped.output, stopped.truncated) = (Some(kept.text), kept.truncated);
    stopped.output_bytes = Some(spool.len() as u64);
    stopped.output_sha256 = Some(Digest::of(spool.as_bytes()));
    stopped.signal = Some(15);
    (stopped.output_lost, stopped.pipe_held) = (true, true);
    stopped.survivors = Some(vec![Survivor { pid: 4190, command: "sleep 60".into() }]);
    let denied = Approval {
        decision: Decision::Denied,
        feedback: Some("Not on a Friday.".into()),
        ..approved(2, "call_3", &publish)
    };
    let mut cancelled = result(2, "call_7", 5, Outcome::Cancelled, Evidence::Live, "building\n");
    cancelled.exit_code = Some(130);
    let calls = [
        bash("call_1", "echo milk >> shopping.txt"),
        bash("call_2", "sleep 60 & yes 0123456789abcde"),
        bash("call_3", "git push"),
        call("call_4", "bash", r#"{"command":""}"#),
        call("call_5", "python", "{}"),
    ];
    let extended =
        TurnExtended { turn: turn(2), model_requests: 50, tool_calls: 100, by: By::User, ext: None };
    vec![
        message(2, "Again, and publish it."),
        response(2, &calls, None),
        by_rule.into(),
        started(2, "call_1", 2, &milk).into(),
        failed.into(),
        Approval { edited: true, ..approved(2, "call_2", &wait) }.into(),
        started(2, "call_2", 3, &wait).into(),
        stopped.into(),
        denied.into(),
        refused(2, "call_3", Outcome::Denied),
        refused(2, "call_4", Outcome::InvalidArguments),
        refused(2, "call_5", Outcome::UnknownTool),
        message(2, "And run the tests."),
        extended.into(),
        response(2, &[bash("call_6", "make"), bash("call_7", "make 'test <&>'"), bash("call_8", "ls")], None),
        approved(2, "call_6", &operation("make")).into(),
        started(2, "call_6", 4, &operation("make")).into(),
        result(2, "call_6", 4, Outcome::NotExecuted, Evidence::NotLaunched, "").into(),
        approved(2, "call_7", &make).into(),
        started(2, "call_7", 5, &make).into(),
        cancelled.into(),
        refused(2, "call_8", Outcome::NotExecuted),
        ended(2, TurnStatus::Cancelled, None),
    ]
}

fn an_interrupted_turn() -> Vec<Record> {
    let pay = operation("curl -X POST https://pay.example/charge -d @order.json");
    let said = Statement {
        dispatch: dispatch(6),
        statement: StatementKind::MayHaveRun,
        note: Some("The bank's page does not say.".into()),
    };
    let calls =
        [bash("call_1", "curl -X POST https://pay.example/charge -d @order.json"), bash("call_2", "ls")];
    vec![
        SessionRenamed { title: "Milk and pay".into(), ext: Some(raw(r#"{"later":{"n":1.0}}"#)) }.into(),
        message(3, "Pay the order."),
        response(3, &calls, None),
        approved(3, "call_1", &pay).into(),
        started(3, "call_1", 6, &pay).into(),
        TailMoved { offset: 16_384, bytes: 17, sha256: Digest::of(b"{\"v\":1,\"sid\":\"019"), ext: None }
            .into(),
        result(3, "call_1", 6, Outcome::Unknown, Evidence::None, "sending\n").into(),
        refused(3, "call_2", Outcome::NotExecuted),
        ended(3, TurnStatus::Interrupted, None),
        Acknowledged { statements: vec![said], by: By::User, ext: None }.into(),
    ]
}

fn a_repetition() -> Vec<Record> {
    let pay = operation("curl -X POST https://pay.example/charge -d @order.json");
    let mut done = result(4, "call_1", 7, Outcome::Completed, Evidence::Receipt, "paid\n");
    done.exit_code = Some(0);
    vec![
        message(4, "It was not paid. Pay it again."),
        response(4, &[bash("call_1", "curl -X POST https://pay.example/charge -d @order.json")], None),
        approved(4, "call_1", &pay).into(),
        ToolStarted { repeats: Some(dispatch(6)), ..started(4, "call_1", 7, &pay) }.into(),
        done.into(),
        ended(4, TurnStatus::Failed, Some("Nothing answers at https://api.example/v1.")),
    ]
}
