//! What keys and events come to.

mod approval;
mod assist;
mod every_key;
mod lists;
mod passing;
mod recovery;

use crate::agent::{
    Command, Event, Finding, Holder, Moved, OpenedSession, Phase, Previewed, Refusal, RunningCommand,
    Searched, SessionRow, SessionState, Verdict, Watched,
};
use crate::record::{Acknowledged, By, Outcome, SessionId, Statement, StatementKind, TurnStatus};
use crate::tui::effects::{EditorTarget, Effect};
use crate::tui::input::{Input, Key};
use crate::tui::sentences;
use crate::tui::state::{Focus, Layer};
use crate::tui::testing::{Disk, SESSION, Stage, dispatch, opened, request, wall};
use crate::tui::update::Happening;
use crossterm::event::{KeyCode, KeyModifiers, MouseButton, MouseEvent, MouseEventKind};

fn enter(stage: &mut Stage, text: &str) {
    stage.type_text(text);
    stage.code(KeyCode::Enter);
}

fn busy() -> Stage {
    let mut stage = Stage::open(80, 24);
    stage.message("first");
    stage.event(Event::Phase(Phase::Answering));
    stage
}

fn running() -> Stage {
    let mut stage = Stage::open(80, 24);
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
    stage
}

/// An approval that has been on the screen long enough.
fn asked(command: &str) -> Stage {
    let mut stage = Stage::open(80, 24);
    stage.message("go");
    stage.response("", 1, &[command]);
    stage.ask(1, command);
    stage.draw();
    stage.wait(400);
    stage.draw();
    stage.told();
    stage
}

fn mouse(stage: &mut Stage, kind: MouseEventKind, column: u16, row: u16) {
    stage.input(Input::Mouse(MouseEvent { kind, column, row, modifiers: KeyModifiers::NONE }));
}

fn gate(reports: Vec<crate::agent::UnknownReport>) -> Stage {
    let mut stage = Stage::open(80, 24);
    stage.event(Event::Gate(reports));
    stage.draw();
    stage.wait(400);
    stage
}

fn home() -> Stage {
    let mut stage = Stage::open(100, 24);
    stage.event(Event::Sessions((1..=30).map(row).collect()));
    stage.draw();
    stage
}

fn row(number: u8) -> SessionRow {
    SessionRow {
        id: SessionId::parse(&format!("{}{number:02x}", &SESSION[..34])).unwrap(),
        title: format!("session {number}"),
        is_fork: false,
        cwd: "/home/me/shop".into(),
        state: SessionState::Ready,
        detail: String::new(),
        holder: None,
        message: String::new(),
        last_at: None,
        here: true,
    }
}

fn long_talk() -> Stage {
    let mut stage = Stage::open(80, 24);
    stage.message("go");
    stage.response(&"line\n\n".repeat(80), 1, &["ls"]);
    stage.ran(1, "ls", "one\ntwo\n");
    stage.response("done", 1, &[]);
    stage.end(TurnStatus::Completed);
    stage.event(Event::Phase(Phase::Ready));
    stage.draw();
    stage
}

fn sent(commands: &[Command]) -> Vec<&str> {
    let mut texts = Vec::new();
    for command in commands {
        if let Command::Send(text) = command {
            texts.push(text.as_str());
        }
    }
    texts
}

#[test]
fn enter_sends_and_empties_the_composer() {
    let mut stage = Stage::open(80, 24);
    enter(&mut stage, "hello");
    assert_eq!(sent(&stage.told()), ["hello"]);
    assert!(stage.state.composer.is_empty());
    enter(&mut stage, "   ");
    assert!(stage.told().is_empty(), "nothing is no message");
}

#[test]
fn a_message_during_a_turn_waits_for_its_complete_answer() {
    let mut stage = busy();
    enter(&mut stage, "second");
    enter(&mut stage, "third");
    assert!(sent(&stage.told()).is_empty());
    stage.response("done", 1, &[]);
    stage.end(TurnStatus::Completed);
    stage.event(Event::Phase(Phase::Ready));
    assert_eq!(sent(&stage.told()), ["second"], "one at a time");
    assert_eq!(stage.state.queue, ["third"]);
}

#[test]
fn after_any_other_end_the_queue_comes_back_before_the_draft() {
    let mut stage = busy();
    enter(&mut stage, "second");
    enter(&mut stage, "third");
    stage.type_text("draft");
    stage.end(TurnStatus::Cancelled);
    stage.event(Event::Phase(Phase::Ready));
    assert!(sent(&stage.told()).is_empty());
    assert_eq!(stage.state.composer.text(), "second\nthird\ndraft");
}

#[test]
fn up_takes_a_queued_message_back() {
    let mut stage = busy();
    enter(&mut stage, "second");
    stage.code(KeyCode::Up);
    assert_eq!((stage.state.composer.text().as_str(), stage.state.queue.len()), ("second", 0));
}

#[test]
fn join_gives_the_queue_to_the_running_turn() {
    let mut stage = busy();
    enter(&mut stage, "second");
    enter(&mut stage, "/join");
    assert!(matches!(stage.told().as_slice(), [Command::Join(text)] if text == "second"));
    enter(&mut stage, "/join and this");
    assert!(matches!(stage.told().as_slice(), [Command::Join(text)] if text == "and this"));
}

#[test]
fn a_message_is_put_back_only_into_an_empty_composer() {
    let mut stage = busy();
    stage.event(Event::PutBack("first".into()));
    assert_eq!(stage.state.composer.text(), "first");
    stage.event(Event::PutBack("other".into()));
    assert_eq!(stage.state.composer.text(), "first");
    stage.event(Event::Refused {
        why: Refusal::Busy,
        sentence: "A turn is running.".into(),
        text: Some("refused".into()),
    });
    assert_eq!(stage.state.composer.text(), "refused\nfirst", "what was not taken is never lost");
}

#[test]
fn esc_stops_the_answer_and_never_a_command() {
    let mut stage = busy();
    stage.code(KeyCode::Esc);
    assert!(matches!(stage.told().as_slice(), [Command::StopAnswer]));
    let mut stage = running();
    for _ in 0..3 {
        stage.code(KeyCode::Esc);
    }
    assert!(stage.told().is_empty());
    assert!(stage.screen().contains("rsync -a build/ web:/srv/www runs on. Ctrl+C stops it."));
}

#[test]
fn ctrl_c_twice_within_five_seconds_stops_a_command() {
    let mut stage = running();
    stage.press(Key::ctrl('c'));
    stage.wait(6_000);
    stage.press(Key::ctrl('c'));
    assert!(stage.told().is_empty(), "too late");
    stage.wait(4_000);
    stage.press(Key::ctrl('c'));
    assert!(matches!(stage.told().as_slice(), [Command::StopCommand]));
    let mut stage = running();
    stage.code(KeyCode::Esc);
    stage.press(Key::ctrl('c'));
    assert!(matches!(stage.told().as_slice(), [Command::StopCommand]), "Esc says it as well");
}

#[test]
fn ctrl_c_clears_the_draft_then_leaves() {
    let mut stage = Stage::open(80, 24);
    stage.type_text("draft");
    stage.press(Key::ctrl('c'));
    assert!(stage.state.composer.is_empty());
    stage.code(KeyCode::Up);
    assert_eq!(stage.state.composer.text(), "draft", "it is in the history");
    stage.press(Key::ctrl('c'));
    stage.press(Key::ctrl('c'));
    assert!(stage.told().is_empty());
    stage.press(Key::ctrl('c'));
    assert!(matches!(stage.told().as_slice(), [Command::Close { stop_command: false }]));
}

#[test]
fn leaving_asks_what_becomes_of_a_command() {
    for (tabs, expected) in [(1, Some(false)), (2, Some(true)), (3, None)] {
        let mut stage = running();
        stage.press(Key::ctrl('d'));
        stage.code(KeyCode::Enter);
        assert!(stage.told().is_empty(), "nothing is chosen beforehand");
        for _ in 0..tabs {
            stage.code(KeyCode::Tab);
        }
        stage.code(KeyCode::Enter);
        let told = stage.told();
        let stop = told.iter().find_map(|command| match command {
            Command::Close { stop_command } => Some(*stop_command),
            _ => None,
        });
        assert_eq!(stop, expected);
        assert!(stage.state.layers.is_empty());
    }
}

#[test]
fn words_that_leave_ask_first() {
    for word in ["exit", "quit", ":q", ":wq"] {
        let mut stage = Stage::open(80, 24);
        enter(&mut stage, word);
        assert!(stage.told().is_empty());
        for _ in 0..3 {
            stage.code(KeyCode::Tab);
        }
        stage.code(KeyCode::Enter);
        assert_eq!(sent(&stage.told()), [word], "it may have been meant as a message");
    }
}

#[test]
fn unknown_words_after_a_slash_are_messages() {
    let mut stage = Stage::open(80, 24);
    enter(&mut stage, "/etc/passwd is odd");
    assert_eq!(sent(&stage.told()), ["/etc/passwd is odd"]);
    stage.type_text("/he");
    stage.code(KeyCode::Tab);
    assert_eq!(stage.state.composer.text(), "/help");
}

#[test]
fn a_message_that_is_too_long_stays() {
    let mut stage = Stage::open(80, 24);
    stage.paste(&"x".repeat(310 << 10));
    stage.code(KeyCode::Enter);
    assert!(stage.told().is_empty());
    assert!(stage.screen().contains("The message has 310 KiB, at most 256 KiB fit."));
    assert_eq!(stage.state.composer.text().len(), 310 << 10);
}

fn report(number: u8) -> crate::agent::UnknownReport {
    crate::agent::UnknownReport {
        dispatch: dispatch(number),
        operation: Some(crate::tui::testing::operation("make deploy")),
        imported: false,
        approved: None,
        started_at: None,
        last_output_at: None,
        output: String::new(),
        output_bytes: 0,
        output_path: None,
        pid: None,
        alive: Vec::new(),
        changed: (Vec::new(), false),
        decision: None,
    }
}

#[test]
fn a_draft_of_nothing_but_space_is_none() {
    let mut stage = Stage::open(80, 24);
    stage.message("first");
    stage.input(Input::Paste("\n\n \n".into()));
    stage.wait(1_000);
    assert!(matches!(stage.told_with_drafts().as_slice(), [Command::Draft(text)] if text.is_empty()));
    stage.press(Key::ctrl('d'));
    assert!(
        matches!(stage.told().as_slice(), [Command::Close { stop_command: false }]),
        "nor is it in the way"
    );
}

#[test]
fn the_draft_is_kept_a_second_after_a_change() {
    let mut stage = Stage::open(80, 24);
    stage.message("first");
    stage.type_text("draft");
    assert!(stage.told_with_drafts().is_empty());
    stage.wait(1_000);
    assert!(matches!(stage.told_with_drafts().as_slice(), [Command::Draft(text)] if text == "draft"));
    stage.wait(5_000);
    assert!(stage.told_with_drafts().is_empty(), "once");
    enter(&mut stage, "!");
    stage.wait(1_000);
    assert!(
        matches!(stage.told_with_drafts().as_slice(), [Command::Send(_), Command::Draft(text)] if text.is_empty())
    );
}

#[test]
fn the_draft_of_a_session_comes_back() {
    let mut stage = Stage::new(80, 24);
    let session =
        crate::agent::OpenedSession { draft: "kept".into(), ..opened(SessionId::parse(SESSION).ok()) };
    stage.event(Event::Opened(Box::new(session)));
    assert_eq!(stage.state.composer.text(), "kept");
}

#[test]
fn the_first_message_does_not_disturb_what_is_typed_next() {
    let mut stage = Stage::open(80, 24);
    enter(&mut stage, "first");
    stage.type_text("next");
    stage.event(Event::Opened(Box::new(opened(SessionId::parse(SESSION).ok()))));
    assert_eq!(stage.state.composer.text(), "next");
}

#[test]
fn a_person_who_is_away_is_called_once() {
    let calls = |stage: &mut Stage| {
        let effects = std::mem::take(&mut stage.effects);
        effects.iter().filter(|effect| matches!(effect, Effect::CallPerson)).count()
    };
    let mut stage = Stage::open(80, 24);
    stage.message("go");
    stage.response("", 1, &["ls"]);
    stage.ask(1, "ls");
    stage.wait(0);
    assert_eq!(calls(&mut stage), 1, "nobody pressed a key");
    stage.wait(60_000);
    assert_eq!(calls(&mut stage), 0);
    let mut stage = Stage::open(80, 24);
    stage.type_text("x");
    stage.ask(1, "ls");
    stage.wait(9_000);
    assert_eq!(calls(&mut stage), 0);
    stage.wait(1_000);
    assert_eq!(calls(&mut stage), 1);
}

#[test]
fn nothing_ticks_when_nothing_happens() {
    let mut stage = Stage::open(80, 24);
    stage.draw();
    assert_eq!(stage.state.next_change(), None);
    stage.event(Event::Phase(Phase::WaitingForModel));
    assert!(stage.state.next_change().is_some(), "a counter is shown");
    stage.event(Event::Phase(Phase::Ready));
    assert_eq!(stage.state.next_change(), None);
}

#[test]
fn rules_end_with_an_unknown_outcome() {
    let mut stage = Stage::open(80, 24);
    stage.message("go");
    stage.response("", 1, &["ls", "make"]);
    stage.state.conversation.rules.push((3, "ls".into()));
    stage.approve(1, "ls");
    stage.start(1, "ls");
    stage.result(1, Outcome::Unknown, |_| {});
    assert!(stage.state.conversation.rules.is_empty());
}

#[test]
fn what_was_found_stays_in_the_conversation() {
    let mut stage = Stage::new(80, 24);
    let found = vec![Finding { sentence: "rsync: completed, exit 0, from its receipt.".into() }];
    let session = crate::agent::OpenedSession { found, ..opened(SessionId::parse(SESSION).ok()) };
    stage.event(Event::Opened(Box::new(session)));
    assert!(stage.screen().contains("rsync: completed, exit 0, from its receipt."));
}

#[test]
fn the_kept_draft_and_the_one_being_written_are_both_there() {
    let mut stage = Stage::open(80, 24);
    stage.type_text("being written");
    let session =
        crate::agent::OpenedSession { draft: "kept".into(), ..opened(SessionId::parse(SESSION).ok()) };
    stage.event(Event::Opened(Box::new(session)));
    assert_eq!(stage.state.composer.text(), "kept\nbeing written");
}

#[test]
fn what_was_refused_is_said_in_the_dialog() {
    let mut stage = asked("ls");
    let sentence = "A command has at most 16 KiB.".to_owned();
    stage.event(Event::Refused { why: Refusal::Cannot, sentence, text: None });
    assert!(stage.screen().contains("A command has at most 16 KiB."));
}

#[test]
fn an_output_is_read_from_its_file_or_else_from_the_record() {
    let mut stage = Stage::open(80, 24);
    stage.message("go");
    stage.response("", 1, &["seq 100"]);
    stage.ran(1, "seq 100", "kept by the record\n");
    for (mut disk, shown) in
        [(Disk::with(b"from the file\n"), "from the file"), (Disk::default(), "kept by the record")]
    {
        stage.press(Key::ctrl('o'));
        disk.serve(&mut stage);
        let screen = stage.screen();
        assert!(screen.contains(shown), "{screen}");
        stage.press(Key::char('q'));
        assert!(stage.state.layers.is_empty());
    }
}

#[test]
fn another_model_and_a_fork_are_the_agents_to_make() {
    let mut stage = Stage::open(80, 24);
    stage.told();
    enter(&mut stage, "/model");
    stage.code(KeyCode::Esc);
    for text in ["/model large http://127.0.0.1:1/v1", "/fork", "/fork 2"] {
        enter(&mut stage, text);
    }
    let told: Vec<String> = stage.told().iter().map(|command| format!("{command:?}")).collect();
    assert_eq!(
        told,
        [
            "ListModels",
            "SetModel { name: \"large\", base_url: Some(\"http://127.0.0.1:1/v1\") }",
            "Fork { without: 0 }",
            "Fork { without: 2 }",
        ]
    );
    enter(&mut stage, "/fork it");
    assert!(stage.told().is_empty() && stage.state.flash.is_some());
    stage.event(Event::ModelChanged { name: "large".into(), sentence: "From now on large.".into() });
    assert_eq!(stage.state.conversation.model, "large");
}

#[test]
fn a_draft_is_kept_before_another_session_is_asked_for() {
    let mut stage = Stage::open(80, 24);
    stage.message("first");
    stage.event(Event::Phase(Phase::Ready));
    stage.event(Event::Sessions(vec![SessionRow { title: "other".into(), ..row(0xff) }]));
    stage.type_text("draft");
    stage.press(Key::ctrl('s'));
    stage.code(KeyCode::Enter);
    let told = stage.told_with_drafts();
    let [Command::List, Command::Preview { .. }, Command::Draft(text), Command::Open(_)] = told.as_slice()
    else {
        panic!("{told:?}")
    };
    assert_eq!(text, "draft");
}

#[test]
fn a_panel_folds_and_unfolds_and_stays_so_when_its_session_comes_back() {
    let mut stage = Stage::open(80, 24);
    stage.message("count");
    stage.response("", 1, &["seq 1 30\necho done"]);
    stage.ran(1, "seq 1 30\necho done", &(1..=30).map(|n| format!("line {n}\n")).collect::<String>());
    stage.event(Event::Phase(Phase::Ready));
    stage.code(KeyCode::Tab);
    assert!(stage.screen().contains("line 30") && !stage.screen().contains("line 5"), "{}", stage.screen());
    stage.code(KeyCode::Left);
    let folded = stage.screen();
    assert!(folded.contains(">bash  seq 1 30") && !folded.contains("line 30"), "{folded}");
    stage.code(KeyCode::Left);
    assert_eq!(stage.screen(), folded, "less is not shown");
    stage.code(KeyCode::Right);
    stage.code(KeyCode::Right);
    assert!(stage.screen().contains("line 5"), "{}", stage.screen());
    stage.code(KeyCode::Left);
    stage.code(KeyCode::Left);

    let session = stage.state.conversation.session.clone().unwrap();
    let id = session.id();
    stage.event(Event::Opened(Box::new(opened(None))));
    assert!(!stage.screen().contains("seq 1 30"));
    stage.event(Event::Opened(Box::new(OpenedSession { id: Some(id), session, ..opened(None) })));
    assert!(stage.screen().contains("seq 1 30") && !stage.screen().contains("line 30"), "{}", stage.screen());
}

#[test]
fn code_is_asked_for_once_and_coloured_without_moving_a_row() {
    let mut stage = Stage::open(80, 24);
    stage.message("how");
    stage.response("Like this:\n\n```sh\necho 'a b' c\n```\n\nDone.", 1, &[]);
    let plain = stage.screen();
    let wanted = stage.state.conversation.colors.take_wanted();
    assert_eq!(wanted.len(), 1);
    stage.draw();
    assert!(stage.state.conversation.colors.take_wanted().is_empty());
    let colored = wanted.into_iter().map(|code| {
        let rows = code.highlight();
        (code, rows)
    });
    stage.happen(Happening::Colored(colored.collect()));
    assert_eq!(stage.screen(), plain);
    let (cells, _) = stage.cells();
    let green = cells.content().iter().filter(|cell| cell.fg == ratatui::style::Color::Green);
    assert_eq!(
        green.map(|cell| cell.symbol()).collect::<String>(),
        "ready'a b'",
        "and the word in the header"
    );
}
