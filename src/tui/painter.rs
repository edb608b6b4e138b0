//! Brings pictures onto a terminal, and writes only what changed.
//!
//! Two pictures are kept: the one that is shown and the one that comes. They are
//! compared row by row first, since a key changes one row of many; only rows that
//! differ are compared cell by cell. A part of the screen can be drawn alone.

use crate::text::has_disputed_width;
use crossterm::queue;
use crossterm::terminal::{BeginSynchronizedUpdate, EndSynchronizedUpdate};
use ratatui::backend::{Backend, CrosstermBackend};
use ratatui::buffer::{Buffer, Cell, CellWidth as _};
use ratatui::layout::{Position, Rect};
use std::io::{self, Write};
use std::ops::Range;

/// So many changed rows are copied out to be compared cell by cell; with more,
/// the whole pictures are.
const FEW: usize = 8;

/// What is on a screen: its cells, and where the cursor is if it is shown.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Picture {
    /// The cells.
    pub buffer: Buffer,
    /// Where the cursor is; nowhere: it is hidden.
    pub cursor: Option<Position>,
}

impl Picture {
    /// An empty one of this size.
    pub(crate) fn empty(area: Rect) -> Self {
        Self { buffer: Buffer::empty(area), cursor: None }
    }

    /// The whole screen.
    pub(crate) fn area(&self) -> Rect {
        self.buffer.area
    }

    fn row(&self, y: u16) -> &[Cell] {
        &self.buffer.content[span(self.area(), y..y + 1)]
    }

    /// A row as a screen of its own.
    fn row_alone(&self, y: u16) -> Buffer {
        let area = Rect { y, height: 1, ..self.area() };
        Buffer { area, content: self.row(y).to_vec() }
    }

    /// Empties rows; the cursor is nowhere then.
    fn empty_rows(&mut self, rows: Range<u16>) {
        let span = span(self.area(), rows);
        self.buffer.content[span].iter_mut().for_each(Cell::reset);
        self.cursor = None;
    }
}

/// Where the cells of rows are in a buffer that begins in the first row.
fn span(area: Rect, rows: Range<u16>) -> Range<usize> {
    let width = usize::from(area.width);
    usize::from(rows.start) * width..usize::from(rows.end) * width
}

/// Draws on what is written to.
#[derive(Debug)]
pub(crate) struct Painter<W: Write> {
    backend: CrosstermBackend<W>,
    shown: Picture,
    next: Picture,
    /// Nobody knows what the terminal shows, nor its cursor.
    unknown: bool,
}

impl<W: Write> Painter<W> {
    /// For a terminal of which nothing is known yet.
    pub(crate) fn new(out: W) -> Self {
        let (shown, next) = (Picture::default(), Picture::default());
        Self { backend: CrosstermBackend::new(out), shown, next, unknown: true }
    }

    /// What is written to.
    pub(crate) fn out(&mut self) -> &mut (impl Write + use<W>) {
        &mut self.backend
    }

    /// What the terminal shows.
    #[cfg(test)]
    pub(crate) fn shown(&self) -> &Picture {
        &self.shown
    }

    /// Has the next picture drawn on an emptied screen.
    pub(crate) fn forget(&mut self) {
        self.unknown = true;
    }

    /// Draws a picture of this size. Where something of the last one goes whose
    /// width terminals disagree about, nobody knows which cells it took: then
    /// everything is written anew.
    ///
    /// # Errors
    /// What is written to fails.
    pub(crate) fn draw(&mut self, area: Rect, paint: impl FnOnce(&mut Picture)) -> io::Result<()> {
        self.empty_next(area, 0);
        paint(&mut self.next);
        if self.unknown || self.shown.area() != area {
            return self.write_anew();
        }
        let changed = self.changed(0..area.height);
        if self.leaves_doubt(&changed) { self.write_anew() } else { self.write(&changed) }
    }

    /// Draws rows from this one on, unless that does not do: another size, doubt
    /// about what is shown, many rows, or `paint` says that these rows alone are
    /// not enough. Says whether it was done.
    ///
    /// # Errors
    /// What is written to fails.
    pub(crate) fn draw_from(
        &mut self,
        area: Rect,
        first: u16,
        paint: impl FnOnce(&mut Picture) -> bool,
    ) -> io::Result<bool> {
        if self.unknown || self.shown.area() != area || first > area.height {
            return Ok(false);
        }
        self.empty_next(area, first);
        if !paint(&mut self.next) {
            return Ok(false);
        }
        let changed = self.changed(first..area.height);
        if changed.len() > FEW || self.leaves_doubt(&changed) {
            return Ok(false);
        }
        self.write(&changed).map(|()| true)
    }

    /// An empty next picture of this size, at least from this row on.
    fn empty_next(&mut self, area: Rect, first: u16) {
        if self.next.area() == area {
            self.next.empty_rows(first..area.height);
        } else {
            self.next = Picture::empty(area);
        }
    }

    fn changed(&self, rows: Range<u16>) -> Vec<u16> {
        rows.filter(|y| self.shown.row(*y) != self.next.row(*y)).collect()
    }

    /// Whether one of these rows shows something of disputed width that goes.
    fn leaves_doubt(&self, rows: &[u16]) -> bool {
        let doubt = |y: &u16| {
            let mut shown = disputed(self.shown.row(*y)).peekable();
            shown.peek().is_some() && !shown.eq(disputed(self.next.row(*y)))
        };
        rows.iter().any(doubt)
    }

    /// Writes the whole picture on an emptied screen.
    fn write_anew(&mut self) -> io::Result<()> {
        self.unknown = true;
        queue!(self.backend, BeginSynchronizedUpdate)?;
        self.backend.clear()?;
        self.backend.draw(written(&self.next.buffer))?;
        self.put_cursor()?;
        queue!(self.backend, EndSynchronizedUpdate)?;
        std::mem::swap(&mut self.shown, &mut self.next);
        self.unknown = false;
        Ok(())
    }

    /// Writes these rows, and the cursor; from then on they are shown.
    fn write(&mut self, rows: &[u16]) -> io::Result<()> {
        if rows.is_empty() && self.next.cursor == self.shown.cursor {
            return Ok(());
        }
        queue!(self.backend, BeginSynchronizedUpdate)?;
        if rows.len() > FEW {
            self.backend.draw(self.shown.buffer.diff_iter(&self.next.buffer))?;
        } else if !rows.is_empty() {
            let pairs: Vec<(Buffer, Buffer)> =
                rows.iter().map(|y| (self.shown.row_alone(*y), self.next.row_alone(*y))).collect();
            self.backend.draw(pairs.iter().flat_map(|(shown, next)| shown.diff_iter(next)))?;
        }
        self.put_cursor()?;
        queue!(self.backend, EndSynchronizedUpdate)?;
        for y in rows {
            let span = span(self.shown.area(), *y..*y + 1);
            self.shown.buffer.content[span.clone()].swap_with_slice(&mut self.next.buffer.content[span]);
        }
        self.shown.cursor = self.next.cursor;
        Ok(())
    }

    fn put_cursor(&mut self) -> io::Result<()> {
        let Some(position) = self.next.cursor else {
            let hidden = self.shown.cursor.is_none() && !self.unknown;
            return if hidden { Ok(()) } else { self.backend.hide_cursor() };
        };
        if self.shown.cursor.is_none() || self.unknown {
            self.backend.show_cursor()?;
        }
        self.backend.set_cursor_position(position)
    }
}

/// The cells of a picture that are to be seen on an empty screen.
fn written(buffer: &Buffer) -> impl Iterator<Item = (u16, u16, &Cell)> {
    let mut covered = 0;
    let cells = buffer.content.iter().enumerate();
    cells.filter_map(move |(at, cell)| {
        if at < covered || *cell == Cell::EMPTY {
            return None;
        }
        covered = at + usize::from(cell.cell_width());
        let (x, y) = buffer.pos_of(at);
        Some((x, y, cell))
    })
}

/// The cells whose width terminals disagree about, and where.
fn disputed(row: &[Cell]) -> impl Iterator<Item = (usize, &str)> {
    let cells = row.iter().map(Cell::symbol).enumerate();
    cells.filter(|(_, symbol)| has_disputed_width(symbol))
}

#[cfg(test)]
mod tests {
    use super::{Painter, Picture};
    use crate::tui::testing::Parsed;
    use ratatui::layout::{Position, Rect};
    use ratatui::style::Style;

    const AREA: Rect = Rect { x: 0, y: 0, width: 20, height: 4 };

    struct Painted {
        painter: Painter<Parsed>,
        terminal: Parsed,
    }

    impl Painted {
        /// A screen with these rows on it.
        fn with(rows: &[&str]) -> Self {
            let terminal = Parsed::new(AREA.width, AREA.height);
            let mut painted = Self { painter: Painter::new(terminal.clone()), terminal };
            painted.draw(rows);
            painted
        }

        /// How many bytes that took.
        fn draw(&mut self, rows: &[&str]) -> usize {
            self.terminal.forget();
            self.painter.draw(AREA, |picture| write(picture, 0, rows)).unwrap();
            self.terminal.written()
        }

        fn draw_from(&mut self, first: u16, rows: &[&str]) -> bool {
            let paint = |picture: &mut Picture| {
                write(picture, first, rows);
                true
            };
            self.painter.draw_from(AREA, first, paint).unwrap()
        }

        fn rows(&self) -> Vec<String> {
            let rows: Vec<String> = self.terminal.screen().rows(0, AREA.width).collect();
            rows.into_iter().map(|row| row.trim_end().to_owned()).collect()
        }
    }

    fn write(picture: &mut Picture, first: u16, rows: &[&str]) {
        for (y, row) in (first..).zip(rows) {
            picture.buffer.set_stringn(0, y, row, usize::from(AREA.width), Style::new());
        }
    }

    #[test]
    fn only_what_changed_is_written() {
        let rows = ["first", "second", "third", "fourth"];
        let mut painted = Painted::with(&rows);
        assert_eq!(painted.draw(&rows), 0, "nothing changed");
        let bytes = painted.draw(&["first", "second", "thirD", "fourth"]);
        assert!(
            painted.terminal.last().contains('D') && !painted.terminal.last().contains("thir"),
            "{bytes}"
        );
        assert_eq!(painted.rows(), ["first", "second", "thirD", "fourth"]);
        painted.draw(&[]);
        assert_eq!(painted.rows(), ["", "", "", ""]);
    }

    #[test]
    fn the_cursor_is_shown_where_it_is_and_hidden_where_there_is_none() {
        let mut painted = Painted::with(&[]);
        assert!(painted.terminal.screen().hide_cursor());
        let at = |x, y| move |picture: &mut Picture| picture.cursor = Some(Position::new(x, y));
        painted.painter.draw(AREA, at(3, 2)).unwrap();
        assert!(!painted.terminal.screen().hide_cursor());
        assert_eq!(painted.terminal.screen().cursor_position(), (2, 3));
        painted.painter.draw(AREA, at(4, 2)).unwrap();
        assert_eq!(painted.terminal.screen().cursor_position(), (2, 4), "nothing else changed");
        painted.draw(&[]);
        assert!(painted.terminal.screen().hide_cursor());
    }

    #[test]
    fn rows_are_drawn_alone_and_the_others_stay() {
        let mut painted = Painted::with(&["first", "second", "third", "fourth"]);
        assert!(painted.draw_from(2, &["3", "4"]));
        assert_eq!(painted.rows(), ["first", "second", "3", "4"]);
        painted.draw(&["first", "second", "3", "four"]);
        assert_eq!(painted.rows(), ["first", "second", "3", "four"]);
    }

    #[test]
    fn rows_are_not_drawn_alone_where_that_does_not_do() {
        let rows = ["first", "second"];
        let mut painted = Painted::with(&rows);
        painted.terminal.forget();
        assert!(!painted.painter.draw_from(AREA, 1, |_| false).unwrap(), "the rows alone are not enough");
        let other = Rect { height: 3, ..AREA };
        assert!(!painted.painter.draw_from(other, 1, |_| true).unwrap(), "another size");
        painted.painter.forget();
        assert!(!painted.draw_from(1, &["other"]), "nobody knows what is shown");
        assert_eq!(painted.terminal.written(), 0);
        painted.draw(&rows);
        assert_eq!(painted.rows()[..2], rows);
    }

    #[test]
    fn everything_is_written_anew_when_something_of_disputed_width_goes() {
        let disputed = "a\u{0937}\u{093f}b";
        assert!(super::disputed(Painted::with(&[disputed]).painter.shown().row(0)).next().is_some());
        let mut painted = Painted::with(&["first", disputed]);
        assert!(!painted.draw_from(1, &["gone"]), "rows alone do not do");
        painted.draw(&["first", "gone"]);
        assert!(painted.terminal.last().contains("first"), "{:?}", painted.terminal.last());
        painted.draw(&["first", "gone", disputed]);
        assert!(!painted.terminal.last().contains("first"), "nothing of disputed width goes");
    }

    #[test]
    fn many_rows_are_written_as_few_are() {
        let area = Rect { height: 30, ..AREA };
        let terminal = Parsed::new(area.width, area.height);
        let mut painter = Painter::new(terminal.clone());
        for text in ["one", "日本", "e\u{301}"] {
            let rows = vec![text; 30];
            painter.draw(area, |picture| write(picture, 0, &rows)).unwrap();
            let shown: Vec<String> = terminal.screen().rows(0, area.width).collect();
            assert_eq!(shown.iter().map(|row| row.trim_end()).collect::<Vec<_>>(), rows);
        }
    }
}
