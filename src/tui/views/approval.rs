//! The approval as a box above the composer.

use super::base;
use super::canvas::{Canvas, cells, right_of, row_of, split_bottom, split_top};
use crate::record::Operation;
use crate::text::{Clean, Row, Span, Style, fold, human_bytes, human_duration, warnings, width, wrap};
use crate::tui::approval::{self, Approval, Choice, Mode, Spot};
use crate::tui::seen::Shown;
use crate::tui::state::State;
use crate::tui::update::Painted;
use crate::tui::{sentences, theme, words};
use ratatui::layout::Rect;
use std::ops::Range;

/// Rows of the screen that the dialog leaves free.
const LEFT_FREE: u16 = 4;
/// Rows of the command that stay above the words of a denial.
const KEPT: usize = 3;
/// Other calls of the response that are named.
const OTHERS: usize = 5;
/// Rows of the upper part that are worth keeping the lower part fixed for.
const ENOUGH: usize = 3;

/// What the dialog says, in rows of its width.
struct Content {
    /// Scrolls: warnings and the command.
    upper: Vec<Row>,
    /// How many of its rows stand above a field that took its place.
    kept: usize,
    /// Which of its rows are the command.
    command: Range<usize>,
    /// Where it runs, its limits, what comes after it.
    facts: Vec<Row>,
    /// The answers, with their places in these rows.
    choices: Choices,
    /// The last line.
    line: Row,
}

struct Choices {
    rows: Vec<Row>,
    /// Row, column and width of each.
    places: Vec<(Choice, usize, usize, usize)>,
}

pub(super) fn draw(approval: &mut Approval, state: &mut State, canvas: &mut Canvas<'_>) -> Painted {
    let area = canvas.area();
    let inner_width = usize::from(area.width.saturating_sub(4));
    let mut content = content(approval, state, inner_width);
    match &approval.mode {
        Mode::Edit(field) => content.becomes_field(0, field.height(inner_width.saturating_sub(3))),
        // What is denied stays in sight.
        Mode::Words(field) => {
            content
                .becomes_field(KEPT.min(content.command.len()), field.height(inner_width.saturating_sub(3)));
        }
        Mode::Ask | Mode::Environment => {}
    }
    let most_rows = area.height.saturating_sub(LEFT_FREE + 2);
    let height = layout_height(&content).min(usize::from(most_rows)).max(4);
    let asks = matches!(approval.mode, Mode::Ask | Mode::Environment);
    let most_draft = (area.height.saturating_sub(cells(height) + 2 + 2)).clamp(1, area.height / 3);
    let rest = base::composer(state, canvas, area, asks && !on_choice(approval), most_draft);
    let (above, place) = split_bottom(rest, cells(height) + 2);
    if above.height > 0 {
        base::upper_part(state, canvas, above, false);
    }
    let (position, count) = approval.request.position;
    let number = if count > 1 { format!("  {position} of {count}") } else { String::new() };
    let inner = canvas.boxed(place, &format!("Run this command?{number}"));
    parts(approval, content, inner, canvas)
}

impl Content {
    /// A field takes the place of the answers, and of the command but for its
    /// first rows.
    fn becomes_field(&mut self, kept: usize, rows: usize) {
        let begin = self.command.start;
        self.upper = self.upper[begin..begin + kept].to_vec();
        self.upper.resize(kept + rows + 1, Row::default());
        self.kept = kept;
        self.command = 0..0;
        self.choices = Choices { rows: Vec::new(), places: Vec::new() };
        self.line = words::row("Esc goes back.", theme::QUIET);
    }
}

fn on_choice(approval: &Approval) -> bool {
    approval.chosen().is_some()
}

fn layout_height(content: &Content) -> usize {
    content.upper.len() + content.facts.len() + content.choices.rows.len() + 2
}

/// Draws the parts from below: the line, the answers, the facts if there is
/// room, and as much as fits of the rest.
fn parts(approval: &mut Approval, mut content: Content, inner: Rect, canvas: &mut Canvas<'_>) -> Painted {
    let (rest, line) = split_bottom(inner, 1);
    let choice_rows = cells(content.choices.rows.len());
    let (rest, choices) = split_bottom(rest, choice_rows);
    let spare = usize::from(rest.height);
    let keeps_facts = spare > content.facts.len() + ENOUGH.min(content.upper.len());
    if !keeps_facts {
        content.upper.append(&mut content.facts);
    }
    let (rest, facts) = split_bottom(rest, cells(content.facts.len() + usize::from(keeps_facts)));
    let border = Rect { y: inner.bottom(), height: 1, ..inner };
    let visible = scrolled(approval, (&content.upper, content.kept), (rest, border), canvas);
    canvas.rows(facts, &content.facts);
    canvas.rows(choices, &content.choices.rows);
    canvas.rows(line, std::slice::from_ref(&content.line));
    let places = content.choices.places.iter().map(|(choice, row, column, wide)| {
        let area = Rect::new(choices.x + cells(*column), choices.y + cells(*row), cells(*wide), 1);
        (*choice, area.intersection(choices))
    });
    let places: Vec<_> = places.collect();
    let asks = matches!(approval.mode, Mode::Ask);
    if let Some(Spot::Choice(chosen)) = approval.chosen().filter(|_| asks)
        && let Some((_, area)) = places.iter().find(|(choice, _)| *choice == chosen)
    {
        canvas.cursor(area.x, area.y);
    } else if asks && approval.chosen().is_some() {
        canvas.cursor(facts.x, facts.y);
    }
    let painted = approval::Painted {
        shown: Shown { width: usize::from(inner.width), visible, wanted: content.command },
        total: content.upper.len(),
    };
    Painted { approval: Some(painted), choices: places, ..Painted::default() }
}

/// The part that scrolls, with a line that says how much is out of sight.
/// Fields of the dialog are drawn in its place.
fn scrolled(
    approval: &mut Approval,
    (upper, kept): (&[Row], usize),
    (area, border): (Rect, Rect),
    canvas: &mut Canvas<'_>,
) -> Range<usize> {
    let field = match &mut approval.mode {
        Mode::Edit(field) => Some(("The command. Enter accepts it, Ctrl+J begins a line.", field)),
        Mode::Words(field) => Some(("Why not? Enter denies with these words.", field)),
        Mode::Ask | Mode::Environment => None,
    };
    let rows = usize::from(area.height);
    if let Some((label, field)) = field {
        // The label and a row of the field are needed more.
        let kept = kept.min(rows.saturating_sub(2));
        canvas.rows(area, &upper[..kept]);
        let (_, area) = split_top(area, cells(kept));
        canvas.text(area, label, theme::HEADING);
        let (_, place) = split_top(area, 1);
        canvas.text(place, ">", theme::YOU);
        let (x, y) = canvas.field(field, right_of(place, 2));
        canvas.cursor(x, y);
        return approval.top..approval.top;
    }
    if upper.len() <= rows {
        canvas.rows(area, upper);
        return 0..upper.len();
    }
    // Where there is little room, the lower border takes what is to be said about it.
    let on_border = rows <= ENOUGH;
    let shown = if on_border { rows.max(1) } else { rows - 1 };
    let top = approval.top.min(upper.len() - shown);
    canvas.rows(Rect { height: cells(shown), ..area }, &upper[top..top + shown]);
    let (above, below) = (top, upper.len() - top - shown);
    let mut hints = Vec::new();
    if below > 0 {
        hints.push(format!("{}: Down", words::count(below, "more line")));
    }
    if above > 0 {
        hints.push(format!("{above} above: Up"));
    }
    let hint = format!("({})", hints.join(", "));
    if on_border {
        canvas.text_right(border, &format!(" {hint} "), theme::QUIET);
    } else {
        canvas.text(right_of(row_of(area, area.bottom() - 1), 2), &hint, theme::QUIET);
    }
    top..top + shown
}

fn content(approval: &Approval, state: &State, room: usize) -> Content {
    let request = &approval.request;
    let mut upper = Vec::new();
    let mut warn = |text: &str| upper.extend(wrap(&[Span::new(Clean::line(text), theme::WARNING)], room, 0));
    if let Some(at) = request.repeats {
        let clock = state.fixed.words.clock(at);
        warn(&sentences::repeats(clock.get(..5).unwrap_or(&clock)));
    }
    let shown = request.operation.command().unwrap_or_else(|| request.operation.summary());
    for warning in warnings(shown) {
        warn(&warning.to_string());
    }
    let edited = if request.edited { "  (not as the model asked: edited, or its limit lowered)" } else { "" };
    upper.push(Row {
        spans: vec![
            Span::new(Clean::line(request.operation.tool()), theme::HEADING),
            Span::new(Clean::line(edited), theme::QUIET),
        ],
    });
    let start = upper.len();
    upper.extend(command_rows(shown, room));
    let command = start..upper.len();
    let facts = facts(approval, state, room);
    let (choices, line) = (choices(approval, room), line(approval, state, room));
    Content { upper, kept: 0, command, facts, choices, line }
}

/// The command as the bytes that will run, broken only where a row is full.
fn command_rows(command: &str, room: usize) -> Vec<Row> {
    let indented = |mut row: Row| {
        row.spans.insert(0, Span::plain(Clean::from_static("  ")));
        row
    };
    let lines = words::command_spans(command);
    lines.iter().flat_map(|line| fold(&line.spans, room.saturating_sub(2).max(1))).map(indented).collect()
}

fn facts(approval: &Approval, state: &State, room: usize) -> Vec<Row> {
    let request = &approval.request;
    let operation = &request.operation;
    let mut rows = Vec::new();
    if let Some(cwd) = operation.cwd() {
        let short = state.fixed.words.place(cwd);
        let text = if short == cwd { cwd.to_owned() } else { format!("{short}  ({cwd})") };
        rows.extend(fact("in", &text, false, room));
    }
    if let Some(limit) = limit_words(operation) {
        let chosen = approval.chosen() == Some(Spot::Limit);
        let text = if chosen { format!("{limit}   Up longer, Down shorter") } else { limit };
        rows.extend(fact("limit", &text, chosen, room));
    }
    if !request.environment.is_empty() {
        let chosen = approval.chosen() == Some(Spot::Environment);
        let values = matches!(approval.mode, Mode::Environment);
        let entries = request
            .environment
            .iter()
            .map(|(name, value)| if values { format!("{name}={value}") } else { name.clone() });
        rows.extend(fact("env", &entries.collect::<Vec<_>>().join("  "), chosen, room));
    }
    if request.first {
        rows.extend(wrap(&[Span::plain(Clean::from_static(sentences::NO_SANDBOX))], room, 0));
    }
    let others = &request.others;
    for (index, other) in others.iter().take(OTHERS).enumerate() {
        let text = Clean::line(other).shortened(room.saturating_sub(8)).to_string();
        rows.extend(fact(if index == 0 { "then" } else { "" }, &text, false, room));
    }
    if others.len() > OTHERS {
        let more = words::count(others.len() - OTHERS, "more call");
        rows.extend(fact("", &more, false, room));
    }
    rows
}

fn limit_words(operation: &Operation) -> Option<String> {
    let time = operation.timeout_ms().map(human_duration)?;
    let output = operation.output_limit().map(|limit| format!(", at most {} of output", human_bytes(limit)));
    Some(format!("{time}{}", output.unwrap_or_default()))
}

fn fact(name: &str, text: &str, chosen: bool, room: usize) -> Vec<Row> {
    let style = if chosen { theme::CHOSEN } else { Style::PLAIN };
    let spans =
        [Span::new(Clean::line(&format!("{name:<8}")), theme::QUIET), Span::new(Clean::line(text), style)];
    wrap(&spans, room, 8)
}

/// The answers with their letters, as many in a row as fit.
fn choices(approval: &Approval, room: usize) -> Choices {
    let mut rows = vec![Row::default()];
    let mut places = Vec::new();
    let mut used = 0;
    for choice in approval.choices() {
        let name = name(choice);
        let text = choice.letter().map_or_else(|| name.to_owned(), |letter| format!("{letter} {name}"));
        let wide = width(&text);
        if used > 0 && used + 3 + wide > room {
            rows.push(Row::default());
            used = 0;
        }
        let gap = if used > 0 { 3 } else { 0 };
        let row = rows.len() - 1;
        places.push((choice, row, used + gap, wide));
        let needs_reading = !approval.is_seen() && matches!(choice, Choice::Run | Choice::RunAlways);
        let style = match approval.chosen() == Some(Spot::Choice(choice)) {
            true => theme::CHOSEN,
            false if needs_reading => theme::QUIET,
            false => Style::PLAIN,
        };
        rows[row].spans.push(Span::plain(Clean::line(&" ".repeat(gap))));
        rows[row].spans.push(Span::new(Clean::line(&text).shortened(room), style));
        used += gap + wide;
    }
    Choices { rows, places }
}

fn name(choice: Choice) -> &'static str {
    match choice {
        Choice::Run => "Run once",
        Choice::RunAlways => "Run, don't ask again",
        Choice::Edit => "Edit",
        Choice::Deny => "Deny",
        Choice::DenyWithWords => "Deny, say why",
        Choice::DenyRest => "Deny the rest",
    }
}

/// The last line: whether it can be answered.
fn line(approval: &Approval, state: &State, room: usize) -> Row {
    let draft = state.composer.text();
    if let Some(flash) = &state.flash {
        return Row::from(Span::new(Clean::line(&flash.text).shortened(room), theme::WARNING));
    }
    let (long, short) = match approval.chosen() {
        Some(Spot::Choice(_)) => sentences::CHOSEN,
        Some(Spot::Environment) => sentences::VALUES,
        Some(Spot::Limit) => sentences::LIMIT,
        None if !approval.is_ready(&draft, state.now.moment) => match approval.was_moved() {
            true => sentences::PAUSE_MOVED,
            false => sentences::PAUSE,
        },
        None if draft.ends_with(char::is_whitespace) => sentences::GOES_ON,
        None if !approval.is_seen() => sentences::READY_UNSEEN,
        None => sentences::READY,
    };
    let text = if width(&Clean::from_static(long)) <= room { long } else { short };
    Row::from(Span::new(Clean::from_static(text).shortened(room), theme::QUIET))
}
