//! What the screen says before anything was asked.

use super::tests::row;
use crate::agent::{Event, OpenedSession, Phase, SessionRow, SessionState};
use crate::record::SessionId;
use crate::tui::testing::{SESSION, Stage, opened};

#[test]
fn the_demo_says_at_its_start_what_it_understands() {
    let hint = "Try: Run: date";
    let mut stage = Stage::new(80, 24);
    let demo = OpenedSession { demo: true, ..opened(None) };
    stage.event(Event::Opened(Box::new(demo)));
    stage.event(Event::Phase(Phase::Ready));
    let screen = stage.screen();
    assert!(screen.contains("Demo: the answers are scripted.") && screen.contains(hint), "{screen}");
    let mut stage = Stage::open(80, 24);
    assert!(!stage.screen().contains(hint));
    stage.message("hello");
    let session = stage.state.conversation.session.clone().unwrap();
    let id = SessionId::parse(SESSION).ok();
    let demo = OpenedSession { demo: true, session, ..opened(id) };
    stage.event(Event::Opened(Box::new(demo)));
    let screen = stage.screen();
    assert!(screen.contains("Demo: the answers are scripted.") && !screen.contains(hint), "{screen}");
}

#[test]
fn without_a_model_nothing_is_called_ready() {
    let mut stage = Stage::new(80, 24);
    let nameless = OpenedSession { model: String::new(), ..opened(None) };
    stage.event(Event::Opened(Box::new(nameless)));
    stage.event(Event::Phase(Phase::Ready));
    let head = stage.screen().lines().next().unwrap().to_owned();
    assert!(head.ends_with("no model"), "{head}");
    stage.event(Event::ModelChanged { name: "small".into(), sentence: "small answers.".into() });
    let head = stage.screen().lines().next().unwrap().to_owned();
    assert!(head.contains("small") && head.ends_with("ready"), "{head}");
}

#[test]
fn the_sessions_are_counted_in_a_plain_sentence() {
    let count = |here: i64, elsewhere: i64| {
        let mut stage = Stage::open(60, 24);
        let listed = |number: i64| SessionRow {
            here: number < here,
            ..row(u8::try_from(number).unwrap(), SessionState::Ready, "a session", "", number)
        };
        stage.event(Event::Sessions((0..here + elsewhere).map(listed).collect()));
        let screen = stage.screen();
        let summary = screen.lines().find(|line| line.contains("session") && !line.contains("a session"));
        summary.or_else(|| screen.lines().find(|line| line.contains("elsewhere"))).unwrap().trim().to_owned()
    };
    assert_eq!(count(0, 0), "No sessions yet.");
    assert_eq!(count(1, 0), "1 session, of this directory");
    assert_eq!(count(3, 0), "3 sessions, all of this directory");
    assert_eq!(count(0, 2), "No session of this directory, 2 elsewhere");
    assert_eq!(count(3, 2), "3 here, 2 elsewhere");
}
