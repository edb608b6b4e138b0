//! Searching in what is read.

use super::body::Body;
use super::{Reader, Wish};
use crate::text::{Needle, Side};
use crate::tui::pages::{Find, Order};
use crate::tui::sentences;
use std::ops::Range;

/// What is searched, and what was found.
#[derive(Debug, Default)]
pub(super) struct Search {
    pub(super) needle: Option<Needle>,
    /// From which side `n` goes on.
    side: Option<Side>,
    /// The number of the last search.
    number: u64,
    /// From which side the search that goes on comes, and how far it is, in percent.
    pub(super) busy: Option<(Side, u8)>,
    pub(super) hit: Option<Hit>,
}

/// Where it was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Hit {
    pub(super) row: usize,
    /// Its bytes in the row's text, once the row is there.
    pub(super) bytes: Option<Range<usize>>,
    /// Which occurrence of the row it is.
    pub(super) side: Side,
}

impl Search {
    pub(super) fn searched(&mut self, number: u64, percent: u8) {
        if let Some(busy) = self.busy.as_mut().filter(|_| number == self.number) {
            busy.1 = percent;
        }
    }
}

impl Reader {
    /// Begins a search from what is seen; a word that cannot be seen searches
    /// for the last one again.
    pub(super) fn search(&mut self, typed: &str, side: Side) -> Wish {
        self.search.side = Some(side);
        if let Some(needle) = Needle::new(typed) {
            self.search.needle = Some(needle);
            self.search.hit = None;
        }
        self.find(side)
    }

    /// Goes to the next occurrence, or with `back` to the one before.
    pub(super) fn search_on(&mut self, back: bool) -> Wish {
        let side = match (self.search.side.unwrap_or(Side::First), back) {
            (Side::First, false) | (Side::Last, true) => Side::First,
            (Side::Last, false) | (Side::First, true) => Side::Last,
        };
        self.find(side)
    }

    fn find(&mut self, side: Side) -> Wish {
        let Some(needle) = self.search.needle.clone() else {
            return Wish::Say(sentences::NOTHING_SEARCHED.to_owned());
        };
        let here = self.search.hit.clone().filter(|hit| self.view.seen.contains(&hit.row));
        if let Some(bytes) = here.as_ref().and_then(|hit| self.next_in_row(hit, side)) {
            self.search.hit = here.map(|hit| Hit { bytes: Some(bytes), ..hit });
            self.show_hit();
            return Wish::Nothing;
        }
        let top = self.mark.map_or(self.view.top.line, |mark| mark.cursor);
        let rows = match (side, here) {
            (Side::First, Some(hit)) => hit.row + 1..usize::MAX,
            (Side::First, None) => top..usize::MAX,
            (Side::Last, Some(hit)) => 0..hit.row,
            (Side::Last, None) => 0..top,
        };
        self.search.number += 1;
        let number = self.search.number;
        self.search.busy = Some((side, 0));
        match &self.body {
            Body::Paged(_) => Wish::Order(Order::Find(Box::new(Find { number, needle, rows, side }))),
            Body::Rows(own) => {
                let mut rows = rows.start..rows.end.min(own.rows.len());
                let shows = |row: &usize| needle.begins_before(&own.rows[*row].text(), usize::MAX);
                let row = match side {
                    Side::First => rows.find(shows),
                    Side::Last => rows.rfind(shows),
                };
                self.found(number, row)
            }
        }
    }

    /// The next occurrence in the row of a hit.
    fn next_in_row(&self, hit: &Hit, side: Side) -> Option<Range<usize>> {
        let bytes = hit.bytes.as_ref()?;
        let all = self.begin_in(hit.row)?;
        match side {
            Side::First => all.into_iter().find(|range| range.start > bytes.start),
            Side::Last => all.into_iter().rfind(|range| range.start < bytes.start),
        }
    }

    /// A search has ended.
    pub(super) fn found(&mut self, number: u64, row: Option<usize>) -> Wish {
        if number != self.search.number {
            return Wish::Nothing;
        }
        let Some((side, _)) = self.search.busy.take() else { return Wish::Nothing };
        match row {
            Some(row) => {
                self.search.hit = Some(Hit { row, bytes: None, side });
                if let Some(mark) = &mut self.mark {
                    mark.cursor = row;
                }
                self.show_hit();
                Wish::Nothing
            }
            None => {
                let typed = self.search.needle.as_ref().map(|needle| needle.typed().to_string());
                Wish::Say(sentences::not_found(&typed.unwrap_or_default(), side == Side::Last))
            }
        }
    }

    /// Ends the search that goes on. Says whether one did.
    pub(super) fn stop_search(&mut self) -> bool {
        self.search.number += 1;
        self.search.busy.take().is_some()
    }

    /// What is searched and how far that is, in percent, while it goes on.
    pub(crate) fn searching(&self) -> Option<(&str, u8)> {
        let (_, percent) = self.search.busy?;
        Some((self.search.needle.as_ref()?.typed().as_str(), percent))
    }

    /// Where the needle begins in a row; it may end in the next piece of its line.
    pub(super) fn begin_in(&self, row: usize) -> Option<Vec<Range<usize>>> {
        let needle = self.search.needle.as_ref()?;
        let text = self.body.row(row)?.text();
        let end = text.len();
        let whole = text + &self.head_of(row + 1, needle);
        Some(needle.find_all(&whole).into_iter().filter(|range| range.start < end).collect())
    }

    /// What is shown as found in a row, with what began in the piece before.
    pub(super) fn found_in(&self, row: usize) -> Vec<Range<usize>> {
        let Some(needle) = &self.search.needle else { return Vec::new() };
        let Some(text) = self.body.row(row).map(crate::text::Row::text) else { return Vec::new() };
        let before = match self.body.continues(row) {
            true => self.body.row(row.saturating_sub(1)).map(crate::text::Row::text).unwrap_or_default(),
            false => String::new(),
        };
        let tail = before.char_indices().map(|(at, _)| at).find(|at| before.len() - at < needle.reach());
        let before = &before[tail.unwrap_or(before.len())..];
        let whole = format!("{before}{text}{}", self.head_of(row + 1, needle));
        let place = |at: usize| at.saturating_sub(before.len()).min(text.len());
        let all = needle.find_all(&whole).into_iter().map(|range| place(range.start)..place(range.end));
        all.filter(|range| !range.is_empty()).collect()
    }

    /// The beginning of a row that goes on with a line.
    fn head_of(&self, row: usize, needle: &Needle) -> String {
        if !self.body.continues(row) {
            return String::new();
        }
        let mut text = self.body.row(row).map(crate::text::Row::text).unwrap_or_default();
        if let Some((end, _)) = text.char_indices().find(|(at, _)| *at >= needle.reach()) {
            text.truncate(end);
        }
        text
    }
}
