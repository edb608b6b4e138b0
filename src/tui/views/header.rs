//! The first line: what this is, where, with which model, and what happens now.

use super::canvas::{Canvas, right_of};
use crate::agent::Phase;
use crate::session::words::listed_title;
use crate::text::{Clean, Style, human_duration, human_magnitude, width};
use crate::tui::state::State;
use crate::tui::{theme, words};
use ratatui::layout::Rect;

/// Cells that the title keeps before anything else is shown.
const TITLE: usize = 20;

/// Draws it into one row.
pub(super) fn draw(state: &State, canvas: &mut Canvas<'_>, area: Rect) {
    let (word, style) = state_word(state);
    let mut right: Vec<String> = Vec::new();
    let place = state.fixed.words.place(&state.conversation.cwd);
    let model = if state.fixed.demo { "demo" } else { state.conversation.model.as_str() };
    right.extend([place, model.to_owned()]);
    right.extend(state.conversation.tokens.map(|tokens| meter(tokens, state.fixed.context_window)));
    let session = state.conversation.session.as_ref();
    let is_fork = session.is_some_and(|session| session.forked_from().is_some());
    let title = match state.is_home() {
        true => "Candor".to_owned(),
        false => listed_title(untitled(state.conversation.title()), is_fork),
    };
    canvas.text_right(Rect { width: area.width.saturating_sub(1), ..area }, &word, style);
    let word_width = width(&Clean::line(&word)) + 2;
    let room = usize::from(area.width).saturating_sub(word_width + 1);
    let facts = fitting(&right, room.saturating_sub(TITLE));
    let title = Clean::line(&title).shortened(room.saturating_sub(width(&facts) + 3));
    canvas.text(right_of(area, 1), &title, theme::HEADING);
    let facts_area = Rect { width: super::canvas::cells(room), ..area };
    canvas.text_right(facts_area, &facts, Style::PLAIN);
}

/// Tokens of the last request and answer, and their share of the context.
fn meter(tokens: u64, context_window: u64) -> String {
    let said = format!("{} tokens", human_magnitude(tokens));
    match tokens.saturating_mul(100).checked_div(context_window) {
        Some(share) => format!("{said}, {share} %"),
        None => said,
    }
}

fn untitled(title: &str) -> &str {
    if title.is_empty() { "Untitled" } else { title }
}

/// As many of the facts as fit, the first ones dropped last.
fn fitting(facts: &[String], room: usize) -> Clean {
    for kept in (1..=facts.len()).rev() {
        let text = Clean::line(&facts[..kept].join("   "));
        if width(&text) <= room {
            return text;
        }
    }
    Clean::default()
}

/// The header's last word.
fn state_word(state: &State) -> (String, Style) {
    let conversation = &state.conversation;
    if conversation.poisoned.is_some() {
        return ("not saving".to_owned(), theme::WARNING);
    }
    let waited = state.now.moment.since(conversation.phase_since);
    let waited = human_duration(u64::try_from(waited.as_millis()).unwrap_or(u64::MAX));
    match &conversation.phase {
        None => ("opening".to_owned(), theme::QUIET),
        // Nothing can answer yet.
        Some(Phase::Ready) if conversation.model.is_empty() && !state.fixed.demo => {
            ("no model".to_owned(), theme::WARNING)
        }
        Some(Phase::Ready) => ("ready".to_owned(), theme::GOOD),
        Some(Phase::Gated) => ("needs you".to_owned(), theme::WARNING),
        Some(Phase::WaitingForModel) => (format!("waiting for the model {waited}"), theme::LIVE),
        Some(Phase::Thinking) => (format!("thinking {waited}"), theme::LIVE),
        Some(Phase::Answering) => ("answering".to_owned(), theme::LIVE),
        Some(Phase::Retrying { wait_ms, reason }) => {
            let passed = state.now.moment.since(conversation.phase_since).as_millis();
            let left = u128::from(*wait_ms).saturating_sub(passed).div_ceil(1000);
            (format!("retrying in {left} s ({reason})"), theme::LIVE)
        }
        Some(Phase::WaitingForYou) => ("waiting for you".to_owned(), theme::WARNING),
        Some(Phase::Running(command)) => {
            let ran = human_duration(words::between(command.started_at, state.now.wall));
            (format!("running {ran}"), theme::LIVE)
        }
        Some(Phase::NotSaving) => ("not saving".to_owned(), theme::WARNING),
        Some(Phase::ReadOnly) => ("read-only".to_owned(), theme::QUIET),
    }
}

#[cfg(test)]
mod tests {
    use super::meter;

    #[test]
    fn the_share_of_the_context_is_shown_where_its_size_is_known() {
        assert_eq!(meter(1200, 0), "1.2k tokens");
        assert_eq!(meter(1200, 8000), "1.2k tokens, 15 %");
    }
}
