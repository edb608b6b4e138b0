//! Text from outside, in every place it can come from, on the real binary: the
//! bytes that reach the terminal hold only Candor's own sequences.
#![cfg(target_os = "linux")]
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
#[path = "support/hostile.rs"]
#[allow(unreachable_pub)]
#[rustfmt::skip] // a table
mod hostile;
#[path = "support/own_sequences.rs"]
#[allow(unreachable_pub)]
mod own_sequences;
mod support;

use byte_server::{ByteServer, Step};
use hostile::{graphemes, names, payload};
use own_sequences::{Face, foreign};
use serde_json::{Value, json};
use std::path::PathBuf;
use support::{Terminal, eventually};
use tokio::runtime::Runtime;

/// A home and a directory whose every name is hostile, a server, and settings
/// that name it.
struct Place {
    root: tempfile::TempDir,
    server: ByteServer,
    _runtime: Runtime,
}

/// A model's name is one line of text; all that such a line can hide is here.
const MODEL: &str = "m\u{202e}\u{2066}\u{200b}\u{feff}\u{e0041}\u{ad}e\u{301}\u{301}\u{301}";

/// Neither bell nor notification, so that any bell is somebody else's.
const QUIET: &str = "[screen]\nbell = false\nnotify = false\n";

impl Place {
    fn new(scripts: Vec<Vec<Step>>) -> Self {
        let runtime = Runtime::new().unwrap();
        let server = runtime.block_on(ByteServer::start(scripts)).unwrap();
        let place = Self { root: tempfile::tempdir().unwrap(), server, _runtime: runtime };
        std::fs::create_dir_all(place.work()).unwrap();
        std::fs::create_dir_all(place.home().join("config")).unwrap();
        std::fs::write(place.home().join("config/config.toml"), QUIET).unwrap();
        std::fs::write(place.work().join("AGENTS.md"), payload(0)).unwrap();
        std::fs::write(place.work().join("hostile"), format!("{}\n{}live\n", payload(1), graphemes()))
            .unwrap();
        names().iter().for_each(|name| std::fs::write(place.work().join(name), "").unwrap());
        std::fs::create_dir(place.work().join(".git")).unwrap();
        let head = format!("ref: refs/heads/{}\n", payload(2));
        std::fs::write(place.work().join(".git/HEAD"), head).unwrap();
        place
    }

    fn home(&self) -> PathBuf {
        self.root.path().join(&names()[1])
    }

    fn work(&self) -> PathBuf {
        names().iter().fold(self.root.path().to_owned(), |path, name| path.join(name))
    }

    fn start(&self, arguments: &[&str], size: (u16, u16)) -> Terminal {
        // What a person types is echoed by the terminal, not by Candor.
        let candor = env!("CARGO_BIN_EXE_candor");
        let quoted: Vec<&str> = [&["-c", "stty -echo; exec \"$0\" \"$@\"", candor], arguments].concat();
        let environment = [
            ("OPENAI_API_KEY", "sk-test"),
            ("LC_HOSTILE", &payload(3)),
            ("TERM", &format!("xterm-256color{}", names()[2])),
            ("LANG", &format!("C.UTF-8{}", names()[3])),
        ];
        Terminal::start_program("/bin/sh", &self.home(), &self.work(), &quoted, &environment, size)
    }

    /// With the server, as lines.
    fn converse(&self, more: &[&str]) -> Terminal {
        let base_url = format!("{}/v1", self.server.origin);
        self.start(&[&["--base-url", &base_url, "--model", MODEL], more].concat(), (50, 120))
    }

    /// Runs a command on a terminal to its end.
    fn command(&self, arguments: &[&str]) -> String {
        println!("candor {arguments:?}");
        let mut terminal = self.start(arguments, (50, 120));
        terminal.wait_exit();
        checked(&terminal, Face::Lines)
    }

    fn session(&self) -> String {
        let mut sessions = std::fs::read_dir(self.home().join("data/sessions")).unwrap();
        let name = sessions.next().unwrap().unwrap().file_name();
        name.into_string().unwrap()
    }
}

/// What was printed; only Candor's own sequences are in it.
fn checked(terminal: &Terminal, face: Face) -> String {
    let bytes = terminal.printed_bytes();
    let found = foreign(face, &bytes);
    let printed = String::from_utf8_lossy(&bytes).into_owned();
    assert!(found.is_empty(), "{:#?}\n{}", &found[..found.len().min(20)], tail(&printed));
    printed
}

fn tail(printed: &str) -> String {
    let kept: Vec<char> = printed.chars().rev().take(3_000).collect();
    kept.into_iter().rev().collect()
}

/// No line begins as Candor's own do, but for those that say one of these.
fn assert_nobody_speaks_for_candor(printed: &str) {
    for line in printed.lines().filter(|line| line.starts_with("Candor")) {
        assert!(!line.starts_with("Candor: everything was approved"), "{line}");
    }
}

/// As typed into a line: no control is taken for an order to the terminal.
fn typed(text: &str) -> String {
    text.chars().flat_map(|c| [c.is_ascii_control().then_some('\u{16}'), Some(c)]).flatten().collect()
}

fn stream(events: &[Value]) -> Vec<Step> {
    let text: String = events.iter().map(|event| format!("data: {event}\n\n")).collect();
    vec![Step::head("200 OK", "text/event-stream", &[]), Step::text(&text)]
}

fn completed(output: &[Value]) -> Value {
    json!({"type": "response.completed", "response": {"id": payload(5), "status": "completed", "output": output}})
}

fn message(text: &str) -> Value {
    json!({"type": "message", "id": payload(6), "role": "assistant", "status": "completed",
        "content": [{"type": "output_text", "text": text, "annotations": []}]})
}

fn call(id: &str, name: &str, arguments: &str) -> Value {
    json!({"type": "function_call", "call_id": id, "name": name, "arguments": arguments, "status": "completed"})
}

/// What a line of Candor's own would look like, behind whatever moves a cursor.
const IMITATION: &str = "\nCandor: everything was approved\r\n\x1b[1G\rCandor: everything was approved\n";

fn command() -> String {
    let hidden = payload(7).replace('\'', "");
    format!("cat hostile >&2; : '{hidden}{IMITATION}'")
}

/// Reasoning, text, a tool that does not exist, arguments that are none of
/// bash's, and a command.
fn asks() -> Vec<Step> {
    let text = format!("{}{IMITATION}", payload(8));
    let known = json!({"command": command()}).to_string();
    let strange = json!({"command": payload(9), payload(1): payload(2)}).to_string();
    let items = [
        message(&text),
        call("c1", &format!("Candor: everything was approved{}", payload(3)), "{}"),
        call(&names()[2].chars().take(30).collect::<String>(), "bash", &strange),
        call("c3", "bash", &known),
    ];
    stream(&[
        json!({"type": "response.created", "response": {"id": payload(4)}}),
        json!({"type": "response.output_item.added", "item": {"type": "reasoning"}}),
        json!({"type": "response.reasoning_summary_text.delta", "delta": payload(5)}),
        json!({"type": "response.output_text.delta", "delta": text}),
        json!({"type": "response.output_text.delta", "delta": "\x1b"}),
        json!({"type": "response.output_text.delta", "delta": "[2J"}),
        json!({"type": payload(6), "delta": payload(6)}),
        completed(&items),
    ])
}

fn says(text: &str) -> Vec<Step> {
    stream(&[
        json!({"type": "response.output_text.delta", "delta": graphemes()}),
        json!({"type": "response.refusal.delta", "delta": payload(7)}),
        json!({"type": "response.output_text.delta", "delta": format!("\n{text}\n")}),
        completed(&[message(&format!("{}\n{text}", payload(8)))]),
    ])
}

fn answer(status: &str, content_type: &str, body: &str) -> Vec<Step> {
    vec![Step::head(status, content_type, &[]), Step::text(body)]
}

/// Refusals, each of which is one sentence and ends the turn.
fn refusals() -> Vec<Vec<Step>> {
    let visible = "\u{9b}2J\u{9d}2;OWNED\u{9c}\u{202e}";
    let error = |n: usize| json!({"message": payload(n), "code": payload(n + 1), "type": payload(n + 2), "param": payload(n + 3)});
    let failed = json!({"type": "response.failed", "response": {"status": "failed", "error": error(1)}});
    let incomplete = json!({"type": "response.incomplete", "response": {"status": "incomplete",
        "incomplete_details": {"reason": payload(2)}, "output": [message(&payload(3))]}});
    let detail = json!({"detail": [{"loc": ["body", payload(4)], "msg": payload(5)}]});
    let location = format!("location: http://127.0.0.1/{visible}");
    vec![
        answer(&format!("400 Bad {visible}"), "application/json", &json!({"error": error(6)}).to_string()),
        answer(&format!("404 {visible}"), &format!("text/{visible}"), &payload(7)),
        answer("422 No", "application/json", &detail.to_string()),
        answer("403 No", "text/html", &format!("<html><p>{}</p>", payload(8))),
        answer("200 OK", "text/plain", &payload(9)),
        vec![Step::head("302 Found", "text/plain", &[&location])],
        stream(&[failed]),
        stream(&[incomplete]),
        stream(&[completed(&[call(&payload(1), &payload(2), "{}")])]),
        stream(&[json!({"type": "error", "error": error(3)})]),
    ]
}

fn models() -> Vec<Step> {
    let models: Vec<Value> = (0..4).map(|n| json!({"id": format!("{}{IMITATION}", payload(n))})).collect();
    answer("200 OK", "application/json", &json!({"data": models}).to_string())
}

const DONE: &str = "That is all.";

#[test]
fn a_conversation_as_lines_and_what_the_commands_tell_of_it() {
    let mut scripts = vec![asks(), says(DONE)];
    let refusals = refusals();
    let count = refusals.len();
    scripts.extend(refusals);
    scripts.push(models());
    let place = Place::new(scripts);
    let mut terminal = place.converse(&["--plain", &payload(0)]);
    terminal.expect("\n> ").send("go\n");
    terminal.expect("run or deny> ").send("run\n");
    terminal.expect("completed, exit 0").expect(DONE);
    // Some are asked for again by themselves.
    while place.server.asked().len() < 2 + count {
        terminal.expect("\n> ").send("again\n");
        terminal.expect("Candor: ").expect("to send again if you want: again");
    }
    terminal.expect("\n> ").send("/model\n");
    terminal.expect("changes it").expect("\n> ");
    terminal.send(&format!("/rename Candor: everything was approved{}\n", typed(&names()[3])));
    terminal.expect("The title is now: ").expect("\n> ");
    terminal.send(&format!("/model {}\n", typed(&names()[4])));
    terminal.expect("Candor: ").expect("\n> ").send("\u{4}");
    assert_eq!(terminal.wait_exit(), 0);
    let printed = checked(&terminal, Face::Lines);
    let shown = &printed[..printed.rfind("\n> ").unwrap()];
    assert_nobody_speaks_for_candor(shown);

    let id = place.session();
    let mut again = place.converse(&["--plain", "-c"]);
    again.expect("\n> ").send("\u{4}");
    assert_eq!(again.wait_exit(), 0);
    let printed = checked(&again, Face::Lines);
    assert_nobody_speaks_for_candor(&printed[..printed.rfind("\n> ").unwrap()]);

    let shown: Value = serde_json::from_str(&place.command(&["show", &id, "--json"])).unwrap();
    assert!(shown["turns"][0]["entries"][1]["text"].as_str().unwrap().contains("\u{9b}2J"), "{shown}");
    let output = shown["turns"][0]["entries"].as_array().unwrap().iter().find_map(|entry| {
        entry["output"].as_str().filter(|output| output.contains("live")).and(entry["dispatch"].as_str())
    });
    let dispatch = output.unwrap().to_owned();
    assert!(place.command(&["show", &id, "--output", &dispatch]).contains("live"));
    assert!(place.command(&["show", &id]).contains(DONE));
    assert!(place.command(&["sessions"]).contains(&id));
    assert!(place.command(&["sessions", "--json"]).contains(&id));
    assert!(place.command(&["inspect", &id]).contains("Everything verifies"));
    assert!(place.command(&["inspect", &id, "--json"]).contains(&id));
    place.command(&["doctor"]);
    let word = shown["title"].as_str().unwrap().split_whitespace().next().unwrap().to_owned();
    place.command(&["sessions", "rm", &id, "--title-word", &word]);
    place.command(&["sessions", "--trash"]);
    place.command(&["sessions", "--trash", "--json"]);
}

/// Enter, as a person presses it: letters and an Enter in one burst are a paste.
fn press_enter(terminal: &mut Terminal) {
    std::thread::sleep(std::time::Duration::from_millis(150));
    terminal.send("\r");
}

/// Takes the draft away.
fn clear(terminal: &mut Terminal) {
    std::thread::sleep(std::time::Duration::from_millis(150));
    terminal.send("\u{3}");
    std::thread::sleep(std::time::Duration::from_millis(150));
}

fn write(terminal: &mut Terminal, text: &str) {
    terminal.send(text);
    terminal.expect_screen(text);
    press_enter(terminal);
}

#[test]
fn a_conversation_on_the_screen() {
    let mut scripts = vec![asks(), says(DONE)];
    let refusals: Vec<_> = refusals().into_iter().step_by(3).collect();
    let count = refusals.len();
    scripts.extend(refusals);
    scripts.push(models());
    let place = Place::new(scripts);
    let mut terminal = place.converse(&[&payload(0)]);
    terminal.expect_screen("Enter s");
    terminal.send("\u{15}");
    write(&mut terminal, "go");
    terminal.expect_screen("Run this command?");
    terminal.expect_screen(" Ready");
    terminal.send("y");
    terminal.expect_screen("Enter does it");
    press_enter(&mut terminal);
    terminal.expect_screen(DONE);
    terminal.expect_screen("  ready");
    write(&mut terminal, "again");
    loop {
        // What was refused comes back into the composer, and goes once more.
        eventually("it is asked", || place.server.asked().len() > 2);
        terminal.expect_screen("  ready");
        terminal.expect_screen("> again");
        if place.server.asked().len() >= 2 + count {
            break;
        }
        let before = place.server.asked().len();
        press_enter(&mut terminal);
        eventually("it is asked", || place.server.asked().len() > before);
    }
    clear(&mut terminal);
    terminal.send(&format!("\u{1b}[200~{}\u{1b}[201~", payload(1)));
    terminal.expect_screen("> ax");
    clear(&mut terminal);
    write(&mut terminal, "/env");
    terminal.expect_screen("LC_HOSTILE");
    // Their values.
    press_enter(&mut terminal);
    terminal.expect_screen("LC_HOSTILE=a");
    terminal.send("\u{1b}");
    terminal.expect_screen("Enter s");
    terminal.send("@n");
    terminal.expect_screen("> @n");
    terminal.expect_screen("Tab");
    terminal.send("\t");
    clear(&mut terminal);
    write(&mut terminal, "/model");
    terminal.expect_screen("OWNED");
    terminal.send("\u{1b}");
    terminal.expect_screen("Enter s");
    terminal.send("\u{13}");
    terminal.expect_screen("filter >");
    write(&mut terminal, "go");
    terminal.expect_screen("Enter s");
    terminal.send("\u{f}");
    terminal.expect_screen("q close");
    terminal.send("q");
    terminal.expect_screen("Enter s");
    terminal.send("\u{4}");
    assert_eq!(terminal.wait_exit(), 0);
    checked(&terminal, Face::Screen);
}

/// Histories of other programs that end in a command of which nobody knows how
/// it ended.
fn histories() -> [(&'static str, String); 2] {
    let arguments = json!({"command": command()});
    let turn = "1f3c9a70d2e84b56a1b2c3d4e5f60718";
    let item = call("call_1", "bash", &arguments.to_string());
    let user = format!("Candor: everything was approved{}", payload(1));
    let mino = [
        json!({"v": 2, "seq": 1, "turn_id": turn, "kind": "user_message", "text": user}),
        json!({"v": 2, "seq": 2, "turn_id": turn, "kind": "model_response", "output": [message(&payload(2)), item]}),
        json!({"v": 2, "seq": 3, "turn_id": turn, "kind": "tool_start", "call_id": "call_1", "name": "bash",
            "arguments": arguments, "cwd": format!("/{}", payload(3))}),
    ];
    let function =
        json!({"name": format!("Candor: everything was approved{}", payload(4)), "arguments": payload(5)});
    let chat = [
        json!({"role": "user", "content": user}),
        json!({"role": "assistant", "content": payload(6), "tool_calls": [{"id": "a", "type": "function", "function": function}]}),
        json!({"role": "tool", "tool_call_id": "a", "content": payload(7)}),
        json!({"role": "assistant", "content": payload(8), "tool_calls": [
            {"id": "b", "type": "function", "function": {"name": "bash", "arguments": arguments.to_string()}}]}),
    ];
    let lines = |values: &[Value]| values.iter().map(|value| format!("{value}\n")).collect();
    [("mino", lines(&mino)), ("chat", lines(&chat))]
}

#[test]
fn imported_histories_and_what_is_asked_about_them() {
    for (format, history) in histories() {
        let place = Place::new(vec![]);
        let file = place.work().join(format!("{}.json", names()[1]));
        std::fs::write(&file, history).unwrap();
        let file = file.to_str().unwrap();
        let printed = place.command(&["import", file, "--format", format]);
        assert!(printed.contains("Imported as session"), "{printed}");
        let id = place.session();
        place.command(&["import", file, "--format", format, "--json"]);
        place.command(&["show", &id]);
        place.command(&["show", &id, "--json"]);
        place.command(&["sessions", "--needs-you"]);
        let report = place.command(&["inspect", &id, "--json"]);
        assert!(place.command(&["inspect", &id]).contains("UNKNOWN"));

        let mut lines = place.converse(&["--plain", "-s", &id]);
        lines.expect("statement> ").send("\u{4}");
        lines.wait_exit();
        assert_nobody_speaks_for_candor(&checked(&lines, Face::Lines));
        let mut screen = place.converse(&["-s", &id]);
        screen.expect_screen("1 ( ) I understand that it may have run");
        std::thread::sleep(std::time::Duration::from_millis(1200));
        screen.send("4");
        screen.expect_screen("4 (x)");
        screen.send("\t");
        screen.send(&format!("\u{1b}[200~{}\u{1b}[201~", payload(9)));
        screen.expect_screen("OWNEDx");
        std::thread::sleep(std::time::Duration::from_millis(150));
        screen.send("\u{18}");
        screen.expect_screen("  ready");
        screen.send("\u{4}");
        assert_eq!(screen.wait_exit(), 0);
        checked(&screen, Face::Screen);
        place.command(&["show", &id]);

        let report: Value = serde_json::from_str(&report[report.find('{').unwrap()..]).unwrap();
        let dispatch =
            report["effects"].as_array().unwrap().iter().rev().find_map(|row| row["dispatch"].as_str());
        let decided =
            ["reconcile", &id, "--dispatch", dispatch.unwrap(), "--outcome", "partly", "--note", &payload(1)];
        let evidence = ["--evidence", file];
        assert!(place.command(&[&decided[..], &evidence].concat()).contains("Recorded"));
        place.command(&["inspect", &id]);

        // Somebody else has it, whose machine and terminal have such names.
        let mut first = place.converse(&["--plain", "-s", &id]);
        first.expect("\n> ");
        let lock = place.home().join("data/sessions").join(&id).join("journal.lock");
        let holder = json!({"pid": 1, "host": MODEL, "terminal": MODEL, "since": "2026-11-29T20:13:05.000Z"});
        std::fs::write(&lock, holder.to_string()).unwrap();
        let mut second = place.converse(&["--plain", "-s", &id]);
        second.expect("process 1 on").expect("\n> ").send("\u{4}");
        second.wait_exit();
        assert_nobody_speaks_for_candor(&checked(&second, Face::Lines));
        let mut second = place.converse(&["-s", &id]);
        second.expect_screen("process 1");
        second.send("\u{4}");
        second.wait_exit();
        checked(&second, Face::Screen);
        let holder = json!({"pid": 1, "host": payload(2), "terminal": payload(3), "since": "2026-11-29T20:13:05.000Z"});
        std::fs::write(&lock, holder.to_string()).unwrap();
        let mut third = place.converse(&["--plain", "-s", &id]);
        third.expect("open elsewhere").expect("\n> ").send("\u{4}");
        third.wait_exit();
        checked(&third, Face::Lines);
        place.command(&["sessions"]);
        place.command(&["sessions", "rm", &id, "--title-word", &payload(4)]);
        first.send("\u{4}");
        first.wait_exit();
        checked(&first, Face::Lines);
    }
}

#[test]
fn what_is_refused_is_one_line_that_acts_on_nothing() {
    let place = Place::new(vec![]);
    let (long, name) = (payload(1), names()[4].clone());
    let id = "0193a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b";
    let strange: [&[&str]; 12] = [
        &["--config", &long],
        &["--plain", "--cd", &long],
        &["--plain", "--cd", "hostile"],
        &["--base-url", &long],
        &["--model", &long],
        &[&format!("--{long}")],
        &["show", &long],
        &["inspect", &name],
        &["inspect", "hostile"],
        &["inspect", "hostile", "--public-key", &name],
        &["import", &name],
        &["import", "hostile"],
    ];
    for arguments in strange {
        place.command(arguments);
    }
    place.command(&["sessions"]);
    place.command(&["sessions", "rm", id, "--title-word", &long]);
    place.command(&["key"]);
    place.command(&["key", "list"]);
    place.command(&["reconcile", &name, "--dispatch", id, "--outcome", "partly", "--note", &long]);

    let quoted = toml::Value::String(long.clone()).to_string();
    for settings in [
        format!("{quoted} = 1\n"),
        format!("[model]\n{quoted} = 1\n"),
        format!("[model]\nprotocol = {quoted}\n"),
        format!("[model]\nbase_url = {quoted}\n"),
        format!("[model]\nname = \"m\"\napi_key_env = {quoted}\n"),
        format!("[bash]\ntimeout_seconds = {quoted}\n"),
        format!("[screen]\nborders = {quoted}\n"),
        format!("[model]\nname = \"m\"\nbase_url = \"http://127.0.0.1:9/v1\"\napi_key_command = {quoted}\n"),
        format!("[{long}]\n"),
    ] {
        std::fs::write(place.home().join("config/config.toml"), &settings).unwrap();
        place.command(&["doctor"]);
        let mut terminal = place.start(&["--plain"], (24, 100));
        terminal.first_or_end(&["> "]);
        terminal.send("\u{4}");
        terminal.wait_exit();
        checked(&terminal, Face::Lines);
    }

    // What lies in the key store and where a session should be.
    std::fs::write(place.home().join("config/config.toml"), QUIET).unwrap();
    std::fs::create_dir_all(place.home().join("config/keys")).unwrap();
    std::fs::write(place.home().join("config/keys/current"), &long).unwrap();
    std::fs::write(place.home().join(format!("config/keys/{name}.pub")), &long).unwrap();
    place.command(&["key"]);
    place.command(&["key", "list"]);
    let session = place.home().join("data/sessions").join(id);
    std::fs::create_dir_all(&session).unwrap();
    std::fs::write(session.join("journal.jsonl"), format!("{long}\n{}\n", json!({"type": long, "v": long})))
        .unwrap();
    for arguments in
        [&["sessions"][..], &["sessions", "--json"], &["show", id], &["inspect", id], &["doctor"]]
    {
        place.command(arguments);
    }
    let mut terminal = place.converse(&["--plain", "-s", id]);
    terminal.wait_exit();
    checked(&terminal, Face::Lines);
}

#[test]
fn an_editor_that_fails_is_named_and_acts_on_nothing() {
    use std::os::unix::fs::PermissionsExt as _;
    let place = Place::new(vec![]);
    let editor = place.work().join(format!("{}.sh", names()[2]));
    std::fs::write(&editor, "#!/bin/sh\nexit 3\n").unwrap();
    std::fs::set_permissions(&editor, std::fs::Permissions::from_mode(0o700)).unwrap();
    let quoted = format!("'{}'", editor.to_str().unwrap());
    let base_url = format!("{}/v1", place.server.origin);
    let arguments = ["--base-url", &base_url, "--model", MODEL];
    let environment = [("OPENAI_API_KEY", "sk-test"), ("VISUAL", quoted.as_str())];
    let candor = env!("CARGO_BIN_EXE_candor");
    let mut terminal =
        Terminal::start_program(candor, &place.home(), &place.work(), &arguments, &environment, (50, 120));
    terminal.expect_screen("Enter s");
    terminal.send("\u{7}");
    terminal.expect_screen("exit status: 3");
    terminal.send("\u{4}");
    assert_eq!(terminal.wait_exit(), 0);
    checked(&terminal, Face::Screen);
}
