//! The dialog that asks which model answers.

use super::canvas::{Canvas, cells, right_of, row_of, split_bottom, split_top};
use crate::text::{Clean, Row, Span, Style, wrap};
use crate::tui::composer::Composer;
use crate::tui::setup::{Choice, ModelSetup, Pick, Step};
use crate::tui::state::State;
use crate::tui::update::Painted;
use crate::tui::{sentences, theme, words};
use ratatui::layout::Rect;

/// Rows of a field at most.
const FIELD: u16 = 3;

pub(super) fn draw(setup: &mut ModelSetup, state: &State, canvas: &mut Canvas<'_>) -> Painted {
    let inner = canvas.boxed(canvas.area(), "Which model answers?");
    let room = usize::from(inner.width);
    let (inner, foot) = split_bottom(inner, 1);
    canvas.text_or_flash(foot, keys_of(&setup.step), state);
    let mut said = introduction(setup, state, room);
    if let Some(trouble) = &setup.trouble {
        said.push(Row::default());
        said.extend(wrap(&[Span::new(Clean::line(trouble), theme::WARNING)], room, 0));
    }
    said.push(Row::default());
    // What is asked stays in sight on the smallest screen.
    let most = usize::from(inner.height.saturating_sub(4));
    let skipped = said.len().saturating_sub(most);
    let (top, rest) = split_top(inner, cells(said.len() - skipped));
    canvas.rows(top, &said[skipped..]);
    match &mut setup.step {
        Step::Offers { marked } => {
            let mut rows: Vec<String> = setup.offers.iter().enumerate().map(numbered).collect();
            if setup.looking {
                rows.push("   looking for servers on this machine".to_owned());
            }
            list(&rows, *marked, canvas, rest);
        }
        Step::Address { field } => draw_field("base URL", field, canvas, rest),
        Step::Key { field, .. } => draw_field("key", field, canvas, rest),
        Step::Testing { .. } => canvas.cursor(rest.x, rest.y),
        Step::Model { pick, .. } => draw_pick(pick, canvas, rest),
    }
    Painted::default()
}

fn numbered((index, offer): (usize, &crate::agent::first::Offer)) -> String {
    format!("{}  {}", index + 1, offer.label())
}

fn keys_of(step: &Step) -> &'static str {
    match step {
        Step::Offers { .. } => "Enter go on   Up Down choose   Esc close",
        Step::Address { .. } | Step::Key { .. } => "Enter go on   Esc back",
        Step::Testing { .. } => "Esc back",
        Step::Model { .. } => "Enter take it   Up Down choose   Esc back",
    }
}

fn introduction(setup: &ModelSetup, state: &State, room: usize) -> Vec<Row> {
    let text = match &setup.step {
        Step::Offers { .. } if setup.first => {
            "No model is named yet. Candor can begin with one of these; /model changes it later.".to_owned()
        }
        Step::Offers { .. } => "A model of one of these can answer.".to_owned(),
        Step::Address { .. } => "The address of a server that speaks the Responses protocol, such as \
            http://127.0.0.1:8080/v1."
            .to_owned(),
        Step::Key { model, .. } => {
            let usual = &model.api_key_env;
            format!("{} Empty: {usual}. Server: {}", sentences::KEY_PLACE, model.base_url)
        }
        Step::Testing { base_url: Some(base_url) } => format!("Asking {base_url} what it offers."),
        Step::Testing { base_url: None } => "Asking the server what it offers.".to_owned(),
        Step::Model { model, pick } => {
            let offered = match pick.offered() {
                0 => "It tells no names: type the model's".to_owned(),
                count => format!("It offers {}: choose one, or type", words::count(count, "model")),
            };
            let now = match model.name.as_str() {
                "" => String::new(),
                name => format!(" Now {name} answers."),
            };
            let begun = state.conversation.session.as_ref().is_some_and(|session| session.next_seq() > 0);
            let means = if begun { format!(" {}", sentences::ANOTHER_MODEL) } else { String::new() };
            format!("{}. {offered}.{now}{means}", model.base_url)
        }
    };
    wrap(&[Span::plain(Clean::line(&text))], room, 0)
}

/// Rows with one marked, as many as fit around it.
fn list(rows: &[String], marked: usize, canvas: &mut Canvas<'_>, area: Rect) {
    let height = usize::from(area.height);
    let first = marked.saturating_sub(height.saturating_sub(1)).min(rows.len().saturating_sub(height));
    for (y, (index, text)) in (area.y..area.bottom()).zip(rows.iter().enumerate().skip(first)) {
        let chosen = index == marked;
        let mark = if chosen { ">" } else { " " };
        let style = if chosen { theme::CHOSEN } else { Style::PLAIN };
        canvas.text(row_of(area, y), &format!("{mark} {text}"), style);
        if chosen {
            canvas.cursor(area.x, y);
        }
    }
}

/// A field after its name, with the cursor in it; gives what is below.
fn field(name: &str, field: &mut Composer, canvas: &mut Canvas<'_>, area: Rect) -> Rect {
    let before = cells(name.len()) + 2;
    let room = usize::from(area.width.saturating_sub(before + 1));
    let height = cells(field.height(room)).clamp(1, FIELD);
    let (place, below) = split_top(area, height);
    canvas.text(place, &format!("{name}>"), theme::QUIET);
    let (x, y) = canvas.field(field, right_of(place, before));
    canvas.cursor(x, y);
    below
}

fn draw_field(name: &str, composer: &mut Composer, canvas: &mut Canvas<'_>, area: Rect) {
    field(name, composer, canvas, area);
}

fn draw_pick(pick: &mut Pick, canvas: &mut Canvas<'_>, area: Rect) {
    let text = |choice: &Choice| match choice {
        Choice::Name(name) => name.clone(),
        Choice::Typed(name) => format!("{name} (as typed)"),
        Choice::OtherServer => "(another server)".to_owned(),
    };
    let rows: Vec<String> = pick.rows().iter().map(text).collect();
    let (typed, below) = split_top(area, FIELD.min(cells(pick.field.height(usize::from(area.width)))));
    list(&rows, pick.marked, canvas, below);
    field("name", &mut pick.field, canvas, typed);
}
