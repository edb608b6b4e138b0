//! What views draw on: rows of clean text, lines, boxes, the cursor.

use crate::text::{Clean, Row, Span, Style, width};
use crate::tui::composer::Composer;
use crate::tui::painter::Picture;
use crate::tui::state::State;
use crate::tui::theme::{self, Theme};
use ratatui::layout::{Position, Rect};
use ratatui::widgets::{Block, Clear, Widget};

/// A frame being drawn.
pub(super) struct Canvas<'a> {
    picture: &'a mut Picture,
    theme: Theme,
}

impl<'a> Canvas<'a> {
    pub(super) fn new(picture: &'a mut Picture, theme: Theme) -> Self {
        Self { picture, theme }
    }

    /// The whole screen.
    pub(super) fn area(&self) -> Rect {
        self.picture.area()
    }

    /// Draws a row into at most that many cells.
    pub(super) fn row(&mut self, x: u16, y: u16, room: u16, row: &Row) {
        let area = self.area();
        if y >= area.bottom() || x >= area.right() {
            return;
        }
        let room = room.min(area.right() - x);
        self.picture.buffer.set_line(x, y, &self.theme.line(row), room);
    }

    /// Draws rows below each other.
    pub(super) fn rows(&mut self, area: Rect, rows: &[Row]) {
        for (y, row) in (area.y..area.bottom()).zip(rows) {
            self.row(area.x, y, area.width, row);
        }
    }

    /// Draws a text in one style, made safe, into the first row of an area.
    pub(super) fn text(&mut self, area: Rect, text: &str, style: Style) {
        let text = Clean::line(text).shortened(usize::from(area.width));
        self.row(area.x, area.y, area.width, &Row::from(Span::new(text, style)));
    }

    /// Draws the keys of a screen, or in their place a sentence that passes.
    pub(super) fn text_or_flash(&mut self, area: Rect, keys: &str, state: &State) {
        match &state.flash {
            Some(flash) => self.text(area, &flash.text, theme::WARNING),
            None => self.text(area, keys, theme::QUIET),
        }
    }

    /// Draws a text that ends at the right side of an area.
    pub(super) fn text_right(&mut self, area: Rect, text: &str, style: Style) {
        let text = Clean::line(text).shortened(usize::from(area.width));
        let x = area.right().saturating_sub(cells(width(&text)));
        self.row(x, area.y, area.width, &Row::from(Span::new(text, style)));
    }

    /// A line from side to side.
    pub(super) fn rule(&mut self, area: Rect) {
        let line = self.theme.rule().repeat(usize::from(area.width));
        let style = self.theme.style(theme::QUIET);
        self.picture.buffer.set_stringn(area.x, area.y, line, usize::from(area.width), style);
    }

    /// A line from top to bottom, in the first column of an area.
    pub(super) fn upright(&mut self, area: Rect) {
        let (line, style) = (self.theme.border().vertical_left, self.theme.style(theme::QUIET));
        for y in area.y..area.bottom() {
            self.picture.buffer.set_stringn(area.x, y, line, 1, style);
        }
    }

    /// A field, with a cell behind it for the cursor; gives where the cursor is.
    pub(super) fn field(&mut self, field: &mut Composer, area: Rect) -> (u16, u16) {
        let room = usize::from(area.width.saturating_sub(1));
        let drawn = field.draw(room, usize::from(area.height));
        self.rows(area, &drawn.rows);
        (area.x + cells(drawn.cursor.1), area.y + cells(drawn.cursor.0))
    }

    /// An empty box with a title; gives what is inside, with a cell of air at
    /// both sides.
    pub(super) fn boxed(&mut self, area: Rect, title: &str) -> Rect {
        Clear.render(area, &mut self.picture.buffer);
        let block = Block::bordered().border_set(self.theme.border());
        let inner = block.inner(area);
        block.render(area, &mut self.picture.buffer);
        if area.width > 6 {
            let title = Clean::line(&format!(" {title} ")).shortened(usize::from(area.width) - 4);
            self.row(area.x + 2, area.y, area.width - 4, &Row::from(Span::new(title, theme::HEADING)));
        }
        Rect { x: inner.x + 1, width: inner.width.saturating_sub(2), ..inner }
    }

    /// Puts the cursor here.
    pub(super) fn cursor(&mut self, x: u16, y: u16) {
        let area = self.area();
        let position =
            Position::new(x.min(area.right().saturating_sub(1)), y.min(area.bottom().saturating_sub(1)));
        self.picture.cursor = Some(position);
    }
}

/// A number of cells or rows as the screen counts them.
pub(super) fn cells(n: usize) -> u16 {
    u16::try_from(n).unwrap_or(u16::MAX)
}

/// An area without its first columns.
pub(super) fn right_of(area: Rect, columns: u16) -> Rect {
    let columns = columns.min(area.width);
    Rect { x: area.x + columns, width: area.width - columns, ..area }
}

/// One row of an area.
pub(super) fn row_of(area: Rect, y: u16) -> Rect {
    Rect { y, height: 1, ..area }
}

/// The first rows of an area, and the rest.
pub(super) fn split_top(area: Rect, rows: u16) -> (Rect, Rect) {
    let rows = rows.min(area.height);
    (Rect { height: rows, ..area }, Rect { y: area.y + rows, height: area.height - rows, ..area })
}

/// All but the last rows of an area, and these.
pub(super) fn split_bottom(area: Rect, rows: u16) -> (Rect, Rect) {
    let rows = rows.min(area.height);
    split_top(area, area.height - rows)
}
