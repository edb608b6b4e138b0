//! A text that fills the screen.

use super::base::fitting;
use super::canvas::{Canvas, cells, right_of, split_bottom, split_top};
use crate::text::{Clean, Row, Span, Style, human_count, truncate_middle, width, wrap};
use crate::tui::keys::{self, Act, Place};
use crate::tui::reader::{Kind, Position, Question, Reader};
use crate::tui::state::State;
use crate::tui::update::Painted;
use crate::tui::{sentences, theme, words};
use ratatui::layout::Rect;

/// From this height on a path may take two rows, to be there in full.
const HIGH: u16 = 30;
/// From this width on it is told how far down the view is.
const WIDE: u16 = 60;

/// Draws it.
pub(super) fn draw(reader: &mut Reader, state: &mut State, canvas: &mut Canvas<'_>) -> Painted {
    let area = canvas.area();
    let (head, rest) = split_top(area, 1);
    let path = path_rows(reader, area);
    let (place, rest) = split_top(rest, cells(path.len()));
    let (rule, rest) = split_top(rest, 1);
    let (text, foot) = split_bottom(rest, 1);
    let (columns, rows) = (usize::from(text.width), usize::from(text.height));
    make_conversation(reader, state, columns);
    let window = reader.window(columns, rows);
    canvas.rows(text, &window.rows);
    title(reader, state, canvas, head);
    canvas.rows(right_of(place, 1), &path);
    canvas.rule(rule);
    let (row, column) = window.cursor.unwrap_or_default();
    canvas.cursor(text.x + cells(column), text.y + cells(row));
    last_row(reader, state, canvas, foot);
    Painted::default()
}

/// The rows of the conversation, made for the width.
fn make_conversation(reader: &mut Reader, state: &mut State, columns: usize) {
    let records = state.conversation.session.as_ref().map_or(0, crate::session::Session::next_seq);
    // A line of Candor's own is no record.
    let version = records + state.conversation.notes.len() as u64;
    if reader.needs_rows(version, columns) {
        let now = state.now;
        let whole =
            state.conversation.with_transcript(now, |transcript, look| transcript.whole(columns, look));
        let whole = whole.unwrap_or_default();
        reader.set_rows(whole.rows, version, columns, whole.first);
    }
}

fn title(reader: &Reader, state: &State, canvas: &mut Canvas<'_>, head: Rect) {
    let waiting = if state.conversation.asked.is_some() { "waiting for you   " } else { "" };
    let said = format!("{waiting}{}", position(reader, reader.position(), head.width >= WIDE));
    let room = usize::from(head.width).saturating_sub(width(&said) + 4);
    let title = Clean::line(&reader.title).shortened(room);
    canvas.text(right_of(head, 1), &title, theme::HEADING);
    canvas.text_right(Rect { width: head.width.saturating_sub(1), ..head }, &said, Style::PLAIN);
}

/// `1-40 of 312,000+`.
fn position(reader: &Reader, at: Position, wide: bool) -> String {
    let more = if at.complete { "" } else { "+" };
    let mut said = match at.lines {
        0 if at.complete && reader.running.is_none() => "empty".to_owned(),
        0 => "nothing yet".to_owned(),
        lines => {
            let (first, last, lines) = (human_count(at.first), human_count(at.last), human_count(lines));
            format!("{first}-{last} of {lines}{more}")
        }
    };
    if wide && at.lines > 0 && at.complete {
        said.push_str(&format!("   {} %", at.percent));
    }
    if reader.is_following() {
        said.push_str("   following");
    } else if reader.running.is_some() {
        said.push_str("   running");
    }
    said
}

/// Where the text is kept: in full where there is room for it, else its
/// beginning and its end, in one row.
fn path_rows(reader: &Reader, area: Rect) -> Vec<Row> {
    let Some(path) = &reader.path else { return Vec::new() };
    let room = usize::from(area.width.saturating_sub(2));
    let path = Clean::line(path);
    let rows = wrap(&[Span::new(path.clone(), theme::QUIET)], room, 0);
    if rows.len() == 1 || (rows.len() == 2 && area.height >= HIGH) {
        return rows;
    }
    vec![words::row(&truncate_middle(&path, room), theme::QUIET)]
}

/// What is asked, said or going on; else the keys.
fn last_row(reader: &mut Reader, state: &State, canvas: &mut Canvas<'_>, foot: Rect) {
    let area = right_of(foot, 1);
    let room = usize::from(area.width);
    if let Some(question) = &mut reader.question {
        return ask(question, state, canvas, area);
    }
    if let Some((typed, percent)) = reader.searching() {
        let text = format!("searching \"{typed}\": {percent} %   Esc stops");
        return canvas.text(area, &text, theme::LIVE);
    }
    if let Some(count) = reader.count() {
        return canvas.text(area, &format!(":{count}   G goes to that line"), Style::PLAIN);
    }
    let marked = reader.marked().filter(|_| state.flash.is_none());
    if let Some(rows) = marked {
        let mut said = vec![format!("{} marked", words::count(rows, "line")), "v ends".to_owned()];
        said.extend(shown(&[Act::Save, Act::Copy]));
        return canvas.text(area, &fitting(said, room), Style::PLAIN);
    }
    canvas.text_or_flash(area, &fitting(key_words(reader), room), state);
}

/// The keys, the most important first and help last.
fn key_words(reader: &Reader) -> Vec<String> {
    let mut words = shown(&[Act::Close, Act::SearchDown, Act::PageDown, Act::PageUp]);
    if reader.kind == Kind::Rules {
        words.insert(1, "Delete ends all rules".to_owned());
    }
    if reader.kind == Kind::Environment {
        words.insert(1, "Enter shows the values".to_owned());
    }
    if reader.running.is_some() && !reader.is_following() {
        words.insert(1, shown(&[Act::Follow]).join(""));
    }
    words.extend(shown(&[Act::Mark, Act::Copy, Act::Save, Act::Wrap, Act::Help]));
    words
}

fn shown(acts: &[Act]) -> Vec<String> {
    keys::short(Place::Reader, acts).into_iter().map(|(key, word)| format!("{key} {word}")).collect()
}

/// A question with the field for its answer, and the cursor in it.
fn ask(question: &mut Question, state: &State, canvas: &mut Canvas<'_>, area: Rect) {
    let (label, field) = match question {
        Question::Search(crate::text::Side::First, field) => ("/".to_owned(), field),
        Question::Search(crate::text::Side::Last, field) => ("?".to_owned(), field),
        Question::Save(field) => ("Save to: ".to_owned(), field),
        Question::Overwrite(path) => {
            let sentence = sentences::overwrite(&state.fixed.words.place(&path.to_string_lossy()));
            canvas.text(area, &sentence, theme::WARNING);
            canvas.cursor(area.x, area.y);
            return;
        }
    };
    let begin = cells(width(&label));
    canvas.text(area, &label, theme::HEADING);
    let (x, y) = canvas.field(field, right_of(area, begin));
    canvas.cursor(x, y);
}
