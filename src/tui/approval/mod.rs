//! The dialog in which a person decides about a call. It asks; what may be
//! decided, and what comes of it, is the agent's.

mod rule;

#[cfg(test)]
mod tests;

pub(crate) use rule::{Choice, Spot};

use super::composer::Composer;
use super::input::Key;
use super::keys::{self, Act, Place};
use super::moment::Moment;
use super::seen::{Seen, Shown};
use crate::agent::{ApprovalRequest, Verdict};
use rule::{Rule, Standing, Told};

/// The time limits that Up and Down walk through, in milliseconds.
const LIMITS: [u64; 4] = [30_000, 300_000, 1_800_000, 3_600_000];

/// An open dialog.
#[derive(Debug)]
pub(crate) struct Approval {
    /// What is asked.
    pub request: ApprovalRequest,
    /// What the dialog shows besides the question.
    pub mode: Mode,
    /// First row of its upper part that is shown.
    pub top: usize,
    rule: Rule,
    seen: Seen,
    /// The last key moved in the command.
    moved: bool,
    /// Rows that the upper part has, and how many of them fit.
    extent: (usize, usize),
}

/// What the dialog shows besides the question.
#[derive(Debug)]
pub(crate) enum Mode {
    /// Nothing.
    Ask,
    /// The command in a field.
    Edit(Composer),
    /// A field for the words of a denial.
    Words(Composer),
    /// The values of the environment.
    Environment,
}

/// What a frame showed of the dialog.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Painted {
    /// Rows of the upper part that were visible, and which are the command.
    pub shown: Shown,
    /// Rows that the upper part has.
    pub total: usize,
}

/// What comes of a key.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// Nothing outside of the dialog.
    Nothing,
    /// The key goes to the draft, after this letter.
    Draft(Option<char>),
    /// Only this letter goes to the draft.
    Letter(char),
    /// The dialog is answered.
    Decide(Verdict),
    /// Another operation is wanted.
    Change {
        /// The command.
        command: String,
        /// The time limit in milliseconds.
        timeout_ms: u64,
    },
    /// Deny the call and stop the turn.
    Stop,
    /// The field is to be opened in an editor.
    Editor,
}

impl Approval {
    /// A dialog that is not painted yet.
    pub(crate) fn new(request: ApprovalRequest, last_key: Option<Moment>) -> Self {
        Self {
            request,
            mode: Mode::Ask,
            top: 0,
            rule: Rule::new(last_key),
            seen: Seen::default(),
            moved: false,
            extent: (0, 0),
        }
    }

    /// The operation was changed from here.
    pub(crate) fn reopen(&mut self, request: ApprovalRequest) {
        let same_command = request.operation.command() == self.request.operation.command();
        if !same_command {
            (self.seen, self.top) = (Seen::default(), 0);
        }
        self.request = request;
        self.mode = Mode::Ask;
        self.rule.reopened();
    }

    /// The dialog was painted.
    pub(crate) fn painted(&mut self, painted: &Painted, at: Moment) {
        self.extent = (painted.total, painted.shown.visible.len());
        self.top = painted.shown.visible.start;
        if !matches!(self.mode, Mode::Ask) {
            return;
        }
        self.rule.painted(at);
        self.seen.painted(&painted.shown);
    }

    /// Whether every row of the command has been on the screen.
    pub(crate) fn is_seen(&self) -> bool {
        self.seen.all()
    }

    /// Whether the last key only moved in the command.
    pub(crate) fn was_moved(&self) -> bool {
        self.moved
    }

    /// What is chosen.
    pub(crate) fn chosen(&self) -> Option<Spot> {
        self.rule.chosen()
    }

    /// Whether an answer can be chosen now.
    pub(crate) fn is_ready(&self, draft: &str, at: Moment) -> bool {
        self.rule.is_ready(draft, at)
    }

    /// When it becomes ready, if that is to come.
    pub(crate) fn next_change(&self, draft: &str, now: Moment) -> Option<Moment> {
        self.rule.ready_at(draft).filter(|ready| *ready > now)
    }

    /// Whether the draft is only a letter that came too early.
    pub(crate) fn is_early_letter(&self, draft: &str) -> bool {
        self.rule.is_early_letter(draft)
    }

    /// All answers that this request offers, in the order of Tab.
    pub(crate) fn choices(&self) -> Vec<Choice> {
        let (position, count) = self.request.position;
        let offered = |choice: &Choice| match choice {
            Choice::RunAlways => self.request.standing_offered,
            Choice::Edit => self.request.operation.command().is_some(),
            Choice::DenyRest => position < count,
            Choice::Run | Choice::Deny | Choice::DenyWithWords => true,
        };
        let all = [
            Choice::Run,
            Choice::RunAlways,
            Choice::Edit,
            Choice::Deny,
            Choice::DenyWithWords,
            Choice::DenyRest,
        ];
        all.into_iter().filter(offered).collect()
    }

    /// What Tab can stop at now.
    fn spots(&self) -> Vec<Spot> {
        let runs = |choice: &Choice| matches!(choice, Choice::Run | Choice::RunAlways);
        let mut spots: Vec<Spot> = self
            .choices()
            .into_iter()
            .filter(|choice| self.seen.all() || !runs(choice))
            .map(Spot::Choice)
            .collect();
        if self.request.operation.timeout_ms().is_some() && self.request.operation.command().is_some() {
            spots.push(Spot::Limit);
        }
        if !self.request.environment.is_empty() {
            spots.push(Spot::Environment);
        }
        spots
    }

    /// A key was pressed elsewhere: the wait begins again.
    pub(crate) fn touched(&mut self, at: Moment) {
        self.rule.interrupted(at);
    }

    /// A key was pressed.
    pub(crate) fn key(&mut self, key: Key, at: Moment, draft: &str) -> Outcome {
        match &mut self.mode {
            Mode::Ask => self.asked(key, at, draft),
            Mode::Environment => {
                self.mode = Mode::Ask;
                self.rule.interrupted(at);
                Outcome::Nothing
            }
            Mode::Edit(_) | Mode::Words(_) => self.field(key, at),
        }
    }

    /// Text was pasted: into a field, else it goes to the draft after this letter.
    pub(crate) fn paste(&mut self, text: &str, at: Moment) -> Outcome {
        match &mut self.mode {
            Mode::Edit(field) | Mode::Words(field) => {
                field.paste(text);
                Outcome::Nothing
            }
            Mode::Ask | Mode::Environment => Outcome::Draft(self.rule.interrupted(at)),
        }
    }

    /// A mouse button went down on a choice, or elsewhere.
    pub(crate) fn mouse_down(&mut self, on: Option<Choice>, at: Moment, draft: &str) {
        let spots = self.spots();
        self.rule.mouse_down(on, at, Standing { draft, spots: &spots });
    }

    /// It went up.
    pub(crate) fn mouse_up(&mut self, on: Option<Choice>, at: Moment, draft: &str) {
        let spots = self.spots();
        self.rule.mouse_up(on, at, Standing { draft, spots: &spots });
    }

    /// The text of the field in an editor's hands.
    pub(crate) fn field_text(&self) -> Option<String> {
        match &self.mode {
            Mode::Edit(field) | Mode::Words(field) => Some(field.text()),
            Mode::Ask | Mode::Environment => None,
        }
    }

    /// What the editor made of it.
    pub(crate) fn set_field(&mut self, text: &str) {
        if let Mode::Edit(field) | Mode::Words(field) = &mut self.mode {
            field.set(text.trim_end_matches('\n'));
        }
    }

    fn asked(&mut self, key: Key, at: Moment, draft: &str) -> Outcome {
        let by = self.scrolled_by(key);
        self.moved = by.is_some();
        if let Some(by) = by {
            self.top = self.top.saturating_add_signed(by).min(self.extent.0.saturating_sub(self.extent.1));
            return self.rule.interrupted(at).map_or(Outcome::Nothing, Outcome::Letter);
        }
        let spots = self.spots();
        match self.rule.key(key, at, Standing { draft, spots: &spots }) {
            Told::Nothing | Told::Chosen | Told::TakenBack(None) => Outcome::Nothing,
            Told::TakenBack(Some(letter)) => Outcome::Letter(letter),
            Told::Draft(before) => Outcome::Draft(before),
            Told::Stop => Outcome::Stop,
            Told::Limit { longer } => self.limit(longer),
            Told::Environment => {
                self.mode = Mode::Environment;
                Outcome::Nothing
            }
            Told::Answer(choice) => self.answer(choice),
        }
    }

    /// Up and Down move in the command, unless the hand is on the limit.
    fn scrolled_by(&self, key: Key) -> Option<isize> {
        let page = isize::try_from(self.extent.1.saturating_sub(1).max(1)).unwrap_or(1);
        match keys::find(Place::Transcript, key)? {
            Act::Up if !self.rule.is_on_limit() => Some(-1),
            Act::Down if !self.rule.is_on_limit() => Some(1),
            Act::PageUp => Some(-page),
            Act::PageDown => Some(page),
            _ => None,
        }
    }

    fn answer(&mut self, choice: Choice) -> Outcome {
        match choice {
            Choice::Run => Outcome::Decide(Verdict::Run),
            Choice::RunAlways => Outcome::Decide(Verdict::RunAlways),
            Choice::Deny => Outcome::Decide(Verdict::Deny { feedback: None }),
            Choice::DenyRest => Outcome::Decide(Verdict::DenyRest { feedback: None }),
            Choice::Edit => {
                let mut field = Composer::default();
                field.type_text(self.request.operation.command().unwrap_or_default());
                self.mode = Mode::Edit(field);
                Outcome::Nothing
            }
            Choice::DenyWithWords => {
                self.mode = Mode::Words(Composer::default());
                Outcome::Nothing
            }
        }
    }

    /// The next longer or shorter limit.
    fn limit(&self, longer: bool) -> Outcome {
        let now = self.request.operation.timeout_ms().unwrap_or_default();
        let next = match longer {
            true => LIMITS.into_iter().find(|limit| *limit > now),
            false => LIMITS.into_iter().rev().find(|limit| *limit < now),
        };
        match (next, self.request.operation.command()) {
            (Some(timeout_ms), Some(command)) => Outcome::Change { command: command.to_owned(), timeout_ms },
            _ => Outcome::Nothing,
        }
    }

    fn field(&mut self, key: Key, at: Moment) -> Outcome {
        let (Mode::Edit(field) | Mode::Words(field)) = &mut self.mode else { return Outcome::Nothing };
        match keys::find(Place::Composer, key) {
            Some(Act::Esc) => self.back(at),
            Some(Act::Editor) => return Outcome::Editor,
            Some(Act::Send) => return self.field_done(at),
            act => _ = field.press(act, key),
        }
        Outcome::Nothing
    }

    fn back(&mut self, at: Moment) {
        self.mode = Mode::Ask;
        self.rule.reopened();
        self.rule.interrupted(at);
    }

    fn field_done(&mut self, at: Moment) -> Outcome {
        match &self.mode {
            Mode::Edit(field) => {
                let command = field.text();
                if command.is_empty() {
                    return Outcome::Nothing;
                }
                let timeout_ms = self.request.operation.timeout_ms().unwrap_or_default();
                let changed = Some(command.as_str()) != self.request.operation.command();
                self.back(at);
                if changed { Outcome::Change { command, timeout_ms } } else { Outcome::Nothing }
            }
            Mode::Words(field) => {
                let words = field.text();
                let feedback = (!words.trim().is_empty()).then_some(words);
                Outcome::Decide(Verdict::Deny { feedback })
            }
            Mode::Ask | Mode::Environment => Outcome::Nothing,
        }
    }
}
