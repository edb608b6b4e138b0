//! The question before a command runs.

use super::*;

#[test]
fn an_approval_is_decided_about_what_was_shown() {
    let mut stage = asked("ls");
    stage.press(Key::char('y'));
    stage.code(KeyCode::Enter);
    let told = stage.told();
    let expected = request(1, "ls").fingerprint;
    assert!(matches!(told.as_slice(),
        [Command::Decide { fingerprint, verdict: Verdict::Run, .. }] if *fingerprint == expected));
    assert!(stage.state.layers.is_empty());
}

#[test]
fn a_paste_is_never_an_answer() {
    let mut stage = asked("ls");
    stage.press(Key::char('y'));
    stage.paste("\n\n");
    stage.code(KeyCode::Enter);
    assert!(stage.told().is_empty());
    assert_eq!(stage.state.composer.text(), "y\n\n");
}

#[test]
fn a_letter_that_came_too_early_is_removed_with_the_answer() {
    let mut stage = Stage::open(80, 24);
    stage.message("go");
    stage.response("", 1, &["ls"]);
    stage.ask(1, "ls");
    stage.draw();
    stage.press(Key::char('y'));
    assert_eq!(stage.state.composer.text(), "y");
    stage.wait(400);
    stage.press(Key::char('n'));
    stage.code(KeyCode::Enter);
    assert!(matches!(stage.told().as_slice(), [Command::Decide { verdict: Verdict::Deny { .. }, .. }]));
    assert!(stage.state.composer.is_empty());
}

#[test]
fn a_long_command_runs_only_when_all_of_it_was_seen() {
    let long: String = (1..=300).map(|n| format!("echo {n}\n")).collect();
    let mut stage = asked(&long);
    stage.press(Key::char('y'));
    stage.code(KeyCode::Enter);
    assert!(stage.told().is_empty());
    for _ in 0..40 {
        stage.draw();
        stage.code(KeyCode::PageDown);
    }
    stage.draw();
    stage.wait(400);
    stage.press(Key::char('y'));
    stage.code(KeyCode::Enter);
    assert!(matches!(stage.told().as_slice(), [Command::Decide { verdict: Verdict::Run, .. }]));
}

#[test]
fn rows_that_were_skipped_were_not_seen() {
    let long: String = (1..=300).map(|n| format!("echo {n}\n")).collect();
    let mut stage = asked(&long);
    for _ in 0..40 {
        stage.code(KeyCode::PageDown);
    }
    stage.draw();
    stage.wait(400);
    assert!(!stage.state.approval().unwrap().is_seen(), "forty pages without a frame between");
    let mut stage = asked("echo short");
    stage.resize(80, 24);
    stage.draw();
    assert!(stage.state.approval().unwrap().is_seen());
}

#[test]
fn esc_in_the_approval_stops_the_turn_and_w_says_why() {
    let mut stage = asked("ls");
    stage.code(KeyCode::Esc);
    assert!(matches!(stage.told().as_slice(), [Command::StopAnswer]));
    let mut stage = asked("ls");
    stage.press(Key::char('w'));
    enter(&mut stage, "");
    stage.type_text("use find");
    stage.code(KeyCode::Enter);
    assert!(matches!(stage.told().as_slice(),
        [Command::Decide { verdict: Verdict::Deny { feedback: Some(words) }, .. }] if words == "use find"));
}

#[test]
fn an_edited_command_is_asked_about_anew() {
    let mut stage = asked("ls");
    stage.press(Key::char('e'));
    stage.code(KeyCode::Enter);
    stage.type_text(" -la");
    stage.code(KeyCode::Enter);
    assert!(matches!(stage.told().as_slice(),
        [Command::Edit { command, timeout_ms: 300_000, .. }] if command == "ls -la"));
    stage.ask(1, "ls -la");
    stage.code(KeyCode::Enter);
    assert!(stage.told().is_empty(), "it returns with nothing chosen");
    assert!(stage.screen().contains("ls -la"));
}

#[test]
fn the_limit_is_changed_with_up_and_down() {
    let mut stage = asked("ls");
    stage.code(KeyCode::BackTab);
    stage.code(KeyCode::Up);
    assert!(matches!(stage.told().as_slice(), [Command::Edit { timeout_ms: 1_800_000, .. }]));
    stage.code(KeyCode::Down);
    assert!(matches!(stage.told().as_slice(), [Command::Edit { timeout_ms: 30_000, .. }]));
}

#[test]
fn an_approval_says_what_the_last_key_did() {
    let mut stage = asked(&(1..=60).map(|n| format!("echo {n}\n")).collect::<String>());
    let screen = stage.screen();
    assert!(
        screen.contains("Ready. Down shows the rest first. Esc denies it and stops the turn."),
        "{screen}"
    );
    stage.code(KeyCode::Down);
    assert!(stage.screen().contains("Pause for a moment to answer; what you type goes to the draft."));
    stage.press(Key::char('x'));
    assert!(stage.screen().contains("Your typing goes to the draft. Pause for a moment to answer."));
    let mut stage = asked("date");
    assert!(stage.screen().contains("Ready: a letter or Tab, then Enter. Esc denies it and stops the turn."));
}

#[test]
fn what_is_denied_stays_in_sight_while_the_reason_is_written() {
    let mut stage = asked("rm -r build");
    stage.press(Key::char('w'));
    stage.code(KeyCode::Enter);
    stage.type_text("keep it");
    let screen = stage.screen();
    let rows: Vec<&str> = screen.lines().collect();
    let at = |text: &str| {
        rows.iter().rposition(|row| row.contains(text)).unwrap_or_else(|| panic!("{text}: {screen}"))
    };
    assert!(at("  rm -r build") < at("Why not?") && at("Why not?") < at("> keep it"), "{screen}");
}

#[test]
fn an_approval_scrolls_the_conversation_and_shows_what_the_command_gets() {
    let mut stage = asked("ls");
    stage.press(Key { code: KeyCode::Up, mods: KeyModifiers::CONTROL });
    stage.press(Key { code: KeyCode::Down, mods: KeyModifiers::CONTROL });
    assert!(stage.told().is_empty());
    stage.wait(400);
    stage.press(Key::ctrl('c'));
    assert!(matches!(stage.told().as_slice(), [Command::StopAnswer]), "by the same rule as Esc");

    let mut stage = Stage::open(80, 24);
    stage.message("go");
    stage.response("", 1, &["ls"]);
    let mut wanted = request(1, "ls");
    wanted.environment = vec![("LANG".into(), "C.UTF-8".into())];
    wanted.position = (1, 2);
    wanted.others = vec!["true".into()];
    stage.event(Event::Phase(Phase::WaitingForYou));
    stage.event(Event::Approval(Box::new(wanted)));
    stage.draw();
    stage.wait(400);
    stage.draw();
    stage.code(KeyCode::BackTab);
    stage.code(KeyCode::Enter);
    assert!(stage.screen().contains("LANG=C.UTF-8"), "{}", stage.screen());
    stage.code(KeyCode::Esc);
    assert!(stage.told().is_empty(), "any key only closes it");
    stage.wait(400);
    stage.draw();
    (0..6).for_each(|_| stage.code(KeyCode::Tab));
    stage.code(KeyCode::Enter);
    assert!(
        matches!(stage.told().as_slice(), [Command::Decide { verdict: Verdict::DenyRest { .. }, .. }]),
        "the last of the choices"
    );
}

#[test]
fn the_field_of_an_approval_goes_through_an_editor_and_back() {
    let mut stage = asked("ls");
    stage.press(Key::char('e'));
    stage.code(KeyCode::Enter);
    stage.effects.clear();
    stage.press(Key::ctrl('g'));
    assert!(
        matches!(stage.effects.as_slice(), [Effect::Editor { text, target: EditorTarget::Field }] if text == "ls")
    );
    stage.happen(Happening::Edited { target: EditorTarget::Field, text: Ok("ls -l\n".into()) });
    stage.code(KeyCode::Enter);
    assert!(matches!(stage.told().as_slice(), [Command::Edit { command, .. }] if command == "ls -l"));

    let mut stage = asked("ls");
    stage.press(Key::char('e'));
    stage.code(KeyCode::Enter);
    stage.code(KeyCode::Enter);
    assert!(stage.told().is_empty(), "unchanged it is not asked about anew");
    stage.draw();
    stage.wait(400);
    stage.draw();
    stage.press(Key::char('e'));
    stage.code(KeyCode::Enter);
    stage.press(Key::ctrl('u'));
    stage.code(KeyCode::Enter);
    assert!(stage.told().is_empty(), "nothing is no command");
    stage.paste("true");
    stage.code(KeyCode::Esc);
    stage.draw();
    stage.wait(400);
    stage.draw();
    stage.press(Key::char('n'));
    stage.code(KeyCode::Enter);
    assert!(matches!(
        stage.told().as_slice(),
        [Command::Decide { verdict: Verdict::Deny { feedback: None }, .. }]
    ));
}

#[test]
fn a_click_chooses_and_a_second_one_answers() {
    let mut stage = asked("ls");
    let (_, area) = stage.state.choice_places.first().copied().unwrap();
    let click = |stage: &mut Stage| {
        mouse(stage, MouseEventKind::Down(MouseButton::Left), area.x, area.y);
        mouse(stage, MouseEventKind::Up(MouseButton::Left), area.x, area.y);
    };
    click(&mut stage);
    assert!(stage.told().is_empty(), "a click alone is no answer");
    assert!(stage.state.approval().unwrap().chosen().is_some());
    mouse(&mut stage, MouseEventKind::Down(MouseButton::Left), 0, 0);
    mouse(&mut stage, MouseEventKind::Up(MouseButton::Left), 0, 0);
    assert!(stage.told().is_empty());
}
