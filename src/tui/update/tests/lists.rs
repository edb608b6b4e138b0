//! Sessions above the composer and over the whole screen.

use super::*;

#[test]
fn a_list_is_walked_from_the_empty_composer() {
    let mut stage = Stage::open(80, 24);
    stage.event(Event::Sessions(vec![row(1), row(2), row(3)]));
    stage.code(KeyCode::Up);
    stage.code(KeyCode::Up);
    stage.code(KeyCode::Enter);
    assert!(matches!(stage.told().as_slice(), [Command::Open(id)] if *id == row(2).id));
    stage.code(KeyCode::Down);
    stage.code(KeyCode::Down);
    stage.type_text("typed");
    assert_eq!(stage.state.composer.text(), "typed", "Down past the end returns");
    stage.press(Key::ctrl('c'));
    stage.code(KeyCode::Up);
    assert_eq!(
        (stage.state.focus, stage.state.composer.text().as_str()),
        (Focus::List, ""),
        "no old message"
    );
    stage.code(KeyCode::Esc);
    stage.code(KeyCode::Tab);
    assert_eq!(stage.state.sessions.chosen().map(|row| row.id), Some(row(1).id), "Tab begins at the top");
}

#[test]
fn without_sessions_here_up_walks_the_history_and_choosing_is_not_offered() {
    let mut stage = Stage::open(80, 24);
    let history = Event::History { cwd: "/home/me/shop".into(), without: None, messages: vec!["old".into()] };
    stage.event(history);
    stage.event(Event::Sessions(Vec::new()));
    assert!(!stage.screen().contains("choose a session"));
    stage.code(KeyCode::Up);
    assert_eq!(stage.state.composer.text(), "old");
}

#[test]
fn the_list_at_home_is_walked_by_pages_and_left() {
    let mut stage = home();
    stage.code(KeyCode::Up);
    assert_eq!(stage.state.focus, Focus::List);
    for (code, chosen) in
        [(KeyCode::Home, 1), (KeyCode::PageDown, 11), (KeyCode::PageUp, 1), (KeyCode::End, 30)]
    {
        stage.code(code);
        assert_eq!(stage.state.sessions.chosen().map(|row| row.id), Some(row(chosen).id), "{code:?}");
    }
    stage.code(KeyCode::Esc);
    assert_eq!(stage.state.focus, Focus::Composer);
    stage.code(KeyCode::Up);
    stage.press(Key::ctrl('c'));
    assert_eq!(stage.state.focus, Focus::Composer);
    stage.code(KeyCode::Up);
    stage.press(Key::char('x'));
    assert_eq!((stage.state.focus, stage.state.composer.text().as_str()), (Focus::Composer, "x"));
}

#[test]
fn the_sessions_over_the_screen_are_walked_and_left() {
    let mut stage = home();
    stage.press(Key::ctrl('s'));
    stage.draw();
    assert!(matches!(stage.told().as_slice(), [Command::List, Command::Preview { .. }]));
    for code in [KeyCode::Down, KeyCode::End, KeyCode::PageUp, KeyCode::PageDown, KeyCode::Home] {
        stage.code(code);
    }
    mouse(&mut stage, MouseEventKind::ScrollDown, 2, 8);
    let told = stage.told();
    assert!(
        matches!(told.last(), Some(Command::Preview { id, trashed: false }) if *id == row(4).id),
        "{told:?}"
    );
    stage.press(Key::ctrl('k'));
    stage.code(KeyCode::F(1));
    assert!(matches!(stage.state.layers.last(), Some(Layer::Reader(_))));
    stage.press(Key::char('q'));
    stage.paste("session 2\nand no more");
    stage.press(Key::ctrl('w'));
    stage.press(Key::ctrl('u'));
    stage.press(Key::ctrl('u'));
    stage.event(Event::Previewed(Box::new(Previewed {
        id: row(1).id,
        session: None,
        why: Some("It cannot be read.".into()),
    })));
    stage.event(Event::Trash(vec![row(9)]));
    stage.event(Event::Searched { number: 77, searched: Searched::default() });
    stage.event(Event::Found { number: 77, hits: Vec::new() });
    stage.event(Event::Moved(Moved::Back(row(9).id)));
    assert!(stage.screen().contains("It is back among the sessions."), "{}", stage.screen());
    stage.event(Event::Moved(Moved::ToTrash(row(9).id)));
    stage.event(Event::Refused { why: Refusal::Cannot, sentence: "It cannot.".into(), text: None });
    stage.code(KeyCode::Esc);
    assert!(stage.state.layers.is_empty());
    stage.event(Event::Trash(vec![row(9)]));
    stage.paste("goes on");
    assert_eq!(stage.state.composer.text(), "goes on");
}

#[test]
fn the_open_session_is_only_shown_and_a_watched_one_is_taken_over() {
    let mut stage = Stage::new(100, 24);
    stage.event(Event::Opened(Box::new(opened(SessionId::parse(SESSION).ok()))));
    stage.event(Event::Phase(Phase::Ready));
    let own = SessionRow { id: SessionId::parse(SESSION).unwrap(), ..row(1) };
    stage.event(Event::Sessions(vec![own]));
    stage.press(Key::ctrl('s'));
    stage.told();
    stage.code(KeyCode::Enter);
    assert!(stage.told().is_empty() && stage.state.layers.is_empty());

    let holder = Holder { pid: 7, host: "web".into(), terminal: Some("pts/3".into()), since: wall(0) };
    stage.event(Event::Watched(Watched::Held(Some(holder))));
    stage.event(Event::Phase(Phase::ReadOnly));
    stage.type_text("mine");
    stage.event(Event::Watched(Watched::Free { running: true }));
    stage.event(Event::Watched(Watched::Free { running: false }));
    stage.code(KeyCode::Enter);
    assert!(matches!(stage.told().as_slice(), [Command::Open(_)]));
    assert_eq!(stage.state.composer.text(), "mine", "what is written stays");
}

#[test]
fn the_view_beside_the_sessions_takes_keys_of_its_own() {
    let mut stage = long_talk();
    stage.resize(120, 24);
    let own = SessionRow { id: SessionId::parse(SESSION).unwrap(), ..row(1) };
    stage.event(Event::Sessions(vec![own.clone(), row(2)]));
    stage.press(Key::ctrl('s'));
    let session = stage.state.conversation.session.clone();
    stage.event(Event::Previewed(Box::new(Previewed { id: own.id, session, why: None })));
    stage.draw();
    stage.code(KeyCode::Right);
    let end = stage.screen();
    stage.code(KeyCode::Home);
    let top = stage.screen();
    assert_ne!(top, end);
    stage.code(KeyCode::PageDown);
    assert_ne!(stage.screen(), top);
    for code in [KeyCode::PageUp, KeyCode::Down, KeyCode::Up] {
        stage.code(code);
    }
    assert_eq!(stage.screen(), top);
    mouse(&mut stage, MouseEventKind::ScrollDown, 100, 8);
    assert_ne!(stage.screen(), top);
    stage.code(KeyCode::End);
    assert_eq!(stage.screen(), end);
    stage.told();
    stage.press(Key::ctrl('f'));
    assert!(matches!(stage.told().as_slice(), [Command::Search { words, .. }] if words.is_empty()));
    stage.press(Key::ctrl('c'));
    assert!(stage.state.layers.is_empty(), "it closes, and stops the search");
    assert!(matches!(stage.told().as_slice(), [Command::Search { words, .. }] if words.is_empty()));
}
