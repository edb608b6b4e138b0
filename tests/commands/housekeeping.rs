//! Listing, reading, deleting and bringing back.

use crate::scene::{assert_refused, code, finished, open, stdout, unknown};
use crate::support::Scratch;

fn listed(scratch: &Scratch, arguments: &[&str]) -> Vec<serde_json::Value> {
    let all = [&["sessions", "--json", "--demo"], arguments].concat();
    scratch.json(&all).as_array().unwrap().clone()
}

#[test]
fn the_list_can_be_asked_for_here_and_for_what_needs_a_person() {
    let (scratch, id) = finished();
    assert_eq!(listed(&scratch, &["--here"])[0]["id"], id.as_str());
    assert!(listed(&scratch, &["--needs-you"]).is_empty());
    let said = scratch.run(&["sessions", "--demo", "--needs-you"]);
    assert_eq!(stdout(&said), "No session needs you.\n");
    let elsewhere = std::process::Command::new(crate::support::program())
        .args(["sessions", "--json", "--demo", "--here"])
        .env("CANDOR_HOME", scratch.home())
        .current_dir("/")
        .output()
        .unwrap();
    assert_eq!(stdout(&elsewhere), "[]\n");
    let (scratch, id, _) = unknown();
    let rows = listed(&scratch, &["--needs-you"]);
    assert_eq!((&rows[0]["id"], &rows[0]["state"]), (&id.as_str().into(), &"needs you".into()));
}

#[test]
fn a_session_goes_to_the_trash_and_comes_back() {
    let (scratch, id) = finished();
    let journal = std::fs::read(scratch.sessions()[0].join("journal.jsonl")).unwrap();
    assert_eq!(code(&scratch.run(&["sessions", "rm", &id])), 0);
    assert!(listed(&scratch, &[]).is_empty());
    assert_eq!(listed(&scratch, &["--trash"])[0]["id"], id.as_str());
    assert_refused(&scratch.run(&["sessions", "rm", &id]), "no session");
    assert_eq!(code(&scratch.run(&["sessions", "restore", &id])), 0);
    assert_refused(&scratch.run(&["sessions", "restore", &id]), "not in the trash");
    assert_eq!(std::fs::read(scratch.sessions()[0].join("journal.jsonl")).unwrap(), journal);
    assert_eq!(code(&scratch.run(&["inspect", &id])), 0);
}

/// The one session of this kind, as programs and people see it.
fn assert_state(scratch: &Scratch, state: &str, detail: &str) {
    let rows = listed(scratch, &[]);
    assert_eq!((rows.len(), &rows[0]["state"]), (1, &state.into()), "{rows:?}");
    let said = rows[0]["detail"].as_str().unwrap_or_default();
    assert!(said.contains(detail) && said.is_empty() == detail.is_empty(), "{detail:?} in {said:?}");
    let text = stdout(&scratch.run(&["sessions", "--demo"]));
    assert!(text.contains(&format!("  {state}  ")) && text.contains(detail), "{text}");
    assert_eq!(
        listed(scratch, &["--needs-you"]).len(),
        usize::from(["needs you", "interrupted"].contains(&state))
    );
}

#[test]
fn every_state_is_listed() {
    let (scratch, id) = finished();
    assert_state(&scratch, "ready", "");
    let mut terminal = open(&scratch, &id);
    terminal.expect("\n> ");
    assert_state(&scratch, "open elsewhere", "process ");
    terminal.send("Run: echo be''gun; sleep 600\n");
    terminal.expect("run or deny> ").send("run\n");
    terminal.expect("begun");
    assert_state(&scratch, "command running", "echo be''gun; sleep 600");
    terminal.kill();
    assert_state(&scratch, "command running", "no window");
    assert_refused(&scratch.run(&["sessions", "rm", &id]), "still runs");
    crate::support::kill_all_of(&id);
    assert_state(&scratch, "interrupted", "the end of a command is not known");
    assert_refused(&scratch.run(&["sessions", "rm", &id]), "\"Run:\"");
    let mut terminal = open(&scratch, &id);
    terminal.expect("statement> ").send("\u{4}");
    terminal.wait_exit();
    assert_state(&scratch, "needs you", "1 unknown outcome");

    let (scratch, id) = finished();
    let key = scratch.json(&["key", "--json"])["key_id"].as_str().unwrap().to_owned();
    let (seed, aside) = (scratch.home().join(format!("config/keys/{key}.seed")), scratch.home().join("seed"));
    std::fs::rename(&seed, &aside).unwrap();
    assert_state(&scratch, "read-only", "is not on this machine");
    std::fs::rename(&aside, &seed).unwrap();
    let journal = scratch.sessions()[0].join("journal.jsonl");
    let bytes = std::fs::read(&journal).unwrap();
    std::fs::write(&journal, &bytes[..bytes.len() / 2]).unwrap();
    assert_state(&scratch, "damaged", "missing");
    std::fs::write(&journal, &bytes).unwrap();
    assert_state(&scratch, "ready", "");
    std::fs::remove_dir_all(journal.parent().unwrap()).unwrap();
    assert_state(&scratch, "missing", "its files are gone");
    assert_refused(&scratch.run(&["sessions", "rm", &id]), "missing");
    assert_refused(&scratch.run(&["sessions", "restore", &id]), "not in the trash");
}

#[test]
fn the_beginning_of_an_id_is_enough_as_long_as_it_is_one_session_s() {
    let (scratch, id) = finished();
    let short = &id[..8];
    for arguments in [&["show", short][..], &["inspect", short], &["inspect", &id[..20], "--session", &id]] {
        assert_eq!(code(&scratch.run(arguments)), 0, "{arguments:?}");
    }
    let mut terminal = open(&scratch, short);
    terminal.expect("\n> ").send("\u{4}");
    assert_eq!(terminal.wait_exit(), 0);
    assert_eq!(code(&scratch.run(&["sessions", "rm", short])), 0);
    assert_refused(&scratch.run(&["show", short]), "no session that begins with");
    assert_refused(&scratch.run(&["inspect", short]), "no session that begins with");
    assert_eq!(code(&scratch.run(&["sessions", "restore", short])), 0);
    // A head alone is a session that is missed.
    let heads = scratch.sessions()[0].parent().unwrap().with_file_name("heads");
    let other = format!("{short}-0000-7000-8000-000000000000");
    std::fs::copy(heads.join(format!("{id}.json")), heads.join(format!("{other}.json"))).unwrap();
    for command in [&["show"][..], &["inspect"], &["sessions", "rm"]] {
        assert_refused(&scratch.run(&[command, &[short]].concat()), "2 sessions begin with");
    }
    assert_refused(&scratch.run(&["inspect", "hello"]), "hello is neither a session's id nor a file.");
}

#[test]
fn who_only_used_the_demo_is_told_where_its_sessions_are() {
    let (scratch, _) = finished();
    assert!(stdout(&scratch.run(&["sessions"])).contains("with --demo"));
    let mut terminal = scratch.start(&["--plain", "-c"]);
    assert_eq!(terminal.wait_exit(), 1);
    assert!(terminal.printed().contains("candor --demo -c"), "{}", terminal.printed());
}

#[test]
fn a_turn_that_ended_early_is_said_in_one_emphasis() {
    let (scratch, id, _) = unknown();
    let shown = stdout(&scratch.run(&["show", &id]));
    assert!(shown.contains("\n_Turn interrupted._\n"), "{shown}");
}

#[test]
fn an_open_session_is_not_deleted() {
    let (scratch, id) = finished();
    let mut again = open(&scratch, &id);
    again.expect("\n> ");
    assert_refused(&scratch.run(&["sessions", "rm", &id]), "open elsewhere");
    again.send("\u{4}");
    again.wait_exit();
}

#[test]
fn what_may_have_happened_is_not_deleted_by_the_way() {
    let (scratch, id, _) = unknown();
    assert_refused(&scratch.run(&["sessions", "rm", &id]), "\"Run:\"");
    assert_refused(&scratch.run(&["sessions", "rm", &id, "--title-word", "run"]), "--title-word");
    assert_eq!(scratch.sessions().len(), 1);
    // What somebody says about it does not make it known.
    let mut again = open(&scratch, &id);
    again.expect("statement> ").send("happened\n");
    again.expect("note").send("\n");
    again.expect("\n> ").send("\u{4}");
    again.wait_exit();
    assert_eq!(listed(&scratch, &[])[0]["state"], "ready");
    assert_refused(&scratch.run(&["sessions", "rm", &id]), "\"Run:\"");
    assert_eq!(code(&scratch.run(&["sessions", "rm", &id, "--title-word", "Run:"])), 0);
    assert!(scratch.sessions().is_empty());
}

#[test]
fn a_transcript_says_states_and_evidence_and_can_be_cut_to_a_turn() {
    let (scratch, id, dispatch) = unknown();
    let shown = stdout(&scratch.run(&["show", &id]));
    for words in
        ["unknown (it may have run), evidence: none", "echo milk >> shopping.txt", "Turn interrupted"]
    {
        assert!(shown.contains(words), "{words:?} in {shown}");
    }
    let all = scratch.json(&["show", &id, "--json"]);
    let turn = all["turns"][0]["turn"].as_str().unwrap();
    let call = &all["turns"][0]["entries"][1];
    assert_eq!((&call["outcome"], &call["evidence"]), (&"unknown".into(), &"none".into()), "{all}");
    assert_eq!((&call["dispatch"], &call["decided_by"]), (&dispatch.as_str().into(), &"user".into()));
    assert_eq!(scratch.json(&["show", &id, "--json", "--turn", turn]), all);
    assert_refused(&scratch.run(&["show", &id, "--turn", &id]), "no turn");
}

#[test]
fn the_whole_output_is_shown_and_a_change_of_it_is_said() {
    let scratch = Scratch::new();
    let mut terminal = scratch.start(&["--demo", "--plain"]);
    terminal.expect("> ").send("Run: seq 1 20000\n");
    terminal.expect("run or deny> ").send("run\n");
    terminal.expect("completed").expect("\n> ").send("\u{4}");
    terminal.wait_exit();
    let id = scratch.id();
    let dispatch = scratch.dispatch();
    let output = scratch.run(&["show", &id, "--output", &dispatch]);
    let numbers: String = (1..=20_000).map(|n| format!("{n}\n")).collect();
    assert_eq!((stdout(&output) == numbers, output.stderr.as_slice()), (true, &b""[..]));
    let spool = scratch.sessions()[0].join("calls").join(&dispatch).join("output");
    std::fs::write(&spool, "1\n").unwrap();
    let output = scratch.run(&["show", &id, "--output", &dispatch]);
    assert_eq!((code(&output), stdout(&output)), (0, "1\n".into()));
    assert!(String::from_utf8_lossy(&output.stderr).contains("changed since"), "{output:?}");
    std::fs::remove_file(&spool).unwrap();
    let output = scratch.run(&["show", &id, "--output", &dispatch]);
    assert!(stdout(&output).contains("bytes left out"), "the record's excerpt");
    assert!(String::from_utf8_lossy(&output.stderr).contains("what its record holds"), "{output:?}");
    assert_refused(&scratch.run(&["show", &id, "--output", &id]), "no command");
}
