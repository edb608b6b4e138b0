//! The golden answers of `tests/fixtures/mino`, and the rules that its files do
//! not reach.

use super::*;
use crate::record::{
    Acknowledged, Committed, ContextItem, ItemKind, Record, Statement, StatementKind, Timestamp, UserMessage,
};
use crate::session::{ContextOptions, Session, context};
use crate::store::ids;
use std::path::PathBuf;

fn fixtures() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/mino")
}

fn golden(name: &str) -> Vec<Value> {
    let text = std::fs::read_to_string(fixtures().join(name)).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn import(bytes: &[u8]) -> Result<Draft, Refusal> {
    let mut draft = Draft::new(Timestamp::from_millis(0));
    read(bytes, &mut draft)?;
    Ok(draft)
}

fn import_file(folder: &str, answer: &Value) -> Result<Draft, Refusal> {
    let path = fixtures().join(folder).join(answer["file"].as_str().unwrap());
    import(&std::fs::read(path).unwrap())
}

/// An item of a context by what it means; calls are numbered, since an id that
/// comes back in a later turn is renamed here.
#[derive(Debug, PartialEq, Eq)]
enum Said {
    User(String),
    Assistant(String),
    Reasoning(String),
    Call(usize, String, String),
    Result(usize, String, Option<u64>, String),
    Notice,
}

#[derive(Default)]
struct Numbers(Vec<String>);

impl Numbers {
    fn call(&mut self, id: &str) -> usize {
        self.0.push(id.to_owned());
        self.0.len()
    }

    fn result(&self, id: &str, output: &str) -> Said {
        let number = self.0.iter().rposition(|known| known == id).unwrap() + 1;
        let told: Value = serde_json::from_str(output).unwrap();
        let status = told["status"].as_str().unwrap().to_owned();
        let outcome: Outcome = serde_json::from_value(told["status"].clone()).unwrap();
        // What stands for an output that there is not is worded here and there.
        let text = told["output"].as_str().filter(|_| outcome.is_observed_end()).unwrap_or_default();
        Said::Result(number, status, told["exit_code"].as_u64(), shortened(text))
    }
}

/// The model gets both ends of a long output.
fn shortened(text: &str) -> String {
    if text.len() > 16 << 10 { text[..100].to_owned() } else { text.to_owned() }
}

fn expected(input: &Value) -> Vec<Said> {
    let mut numbers = Numbers::default();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let said = |item: &Value| match (item["type"].as_str(), item["role"].as_str()) {
        (Some("function_call"), _) => {
            Said::Call(numbers.call(&text(&item["call_id"])), text(&item["name"]), text(&item["arguments"]))
        }
        (Some("function_call_output"), _) => numbers.result(&text(&item["call_id"]), &text(&item["output"])),
        (Some("reasoning"), _) => Said::Reasoning(item.to_string()),
        (Some("message"), _) => {
            let part = |part: &Value| text(part.get("text").unwrap_or(&part["refusal"]));
            Said::Assistant(item["content"].as_array().unwrap().iter().map(part).collect())
        }
        (_, Some("user")) => Said::User(text(&item["content"])),
        _ if text(&item["content"]).starts_with("Mino runtime notice:") => Said::Notice,
        _ => Said::Assistant(text(&item["content"])),
    };
    input.as_array().unwrap().iter().map(said).collect()
}

fn apply(session: &mut Session, record: impl Into<Record>) {
    let (seq, at) = (session.next_seq(), Timestamp::from_millis(1));
    session.apply(Committed { seq, at, record: record.into() }).unwrap();
}

/// What the next request would carry before its own message.
fn told(draft: &Draft) -> Vec<Said> {
    let mut session = draft.session().clone();
    let statement = |dispatch| Statement { dispatch, statement: StatementKind::MayHaveRun, note: None };
    let statements: Vec<_> = session.gating().iter().map(|effect| statement(effect.dispatch)).collect();
    if !statements.is_empty() {
        apply(&mut session, Acknowledged { statements, by: crate::record::By::User, ext: None });
    }
    let message = UserMessage { turn: ids::turn(), text: "next".into(), imported: false, ext: None };
    apply(&mut session, message);
    let options = ContextOptions { output_to_model_bytes: 16 << 10, spool: &|_| None };
    let mut items = context(&session, options).unwrap();
    assert!(matches!(items.pop(), Some(ContextItem::User { text }) if text == "next"));
    let mut numbers = Numbers::default();
    let said = |item: ContextItem| match item {
        ContextItem::User { text } => Said::User(text),
        ContextItem::Notice { .. } => Said::Notice,
        ContextItem::Result { call_id, output } => numbers.result(call_id.as_str(), &output),
        ContextItem::Model { item, .. } => match item.kind {
            ItemKind::Message { text, refusal, .. } => Said::Assistant(text + &refusal),
            ItemKind::Reasoning { .. } => {
                Said::Reasoning(serde_json::from_str::<Value>(item.raw.get()).unwrap().to_string())
            }
            ItemKind::Call { call_id, name, arguments } => {
                Said::Call(numbers.call(call_id.as_str()), name, arguments)
            }
            ItemKind::Other { kind } => panic!("{kind}"),
        },
    };
    items.into_iter().map(said).collect()
}

#[test]
fn what_is_valid_gives_the_same_context_and_the_same_gate() {
    let answers = golden("expected_valid.jsonl");
    assert!(answers.len() > 30);
    for answer in &answers {
        let file = answer["file"].as_str().unwrap();
        if file == "62_v3_context_compaction.jsonl" {
            let refusal = import_file("valid", answer).err().unwrap();
            assert_eq!(refusal.rule, Rule::Version(3));
            continue;
        }
        let draft = import_file("valid", answer).unwrap_or_else(|refusal| panic!("{file}: {refusal}"));
        let mut input = expected(&answer["input"]);
        // A saved answer is an answer.
        if file.starts_with("37_") {
            input =
                vec![Said::User("What is the capital of France?".into()), Said::Assistant("Paris.".into())];
        }
        if file.starts_with("38_") {
            assert_eq!(input.pop(), Some(Said::Notice));
        }
        assert_eq!(told(&draft), input, "{file}");
        assert_eq!(draft.session().is_gated(), answer["gate_closed"] == true, "{file}");
        assert!(draft.session().open_turn().is_none(), "{file}");
    }
}

#[test]
fn what_restart_would_append_is_counted() {
    for answer in &golden("expected_valid.jsonl") {
        let file = answer["file"].as_str().unwrap();
        let Ok(draft) = import_file("valid", answer) else { continue };
        let path = fixtures().join("valid").join(file);
        let length = std::fs::metadata(path).unwrap().len();
        let (_, summary) = draft.finish();
        let appended = answer["appended"].as_array().unwrap();
        let with =
            |word: &str| appended.iter().filter(|line| line.as_str().unwrap().contains(word)).count() as u64;
        let closed = (summary.closed_unknown, summary.closed_not_executed, summary.closed_turns);
        let expected = (with("\"status\":\"unknown\""), with("not_executed"), with("turn_end"));
        assert_eq!(closed, expected, "{file}");
        let kept = answer["truncate_to"].as_u64().unwrap_or(length);
        assert_eq!(summary.dropped_bytes, length - kept, "{file}");
        assert_eq!(summary.gating, answer["unacked_turns"].as_array().unwrap().len() as u64, "{file}");
    }
}

#[test]
fn what_is_invalid_is_refused_at_the_same_line() {
    let answers = golden("expected_invalid.jsonl");
    assert!(answers.len() > 30);
    for answer in &answers {
        let error = answer["error"].as_str().unwrap();
        let line = error.split("at line ").nth(1).unwrap();
        let line: String = line.chars().take_while(char::is_ascii_digit).collect();
        let refusal = import_file("invalid", answer).err().unwrap_or_else(|| panic!("{answer}"));
        let mut expected = Place::Line(line.parse().unwrap());
        if answer["file"] == "58_compaction_not_at_a_turn_end.jsonl" {
            // The whole version is refused, and so its first line.
            assert_eq!(refusal.rule, Rule::Version(3));
            expected = refusal.place;
        }
        assert_eq!(refusal.place, expected, "{answer}: {refusal}");
    }
}

const TURN: &str = "1f3c9a70d2e84b56a1b2c3d4e5f60718";

fn line(seq: u64, rest: &str) -> String {
    format!("{{\"v\":2,\"seq\":{seq},\"turn_id\":\"{TURN}\",{rest}}}\n")
}

fn lines(rests: &[&str]) -> String {
    rests.iter().zip(1..).map(|(rest, seq)| line(seq, rest)).collect()
}

const ASKED: &str = r#""kind":"user_message","text":"Do it.""#;
const CALLED: &str = r#""kind":"model_response","output":[{"type":"function_call","call_id":"c","name":"bash","arguments":"{\"command\":\"true\"}"}]"#;
const STARTED: &str =
    r#""kind":"tool_start","call_id":"c","name":"bash","arguments":{"command":"true"},"cwd":"/""#;

#[test]
fn every_rule_names_its_line() {
    let ended = |result: &str| format!(r#""kind":"tool_result","call_id":"c","result":{result}"#);
    let rule =
        |rests: &[&str]| import(lines(rests).as_bytes()).err().map(|refusal| (refusal.place, refusal.rule));
    let refused = |rests: &[&str], rule_of: Rule| {
        assert_eq!(rule(rests), Some((Place::Line(rests.len() as u64), rule_of)), "{rests:?}");
    };
    refused(&[ASKED, ASKED], Rule::TurnIdUsed);
    refused(&[r#""kind":"turn_end","status":"failed""#], Rule::Turn);
    refused(&[ASKED, r#""kind":"turn_end","status":"lost""#], Rule::Status("lost".into()));
    refused(
        &[ASKED, r#""kind":"turn_end","status":"failed","text":"x""#],
        Rule::Field { kind: "turn_end", field: "text" },
    );
    refused(
        &[ASKED, CALLED, r#""kind":"tool_result","call_id":"c""#],
        Rule::Needs { kind: "tool_result", field: "result" },
    );
    refused(&[ASKED, CALLED, STARTED, STARTED], Rule::Call);
    refused(&[ASKED, CALLED, &STARTED.replace("\"cwd\":\"/\"", "\"cwd\":\"here\"")], Rule::Directory);
    refused(
        &[ASKED, CALLED, STARTED, &ended(r#"{"status":"failed","output":"","exit_code":256}"#)],
        Rule::Result("an exit code is between 0 and 255"),
    );
    refused(
        &[ASKED, CALLED, STARTED, &ended(r#"{"status":"denied","output":""}"#)],
        Rule::Result("its status is that of a call that was not started"),
    );
    let long = format!(r#"{{"status":"failed","output":"{}"}}"#, "x".repeat(65_537));
    refused(&[ASKED, CALLED, STARTED, &ended(&long)], Rule::Result("its output has more than 65,536 bytes"));
    let large = format!(r#""kind":"model_response","text":"{}""#, "x".repeat(1 << 20));
    assert!(matches!(rule(&[ASKED, &large]), Some((Place::Line(2), Rule::LongRecord(_)))));
    let large = format!(r#""kind":"user_message","text":"{}""#, "x".repeat((256 << 10) + 1));
    assert!(matches!(rule(&[&large]), Some((Place::Line(1), Rule::Order(_)))));
}

#[test]
fn bytes_that_are_not_utf8_are_refused_on_the_last_line_too() {
    let mut bytes = lines(&[ASKED]).into_bytes();
    let at = bytes.len() - 6;
    bytes[at] = 0xff;
    assert_eq!(import(&bytes).err(), Some(Place::Line(1).refuse(Rule::Utf8)));
}

#[test]
fn a_line_that_is_too_long_is_not_read() {
    let bytes = [vec![b' '; 16 << 20], b"\n".to_vec()].concat();
    assert_eq!(import(&bytes).err(), Some(Place::Line(1).refuse(Rule::LongLine)));
}

#[test]
fn carriage_returns_between_tokens_do_not_tear_a_line() {
    let text = lines(&[ASKED, &CALLED.replace(",\"name\"", ",\r\"name\"")]).replace('\n', "\r\n");
    let draft = import(text.as_bytes()).unwrap();
    assert_eq!(draft.session().turns()[0].calls().count(), 1);
}
