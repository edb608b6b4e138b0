//! The recovery dialog: everything that is known, and four answers.

use super::base::fitting_rows;
use super::canvas::{Canvas, cells, row_of, split_bottom};
use crate::agent::UnknownReport;
use crate::record::StatementKind;
use crate::text::{Clean, Row, Span, Style, fold, human_bytes, output_rows, wrap};
use crate::tui::recovery::{Page, Recovery};
use crate::tui::seen::Shown;
use crate::tui::state::State;
use crate::tui::transcript::last_rows;
use crate::tui::update::Painted;
use crate::tui::{sentences, theme, words};
use ratatui::layout::Rect;
use std::ops::Range;

/// Lines of the last output that are shown.
const OUTPUT_LINES: usize = 6;
/// Rows from which on the keys and the note may take several of them.
const ROOMY: u16 = 14;
/// Rows of the keys at most.
const KEY_ROWS: usize = 3;
/// Rows that say what is missing, at most: some evidence is always in sight.
const MISSING_ROWS: usize = 3;

pub(super) fn draw(recovery: &mut Recovery, state: &State, canvas: &mut Canvas<'_>) -> Painted {
    let area = canvas.area();
    let inner = canvas.boxed(area, &title(recovery));
    let room = usize::from(inner.width);
    let at = recovery.at;
    let keys = key_rows(recovery, room, inner.height < ROOMY);
    let (rest, foot) = split_bottom(inner, cells(keys.len()));
    let Some(page) = recovery.pages.get_mut(at) else { return Painted::default() };
    let evidence = evidence(page, state, room);
    let most = if inner.height < ROOMY { 1 } else { 3 };
    let note_rows = cells(page.note.height(room.saturating_sub(16))).clamp(1, most);
    let (rest, note) = split_bottom(rest, note_rows);
    let (rest, answers) = split_bottom(rest, 4);
    let visible = draw_evidence(&evidence, recovery.top, canvas, rest);
    canvas.rows(foot, &keys);
    draw_note(page, recovery.in_note, canvas, note);
    draw_answers(page, recovery.in_note, canvas, answers);
    let shown = Shown { width: room, visible, wanted: 0..evidence.len() };
    Painted { recovery: Some(shown), ..Painted::default() }
}

/// Draws as much of the evidence as fits, and on the border how much does not;
/// gives the rows that do.
fn draw_evidence(evidence: &[Row], top: usize, canvas: &mut Canvas<'_>, area: Rect) -> Range<usize> {
    let furthest = evidence.len().saturating_sub(usize::from(area.height));
    let first = top.min(furthest);
    canvas.rows(area, &evidence[first..]);
    if furthest > 0 {
        let border = Rect { y: area.y.saturating_sub(1), height: 1, ..area };
        let hint = match (first, furthest - first) {
            (0, below) => format!(" {below} more: PageDown "),
            (above, 0) => format!(" {above} above: PageUp "),
            (above, below) => format!(" {above} above, {below} more "),
        };
        canvas.text_right(border, &hint, theme::QUIET);
    }
    first..evidence.len().min(first + usize::from(area.height))
}

fn title(recovery: &Recovery) -> String {
    match recovery.pages.iter().map(|page| page.reports.len()).sum::<usize>() {
        1 => "One command may have run".to_owned(),
        count => format!("{count} commands may have run"),
    }
}

/// What is missing and what the keys do: Ctrl+X shows what was not seen before
/// it saves. Where there is little room they have one row, for the evidence's sake.
fn key_rows(recovery: &Recovery, room: usize, little: bool) -> Vec<Row> {
    let pages = recovery.pages.len();
    let page = format!("< > command {} of {pages}", recovery.at + 1);
    let save = if recovery.is_seen() { "Ctrl+X saves" } else { "Ctrl+X see more" };
    let keys = match recovery.in_note {
        // Letters are text there.
        true => vec![save, "Tab back to the answers"],
        false => {
            let mut keys = vec![save, "s shell", "o output", "t transcript", "r ask again"];
            keys.extend((pages > 1).then_some(page.as_str()));
            keys.push("q leave");
            keys
        }
    };
    let mut rows = Vec::new();
    if let Some(missing) = &recovery.missing {
        rows.extend(wrap(&[Span::new(Clean::line(missing), theme::WARNING)], room, 0));
        rows.truncate(if little { 2 } else { MISSING_ROWS });
    }
    let keys: Vec<String> = keys.into_iter().map(str::to_owned).collect();
    let most = if little { 1 } else { KEY_ROWS };
    rows.extend(fitting_rows(keys, room, most).iter().map(|row| words::row(row, theme::QUIET)));
    rows
}

fn draw_answers(page: &Page, in_note: bool, canvas: &mut Canvas<'_>, area: Rect) {
    for (y, (index, kind)) in (area.y..area.bottom()).zip(StatementKind::ALL.iter().enumerate()) {
        let chosen = page.statement == Some(*kind);
        let mark = if chosen { "(x)" } else { "( )" };
        let text = format!("{} {mark} {}", index + 1, answer(*kind));
        canvas.text(row_of(area, y), &text, if chosen { theme::CHOSEN } else { Style::PLAIN });
        let focus = if page.statement.is_none() { index == 0 } else { chosen };
        if focus && !in_note {
            canvas.cursor(area.x + 3, y);
        }
    }
}

/// The words beside an answer's number.
fn answer(kind: StatementKind) -> &'static str {
    match kind {
        StatementKind::MayHaveRun => "I understand that it may have run",
        StatementKind::Happened => "I checked: it happened",
        StatementKind::DidNotHappen => "I checked: it did not happen",
        StatementKind::Partly => "I checked: part of it happened",
    }
}

fn draw_note(page: &mut Page, in_note: bool, canvas: &mut Canvas<'_>, area: Rect) {
    let style = if in_note { theme::HEADING } else { theme::QUIET };
    canvas.text(area, "note (Tab)", style);
    let place = Rect { x: area.x + 12, width: area.width.saturating_sub(12), ..area };
    let (x, y) = canvas.field(&mut page.note, place);
    if in_note {
        canvas.cursor(x, y);
    }
}

fn evidence(page: &Page, state: &State, room: usize) -> Vec<Row> {
    let together = page.reports.len() > 1;
    let opening = match (page.reports.first(), together) {
        (Some(report), false) if report.imported => sentences::IMPORTED_UNKNOWN,
        (_, true) => sentences::IMPORTED_TOGETHER,
        _ => sentences::MAY_HAVE_RUN,
    };
    let mut rows = wrap(&[Span::plain(Clean::line(opening))], room, 0);
    for report in &page.reports {
        rows.push(Row::default());
        rows.extend(of_report(report, state, room));
    }
    rows
}

fn of_report(report: &UnknownReport, state: &State, room: usize) -> Vec<Row> {
    let mut rows = Vec::new();
    let tool = report.operation.as_ref().map_or("a tool", |operation| operation.tool());
    let command = report.operation.as_ref().map_or("(what it was is not known)", |known| known.summary());
    let body = room.saturating_sub(9).max(1);
    let mut label = format!("  {tool:<6} ");
    for line in words::command_spans(command).iter().flat_map(|line| fold(&line.spans, body)) {
        let mut spans = vec![Span::new(Clean::line(&label), theme::HEADING)];
        spans.extend(line.spans);
        rows.push(Row { spans });
        label = " ".repeat(9);
    }
    for (name, text) in facts(report, state) {
        let spans =
            [Span::new(Clean::line(&format!("  {name:<6} ")), theme::QUIET), Span::plain(Clean::line(&text))];
        rows.extend(wrap(&spans, room, 9));
    }
    rows.extend(output(report, room));
    rows
}

fn facts(report: &UnknownReport, state: &State) -> Vec<(&'static str, String)> {
    let words = &state.fixed.words;
    let mut facts = Vec::new();
    let cwd = report.operation.as_ref().and_then(|operation| operation.cwd());
    if let Some(cwd) = cwd {
        facts.push(("in", words.place(cwd)));
    }
    let mut times = Vec::new();
    if let Some((at, by)) = report.approved {
        times.push(format!("approved {} {by}", words.clock(at)));
    }
    times.extend(report.started_at.map(|at| format!("started {}", words.clock(at))));
    // An empty file has a time too, which is none of an output.
    let output_at = report.last_output_at.filter(|_| !report.output.is_empty());
    times.extend(output_at.map(|at| format!("last output {}", words.clock(at))));
    if !times.is_empty() {
        facts.push(("when", times.join("   ")));
    }
    facts.push(("alive", alive(report)));
    let (files, at_least) = &report.changed;
    if !files.is_empty() {
        let place = cwd.map_or_else(|| "its directory".to_owned(), |cwd| words.place(cwd));
        let bound = if *at_least { "at least: " } else { "" };
        facts.push(("files", format!("changed in {place} since, by anything: {bound}{}", files.join(", "))));
    }
    facts.extend(report.decision.as_ref().map(|decision| ("said", decision.clone())));
    facts
}

fn alive(report: &UnknownReport) -> String {
    let named = |process: &crate::agent::AliveProcess| format!("{} {}", process.pid, process.command);
    match (report.alive.as_slice(), report.pid) {
        ([], Some(pid)) => format!("process {pid}: gone"),
        ([], None) => "no process of it is known".to_owned(),
        ([one], _) => format!("1 process it started is alive: {}", named(one)),
        (many, _) => {
            let names: Vec<String> = many.iter().map(named).collect();
            format!("{} processes it started are alive: {}", many.len(), names.join(", "))
        }
    }
}

fn output(report: &UnknownReport, room: usize) -> Vec<Row> {
    if report.output.is_empty() {
        return vec![words::row("  output so far: none", theme::QUIET)];
    }
    let lines = output_rows(report.output.trim_end_matches('\n').as_bytes());
    let (count, bytes) = (words::count(lines.len(), "line"), human_bytes(report.output_bytes));
    let mut rows = vec![words::row(&format!("  output so far, {count}, {bytes}:"), theme::QUIET)];
    for line in last_rows(&lines, room.saturating_sub(4).max(1), OUTPUT_LINES).0 {
        let mut spans = vec![Span::plain(Clean::from_static("    "))];
        spans.extend(line.spans);
        rows.push(Row { spans });
    }
    rows
}
