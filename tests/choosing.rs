//! Choosing a model: at the first start, later with `/model`, and what is left
//! when a conversation no longer fits into it.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::disallowed_methods)] // a test may fail, and owns its files

#[path = "support/byte_server.rs"]
#[allow(dead_code, unreachable_pub)] // this binary uses its own part of it
mod byte_server;
mod support;

use byte_server::{ByteServer, Step};
use serde_json::json;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use support::{Scratch, Terminal};
use tokio::runtime::Runtime;

fn served(scripts: Vec<Vec<Step>>) -> (Runtime, ByteServer) {
    let runtime = Runtime::new().unwrap();
    let server = runtime.block_on(ByteServer::start(scripts)).unwrap();
    (runtime, server)
}

fn answer(status: &str, body: &serde_json::Value) -> Vec<Step> {
    vec![Step::head(status, "application/json", &[]), Step::text(&body.to_string())]
}

fn offers(names: &[&str]) -> Vec<Step> {
    let data: Vec<_> = names.iter().map(|name| json!({"id": name})).collect();
    answer("200 OK", &json!({"data": data}))
}

/// A server that does not stream answers with one object.
fn says(text: &str) -> Vec<Step> {
    let message = json!({"type": "message", "id": "msg_1", "role": "assistant", "status": "completed",
        "content": [{"type": "output_text", "text": text, "annotations": []}]});
    answer(
        "200 OK",
        &json!({"id": "resp_1", "object": "response", "status": "completed", "output": [message]}),
    )
}

fn settings_file(scratch: &Scratch) -> PathBuf {
    scratch.home().join("config/config.toml")
}

/// The number before this offer; it depends on what runs on this machine.
fn number_of(terminal: &mut Terminal, offer: &str) -> String {
    terminal.expect(offer);
    let printed = terminal.printed();
    let line = printed.lines().find(|line| line.contains(offer)).unwrap();
    line.split_whitespace().next().unwrap().to_owned()
}

fn leave(mut terminal: Terminal) {
    terminal.send("\u{4}");
    assert_eq!(terminal.wait_exit(), 0, "{}", terminal.printed());
}

#[test]
fn the_first_start_tests_the_connection_and_writes_the_settings() {
    let (_runtime, server) = served(vec![
        answer("401 Unauthorized", &json!({})),
        offers(&["small", "large"]),
        says("Hello from the model."),
    ]);
    let scratch = Scratch::new();
    let mut terminal = scratch.start_with(&["--plain"], &[("SHOP_KEY", "sk-verysecret")]);
    let other = number_of(&mut terminal, "another server");
    terminal.expect("number> ").send("99\n");
    terminal.expect("A number from 1 to").expect("number> ").send(&format!("{other}\n"));
    let base_url = format!("{}/v1", server.origin);
    terminal.expect("base URL").expect("> ").send(&format!("{base_url}\n"));
    terminal.expect("key> ").send("SHOP_KEY\n");
    terminal.expect("The server refused the key in SHOP_KEY (401)");
    terminal.expect("number> ").send(&format!("{other}\n"));
    terminal.expect("base URL").expect("> ").send(&format!("{base_url}\n"));
    terminal.expect("key> ").send("SHOP_KEY\n");
    terminal.expect("It answers.").expect("large").expect("model> ").send("small\n");
    terminal.expect("New conversation").expect("small").expect("\n> ").send("Hello\n");
    terminal.expect("Hello from the model.").expect("\n> ");
    leave(terminal);

    let file = settings_file(&scratch);
    let text = std::fs::read_to_string(&file).unwrap();
    assert!(text.contains("name = \"small\"") && text.contains(&base_url) && text.contains("SHOP_KEY"));
    assert!(!text.contains("verysecret"));
    assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    let asked = server.asked();
    assert!(asked.iter().all(|asked| asked.head.contains("Bearer sk-verysecret")));

    // Nothing is asked the next time.
    let mut again = scratch.start(&["--plain"]);
    again.expect("New conversation").expect("small").expect("\n> ");
    leave(again);
}

#[test]
fn the_first_start_offers_the_demo_and_can_be_left() {
    let scratch = Scratch::new();
    let mut terminal = scratch.start(&["--plain"]);
    terminal.expect("number> ");
    leave(terminal);
    assert!(!settings_file(&scratch).exists() && scratch.sessions().is_empty());

    let mut terminal = scratch.start(&["--plain"]);
    terminal.expect("1  the demo").expect("number> ").send("1\n");
    terminal.expect("Demo: the answers are scripted").expect("\n> ");
    leave(terminal);
    assert!(!settings_file(&scratch).exists(), "the demo is no choice for ever");

    // The full screen begins with the same question.
    let mut terminal = scratch.start(&[]);
    terminal.expect("number> ").send("1\n");
    terminal.expect_screen("Demo: the answers are scripted");
    terminal.send("\u{4}");
    assert_eq!(terminal.wait_exit(), 0);
}

#[test]
fn another_model_is_chosen_and_written_down() {
    let (_runtime, server) = served(vec![offers(&["small", "large"]), says("I am large.")]);
    let scratch = Scratch::new();
    let file = settings_file(&scratch);
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    let text = format!("# mine\n[model]\nname = \"small\"\nbase_url = \"{}/v1\"\n", server.origin);
    std::fs::write(&file, &text).unwrap();
    let mut terminal = scratch.start(&["--plain"]);
    terminal.expect("\n> ").send("/model\n");
    terminal.expect("small, at http").expect("  large").expect("\n> ").send("/model large\n");
    terminal.expect("From now on large").expect("not the reasoning of other models");
    terminal.expect("The settings say so too.").expect("\n> ").send("Who are you?\n");
    terminal.expect("I am large.").expect("\n> ");
    leave(terminal);
    assert_eq!(std::fs::read_to_string(&file).unwrap(), text.replace("small", "large"));
    let body: serde_json::Value = serde_json::from_slice(&server.asked()[1].body).unwrap();
    assert_eq!(body["model"], "large");
    assert_eq!(scratch.records("model_response")[0]["model"], "large");
}

#[test]
fn the_screen_lists_and_changes_the_model() {
    let (_runtime, server) = served(vec![offers(&["small", "large"])]);
    let scratch = Scratch::new();
    let base_url = format!("{}/v1", server.origin);
    let mut terminal = scratch.start(&["--base-url", &base_url, "--model", "small"]);
    terminal.expect_screen("ready");
    terminal.send("/model\r");
    terminal.expect_screen("large");
    terminal.send("/model large\r");
    terminal.expect_screen("From now on large");
    terminal.send("\u{4}");
    assert_eq!(terminal.wait_exit(), 0);
}

#[test]
fn a_conversation_that_no_longer_fits_goes_on_in_a_new_session() {
    let full = json!({"error": {"code": "context_length_exceeded", "message": "too long", "type": "invalid_request_error"}});
    let (_runtime, server) = served(vec![says("One."), answer("400 Bad Request", &full), says("Two.")]);
    let scratch = Scratch::new();
    let base_url = format!("{}/v1", server.origin);
    let mut terminal = scratch.start(&["--plain", "--base-url", &base_url, "--model", "small"]);
    terminal.expect("\n> ").send("First\n");
    terminal.expect("One.").expect("\n> ").send("Second\n");
    terminal.expect("The conversation no longer fits into the model (400)");
    terminal.expect("/fork N goes on in a new session").expect("\n> ").send("/fork 1\n");
    terminal.expect("This is a new session").expect("\n> ").send("Third\n");
    terminal.expect("Two.").expect("\n> ");
    leave(terminal);
    assert_eq!(scratch.sessions().len(), 2);
    let last = String::from_utf8(server.asked()[2].body.clone()).unwrap();
    assert!(last.contains("First") && last.contains("Third") && !last.contains("Second"), "{last}");
}
