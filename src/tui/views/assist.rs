//! What is offered while a message is written, above the composer.

use super::base::PROMPT;
use super::canvas::{Canvas, cells, right_of, row_of, split_bottom};
use crate::text::{Clean, Row, Span, Style, pad, width};
use crate::tui::assist::{Offered, Search};
use crate::tui::state::State;
use crate::tui::{theme, words};
use ratatui::layout::Rect;

/// Rows of a list at most.
const ROWS: u16 = 8;
/// Cells for a word after `/`.
const NAME: usize = 12;

/// The list of what completes the draft, if there is one; gives what is left.
pub(super) fn offered(state: &State, canvas: &mut Canvas<'_>, area: Rect) -> Rect {
    let Some((offered, chosen)) = state.assist.shown() else { return area };
    let room = usize::from(area.width.saturating_sub(2));
    match offered {
        Offered::Words(known) => {
            let row = |at: usize| word(known[at].0, known[at].2, room);
            list(canvas, area, Listed { count: known.len(), chosen, row: &row, said: None })
        }
        Offered::Paths(paths) => {
            let said =
                state.assist.files.cut().map(|known| format!("only the first {known} paths are known"));
            let row = |at: usize| match paths.get(at) {
                Some(path) => end_of(&path.quoted, room),
                None => words::row("looking for paths...", theme::QUIET),
            };
            list(canvas, area, Listed { count: paths.len().max(1), chosen, row: &row, said })
        }
    }
}

/// The search in the place of the composer, and its hits above it, the newest
/// nearest.
pub(super) fn search(search: &Search, canvas: &mut Canvas<'_>, area: Rect) -> Rect {
    let (rest, place) = split_bottom(area, 1);
    let room = usize::from(place.width.saturating_sub(PROMPT + 1));
    let asked = format!("search: {}", search.query);
    let shown = end_of(&asked, room);
    canvas.text(right_of(place, 1), ">", theme::YOU);
    canvas.row(place.x + PROMPT, place.y, place.width.saturating_sub(PROMPT), &shown);
    canvas.cursor(place.x + PROMPT + cells(shown.width()), place.y);
    let (rest, rule) = split_bottom(rest, 1);
    if rule.height > 0 {
        canvas.rule(rule);
    }
    let room = usize::from(rest.width.saturating_sub(2));
    let count = search.hits.len();
    let row = |at: usize| match search.hits.iter().rev().nth(at) {
        Some(hit) => beginning_of(hit, room),
        None => words::row("Nothing that was written here before has it.", theme::QUIET),
    };
    let chosen = count.checked_sub(1 + search.chosen);
    list(canvas, rest, Listed { count: count.max(1), chosen, row: &row, said: None })
}

/// Rows of which only some are seen.
struct Listed<'a> {
    count: usize,
    chosen: Option<usize>,
    row: &'a dyn Fn(usize) -> Row,
    /// What else there is to say.
    said: Option<String>,
}

/// Rows around the chosen one, with a line above them; gives what is left.
fn list(canvas: &mut Canvas<'_>, area: Rect, listed: Listed<'_>) -> Rect {
    let Listed { count, chosen, row, said } = listed;
    let height = cells(count).min(ROWS).min(area.height.saturating_sub(5).max(1));
    let (rest, place) = split_bottom(area, height);
    let shown = usize::from(place.height);
    let first = chosen.unwrap_or(0).saturating_sub(shown / 2).min(count.saturating_sub(shown));
    for (y, index) in (place.y..place.bottom()).zip(first..count) {
        let mut row = row(index);
        if chosen == Some(index) {
            row.spans.iter_mut().for_each(|span| span.style = theme::CHOSEN);
        }
        let line = right_of(row_of(place, y), 1);
        canvas.row(line.x, y, line.width, &row);
    }
    let (rest, rule) = split_bottom(rest, 1);
    if rule.height > 0 {
        canvas.rule(rule);
        let hidden = count.saturating_sub(shown);
        let more = (hidden > 0).then(|| format!("{hidden} more"));
        let said: Vec<String> = said.into_iter().chain(more).collect();
        if !said.is_empty() {
            let area = Rect { width: rule.width.saturating_sub(2), ..rule };
            canvas.text_right(area, &format!(" {} ", said.join(", ")), theme::QUIET);
        }
    }
    rest
}

fn word(name: &'static str, long: &'static str, room: usize) -> Row {
    let name = pad(name, NAME);
    let long = Clean::from_static(long).shortened(room.saturating_sub(NAME));
    Row { spans: vec![Span::plain(Clean::line(&name)), Span::new(long, theme::QUIET)] }
}

/// The beginning of a message, which may be long.
fn beginning_of(message: &str, room: usize) -> Row {
    let end = message.char_indices().nth(room * 4 + 1).map_or(message.len(), |(at, _)| at);
    Row::from(Span::plain(Clean::line(&message[..end]).shortened(room)))
}

/// The end of a text that is too long for the room: of a path that is what tells.
fn end_of(text: &str, room: usize) -> Row {
    let clean = Clean::line(text);
    if width(&clean) <= room {
        return Row::from(Span::plain(clean));
    }
    let kept = crate::text::truncate_start(&clean, room.saturating_sub(2));
    Row::from(Span::new(Clean::line(&format!("..{kept}")), Style::PLAIN))
}
