use crate::agent::{Delta, Event, Phase};
use crate::record::{Outcome, TurnStatus};
use crate::tui::input::Key;
use crate::tui::testing::Stage;
use crossterm::event::{KeyCode, KeyModifiers};

fn long_talk(turns: usize) -> Stage {
    let mut stage = Stage::open(60, 16);
    for turn in 0..turns {
        stage.message(&format!("question {turn}"));
        stage.response(&format!("answer {turn}\nwith a second line"), 1, &[]);
        stage.end(TurnStatus::Completed);
    }
    stage.event(Event::Phase(Phase::Ready));
    stage
}

/// The rows of the conversation, without header and composer.
fn rows(stage: &mut Stage) -> Vec<String> {
    let screen = stage.screen();
    screen.lines().skip(2).take(11).map(str::to_owned).collect()
}

fn ctrl(code: KeyCode) -> Key {
    Key { code, mods: KeyModifiers::CONTROL }
}

#[test]
fn it_follows_the_end() {
    let mut stage = long_talk(20);
    assert!(rows(&mut stage).iter().any(|row| row.contains("answer 19")));
    stage.message("one more");
    assert!(rows(&mut stage).iter().any(|row| row.contains("one more")));
}

#[test]
fn what_is_read_stays_where_it_is_while_text_streams() {
    let mut stage = long_talk(20);
    stage.message("go on");
    stage.event(Event::Phase(Phase::Answering));
    stage.draw();
    stage.code(KeyCode::PageUp);
    let read = rows(&mut stage);
    for word in 0..200 {
        stage.event(Event::Delta(Delta::Text(format!("word {word}\n"))));
        let now = rows(&mut stage);
        assert_eq!(now[..10], read[..10], "after {word} words");
    }
    assert!(stage.screen().contains("new lines below, Ctrl+End follows"));
    stage.response(&"word\n".repeat(200), 1, &[]);
    stage.end(TurnStatus::Completed);
    assert_eq!(rows(&mut stage)[..10], read[..10], "after the answer is complete");
    stage.press(ctrl(KeyCode::End));
    let end = stage.screen();
    assert!(end.contains("word") && !end.contains("new line"), "{end}");
}

/// An answer that is tried again may be short: what is left is shown.
#[test]
fn what_is_left_is_in_sight_when_streamed_text_goes() {
    let mut stage = long_talk(2);
    stage.message("go on");
    stage.event(Event::Phase(Phase::Answering));
    for word in 0..200 {
        stage.event(Event::Delta(Delta::Text(format!("word {word}\n\n"))));
    }
    stage.draw();
    stage.code(KeyCode::PageUp);
    assert!(rows(&mut stage).iter().any(|row| row.contains("word")));
    let read = rows(&mut stage);
    stage.event(Event::Discarded);
    assert_eq!(rows(&mut stage)[..10], read[..10], "what broke off stays");
    stage.response("short", 1, &[]);
    stage.end(TurnStatus::Completed);
    let left = rows(&mut stage);
    assert!(!left.iter().any(|row| row.contains("word")), "{left:#?}");
    assert!(left.iter().filter(|row| !row.trim().is_empty()).count() > 5, "{left:#?}");
}

/// Deltas, and then the end of the turn as it comes after Esc.
fn cut_off(stage: &mut Stage, text: &str) {
    stage.event(Event::Phase(Phase::Answering));
    stage.event(Event::Delta(Delta::Text(text.into())));
    stage.draw();
    stage.event(Event::Discarded);
    stage.event(Event::Phase(Phase::Ready));
    stage.end(TurnStatus::Cancelled);
}

const MARK: &str = " (cut off here; not part of the record)";

#[test]
fn what_was_read_of_an_answer_that_was_stopped_stays_until_the_session_is_opened_again() {
    let mut stage = Stage::open(60, 24);
    stage.message("tell me");
    cut_off(&mut stage, "The **first** half");
    let screen = stage.screen();
    let place = |text: &str| screen.find(text).unwrap_or_else(|| panic!("{text}: {screen}"));
    assert!(place("The first half") < place(MARK) && place(MARK) < place("You stopped this turn."));
    let (buffer, _) = stage.cells();
    let row = screen.lines().position(|row| row.contains("The first half")).unwrap();
    let cell = &buffer[(4, u16::try_from(row).unwrap())];
    assert!(cell.modifier.contains(ratatui::style::Modifier::DIM), "{cell:?}");
    // It stands in its turn, whatever comes after, and in the whole conversation.
    stage.message("and then?");
    stage.response("All of it.", 1, &[]);
    stage.end(TurnStatus::Completed);
    let screen = stage.screen();
    assert!(screen.find(MARK).unwrap() < screen.find("and then?").unwrap(), "{screen}");
    stage.press(Key::ctrl('t'));
    assert!(stage.screen().contains(MARK));
    // No record has it, so it is not there when the records are read again.
    let session = format!("{:?}", stage.state.conversation.session);
    assert!(!session.contains("half"));
    let again = crate::tui::testing::opened(stage.state.conversation.id);
    stage.event(Event::Opened(Box::new(again)));
    assert!(!stage.screen().contains(MARK));
}

#[test]
fn what_was_read_stays_while_it_is_tried_again() {
    let mut stage = Stage::open(60, 24);
    stage.message("tell me");
    stage.event(Event::Phase(Phase::Answering));
    stage.event(Event::Delta(Delta::Text("old words".into())));
    stage.event(Event::Discarded);
    let screen = stage.screen();
    assert!(screen.contains("old words") && screen.contains(MARK), "{screen}");
    stage.event(Event::Delta(Delta::Text("new words".into())));
    let screen = stage.screen();
    assert!(
        screen.contains("new words") && !screen.contains("old words") && !screen.contains(MARK),
        "{screen}"
    );
    stage.response("new words", 1, &[]);
    stage.end(TurnStatus::Completed);
    assert!(!stage.screen().contains(MARK));
}

#[test]
fn pages_walk_from_end_to_beginning_and_back() {
    let mut stage = long_talk(30);
    let end = rows(&mut stage);
    stage.press(ctrl(KeyCode::Home));
    let beginning = rows(&mut stage);
    assert!(beginning[0].contains("You") && beginning[1].contains("question 0"));
    for _ in 0..40 {
        stage.code(KeyCode::PageDown);
        stage.draw();
    }
    assert_eq!(rows(&mut stage), end);
    for _ in 0..40 {
        stage.code(KeyCode::PageUp);
        stage.draw();
    }
    assert_eq!(rows(&mut stage), beginning);
}

#[test]
fn rows_walk_one_by_one() {
    let mut stage = long_talk(10);
    let mut seen = vec![rows(&mut stage)];
    for _ in 0..20 {
        stage.press(ctrl(KeyCode::Up));
        let now = rows(&mut stage);
        let before = seen.last().unwrap();
        assert_eq!(now[1..], before[..10], "every step moves by one row");
        seen.push(now);
    }
    for expected in seen.iter().rev().skip(1) {
        stage.press(ctrl(KeyCode::Down));
        assert_eq!(&rows(&mut stage), expected);
    }
}

#[test]
fn a_scrolled_view_survives_other_sizes() {
    let mut stage = long_talk(20);
    stage.draw();
    stage.press(ctrl(KeyCode::Home));
    stage.code(KeyCode::PageDown);
    let first = rows(&mut stage)[0].clone();
    for (columns, rows_) in [(40, 12), (200, 60), (1, 1), (60, 16)] {
        stage.resize(columns, rows_);
        stage.draw();
    }
    assert_eq!(rows(&mut stage)[0], first, "it comes back to the same row");
}

fn enter(stage: &mut Stage, text: &str) {
    stage.type_text(text);
    stage.code(KeyCode::Enter);
}

/// What the panels say about lines that they leave out, from above.
fn hints(stage: &mut Stage) -> Vec<String> {
    let screen = stage.screen();
    let inside = |line: &str| Some(line.split_once('(')?.1.split_once(')')?.0.to_owned());
    screen.lines().filter(|line| line.contains("more line")).filter_map(inside).collect()
}

/// Three commands with long outputs, of which the last was not run.
fn long_outputs() -> Stage {
    let mut stage = Stage::open(60, 60);
    stage.message("go");
    stage.response("", 1, &["make one", "make two", "make three"]);
    let output = "line\n".repeat(12);
    stage.ran(1, "make one", &output);
    stage.ran(2, "make two", &output);
    stage.result(3, Outcome::NotExecuted, |result| {
        (result.dispatch, result.evidence) = (None, None);
        (result.output, result.output_bytes, result.output_sha256) = (None, None, None);
    });
    stage.end(TurnStatus::Cancelled);
    stage.event(Event::Phase(Phase::Ready));
    stage
}

#[test]
fn a_panel_names_the_key_that_opens_it_from_where_one_is() {
    let mut stage = long_outputs();
    assert_eq!(hints(&mut stage), ["2 more lines: Tab and Up go there", "2 more lines: Ctrl+O opens"]);
    stage.code(KeyCode::Tab);
    assert_eq!(hints(&mut stage), ["2 more lines: Up goes there", "2 more lines: Up goes there"]);
    stage.code(KeyCode::Up);
    assert_eq!(hints(&mut stage), ["2 more lines: Up goes there", "2 more lines: Enter opens"]);
    stage.code(KeyCode::Up);
    assert_eq!(hints(&mut stage), ["2 more lines: Enter opens", "2 more lines: Down goes there"]);
    stage.code(KeyCode::Esc);
    assert_eq!(hints(&mut stage), ["2 more lines: Tab and Up go there", "2 more lines: Ctrl+O opens"]);
    stage.press(Key::ctrl('o'));
    assert!(stage.screen().contains("make two"), "the key does as the panel says");
    stage.press(Key::char('q'));
    enter(&mut stage, "quit");
    assert_eq!(hints(&mut stage), ["2 more lines", "2 more lines"], "a dialog has the keys");
}

/// The row of the reader that stands below its title and the line.
fn first_of_reader(stage: &mut Stage) -> String {
    stage.screen().lines().nth(2).unwrap().to_owned()
}

#[test]
fn the_whole_conversation_opens_where_one_was() {
    let mut stage = long_talk(40);
    stage.press(ctrl(KeyCode::End));
    stage.draw();
    stage.press(Key::ctrl('t'));
    let screen = stage.screen();
    assert!(screen.contains("answer 39"), "the end is followed: {screen}");
    stage.press(Key::char('q'));
    for _ in 0..6 {
        stage.code(KeyCode::PageUp);
        stage.draw();
    }
    let first = rows(&mut stage)[0].clone();
    assert!(!first.contains("answer 39") && !first.trim().is_empty());
    stage.press(Key::ctrl('t'));
    assert_eq!(first_of_reader(&mut stage), first);
    stage.press(Key::char('G'));
    stage.press(Key::char('q'));
    assert_eq!(rows(&mut stage)[0], first, "the conversation stays where it was");
    stage.press(ctrl(KeyCode::Home));
    stage.press(Key::ctrl('t'));
    assert!(first_of_reader(&mut stage).contains("You"));
}

#[test]
fn what_a_panel_leaves_out_does_not_move_where_the_whole_opens() {
    let mut stage = Stage::open(60, 16);
    stage.message("go");
    stage.response("", 1, &["make"]);
    let output: String = (1..=100).map(|line| format!("line {line}\n")).collect();
    stage.ran(1, "make", &output);
    stage.response(&"paragraph\n\n".repeat(20), 2, &[]);
    stage.end(TurnStatus::Completed);
    stage.event(Event::Phase(Phase::Ready));
    stage.press(ctrl(KeyCode::Home));
    stage.draw();
    for _ in 0..9 {
        stage.press(ctrl(KeyCode::Down));
        stage.draw();
    }
    let first = rows(&mut stage)[0].clone();
    assert!(first.contains("line 9"), "{first}");
    stage.press(Key::ctrl('t'));
    assert_eq!(first_of_reader(&mut stage), first);
}

#[test]
fn after_a_cut_turn_it_is_said_how_it_goes_on_until_it_does() {
    const GOES_ON: &str = "Your next message goes on; the model is told";
    let mut stage = Stage::open(160, 30);
    stage.message("first");
    stage.end(TurnStatus::Interrupted);
    stage.event(Event::Phase(Phase::Ready));
    assert!(stage.screen().contains(GOES_ON));
    stage.message("second");
    let screen = stage.screen();
    assert!(screen.contains("This turn was cut off.") && !screen.contains(GOES_ON), "{screen}");
    stage.end(TurnStatus::Interrupted);
    stage.state.conversation.read_only = Some(crate::agent::ReadOnly::KeyGone("its key is gone".into()));
    stage.resize(161, 30);
    assert!(!stage.screen().contains(GOES_ON), "nothing can be sent there");
}
