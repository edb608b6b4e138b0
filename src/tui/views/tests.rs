//! Each screen and dialog with content that is long, wide and hostile.

use crate::agent::first::{FirstStart, Offer};
use crate::agent::{
    AliveProcess, Delta, Event, Finding, Phase, RunningCommand, SessionRow, SessionState, UnknownReport,
};
use crate::config::ModelSettings;
use crate::record::{Outcome, SessionId, TurnStatus};
use crate::tui::input::Key;
use crate::tui::testing::{Disk, SESSION, Stage, dispatch, opened, operation, request, wall};
use crossterm::event::KeyCode;

const SIZES: [(u16, u16); 2] = [(80, 24), (120, 40)];
const HOSTILE: &str =
    "echo safe\r\u{1b}[2Krm -rf \u{202e}gnihtyreve\u{202c} \u{200b}\u{e0041}; p\u{430}yload";

fn snapshot(name: &str, size: (u16, u16), stage: &mut Stage) {
    let name = format!("{name}_{}x{}", size.0, size.1);
    insta::with_settings!({ prepend_module_to_snapshot => false, snapshot_path => "snapshots" }, {
        insta::assert_snapshot!(name, stage.screen());
    });
}

pub(super) fn row(number: u8, state: SessionState, title: &str, detail: &str, minutes: i64) -> SessionRow {
    let id = format!("{}{number:02x}", &SESSION[..34]);
    SessionRow {
        id: SessionId::parse(&id).unwrap(),
        title: title.into(),
        is_fork: false,
        cwd: "/home/me/shop".into(),
        state,
        detail: detail.into(),
        holder: None,
        message: String::new(),
        last_at: Some(wall(-minutes * 60_000)),
        here: true,
    }
}

fn sessions() -> Vec<SessionRow> {
    let mut rows = vec![
        row(1, SessionState::NeedsYou, "Add milk to shopping.txt", "1 unknown outcome", 2),
        row(2, SessionState::CommandRunning, "Nightly backup", "rsync, 12 min, no window", 0),
        row(3, SessionState::OpenElsewhere, "Fix the parser", "pts/3, process 4121", 661),
        row(4, SessionState::Ready, "買い物リストに牛乳を追加してください、お願いします", "", 1_500),
        row(5, SessionState::Damaged, "Release \u{1b}[31mnotes\u{202e}", "does not verify", 40_000),
    ];
    let mut far = row(6, SessionState::Ready, "Elsewhere", "", 3);
    far.here = false;
    rows.push(far);
    rows
}

fn talk(size: (u16, u16)) -> Stage {
    let mut stage = Stage::open(size.0, size.1);
    stage.message("Add milk to shopping.txt.\n日本語も書いて \u{1b}]0;title\u{7}and more words that go on and on until the row is full");
    stage.response("I'll append it.", 1, &["echo milk >> shopping.txt", "ls -la\nwc -l shopping.txt"]);
    stage.ran(1, "echo milk >> shopping.txt", "");
    let output: String = (1..=30).map(|n| format!("\u{1b}[3{}mline {n}\u{1b}[0m 表\n", n % 8)).collect();
    stage.ran(2, "ls -la\nwc -l shopping.txt", &output);
    stage
}

#[test]
fn home() {
    for size in SIZES {
        let mut stage = Stage::open(size.0, size.1);
        stage.event(Event::Sessions(sessions()));
        snapshot("home", size, &mut stage);
        stage.code(KeyCode::Up);
        stage.code(KeyCode::Up);
        snapshot("home_list", size, &mut stage);
    }
}

#[test]
fn conversation() {
    for size in SIZES {
        let mut stage = talk(size);
        stage.end(TurnStatus::Cancelled);
        stage.event(Event::Phase(Phase::Ready));
        stage.type_text("and eggs, 卵");
        snapshot("conversation", size, &mut stage);
        stage.press(Key::plain(KeyCode::Tab));
        stage.press(Key::plain(KeyCode::Up));
        snapshot("conversation_panel", size, &mut stage);
    }
}

#[test]
fn answering_with_a_queue() {
    for size in SIZES {
        let mut stage = talk(size);
        stage.event(Event::Phase(Phase::Answering));
        stage.event(Event::Delta(Delta::Text("Now it has **milk**.\n\n- one\n- two\u{202e}".into())));
        stage.type_text("then commit");
        stage.code(KeyCode::Enter);
        stage.wait(10);
        snapshot("answering", size, &mut stage);
    }
}

#[test]
fn running() {
    for size in SIZES {
        let mut stage = Stage::open(size.0, size.1);
        stage.message("Back up");
        stage.response("", 1, &["rsync -a build/ web:/srv/www"]);
        stage.approve(1, "rsync -a build/ web:/srv/www");
        stage.start(1, "rsync -a build/ web:/srv/www");
        stage.event(Event::Phase(Phase::Running(RunningCommand {
            dispatch: dispatch(1),
            summary: "rsync -a build/ web:/srv/www".into(),
            started_at: wall(0),
            supervised: true,
            found: false,
        })));
        let bytes = (1..=40).map(|n| format!("file {n}\r\n")).collect::<String>() + " 10 %\r 20 %\r 30 %";
        stage.event(Event::Output { dispatch: dispatch(1), bytes: bytes.into_bytes() });
        stage.wait(12_400);
        stage.code(KeyCode::Esc);
        snapshot("running", size, &mut stage);
    }
}

#[test]
fn approval() {
    for size in SIZES {
        let mut stage = talk(size);
        stage.response("", 3, &["rsync -a --delete build/ web:/srv/www", "true", "date"]);
        stage.event(Event::Phase(Phase::WaitingForYou));
        let mut asked = request(3, "rsync -a --delete build/ web:/srv/www\necho done\n# 表と漢字");
        asked.position = (1, 3);
        asked.others = vec!["bash  true".into(), "bash  date \u{1b}[31m".into()];
        asked.first = true;
        asked.repeats = Some(wall(-60_000));
        asked.environment = vec![("KUBECONFIG".into(), "/etc/kube".into())];
        stage.event(Event::Approval(Box::new(asked)));
        stage.type_text("my draft");
        snapshot("approval_waits", size, &mut stage);
        stage.wait(1_000);
        snapshot("approval_ready", size, &mut stage);
        stage.press(Key::char('y'));
        snapshot("approval_chosen", size, &mut stage);
    }
}

#[test]
fn approval_of_hostile_and_long_commands() {
    for size in SIZES {
        let mut stage = talk(size);
        stage.response("", 3, &["x"]);
        let long: String = (1..=300).map(|n| format!("echo {n}\n")).collect();
        stage.ask(3, &format!("{HOSTILE}\n{}\n{long}", "x".repeat(10_000)));
        stage.wait(400);
        stage.draw();
        stage.wait(400);
        snapshot("approval_hostile", size, &mut stage);
    }
}

#[test]
fn approval_fields() {
    for size in SIZES {
        for (letter, name) in [('e', "approval_edit"), ('w', "approval_words")] {
            let mut stage = talk(size);
            stage.response("", 3, &["x"]);
            stage.ask(3, "rsync -a --delete build/ web:/srv/www\necho done");
            stage.draw();
            stage.wait(400);
            stage.press(Key::char(letter));
            stage.code(KeyCode::Enter);
            stage.type_text("not like this");
            snapshot(name, size, &mut stage);
        }
    }
}

fn unknown(number: u8, command: &str) -> UnknownReport {
    UnknownReport {
        dispatch: dispatch(number),
        operation: Some(operation(command)),
        imported: false,
        approved: Some((wall(-3_000), "at the keyboard")),
        started_at: Some(wall(0)),
        last_output_at: Some(wall(2_000)),
        output: "HTTP/1.1 100 Continue\n\u{1b}[31mstill going\u{202e}\n".into(),
        output_bytes: 44,
        output_path: None,
        pid: Some(4188),
        alive: vec![
            AliveProcess { pid: 4190, command: "sleep 60".into() },
            AliveProcess { pid: 4191, command: "curl -X POST".into() },
        ],
        changed: (vec!["order.json".into(), "メモ.txt".into()], true),
        decision: None,
    }
}

#[test]
fn recovery() {
    for size in SIZES {
        let mut stage = Stage::new(size.0, size.1);
        stage.event(Event::Opened(Box::new(opened(SessionId::parse(SESSION).ok()))));
        stage.event(Event::Gate(vec![
            unknown(1, "curl -X POST https://pay.example/charge -d @order.json"),
            unknown(2, HOSTILE),
        ]));
        stage.draw();
        stage.press(Key::char('2'));
        stage.code(KeyCode::Tab);
        stage.type_text("looked at the bank");
        snapshot("recovery_note", size, &mut stage);
        stage.code(KeyCode::Tab);
        stage.press(Key::ctrl('x'));
        snapshot("recovery_rest", size, &mut stage);
        while !stage.screen().contains("Ctrl+X saves") {
            stage.press(Key::ctrl('x'));
        }
        stage.wait(400);
        stage.press(Key::ctrl('x'));
        snapshot("recovery_missing", size, &mut stage);
    }
}

#[test]
fn imported_unknowns_together() {
    for size in SIZES {
        let mut stage = Stage::open(size.0, size.1);
        let imported = |number: u8| UnknownReport {
            imported: true,
            approved: None,
            started_at: None,
            last_output_at: None,
            output: String::new(),
            output_bytes: 0,
            pid: None,
            alive: Vec::new(),
            changed: (Vec::new(), false),
            ..unknown(number, &format!("make step{number}"))
        };
        stage.event(Event::Gate((1..=3).map(imported).collect()));
        snapshot("recovery_imported", size, &mut stage);
    }
}

#[test]
fn still_running() {
    for size in SIZES {
        for (supervised, name) in [(true, "still_running"), (false, "still_running_alone")] {
            let mut stage = Stage::open(size.0, size.1);
            stage.message("Back up");
            stage.response("", 1, &["rsync -a build/ web:/srv/www"]);
            stage.approve(1, "rsync -a build/ web:/srv/www");
            stage.start(1, "rsync -a build/ web:/srv/www");
            stage.event(Event::Output { dispatch: dispatch(1), bytes: b"one\ntwo\nthree\n".to_vec() });
            stage.event(Event::Phase(Phase::Running(RunningCommand {
                dispatch: dispatch(1),
                summary: "rsync -a build/ web:/srv/www".into(),
                started_at: wall(-720_000),
                supervised,
                found: true,
            })));
            stage.code(KeyCode::Tab);
            snapshot(name, size, &mut stage);
        }
    }
}

#[test]
fn leaving_and_limit() {
    for size in SIZES {
        let mut stage = talk(size);
        stage.event(Event::Phase(Phase::Ready));
        stage.type_text("quit");
        stage.code(KeyCode::Enter);
        snapshot("leave_said", size, &mut stage);
        stage.code(KeyCode::Esc);
        stage.event(Event::ExtensionWanted { model_requests: 50, tool_calls: 61 });
        snapshot("limit", size, &mut stage);
    }
}

#[test]
fn readers() {
    for size in SIZES {
        let mut stage = talk(size);
        stage.code(KeyCode::F(1));
        snapshot("help", size, &mut stage);
    }
}

#[test]
fn what_is_offered() {
    for size in [(80, 24), (40, 12)] {
        let mut stage = talk(size);
        stage.type_text("/");
        snapshot("words", size, &mut stage);
        stage.code(KeyCode::Down);
        snapshot("word_chosen", size, &mut stage);
        stage.press(Key::ctrl('u'));
        stage.event(Event::History {
            cwd: "/home/me/shop".into(),
            without: None,
            messages: vec![
                "fix \u{1b}[31mred\nand \u{202e}more".into(),
                "日本語の長い文".repeat(20),
                "Add milk".into(),
            ],
        });
        stage.press(Key::ctrl('r'));
        snapshot("search", size, &mut stage);
        stage.type_text("日");
        snapshot("search_narrowed", size, &mut stage);
    }
}

#[test]
fn the_viewer() {
    let mut content: String =
        (1..=300).map(|n| format!("\u{1b}[3{}mline {n}\u{1b}[0m of the output, 表\n", n % 8)).collect();
    content.push_str("\u{1b}[2J\u{1b}]0;owned\u{7}hostile\u{202e}\n 10 %\r 20 %\r 30 %\n");
    for size in [(80, 24), (40, 12)] {
        let mut stage = talk(size);
        stage.state.conversation.path = Some("/home/me/.local/share/candor/sessions/0193a1b2".into());
        stage.code(KeyCode::Tab);
        stage.code(KeyCode::Up);
        stage.code(KeyCode::Enter);
        let mut disk = Disk::with(content.as_bytes());
        disk.serve(&mut stage);
        snapshot("viewer", size, &mut stage);
        stage.type_text("/line 250");
        snapshot("viewer_question", size, &mut stage);
        stage.code(KeyCode::Enter);
        disk.serve(&mut stage);
        stage.type_text("#vjjj");
        disk.serve(&mut stage);
        snapshot("viewer_marked", size, &mut stage);
        stage.type_text("vGws");
        disk.serve(&mut stage);
        stage.type_text("out.txt");
        snapshot("viewer_end", size, &mut stage);
        stage.code(KeyCode::Esc);
        stage.code(KeyCode::Esc);
        stage.press(Key::ctrl('t'));
        snapshot("viewer_conversation", size, &mut stage);
    }
}

#[test]
fn what_was_found_is_said() {
    for size in SIZES {
        let mut stage = Stage::new(size.0, size.1);
        let mut session = opened(SessionId::parse(SESSION).ok());
        session.found = vec![Finding { sentence: "rsync -a: completed, exit 0, from its receipt.".into() }];
        session.demo = true;
        stage.event(Event::Opened(Box::new(session)));
        stage.event(Event::Phase(Phase::Ready));
        snapshot("found", size, &mut stage);
    }
}

#[test]
fn every_outcome_has_its_words() {
    for size in SIZES {
        let mut stage = Stage::open(size.0, size.1);
        stage.message("Do things");
        stage.response("", 1, &["true", "false", "sleep 9", "yes", "kill", "gone"]);
        let outcomes = [
            Outcome::Completed,
            Outcome::Failed,
            Outcome::TimedOut,
            Outcome::Cancelled,
            Outcome::Failed,
            Outcome::Unknown,
        ];
        for (index, (outcome, command)) in
            outcomes.into_iter().zip(["true", "false", "sleep 9", "yes", "kill", "gone"]).enumerate()
        {
            stage.approve(index + 1, command);
            stage.start(index + 1, command);
            stage.result(index + 1, outcome, |result| match outcome {
                Outcome::TimedOut | Outcome::Cancelled => result.signal = Some(15),
                _ => {}
            });
        }
        stage.end(TurnStatus::Interrupted);
        snapshot("outcomes", size, &mut stage);
    }
}

#[test]
fn which_model_answers() {
    let local = Offer::Local {
        name: "Ollama",
        base_url: "http://127.0.0.1:11434/v1".into(),
        models: vec!["tiny".into(), "small".into()],
    };
    for size in [(80, 24), (40, 12)] {
        let mut stage = Stage::open(size.0, size.1);
        stage.state.ask_for_model(&FirstStart::Nothing);
        snapshot("setup_looking", size, &mut stage);
        stage.event(Event::LocalServers(vec![local.clone()]));
        stage.code(KeyCode::Down);
        snapshot("setup_offers", size, &mut stage);
        stage.code(KeyCode::Enter);
        stage.type_text("SHOP_KEY");
        snapshot("setup_key", size, &mut stage);
        stage.code(KeyCode::Enter);
        snapshot("setup_testing", size, &mut stage);
        let refused = Err("The server refused the key in SHOP_KEY (401). Nothing was run.".into());
        let model = ModelSettings { api_key_env: "SHOP_KEY".into(), ..ModelSettings::default() };
        stage.event(Event::Reached { model: model.clone(), offered: refused });
        snapshot("setup_refused", size, &mut stage);
        stage.code(KeyCode::Enter);
        let names = (1..=30).map(|number| format!("model-{number}")).collect();
        stage.event(Event::Reached { model, offered: Ok(Some(names)) });
        stage.type_text("2");
        stage.code(KeyCode::Down);
        snapshot("setup_models", size, &mut stage);
    }
}

#[test]
fn a_small_terminal_says_so() {
    let mut stage = Stage::open(32, 8);
    assert!(stage.screen().starts_with("Candor needs 40 x 12; this\nterminal has 32 x 8.\n"));
    stage.resize(1, 1);
    stage.draw();
    stage.resize(40, 12);
    assert!(stage.screen().contains("Candor"));
}
#[test]
fn the_smallest_usable_size() {
    let size = (40, 12);
    let mut stage = talk(size);
    stage.event(Event::Phase(Phase::Ready));
    snapshot("small_conversation", size, &mut stage);
    stage.response("", 3, &["rsync -a --delete build/ web:/srv/www", "true", "date"]);
    stage.event(Event::Phase(Phase::WaitingForYou));
    let mut asked = request(3, "rsync -a --delete build/ web:/srv/www && echo \"a second row\"");
    asked.position = (1, 3);
    asked.others = vec!["bash  true".into(), "bash  date".into()];
    asked.first = true;
    stage.event(Event::Approval(Box::new(asked)));
    stage.draw();
    stage.wait(400);
    snapshot("small_approval", size, &mut stage);
    stage.code(KeyCode::PageDown);
    snapshot("small_approval_scrolled", size, &mut stage);
    stage.event(Event::Gate(vec![unknown(1, "curl -X POST https://pay.example/charge")]));
    snapshot("small_recovery", size, &mut stage);
    let mut stage = Stage::open(size.0, size.1);
    stage.event(Event::Sessions(sessions()));
    snapshot("small_home", size, &mut stage);
    stage.type_text("quit");
    stage.code(KeyCode::Enter);
    snapshot("small_leave", size, &mut stage);
}
