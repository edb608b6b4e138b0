//! The keys, clicks and answers that the other tests pass by.

use super::*;

fn found(supervised: bool) -> Stage {
    let mut stage = running();
    let summary = "rsync -a build/ web:/srv/www".into();
    let command =
        RunningCommand { dispatch: dispatch(1), summary, started_at: wall(0), supervised, found: true };
    stage.event(Event::Phase(Phase::Running(command)));
    stage.draw();
    stage
}

#[test]
fn a_command_that_was_found_running_is_waited_for_stopped_given_up_or_left() {
    for (supervised, tabs, told) in [
        (true, 1, ""),
        (true, 2, "[StopCommand]"),
        (true, 3, "[Close { stop_command: false }]"),
        (false, 2, "[StopCommand]"),
        (false, 3, "[GiveUp("),
        (false, 4, "[Close { stop_command: false }]"),
    ] {
        let mut stage = found(supervised);
        assert!(matches!(stage.state.layers.last(), Some(Layer::StillRunning(_))));
        stage.paste("nowhere");
        stage.code(KeyCode::Enter);
        assert!(stage.told().is_empty(), "nothing is chosen beforehand");
        (0..tabs).for_each(|_| stage.code(KeyCode::Tab));
        stage.code(KeyCode::Enter);
        let said = format!("{:?}", stage.told());
        assert!(said.starts_with(if told.is_empty() { "[]" } else { told }), "{supervised} {tabs}: {said}");
    }
    let mut stage = found(true);
    stage.code(KeyCode::Esc);
    assert!(stage.state.layers.is_empty() && stage.told().is_empty());
}

#[test]
fn at_a_limit_only_an_answer_answers() {
    let limit = || {
        let mut stage = busy();
        stage.event(Event::ExtensionWanted { model_requests: 50, tool_calls: 9 });
        stage.draw();
        stage
    };
    for (tabs, expected) in [(1, true), (2, false)] {
        let mut stage = limit();
        stage.type_text("and ");
        stage.code(KeyCode::Esc);
        assert!(stage.told().is_empty(), "it opened under somebody's hands");
        stage.wait(400);
        (0..tabs).for_each(|_| stage.code(KeyCode::Tab));
        stage.code(KeyCode::Enter);
        assert!(matches!(stage.told().as_slice(), [Command::Extend(on)] if *on == expected), "{tabs}");
        assert_eq!(stage.state.composer.text(), "and ");
    }
    let mut stage = limit();
    stage.press(Key::ctrl('d'));
    stage.code(KeyCode::Up);
    stage.paste("pasted");
    stage.wait(400);
    stage.code(KeyCode::Esc);
    assert!(matches!(stage.told().as_slice(), [Command::Extend(false)]));
    assert_eq!(stage.state.composer.text(), "pasted");
}

#[test]
fn editors_that_fail_and_texts_that_cannot_be_sent_are_said() {
    let mut stage = Stage::open(80, 24);
    enter(&mut stage, "/editor");
    assert!(
        stage
            .effects
            .iter()
            .any(|effect| matches!(effect, Effect::Editor { target: EditorTarget::Draft, .. }))
    );
    for (text, words) in [
        (Err(sentences::no_program("vi", "not found")), "vi could not be started: not found."),
        (Err(sentences::no_editor("full")), "The text could not be edited: full. It is as it was."),
        (Err(sentences::editor_failed("vi", "exit status: 1")), "vi ended with exit status: 1."),
        (Err(sentences::not_taken("no text", "/tmp/x".as_ref())), "It is kept in /tmp/x"),
        (Ok("a\0b".to_owned()), "1 character left out of the paste"),
        (Ok("x".repeat(300 << 10)), "The message has 300 KiB"),
    ] {
        stage.happen(Happening::Edited { target: EditorTarget::Draft, text });
        assert!(stage.screen().contains(words), "{words} in {}", stage.screen());
    }
    stage.happen(Happening::Failed(sentences::NO_SHELL.to_owned()));
    stage.happen(Happening::Edited { target: EditorTarget::Field, text: Ok("no field is open".into()) });
    assert!(stage.told().is_empty());
}

#[test]
fn the_conversation_takes_keys_of_its_own_and_gives_them_back() {
    let mut stage = long_talk();
    stage.code(KeyCode::Tab);
    assert_eq!(stage.state.focus, Focus::Transcript);
    let end = stage.screen();
    stage.code(KeyCode::Home);
    assert_ne!(stage.screen(), end);
    stage.code(KeyCode::PageDown);
    stage.code(KeyCode::PageUp);
    stage.code(KeyCode::End);
    stage.code(KeyCode::Up);
    stage.code(KeyCode::Down);
    stage.code(KeyCode::Right);
    stage.code(KeyCode::Left);
    stage.effects.clear();
    stage.code(KeyCode::Enter);
    assert!(stage.effects.iter().any(|effect| matches!(effect, Effect::Page(_, _))));
    stage.press(Key::char('q'));
    stage.code(KeyCode::Esc);
    assert_eq!(stage.state.focus, Focus::Composer);
    stage.code(KeyCode::Tab);
    stage.press(Key::char('h'));
    assert_eq!((stage.state.focus, stage.state.composer.text().as_str()), (Focus::Composer, "h"));
    stage.press(Key::ctrl('u'));
    stage.code(KeyCode::Tab);
    stage.press(Key::ctrl('c'));
    assert!(stage.told().is_empty());
}

#[test]
fn the_wheel_moves_what_is_under_it() {
    let mut stage = long_talk();
    let end = stage.screen();
    mouse(&mut stage, MouseEventKind::ScrollUp, 3, 5);
    assert_ne!(stage.screen(), end);
    mouse(&mut stage, MouseEventKind::ScrollDown, 3, 5);
    mouse(&mut stage, MouseEventKind::Moved, 3, 5);
    enter(&mut stage, "/help");
    let top = stage.screen();
    mouse(&mut stage, MouseEventKind::ScrollDown, 3, 5);
    assert_ne!(stage.screen(), top);
    let mut stage = gate(vec![report(1)]);
    mouse(&mut stage, MouseEventKind::ScrollDown, 3, 5);
    mouse(&mut stage, MouseEventKind::Down(MouseButton::Left), 3, 5);
    assert!(stage.told().is_empty());
}

#[test]
fn variables_are_shown_with_values_only_when_asked_for_and_rules_end_with_delete() {
    let mut stage = long_talk();
    enter(&mut stage, "/env");
    assert!(matches!(stage.told().as_slice(), [Command::Environment]));
    stage.event(Event::Environment(vec![("LANG".into(), "C.UTF-8".into())]));
    assert!(stage.screen().contains("LANG") && !stage.screen().contains("LANG=C.UTF-8"));
    stage.code(KeyCode::Enter);
    assert!(stage.screen().contains("LANG=C.UTF-8"));
    stage.press(Key::char('q'));
    enter(&mut stage, "/rules");
    assert!(stage.state.layers.is_empty(), "there are none");
    stage.state.conversation.rules = vec![(4, "ls".into())];
    enter(&mut stage, "/rules");
    assert!(stage.screen().contains("ls   (record 4)"));
    stage.code(KeyCode::Delete);
    assert!(matches!(stage.told().as_slice(), [Command::RevokeRules]));
    assert!(stage.state.conversation.rules.is_empty() && stage.state.layers.is_empty());
}

#[test]
fn words_after_a_slash_that_have_nothing_to_do_say_so() {
    let mut stage = Stage::open(80, 24);
    enter(&mut stage, "/join now");
    assert_eq!(stage.state.composer.text(), "now", "no turn runs");
    stage.press(Key::ctrl('c'));
    enter(&mut stage, "/output");
    assert!(stage.told().is_empty());
    enter(&mut stage, "/mouse");
    assert!(stage.effects.iter().any(|effect| matches!(effect, Effect::Mouse(true))));
    let mut stage = busy();
    enter(&mut stage, "/join");
    assert!(stage.told().is_empty(), "nothing waits");
}

#[test]
fn every_end_of_a_command_and_of_a_turn_has_its_words() {
    for (outcome, words) in [
        (Outcome::TimedOut, "stopped at its limit of 5 min"),
        (Outcome::OutputLimit, "stopped at its output limit"),
        (Outcome::Cancelled, "cancelled"),
        (Outcome::Unknown, "unknown"),
        (Outcome::NotExecuted, "not executed"),
    ] {
        let mut stage = Stage::open(80, 24);
        stage.message("go");
        stage.response("", 1, &["ls"]);
        stage.approve(1, "ls");
        stage.start(1, "ls");
        stage.result(1, outcome, |result| {
            if outcome == Outcome::NotExecuted {
                result.evidence = Some(crate::record::Evidence::NotLaunched);
            }
        });
        stage.check_records();
        assert!(stage.screen().contains(words), "{words} in {}", stage.screen());
    }
    for (status, words) in [
        (TurnStatus::Failed, "The turn failed."),
        (TurnStatus::Cancelled, "You stopped this turn."),
        (TurnStatus::Interrupted, "This turn was cut off."),
    ] {
        let mut stage = Stage::open(80, 24);
        stage.message("go");
        stage.end(status);
        assert!(stage.screen().contains(words), "{words} in {}", stage.screen());
    }
}

#[test]
fn the_window_title_says_each_state() {
    use crate::tui::attention::{takes_title, title};
    for (phase, words) in [
        (Phase::Gated, "needs you"),
        (Phase::WaitingForModel, "waiting for the model"),
        (Phase::Answering, "answering"),
        (Phase::WaitingForYou, "waiting for you"),
        (Phase::NotSaving, "not saving"),
        (Phase::ReadOnly, "read-only"),
    ] {
        let mut stage = Stage::open(80, 24);
        stage.event(Event::Phase(phase));
        assert!(title(&stage.state, true).ends_with(words), "{words}");
    }
    assert!(title(&running().state, true).ends_with("running"));
    assert!(title(&Stage::new(80, 24).state, true).ends_with("opening"));
    let mut stage = Stage::open(80, 24);
    stage.event(Event::Poisoned("The disk is full.".into()));
    assert!(title(&stage.state, true).ends_with("not saving"));
    assert!(takes_title("xterm-256color") && !takes_title("linux") && !takes_title(""));
}

#[test]
fn each_kind_of_item_is_shown_in_its_way() {
    let mut stage = Stage::open(80, 24);
    stage.message("go");
    stage.items(&[
        serde_json::json!({"type": "reasoning", "summary": [{"type": "summary_text", "text": "I wonder."}]}),
        serde_json::json!({"type": "web_search_call", "id": "w1"}),
        serde_json::json!({"type": "message", "role": "assistant",
            "content": [{"type": "output_text", "text": "So:"}, {"type": "refusal", "refusal": "I will not."}]}),
    ]);
    let screen = stage.screen();
    for words in ["I wonder.", "(an item of the kind \"web_search_call\", kept and not shown)", "I will not."]
    {
        assert!(screen.contains(words), "{words} in {screen}");
    }
}

#[test]
fn what_was_written_before_is_searched_by_every_key() {
    let searching = || {
        let mut stage = Stage::open(80, 24);
        ["one apple", "two pears", "three apples"].iter().for_each(|text| enter(&mut stage, text));
        stage.press(Key::ctrl('r'));
        assert!(stage.state.assist.search.is_some());
        stage
    };
    let take = |mut stage: Stage| {
        stage.code(KeyCode::Enter);
        stage.state.composer.text()
    };
    for (keys, found) in [
        (&[][..], "three apples"),
        (&[KeyCode::Up], "two pears"),
        (&[KeyCode::Up, KeyCode::Down], "three apples"),
        (&[KeyCode::PageUp], "one apple"),
        (&[KeyCode::PageUp, KeyCode::PageDown], "three apples"),
    ] {
        let mut stage = searching();
        keys.iter().for_each(|code| stage.code(*code));
        assert_eq!(take(stage), found, "{keys:?}");
    }
    let mut stage = searching();
    stage.type_text("pearx");
    stage.code(KeyCode::Backspace);
    assert_eq!(take(stage), "two pears");
    let mut stage = searching();
    stage.type_text("nothing like it");
    stage.press(Key::ctrl('u'));
    stage.paste("pear\nand more");
    assert_eq!(take(stage), "two pears");
    let mut stage = searching();
    stage.code(KeyCode::Esc);
    assert!(stage.state.assist.search.is_none());
}

#[test]
fn what_a_person_stated_stands_below_the_command() {
    let mut stage = Stage::open(80, 24);
    stage.message("go");
    stage.response("", 1, &["make deploy"]);
    stage.approve(1, "make deploy");
    stage.start(1, "make deploy");
    stage.result(1, Outcome::Unknown, |_| {});
    stage.end(TurnStatus::Interrupted);
    stage.event(Event::Gate(vec![report(1)]));
    let statement = StatementKind::Happened;
    let note = Some("saw it there".to_owned());
    let statements = vec![Statement { dispatch: dispatch(1), statement, note }];
    stage.commit(Acknowledged { statements, by: By::User, ext: None });
    assert!(stage.state.layers.is_empty());
    let screen = stage.screen();
    assert!(screen.contains("You said: ") && screen.contains("Your note: saw it there"), "{screen}");
}

#[test]
fn words_after_a_slash_do_what_their_keys_do() {
    let told = |word: &str| {
        let mut stage = Stage::open(80, 24);
        enter(&mut stage, "said before");
        stage.told();
        enter(&mut stage, word);
        let told = stage.told();
        (stage, told)
    };
    assert!(matches!(told("/new").1.as_slice(), [Command::New, Command::List]));
    assert!(matches!(told("/rename Milk").1.as_slice(), [Command::Rename(title)] if title == "Milk"));
    assert!(told("/rename").1.is_empty(), "a title is wanted");
    assert!(matches!(told("/quit").1.as_slice(), [Command::Close { stop_command: false }]));
    assert!(matches!(told("/sessions").0.state.layers.last(), Some(Layer::Sessions(_))));
    assert!(told("/history").0.state.assist.search.is_some());
}

#[test]
fn help_opens_at_the_part_of_where_it_was_asked_for() {
    let first = |stage: &mut Stage| stage.screen().lines().nth(2).unwrap_or_default().trim().to_owned();
    let mut stage = asked("date");
    stage.press(Key::char('y'));
    stage.code(KeyCode::F(1));
    assert_eq!(first(&mut stage), "Before a command runs");
    stage.press(Key::char('q'));
    stage.code(KeyCode::Enter);
    assert!(stage.told().is_empty(), "what was chosen before is no answer");
    let mut stage = gate(vec![report(1)]);
    stage.code(KeyCode::F(1));
    assert_eq!(first(&mut stage), "A command whose outcome is unknown");
    stage.press(Key::char('q'));
    stage.press(Key::char('q'));
    assert!(stage.told().is_empty(), "a second q in one breath does not leave");
    let mut stage = home();
    stage.press(Key::ctrl('s'));
    stage.code(KeyCode::F(1));
    assert_eq!(first(&mut stage), "Sessions");
}

#[test]
fn what_stops_an_answer_or_a_command_stands_on_the_smallest_screen() {
    for (mut stage, said) in [(busy(), "Esc stop"), (running(), "Ctrl+C stop")] {
        stage.resize(40, 12);
        let screen = stage.screen();
        assert!(screen.contains(said), "{screen}");
    }
}

#[test]
fn a_question_about_a_file_says_what_answers_it_however_long_the_path() {
    let long = format!("/home/me/{}/out.txt", "deep/".repeat(40));
    assert!(sentences::overwrite(&long).starts_with("y replaces it, any other key keeps it: /home/me/deep"));
    let mut stage = busy();
    stage.code(KeyCode::F(1));
    stage.press(Key::char('s'));
    stage.code(KeyCode::Enter);
    assert!(stage.screen().contains(sentences::NOTHING_SAVED));
}
