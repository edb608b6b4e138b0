//! The form for a command that was found running when a session was opened.

use super::dialog::Menu;
use crate::agent::RunningCommand;

/// What a person may do about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wish {
    /// Let it run, and watch it in the conversation.
    Wait,
    /// Stop it.
    Stop,
    /// Give it up: its outcome will be unknown.
    GiveUp,
    /// Leave it running, and leave.
    Leave,
}

/// The open form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct StillRunning {
    /// The command.
    pub command: RunningCommand,
    /// The answers.
    pub menu: Menu<Wish>,
}

impl StillRunning {
    /// A form about this command; only one without a supervisor can be given up.
    pub(crate) fn new(command: RunningCommand) -> Self {
        let menu = if command.supervised {
            Menu::new(&[(Wish::Wait, "Wait"), (Wish::Stop, "Stop it"), (Wish::Leave, "Leave")])
        } else {
            Menu::new(&[
                (Wish::Wait, "Wait"),
                (Wish::Stop, "Stop it"),
                (Wish::GiveUp, "Give it up"),
                (Wish::Leave, "Leave"),
            ])
        };
        Self { command, menu }
    }
}
