//! The blocking dialog about effects that may have happened. It collects a
//! statement about each; the agent saves them, all at once.

use super::composer::Composer;
use super::input::Key;
use super::keys::{self, Act, Place};
use super::moment::Moment;
use super::seen::{Seen, Shown};
use super::sentences;
use crate::agent::UnknownReport;
use crate::record::limits::NOTE_BYTES;
use crate::record::{Statement, StatementKind};
use crossterm::event::KeyCode;
use std::time::Duration;

/// A letter counts as a command only after this silence: the dialog may have
/// opened under somebody's hands.
const PAUSE: Duration = Duration::from_millis(400);

/// The open dialog.
#[derive(Debug)]
pub(crate) struct Recovery {
    /// One for each command; imported ones share one.
    pub pages: Vec<Page>,
    /// The page that is shown.
    pub at: usize,
    /// Whether the note has the focus.
    pub in_note: bool,
    /// First row of the evidence that is shown.
    pub top: usize,
    /// Rows of it that fit.
    fits: usize,
    /// The last key was Ctrl+X, and showed what was not seen.
    showed_rest: bool,
    /// What is missing for saving.
    pub missing: Option<String>,
    opened: Option<Moment>,
    last_key: Option<Moment>,
}

/// One or several effects with one answer.
#[derive(Debug)]
pub(crate) struct Page {
    /// The effects: one, or all imported ones.
    pub reports: Vec<UnknownReport>,
    /// The answer.
    pub statement: Option<StatementKind>,
    /// The note beside it.
    pub note: Composer,
    /// Which rows of its evidence have been on the screen.
    seen: Seen,
}

/// What comes of a key.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// Nothing outside of the dialog.
    Nothing,
    /// Save these.
    Save(Vec<Statement>),
    /// Leave; save nothing.
    Leave,
    /// Open a shell in this directory.
    Shell(Option<String>),
    /// Show the conversation.
    Transcript,
    /// Show the output of the first effect of the page.
    Output,
    /// Put the sentence that asks for it again into the composer.
    Again(String),
}

impl Recovery {
    /// A dialog about these effects, with nothing chosen.
    pub(crate) fn new(reports: Vec<UnknownReport>) -> Self {
        let (imported, own): (Vec<_>, Vec<_>) = reports.into_iter().partition(|report| report.imported);
        let page =
            |reports| Page { reports, statement: None, note: Composer::default(), seen: Seen::default() };
        let mut pages: Vec<Page> = own.into_iter().map(|report| page(vec![report])).collect();
        if !imported.is_empty() {
            pages.push(page(imported));
        }
        Self {
            pages,
            at: 0,
            in_note: false,
            top: 0,
            fits: 0,
            showed_rest: false,
            missing: None,
            opened: None,
            last_key: None,
        }
    }

    /// More became known about the effects; answers given so far stay, and
    /// what is new is still to be seen.
    pub(crate) fn refresh(&mut self, reports: Vec<UnknownReport>) {
        let fresh = Self::new(reports);
        let known = |pages: &[Page]| -> Vec<_> {
            pages.iter().flat_map(|page| &page.reports).map(|report| report.dispatch).collect()
        };
        if known(&fresh.pages) != known(&self.pages) {
            *self = fresh;
            return;
        }
        for (page, new) in self.pages.iter_mut().zip(fresh.pages) {
            if page.reports != new.reports {
                (page.reports, page.seen) = (new.reports, Seen::default());
            }
        }
    }

    /// The dialog was painted, and so much of the evidence.
    pub(crate) fn painted(&mut self, shown: &Shown, at: Moment) {
        self.opened.get_or_insert(at);
        (self.top, self.fits) = (shown.visible.start, shown.visible.len());
        if let Some(page) = self.pages.get_mut(self.at) {
            page.seen.painted(shown);
        }
    }

    /// Whether all evidence of all commands has been on the screen. Nothing is
    /// saved before.
    pub(crate) fn is_seen(&self) -> bool {
        self.pages.iter().all(|page| page.seen.all())
    }

    /// The page that is shown.
    pub(crate) fn page(&self) -> Option<&Page> {
        self.pages.get(self.at)
    }

    /// Text was pasted: into the note or nowhere.
    pub(crate) fn paste(&mut self, text: &str) {
        if let Some(page) = self.pages.get_mut(self.at).filter(|_| self.in_note) {
            page.note.paste(text);
        }
    }

    /// A key was pressed elsewhere: no letter counts before a pause.
    pub(crate) fn touched(&mut self, at: Moment) {
        self.last_key = Some(at);
    }

    /// A key was pressed.
    pub(crate) fn key(&mut self, key: Key, at: Moment) -> Outcome {
        let calm = self.opened.is_some_and(|opened| at.since(opened) >= PAUSE)
            && self.last_key.is_none_or(|last| at.since(last) >= PAUSE);
        self.last_key = Some(at);
        let showed_rest = std::mem::take(&mut self.showed_rest);
        if key == Key::ctrl('x') {
            // A key that is held down runs past nothing.
            self.showed_rest = self.show_rest() || (showed_rest && !calm);
            return if self.showed_rest { Outcome::Nothing } else { self.save() };
        }
        if key.code == KeyCode::Tab {
            self.in_note = !self.in_note;
            return Outcome::Nothing;
        }
        if self.in_note { self.note_key(key) } else { self.choice_key(key, calm) }
    }

    fn note_key(&mut self, key: Key) -> Outcome {
        let Some(page) = self.pages.get_mut(self.at) else { return Outcome::Nothing };
        match keys::find(Place::Composer, key) {
            Some(Act::Esc) => self.in_note = false,
            Some(Act::Send) => self.missing = Some(sentences::ENTER_SAVES_NOTHING.to_owned()),
            act => _ = page.note.press(act, key),
        }
        Outcome::Nothing
    }

    fn choice_key(&mut self, key: Key, calm: bool) -> Outcome {
        match key.code {
            KeyCode::Esc if calm => return Outcome::Leave,
            KeyCode::Char(digit @ '1'..='4') if key.mods.is_empty() => self.choose_number(digit),
            KeyCode::Enter => self.missing = Some(sentences::ENTER_SAVES_NOTHING.to_owned()),
            KeyCode::Up => self.walk(-1),
            KeyCode::Down => self.walk(1),
            KeyCode::Left | KeyCode::Char('<') => self.turn_page(-1),
            KeyCode::Right | KeyCode::Char('>') => self.turn_page(1),
            KeyCode::PageUp => self.top = self.top.saturating_sub(self.screenful()),
            KeyCode::PageDown => self.top += self.screenful(),
            KeyCode::Char(letter) if calm && key.mods.is_empty() => return self.letter(letter),
            _ => {}
        }
        Outcome::Nothing
    }

    fn letter(&self, letter: char) -> Outcome {
        let operation = self.page().and_then(|page| page.reports.first()?.operation.as_ref());
        match letter {
            's' => Outcome::Shell(operation.and_then(|operation| operation.cwd()).map(str::to_owned)),
            'o' => Outcome::Output,
            't' => Outcome::Transcript,
            'q' => Outcome::Leave,
            'r' => operation.map_or(Outcome::Nothing, |operation| {
                Outcome::Again(sentences::run_again(operation.summary()))
            }),
            _ => Outcome::Nothing,
        }
    }

    fn choose_number(&mut self, digit: char) {
        let index = digit.to_digit(10).and_then(|digit| usize::try_from(digit).ok()).unwrap_or(1) - 1;
        self.choose(StatementKind::ALL.get(index).copied());
    }

    fn walk(&mut self, step: isize) {
        let all = StatementKind::ALL;
        let chosen = self.page().and_then(|page| page.statement);
        let here = chosen.and_then(|chosen| all.iter().position(|kind| *kind == chosen));
        let next = match here {
            Some(here) => here.saturating_add_signed(step).min(all.len() - 1),
            None if step > 0 => 0,
            None => all.len() - 1,
        };
        self.choose(all.get(next).copied());
    }

    fn choose(&mut self, statement: Option<StatementKind>) {
        if let Some(page) = self.pages.get_mut(self.at) {
            page.statement = statement;
            self.missing = None;
        }
    }

    fn turn_page(&mut self, step: isize) {
        self.at = self.at.saturating_add_signed(step).min(self.pages.len().saturating_sub(1));
        self.top = 0;
    }

    /// How far a page scrolls: no row is passed over.
    fn screenful(&self) -> usize {
        self.fits.clamp(1, 5)
    }

    /// Shows evidence that has not been seen; whether there was any.
    fn show_rest(&mut self) -> bool {
        let Some(page) = self.pages.iter().position(|page| !page.seen.all()) else { return false };
        self.at = page;
        self.top = self.pages[page].seen.next();
        self.missing = Some(sentences::REST_FIRST.to_owned());
        true
    }

    /// The statements in the order of the reports, or what is missing.
    fn save(&mut self) -> Outcome {
        if let Some(open) = self.pages.iter().position(|page| page.statement.is_none()) {
            self.missing = Some(format!("Command {} {}", open + 1, sentences::MISSING_ANSWERS));
            self.turn_page(0);
            self.at = open;
            return Outcome::Nothing;
        }
        if let Some(long) = self.pages.iter().position(|page| page.note.text().len() > NOTE_BYTES) {
            self.missing =
                Some(format!("The note of command {} is over 4 KiB. Nothing was saved.", long + 1));
            self.at = long;
            return Outcome::Nothing;
        }
        Outcome::Save(self.pages.iter().flat_map(statements).collect())
    }
}

fn statements(page: &Page) -> Vec<Statement> {
    let Some(statement) = page.statement else { return Vec::new() };
    let note = Some(page.note.text()).filter(|note| !note.trim().is_empty());
    page.reports
        .iter()
        .map(|report| Statement { dispatch: report.dispatch, statement, note: note.clone() })
        .collect()
}
