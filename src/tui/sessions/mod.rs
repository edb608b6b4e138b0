//! The sessions over the whole screen: filtered as one types, one of them shown
//! beside them, searched inside, and what is done with one. It asks; the agent
//! does.

mod asking;
mod filter;
mod hits;
mod preview;

#[cfg(test)]
mod tests;

pub(crate) use asking::{Asking, Turns};
pub(crate) use filter::Scope;
pub(crate) use hits::Hits;
pub(crate) use preview::Preview;

use super::clock::Now;
use super::input::Key;
use super::keys::{self, Act, Place};
use super::sentences;
use crate::agent::{Command, Hit, Previewed, Searched, SessionRow};
use crate::record::{SessionId, TurnId};
use preview::Subject;

/// More than this is no filter, in characters.
const LONGEST: usize = 200;

/// The open list.
#[derive(Debug)]
pub(crate) struct Sessions {
    /// Which sessions it is about.
    pub scope: Scope,
    /// What is typed: a filter, or the words of a search.
    pub typed: String,
    /// The sessions in the trash; nothing before they are known.
    pub trash: Option<Vec<SessionRow>>,
    /// The session that is shown beside the list.
    pub preview: Preview,
    /// Whether the preview has the keys.
    pub in_preview: bool,
    /// What is asked about the chosen session.
    pub asking: Option<Asking>,
    /// A search inside all sessions, in place of the list.
    pub hits: Option<Hits>,
    /// Rows of the list and the preview's first column, as last drawn.
    pub drawn: Drawn,
    /// Numbers of the rows that are shown.
    shown: Vec<usize>,
    chosen: usize,
    chosen_id: Option<SessionId>,
    searches: u64,
}

/// What the last frame was like.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Drawn {
    /// Sessions or places that fit.
    pub rows: usize,
    /// The first column of the preview, if it stands beside the list.
    pub preview: Option<u16>,
}

/// What comes of a key.
#[derive(Debug, Default)]
pub(crate) struct Outcome {
    /// What the agent is told.
    pub tell: Vec<Command>,
    /// What becomes of the screen.
    pub then: Then,
}

/// What becomes of the screen.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) enum Then {
    /// It stays.
    #[default]
    Stay,
    /// It is closed.
    Close,
    /// This session is opened, at this record.
    Open(SessionId, Option<u64>),
    /// It goes on in a fork of this one up to this turn.
    Fork(SessionId, TurnId),
    /// A sentence is said.
    Say(String),
}

impl Outcome {
    fn then(then: Then) -> Self {
        Self { tell: Vec::new(), then }
    }

    fn tell(command: Command) -> Self {
        Self { tell: vec![command], then: Then::Stay }
    }
}

impl Sessions {
    /// The list with nothing typed, of this directory if it has any; and what
    /// the agent is told.
    pub(crate) fn open(all: &[SessionRow]) -> (Self, Option<Command>) {
        let here = all.is_empty() || all.iter().any(|row| row.here);
        let mut sessions = Self {
            scope: if here { Scope::Here } else { Scope::Everywhere },
            typed: String::new(),
            trash: None,
            preview: Preview::default(),
            in_preview: false,
            asking: None,
            hits: None,
            drawn: Drawn::default(),
            shown: Vec::new(),
            chosen: 0,
            chosen_id: None,
            searches: 0,
        };
        let look = sessions.refresh(all);
        (sessions, look)
    }

    fn source<'a>(&'a self, all: &'a [SessionRow]) -> &'a [SessionRow] {
        match self.scope {
            Scope::Trash => self.trash.as_deref().unwrap_or_default(),
            Scope::Here | Scope::Everywhere => all,
        }
    }

    /// The rows that are shown, and the number of the chosen one.
    pub(crate) fn rows<'a>(&'a self, all: &'a [SessionRow]) -> (Vec<&'a SessionRow>, usize) {
        let source = self.source(all);
        (self.shown.iter().filter_map(|index| source.get(*index)).collect(), self.chosen)
    }

    /// The chosen row.
    pub(crate) fn chosen<'a>(&'a self, all: &'a [SessionRow]) -> Option<&'a SessionRow> {
        self.source(all).get(*self.shown.get(self.chosen)?)
    }

    /// The sessions are others: the same one stays chosen if it is still there.
    pub(crate) fn refresh(&mut self, all: &[SessionRow]) -> Option<Command> {
        self.shown = filter::shown(self.source(all), self.scope, &self.typed);
        let source = self.source(all);
        let same = self.shown.iter().position(|index| source.get(*index).map(|row| row.id) == self.chosen_id);
        self.chosen = same.unwrap_or_else(|| self.chosen.min(self.shown.len().saturating_sub(1)));
        self.look(all)
    }

    /// What is typed or the scope is another: the first one is chosen.
    fn refilter(&mut self, all: &[SessionRow]) {
        self.shown = filter::shown(self.source(all), self.scope, &self.typed);
        self.chosen = 0;
    }

    /// Turns the preview to what is chosen now; gives what the agent is told.
    fn look(&mut self, all: &[SessionRow]) -> Option<Command> {
        let trashed = self.scope == Scope::Trash;
        let row = self.chosen(all).map(|row| row.id);
        self.chosen_id = row;
        let (subject, seq) = match (&self.hits, &self.asking) {
            (Some(hits), _) => {
                let hit = hits.chosen();
                (hit.map(|hit| Subject { id: hit.id, trashed: false }), hit.map(|hit| hit.seq))
            }
            (None, Some(Asking::Fork(turns))) => (self.preview.subject, turns.chosen().map(|turn| turn.seq)),
            (None, _) => (row.map(|id| Subject { id, trashed }), None),
        };
        let other = self.preview.turn_to(subject);
        self.preview.show(seq);
        let Subject { id, trashed } = subject.filter(|_| other)?;
        Some(Command::Preview { id, trashed })
    }

    /// A key; pure.
    pub(crate) fn key(&mut self, key: Key, all: &[SessionRow], now: Now) -> Outcome {
        let mut outcome = match (&self.asking, self.in_preview) {
            (Some(_), _) => self.asking_key(key, all),
            (None, true) => self.preview_key(key, all, now),
            (None, false) => self.list_key(key, all),
        };
        if outcome.then != Then::Close {
            outcome.tell.extend(self.look(all));
        }
        outcome
    }

    /// Pasted text is typed, its first line.
    pub(crate) fn paste(&mut self, text: &str, all: &[SessionRow]) -> Outcome {
        let line = text.lines().next().unwrap_or_default();
        let mut outcome = Outcome::default();
        match &mut self.asking {
            Some(asking) => asking.paste(line),
            None => {
                let room = LONGEST.saturating_sub(self.typed.chars().count());
                self.typed.extend(line.chars().filter(|c| !c.is_control()).take(room));
                outcome = self.retyped(all);
            }
        }
        outcome.tell.extend(self.look(all));
        outcome
    }

    fn list_key(&mut self, key: Key, all: &[SessionRow]) -> Outcome {
        match keys::find(Place::Sessions, key) {
            Some(Act::Esc) if self.hits.is_some() => return self.end_search(all),
            Some(Act::Esc | Act::Interrupt) => return self.close(),
            Some(Act::Open) => return self.open_chosen(all),
            Some(Act::Scope) if self.hits.is_none() => return self.turn_scope(all),
            Some(Act::Search) => {
                return if self.hits.is_some() { self.end_search(all) } else { self.search() };
            }
            Some(Act::Rename) => return self.ask(all, |row| Asking::title(&row.title)),
            Some(Act::Trash) => return self.ask(all, Asking::trash),
            Some(Act::Fork) => return self.ask_turns(),
            Some(Act::Right) => self.in_preview = self.preview.subject.is_some(),
            Some(Act::DeleteLeft) => return self.shorten(all, |typed| _ = typed.pop()),
            Some(Act::KillWordLeft) => return self.shorten(all, without_last_word),
            Some(Act::KillToStart) => return self.shorten(all, String::clear),
            Some(act) => self.walk(act),
            None => return key.typed().map(|c| self.type_char(c, all)).unwrap_or_default(),
        }
        Outcome::default()
    }

    fn type_char(&mut self, c: char, all: &[SessionRow]) -> Outcome {
        if self.typed.chars().count() >= LONGEST {
            return Outcome::default();
        }
        self.typed.push(c);
        self.retyped(all)
    }

    fn shorten(&mut self, all: &[SessionRow], shorten: impl FnOnce(&mut String)) -> Outcome {
        if self.typed.is_empty() {
            return Outcome::default();
        }
        shorten(&mut self.typed);
        self.retyped(all)
    }

    fn retyped(&mut self, all: &[SessionRow]) -> Outcome {
        if self.hits.is_some() {
            return self.search();
        }
        self.refilter(all);
        Outcome::default()
    }

    /// Searches inside all sessions for what is typed.
    fn search(&mut self) -> Outcome {
        self.searches += 1;
        self.hits = Some(Hits::new(self.searches));
        Outcome::tell(Command::Search { number: self.searches, words: self.typed.clone() })
    }

    fn end_search(&mut self, all: &[SessionRow]) -> Outcome {
        self.hits = None;
        self.searches += 1;
        self.refilter(all);
        Outcome::tell(Command::Search { number: self.searches, words: String::new() })
    }

    fn close(&mut self) -> Outcome {
        let searching = self.hits.as_ref().is_some_and(|hits| hits.ended.is_none());
        let stop = searching.then(|| Command::Search { number: self.searches + 1, words: String::new() });
        Outcome { tell: stop.into_iter().collect(), then: Then::Close }
    }

    fn turn_scope(&mut self, all: &[SessionRow]) -> Outcome {
        self.scope = self.scope.next();
        self.refilter(all);
        match self.scope {
            Scope::Trash => Outcome::tell(Command::ListTrash),
            Scope::Here | Scope::Everywhere => Outcome::default(),
        }
    }

    /// Opens what is chosen; in the trash it is brought back.
    fn open_chosen(&mut self, all: &[SessionRow]) -> Outcome {
        if let Some(hits) = &self.hits {
            let open = hits.chosen().map(|hit| Then::Open(hit.id, Some(hit.seq)));
            return Outcome::then(open.unwrap_or_default());
        }
        match (self.chosen(all).map(|row| row.id), self.scope) {
            (None, _) => Outcome::default(),
            (Some(id), Scope::Trash) => Outcome::tell(Command::Restore(id)),
            (Some(id), Scope::Here | Scope::Everywhere) => Outcome::then(Then::Open(id, None)),
        }
    }

    /// Asks something about the chosen session, where it can be done.
    fn ask(&mut self, all: &[SessionRow], asking: impl FnOnce(&SessionRow) -> Asking) -> Outcome {
        if self.scope == Scope::Trash && self.hits.is_none() {
            return Outcome::then(Then::Say(sentences::IN_THE_TRASH.to_owned()));
        }
        let id = match &self.hits {
            Some(hits) => hits.chosen().map(|hit| hit.id),
            None => self.chosen(all).map(|row| row.id),
        };
        let row = id.and_then(|id| all.iter().find(|row| row.id == id));
        self.asking = row.map(asking);
        Outcome::default()
    }

    /// Asks which turns a fork begins with.
    fn ask_turns(&mut self) -> Outcome {
        if self.preview.subject.is_some_and(|subject| subject.trashed) {
            return Outcome::then(Then::Say(sentences::IN_THE_TRASH.to_owned()));
        }
        match self.preview.session().map(Turns::of) {
            None => Outcome::then(Then::Say(sentences::STILL_READING.to_owned())),
            Some(turns) if turns.list.is_empty() => {
                Outcome::then(Then::Say(sentences::NO_ENDED_TURN.to_owned()))
            }
            Some(turns) => {
                self.asking = Some(Asking::Fork(turns));
                Outcome::default()
            }
        }
    }

    fn asking_key(&mut self, key: Key, all: &[SessionRow]) -> Outcome {
        let id = match (&self.hits, &self.asking) {
            (_, Some(Asking::Fork(_))) => self.preview.subject.map(|subject| subject.id),
            (Some(hits), _) => hits.chosen().map(|hit| hit.id),
            (None, _) => self.chosen(all).map(|row| row.id),
        };
        let (Some(asking), Some(id)) = (&mut self.asking, id) else {
            self.asking = None;
            return Outcome::default();
        };
        let page = self.drawn.rows.max(2) - 1;
        match asking.key(key, page) {
            asking::Answer::Open => Outcome::default(),
            asking::Answer::Closed => {
                self.asking = None;
                Outcome::default()
            }
            asking::Answer::Title(title) => {
                self.asking = None;
                Outcome::tell(Command::RenameSession { id, title })
            }
            // It stays open until the agent has moved it or asked for a word.
            asking::Answer::Trash(title_word) => Outcome::tell(Command::Remove { id, title_word }),
            asking::Answer::Fork(upto) => Outcome::then(Then::Fork(id, upto)),
        }
    }

    fn preview_key(&mut self, key: Key, all: &[SessionRow], now: Now) -> Outcome {
        match keys::find(Place::Sessions, key) {
            Some(Act::Esc | Act::Left) => self.in_preview = false,
            Some(Act::Interrupt) => return self.close(),
            Some(Act::Open) => return self.open_chosen(all),
            Some(act @ (Act::Rename | Act::Trash | Act::Fork | Act::Search | Act::Scope)) => {
                self.in_preview = act == Act::Trash || act == Act::Rename;
                return self.list_key(key, all);
            }
            Some(act) => self.scroll(act, now),
            // What is typed is the filter's, whatever has the keys.
            None => {
                self.in_preview = false;
                return self.list_key(key, all);
            }
        }
        Outcome::default()
    }

    fn scroll(&mut self, act: Act, now: Now) {
        self.preview.scroll(now, |transcript, look| match act {
            Act::Up => transcript.scroll(-1, look),
            Act::Down => transcript.scroll(1, look),
            Act::PageUp => transcript.scroll_page(-1, look),
            Act::PageDown => transcript.scroll_page(1, look),
            Act::Top => transcript.go_to_top(look),
            Act::Bottom => transcript.go_to_end(),
            _ => {}
        });
    }

    fn walk(&mut self, act: Act) {
        let page = isize::try_from(self.drawn.rows.max(2) - 1).unwrap_or(1);
        let step = match act {
            Act::Up => -1,
            Act::Down => 1,
            Act::PageUp => -page,
            Act::PageDown => page,
            Act::Top => isize::MIN,
            Act::Bottom => isize::MAX,
            _ => return,
        };
        self.step(step);
    }

    /// The wheel over a column: what is under it moves.
    pub(crate) fn wheel(
        &mut self,
        rows: isize,
        column: u16,
        all: &[SessionRow],
        now: Now,
    ) -> Option<Command> {
        if self.in_preview || self.drawn.preview.is_some_and(|from| column >= from) {
            self.preview.scroll(now, |transcript, look| transcript.scroll(rows, look));
            return None;
        }
        self.step(rows);
        self.look(all)
    }

    fn step(&mut self, step: isize) {
        let (chosen, count) = match &mut self.hits {
            Some(hits) => (&mut hits.chosen, hits.list.len()),
            None => (&mut self.chosen, self.shown.len()),
        };
        *chosen = chosen.saturating_add_signed(step).min(count.saturating_sub(1));
    }

    /// The trash was listed.
    pub(crate) fn set_trash(&mut self, rows: Vec<SessionRow>, all: &[SessionRow]) -> Option<Command> {
        self.trash = Some(rows);
        self.refresh(all)
    }

    /// A session was read.
    pub(crate) fn previewed(&mut self, previewed: Previewed, now: Now) {
        self.preview.set(previewed, now);
    }

    /// A search has found places.
    pub(crate) fn found(&mut self, number: u64, new: Vec<Hit>, all: &[SessionRow]) -> Option<Command> {
        let hits = self.hits.as_mut().filter(|hits| hits.number == number)?;
        hits.list.extend(new);
        self.look(all)
    }

    /// A search has ended.
    pub(crate) fn searched(&mut self, number: u64, searched: Searched) {
        if let Some(hits) = self.hits.as_mut().filter(|hits| hits.number == number) {
            hits.ended = Some(searched);
        }
    }

    /// A session was moved: nothing is asked about it any more, and places in
    /// it are none.
    pub(crate) fn moved(&mut self, id: SessionId) {
        self.asking = None;
        if let Some(hits) = &mut self.hits {
            hits.list.retain(|hit| hit.id != id);
            hits.chosen = hits.chosen.min(hits.list.len().saturating_sub(1));
        }
    }

    /// The agent did not obey. It may want the first word of the title.
    pub(crate) fn refused(&mut self, word_wanted: Option<&str>) {
        if let Some(Asking::Trash | Asking::Word { .. }) = &self.asking {
            self.asking = word_wanted.map(Asking::word);
        }
    }
}

fn without_last_word(typed: &mut String) {
    let kept = typed.trim_end().rfind(char::is_whitespace).map_or(0, |at| at + 1);
    typed.truncate(kept);
}
