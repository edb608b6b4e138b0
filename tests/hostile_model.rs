//! A model that lies. Whatever it sends, nothing runs that nobody approved, no
//! control sequence reaches the terminal, one sentence says what was wrong, and
//! the session goes on.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::disallowed_methods
)] // a test may fail, and owns its files

#[path = "support/byte_server.rs"]
#[allow(dead_code, unreachable_pub)] // this binary uses its own part of it
mod byte_server;
#[path = "support/served.rs"]
#[allow(dead_code, unreachable_pub)] // this binary uses its own part of it
mod served;
mod support;

use byte_server::Step;
use serde_json::{Value, json};
use served::{Scene, bad_then_good, call, completed, delta, good, stream};

const TOUCH: &str = r#"{"command":"touch made"}"#;

fn sse(text: &str) -> Vec<Step> {
    vec![Step::head("200 OK", "text/event-stream", &[]), Step::text(text)]
}

/// The answer is refused as a whole.
fn refused(name: &str, bad: &[Step], sentence: &str) {
    println!("{name}");
    let mut scene = bad_then_good(&bad.to_vec(), 1);
    scene.say(name).expect(sentence);
    scene.goes_on(name);
    assert!(!scene.scratch.work().join("made").exists(), "{name}");
    clean(&scene);
}

/// What was printed holds no sequence but Candor's own, which as lines are none.
fn clean(scene: &Scene) {
    let printed = scene.terminal.printed();
    let acts = |c: char| c.is_control() && !matches!(c, '\r' | '\n');
    assert!(!printed.contains(acts), "{printed:?}");
}

#[test]
fn an_answer_past_every_bound_is_refused_whole() {
    let many: Vec<Value> = (0..10_000).map(|n| call(Some(&format!("c{n}")), TOUCH)).collect();
    refused("ten thousand calls", &stream(&[completed(&many)]), "cannot be used");

    let long = json!({"command": "x".repeat(1 << 20)}).to_string();
    refused("arguments of a mebibyte", &stream(&[completed(&[call(Some("c1"), &long)])]), "cannot be used");

    let deep = format!("{}{}", "{\"command\":".repeat(1_000), "1".to_owned() + &"}".repeat(1_000));
    refused("deep nesting", &stream(&[completed(&[call(Some("c1"), &deep)])]), "cannot be used");

    let long_id = "c".repeat(65);
    refused("an id of 65 bytes", &stream(&[completed(&[call(Some(&long_id), TOUCH)])]), "cannot be used");
}

#[test]
fn a_call_that_says_two_things_is_not_asked_about() {
    let twice = r#"{"command":"true","command":"touch made"}"#;
    let mut scene = Scene::new(vec![stream(&[completed(&[call(Some("c1"), twice)])]), good()]);
    scene
        .say("twice")
        .expect("The model's arguments cannot be used")
        .expect("Here it is.")
        .expect("\n> ")
        .send("\u{4}");
    assert_eq!(scene.terminal.wait_exit(), 0);
    assert!(scene.scratch.records("approval").is_empty() && !scene.scratch.work().join("made").exists());
    assert_eq!(scene.scratch.records("tool_result")[0]["outcome"], "invalid_arguments");
}

#[test]
fn tools_that_do_not_exist_are_answered_without_a_person() {
    let mut unknown = call(Some("c1"), TOUCH);
    unknown["name"] = "\u{1b}[2Jsudo".into();
    let mut scene = Scene::new(vec![stream(&[completed(&[unknown])]), good()]);
    scene
        .say("other")
        .expect("asked for a tool that does not exist")
        .expect("Here it is.")
        .expect("\n> ")
        .send("\u{4}");
    assert_eq!(scene.terminal.wait_exit(), 0);
    assert!(scene.scratch.records("approval").is_empty());
    clean(&scene);
}

#[test]
fn an_id_of_an_earlier_turn_is_a_call_of_its_own() {
    let ask = || stream(&[completed(&[call(Some("c1"), r#"{"command":"echo x >> list"}"#)])]);
    let mut scene = Scene::new(vec![ask(), good(), ask(), good()]);
    for _ in 0..2 {
        scene.say("Add").expect("run or deny> ").send("run\n");
        scene.terminal.expect("completed, exit 0").expect("Here it is.");
    }
    scene.terminal.expect("\n> ").send("\u{4}");
    assert_eq!(scene.terminal.wait_exit(), 0);
    assert_eq!(scene.scratch.read("list"), "x\nx\n");
    // The server is never sent one id for two calls.
    let input = scene.last_input();
    let mut ids: Vec<_> = input
        .iter()
        .filter(|item| item["type"] == "function_call")
        .map(|item| item["call_id"].clone())
        .collect();
    assert_eq!(ids.len(), 2);
    ids.dedup();
    assert_eq!(ids.len(), 2, "{input:#?}");

    // Twice in one turn it is no answer.
    let mut scene = Scene::new(vec![ask(), ask(), good()]);
    scene.say("Add").expect("run or deny> ").send("run\n");
    scene.terminal.expect("completed, exit 0").expect("cannot be used");
    scene.terminal.expect("\n> ").send("\u{4}");
    assert_eq!(scene.terminal.wait_exit(), 0);
    assert_eq!(scene.scratch.read("list"), "x\n");
    assert_eq!(scene.turns(), ["failed"]);
}

#[test]
fn text_that_imitates_candor_stays_the_models() {
    let said = "Candor: everything was approved.\n Candor\n\u{1b}[1A\u{1b}[2KCandor: completed, exit 0\n> run\nrun or deny> ";
    let message = json!({"type": "message", "id": "msg_1", "role": "assistant", "status": "completed",
        "content": [{"type": "output_text", "text": said, "annotations": []}]});
    let mut scene = Scene::new(vec![stream(&[delta(said), completed(&[message])])]);
    scene.say("Hello").expect("run or deny> ").expect("\n> ").send("\u{4}");
    assert_eq!(scene.terminal.wait_exit(), 0);
    let printed = scene.terminal.printed();
    let own = |line: &str| line.starts_with("Candor") || line.starts_with(" Candor");
    let after = &printed[printed.find("Hello").unwrap()..];
    assert!(!after.lines().any(own), "{after}");
    clean(&scene);
}

#[test]
fn events_out_of_order_change_nothing_about_what_is_complete() {
    let made = call(Some("c1"), TOUCH);
    let bad = [
        json!({"type": "response.output_item.done", "output_index": 7, "item": made}),
        json!({"type": "response.function_call_arguments.delta", "item_id": "nowhere", "delta": "{\"command\":"}),
        json!({"type": "response.created", "response": {"id": "resp_0", "status": "in_progress"}}),
        json!({"type": "response.output_text.done", "text": "never begun"}),
    ];
    // Nothing was completed: the stream just ends, as often as it is asked.
    let mut scene = bad_then_good(&stream(&bad), 5);
    scene.say("Order").expect("Nothing was run");
    scene.goes_on("Order");
    assert!(!scene.scratch.work().join("made").exists());
}

#[test]
fn a_stream_without_an_end_is_cut_at_its_bound() {
    let mut word = delta("word ");
    word["padding"] = "x".repeat(1 << 16).into();
    let line = format!("data: {word}\n\n");
    let head = Step::head("200 OK", "text/event-stream", &[]);
    let endless = vec![head, Step::Forever(line.into_bytes())];
    refused("endless", &endless, "Nothing was run");
}

#[test]
fn a_line_without_an_end_is_cut_at_its_bound() {
    let head = Step::head("200 OK", "text/event-stream", &[]);
    let endless = vec![head, Step::text("data: "), Step::Forever(vec![b'x'; 1 << 16])];
    refused("one line", &endless, "Nothing was run");
}

#[test]
fn data_over_several_lines_is_one_event() {
    let event =
        serde_json::to_string_pretty(&completed(&[call(Some("c1"), r#"{"command":"echo fine"}"#)])).unwrap();
    let lines: String = event.lines().map(|line| format!("data: {line}\n")).collect();
    let mut scene = Scene::new(vec![sse(&format!("event: response.completed\n{lines}\n")), good()]);
    scene.say("Pretty").expect("echo fine").expect("run or deny> ").send("run\n");
    scene.terminal.expect("completed, exit 0").expect("Here it is.").expect("\n> ").send("\u{4}");
    assert_eq!(scene.terminal.wait_exit(), 0);
}
