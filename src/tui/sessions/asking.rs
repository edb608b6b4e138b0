//! What is asked about one session: a title, whether it is moved to the trash,
//! which turns a fork begins with.

use crate::agent::{SessionRow, SessionState};
use crate::record::TurnId;
use crate::session::{Session, first_title};
use crate::tui::composer::Composer;
use crate::tui::input::Key;
use crate::tui::keys::{self, Act, Place};
use crate::tui::sentences;
use crossterm::event::KeyCode;

/// An open question.
#[derive(Debug)]
pub(crate) enum Asking {
    /// Another title.
    Title(Composer),
    /// Is it moved to the trash?
    Trash,
    /// Only with the first word of its title.
    Word {
        /// The word as it is typed.
        field: Composer,
        /// Why.
        why: String,
    },
    /// Which turns does a fork begin with?
    Fork(Turns),
}

/// What was answered.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Answer {
    /// Nothing yet.
    Open,
    /// It was closed.
    Closed,
    /// This title.
    Title(String),
    /// Move it, with this word.
    Trash(Option<String>),
    /// Fork it up to this turn.
    Fork(TurnId),
}

/// The ended turns of a session, one chosen.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Turns {
    /// The turns, oldest first.
    pub list: Vec<EndedTurn>,
    /// The chosen one.
    pub at: usize,
}

/// A turn that has ended.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct EndedTurn {
    /// The turn.
    pub id: TurnId,
    /// The record of its message.
    pub seq: u64,
    /// The first line of its message.
    pub message: String,
}

impl Turns {
    /// The turns of a session; the last one is chosen.
    pub(crate) fn of(session: &Session) -> Self {
        let ended = session.turns().iter().filter(|turn| turn.end.is_some());
        let list: Vec<EndedTurn> = ended
            .filter_map(|turn| {
                let message = turn.messages().next()?;
                Some(EndedTurn { id: turn.id, seq: message.seq, message: first_title(&message.text) })
            })
            .collect();
        Self { at: list.len().saturating_sub(1), list }
    }

    /// The chosen turn.
    pub(crate) fn chosen(&self) -> Option<&EndedTurn> {
        self.list.get(self.at)
    }

    /// How many of the last turns are left out.
    pub(crate) fn without(&self) -> usize {
        (self.list.len() - self.at).saturating_sub(1)
    }
}

impl Asking {
    pub(super) fn title(title: &str) -> Self {
        let mut field = Composer::default();
        field.type_text(title);
        Self::Title(field)
    }

    /// A session that needs a person is asked about by name at once.
    pub(super) fn trash(row: &SessionRow) -> Self {
        match row.state {
            SessionState::NeedsYou => Self::word(sentences::UNKNOWN_TO_TRASH),
            SessionState::CommandRunning
            | SessionState::OpenElsewhere
            | SessionState::Ready
            | SessionState::Interrupted
            | SessionState::ReadOnly
            | SessionState::Damaged
            | SessionState::Missing => Self::Trash,
        }
    }

    pub(super) fn word(why: &str) -> Self {
        Self::Word { field: Composer::default(), why: why.to_owned() }
    }

    pub(super) fn paste(&mut self, line: &str) {
        match self {
            Self::Title(field) | Self::Word { field, .. } => field.type_text(line),
            Self::Trash | Self::Fork(_) => {}
        }
    }

    /// Esc closes, Enter answers; `page` is what a page moves by.
    pub(super) fn key(&mut self, key: Key, page: usize) -> Answer {
        let act = keys::find(Place::Composer, key);
        if matches!(act, Some(Act::Esc | Act::Interrupt)) {
            return Answer::Closed;
        }
        let enter = key.code == KeyCode::Enter && key.mods.is_empty();
        match self {
            Self::Title(field) | Self::Word { field, .. } if !enter => {
                field.press_in_line(act, key);
                Answer::Open
            }
            Self::Title(field) => match field.text().trim() {
                "" => Answer::Open,
                title => Answer::Title(title.to_owned()),
            },
            Self::Word { field, .. } => match field.text().trim() {
                "" => Answer::Open,
                word => Answer::Trash(Some(word.to_owned())),
            },
            Self::Trash if enter => Answer::Trash(None),
            Self::Trash => Answer::Open,
            Self::Fork(turns) if enter => turns.chosen().map_or(Answer::Open, |turn| Answer::Fork(turn.id)),
            Self::Fork(turns) => {
                let last = turns.list.len().saturating_sub(1);
                turns.at = match keys::find(Place::Sessions, key) {
                    Some(Act::Up) => turns.at.saturating_sub(1),
                    Some(Act::Down) => turns.at + 1,
                    Some(Act::PageUp) => turns.at.saturating_sub(page),
                    Some(Act::PageDown) => turns.at + page,
                    Some(Act::Top) => 0,
                    Some(Act::Bottom) => last,
                    _ => turns.at,
                }
                .min(last);
                Answer::Open
            }
        }
    }
}
