//! What is shown, what is chosen, and what keys come to.

use super::asking::Answer;
use super::*;
use crate::agent::{SessionState, Speaker};
use crate::tui::input::Key;
use crate::tui::moment::Moment;
use crate::tui::testing::{SESSION, wall};
use crossterm::event::KeyCode;

fn id(number: u8) -> SessionId {
    SessionId::parse(&format!("{}{number:02x}", &SESSION[..34])).unwrap()
}

fn row(number: u8, title: &str, cwd: &str, message: &str) -> SessionRow {
    SessionRow {
        id: id(number),
        title: title.into(),
        is_fork: false,
        cwd: cwd.into(),
        state: SessionState::Ready,
        detail: String::new(),
        holder: None,
        message: message.into(),
        last_at: None,
        here: cwd == "/home/me/shop",
    }
}

fn all() -> Vec<SessionRow> {
    vec![
        row(1, "Add milk", "/home/me/shop", "Add milk to shopping.txt, please"),
        row(2, "Fix the parser", "/home/me/shop", "The parser fails on ÄRGER"),
        row(3, "Nightly backup", "/srv/web", "Run rsync every night"),
        row(4, "Milk prices", "/srv/web", ""),
    ]
}

fn opened(all: &[SessionRow]) -> Sessions {
    Sessions::open(all).0
}

fn now() -> Now {
    Now { moment: Moment::default(), wall: wall(0) }
}

fn press(sessions: &mut Sessions, key: Key) -> Outcome {
    sessions.key(key, &all(), now())
}

fn code(sessions: &mut Sessions, code: KeyCode) -> Outcome {
    press(sessions, Key::plain(code))
}

fn type_text(sessions: &mut Sessions, text: &str) {
    for c in text.chars() {
        press(sessions, Key::char(c));
    }
}

fn shown(sessions: &Sessions) -> Vec<u8> {
    let rows = all();
    let (rows, _) = sessions.rows(&rows);
    rows.iter().map(|row| (1..=4).find(|n| id(*n) == row.id).unwrap()).collect()
}

fn told(outcome: &Outcome) -> String {
    format!("{:?}", outcome.tell)
}

#[test]
fn words_are_looked_for_in_title_directory_and_first_message() {
    for (scope, filter, expected) in [
        (Scope::Here, "", vec![0, 1]),
        (Scope::Everywhere, "", vec![0, 1, 2, 3]),
        (Scope::Here, "milk", vec![0]),
        (Scope::Everywhere, "MILK", vec![0, 3]),
        (Scope::Everywhere, "srv", vec![2, 3]),
        (Scope::Everywhere, "web milk", vec![3]),
        (Scope::Everywhere, "rsync", vec![2]),
        (Scope::Everywhere, "ärger", vec![1]),
        (Scope::Everywhere, "mil add", vec![0]),
        (Scope::Everywhere, "nothing of it", vec![]),
        (Scope::Trash, "milk", vec![0, 3]),
    ] {
        assert_eq!(filter::shown(&all(), scope, filter), expected, "{scope:?} {filter:?}");
    }
    let by_id = id(3).to_string();
    assert_eq!(filter::shown(&all(), Scope::Everywhere, &by_id), [2]);
}

#[test]
fn every_letter_filters_and_the_first_one_is_chosen() {
    let mut sessions = opened(&all());
    assert_eq!(shown(&sessions), [1, 2]);
    code(&mut sessions, KeyCode::Down);
    assert_eq!(sessions.chosen(&all()).map(|row| row.id), Some(id(2)));
    type_text(&mut sessions, "qjk");
    assert_eq!((sessions.typed.as_str(), shown(&sessions)), ("qjk", vec![]));
    press(&mut sessions, Key::ctrl('u'));
    type_text(&mut sessions, "a milk");
    assert_eq!(shown(&sessions), [1]);
    press(&mut sessions, Key::ctrl('w'));
    assert_eq!(sessions.typed, "a ");
    code(&mut sessions, KeyCode::Tab);
    assert_eq!((sessions.scope, shown(&sessions)), (Scope::Everywhere, vec![1, 2, 3]));
}

#[test]
fn the_same_session_stays_chosen_when_the_list_changes() {
    let mut sessions = opened(&all());
    code(&mut sessions, KeyCode::Down);
    let mut changed = all();
    changed.insert(0, row(9, "New", "/home/me/shop", ""));
    sessions.refresh(&changed);
    assert_eq!(sessions.chosen(&changed).map(|row| row.id), Some(id(2)));
    changed.remove(2);
    sessions.refresh(&changed);
    assert_eq!(sessions.chosen(&changed).map(|row| row.id), Some(id(1)), "its neighbour, if it is gone");
}

#[test]
fn sessions_of_other_directories_are_shown_where_there_are_none_here() {
    let elsewhere = &all()[2..];
    assert_eq!(opened(elsewhere).scope, Scope::Everywhere);
    assert_eq!(opened(&[]).scope, Scope::Here);
}

#[test]
fn the_preview_follows_the_choice() {
    let (mut sessions, look) = Sessions::open(&all());
    assert!(matches!(look, Some(Command::Preview { id: of, trashed: false }) if of == id(1)));
    assert_eq!(sessions.preview.subject.map(|subject| subject.id), Some(id(1)));
    let outcome = code(&mut sessions, KeyCode::Down);
    assert!(matches!(outcome.tell.as_slice(), [Command::Preview { id: of, trashed: false }] if *of == id(2)));
    assert!(code(&mut sessions, KeyCode::Down).tell.is_empty(), "it is shown already");
    type_text(&mut sessions, "nothing");
    assert_eq!(sessions.preview.subject, None);
}

#[test]
fn enter_opens_and_in_the_trash_brings_back() {
    let mut sessions = opened(&all());
    assert_eq!(code(&mut sessions, KeyCode::Enter).then, Then::Open(id(1), None));
    code(&mut sessions, KeyCode::Tab);
    let outcome = code(&mut sessions, KeyCode::Tab);
    assert!(told(&outcome).contains("ListTrash"));
    assert_eq!(code(&mut sessions, KeyCode::Enter).then, Then::Stay, "it is not known yet");
    sessions.set_trash(vec![row(7, "Old", "/srv", "")], &all());
    let outcome = code(&mut sessions, KeyCode::Enter);
    assert!(matches!(outcome.tell.as_slice(), [Command::Restore(of)] if *of == id(7)), "{outcome:?}");
    for key in [Key::ctrl('r'), Key::ctrl('x'), Key::plain(KeyCode::Delete), Key::ctrl('k')] {
        assert!(matches!(press(&mut sessions, key).then, Then::Say(_)), "{key:?}");
    }
    assert_eq!(code(&mut sessions, KeyCode::Esc).then, Then::Close);
}

#[test]
fn a_title_is_asked_in_a_field() {
    let mut sessions = opened(&all());
    press(&mut sessions, Key::ctrl('r'));
    type_text(&mut sessions, "!");
    let outcome = code(&mut sessions, KeyCode::Enter);
    assert!(told(&outcome).contains("title: \"Add milk!\""), "{outcome:?}");
    assert!(sessions.asking.is_none() && sessions.typed.is_empty());
    press(&mut sessions, Key::ctrl('r'));
    press(&mut sessions, Key::ctrl('u'));
    assert!(code(&mut sessions, KeyCode::Enter).tell.is_empty(), "an empty title is none");
    assert_eq!(code(&mut sessions, KeyCode::Esc).then, Then::Stay);
    assert!(sessions.asking.is_none());
}

#[test]
fn the_trash_is_confirmed_once_and_by_name_if_an_outcome_is_unknown() {
    let mut sessions = opened(&all());
    assert!(code(&mut sessions, KeyCode::Delete).tell.is_empty());
    type_text(&mut sessions, "y");
    assert_eq!(sessions.typed, "", "a letter answers nothing and filters nothing");
    let outcome = code(&mut sessions, KeyCode::Enter);
    assert!(told(&outcome).contains("Remove") && told(&outcome).contains("title_word: None"));
    sessions.refused(Some("1 of its outcomes is unknown"));
    assert!(code(&mut sessions, KeyCode::Enter).tell.is_empty(), "no word was typed");
    type_text(&mut sessions, "Add");
    assert!(told(&code(&mut sessions, KeyCode::Enter)).contains("title_word: Some(\"Add\")"));
    sessions.moved(id(1));
    assert!(sessions.asking.is_none());

    let mut needs_you = all();
    needs_you[0].state = SessionState::NeedsYou;
    let mut sessions = opened(&needs_you);
    sessions.key(Key::ctrl('x'), &needs_you, now());
    assert!(matches!(sessions.asking, Some(Asking::Word { .. })));
    sessions.refused(None);
    assert!(sessions.asking.is_none());
}

fn hit(number: u8, seq: u64) -> Hit {
    Hit { id: id(number), seq, at: wall(0), who: Speaker::You, excerpt: "milk".into(), words: 0..4 }
}

#[test]
fn a_search_begins_with_what_is_typed_and_anew_with_every_letter() {
    let mut sessions = opened(&all());
    type_text(&mut sessions, "mil");
    let outcome = press(&mut sessions, Key::ctrl('f'));
    assert!(matches!(outcome.tell.as_slice(), [Command::Search { number: 1, words }] if words == "mil"));
    let outcome = press(&mut sessions, Key::char('k'));
    assert!(matches!(outcome.tell.as_slice(), [Command::Search { number: 2, words }] if words == "milk"));
    assert!(sessions.found(1, vec![hit(1, 1)], &all()).is_none(), "of the search before");
    assert!(sessions.hits.as_ref().unwrap().list.is_empty());
    let look = sessions.found(2, vec![hit(3, 4), hit(3, 9)], &all());
    assert!(matches!(look, Some(Command::Preview { id: of, .. }) if of == id(3)));
    code(&mut sessions, KeyCode::Down);
    assert_eq!(code(&mut sessions, KeyCode::Enter).then, Then::Open(id(3), Some(9)));
    sessions.moved(id(3));
    assert_eq!(code(&mut sessions, KeyCode::Enter).then, Then::Stay);
    let outcome = code(&mut sessions, KeyCode::Esc);
    assert!(told(&outcome).contains("words: \"\""), "it is stopped: {outcome:?}");
    assert!(sessions.hits.is_none() && shown(&sessions) == [1], "what was typed filters again");
}

#[test]
fn a_letter_typed_in_the_preview_filters() {
    let mut sessions = opened(&all());
    code(&mut sessions, KeyCode::Right);
    assert!(sessions.in_preview);
    code(&mut sessions, KeyCode::Left);
    assert!(!sessions.in_preview);
    code(&mut sessions, KeyCode::Right);
    type_text(&mut sessions, "f");
    assert!(!sessions.in_preview && sessions.typed == "f");
}

#[test]
fn a_fork_ends_with_the_chosen_turn() {
    let ids = [1, 2, 3].map(crate::tui::testing::turn);
    let turn = |(id, seq)| asking::EndedTurn { id, seq, message: "go".into() };
    let turns = Turns { list: ids.into_iter().zip([1, 4, 9]).map(turn).collect(), at: 2 };
    assert_eq!(turns.without(), 0);
    let mut fork = Asking::Fork(turns);
    let mut key = |code| fork.key(Key::plain(code), 5);
    assert_eq!(key(KeyCode::Enter), Answer::Fork(ids[2]));
    assert_eq!(key(KeyCode::Up), Answer::Open);
    assert_eq!(key(KeyCode::Enter), Answer::Fork(ids[1]));
    key(KeyCode::Home);
    key(KeyCode::Up);
    assert_eq!(key(KeyCode::Enter), Answer::Fork(ids[0]));
    key(KeyCode::End);
    key(KeyCode::Down);
    assert_eq!(key(KeyCode::Enter), Answer::Fork(ids[2]));
    assert_eq!(key(KeyCode::Esc), Answer::Closed);
}

#[test]
fn a_paste_is_typed_as_one_line() {
    let mut sessions = opened(&all());
    sessions.paste("milk\nand more", &all());
    assert_eq!((sessions.typed.as_str(), shown(&sessions)), ("milk", vec![1]));
    sessions.paste(&"x".repeat(1_000), &all());
    assert_eq!(sessions.typed.chars().count(), LONGEST);
}
