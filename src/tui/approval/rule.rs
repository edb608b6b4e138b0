//! When an approval may be answered: a pure function of keys and times.
//!
//! A wrong "yes" is the worst thing that can happen here, an accidental "no"
//! the second worst. So a dialog that opens under somebody's hands must not be
//! answered by what they were typing: it waits for a pause, and then wants two
//! acts, a choice and Enter as the very next key.

use crate::tui::input::Key;
use crate::tui::moment::Moment;
use crossterm::event::KeyCode;
use std::time::Duration;

/// The pause after the first paint and after the last key.
const PAUSE: Duration = Duration::from_millis(400);
/// The pause while the composer holds a draft.
const PAUSE_WITH_DRAFT: Duration = Duration::from_secs(1);
/// A letter and an Enter closer together than this come from no person's hand.
const ONE_BREATH: Duration = Duration::from_millis(20);

/// What can be answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Choice {
    /// Run it once.
    Run,
    /// Run it, and this very operation again without asking.
    RunAlways,
    /// Change the command first.
    Edit,
    /// Do not run it.
    Deny,
    /// Do not run it, and tell the model why.
    DenyWithWords,
    /// Run neither it nor the calls after it.
    DenyRest,
}

impl Choice {
    /// The letter that chooses it. Denying the rest has none: no letter but
    /// these five means anything in the dialog.
    pub(crate) fn letter(self) -> Option<char> {
        match self {
            Self::Run => Some('y'),
            Self::RunAlways => Some('a'),
            Self::Edit => Some('e'),
            Self::Deny => Some('n'),
            Self::DenyWithWords => Some('w'),
            Self::DenyRest => None,
        }
    }
}

/// What Tab and the arrows stop at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Spot {
    /// An answer.
    Choice(Choice),
    /// The time limit; Up and Down change it.
    Limit,
    /// The environment; Enter shows its values.
    Environment,
}

/// How things stand when a key comes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Standing<'a> {
    /// What the composer holds.
    pub draft: &'a str,
    /// What can be stopped at now, in the order of Tab. Running is absent
    /// until every row of the command has been on the screen.
    pub spots: &'a [Spot],
}

/// What comes of a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Told {
    /// Nothing but a new wait.
    Nothing,
    /// The key goes to the draft, after the letter of a choice that it took back.
    Draft(Option<char>),
    /// The choice was taken back: its letter goes to the draft, the key nowhere.
    TakenBack(Option<char>),
    /// A choice was made or moved.
    Chosen,
    /// The dialog is answered.
    Answer(Choice),
    /// The call is denied and the turn stopped.
    Stop,
    /// The time limit is to be the next longer or shorter one.
    Limit {
        /// Longer, not shorter.
        longer: bool,
    },
    /// The environment's values are to be shown.
    Environment,
}

/// What is chosen, and how.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mark {
    Nothing,
    Letter { choice: Choice, letter: char, at: Moment },
    Spot(Spot),
}

/// The state of the rule for one dialog.
#[derive(Debug, Clone)]
pub(crate) struct Rule {
    painted: Option<Moment>,
    last_key: Option<Moment>,
    mark: Mark,
    pressed: Option<Choice>,
    /// A choice letter that came too early into an empty draft.
    early: Option<char>,
}

impl Rule {
    /// A dialog that is not yet painted; `last_key` is the last key before it.
    pub(crate) fn new(last_key: Option<Moment>) -> Self {
        Self { painted: None, last_key, mark: Mark::Nothing, pressed: None, early: None }
    }

    /// The dialog was painted.
    pub(crate) fn painted(&mut self, at: Moment) {
        self.painted.get_or_insert(at);
    }

    /// The operation was changed from here: the dialog is a new one, but a hand
    /// on the limit stays there.
    pub(crate) fn reopened(&mut self) {
        self.painted = None;
        if !self.is_on_limit() {
            self.mark = Mark::Nothing;
        }
    }

    /// When a choice can be made, if no key comes before; none before the first paint.
    pub(crate) fn ready_at(&self, draft: &str) -> Option<Moment> {
        let painted = self.painted? + PAUSE;
        let pause = if self.is_draft(draft) { PAUSE_WITH_DRAFT } else { PAUSE };
        Some(self.last_key.map_or(painted, |key| painted.max(key + pause)))
    }

    /// Whether a choice can be made now.
    pub(crate) fn is_ready(&self, draft: &str, at: Moment) -> bool {
        self.ready_at(draft).is_some_and(|ready| ready <= at)
    }

    /// What is chosen.
    pub(crate) fn chosen(&self) -> Option<Spot> {
        match self.mark {
            Mark::Nothing => None,
            Mark::Letter { choice, .. } => Some(Spot::Choice(choice)),
            Mark::Spot(spot) => Some(spot),
        }
    }

    /// Whether the draft is nothing but a choice letter that came too early:
    /// it is removed when the dialog is answered.
    pub(crate) fn is_early_letter(&self, draft: &str) -> bool {
        let mut letters = draft.chars();
        self.early.is_some() && letters.next() == self.early && letters.next().is_none()
    }

    fn is_draft(&self, draft: &str) -> bool {
        !draft.is_empty() && !self.is_early_letter(draft)
    }

    /// A key was pressed.
    pub(crate) fn key(&mut self, key: Key, at: Moment, standing: Standing<'_>) -> Told {
        let open = self.mark != Mark::Nothing || self.is_ready(standing.draft, at);
        let told = if open { self.open_key(key, at, standing) } else { self.early_key(key, standing) };
        self.last_key = Some(at);
        told
    }

    /// Something came between, such as a paste or a scroll: never an answer.
    /// Gives the letter that goes to the draft before it.
    pub(crate) fn interrupted(&mut self, at: Moment) -> Option<char> {
        self.last_key = Some(at);
        self.take_back()
    }

    /// A mouse button went down, perhaps on a choice.
    pub(crate) fn mouse_down(&mut self, on: Option<Choice>, at: Moment, standing: Standing<'_>) {
        self.pressed = on.filter(|_| self.is_ready(standing.draft, at));
    }

    /// It went up: a click that began and ended on a choice chooses it.
    pub(crate) fn mouse_up(&mut self, on: Option<Choice>, at: Moment, standing: Standing<'_>) {
        let began = self.pressed.take();
        if let Some(choice) = on.filter(|choice| began == Some(*choice))
            && self.is_ready(standing.draft, at)
            && standing.spots.contains(&Spot::Choice(choice))
        {
            self.mark = Mark::Spot(Spot::Choice(choice));
        }
    }

    fn early_key(&mut self, key: Key, standing: Standing<'_>) -> Told {
        match key.code {
            KeyCode::Esc => Told::Nothing,
            KeyCode::Enter if key.mods.is_empty() => Told::Nothing,
            KeyCode::Tab | KeyCode::BackTab => Told::Nothing,
            _ => self.for_draft(key, standing),
        }
    }

    fn for_draft(&mut self, key: Key, standing: Standing<'_>) -> Told {
        let before = self.take_back();
        if standing.draft.is_empty() {
            let letter = key.typed().filter(|letter| "yaenw".contains(*letter));
            self.early = letter.filter(|_| before.is_none());
        }
        Told::Draft(before)
    }

    /// Whether the hand is on the time limit.
    pub(crate) fn is_on_limit(&self) -> bool {
        self.mark == Mark::Spot(Spot::Limit)
    }

    fn open_key(&mut self, key: Key, at: Moment, standing: Standing<'_>) -> Told {
        match (key.code, key.mods.is_empty()) {
            (KeyCode::Esc, true) => Told::Stop,
            (KeyCode::Enter, true) => self.enter(at),
            (KeyCode::Tab | KeyCode::Right, true) => self.walk(1, standing),
            (KeyCode::BackTab | KeyCode::Left, true) => self.walk(-1, standing),
            (KeyCode::Up, true) if self.is_on_limit() => Told::Limit { longer: true },
            (KeyCode::Down, true) if self.is_on_limit() => Told::Limit { longer: false },
            _ => self.letter(key, at, standing),
        }
    }

    fn enter(&mut self, at: Moment) -> Told {
        match self.mark {
            Mark::Nothing | Mark::Spot(Spot::Limit) => Told::Nothing,
            Mark::Letter { at: chosen, .. } if at.since(chosen) < ONE_BREATH => {
                Told::TakenBack(self.take_back())
            }
            Mark::Letter { choice, .. } | Mark::Spot(Spot::Choice(choice)) => Told::Answer(choice),
            Mark::Spot(Spot::Environment) => Told::Environment,
        }
    }

    fn walk(&mut self, step: isize, standing: Standing<'_>) -> Told {
        let spots = standing.spots;
        let here = self.chosen().and_then(|spot| spots.iter().position(|s| *s == spot));
        let next = match here {
            Some(here) => (here + spots.len()).saturating_add_signed(step) % spots.len().max(1),
            None if step > 0 => 0,
            None => spots.len().saturating_sub(1),
        };
        if let Some(spot) = spots.get(next) {
            self.mark = Mark::Spot(*spot);
        }
        Told::Chosen
    }

    fn letter(&mut self, key: Key, at: Moment, standing: Standing<'_>) -> Told {
        let chosen_by_letter = matches!(self.mark, Mark::Letter { .. });
        // A draft that ends in a space is a sentence that goes on: its next
        // word may be a single letter, and Enter may follow.
        let sentence_goes_on = standing.draft.ends_with(char::is_whitespace);
        if let Some(letter) = key.typed()
            && !chosen_by_letter
            && !sentence_goes_on
            && self.is_ready(standing.draft, at)
            && let Some(choice) = choice_of(letter, standing.spots)
        {
            self.mark = Mark::Letter { choice, letter, at };
            return Told::Chosen;
        }
        self.for_draft(key, standing)
    }

    /// Chosen by a letter: that letter was text after all.
    fn take_back(&mut self) -> Option<char> {
        match std::mem::replace(&mut self.mark, Mark::Nothing) {
            Mark::Letter { letter, .. } => Some(letter),
            Mark::Nothing | Mark::Spot(_) => None,
        }
    }
}

fn choice_of(letter: char, spots: &[Spot]) -> Option<Choice> {
    spots.iter().find_map(|spot| match spot {
        Spot::Choice(choice) if choice.letter() == Some(letter) => Some(*choice),
        Spot::Choice(_) | Spot::Limit | Spot::Environment => None,
    })
}

#[cfg(test)]
mod tests;
