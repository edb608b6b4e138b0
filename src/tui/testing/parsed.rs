//! A terminal in memory: what is drawn goes as bytes through a real parser.

use ratatui::layout::Rect;
use std::cell::RefCell;
use std::io::{self, Write};
use std::rc::Rc;

/// A parser as something to write to. Clones share it.
#[derive(Clone)]
pub(crate) struct Parsed {
    parser: Rc<RefCell<vt100::Parser>>,
    last: Rc<RefCell<Vec<u8>>>,
}

impl Parsed {
    pub(crate) fn new(columns: u16, rows: u16) -> Self {
        // Colours are written even if the tests' own terminal wants none.
        crossterm::style::force_color_output(true);
        let parser = Rc::new(RefCell::new(vt100::Parser::new(rows, columns, 0)));
        Self { parser, last: Rc::default() }
    }

    /// What was written since it was forgotten, as text.
    pub(crate) fn last(&self) -> String {
        String::from_utf8_lossy(&self.last.borrow()).into_owned()
    }

    /// How many bytes that are.
    pub(crate) fn written(&self) -> usize {
        self.last.borrow().len()
    }

    pub(crate) fn forget(&self) {
        self.last.borrow_mut().clear();
    }

    pub(crate) fn screen(&self) -> vt100::Screen {
        self.parser.borrow().screen().clone()
    }

    pub(crate) fn area(&self) -> Rect {
        let (rows, columns) = self.parser.borrow().screen().size();
        Rect::new(0, 0, columns, rows)
    }

    pub(crate) fn resize(&self, columns: u16, rows: u16) {
        self.parser.borrow_mut().screen_mut().set_size(rows, columns);
    }
}

impl Write for Parsed {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.last.borrow_mut().extend_from_slice(bytes);
        self.parser.borrow_mut().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
