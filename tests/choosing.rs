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
use support::screen::{press, write};
use support::{Scratch, Terminal, leave};
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
}

/// Waits for a text, then presses these keys.
fn at(terminal: &mut Terminal, text: &str, keys: &str) {
    terminal.expect_screen(text);
    press(terminal, keys);
}

fn leave_screen(terminal: &mut Terminal) {
    terminal.send("\u{15}\u{4}");
    assert_eq!(terminal.wait_exit(), 0, "{}", terminal.screen());
}

#[test]
fn the_screen_asks_for_a_server_its_key_and_a_model() {
    let (_runtime, server) = served(vec![
        answer("401 Unauthorized", &json!({})),
        offers(&["small", "large"]),
        says("Hello from the model."),
    ]);
    let scratch = Scratch::new();
    let mut terminal = scratch.start_with(&["Hello"], &[("SHOP_KEY", "sk-verysecret")]);
    terminal.expect_screen("No model is named yet");
    at(&mut terminal, "> 1  the demo", "\u{1b}[B");
    at(&mut terminal, "> 2  the hosted", "\u{1b}[B");
    at(&mut terminal, "> 3  another server", "\r");
    terminal.expect_screen("base URL>");
    write(&mut terminal, "http://user:pass@127.0.0.1/v1");
    at(&mut terminal, "must not contain a user", "\u{15}");
    let base_url = format!("{}/v1", server.origin);
    write(&mut terminal, &base_url);
    terminal.expect_screen("never written down");
    write(&mut terminal, "SHOP_KEY");
    at(&mut terminal, "refused the key in SHOP_KEY (401)", "\r");
    terminal.expect_screen("It offers 2 models");
    write(&mut terminal, "la");
    terminal.expect_screen("From now on large at");
    at(&mut terminal, "Hello", "\r");
    terminal.expect_screen("Hello from the model.");
    leave_screen(&mut terminal);
    let text = std::fs::read_to_string(settings_file(&scratch)).unwrap();
    assert!(text.contains("name = \"large\"") && text.contains(&base_url) && text.contains("SHOP_KEY"));
    assert!(!text.contains("verysecret") && !terminal.printed().contains("verysecret"));
}

#[test]
fn the_screen_offers_the_demo_and_keeps_its_sessions_apart() {
    let scratch = Scratch::new();
    let mut terminal = scratch.start(&[]);
    at(&mut terminal, "> 1  the demo", "\r");
    terminal.expect_screen("Demo: the answers are scripted");
    write(&mut terminal, "Is milk on the list?");
    terminal.expect_screen("Ready");
    // Esc denies the call and stops the turn.
    terminal.send("\u{1b}");
    terminal.expect_screen("denied");
    // With the end of the turn its message comes back into the composer.
    terminal.expect_screen("You stopped this turn");
    terminal.send("\u{15}\u{4}");
    assert_eq!(terminal.wait_exit(), 0);
    assert!(!settings_file(&scratch).exists(), "the demo is no choice for ever");
    assert!(scratch.home().join("data/demo/sessions").is_dir());

    // Without a choice the sessions can be looked at, and nothing is sent.
    let mut terminal = scratch.start(&[]);
    at(&mut terminal, "> 1  the demo", "\u{1b}");
    terminal.expect_screen("Enter start");
    write(&mut terminal, "Hello");
    terminal.expect_screen("No model is named");
    at(&mut terminal, "Hello", "\u{15}\u{4}");
    assert_eq!(terminal.wait_exit(), 0);
}

#[test]
fn a_server_without_a_model_is_asked_for_its_models() {
    let (_runtime, server) = served(vec![offers(&["small", "large"]), offers(&["only"])]);
    let scratch = Scratch::new();
    let base_url = format!("{}/v1", server.origin);
    let mut terminal = scratch.start(&["--base-url", &base_url]);
    terminal.expect_screen("It offers 2 models");
    at(&mut terminal, "> small", "\r");
    terminal.expect_screen("From now on small at");
    leave_screen(&mut terminal);

    std::fs::remove_file(settings_file(&scratch)).unwrap();
    let mut terminal = scratch.start(&["--plain", "--base-url", &base_url]);
    terminal.expect("It answers.").expect("New conversation").expect("only").expect("\n> ");
    leave(terminal);
    assert!(std::fs::read_to_string(settings_file(&scratch)).unwrap().contains("name = \"only\""));
}

#[test]
fn a_server_on_a_usual_port_of_this_machine_is_found() {
    // The ports are fixed by the programs that use them; one may be taken here.
    let runtime = Runtime::new().unwrap();
    let start =
        |port| runtime.block_on(ByteServer::start_at(port, vec![offers(&["tiny"]), offers(&["tiny"])]));
    let Some((port, _server)) =
        [8000, 1234, 8080, 11434].into_iter().find_map(|port| Some((port, start(port).ok()?)))
    else {
        println!("skipped: all of the usual ports are taken on this machine");
        return;
    };
    let scratch = Scratch::new();
    let found = format!("on this machine, http://127.0.0.1:{port}/v1, with tiny");
    let mut terminal = scratch.start(&["--plain"]);
    terminal.expect(&found).expect("number> ");
    leave(terminal);
    let mut terminal = scratch.start(&[]);
    terminal.expect_screen(&found);
    let offered = terminal.screen();
    let line = offered.lines().find(|line| line.contains(&found)).unwrap();
    let number = line.split_whitespace().nth(1).unwrap().to_owned();
    terminal.send(&number);
    at(&mut terminal, &format!("> {number}  "), "\r");
    at(&mut terminal, "It offers 1 model", "\r");
    terminal.expect_screen("From now on tiny at");
    leave_screen(&mut terminal);
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
    write(&mut terminal, "/model");
    terminal.expect_screen("It offers 2 models");
    terminal.expect_screen("Now small answers");
    at(&mut terminal, "> small", "\u{1b}[B");
    at(&mut terminal, "> large", "\r");
    terminal.expect_screen("From now on large");
    write(&mut terminal, "/model medium");
    terminal.expect_screen("From now on medium");
    leave_screen(&mut terminal);
}

#[test]
fn the_screen_goes_on_in_a_new_session_when_a_conversation_no_longer_fits() {
    let full = json!({"error": {"code": "context_length_exceeded", "message": "too long", "type": "invalid_request_error"}});
    let (_runtime, server) = served(vec![says("One."), answer("400 Bad Request", &full), says("Two.")]);
    let scratch = Scratch::new();
    let base_url = format!("{}/v1", server.origin);
    let mut terminal = scratch.start(&["--base-url", &base_url, "--model", "small"]);
    terminal.expect_screen("ready");
    write(&mut terminal, "First");
    terminal.expect_screen("One.");
    write(&mut terminal, "Second");
    terminal.expect_screen("no longer fits into the model (400)");
    at(&mut terminal, "ready", "\u{15}");
    write(&mut terminal, "/fork 1");
    terminal.expect_screen("This is a new session");
    write(&mut terminal, "Third");
    terminal.expect_screen("Two.");
    leave_screen(&mut terminal);
    assert_eq!(scratch.sessions().len(), 2);
    let last = String::from_utf8(server.asked()[2].body.clone()).unwrap();
    assert!(last.contains("First") && last.contains("Third") && !last.contains("Second"), "{last}");
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
