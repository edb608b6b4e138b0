//! Where control sequences begin and end.
//!
//! The states are those of ECMA-48, with 7-bit and 8-bit introducers. Two
//! rules are ours: a sequence never outlives its line, so that one without an
//! end cannot hide what follows, and nothing of a sequence is ever kept but
//! the numbers of a CSI, so that none can be too long.

/// What one character means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    /// It is text.
    Text,
    /// It moves the cursor or erases.
    Move(Motion),
    /// It ended a sequence that sets the style; [`Scanner::params`] has its numbers.
    Sgr,
    /// It is shown as nothing.
    Nothing,
}

/// What is honoured inside of a line besides text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Motion {
    /// To the next tab stop.
    Tab,
    /// To the line's beginning.
    Return,
    /// One cell back.
    Back,
    /// From the cursor to the end.
    EraseToEnd,
    /// From the beginning to the cursor.
    EraseToStart,
    EraseAll,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum State {
    #[default]
    Text,
    Escape,
    /// After an intermediate byte of an escape sequence: its end is near.
    Intermediate,
    Csi,
    Osc,
    /// DCS, SOS, PM, APC: like OSC, but BEL is part of it.
    String,
}

/// The state of one stream of characters. A new line begins with a new one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Scanner {
    state: State,
    params: Params,
}

const ESC: char = '\x1b';

impl Scanner {
    /// Whether the next character stands outside of any sequence.
    pub(super) fn is_text(&self) -> bool {
        self.state == State::Text
    }

    /// Whether the next character belongs to a string that a sequence carries.
    pub(super) fn is_string(&self) -> bool {
        matches!(self.state, State::Osc | State::String)
    }

    /// The numbers of the CSI that just ended.
    pub(super) fn params(&self) -> &Params {
        &self.params
    }

    pub(super) fn step(&mut self, c: char) -> Step {
        match self.state {
            State::Text => self.text(c),
            State::Escape => self.escape(c),
            State::Intermediate => self.intermediate(c),
            State::Csi => self.csi(c),
            State::Osc | State::String => self.string(c),
        }
    }

    fn become_state(&mut self, state: State) -> Step {
        self.state = state;
        if state == State::Csi {
            self.params = Params::default();
        }
        Step::Nothing
    }

    fn text(&mut self, c: char) -> Step {
        match c {
            '\t' => Step::Move(Motion::Tab),
            '\r' => Step::Move(Motion::Return),
            '\x08' => Step::Move(Motion::Back),
            ESC => self.become_state(State::Escape),
            '\u{9b}' => self.become_state(State::Csi),
            '\u{9d}' => self.become_state(State::Osc),
            '\u{90}' | '\u{98}' | '\u{9e}' | '\u{9f}' => self.become_state(State::String),
            _ if c.is_control() => Step::Nothing,
            _ => Step::Text,
        }
    }

    fn escape(&mut self, c: char) -> Step {
        match c {
            '[' => self.become_state(State::Csi),
            ']' => self.become_state(State::Osc),
            'P' | 'X' | '^' | '_' => self.become_state(State::String),
            ' '..='/' => self.become_state(State::Intermediate),
            '0'..='~' => self.become_state(State::Text),
            _ => self.interrupted(c),
        }
    }

    fn intermediate(&mut self, c: char) -> Step {
        match c {
            ' '..='/' => Step::Nothing,
            '0'..='~' => self.become_state(State::Text),
            _ => self.interrupted(c),
        }
    }

    fn csi(&mut self, c: char) -> Step {
        match c {
            '0'..='?' => {
                self.params.read(c);
                Step::Nothing
            }
            ' '..='/' => {
                self.params.foreign = true;
                Step::Nothing
            }
            '@'..='~' => {
                self.state = State::Text;
                self.params.meaning(c)
            }
            _ => self.interrupted(c),
        }
    }

    /// A character that belongs to no sequence: terminals obey C0 controls in
    /// the middle of one, start a new one at ESC, and give up at anything else.
    fn interrupted(&mut self, c: char) -> Step {
        let abandons = !c.is_ascii() || matches!(c, '\x18' | '\x1a');
        if abandons {
            self.state = State::Text;
        }
        self.text(c)
    }

    fn string(&mut self, c: char) -> Step {
        match c {
            ESC => self.become_state(State::Escape),
            '\x07' if self.state == State::Osc => self.become_state(State::Text),
            '\u{9c}' | '\x18' | '\x1a' => self.become_state(State::Text),
            _ => Step::Nothing,
        }
    }
}

/// SGR sequences in the wild have at most about ten numbers.
const PARAMS: usize = 24;

/// The numbers of a CSI.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Params {
    values: [u16; PARAMS],
    /// How many separators were read.
    separators: u8,
    /// Bit n: number n was joined to the one before it by a colon.
    joined: u32,
    /// It has a private marker, an intermediate byte or too many numbers.
    foreign: bool,
}

impl Params {
    /// The first number, and the ones joined to it by colons; then the next.
    pub(super) fn groups(&self) -> impl Iterator<Item = &[u16]> {
        let values = self.values.get(..=usize::from(self.separators)).unwrap_or(&self.values);
        let mut at = 0;
        std::iter::from_fn(move || {
            let rest = values.get(at..).filter(|rest| !rest.is_empty())?;
            let joined = (at + 1..values.len()).take_while(|n| self.joined & (1 << n) != 0).count();
            at += joined + 1;
            rest.get(..=joined)
        })
    }

    fn read(&mut self, c: char) {
        match (c.to_digit(10), self.values.get_mut(usize::from(self.separators))) {
            (Some(digit), Some(value)) => {
                let digit = u16::try_from(digit).unwrap_or_default();
                *value = value.saturating_mul(10).saturating_add(digit);
            }
            (None, Some(_)) if matches!(c, ';' | ':') => {
                self.separators += 1;
                self.joined |= u32::from(c == ':') << self.separators;
            }
            _ => self.foreign = true,
        }
    }

    fn meaning(&self, last: char) -> Step {
        match (self.foreign, last, self.values[0]) {
            (false, 'm', _) => Step::Sgr,
            (false, 'K', 0) => Step::Move(Motion::EraseToEnd),
            (false, 'K', 1) => Step::Move(Motion::EraseToStart),
            (false, 'K', 2) => Step::Move(Motion::EraseAll),
            _ => Step::Nothing,
        }
    }
}
