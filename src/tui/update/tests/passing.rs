//! How long a passing sentence stays.

use super::*;

fn said(stage: &Stage) -> bool {
    stage.state.flash.is_some()
}

/// A screen on which a sentence has just been said.
fn just_said() -> Stage {
    let mut stage = Stage::open(80, 24);
    enter(&mut stage, "/rules");
    assert!(stage.screen().contains(sentences::NO_RULES));
    stage
}

#[test]
fn a_key_clears_a_sentence_that_could_be_read() {
    let mut stage = just_said();
    stage.wait(900);
    stage.type_text("x");
    assert!(said(&stage), "it has just come");
    stage.wait(100);
    stage.type_text("y");
    assert!(!said(&stage));
    assert_eq!(stage.state.composer.text(), "xy", "the key does what it does");

    let mut stage = just_said();
    stage.wait(1_000);
    stage.paste("pasted");
    assert!(!said(&stage), "a paste is as good as a key");

    let mut stage = just_said();
    stage.wait(1_000);
    enter(&mut stage, "/output");
    assert!(stage.screen().contains(sentences::NO_OUTPUT), "what the key says is shown");
}

#[test]
fn no_key_clears_what_a_second_ctrl_c_does() {
    let mut stage = running();
    stage.press(Key::ctrl('c'));
    stage.wait(3_000);
    stage.type_text("still there");
    assert!(said(&stage));
    stage.press(Key::ctrl('c'));
    assert!(matches!(stage.told().as_slice(), [Command::StopCommand]));
    assert!(!said(&stage));

    let mut stage = Stage::open(80, 24);
    stage.press(Key::ctrl('c'));
    stage.wait(2_000);
    stage.code(KeyCode::PageUp);
    assert!(stage.screen().contains(sentences::AGAIN_LEAVES));
    stage.wait(5_000);
    assert!(!said(&stage) && stage.state.armed.is_none());
}

#[test]
fn a_turn_a_shell_and_another_window_end_a_sentence() {
    let mut stage = just_said();
    stage.event(Event::Phase(Phase::WaitingForModel));
    assert!(!said(&stage), "a turn has begun");

    let mut stage = Stage::open(80, 24);
    stage.press(Key::ctrl('c'));
    stage.event(Event::Phase(Phase::WaitingForModel));
    assert!(!said(&stage) && stage.state.armed.is_none(), "Ctrl+C stops the answer from here on");

    let mut stage = just_said();
    enter(&mut stage, "/shell");
    assert!(!said(&stage) && stage.effects.iter().any(|effect| matches!(effect, Effect::Shell(_))));

    let mut stage = just_said();
    stage.event(Event::Watched(Watched::Held(None)));
    assert!(!said(&stage), "another window has the session");
    enter(&mut stage, "/rules");
    stage.event(Event::Watched(Watched::Held(None)));
    assert!(said(&stage), "that is nothing new");
    stage.event(Event::Watched(Watched::Free { running: false }));
    assert!(!said(&stage), "it let it go");
}

#[test]
fn an_answer_that_goes_on_ends_no_sentence() {
    let mut stage = busy();
    enter(&mut stage, "/rules");
    stage.event(Event::Phase(Phase::Thinking));
    stage.event(Event::Phase(Phase::Answering));
    assert!(said(&stage));
}
