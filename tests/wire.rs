//! What a person sees when a server misbehaves: nothing runs, one sentence
//! says so, the message comes back, and the session goes on.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::disallowed_methods)] // a test may fail, and owns its files

#[path = "support/byte_server.rs"]
#[allow(dead_code, unreachable_pub)] // this binary uses its own part of it
mod byte_server;
#[path = "support/served.rs"]
#[allow(dead_code, unreachable_pub)] // this binary uses its own part of it
mod served;
mod support;

use byte_server::{ByteServer, Step};
use serde_json::{Value, json};
use served::{Scene, bad_then_good, call, completed, delta, good, stream};
use std::time::{Duration, Instant};
use support::Scratch;
use tokio::runtime::Runtime;

#[test]
fn an_answer_that_cannot_be_used_runs_nothing() {
    let touch = r#"{"command":"touch made"}"#;
    let incomplete = json!({"type": "response.incomplete", "response": {"id": "resp_1", "status": "incomplete",
        "incomplete_details": {"reason": "max_output_tokens"}, "output": [call(Some("c1"), touch)]}});
    let mut failed = completed(&[call(Some("c1"), touch)]);
    failed["response"]["status"] = "failed".into();
    failed["response"]["error"] = json!({"code": "invalid_prompt", "message": "No."});
    let cases = [
        ("incomplete", incomplete, "limit of tokens"),
        ("failed", failed, "No."),
        ("empty", completed(&[]), "cannot be used"),
        (
            "twice the same id",
            completed(&[call(Some("c1"), touch), call(Some("c1"), touch)]),
            "cannot be used",
        ),
        ("no id", completed(&[call(None, touch)]), "cannot be used"),
        ("no object", completed(&[call(Some("c1"), "[1]")]), "cannot be used"),
        ("cut arguments", completed(&[call(Some("c1"), "{\"command\": \"touch ma")]), "cannot be used"),
    ];
    for (name, event, sentence) in cases {
        println!("{name}");
        let mut scene = bad_then_good(&stream(&[delta("Well,"), event]), 1);
        scene.say(name).expect(sentence).expect("Nothing was run");
        scene.goes_on(name);
        assert_eq!(scene.turns(), ["failed", "completed"], "{name}");
        assert!(!scene.scratch.work().join("made").exists());
    }
}

#[test]
fn a_cut_answer_is_asked_for_again_and_then_given_up() {
    let cut = stream(&[delta("One two three")]);
    let mut scene = bad_then_good(&cut, 4);
    let terminal = scene.say("Tell me");
    terminal.expect("The text above is void").expect("Trying again in");
    terminal.expect("The answer broke off after 3 words").expect("Nothing was run");
    scene.goes_on("Tell me");
    assert_eq!(scene.turns(), ["failed", "completed"]);
    assert_eq!(scene.server.asked().len(), 5);
}

#[test]
fn a_wait_that_the_server_asks_for_is_shown_and_kept() {
    let busy = |wait: &str| {
        let body = json!({"error": {"message": "slow down", "code": "rate_limit_exceeded"}});
        let wait = format!("retry-after: {wait}");
        vec![Step::head("429 Too Many Requests", "application/json", &[&wait]), Step::text(&body.to_string())]
    };
    let mut scene = Scene::new(vec![busy("1"), good()]);
    let before = Instant::now();
    scene.say("Hello").expect("Trying again in 1 s (429). Ctrl+C stops waiting.").expect("Here it is.");
    assert!(before.elapsed() >= Duration::from_secs(1));
    assert_eq!(scene.server.asked().len(), 2);

    let mut scene = bad_then_good(&busy("50"), 1);
    scene.say("Hello").expect("Trying again in 50 s (429)").send("\u{3}");
    scene.goes_on("Hello");
    assert_eq!(scene.turns(), ["cancelled", "completed"]);
}

#[test]
fn a_server_that_sends_only_comments_is_waited_for() {
    let comment = Step::text(": still loading\n\n");
    let head = Step::head("200 OK", "text/event-stream", &[]);
    let slow = [vec![head], vec![[comment, Step::Wait]; 5].concat(), good()[1..].to_vec()].concat();
    let mut scene = Scene::new(vec![slow]);
    scene.say("Hello").expect("\r\n");
    (0..5).for_each(|_| scene.server.go());
    scene.terminal.expect("Here it is.").expect("\n> ").send("\u{4}");
    assert_eq!(scene.terminal.wait_exit(), 0);
    assert_eq!((scene.turns(), scene.server.asked().len()), (vec!["completed".to_owned()], 1));
}

#[test]
#[ignore = "takes a minute: .ci/run runs it"]
fn a_server_that_sends_only_comments_for_a_minute_is_waited_for() {
    // One byte a second would do as well: what counts is that bytes come.
    let comment = vec![Step::text(": still loading\n\n"), Step::Wait];
    let head = Step::head("200 OK", "text/event-stream", &[]);
    let slow = [vec![head], vec![comment; 60].concat(), good()[1..].to_vec()].concat();
    let mut scene = Scene::new(vec![slow]);
    scene.say("Hello").expect("\r\n");
    let begun = std::time::Instant::now();
    for _ in 0..60 {
        std::thread::sleep(std::time::Duration::from_secs(1));
        assert!(!scene.terminal.printed().contains("Trying again"), "{}", scene.terminal.printed());
        scene.server.go();
    }
    assert!(begun.elapsed().as_secs() >= 60);
    scene.terminal.expect("Here it is.").expect("\n> ").send("\u{4}");
    assert_eq!(scene.terminal.wait_exit(), 0);
    assert_eq!((scene.turns(), scene.server.asked().len()), (vec!["completed".to_owned()], 1));
}

#[test]
fn a_server_that_dies_in_a_call_and_comes_back_is_asked_again() {
    let mut dies = stream(&[
        json!({"type": "response.output_item.added", "item": {"type": "function_call", "name": "bash"}}),
        json!({"type": "response.function_call_arguments.delta", "delta": "{\"command\":\"touch "}),
    ]);
    dies.push(Step::Reset);
    let whole = stream(&[completed(&[call(Some("c1"), r#"{"command":"touch made"}"#)])]);
    // Between the two it closes what comes without a word.
    let mut scene = Scene::new(vec![dies, Vec::new(), whole, good()]);
    let terminal = scene.say("Make it");
    terminal.expect("Trying again in").expect("Trying again in");
    terminal.expect("touch made").expect("run or deny> ").send("run\n");
    terminal.expect("completed, exit 0").expect("Here it is.").expect("\n> ").send("\u{4}");
    assert_eq!(terminal.wait_exit(), 0);
    assert_eq!(scene.scratch.records("tool_started").len(), 1);
    assert_eq!(scene.server.asked().len(), 4);
}

/// A turn whose agent was killed while its command ran; the command's dispatch.
fn killed_in(command: &str) -> (Scene, String) {
    let arguments = json!({"command": command}).to_string();
    let asks = stream(&[completed(&[call(Some("c1"), &arguments)])]);
    let mut scene = Scene::new(vec![asks, good()]);
    scene.say("Add milk").expect("run or deny> ").send("run\n");
    scene.terminal.expect("  begun");
    scene.terminal.kill();
    let dispatch = scene.scratch.dispatch();
    (scene, dispatch)
}

/// What the next request carries: the call, its one result, the notice, the new
/// message, in this order. Gives the result and the notice.
fn next_request(scene: &mut Scene) -> (Value, String) {
    scene.say("Is milk on the list?").expect("Here it is.").expect("\n> ").send("\u{4}");
    assert_eq!(scene.terminal.wait_exit(), 0);
    let input = scene.last_input();
    let kind =
        |item: &Value| (item["type"].as_str().unwrap().to_owned(), item["role"].as_str().map(str::to_owned));
    let kinds: Vec<_> = input.iter().map(kind).collect();
    let message = |role: &str| ("message".to_owned(), Some(role.to_owned()));
    let expected = [
        message("user"),
        ("function_call".into(), None),
        ("function_call_output".into(), None),
        message("assistant"),
        message("user"),
    ];
    assert_eq!(kinds, expected, "{input:#?}");
    assert_eq!((&input[1]["call_id"], &input[2]["call_id"]), (&"c1".into(), &"c1".into()));
    assert_eq!(input[4]["content"][0]["text"], "Is milk on the list?");
    let result = serde_json::from_str(input[2]["output"].as_str().unwrap()).unwrap();
    let notice = input[3]["content"].as_str().unwrap().to_owned();
    assert!(notice.starts_with("Candor runtime notice:") && notice.contains("interrupted"), "{notice}");
    (result, notice)
}

#[test]
fn the_next_request_carries_the_result_from_the_receipt() {
    let (mut scene, _) =
        killed_in("echo milk >> list; echo be''gun; until test -e gate; do sleep 0.05; done");
    scene.start_again();
    scene.terminal.expect("Still running");
    // Only now may the command end.
    std::fs::write(scene.scratch.work().join("gate"), "").unwrap();
    scene.terminal.expect("from its receipt");
    let (result, _) = next_request(&mut scene);
    assert_eq!((&result["status"], &result["exit_code"]), (&"completed".into(), &0.into()));
    assert_eq!(scene.scratch.read("list"), "milk\n");
}

#[test]
fn the_next_request_carries_the_unknown_and_what_the_person_said() {
    let (mut scene, dispatch) = killed_in("echo milk >> list; echo be''gun; sleep 600");
    support::kill_all_of(&dispatch);
    scene.start_again();
    scene.terminal.expect("statement> ").send("happened\n");
    scene.terminal.expect("note").send("it is in the file\n");
    let (result, notice) = next_request(&mut scene);
    assert_eq!(result["status"], "unknown");
    let said = result["output"].as_str().unwrap().to_lowercase();
    assert!(["denied", "failed", "aborted"].iter().all(|word| !said.contains(word)), "{said}");
    assert!(notice.contains("it did happen") && notice.contains("it is in the file"), "{notice}");
    assert_eq!(scene.scratch.read("list"), "milk\n");
}

#[test]
fn the_doctor_tries_the_connection_and_names_what_would_break() {
    let runtime = Runtime::new().unwrap();
    let list = json!({"data": [{"id": "small"}, {"id": "large"}]}).to_string();
    let offers = vec![Step::head("200 OK", "application/json", &[]), Step::text(&list)];
    let refuses = vec![Step::head("401 Unauthorized", "application/json", &[]), Step::text("{}")];
    let server = runtime.block_on(ByteServer::start([offers, refuses])).unwrap();
    let scratch = Scratch::new();
    let doctor = |arguments: &[&str]| {
        let output = scratch.run(&[&["doctor"], arguments].concat());
        (output.status.code().unwrap(), String::from_utf8(output.stdout).unwrap())
    };
    let (code, said) = doctor(&["--demo"]);
    assert_eq!(code, 0, "{said}");
    assert!(said.contains("nothing is contacted") && server.asked().is_empty());

    let (code, said) = doctor(&[]);
    assert!(code == 1 && said.contains("problem  model     No model is named"), "{said}");

    let config = scratch.home().join("config");
    std::fs::create_dir_all(&config).unwrap();
    let settings = format!("[model]\nname = \"large\"\nbase_url = \"{}/v1\"\n", server.origin);
    std::fs::write(config.join("config.toml"), settings).unwrap();
    let (code, said) = doctor(&[]);
    assert!(code == 0 && said.contains("/v1 answers and offers large"), "{said}");
    let (code, said) = doctor(&[]);
    assert!(code == 1 && said.contains("The server wants a key (401)"), "{said}");

    std::fs::write(config.join("config.toml"), "[modle]\n").unwrap();
    let (code, said) = doctor(&[]);
    assert!(code == 1 && said.contains("line 1: unknown field `modle`"), "{said}");
}

/// What is printed after the message, up to where a person is waited for or the
/// next attempt is announced; Candor's own lines without their mark.
fn seen(stream: &[u8]) -> String {
    let head = Step::head("200 OK", "text/event-stream", &[]);
    let mut scene = Scene::new(vec![vec![head, Step::Pieces(7, stream.to_vec())], good(), good()]);
    let before = scene.say("Hello").printed().len();
    let ends = ["run or deny> ", "Trying again in", "\n> "];
    let which = scene.terminal.expect_one_of(&ends);
    if which == 1 {
        scene.terminal.expect(")");
    }
    let printed = scene.terminal.printed()[before..].replace('\r', "");
    let lines = printed.lines().map(str::trim);
    let told = match which {
        0 => lines
            .filter(|line| line.ends_with("mock-command"))
            .map(|_| "asks whether to run `mock-command`".to_owned())
            .next(),
        1 => lines.filter_map(|line| Some(line[line.find("Trying again")?..].to_owned())).next(),
        _ => lines
            .filter(|line| {
                !line.is_empty() && !line.starts_with('>') && !matches!(*line, "Hello" | "Assistant")
            })
            .map(str::to_owned)
            .next(),
    };
    told.unwrap_or_else(|| panic!("nothing is said: {printed}"))
}

/// The table in `docs/servers.md` is what the program says. `CANDOR_DRAW=1`
/// writes it anew.
#[test]
fn what_a_person_sees_of_every_doctored_stream_is_documented() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut names: Vec<_> = std::fs::read_dir(folder.join("tests/fixtures/wire/edge"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    names.sort();
    let row = |path: &std::path::PathBuf| {
        let name =
            path.file_stem().unwrap().to_str().unwrap().trim_start_matches("responses_").replace('_', " ");
        format!("| {name} | {} |\n", seen(&std::fs::read(path).unwrap()))
    };
    let table: String = names.iter().map(row).collect();
    let file = folder.join("docs/servers.md");
    let text = std::fs::read_to_string(&file).unwrap();
    let (start, rest) = text.split_once("|---|---|\n").unwrap();
    let end = rest.find("\n\n").map_or("", |at| &rest[at + 1..]);
    let fresh = format!("{start}|---|---|\n{table}{end}");
    if std::env::var_os("CANDOR_DRAW").is_some() {
        std::fs::write(&file, &fresh).unwrap();
    }
    assert_eq!(text, fresh, "CANDOR_DRAW=1 cargo test --test wire writes it anew");
}
