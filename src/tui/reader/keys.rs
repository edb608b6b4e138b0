//! What keys do in a reader.

use super::body::Body;
use super::{Kind, Question, Reader};
use crate::text::Side;
use crate::tui::composer::Composer;
use crate::tui::input::Key;
use crate::tui::keys::{self, Act, Place};
use crate::tui::pages::{Joined, Order};
use crate::tui::sentences;
use crossterm::event::{KeyCode, KeyModifiers};
use std::ops::Range;
use std::path::PathBuf;

/// The largest number that can be typed before a key.
const LARGEST_COUNT: u64 = 1_000_000_000_000;

/// What a reader wants done.
#[derive(Debug)]
pub(crate) enum Wish {
    /// Nothing outside of it.
    Nothing,
    /// It wants to be closed.
    Close,
    /// All rules are to end.
    EndRules,
    /// The values of the variables are to be shown.
    ShowValues,
    /// Help is wanted.
    Help,
    /// Something from the text on disk.
    Order(Order),
    /// Put this into the clipboard.
    Copy(Joined),
    /// Save what is read, or these rows of it, under the name that was typed.
    SaveAs {
        /// As typed.
        name: String,
        /// The marked rows, or all.
        rows: Option<Range<usize>>,
    },
    /// Save it in place of this file.
    SaveOver {
        /// The file.
        path: PathBuf,
        /// The marked rows, or all.
        rows: Option<Range<usize>>,
    },
    /// Open a cleaned copy in another pager.
    Pager,
    /// Say a sentence that passes.
    Say(String),
}

impl Reader {
    /// A key was pressed.
    pub(crate) fn key(&mut self, key: Key) -> Wish {
        if self.question.is_some() {
            return self.answer(key);
        }
        if let Some(digit) = digit(key).filter(|digit| *digit > 0 || self.count.is_some()) {
            self.count = Some((self.count.unwrap_or(0) * 10 + digit).min(LARGEST_COUNT));
            return Wish::Nothing;
        }
        let count = self.count.take();
        let act = keys::find(Place::Reader, key);
        if self.kind == Kind::Rules && key.code == KeyCode::Delete {
            return Wish::EndRules;
        }
        if self.kind == Kind::Environment && key.code == KeyCode::Enter {
            return Wish::ShowValues;
        }
        match act {
            Some(Act::Close) => Wish::Close,
            Some(Act::Esc | Act::Interrupt) => self.esc(count.is_some()),
            Some(Act::Help) => Wish::Help,
            Some(Act::SearchDown) => self.ask(Question::Search(Side::First, Composer::default())),
            Some(Act::SearchUp) => self.ask(Question::Search(Side::Last, Composer::default())),
            Some(Act::Next) => self.search_on(false),
            Some(Act::Previous) => self.search_on(true),
            Some(Act::Mark) => {
                self.mark_or_not();
                Wish::Nothing
            }
            Some(Act::Copy) => self.copy(),
            Some(Act::Save) => self.ask(Question::Save(Composer::default())),
            Some(Act::Pager) => Wish::Pager,
            Some(act @ (Act::Left | Act::Right)) => self.sideways(act, count),
            Some(act) => self.go(act, count),
            None => Wish::Nothing,
        }
    }

    /// Text was pasted: into the question or nowhere.
    pub(crate) fn paste(&mut self, text: &str) {
        if let Some(Question::Search(_, field) | Question::Save(field)) = &mut self.question {
            field.paste(text.lines().next().unwrap_or_default());
        }
    }

    /// The number that is being typed.
    pub(crate) fn count(&self) -> Option<u64> {
        self.count
    }

    /// A file is there that has the name. May it go?
    pub(crate) fn ask_to_overwrite(&mut self, path: PathBuf) {
        self.question = Some(Question::Overwrite(path));
    }

    /// The marked rows, which saving means instead of all.
    fn marked_rows(&self) -> Option<Range<usize>> {
        self.mark.map(super::Mark::rows)
    }

    fn ask(&mut self, question: Question) -> Wish {
        self.question = Some(question);
        Wish::Nothing
    }

    /// Takes back the last thing that was begun, else closes.
    fn esc(&mut self, counted: bool) -> Wish {
        if self.stop_search() {
            return Wish::Order(Order::StopFinding);
        }
        if self.mark.take().is_some() || counted {
            return Wish::Nothing;
        }
        Wish::Close
    }

    fn copy(&mut self) -> Wish {
        let rows = self.meant();
        self.mark = None;
        match &self.body {
            Body::Paged(_) => Wish::Order(Order::Copy(rows)),
            Body::Rows(_) => Wish::Copy(self.joined(rows)),
        }
    }

    fn sideways(&mut self, act: Act, count: Option<u64>) -> Wish {
        if self.view.wrap {
            return Wish::Say(sentences::WRAPPED.to_owned());
        }
        let half = (self.view.size.0 / 2).max(1);
        let columns = count.and_then(|count| usize::try_from(count).ok()).unwrap_or(half);
        self.view.column = match act {
            Act::Left => self.view.column.saturating_sub(columns),
            _ => self.view.column.saturating_add(columns).min(crate::text::PIECE_BYTES),
        };
        Wish::Nothing
    }

    fn go(&mut self, act: Act, count: Option<u64>) -> Wish {
        let page = self.view.size.1.saturating_sub(1).max(1);
        let times = count.and_then(|count| usize::try_from(count).ok()).unwrap_or(1);
        let rows = |one: usize| isize::try_from(one.saturating_mul(times)).unwrap_or(isize::MAX);
        match (act, count) {
            (Act::RowDown, _) => self.walk(rows(1)),
            (Act::RowUp, _) => self.walk(-rows(1)),
            (Act::PageDown, _) => self.walk(rows(page)),
            (Act::PageUp, _) => self.walk(-rows(page)),
            (Act::HalfDown, _) => self.walk(rows(page / 2 + 1)),
            (Act::HalfUp, _) => self.walk(-rows(page / 2 + 1)),
            (Act::Top | Act::Bottom, Some(line)) => return self.go_to_line(line),
            (Act::Top, None) => self.go_to_row(0),
            (Act::Bottom | Act::Follow, None) | (Act::Follow, Some(_)) => self.go_to_end(),
            (Act::Wrap, _) => {
                self.view.wrap = !self.view.wrap;
                self.view.column = 0;
                self.view.top.row = 0;
            }
            (Act::Numbers, _) => self.view.numbers = !self.view.numbers,
            _ => {}
        }
        Wish::Nothing
    }

    /// Scrolls, or moves the end of what is marked.
    fn walk(&mut self, by: isize) {
        match self.mark {
            Some(_) => self.move_mark(by),
            None => self.scroll(by),
        }
    }

    fn go_to_end(&mut self) {
        if self.mark.is_some() {
            self.move_mark(isize::MAX);
        }
        self.view.at_end = true;
    }

    fn go_to_line(&mut self, line: u64) -> Wish {
        match &self.body {
            Body::Paged(_) => Wish::Order(Order::Line(line.max(1))),
            Body::Rows(own) => {
                let row = usize::try_from(line.max(1) - 1).unwrap_or(usize::MAX);
                self.go_to_row(row.min(own.rows.len().saturating_sub(1)));
                Wish::Nothing
            }
        }
    }

    /// A key while something is asked.
    fn answer(&mut self, key: Key) -> Wish {
        let Some(question) = self.question.take() else { return Wish::Nothing };
        match question {
            Question::Overwrite(path) if key == Key::char('y') => {
                Wish::SaveOver { path, rows: self.marked_rows() }
            }
            Question::Overwrite(_) => Wish::Say(sentences::NOTHING_SAVED.to_owned()),
            Question::Search(side, mut field) => match edited(&mut field, key) {
                Field::Open => self.ask(Question::Search(side, field)),
                Field::Closed => Wish::Nothing,
                Field::Entered(typed) => self.search(&typed, side),
            },
            Question::Save(mut field) => match edited(&mut field, key) {
                Field::Open => self.ask(Question::Save(field)),
                Field::Closed => Wish::Nothing,
                Field::Entered(name) if name.trim().is_empty() => {
                    Wish::Say(sentences::NOTHING_SAVED.to_owned())
                }
                Field::Entered(name) => Wish::SaveAs { name, rows: self.marked_rows() },
            },
        }
    }
}

/// A field after a key.
enum Field {
    Open,
    Closed,
    Entered(String),
}

fn edited(field: &mut Composer, key: Key) -> Field {
    match keys::find(Place::Composer, key) {
        Some(Act::Send) => return Field::Entered(field.text()),
        Some(Act::Esc | Act::Interrupt) => return Field::Closed,
        Some(Act::DeleteLeft) if field.is_empty() => return Field::Closed,
        act => _ = field.press_in_line(act, key),
    }
    Field::Open
}

fn digit(key: Key) -> Option<u64> {
    match key.code {
        KeyCode::Char(c) if key.mods == KeyModifiers::NONE => c.to_digit(10).map(u64::from),
        _ => None,
    }
}
