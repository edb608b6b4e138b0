//! The question about what may have happened.

use super::*;

fn recovery(stage: &Stage) -> &crate::tui::recovery::Recovery {
    match stage.state.layers.iter().find(|layer| matches!(layer, Layer::Recovery(_))) {
        Some(Layer::Recovery(recovery)) => recovery,
        _ => panic!("no recovery"),
    }
}

#[test]
fn recovery_saves_only_when_every_command_has_an_answer() {
    let mut stage = Stage::new(80, 24);
    stage.event(Event::Opened(Box::new(opened(SessionId::parse(SESSION).ok()))));
    stage.event(Event::Gate(vec![report(1), report(2)]));
    stage.draw();
    stage.press(Key::char('2'));
    stage.press(Key::ctrl('x'));
    assert!(stage.told().is_empty());
    stage.draw();
    stage.press(Key::char('4'));
    stage.code(KeyCode::Tab);
    stage.type_text("half of it");
    stage.code(KeyCode::Enter);
    assert!(stage.told().is_empty(), "Enter alone does nothing");
    stage.press(Key::ctrl('x'));
    let told = stage.told();
    let [Command::Acknowledge(statements)] = told.as_slice() else { panic!("{told:?}") };
    assert_eq!(statements[0].statement, StatementKind::Happened);
    assert_eq!(statements[0].note, None);
    assert_eq!(statements[1].statement, StatementKind::Partly);
    assert_eq!(statements[1].note.as_deref(), Some("half of it"));
}

#[test]
fn leaving_recovery_saves_nothing_and_letters_need_a_pause() {
    let mut stage = Stage::open(80, 24);
    stage.event(Event::Gate(vec![report(1)]));
    stage.draw();
    stage.type_text("quit");
    assert!(stage.told().is_empty(), "it opened under somebody's hands");
    stage.press(Key::char('3'));
    stage.wait(400);
    stage.press(Key::char('q'));
    assert!(matches!(stage.told().as_slice(), [Command::Close { stop_command: false }]));
}

#[test]
fn run_it_again_is_only_a_sentence_in_the_composer() {
    let mut stage = Stage::open(80, 24);
    stage.event(Event::Gate(vec![report(1)]));
    stage.draw();
    stage.wait(400);
    stage.press(Key::char('r'));
    assert!(stage.told().is_empty());
    assert_eq!(stage.state.composer.text(), "Please run this again: make deploy");
}

#[test]
fn arrows_choose_an_answer_and_a_page_and_evidence_scrolls() {
    let mut stage = gate(vec![report(1), report(2)]);
    stage.code(KeyCode::Down);
    assert_eq!(recovery(&stage).pages[0].statement, Some(StatementKind::MayHaveRun));
    stage.code(KeyCode::Down);
    assert_eq!(recovery(&stage).pages[0].statement, Some(StatementKind::Happened));
    stage.code(KeyCode::Up);
    stage.code(KeyCode::Up);
    assert_eq!(recovery(&stage).pages[0].statement, Some(StatementKind::MayHaveRun));
    stage.code(KeyCode::Right);
    assert_eq!(recovery(&stage).at, 1);
    stage.code(KeyCode::Up);
    assert_eq!(recovery(&stage).pages[1].statement, Some(StatementKind::Partly), "the last one first");
    stage.code(KeyCode::PageDown);
    assert_eq!(recovery(&stage).top, 5);
    stage.code(KeyCode::PageUp);
    assert_eq!(recovery(&stage).top, 0);
    stage.press(Key::char('<'));
    stage.press(Key::char('<'));
    assert_eq!(recovery(&stage).at, 0);
    stage.press(Key::char('z'));
    assert!(stage.told().is_empty());
}

#[test]
fn what_becomes_known_later_keeps_the_answers_and_other_effects_take_them() {
    let mut stage = gate(vec![report(1)]);
    stage.press(Key::char('2'));
    let known = crate::agent::UnknownReport { output: "begun".into(), ..report(1) };
    stage.event(Event::Gate(vec![known]));
    assert_eq!(recovery(&stage).pages[0].statement, Some(StatementKind::Happened));
    assert_eq!(recovery(&stage).pages[0].reports[0].output, "begun");
    stage.event(Event::Gate(vec![report(1), report(2)]));
    assert_eq!(recovery(&stage).pages[0].statement, None);
    let imported = |number| crate::agent::UnknownReport { imported: true, ..report(number) };
    let stage = gate(vec![imported(1), report(2), imported(3)]);
    let pages: Vec<usize> = recovery(&stage).pages.iter().map(|page| page.reports.len()).collect();
    assert_eq!(pages, [1, 2], "imported ones share a page, the last");
}

#[test]
fn a_note_is_pasted_and_bounded_and_only_into_its_field() {
    let mut stage = gate(vec![report(1)]);
    stage.paste("nowhere");
    stage.press(Key::char('1'));
    stage.code(KeyCode::Tab);
    stage.paste(&"x".repeat(5_000));
    stage.press(Key::ctrl('x'));
    assert!(stage.told().is_empty());
    assert!(stage.screen().contains("The note of command 1 is over 4 KiB. Nothing was saved."));
    stage.press(Key::ctrl('u'));
    stage.type_text("seen");
    stage.code(KeyCode::Esc);
    assert!(!recovery(&stage).in_note);
    stage.press(Key::ctrl('x'));
    let told = stage.told();
    let [Command::Acknowledge(statements)] = told.as_slice() else { panic!("{told:?}") };
    assert_eq!(statements[0].note.as_deref(), Some("seen"));
}

#[test]
fn letters_of_the_recovery_look_at_what_is_known() {
    let mut stage = gate(vec![report(1)]);
    stage.effects.clear();
    stage.press(Key::char('s'));
    assert!(matches!(stage.effects.as_slice(), [Effect::Shell(cwd)] if cwd == "/home/me/shop"));
    stage.effects.clear();
    stage.wait(400);
    stage.press(Key::char('o'));
    assert!(stage.effects.iter().any(|effect| matches!(effect, Effect::Page(_, _))));
    assert!(stage.screen().contains("make deploy"));
    stage.press(Key::char('q'));
    assert!(matches!(stage.state.layers.last(), Some(Layer::Recovery(_))));
    stage.wait(400);
    stage.press(Key::char('t'));
    assert!(matches!(stage.state.layers.last(), Some(Layer::Reader(_))));
    stage.press(Key::char('q'));
    assert!(matches!(stage.state.layers.last(), Some(Layer::Recovery(_))));
    stage.wait(400);
    stage.code(KeyCode::Esc);
    assert!(matches!(stage.told().as_slice(), [Command::Close { stop_command: false }]));
    let mut stage = gate(vec![crate::agent::UnknownReport { operation: None, ..report(1) }]);
    stage.press(Key::char('r'));
    assert!(stage.state.composer.is_empty(), "nobody knows what to ask for");
}

#[test]
fn enter_saves_no_statement_and_says_what_does() {
    let mut stage = gate(vec![report(1)]);
    stage.press(Key::char('3'));
    stage.code(KeyCode::Enter);
    assert!(stage.told().is_empty());
    assert!(stage.screen().contains(sentences::ENTER_SAVES_NOTHING));
    stage.code(KeyCode::Tab);
    stage.type_text("looked");
    stage.code(KeyCode::Enter);
    let screen = stage.screen();
    assert!(screen.contains(sentences::ENTER_SAVES_NOTHING) && !screen.contains("s shell"), "{screen}");
    stage.press(Key::ctrl('x'));
    assert!(matches!(stage.told().as_slice(), [Command::Acknowledge(said)] if said.len() == 1));
}

#[test]
fn a_file_without_output_has_no_time_of_one() {
    let said = |output: &str| {
        let report = crate::agent::UnknownReport {
            last_output_at: Some(wall(2_000)),
            output: output.into(),
            ..report(1)
        };
        gate(vec![report]).screen().contains("last output 20:13:07")
    };
    assert!(said("a line\n"));
    assert!(!said(""));
}

/// A report whose evidence is longer than a small screen.
fn long_report(number: u8) -> crate::agent::UnknownReport {
    crate::agent::UnknownReport {
        output: (1..=6).map(|line| format!("step {line} done\n")).collect(),
        changed: (vec!["order.json".into()], false),
        ..report(number)
    }
}

fn small_gate(reports: Vec<crate::agent::UnknownReport>) -> Stage {
    let mut stage = Stage::open(40, 12);
    stage.event(Event::Gate(reports));
    stage.draw();
    stage.wait(400);
    stage
}

#[test]
fn nothing_is_saved_before_all_evidence_was_in_sight() {
    let mut stage = small_gate(vec![long_report(1)]);
    stage.press(Key::char('2'));
    let mut shown = String::new();
    for presses in 1.. {
        assert!(presses < 20, "{}", stage.screen());
        let screen = stage.screen();
        shown.push_str(&screen);
        if !screen.contains("Ctrl+X see more") {
            break;
        }
        stage.wait(500);
        stage.press(Key::ctrl('x'));
        assert!(stage.told().is_empty());
        assert!(stage.screen().contains(sentences::REST_FIRST));
    }
    for line in ["Nothing was run", "make deploy", "order.json", "step 1 done", "step 6 done"] {
        assert!(shown.contains(line), "{line} was never in sight:\n{shown}");
    }
    assert!(stage.screen().contains("Ctrl+X saves"));
    stage.press(Key::ctrl('x'));
    assert!(stage.told().is_empty(), "a key that is held down runs past nothing");
    stage.wait(400);
    stage.press(Key::ctrl('x'));
    let told = stage.told();
    assert!(matches!(told.as_slice(), [Command::Acknowledge(said)] if said.len() == 1), "{told:?}");
}

#[test]
fn evidence_that_was_scrolled_through_is_not_shown_again() {
    let mut stage = small_gate(vec![long_report(1)]);
    for _ in 0..20 {
        stage.code(KeyCode::PageDown);
        stage.draw();
    }
    stage.press(Key::char('1'));
    stage.press(Key::ctrl('x'));
    assert!(matches!(stage.told().as_slice(), [Command::Acknowledge(_)]));
}

#[test]
fn what_became_known_meanwhile_and_other_commands_are_shown_before_saving() {
    let mut stage = gate(vec![report(1)]);
    assert!(stage.screen().contains("Ctrl+X saves"), "all of it fits");
    stage.resize(40, 12);
    stage.event(Event::Gate(vec![long_report(1)]));
    assert!(stage.screen().contains("Ctrl+X see more"));
    stage.event(Event::Gate(vec![long_report(1)]));
    let mut stage = gate(vec![report(1), report(2)]);
    stage.press(Key::char('1'));
    stage.wait(400);
    stage.press(Key::ctrl('x'));
    stage.draw();
    assert_eq!(recovery(&stage).at, 1, "the other command was never in sight");
    stage.press(Key::char('1'));
    stage.wait(400);
    stage.press(Key::ctrl('x'));
    assert!(matches!(stage.told().as_slice(), [Command::Acknowledge(said)] if said.len() == 2));
}
