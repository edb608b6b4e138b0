//! The sessions over the whole screen.

#[cfg(test)]
mod tests;

use super::base::fitting_rows;
use super::canvas::{Canvas, cells, right_of, row_of, split_bottom, split_top};
use super::list;
use crate::agent::{Hit, Searched, SessionRow, SessionState, Speaker};
use crate::text::{Clean, Row, Span, Style, truncate, truncate_start, width, wrap};
use crate::tui::composer::Composer;
use crate::tui::keys::{self, Act, Place};
use crate::tui::sessions::{Asking, Drawn, Hits, Scope, Sessions, Turns};
use crate::tui::state::State;
use crate::tui::update::Painted;
use crate::tui::{sentences, theme, words};
use ratatui::layout::Rect;

/// From this width on the preview stands beside the list.
const WIDE: u16 = 100;
/// From this height on the keys may take two rows.
const HIGH: u16 = 20;
/// Rows of what is said about the chosen session.
const ABOUT_ROWS: usize = 3;
/// Rows of a passing sentence: it says why something was not done.
const FLASH_ROWS: usize = 5;
/// Rows of a place that was found.
const HIT_ROWS: usize = 2;

/// Draws the list, the preview, and what is asked.
pub(super) fn draw(sessions: &mut Sessions, state: &mut State, canvas: &mut Canvas<'_>) -> Painted {
    let (head, rest) = split_top(canvas.area(), 1);
    let (rule, rest) = split_top(rest, 1);
    let (field, rest) = split_top(rest, 1);
    let keys = key_rows(sessions, canvas.area());
    let (rest, foot) = split_bottom(rest, cells(keys.len()));
    header(sessions, state, canvas, head);
    canvas.rule(rule);
    canvas.rows(right_of(foot, 1), &keys);
    typed(sessions, canvas, field);
    let body = asked(sessions, state, canvas, rest);
    let (place, beside) = match (body.width >= WIDE, sessions.in_preview) {
        (true, _) => {
            let (place, beside) = split_left(body, body.width * 9 / 20);
            canvas.upright(beside);
            (Some(place), Some(right_of(beside, 2)))
        }
        (false, true) => (None, Some(body)),
        (false, false) => (Some(body), None),
    };
    let each = if sessions.hits.is_some() { HIT_ROWS } else { 1 };
    let rows = usize::from(place.unwrap_or(body).height) / each;
    sessions.drawn = Drawn { rows, preview: beside.filter(|_| place.is_some()).map(|area| area.x) };
    if let Some(place) = place {
        upper(sessions, state, canvas, place);
    }
    if let Some(beside) = beside {
        preview(sessions, state, canvas, beside);
    }
    Painted::default()
}

fn split_left(area: Rect, columns: u16) -> (Rect, Rect) {
    (Rect { width: columns.min(area.width), ..area }, right_of(area, columns))
}

fn header(sessions: &Sessions, state: &State, canvas: &mut Canvas<'_>, area: Rect) {
    let title = match (&sessions.hits, sessions.scope) {
        (Some(_), _) => "Search inside all sessions".to_owned(),
        (None, Scope::Here) => format!("Sessions of {}", state.fixed.words.place(&state.fixed.cwd)),
        (None, Scope::Everywhere) => "Sessions everywhere".to_owned(),
        (None, Scope::Trash) => "Sessions in the trash".to_owned(),
    };
    let count = match &sessions.hits {
        Some(hits) => hits.list.len().to_string(),
        None => {
            let (rows, _) = sessions.rows(&state.sessions.all);
            let all = match sessions.scope {
                Scope::Trash => sessions.trash.as_ref().map_or(0, Vec::len),
                Scope::Here | Scope::Everywhere => state.sessions.all.len(),
            };
            format!("{} of {all}", rows.len())
        }
    };
    let room = usize::from(area.width).saturating_sub(width(&count) + 4);
    canvas.text(right_of(area, 1), &Clean::line(&title).shortened(room), theme::HEADING);
    canvas.text_right(Rect { width: area.width.saturating_sub(1), ..area }, &count, Style::PLAIN);
}

/// What is typed, with the cursor after it unless something else has it.
fn typed(sessions: &Sessions, canvas: &mut Canvas<'_>, area: Rect) {
    let label = if sessions.hits.is_some() { "search" } else { "filter" };
    canvas.text(right_of(area, 1), &format!("{label} >"), theme::YOU);
    let place = right_of(area, 10);
    let text = Clean::line(&sessions.typed);
    let shown = truncate_start(text.as_str(), usize::from(place.width).saturating_sub(2));
    canvas.text(place, shown, Style::PLAIN);
    if sessions.asking.is_none() && !sessions.in_preview {
        canvas.cursor(place.x + cells(width(shown)), place.y);
    }
}

/// The question, or what there is to say about what is chosen; gives what is
/// left above it.
fn asked(sessions: &mut Sessions, state: &State, canvas: &mut Canvas<'_>, area: Rect) -> Rect {
    let room = usize::from(area.width).saturating_sub(2);
    let (text, style) = match (&state.flash, &sessions.asking) {
        (Some(flash), _) => (flash.text.clone(), theme::WARNING),
        (None, Some(asking)) => (question(asking, chosen_title(sessions, state)), Style::PLAIN),
        (None, None) => (about(sessions, state), theme::QUIET),
    };
    let mut rows = wrap(&[Span::new(Clean::line(&text), style)], room, 0);
    rows.truncate(if state.flash.is_some() { FLASH_ROWS } else { ABOUT_ROWS });
    let field = match &mut sessions.asking {
        Some(Asking::Title(field) | Asking::Word { field, .. }) => Some(field),
        Some(Asking::Trash | Asking::Fork(_)) | None => None,
    };
    let fields = u16::from(field.is_some());
    let (rest, place) = split_bottom(area, cells(rows.len()) + fields);
    let (place, field_place) = split_bottom(place, fields);
    canvas.rows(Rect { x: place.x + 1, width: place.width.saturating_sub(2), ..place }, &rows);
    if let Some(field) = field {
        one_line(field, canvas, right_of(field_place, 1));
    } else if matches!(sessions.asking, Some(Asking::Trash)) {
        let last = rows.last().map_or(0, Row::width);
        canvas.cursor(place.x + 1 + cells(last), place.bottom().saturating_sub(1));
    }
    let (rest, rule) = split_bottom(rest, 1);
    canvas.rule(rule);
    rest
}

fn one_line(field: &mut Composer, canvas: &mut Canvas<'_>, area: Rect) {
    canvas.text(area, ">", theme::YOU);
    let (x, y) = canvas.field(field, right_of(area, 2));
    canvas.cursor(x, y);
}

fn chosen_title(sessions: &Sessions, state: &State) -> String {
    let all = &state.sessions.all;
    let row = match &sessions.hits {
        Some(hits) => hits.chosen().and_then(|hit| all.iter().find(|row| row.id == hit.id)),
        None => sessions.chosen(all),
    };
    row.map_or_else(String::new, |row| Clean::line(&row.title).shortened(60).to_string())
}

fn question(asking: &Asking, title: String) -> String {
    match asking {
        Asking::Title(_) => format!("Another title for \"{title}\":"),
        Asking::Trash => format!("Move \"{title}\" to the trash? Enter moves it, Esc keeps it."),
        Asking::Word { why, .. } => why.clone(),
        Asking::Fork(turns) => match turns.without() {
            0 => "The new session begins with all of these turns. Enter goes on there.".to_owned(),
            left => format!(
                "The new session begins with the turns up to the chosen one, without the last {}. \
                 Enter goes on there.",
                words::count(left, "turn")
            ),
        },
    }
}

/// What there is to say about what is chosen.
fn about(sessions: &Sessions, state: &State) -> String {
    if let Some(hits) = &sessions.hits {
        return search_words(hits, &sessions.typed);
    }
    let Some(row) = sessions.chosen(&state.sessions.all) else { return empty_words(sessions) };
    let place = state.fixed.words.place(&row.cwd);
    match (row.state, sessions.scope) {
        (SessionState::OpenElsewhere, Scope::Here | Scope::Everywhere) => {
            sentences::open_elsewhere(row.holder.as_ref(), &state.fixed.words, state.now.wall)
        }
        (_, Scope::Trash) => format!("{place}   In the trash: Enter brings it back."),
        (_, Scope::Here | Scope::Everywhere) => match (row.cwd.is_empty(), row.detail.is_empty()) {
            (_, true) => place,
            (true, false) => row.detail.clone(),
            (false, false) => format!("{place}   {}", row.detail),
        },
    }
}

fn empty_words(sessions: &Sessions) -> String {
    match (sessions.typed.is_empty(), sessions.scope) {
        (false, Scope::Here) => {
            "No title, directory or first message here holds that. Tab looks everywhere, Ctrl+F inside all \
             sessions."
        }
        (false, Scope::Everywhere) => {
            "No title, directory or first message holds that. Ctrl+F searches inside all sessions."
        }
        (false, Scope::Trash) => "Nothing in the trash holds that.",
        (true, Scope::Here) => "No sessions of this directory. Tab shows those of all.",
        (true, Scope::Everywhere) => "No sessions yet.",
        (true, Scope::Trash) if sessions.trash.is_none() => "Reading the trash.",
        (true, Scope::Trash) => "The trash is empty.",
    }
    .to_owned()
}

fn search_words(hits: &Hits, typed: &str) -> String {
    let places = words::count(hits.list.len(), "place");
    match hits.ended {
        _ if typed.trim().is_empty() => "Type what to search for.".to_owned(),
        None => format!("Searching: {places} so far."),
        Some(Searched { sessions, unreadable, more, .. }) => {
            let mut said = format!("{places} in {}.", words::count(sessions, "session"));
            if more {
                said.push_str(" There are more: type more of what you look for.");
            }
            if unreadable > 0 {
                let missed = words::count(unreadable, "session");
                said.push_str(&format!(" {missed} could not be read."));
            }
            said
        }
    }
}

/// The list, the places that were found, or the turns of a fork.
fn upper(sessions: &Sessions, state: &State, canvas: &mut Canvas<'_>, area: Rect) {
    match (&sessions.asking, &sessions.hits) {
        (Some(Asking::Fork(turns)), _) => draw_turns(turns, canvas, area),
        (_, Some(hits)) => draw_hits(hits, state, canvas, area),
        (_, None) => draw_rows(sessions, state, canvas, area),
    }
}

fn draw_rows(sessions: &Sessions, state: &State, canvas: &mut Canvas<'_>, area: Rect) {
    let (rows, chosen) = sessions.rows(&state.sessions.all);
    let first = list::first_visible(rows.len(), usize::from(area.height), chosen);
    for (y, (index, row)) in (area.y..area.bottom()).zip(rows.iter().enumerate().skip(first)) {
        let place = state.fixed.words.place(&row.cwd);
        let detail = match (sessions.scope, row.detail.is_empty()) {
            (Scope::Here, _) | (Scope::Everywhere, false) => list::detail(row),
            (Scope::Everywhere, true) | (Scope::Trash, _) => place,
        };
        let line = list::line(state, row, &detail, index == chosen, usize::from(area.width));
        canvas.row(area.x, y, area.width, &line);
    }
}

fn draw_hits(hits: &Hits, state: &State, canvas: &mut Canvas<'_>, area: Rect) {
    let fit = usize::from(area.height) / HIT_ROWS;
    let first = list::first_visible(hits.list.len(), fit.max(1), hits.chosen);
    let shown = hits.list.iter().enumerate().skip(first).take(fit);
    for (y, (index, hit)) in (area.y..area.bottom()).step_by(HIT_ROWS).zip(shown) {
        let row = state.sessions.all.iter().find(|row| row.id == hit.id);
        let [title, excerpt] = hit_rows(hit, row, state, index == hits.chosen, usize::from(area.width));
        canvas.row(area.x, y, area.width, &title);
        canvas.row(area.x, y + 1, area.width, &excerpt);
    }
}

fn hit_rows(hit: &Hit, row: Option<&SessionRow>, state: &State, chosen: bool, room: usize) -> [Row; 2] {
    let title = row.map_or_else(|| hit.id.to_string(), SessionRow::listed_title);
    let time = Clean::line(&state.fixed.words.ago(hit.at, state.now.wall));
    let style = if chosen { theme::CHOSEN } else { theme::HEADING };
    let title = Clean::line(&title).shortened(room.saturating_sub(width(&time) + 4));
    let gap = room.saturating_sub(width(&title) + width(&time) + 3);
    let head = Row {
        spans: vec![
            Span::new(Clean::line(&format!("{}{title}", if chosen { "> " } else { "  " })), style),
            Span::plain(Clean::line(&format!("{}{time}", " ".repeat(gap)))),
        ],
    };
    let who = Clean::from_static(match hit.who {
        Speaker::You => "   You: ",
        Speaker::Assistant => "   Assistant: ",
        Speaker::Command => "   command: ",
        Speaker::Output => "   output: ",
        Speaker::Title => "   title: ",
        Speaker::Candor => "   Candor: ",
    });
    let room = room.saturating_sub(width(&who) + 1);
    let (before, rest) = hit.excerpt.split_at(hit.words.start);
    let (found, after) = rest.split_at(hit.words.len());
    let (before, found, after) = (Clean::line(before), Clean::line(found), Clean::line(after));
    let spare = room.saturating_sub(width(&found) + width(&after));
    let before = truncate_start(before.as_str(), spare.max(room / 3));
    let found = truncate(found.as_str(), room.saturating_sub(width(before)));
    let after = truncate(after.as_str(), room.saturating_sub(width(before) + width(found)));
    let excerpt = Row {
        spans: vec![
            Span::new(who, theme::QUIET),
            Span::plain(Clean::line(before)),
            Span::new(Clean::line(found), theme::WARNING),
            Span::plain(Clean::line(after)),
        ],
    };
    [head, excerpt]
}

fn draw_turns(turns: &Turns, canvas: &mut Canvas<'_>, area: Rect) {
    let first = list::first_visible(turns.list.len(), usize::from(area.height), turns.at);
    for (y, (index, turn)) in (area.y..area.bottom()).zip(turns.list.iter().enumerate().skip(first)) {
        let chosen = index == turns.at;
        let style = match index {
            _ if chosen => theme::CHOSEN,
            index if index < turns.at => Style::PLAIN,
            _ => theme::QUIET,
        };
        let text = format!("{} {:>3}  {}", if chosen { ">" } else { " " }, index + 1, turn.message);
        canvas.text(row_of(area, y), &text, style);
        if chosen {
            canvas.cursor(area.x, y);
        }
    }
}

fn preview(sessions: &mut Sessions, state: &State, canvas: &mut Canvas<'_>, area: Rect) {
    if sessions.in_preview && sessions.asking.is_none() {
        canvas.cursor(area.x, area.y);
    }
    let (columns, rows) = (usize::from(area.width), usize::from(area.height));
    match sessions.preview.window(columns, rows, state.now) {
        Ok(rows) => canvas.rows(area, &rows),
        Err(words) => {
            let said = wrap(&[Span::new(Clean::line(&words), theme::QUIET)], columns.saturating_sub(2), 0);
            canvas.rows(right_of(area, 1), &said);
        }
    }
}

/// What the keys do now, Esc last: in two rows if the screen is high enough for
/// them, else as many as fit into one.
fn key_rows(sessions: &Sessions, area: Rect) -> Vec<Row> {
    let room = usize::from(area.width).saturating_sub(2);
    let words = key_words(sessions);
    let rows = if area.height >= HIGH { 2 } else { 1 };
    fitting_rows(words, room, rows).iter().map(|row| words::row(row, theme::QUIET)).collect()
}

/// The words of what the keys do now, Esc last.
fn key_words(sessions: &Sessions) -> Vec<String> {
    let named = |act: &Act| {
        keys::short(Place::Sessions, &[*act]).into_iter().map(|(key, word)| format!("{key} {word}"))
    };
    let listed: &[Act] = match (&sessions.asking, sessions.in_preview, &sessions.hits, sessions.scope) {
        (Some(_), ..) => &[],
        (None, true, ..) => &[Act::Open],
        (None, false, Some(_), _) => &[Act::Open, Act::Right, Act::Help, Act::Fork, Act::Rename, Act::Trash],
        (None, false, None, Scope::Trash) => &[Act::Scope],
        (None, false, None, Scope::Here | Scope::Everywhere) => {
            &[Act::Open, Act::Scope, Act::Search, Act::Right, Act::Help, Act::Rename, Act::Trash, Act::Fork]
        }
    };
    let mut words: Vec<String> = listed.iter().flat_map(named).collect();
    match (&sessions.asking, sessions.in_preview, &sessions.hits, sessions.scope) {
        (Some(Asking::Title(_)), ..) => words.push("Enter rename".to_owned()),
        (Some(Asking::Trash | Asking::Word { .. }), ..) => {
            words.push("Enter move it to the trash".to_owned())
        }
        (Some(Asking::Fork(_)), ..) => words.extend(["Enter fork", "Up Down choose"].map(str::to_owned)),
        (None, true, ..) => words.push("Up Down scroll".to_owned()),
        (None, false, None, Scope::Trash) => words.insert(0, "Enter bring back".to_owned()),
        (None, false, ..) => {}
    }
    let leads_back = sessions.hits.is_some() || sessions.asking.is_some() || sessions.in_preview;
    words.push(if leads_back { "Esc back" } else { "Esc close" }.to_owned());
    words
}
