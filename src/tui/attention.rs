//! What reaches a person who does not look at the screen: the window's title
//! and a notification.

use super::state::State;
use crate::agent::Phase;
use crate::text::Clean;

/// Cells of a title at most.
const TITLE: usize = 70;
/// What a terminal is told when a person is waited for. The text is fixed:
/// nothing of the conversation leaves the window.
const NOTIFICATION: &[u8] = b"\x1b]9;Candor waits for you\x07";
/// The same, for the terminal outside of tmux, which hands it on if
/// `allow-passthrough` is on and drops it if not.
const NOTIFICATION_IN_TMUX: &[u8] = b"\x1bPtmux;\x1b\x1b]9;Candor waits for you\x07\x1b\\";

/// The bytes of a notification.
pub(crate) fn notification(in_tmux: bool) -> &'static [u8] {
    if in_tmux { NOTIFICATION_IN_TMUX } else { NOTIFICATION }
}

/// Whether a terminal of this kind takes a title without showing it as text.
pub(crate) fn takes_title(term: &str) -> bool {
    !matches!(term, "" | "dumb" | "linux" | "vt100" | "vt220")
}

/// The window's title: of what, and what happens there. No counters, so that it
/// changes only with what happens; ASCII alone where the locale is not UTF-8.
pub(crate) fn title(state: &State, utf8: bool) -> String {
    let what = if state.is_home() {
        state.fixed.words.place(&state.conversation.cwd)
    } else {
        state.conversation.title().to_owned()
    };
    let word = word(state);
    let room = TITLE.saturating_sub("Candor:  - ".len() + word.len());
    let what = Clean::line(&what).shortened(room);
    let what = if what.is_empty() { "untitled" } else { &*what };
    let shown: String = what.chars().map(|c| if utf8 || c.is_ascii() { c } else { '?' }).collect();
    format!("Candor: {shown} - {word}")
}

fn word(state: &State) -> &'static str {
    if state.conversation.poisoned.is_some() {
        return "not saving";
    }
    match &state.conversation.phase {
        None => "opening",
        Some(Phase::Ready) => "ready",
        Some(Phase::Gated) => "needs you",
        Some(Phase::WaitingForModel | Phase::Retrying { .. }) => "waiting for the model",
        Some(Phase::Thinking) => "thinking",
        Some(Phase::Answering) => "answering",
        Some(Phase::WaitingForYou) => "waiting for you",
        Some(Phase::Running(_)) => "running",
        Some(Phase::NotSaving) => "not saving",
        Some(Phase::ReadOnly) => "read-only",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agent::Event;
    use crate::tui::testing::Stage;

    #[test]
    fn the_title_says_of_what_and_what_happens() {
        let mut stage = Stage::open(80, 24);
        assert_eq!(title(&stage.state, true), "Candor: ~/shop - ready");
        stage.message("Caf\u{e9} \u{1b}]2;evil\u{7} and\u{9c} a \u{202e}turn");
        stage.event(Event::Phase(Phase::Thinking));
        let said = title(&stage.state, true);
        assert!(said.starts_with("Candor: Caf\u{e9} ") && said.ends_with(" - thinking"), "{said}");
        assert!(!said.contains(|c: char| c.is_control() || c == '\u{202e}'), "{said:?}");
        assert!(title(&stage.state, false).is_ascii());
        stage.wait(20_000);
        assert_eq!(title(&stage.state, true), said, "time alone changes nothing");
    }

    #[test]
    fn a_long_title_is_cut_and_the_word_stays() {
        let mut stage = Stage::open(80, 24);
        stage.message(&"long ".repeat(50));
        let said = title(&stage.state, true);
        assert!(
            said.len() <= TITLE && said.ends_with("..  - ready") || said.ends_with(".. - ready"),
            "{said}"
        );
    }

    #[test]
    fn in_tmux_the_notification_is_for_the_terminal_outside() {
        let wrapped = String::from_utf8_lossy(notification(true)).into_owned();
        let inner = wrapped.strip_prefix("\x1bPtmux;").and_then(|rest| rest.strip_suffix("\x1b\\")).unwrap();
        assert_eq!(inner.replace("\x1b\x1b", "\x1b").as_bytes(), notification(false));
    }
}
