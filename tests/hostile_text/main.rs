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

mod answers;
#[path = "../support/byte_server.rs"]
#[allow(dead_code, unreachable_pub)] // this binary uses its own part of it
mod byte_server;
#[path = "../support/hostile.rs"]
#[allow(unreachable_pub)]
#[rustfmt::skip] // a table
mod hostile;
#[path = "../support/own_sequences.rs"]
#[allow(unreachable_pub)]
mod own_sequences;
mod place;
#[path = "../support/served.rs"]
#[allow(dead_code, unreachable_pub)] // this binary uses its own part of it
mod served;
#[path = "../support/mod.rs"]
mod support;

use answers::{asks, histories, models, refusals, says};
use hostile::{names, payload};
use own_sequences::Face;
use place::{MODEL, Place, QUIET, assert_nobody_speaks_for_candor, checked, typed};
use serde_json::{Value, json};
use support::screen::{answer, look_first, pause, press, press_enter, write};
use support::{Terminal, eventually};

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
    terminal.expect("Candor: ").expect("\n> ");
    let printed = left(terminal, Face::Lines);
    let shown = &printed[..printed.rfind("\n> ").unwrap()];
    assert_nobody_speaks_for_candor(shown);

    let id = place.session();
    let mut again = place.converse(&["--plain", "-c"]);
    again.expect("\n> ");
    let printed = left(again, Face::Lines);
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

/// Left in order, with nothing foreign in what was printed.
fn left(mut terminal: Terminal, face: Face) -> String {
    terminal.send("\u{4}");
    assert_eq!(terminal.wait_exit(), 0);
    checked(&terminal, face)
}

/// Takes the draft away.
fn clear(terminal: &mut Terminal) {
    press(terminal, "\u{3}");
    pause();
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
    answer(&mut terminal, "y");
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
    left(terminal, Face::Screen);
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
        look_first();
        screen.send("4");
        screen.expect_screen("4 (x)");
        screen.send("\t");
        screen.send(&format!("\u{1b}[200~{}\u{1b}[201~", payload(9)));
        screen.expect_screen("OWNEDx");
        // What was not in sight is shown before anything is saved.
        while screen.screen().contains("Ctrl+X see more") {
            press(&mut screen, "\u{18}");
            look_first();
        }
        press(&mut screen, "\u{18}");
        screen.expect_screen("  ready");
        left(screen, Face::Screen);
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
    let candor = crate::support::program();
    let mut terminal =
        Terminal::start_program(candor, &place.home(), &place.work(), &arguments, &environment, (50, 120));
    terminal.expect_screen("Enter s");
    terminal.send("\u{7}");
    // One word: where the sentence breaks depends on the path.
    terminal.expect_screen("status:");
    left(terminal, Face::Screen);
}
