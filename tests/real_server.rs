//! The program against a server that nobody here wrote, which refuses a
//! conversation whose calls and results do not pair up. The model is tiny and
//! follows `Run: COMMAND`; what is judged is the program, not the wording.
//!
//! `tests/acceptance/real_server.sh` brings the server and runs this.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::disallowed_methods
)] // a test may fail, and owns its files

mod support;

use serde_json::Value;
use support::lines::say;
use support::recorder::{Exchange, Recorder};
use support::{Scratch, Terminal, eventually, kill_all_of};

/// Where the server is, as in `127.0.0.1:8080`.
const ADDRESS: &str = "CANDOR_REAL_SERVER";

fn recorder() -> Recorder {
    let address = std::env::var(ADDRESS).expect("tests/acceptance/real_server.sh sets the server's address");
    Recorder::before(&address).unwrap()
}

fn start(scratch: &Scratch, recorder: &Recorder, more: &[&str]) -> Terminal {
    let base_url = format!("{}/v1", recorder.origin);
    let mut arguments = vec!["--plain", "--base-url", &base_url, "--model", "smollm2"];
    arguments.extend(more);
    scratch.start(&arguments)
}

/// Runs what is asked until the turn is over; a small model may ask for more.
fn answer_until_ready(terminal: &mut Terminal, answer: &str) {
    while terminal.expect_one_of(&["run or deny> ", "\n> "]) == 0 {
        terminal.send(&format!("{answer}\n"));
    }
}

/// Waits until a command was launched; its dispatch.
fn launched(scratch: &Scratch) -> String {
    let calls = scratch.sessions()[0].join("calls");
    let mut found = None;
    eventually("the launch is noted", || {
        let mut folders = std::fs::read_dir(&calls).into_iter().flatten().map(Result::unwrap);
        found = folders.find(|folder| folder.path().join("launch.json").exists());
        found.is_some()
    });
    found.unwrap().file_name().into_string().unwrap()
}

fn leave(terminal: Terminal) {
    println!("{}", support::leave(terminal));
}

fn accepted(exchanges: &[Exchange]) {
    assert!(!exchanges.is_empty());
    for exchange in exchanges {
        assert_eq!(exchange.status, 200, "{}", exchange.body["input"]);
    }
}

fn items<'a>(request: &'a Value, kind: &str) -> Vec<&'a Value> {
    let input = request["input"].as_array().unwrap();
    input.iter().filter(|item| item["type"] == kind).collect()
}

#[test]
#[ignore = "needs a real server: run tests/acceptance/real_server.sh"]
fn an_approved_turn_a_denied_one_and_their_history() {
    let (scratch, recorder) = (Scratch::new(), recorder());
    let mut terminal = start(&scratch, &recorder, &[]);
    say(&mut terminal, "Run: touch marker.txt");
    terminal.expect("touch marker.txt").expect("run or deny> ").send("run\n");
    terminal.expect("completed, exit 0");
    answer_until_ready(&mut terminal, "no");
    assert!(scratch.work().join("marker.txt").exists());
    terminal.send("Run: rm marker.txt\n");
    terminal.expect("rm marker.txt").expect("run or deny> ").send("no\n");
    terminal.expect("denied");
    answer_until_ready(&mut terminal, "no");
    leave(terminal);

    assert!(scratch.work().join("marker.txt").exists());
    let results = scratch.records("tool_result");
    let outcomes: Vec<_> = results.iter().map(|result| result["outcome"].as_str().unwrap()).collect();
    assert_eq!((outcomes[0], outcomes.last()), ("completed", Some(&"denied")));
    let statuses: Vec<_> = scratch.records("turn_ended").iter().map(|end| end["status"].clone()).collect();
    assert_eq!(statuses, ["completed", "completed"]);
    let exchanges = recorder.exchanges();
    accepted(&exchanges);
    let last = &exchanges.last().unwrap().body;
    assert_eq!(items(last, "function_call").len(), results.len());
    assert_eq!(items(last, "function_call_output").len(), results.len());
}

#[test]
#[ignore = "needs a real server: run tests/acceptance/real_server.sh"]
fn a_recovered_unknown_call_is_accepted_and_without_its_result_refused() {
    let (scratch, recorder) = (Scratch::new(), recorder());
    let mut terminal = start(&scratch, &recorder, &[]);
    say(&mut terminal, "Run: sleep 30");
    terminal.expect("sleep 30").expect("run or deny> ").send("run\n");
    let dispatch = launched(&scratch);
    terminal.kill();
    kill_all_of(&dispatch);

    let mut again = start(&scratch, &recorder, &["-c"]);
    again.expect("sleep 30").expect("statement> ").send("may have run\n");
    again.expect("note").send("\n");
    say(&mut again, "Run: ls");
    answer_until_ready(&mut again, "no");
    leave(again);

    assert_eq!(scratch.records("tool_result")[0]["outcome"], "unknown");
    let exchanges = recorder.exchanges();
    accepted(&exchanges);
    // The first request after the statement.
    let told = exchanges.iter().find(|exchange| exchange.body.to_string().contains("Run: ls")).unwrap();
    let output = items(&told.body, "function_call_output")[0]["output"].as_str().unwrap();
    assert!(output.contains("unknown"), "{output}");

    let mut without = told.body.clone();
    without["stream"] = false.into();
    assert_eq!(recorder.ask(&without).unwrap().0, 200);
    without["input"].as_array_mut().unwrap().retain(|item| item["type"] != "function_call_output");
    let (status, answer) = recorder.ask(&without).unwrap();
    assert_eq!(status, 400, "{answer}");
    assert!(answer.contains("No tool output found for function call"), "{answer}");
    println!("accepted with the result: 200; without it: {status}");
}
