//! Text for the clipboard: by tmux, by a program of this machine, or by the
//! terminal itself; and the truth about which it was.
//!
//! What is tried is a pure function of the environment. Nothing here asks a
//! terminal anything: whether it obeys OSC 52 cannot be known, and is not said.

mod run;

#[cfg(test)]
mod tests;

pub(crate) use run::copy;

use crate::record::ItemKind;
use crate::session::{Entry, Session};
use crate::tui::surroundings::Surroundings;
use crossterm::Command as _;
use crossterm::clipboard::CopyToClipboard;

/// One way to a clipboard.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Way {
    /// tmux, which keeps the text and passes it to its terminal.
    Tmux,
    /// A program that takes the text from its input.
    Program {
        /// Its name.
        name: &'static str,
        /// Its arguments.
        arguments: &'static [&'static str],
    },
    /// A sequence that a terminal may obey.
    Terminal,
}

/// What came of copying.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Copied {
    /// A program took it.
    By(&'static str),
    /// tmux keeps it, and does not pass it on.
    InTmux,
    /// It is to be sent to the terminal.
    Terminal,
    /// Nothing took it; what was tried and why it failed.
    Nowhere(Vec<(&'static str, Failure)>),
}

/// Why a way failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Failure {
    /// The program is not there.
    Missing,
    /// It cannot be started, or not be given the text.
    Error(String),
    /// It ended badly.
    Ended(Option<i32>),
    /// It did not end in time.
    Hangs,
}

/// What is tried, in this order. Inside of a multiplexer the terminal itself
/// is not: by default tmux and screen drop what is meant for it.
pub(crate) fn ways(around: &Surroundings) -> Vec<Way> {
    let program = |name, arguments| Way::Program { name, arguments };
    [
        (around.tmux, Way::Tmux),
        (around.wayland, program("wl-copy", &[])),
        (around.x11, program("xclip", &["-selection", "clipboard"])),
        (around.x11, program("xsel", &["--clipboard", "--input"])),
        (around.mac, program("pbcopy", &[])),
        (!around.tmux && !around.screen, Way::Terminal),
    ]
    .into_iter()
    .filter_map(|(fits, way)| fits.then_some(way))
    .collect()
}

/// The sequence that gives a text to the terminal's clipboard.
pub(crate) fn sequence(text: &str) -> Vec<u8> {
    let mut sequence = String::new();
    // Writing to a string does not fail.
    let _ = CopyToClipboard::to_clipboard_from(text).write_ansi(&mut sequence);
    sequence.into_bytes()
}

/// The text of the model's last answer, as the model wrote it.
pub(crate) fn last_answer(session: &Session) -> Option<String> {
    let entries = session.turns().iter().rev().flat_map(|turn| turn.entries.iter().rev());
    entries.into_iter().find_map(|entry| {
        let Entry::Response(response) = entry else { return None };
        let texts = response.items.iter().filter_map(|item| match &item.kind {
            ItemKind::Message { text, .. } => Some(text.as_str()).filter(|text| !text.trim().is_empty()),
            ItemKind::Reasoning { .. } | ItemKind::Call { .. } | ItemKind::Other { .. } => None,
        });
        let text = texts.collect::<Vec<_>>().join("\n\n");
        (!text.is_empty()).then_some(text)
    })
}
