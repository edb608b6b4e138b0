//! Home and conversation: what stands under all dialogs.

use super::canvas::{Canvas, cells, right_of, row_of, split_bottom, split_top};
use super::{assist, header, list};
use crate::agent::Watched;
use crate::text::{Clean, Row, Span, width, wrap};
use crate::tui::keys::{self, Act, Place};
use crate::tui::state::{Focus, State};
use crate::tui::transcript::Look;
use crate::tui::update::Painted;
use crate::tui::{theme, words};
use ratatui::layout::Rect;

/// Cells before the composer's text.
pub(super) const PROMPT: u16 = 3;
/// Rows of a passing sentence that are shown.
const FLASH_ROWS: usize = 3;
/// Rows of a queued message that are shown.
const QUEUED_ROWS: usize = 3;

/// Draws it with the focus where it is.
pub(super) fn draw(state: &mut State, canvas: &mut Canvas<'_>) -> Painted {
    let above = draw_draft(state, canvas);
    upper_part(state, canvas, above, true);
    Painted { above: Some(above), ..Painted::default() }
}

/// Draws queue, composer and bottom line; gives what is left above them.
pub(super) fn draw_draft(state: &mut State, canvas: &mut Canvas<'_>) -> Rect {
    let focused = state.focus == Focus::Composer;
    lower_part(state, canvas, canvas.area(), focused)
}

/// Header and conversation, or header and sessions; `has_keys`: no dialog is
/// above them.
pub(super) fn upper_part(state: &mut State, canvas: &mut Canvas<'_>, area: Rect, has_keys: bool) {
    let (head, rest) = split_top(area, 1);
    let (rule, rest) = split_top(rest, 1);
    if head.height > 0 {
        header::draw(state, canvas, head);
    }
    if rule.height > 0 {
        canvas.rule(rule);
    }
    if state.is_home() {
        home(state, canvas, rest, has_keys);
    } else {
        conversation(state, canvas, rest, has_keys);
    }
}

fn home(state: &mut State, canvas: &mut Canvas<'_>, area: Rect, has_keys: bool) {
    let said = list::introduction(state, usize::from(area.width));
    let listed = list::height(state).min(area.height);
    let (upper, lower) = split_top(area, area.height.saturating_sub(cells(said.len())).max(listed));
    list::draw(state, canvas, upper, state.focus == Focus::List && has_keys);
    canvas.rows(lower, &said);
}

fn conversation(state: &mut State, canvas: &mut Canvas<'_>, area: Rect, opens: bool) {
    let now = state.now;
    let (columns, rows) = (usize::from(area.width), usize::from(area.height));
    let window = state
        .conversation
        .with_transcript(now, |transcript, look| transcript.window(columns, rows, &Look { opens, ..*look }));
    let Some(window) = window else { return };
    canvas.rows(area, &window.rows);
    if let Some(row) = window.selected {
        let y = area.y + cells(row);
        canvas.row(area.x, y, 1, &Row::from(Span::new(Clean::from_static(">"), theme::CHOSEN)));
        if state.focus == Focus::Transcript {
            canvas.cursor(area.x, y);
        }
    }
    if window.new_below > 0 && area.height > 0 {
        let below = words::count(window.new_below, "new line");
        let text = format!(" {below} below, Ctrl+End follows ");
        let last = Rect { y: area.bottom() - 1, height: 1, ..area };
        canvas.text_right(Rect { width: last.width.saturating_sub(1), ..last }, &text, theme::WARNING);
    }
}

/// Queue, composer and bottom line, from below; gives what is left above them.
fn lower_part(state: &mut State, canvas: &mut Canvas<'_>, area: Rect, focused: bool) -> Rect {
    let rows = bottom_rows(state, usize::from(area.width.saturating_sub(2)));
    let (rest, bottom) = split_bottom(area, cells(rows.len()));
    canvas.rows(Rect { x: bottom.x + 1, width: bottom.width.saturating_sub(2), ..bottom }, &rows);
    if let Some(search) = &state.assist.search {
        let rest = assist::search(search, canvas, rest);
        return queued(state, canvas, rest);
    }
    let rest = composer(state, canvas, rest, focused, area.height / 3);
    assist::offered(state, canvas, rest)
}

/// The composer with a line above it, and the queued messages above that.
pub(super) fn composer(
    state: &mut State,
    canvas: &mut Canvas<'_>,
    area: Rect,
    focused: bool,
    most: u16,
) -> Rect {
    let room = usize::from(area.width.saturating_sub(PROMPT + 1));
    let height = cells(state.composer.height(room)).clamp(1, most.max(1));
    let (rest, place) = split_bottom(area, height);
    let drawn = state.composer.draw(room, usize::from(height));
    canvas.text(right_of(place, 1), ">", theme::YOU);
    canvas
        .rows(Rect { x: place.x + PROMPT, width: place.width.saturating_sub(PROMPT), ..place }, &drawn.rows);
    if focused {
        canvas.cursor(place.x + PROMPT + cells(drawn.cursor.1), place.y + cells(drawn.cursor.0));
    }
    let (rest, rule) = split_bottom(rest, 1);
    if rule.height > 0 {
        canvas.rule(rule);
    }
    queued(state, canvas, rest)
}

/// The queued messages, one line each.
fn queued(state: &State, canvas: &mut Canvas<'_>, area: Rect) -> Rect {
    let lines = state.queue.len().min(QUEUED_ROWS);
    let (rest, place) = split_bottom(area, cells(lines));
    let hidden = state.queue.len() - lines;
    for (y, (index, message)) in (place.y..place.bottom()).zip(state.queue.iter().enumerate().skip(hidden)) {
        let number = index + 1;
        canvas.text(right_of(row_of(place, y), 1), &format!("queued {number}: {message}"), theme::QUIET);
    }
    rest
}

/// The last rows: a passing sentence, else the keys.
fn bottom_rows(state: &State, room: usize) -> Vec<Row> {
    match &state.flash {
        Some(flash) => {
            let mut rows = wrap(&[Span::new(Clean::line(&flash.text), theme::WARNING)], room, 0);
            rows.truncate(FLASH_ROWS);
            rows
        }
        None => vec![words::row(&fitting(key_words(state), room), theme::QUIET)],
    }
}

/// What the keys do now, the most important first and help last.
fn key_words(state: &State) -> Vec<String> {
    if let Some(words) = state.assist_words() {
        return words.iter().map(|word| (*word).to_owned()).collect();
    }
    let said = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
    match state.focus {
        Focus::List => said(&["Enter open", "Up Down choose", "Esc back"]),
        Focus::Transcript => {
            let acts = [Act::Open, Act::Up, Act::Left, Act::Right, Act::SwitchFocus];
            shown(Place::Transcript, &acts)
        }
        Focus::Composer if matches!(state.conversation.watched, Some(Watched::Free { .. })) => {
            let mut words = said(&["Enter open it for writing"]);
            words.extend(shown(Place::Composer, &[Act::Sessions]));
            words
        }
        Focus::Composer if state.conversation.watched.is_some() => {
            let mut words = said(&["Watched, read-only"]);
            words.extend(shown(Place::Composer, &[Act::Output, Act::Sessions]));
            words.push("? help".to_owned());
            words
        }
        Focus::Composer if state.is_home() => {
            let mut words = said(&["Enter start"]);
            if !state.sessions.rows().is_empty() {
                words.push("Tab choose a session".to_owned());
            }
            words.extend(said(&["Ctrl+S search all", "/help"]));
            words
        }
        Focus::Composer if !state.queue.is_empty() => {
            said(&["Enter queue", "Up take it back", "/join give it to the running turn", "/help"])
        }
        Focus::Composer => {
            let mut words = shown(Place::Composer, &[Act::Send]);
            // What stops it is there on the smallest screen too.
            if state.conversation.running().is_some() {
                words.push("Ctrl+C stop".to_owned());
            } else if state.conversation.is_busy() {
                words.extend(shown(Place::Composer, &[Act::Esc]));
            }
            words.extend(shown(Place::Composer, &[Act::Newline]));
            words.extend(shown(Place::Composer, &[Act::Output, Act::Sessions]));
            words.push("? help".to_owned());
            words
        }
    }
}

/// Keys with their words, from the table.
fn shown(place: Place, acts: &[Act]) -> Vec<String> {
    keys::short(place, acts).into_iter().map(|(key, word)| format!("{key} {word}")).collect()
}

/// As many of the words as fit into so many rows, none of them cut; the last
/// one stays.
pub(super) fn fitting_rows(words: Vec<String>, room: usize, rows: usize) -> Vec<String> {
    let mut words = words.into_iter().peekable();
    let mut filled = Vec::new();
    while words.peek().is_some() && filled.len() + 1 < rows {
        let mut row = words.next().unwrap_or_default();
        while let Some(word) = words.next_if(|word| width(&row) + 3 + width(word) <= room) {
            row = format!("{row}   {word}");
        }
        filled.push(row);
    }
    let rest: Vec<String> = words.collect();
    filled.extend((!rest.is_empty()).then(|| fitting(rest, room)));
    filled
}

/// As many of the words as fit; the last one stays.
pub(super) fn fitting(mut words: Vec<String>, room: usize) -> String {
    while words.len() > 1 && width(&words.join("   ")) > room {
        words.remove(words.len() - 2);
    }
    words.join("   ")
}
