//! Where a message is written: several lines, the keys of readline, large
//! pastes folded, what was written before as a history.
//!
//! The text area is used for editing only; it is drawn from here, per grapheme
//! and cleaned.

mod folds;
mod history;
mod layout;

#[cfg(test)]
mod tests;

use crate::text::{Row, cells};
use crate::tui::assist::{Asked, asked};
use crate::tui::input::Key;
use crate::tui::keys::Act;
use crossterm::event::{KeyCode, KeyEvent};
use folds::{Folds, is_mark};
use history::History;
use layout::Part;
use tui_textarea::{CursorMove, TextArea};

/// A draft being written.
#[derive(Debug, Clone, Default)]
pub(crate) struct Composer {
    area: TextArea<'static>,
    folds: Folds,
    history: History,
    /// First row that is shown.
    top: usize,
    /// Cells of a row, as last drawn.
    room: usize,
}

/// The draft as it is to be drawn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Drawn {
    /// The visible rows.
    pub rows: Vec<Row>,
    /// Row among them and column of the cursor.
    pub cursor: (usize, usize),
}

/// What an editing key did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Edited {
    /// The draft is another one.
    Text,
    /// The cursor moved, or nothing happened.
    Cursor,
    /// Up on the first row, or Down on the last, with no message there.
    Past,
}

impl Composer {
    /// A composer that holds this text.
    pub(crate) fn with(text: &str) -> Self {
        let mut composer = Self::default();
        composer.set(text);
        composer
    }

    /// The whole draft, every paste in its place.
    pub(crate) fn text(&self) -> String {
        self.folds.expand(&self.area.lines().join("\n")).into_owned()
    }

    /// Whether there is nothing in it.
    pub(crate) fn is_empty(&self) -> bool {
        self.area.is_empty()
    }

    /// Replaces the draft; the cursor goes to its end. Gives how many NUL were
    /// left out.
    pub(crate) fn set(&mut self, text: &str) -> usize {
        self.clear();
        self.paste(text)
    }

    /// Empties it.
    pub(crate) fn clear(&mut self) {
        self.area = TextArea::default();
        self.folds = Folds::default();
        self.top = 0;
    }

    /// Empties it and remembers what it held.
    pub(crate) fn put_into_history(&mut self) {
        let text = self.text();
        self.history.push(&text);
        self.clear();
    }

    /// Remembers a message.
    pub(crate) fn remember(&mut self, message: &str) {
        self.history.push(message);
    }

    /// Forgets all messages, for another session.
    pub(crate) fn forget(&mut self) {
        self.history.clear();
    }

    /// Puts messages of earlier sessions, oldest first, before those of this one.
    pub(crate) fn remember_earlier(&mut self, messages: Vec<String>) {
        self.history.put_before(messages);
    }

    /// The messages of the history, oldest first.
    pub(crate) fn messages(&self) -> impl DoubleEndedIterator<Item = &str> {
        self.history.messages()
    }

    /// What before the cursor can be completed; nothing in a message of the
    /// history, through which Up and Down have to lead.
    pub(crate) fn asked(&self) -> Option<Asked> {
        if self.history.is_walked() {
            return None;
        }
        let (line, byte) = self.here();
        let before = self.area.lines().get(line)?.get(..byte)?;
        let only = (self.area.lines().len() == 1).then(|| self.area.lines()[0].as_str());
        asked(only, before)
    }

    /// Puts a text in the place of so many characters before the cursor.
    pub(crate) fn complete(&mut self, chars: usize, text: &str) {
        for _ in 0..chars {
            self.area.move_cursor(CursorMove::Back);
        }
        self.delete_chars(chars);
        self.type_text(text);
    }

    /// Inserts pasted text, folded if it is large. NUL cannot be part of a
    /// message; gives how many were left out.
    pub(crate) fn paste(&mut self, text: &str) -> usize {
        self.history.stop();
        let nuls = text.bytes().filter(|b| *b == 0).count();
        let text = if nuls > 0 { text.replace('\0', "") } else { text.to_owned() };
        match self.folds.fold(text) {
            Ok(mark) => self.area.insert_char(mark),
            Err(text) => _ = self.area.insert_str(text),
        }
        nuls
    }

    /// Puts text into it as if it were typed: never folded.
    pub(crate) fn type_text(&mut self, text: &str) {
        self.area.insert_str(text.replace(is_mark, "\u{fffd}"));
    }

    /// Types a character.
    pub(crate) fn type_char(&mut self, c: char) {
        self.history.stop();
        let typed = if is_mark(c) { char::REPLACEMENT_CHARACTER } else { c };
        self.area.input_without_shortcuts(KeyEvent::from(KeyCode::Char(typed)));
    }

    /// Begins a new line.
    pub(crate) fn newline(&mut self) {
        self.history.stop();
        self.area.insert_newline();
    }

    /// A `\` at the cursor asks for a new line: replaces it by one.
    pub(crate) fn continue_line(&mut self) -> bool {
        let (line, byte) = self.here();
        let asked = self.area.lines().get(line).is_some_and(|text| text[..byte].ends_with('\\'));
        if asked {
            self.area.delete_char();
            self.newline();
        }
        asked
    }

    /// A key without a meaning in the table: typed if it is a character.
    pub(crate) fn key(&mut self, key: Key) -> Edited {
        match key.typed() {
            Some(c) => {
                self.type_char(c);
                Edited::Text
            }
            None => Edited::Cursor,
        }
    }

    /// An editing key.
    pub(crate) fn edit(&mut self, act: Act) -> Edited {
        match act {
            Act::Up => return self.up(),
            Act::Down => return self.down(),
            _ => {}
        }
        let changed = match act {
            Act::Newline => {
                self.area.insert_newline();
                true
            }
            Act::DeleteLeft => self.delete_left(),
            Act::DeleteRight => self.delete_right(),
            Act::KillToEnd => self.area.delete_line_by_end(),
            Act::KillToStart => self.area.delete_line_by_head(),
            Act::KillSpaceLeft => self.kill_to_space(),
            Act::KillWordLeft => self.area.delete_word(),
            Act::KillWordRight => self.area.delete_next_word(),
            Act::Yank => self.area.paste(),
            Act::Undo => self.area.undo(),
            Act::Right => self.unfold() || self.step(1),
            Act::Left => self.step(-1),
            Act::WordLeft => self.moved(CursorMove::WordBack),
            Act::WordRight => self.word_right(),
            Act::LineStart => self.moved(CursorMove::Head),
            Act::LineEnd => self.moved(CursorMove::End),
            _ => false,
        };
        if !changed {
            return Edited::Cursor;
        }
        self.history.stop();
        Edited::Text
    }

    /// A key in a field: what it means to a composer, or its character.
    pub(crate) fn press(&mut self, act: Option<Act>, key: Key) -> Edited {
        match act {
            Some(act) => self.edit(act),
            None => self.key(key),
        }
    }

    /// The same in a field of one line: a key that would begin another or leave
    /// it does nothing.
    pub(crate) fn press_in_line(&mut self, act: Option<Act>, key: Key) -> Edited {
        match act {
            Some(Act::Newline | Act::Up | Act::Down) => Edited::Cursor,
            act => self.press(act, key),
        }
    }

    /// How many rows the draft takes at this width.
    pub(crate) fn height(&self, room: usize) -> usize {
        layout::parts(self.area.lines(), &self.folds, room).len()
    }

    /// The draft for a place of this size, scrolled so that the cursor is seen.
    pub(crate) fn draw(&mut self, room: usize, height: usize) -> Drawn {
        self.room = room;
        let parts = layout::parts(self.area.lines(), &self.folds, room);
        let (row, column) = self.cursor(&parts);
        let height = height.max(1);
        self.top = self.top.clamp((row + 1).saturating_sub(height), row);
        self.top = self.top.min(parts.len().saturating_sub(height));
        let visible = parts.iter().skip(self.top).take(height);
        let rows = visible.map(|part| layout::row(part, self.area.lines(), &self.folds)).collect();
        Drawn { rows, cursor: (row - self.top.min(row), column) }
    }

    fn cursor(&self, parts: &[Part]) -> (usize, usize) {
        let (line, byte) = self.here();
        layout::place(parts, self.area.lines(), &self.folds, line, byte)
    }

    /// Line and byte of the cursor.
    fn here(&self) -> (usize, usize) {
        let cursor = self.area.cursor();
        let text = self.area.lines().get(cursor.0).map_or("", String::as_str);
        (cursor.0, text.char_indices().nth(cursor.1).map_or(text.len(), |(byte, _)| byte))
    }

    fn moved(&mut self, to: CursorMove) -> bool {
        self.area.move_cursor(to);
        false
    }

    /// Moves behind the next word, as readline does; at a line's end, to the next.
    fn word_right(&mut self) -> bool {
        let (line, byte) = self.here();
        let after = self.area.lines().get(line).and_then(|text| text.get(byte..)).unwrap_or_default();
        let before_word = after.chars().take_while(|c| !c.is_alphanumeric()).count();
        let word = after.chars().skip(before_word).take_while(|c| c.is_alphanumeric()).count();
        for _ in 0..(before_word + word).max(1) {
            self.area.move_cursor(CursorMove::Forward);
        }
        false
    }

    /// Moves by a grapheme; never counts as a change.
    fn step(&mut self, direction: isize) -> bool {
        let (mv, chars) = match direction {
            1 => (CursorMove::Forward, self.grapheme_right()),
            _ => (CursorMove::Back, self.grapheme_left()),
        };
        for _ in 0..chars.max(1) {
            self.area.move_cursor(mv);
        }
        false
    }

    /// Characters of the grapheme before the cursor; 0 at a line's beginning.
    fn grapheme_left(&self) -> usize {
        let (line, byte) = self.here();
        let before = self.area.lines().get(line).and_then(|text| text.get(..byte)).unwrap_or_default();
        cells(before).last().map_or(0, |cell| cell.text.chars().count())
    }

    fn grapheme_right(&self) -> usize {
        let (line, byte) = self.here();
        let after = self.area.lines().get(line).and_then(|text| text.get(byte..)).unwrap_or_default();
        cells(after).next().map_or(0, |cell| cell.text.chars().count())
    }

    fn delete_left(&mut self) -> bool {
        match self.grapheme_left() {
            0 | 1 => self.area.delete_char(),
            chars => {
                self.step(-1);
                self.delete_chars(chars)
            }
        }
    }

    fn delete_right(&mut self) -> bool {
        match self.grapheme_right() {
            0 | 1 => self.area.delete_next_char(),
            chars => self.delete_chars(chars),
        }
    }

    /// Cuts what stands before the cursor, back to a space; at a line's
    /// beginning, its break.
    fn kill_to_space(&mut self) -> bool {
        let (line, byte) = self.here();
        let before = self.area.lines().get(line).and_then(|text| text.get(..byte)).unwrap_or_default();
        let kept = before.trim_end().rfind(char::is_whitespace);
        let start = kept.map_or(0, |at| at + before[at..].chars().next().map_or(0, char::len_utf8));
        let chars = before[start..].chars().count();
        if chars == 0 {
            return self.area.delete_word();
        }
        self.area.start_selection();
        for _ in 0..chars {
            self.area.move_cursor(CursorMove::Back);
        }
        self.area.cut()
    }

    /// Deletes without touching what was cut before.
    fn delete_chars(&mut self, chars: usize) -> bool {
        let cut = self.area.yank_text();
        let deleted = self.area.delete_str(chars);
        self.area.set_yank_text(cut);
        deleted
    }

    /// Puts the folded paste right of the cursor into the draft.
    fn unfold(&mut self) -> bool {
        let (line, byte) = self.here();
        let right = self.area.lines().get(line).and_then(|text| text[byte..].chars().next());
        let Some(paste) = right.and_then(|c| self.folds.unfold(c)).map(str::to_owned) else { return false };
        self.area.delete_next_char();
        self.area.insert_str(paste)
    }

    fn up(&mut self) -> Edited {
        if self.row_by(-1) {
            return Edited::Cursor;
        }
        let draft = self.text();
        match self.history.older(&draft).map(str::to_owned) {
            Some(message) => self.show(&message),
            None => Edited::Past,
        }
    }

    fn down(&mut self) -> Edited {
        if self.row_by(1) {
            return Edited::Cursor;
        }
        match self.history.newer() {
            Some(message) => self.show(&message),
            None => Edited::Past,
        }
    }

    /// Shows a message of the history without leaving the walk through it.
    fn show(&mut self, message: &str) -> Edited {
        let history = std::mem::take(&mut self.history);
        self.set(message);
        self.history = history;
        Edited::Text
    }

    /// Moves the cursor by a row as drawn, if there is one.
    fn row_by(&mut self, step: isize) -> bool {
        let parts = layout::parts(self.area.lines(), &self.folds, self.room.max(1));
        let (row, column) = self.cursor(&parts);
        let target = row.checked_add_signed(step).and_then(|row| parts.get(row));
        let Some(part) = target else { return false };
        let byte = layout::byte_at(part, self.area.lines(), &self.folds, column);
        let line = part.line;
        let is_end_of_broken_line = byte == part.bytes.end && byte < self.area.lines()[line].len();
        let text = &self.area.lines()[line][..byte];
        let chars = text
            .chars()
            .count()
            .saturating_sub(usize::from(is_end_of_broken_line && byte > part.bytes.start));
        self.jump(line, chars);
        true
    }

    /// Goes to a line and character; the text area's own jump ends at 65,535.
    fn jump(&mut self, line: usize, chars: usize) {
        let near = |n: usize| u16::try_from(n).unwrap_or(u16::MAX);
        self.area.move_cursor(CursorMove::Jump(near(line), near(chars)));
        for _ in usize::from(near(line))..line {
            self.area.move_cursor(CursorMove::Down);
        }
        for _ in usize::from(near(chars))..chars {
            self.area.move_cursor(CursorMove::Forward);
        }
    }
}
