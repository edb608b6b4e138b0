//! The pictures in `docs/pictures/`, made from the running program. The test
//! fails if what the program shows is not what is committed there; with
//! `CANDOR_DRAW=1` in the environment it draws them anew.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::disallowed_methods)] // a test may fail, and owns its files

mod support;

use std::fmt::Write as _;
use std::path::PathBuf;
use support::screen::{choose, write};
use support::{Scratch, Terminal};

const CELL: (u16, u16) = (9, 20);

/// The colours of a terminal: its background, its text, dim text, and the six.
struct Palette {
    paper: &'static str,
    ink: &'static str,
    dim: &'static str,
    colors: [&'static str; 6],
}

const DARK: Palette = Palette {
    paper: "#16181d",
    ink: "#d8dbe2",
    dim: "#8b909c",
    colors: ["#e5786d", "#8cc570", "#e3c26f", "#7aa6da", "#b48ead", "#6fc3c3"],
};

const LIGHT: Palette = Palette {
    paper: "#fbfbf8",
    ink: "#26282e",
    dim: "#7d818a",
    colors: ["#b3261e", "#2e7d32", "#8a6100", "#1a5fb4", "#813d9c", "#00767a"],
};

/// A screen as an SVG: text in the terminal's own colours, nothing else.
fn svg(screen: &vt100::Screen, palette: &Palette) -> String {
    let (rows, cols) = screen.size();
    let (width, height) = (cols * CELL.0 + 20, rows * CELL.1 + 20);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\">\n\
         <rect width=\"100%\" height=\"100%\" rx=\"6\" fill=\"{}\"/>\n\
         <g font-family=\"'DejaVu Sans Mono', Menlo, Consolas, monospace\" font-size=\"15\" fill=\"{}\" xml:space=\"preserve\">\n",
        palette.paper, palette.ink
    );
    for row in 0..rows {
        for run in runs(screen, row, cols) {
            draw(&mut svg, row, &run, palette);
        }
    }
    svg.push_str("</g>\n</svg>\n");
    svg
}

/// Cells of one look that follow each other.
struct Run {
    col: u16,
    cells: u16,
    text: String,
    look: Look,
}

#[derive(Clone, Copy, PartialEq, Eq)]
struct Look {
    color: vt100::Color,
    bold: bool,
    dim: bool,
    inverse: bool,
    italic: bool,
}

fn runs(screen: &vt100::Screen, row: u16, cols: u16) -> Vec<Run> {
    let mut runs: Vec<Run> = Vec::new();
    for col in 0..cols {
        let cell = screen.cell(row, col).unwrap();
        if cell.is_wide_continuation() {
            continue;
        }
        let look = Look {
            color: cell.fgcolor(),
            bold: cell.bold(),
            dim: cell.dim(),
            inverse: cell.inverse(),
            italic: cell.italic(),
        };
        let text = if cell.has_contents() { cell.contents() } else { " " };
        let cells = if cell.is_wide() { 2 } else { 1 };
        // Each word stands in its own column, whatever the font's widths are.
        let goes_on =
            |run: &Run| run.look == look && (look.inverse || (text != " ") != run.text.ends_with(' '));
        match runs.last_mut() {
            Some(run) if goes_on(run) => {
                run.text.push_str(text);
                run.cells += cells;
            }
            _ => runs.push(Run { col, cells, text: text.to_owned(), look }),
        }
    }
    runs.retain(|run| run.look.inverse || !run.text.trim().is_empty());
    runs
}

fn draw(svg: &mut String, row: u16, run: &Run, palette: &Palette) {
    let (x, y) = (10 + run.col * CELL.0, 10 + row * CELL.1);
    let color = match run.look.color {
        vt100::Color::Idx(color @ (1..=6 | 9..=14)) => palette.colors[usize::from((color - 1) % 8)],
        _ if run.look.dim => palette.dim,
        _ => palette.ink,
    };
    let length = run.cells * CELL.0;
    let text = run.text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    let mut color = color;
    if run.look.inverse {
        let _ = writeln!(
            svg,
            "<rect x=\"{x}\" y=\"{y}\" width=\"{length}\" height=\"{}\" fill=\"{color}\"/>",
            CELL.1
        );
        color = palette.paper;
    }
    let weight = if run.look.bold { " font-weight=\"bold\"" } else { "" };
    let slant = if run.look.italic { " font-style=\"italic\"" } else { "" };
    let base = y + 15;
    let _ = writeln!(
        svg,
        "<text x=\"{x}\" y=\"{base}\" textLength=\"{length}\" fill=\"{color}\"{weight}{slant}>{text}</text>"
    );
}

fn committed(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("docs/pictures").join(name)
}

/// What is drawn, and of what kind of terminal.
struct Picture {
    name: &'static str,
    environment: &'static [(&'static str, &'static str)],
    size: (u16, u16),
    palette: Palette,
}

impl Picture {
    const fn of(name: &'static str) -> Self {
        Self { name, environment: &[], size: (24, 80), palette: DARK }
    }

    /// Home is the scratch directory, so that paths are short and always the same.
    fn start(&self, scratch: &Scratch) -> Terminal {
        let home = scratch.work().parent().unwrap().display().to_string();
        let environment = [&[("HOME", home.as_str()), ("TZ", "UTC")], self.environment].concat();
        Terminal::start(&scratch.home(), &scratch.work(), &["--demo"], &environment, self.size)
    }

    /// Compares the picture with what is shown, with a plain name as long as the
    /// scratch directory's in its place, so that it is always the same.
    fn compare(&self, scratch: &Scratch, terminal: &Terminal) {
        let place = scratch.work().parent().unwrap().display().to_string();
        let plain = format!("{:/>width$}", "home/me/market", width = place.len());
        let drawn = svg(terminal.parsed().screen(), &self.palette).replace(&place, &plain);
        let path = committed(self.name);
        if std::env::var_os("CANDOR_DRAW").is_some() {
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(&path, &drawn).unwrap();
        }
        let expected = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(drawn == expected, "{} is not what the program shows:\n{}", self.name, terminal.screen());
    }

    /// A command waits for a person.
    fn of_an_approval(&self) {
        let scratch = Scratch::in_tmp();
        let mut terminal = self.start(&scratch);
        ask_for(&mut terminal, "Add milk to shopping.txt");
        self.compare(&scratch, &terminal);
        terminal.kill();
    }

    /// A command was denied.
    fn of_a_conversation(&self) {
        let scratch = Scratch::in_tmp();
        let mut terminal = self.start(&scratch);
        ask_for(&mut terminal, "Run: ls /nowhere");
        choose(&mut terminal, "n");
        terminal.expect_screen("denied");
        terminal.expect_screen("  ready");
        self.compare(&scratch, &terminal);
        terminal.kill();
    }
}

fn ask_for(terminal: &mut Terminal, message: &str) {
    terminal.expect_screen("Enter start");
    terminal.expect_screen("  ready");
    write(terminal, message);
    terminal.expect_screen(" Ready");
}

#[test]
fn the_approval() {
    Picture::of("approval.svg").of_an_approval();
}

#[test]
fn the_conversation_in_sixteen_colours() {
    Picture::of("conversation.svg").of_a_conversation();
}

#[test]
fn the_conversation_on_a_light_background() {
    Picture { palette: LIGHT, ..Picture::of("light.svg") }.of_a_conversation();
}

#[test]
fn the_conversation_without_colours() {
    Picture { environment: &[("NO_COLOR", "1")], ..Picture::of("no_color.svg") }.of_a_conversation();
}

#[test]
fn the_approval_without_utf_8() {
    Picture { environment: &[("LANG", "C"), ("LC_ALL", "C")], ..Picture::of("ascii.svg") }.of_an_approval();
}

#[test]
fn the_approval_on_a_small_screen() {
    Picture { size: (12, 40), ..Picture::of("small.svg") }.of_an_approval();
}
