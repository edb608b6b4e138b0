#![allow(clippy::disallowed_methods)] // a test owns its files

use super::run::give;
use super::*;
use crate::tui::testing::Stage;

fn names(surroundings: &Surroundings) -> Vec<&'static str> {
    let name = |way: &Way| match way {
        Way::Tmux => "tmux",
        Way::Program { name, .. } => name,
        Way::Terminal => "terminal",
    };
    ways(surroundings).iter().map(name).collect()
}

#[test]
fn what_is_tried_follows_from_the_environment() {
    let none = Surroundings::default();
    for (surroundings, expected) in [
        (none.clone(), vec!["terminal"]),
        (Surroundings { tmux: true, ..none.clone() }, vec!["tmux"]),
        (Surroundings { screen: true, ..none.clone() }, vec![]),
        (Surroundings { screen: true, x11: true, ..none.clone() }, vec!["xclip", "xsel"]),
        (
            Surroundings { tmux: true, wayland: true, x11: true, ..none.clone() },
            vec!["tmux", "wl-copy", "xclip", "xsel"],
        ),
        (Surroundings { mac: true, ..none.clone() }, vec!["pbcopy", "terminal"]),
        (Surroundings { wayland: true, ..none }, vec!["wl-copy", "terminal"]),
    ] {
        assert_eq!(names(&surroundings), expected, "{surroundings:?}");
    }
}

#[test]
fn the_sequence_for_the_terminal_is_base64() {
    for (text, expected) in
        [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("ÿ\u{1b}~", "w78bfg==")]
    {
        assert_eq!(sequence(text), format!("\x1b]52;c;{expected}\x1b\\").into_bytes(), "{text:?}");
    }
}

#[test]
fn a_program_gets_the_text_and_not_the_key() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("got");
    let script = format!("cat > {0}; printf %s \"$HOME\" >> {0}", path.display());
    // Any variable may be the key's; this one is there.
    assert_eq!(give("text|", "/bin/sh", &["-c", &script], &["HOME".into()]), Ok(()));
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "text|");
}

#[test]
fn a_way_that_fails_says_how() {
    let large = "x".repeat(1 << 20);
    assert_eq!(give("", "/no/such/program", &[], &[]), Err(Failure::Missing));
    assert_eq!(give(&large, "/bin/sh", &["-c", "exit 3"], &[]), Err(Failure::Ended(Some(3))));
    assert_eq!(give(&large, "/bin/sleep", &["60"], &[]), Err(Failure::Hangs));
}

#[test]
fn the_last_answer_is_what_the_model_wrote() {
    let mut stage = Stage::open(80, 24);
    let answer = |stage: &Stage| stage.state.conversation.session.as_ref().and_then(last_answer);
    stage.message("Hello");
    assert_eq!(answer(&stage), None);
    stage.response("**One**", 1, &["true"]);
    stage.ran(1, "true", "");
    assert_eq!(answer(&stage).as_deref(), Some("**One**"));
    stage.response("", 2, &["true"]);
    assert_eq!(answer(&stage).as_deref(), Some("**One**"), "an answer without words is none");
}
