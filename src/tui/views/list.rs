//! The list of sessions.

use super::canvas::{Canvas, cells, right_of, row_of, split_bottom};
use crate::agent::{SessionRow, SessionState};
use crate::text::{Clean, Row, Span, Style, pad, width};
use crate::tui::state::State;
use crate::tui::theme;
use ratatui::layout::Rect;

/// Cells for the state and for the time.
const STATE: usize = 15;
const TIME: usize = 10;
/// From this width on, there is room for the time.
const TIMED: usize = 48;
/// From this width on, what else there is to say stands beside the title.
const WIDE: usize = 60;

/// Draws the list into an area, as much of it as fits around the chosen row.
pub(super) fn draw(state: &State, canvas: &mut Canvas<'_>, area: Rect, focused: bool) {
    let Some(rows) = &state.sessions.here else { return };
    let (area, summary) = split_bottom(area, 1);
    let first = first_visible(rows.len(), usize::from(area.height), state.sessions.chosen);
    for (y, (index, session)) in (area.y..area.bottom()).zip(rows.iter().enumerate().skip(first)) {
        let chosen = focused && index == state.sessions.chosen;
        canvas.row(
            area.x,
            y,
            area.width,
            &line(state, session, &detail(session), chosen, usize::from(area.width)),
        );
        if chosen {
            canvas.cursor(area.x, y);
        }
    }
    let shown = rows.len().min(usize::from(area.height));
    let y = area.y + cells(shown);
    canvas.text(
        right_of(row_of(summary, y), 1),
        &count_words(rows.len(), state.sessions.elsewhere()),
        theme::QUIET,
    );
}

/// The first row that is shown, so that the chosen one is.
pub(super) fn first_visible(count: usize, height: usize, chosen: usize) -> usize {
    chosen.saturating_sub(height.saturating_sub(1)).min(count.saturating_sub(height))
}

fn count_words(here: usize, elsewhere: usize) -> String {
    match (here, elsewhere) {
        (0, 0) => "No sessions yet.".to_owned(),
        (0, _) => format!("No session of this directory, {elsewhere} elsewhere"),
        (1, 0) => "1 session, of this directory".to_owned(),
        (_, 0) => format!("{here} sessions, all of this directory"),
        _ => format!("{here} here, {elsewhere} elsewhere"),
    }
}

/// What else there is to say about a session, in a few words.
pub(super) fn detail(session: &SessionRow) -> String {
    match &session.holder {
        Some(holder) => {
            let terminal = holder.terminal.as_ref().map(|name| format!("{name}, ")).unwrap_or_default();
            format!("{terminal}process {}", holder.pid)
        }
        None => session.detail.clone(),
    }
}

/// A session as one row.
pub(super) fn line(state: &State, session: &SessionRow, detail: &str, chosen: bool, room: usize) -> Row {
    let time_room = if room >= TIMED { TIME } else { 0 };
    let time = session
        .last_at
        .filter(|_| time_room > 0)
        .map(|at| state.fixed.words.ago(at, state.now.wall))
        .unwrap_or_default();
    let middle = room.saturating_sub(STATE + time_room + 4);
    let has_detail = !detail.is_empty() && room >= WIDE;
    let title_room = if has_detail { middle * 3 / 5 } else { middle };
    let title = Clean::line(&session.listed_title()).shortened(title_room.saturating_sub(2));
    let detail = Clean::line(detail).shortened(middle - title_room);
    let text = format!("{}{}", pad(&title, title_room), pad(&detail, middle - title_room));
    let time = Clean::line(&time).shortened(TIME);
    let gap = time_room.saturating_sub(width(&time));
    let base = if chosen { theme::CHOSEN } else { Style::PLAIN };
    let state_style = if chosen { theme::CHOSEN } else { state_style(session.state) };
    Row {
        spans: vec![
            Span::new(Clean::from_static(if chosen { ">" } else { " " }), base),
            Span::new(Clean::line(&pad(session.state.word(), STATE + 1)), state_style),
            Span::new(Clean::line(&format!(" {text}")), base),
            Span::new(Clean::line(&format!("{}{time}", " ".repeat(gap))), base),
        ],
    }
}

fn state_style(state: SessionState) -> Style {
    match state {
        SessionState::NeedsYou => theme::WARNING,
        SessionState::CommandRunning => theme::LIVE,
        SessionState::Ready => theme::GOOD,
        SessionState::Damaged | SessionState::Missing => theme::BAD,
        SessionState::OpenElsewhere | SessionState::Interrupted | SessionState::ReadOnly => Style::PLAIN,
    }
}

/// How many rows the list would take, its summary included.
pub(super) fn height(state: &State) -> u16 {
    state.sessions.here.as_ref().map_or(0, |rows| cells(rows.len() + 1))
}

/// A short remark above an empty conversation.
pub(super) fn introduction(state: &State, room: usize) -> Vec<Row> {
    let notes = state.conversation.notes.iter();
    notes.flat_map(|note| crate::tui::transcript::note_rows(&note.text, room)).collect::<Vec<_>>()
}
