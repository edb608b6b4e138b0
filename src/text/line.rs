//! One line of text from outside, read as a terminal would.

use super::canvas::Canvas;
use super::clean::Clean;
use super::glyphs::tidy;
use super::scan::{Scanner, Step};
use super::sgr;
use super::style::{Span, Style};
use super::width::width;

/// Where terminals have their tab stops.
pub(super) const TERMINAL_TABS: usize = 8;

/// What a line inherits from the one before it, or a piece of a line from the
/// piece before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct LineStart {
    pub(super) scanner: Scanner,
    pub(super) pen: Style,
}

/// The line's text, without styles, added to `out`.
pub(super) fn clean_line(line: &str, tabs: usize, out: &mut String) {
    let line = without_line_end(line);
    if is_calm(line) {
        write_with_tabs(line, tabs, out);
        return;
    }
    let mut shown = String::new();
    for span in play(line, tabs, &mut LineStart::default()).spans() {
        shown.push_str(&span.text);
    }
    // Runs that controls kept apart now touch.
    tidy(&shown, out);
}

/// The line's text with the styles that SGR sequences set. `start` becomes what
/// the next piece of the line begins with.
pub(super) fn styled_line(line: &str, start: &mut LineStart) -> Vec<Span> {
    let line = without_line_end(line);
    if start.scanner.is_text() && is_calm(line) {
        let mut text = String::new();
        write_with_tabs(line, TERMINAL_TABS, &mut text);
        return if text.is_empty() { Vec::new() } else { vec![Span::new(Clean::tidied(text), start.pen)] };
    }
    play(line, TERMINAL_TABS, start).spans()
}

fn without_line_end(line: &str) -> &str {
    line.strip_suffix('\n').unwrap_or(line).trim_end_matches('\r')
}

/// Whether nothing in it moves the cursor but tabs.
fn is_calm(line: &str) -> bool {
    line.bytes().all(|b| matches!(b, b'\t' | b' '..=b'~' | 0x80..)) && !line.contains(is_c1)
}

fn is_c1(c: char) -> bool {
    matches!(c, '\u{80}'..='\u{9f}')
}

fn write_with_tabs(line: &str, tabs: usize, out: &mut String) {
    let Some((mut part, mut rest)) = line.split_once('\t') else { return tidy(line, out) };
    let mut column = 0;
    loop {
        let begin = out.len();
        tidy(part, out);
        column += width(&out[begin..]);
        let stop = (column / tabs + 1) * tabs;
        out.extend(std::iter::repeat_n(' ', stop - column));
        column = stop;
        match rest.split_once('\t') {
            Some(next) => (part, rest) = next,
            None => return tidy(rest, out),
        }
    }
}

fn play(line: &str, tabs: usize, start: &mut LineStart) -> Canvas {
    let mut canvas = Canvas::default();
    let mut run = String::new();
    for c in line.chars() {
        match start.scanner.step(c) {
            Step::Text => run.push(c),
            Step::Nothing => {}
            Step::Move(motion) => {
                write_run(&mut run, start.pen, &mut canvas);
                canvas.perform(motion, tabs);
            }
            Step::Sgr => {
                write_run(&mut run, start.pen, &mut canvas);
                start.pen = sgr::apply(start.pen, start.scanner.params());
            }
        }
    }
    write_run(&mut run, start.pen, &mut canvas);
    canvas
}

fn write_run(run: &mut String, pen: Style, canvas: &mut Canvas) {
    let mut tidied = String::with_capacity(run.len());
    tidy(run, &mut tidied);
    canvas.write(&tidied, pen);
    run.clear();
}
