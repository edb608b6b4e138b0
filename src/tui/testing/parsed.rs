//! A terminal in memory: what is drawn goes as bytes through a real parser.

use ratatui::backend::{Backend, ClearType, CrosstermBackend, WindowSize};
use ratatui::buffer::Cell;
use ratatui::layout::{Position, Size};
use std::cell::RefCell;
use std::io::{self, Write};
use std::rc::Rc;

/// A parser behind the backend of the real terminal.
pub(crate) struct Parsed {
    backend: CrosstermBackend<Shared>,
    parser: Shared,
}

/// The parser, as something to write to.
#[derive(Clone)]
struct Shared(Rc<RefCell<vt100::Parser>>);

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.borrow_mut().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Parsed {
    pub(crate) fn new(columns: u16, rows: u16) -> Self {
        // Colours are written even if the tests' own terminal wants none.
        crossterm::style::force_color_output(true);
        let parser = Shared(Rc::new(RefCell::new(vt100::Parser::new(rows, columns, 0))));
        Self { backend: CrosstermBackend::new(parser.clone()), parser }
    }

    pub(crate) fn screen(&self) -> vt100::Screen {
        self.parser.0.borrow().screen().clone()
    }

    pub(crate) fn resize(&mut self, columns: u16, rows: u16) {
        self.parser.0.borrow_mut().screen_mut().set_size(rows, columns);
    }
}

impl Backend for Parsed {
    type Error = io::Error;

    fn draw<'a, I: Iterator<Item = (u16, u16, &'a Cell)>>(&mut self, content: I) -> io::Result<()> {
        self.backend.draw(content)
    }

    fn hide_cursor(&mut self) -> io::Result<()> {
        self.backend.hide_cursor()
    }

    fn show_cursor(&mut self) -> io::Result<()> {
        self.backend.show_cursor()
    }

    fn get_cursor_position(&mut self) -> io::Result<Position> {
        Err(io::Error::other("the terminal is never asked anything"))
    }

    fn set_cursor_position<P: Into<Position>>(&mut self, position: P) -> io::Result<()> {
        self.backend.set_cursor_position(position)
    }

    fn clear(&mut self) -> io::Result<()> {
        self.backend.clear()
    }

    fn clear_region(&mut self, clear_type: ClearType) -> io::Result<()> {
        self.backend.clear_region(clear_type)
    }

    fn size(&self) -> io::Result<Size> {
        let (rows, columns) = self.parser.0.borrow().screen().size();
        Ok(Size::new(columns, rows))
    }

    fn window_size(&mut self) -> io::Result<WindowSize> {
        Ok(WindowSize { columns_rows: self.size()?, pixels: Size::default() })
    }

    fn flush(&mut self) -> io::Result<()> {
        Backend::flush(&mut self.backend)
    }
}
