//! Small dialogs: a question and a few answers, none chosen beforehand.

use super::input::Key;
use crossterm::event::KeyCode;

/// The answers of a question, and which one is chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Menu<T: 'static> {
    /// The answers with what they are called, in order.
    pub items: &'static [(T, &'static str)],
    /// The chosen one.
    pub chosen: Option<usize>,
}

/// What a key did to a menu.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Picked<T> {
    /// Nothing yet.
    Open,
    /// This was answered.
    Answer(T),
    /// It was closed without an answer.
    Closed,
}

impl<T: Copy> Menu<T> {
    /// A menu with nothing chosen.
    pub(crate) fn new(items: &'static [(T, &'static str)]) -> Self {
        Self { items, chosen: None }
    }

    /// Tab and the arrows choose, Enter answers what is chosen, Esc closes.
    pub(crate) fn key(&mut self, key: Key) -> Picked<T> {
        let count = self.items.len();
        match key.code {
            KeyCode::Esc => return Picked::Closed,
            KeyCode::Tab | KeyCode::Right | KeyCode::Down => {
                self.chosen = Some(self.chosen.map_or(0, |at| (at + 1) % count));
            }
            KeyCode::BackTab | KeyCode::Left | KeyCode::Up => {
                self.chosen = Some(self.chosen.map_or(count - 1, |at| (at + count - 1) % count));
            }
            KeyCode::Enter => {
                if let Some((answer, _)) = self.chosen.and_then(|at| self.items.get(at)) {
                    return Picked::Answer(*answer);
                }
            }
            _ => {}
        }
        Picked::Open
    }
}

/// What becomes of a running command, or of the conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Leaving {
    /// Leave; a running command runs on.
    Leave,
    /// Stop the command, then leave.
    Stop,
    /// Do not leave.
    Stay,
    /// The word was meant as a message.
    Send,
}

/// The question before leaving.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Leave {
    /// What runs, if something does.
    pub command: Option<String>,
    /// The message that only said to leave.
    pub message: Option<String>,
    /// The answers.
    pub menu: Menu<Leaving>,
}

impl Leave {
    /// While a command runs.
    pub(crate) fn running(command: String) -> Self {
        let items =
            &[(Leaving::Leave, "Leave it running"), (Leaving::Stop, "Stop it"), (Leaving::Stay, "Stay")];
        Self { command: Some(command), message: None, menu: Menu::new(items) }
    }

    /// After a message like `quit`.
    pub(crate) fn said(message: String) -> Self {
        let items =
            &[(Leaving::Leave, "Leave"), (Leaving::Stay, "Stay"), (Leaving::Send, "Send it as a message")];
        Self { command: None, message: Some(message), menu: Menu::new(items) }
    }
}

/// The question at a limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Extension {
    /// Model requests so far.
    pub requests: u64,
    /// Calls so far.
    pub calls: u64,
    /// The answers.
    pub menu: Menu<bool>,
}

impl Extension {
    /// The turn reached a limit.
    pub(crate) fn new(requests: u64, calls: u64) -> Self {
        Self { requests, calls, menu: Menu::new(&[(true, "Go on"), (false, "End the turn")]) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_chosen_and_enter_alone_does_nothing() {
        let mut leave = Leave::running("rsync".into());
        let press = |menu: &mut Menu<Leaving>, code| menu.key(Key::plain(code));
        assert_eq!(press(&mut leave.menu, KeyCode::Enter), Picked::Open);
        press(&mut leave.menu, KeyCode::Tab);
        press(&mut leave.menu, KeyCode::Right);
        assert_eq!(press(&mut leave.menu, KeyCode::Enter), Picked::Answer(Leaving::Stop));
        press(&mut leave.menu, KeyCode::Left);
        assert_eq!(press(&mut leave.menu, KeyCode::Enter), Picked::Answer(Leaving::Leave));
        assert_eq!(press(&mut leave.menu, KeyCode::Esc), Picked::Closed);
    }
}
