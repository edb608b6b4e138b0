//! The small dialogs.

use super::base;
use super::canvas::{Canvas, cells, split_bottom, split_top};
use crate::text::{Clean, OutputTail, Row, Span, Style, human_duration, wrap};
use crate::tui::dialog::{Extension, Leave, Menu};
use crate::tui::running::StillRunning;
use crate::tui::state::State;
use crate::tui::transcript::last_rows;
use crate::tui::update::Painted;
use crate::tui::{sentences, theme, words};

/// Rows of a running command's output in its form.
const OUTPUT_ROWS: usize = 8;

/// What becomes of a running command.
pub(super) fn leave(leave: &Leave, state: &mut State, canvas: &mut Canvas<'_>) -> Painted {
    let (title, text) = match (&leave.command, &leave.message) {
        (Some(command), _) => ("A command is running", format!("{} runs on.", words::summary(command))),
        (None, Some(message)) => ("Leave Candor?", format!("You wrote \"{}\".", message.trim())),
        (None, None) => ("Leave Candor?", String::new()),
    };
    question(Question { title, text: &text, output: Vec::new() }, &leave.menu, state, canvas)
}

/// Past the limit?
pub(super) fn extension(extension: &Extension, state: &mut State, canvas: &mut Canvas<'_>) -> Painted {
    let text = sentences::limit(extension.requests, extension.calls);
    question(Question { title: "A limit", text: &text, output: Vec::new() }, &extension.menu, state, canvas)
}

/// A command was found running.
pub(super) fn still_running(form: &StillRunning, state: &mut State, canvas: &mut Canvas<'_>) -> Painted {
    let command = &form.command;
    let since = human_duration(words::between(command.started_at, state.now.wall));
    let mut text = format!("{} has been running for {since}.", words::summary(&command.summary));
    if !command.supervised {
        text = format!("{text} {}", sentences::NO_SUPERVISOR);
    }
    let room = usize::from(canvas.area().width.saturating_sub(8));
    let tail = state.conversation.outputs.get(&command.dispatch);
    let lines = tail.map(OutputTail::rows).unwrap_or_default();
    let output = last_rows(&lines, room, OUTPUT_ROWS).0;
    question(Question { title: "A command is still running", text: &text, output }, &form.menu, state, canvas)
}

struct Question<'a> {
    title: &'a str,
    text: &'a str,
    output: Vec<Row>,
}

/// A box above the composer: a question, perhaps an output, the answers.
fn question<T: Copy>(
    asked: Question<'_>,
    menu: &Menu<T>,
    state: &mut State,
    canvas: &mut Canvas<'_>,
) -> Painted {
    let area = canvas.area();
    let room = usize::from(area.width.saturating_sub(4));
    let mut rows = wrap(&[Span::plain(Clean::line(asked.text))], room, 0);
    rows.extend(asked.output.into_iter().map(|mut row| {
        row.spans.insert(0, Span::plain(Clean::from_static("  ")));
        row
    }));
    rows.push(Row::default());
    let fixed = menu_rows(menu, room);
    let most = usize::from(area.height.saturating_sub(6)).saturating_sub(fixed.rows.len() + 1);
    rows.truncate(most.max(1));
    let height = cells(rows.len() + fixed.rows.len() + 1) + 2;
    let below = base::composer(state, canvas, area, menu.chosen.is_none(), 2);
    let (above, place) = split_bottom(below, height);
    if above.height > 2 {
        base::upper_part(state, canvas, above, false);
    }
    let inner = canvas.boxed(place, asked.title);
    canvas.rows(inner, &rows);
    let (_, inner) = split_top(inner, cells(rows.len()));
    canvas.rows(inner, &fixed.rows);
    if let Some((row, column)) = fixed.chosen {
        canvas.cursor(inner.x + cells(column), inner.y + cells(row));
    }
    let (_, last) = split_top(inner, cells(fixed.rows.len()));
    canvas.text(last, "Tab chooses, Enter does it, Esc goes back.", theme::QUIET);
    Painted::default()
}

struct MenuRows {
    rows: Vec<Row>,
    chosen: Option<(usize, usize)>,
}

fn menu_rows<T>(menu: &Menu<T>, room: usize) -> MenuRows {
    let mut drawn = MenuRows { rows: vec![Row::default()], chosen: None };
    let mut used = 0;
    for (index, (_, name)) in menu.items.iter().enumerate() {
        let text = format!("[ {name} ]");
        if used > 0 && used + 2 + text.len() > room {
            drawn.rows.push(Row::default());
            used = 0;
        }
        let row = drawn.rows.len() - 1;
        let chosen = menu.chosen == Some(index);
        if chosen {
            drawn.chosen = Some((row, used));
        }
        let style = if chosen { theme::CHOSEN } else { Style::PLAIN };
        drawn.rows[row].spans.push(Span::new(Clean::line(&text), style));
        drawn.rows[row].spans.push(Span::plain(Clean::from_static("  ")));
        used += text.len() + 2;
    }
    drawn
}
