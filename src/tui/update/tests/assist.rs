//! What is offered while a message is written, by keys.

use super::*;
use crate::tui::assist::walk;
use crate::tui::update::Change;

/// A stage whose directory holds these.
fn with_files(names: &[&str]) -> Stage {
    let mut stage = Stage::open(80, 24);
    let directory = tempfile::tempdir().unwrap();
    #[allow(clippy::disallowed_methods)] // a test owns its files
    names.iter().for_each(|name| {
        let path = directory.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, "").unwrap();
    });
    stage.type_text("@");
    let number = stage.effects.iter().find_map(|effect| match effect {
        Effect::ListFiles { cwd, walk } => Some((cwd.clone(), *walk)),
        _ => None,
    });
    let (cwd, number) = number.expect("the directory is looked up");
    assert_eq!(cwd, "/home/me/shop");
    let mut batches = Vec::new();
    walk(directory.path().to_str().unwrap(), number, |batch| {
        batches.push(batch);
        true
    });
    batches.into_iter().for_each(|batch| stage.happen(crate::tui::update::Happening::Files(batch)));
    stage
}

fn text(stage: &Stage) -> String {
    stage.state.composer.text()
}

#[test]
fn words_after_a_slash_are_shown_with_their_sentences_and_completed() {
    let mut stage = Stage::open(80, 24);
    stage.type_text("/");
    let screen = stage.screen();
    assert!(screen.contains("/help") && screen.contains("Shows this help."), "{screen}");
    assert!(screen.contains(" more "), "not all fit: {screen}");
    stage.type_text("ren");
    assert!(stage.screen().contains("Gives the session the title"));
    stage.code(KeyCode::Tab);
    assert_eq!(text(&stage), "/rename ");
    assert!(!stage.screen().contains("Gives the session the title"), "it is complete");
}

#[test]
fn enter_sends_what_is_written_unless_a_word_was_chosen() {
    let mut stage = Stage::open(80, 24);
    enter(&mut stage, "/he");
    assert_eq!(sent(&stage.told()), ["/he"], "no known word: a message");
    stage.type_text("/r");
    stage.code(KeyCode::Down);
    stage.code(KeyCode::Enter);
    assert!(stage.screen().contains("Nothing runs without asking."), "the first one is /rules");
    stage.type_text("/r");
    stage.code(KeyCode::Tab);
    stage.code(KeyCode::Tab);
    assert_eq!(text(&stage), "/rules", "Tab chooses, then completes");
    stage.press(Key::ctrl('u'));
    stage.type_text("/r");
    stage.code(KeyCode::Up);
    stage.code(KeyCode::Enter);
    assert_eq!(text(&stage), "/rename ", "a word that wants others waits for them");
}

#[test]
fn esc_closes_what_is_offered_and_stops_nothing() {
    let mut stage = busy();
    stage.type_text("/");
    stage.code(KeyCode::Esc);
    assert!(stage.told().is_empty());
    assert!(!stage.screen().contains("Shows this help."));
    stage.code(KeyCode::Esc);
    assert!(matches!(stage.told().as_slice(), [Command::StopAnswer]));
}

#[test]
fn walking_the_history_is_not_stopped_by_what_it_meets() {
    let mut stage = Stage::open(80, 24);
    enter(&mut stage, "first");
    enter(&mut stage, "/rules");
    enter(&mut stage, "third");
    for expected in ["third", "/rules", "first"] {
        stage.draw();
        stage.code(KeyCode::Up);
        assert_eq!(text(&stage), expected);
    }
}

#[test]
fn a_path_is_chosen_and_stands_in_the_message_as_it_is() {
    let mut stage = with_files(&["src/main.rs", "notes of today.txt", "src/map.rs"]);
    stage.type_text("ma");
    let screen = stage.screen();
    assert!(screen.contains("src/main.rs") && screen.contains("src/map.rs"), "{screen}");
    stage.code(KeyCode::Down);
    stage.code(KeyCode::Enter);
    assert_eq!(text(&stage), "src/main.rs");
    assert!(sent(&stage.told()).is_empty(), "Enter took the path");
    stage.type_text(" and @notes");
    stage.code(KeyCode::Enter);
    stage.code(KeyCode::Enter);
    assert_eq!(sent(&stage.told()), ["src/main.rs and 'notes of today.txt'"]);
}

#[test]
fn tab_goes_into_a_directory() {
    let mut stage = with_files(&["src/tui/keys.rs", "other"]);
    stage.type_text("sr");
    stage.code(KeyCode::Tab);
    assert_eq!(text(&stage), "@src/");
    stage.code(KeyCode::Tab);
    assert_eq!(text(&stage), "@src/tui/");
    stage.code(KeyCode::Tab);
    assert_eq!(text(&stage), "src/tui/keys.rs");
}

#[test]
fn a_hostile_name_is_shown_and_inserted_as_escapes() {
    let mut stage = with_files(&["evil\u{1b}[31m\nname"]);
    stage.type_text("evil");
    assert!(stage.screen().contains("$'evil\\x1b[31m\\nname'"), "{}", stage.screen());
    stage.code(KeyCode::Tab);
    assert_eq!(text(&stage), "$'evil\\x1b[31m\\nname'");
}

#[test]
fn esc_leaves_what_follows_the_at_as_it_is() {
    let mut stage = with_files(&["bob.txt"]);
    stage.type_text("bob");
    stage.code(KeyCode::Esc);
    stage.code(KeyCode::Enter);
    assert_eq!(sent(&stage.told()), ["@bob"]);
}

#[test]
fn the_history_is_searched_and_the_draft_comes_back() {
    let mut stage = Stage::open(80, 24);
    stage.event(Event::History {
        cwd: "/home/me/shop".into(),
        without: None,
        messages: vec!["fix the parser".into(), "Add milk".into(), "fix the build\nand push".into()],
    });
    stage.type_text("half a thought");
    stage.press(Key::ctrl('r'));
    stage.type_text("fix");
    let screen = stage.screen();
    assert!(screen.contains("> search: fix") || screen.contains(">  search: fix"), "{screen}");
    assert!(screen.contains("fix the build and push") && !screen.contains("Add milk"), "{screen}");
    stage.code(KeyCode::Esc);
    assert_eq!(text(&stage), "half a thought");
    stage.press(Key::ctrl('r'));
    stage.type_text("fix");
    stage.press(Key::ctrl('r'));
    stage.code(KeyCode::Enter);
    assert_eq!(text(&stage), "fix the parser");
    assert!(sent(&stage.told()).is_empty());
    stage.draw();
    stage.code(KeyCode::Up);
    assert_eq!(text(&stage), "half a thought", "the draft is in the history");
    stage.press(Key::ctrl('r'));
    stage.type_text("no such thing");
    assert!(stage.screen().contains("Nothing that was written here before has it."));
    stage.code(KeyCode::Enter);
    assert_eq!(text(&stage), "half a thought");
}

#[test]
fn a_history_that_comes_too_late_is_another_sessions() {
    let mut stage = Stage::open(80, 24);
    let id = crate::record::SessionId::parse(SESSION).unwrap();
    let mut other = opened(Some(id));
    other.cwd = "/elsewhere".into();
    stage.event(Event::Opened(Box::new(other)));
    stage.event(Event::History { cwd: "/home/me/shop".into(), without: None, messages: vec!["x".into()] });
    assert_eq!(stage.state.composer.messages().count(), 0);
    stage.event(Event::History { cwd: "/elsewhere".into(), without: Some(id), messages: vec!["y".into()] });
    assert_eq!(stage.state.composer.messages().last(), Some("y"));
}

#[test]
fn an_approval_that_opens_over_the_search_gets_the_keys() {
    let mut stage = busy();
    stage.press(Key::ctrl('r'));
    stage.response("", 1, &["touch made"]);
    stage.ask(1, "touch made");
    stage.type_text("on");
    assert_eq!(text(&stage), "on", "typing goes to the draft");
    stage.draw();
    stage.wait(2_000);
    stage.draw();
    stage.code(KeyCode::Esc);
    assert!(matches!(stage.told().as_slice(), [Command::StopAnswer]));
    assert!(stage.screen().contains("search:"), "the search is still there");
}

#[test]
fn the_environment_shows_names_and_on_enter_values() {
    let mut stage = Stage::open(80, 24);
    enter(&mut stage, "/env");
    assert!(matches!(stage.told().as_slice(), [Command::Environment]));
    stage.event(Event::Environment(vec![("PATH".into(), "/bin".into()), ("X".into(), "a\u{1b}[2Jb".into())]));
    let screen = stage.screen();
    assert!(screen.contains("PATH") && !screen.contains("/bin"), "{screen}");
    stage.code(KeyCode::Enter);
    let screen = stage.screen();
    assert!(screen.contains("PATH=/bin") && screen.contains("X=a"), "{screen}");
    stage.press(Key::char('q'));
    assert!(stage.state.conversation.environment.is_empty(), "values are not kept");
}

#[test]
fn the_mouse_is_taken_and_given_back() {
    let mut stage = Stage::open(80, 24);
    for expected in [true, false] {
        enter(&mut stage, "/mouse");
        let ours = stage.effects.drain(..).find_map(|effect| match effect {
            Effect::Mouse(ours) => Some(ours),
            _ => None,
        });
        assert_eq!(ours, Some(expected));
    }
    enter(&mut stage, "/shell");
    assert!(
        stage.effects.iter().any(|effect| matches!(effect, Effect::Shell(cwd) if cwd == "/home/me/shop"))
    );
}

#[test]
fn a_long_turn_that_ends_calls_who_is_away_and_nobody_else() {
    let calls = |stage: &mut Stage| {
        let effects = std::mem::take(&mut stage.effects);
        effects.iter().filter(|effect| matches!(effect, Effect::CallPerson)).count()
    };
    let mut stage = busy();
    stage.code(KeyCode::Left);
    stage.wait(9_000);
    stage.event(Event::Phase(Phase::Ready));
    stage.wait(60_000);
    assert_eq!(calls(&mut stage), 0, "who sees the end reads it in peace");
    stage.event(Event::Phase(Phase::Answering));
    stage.event(Event::Phase(Phase::Ready));
    stage.wait(60_000);
    assert_eq!(calls(&mut stage), 1);
    stage.event(Event::Phase(Phase::Answering));
    stage.type_text("next");
    stage.code(KeyCode::Enter);
    stage.wait(60_000);
    stage.response("done", 1, &[]);
    stage.end(TurnStatus::Completed);
    stage.event(Event::Phase(Phase::Ready));
    assert_eq!(calls(&mut stage), 0, "the queued message goes on");
}

#[test]
fn what_an_editor_left_is_taken_or_named() {
    let mut stage = Stage::open(80, 24);
    let edited = |stage: &mut Stage, text: Result<&str, &str>| {
        stage.happen(crate::tui::update::Happening::Edited {
            target: crate::tui::effects::EditorTarget::Draft,
            text: text.map(str::to_owned).map_err(str::to_owned),
        });
    };
    edited(&mut stage, Ok("new text\n"));
    assert_eq!(text(&stage), "new text");
    edited(&mut stage, Err("vi ended with exit status: 1. The text is as it was."));
    assert_eq!(text(&stage), "new text");
    assert!(stage.screen().contains("The text is as it was."));
    edited(&mut stage, Ok(&"x".repeat(300 << 10)));
    assert_eq!(text(&stage).len(), 300 << 10, "nothing that was written is lost");
    assert!(stage.screen().contains("The message has 300 KiB, at most 256 KiB fit."));
    edited(&mut stage, Ok("a\0b"));
    assert_eq!(text(&stage), "ab");
    assert!(stage.screen().contains("1 character left out"));
}

#[test]
fn writing_changes_the_draft_and_everything_else_may_change_all() {
    let mut stage = Stage::open(80, 24);
    let change = |stage: &Stage| stage.state.change;
    stage.press(Key::char('a'));
    assert_eq!(change(&stage), Change::Draft);
    stage.press(Key::plain(KeyCode::Backspace));
    assert_eq!(change(&stage), Change::Draft);
    stage.press(Key::char('/'));
    assert_eq!(change(&stage), Change::All, "words are offered");
    stage.press(Key::plain(KeyCode::Backspace));
    assert_eq!(change(&stage), Change::All, "what was offered goes");
    stage.press(Key::ctrl('s'));
    assert_eq!(change(&stage), Change::All, "a dialog opens");
    stage.press(Key::char('a'));
    assert_eq!(change(&stage), Change::All, "and gets the keys");
    stage.press(Key::plain(KeyCode::Esc));
    stage.press(Key::char('a'));
    assert_eq!(change(&stage), Change::Draft);
    stage.event(Event::Phase(Phase::WaitingForModel));
    assert_eq!(change(&stage), Change::All);
}
