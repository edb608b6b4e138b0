//! The one table of keys. Help and the bottom line are printed from it.

mod table;

#[cfg(test)]
mod tests;

pub(crate) use table::TABLE;

use table::{ALT, CTRL, SHIFT};

use super::input::Key;
use crossterm::event::KeyCode;

/// What a key can mean, outside of the dialogs that read keys by their own rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)] // the table below says what each does
pub(crate) enum Act {
    Send,
    Newline,
    Esc,
    Interrupt,
    Leave,
    Suspend,
    Repaint,
    Help,
    Sessions,
    Output,
    Transcript,
    Editor,
    History,
    SwitchFocus,
    Up,
    Down,
    Left,
    Right,
    WordLeft,
    WordRight,
    LineStart,
    LineEnd,
    DeleteLeft,
    DeleteRight,
    KillToEnd,
    KillToStart,
    KillSpaceLeft,
    KillWordLeft,
    KillWordRight,
    Yank,
    Undo,
    PageUp,
    PageDown,
    RowUp,
    RowDown,
    HalfUp,
    HalfDown,
    Top,
    Bottom,
    Open,
    Close,
    Scope,
    Search,
    Rename,
    Trash,
    Fork,
    SearchDown,
    SearchUp,
    Next,
    Previous,
    Follow,
    Wrap,
    Numbers,
    Mark,
    Copy,
    Save,
    Pager,
}

/// Where a key means something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    /// Whatever has the focus.
    Everywhere,
    /// The composer.
    Composer,
    /// A list of sessions.
    List,
    /// The sessions over the whole screen.
    Sessions,
    /// The panels of the conversation.
    Transcript,
    /// A text that fills the screen: output, help, rules.
    Reader,
}

/// One line of the table.
#[derive(Debug)]
pub(crate) struct Binding {
    /// Where it holds.
    pub place: Place,
    /// The keys; the first is the one that is named.
    pub keys: &'static [Key],
    /// What they mean.
    pub act: Act,
    /// A word or two for the bottom line; empty: not shown there.
    pub short: &'static str,
    /// A sentence for help; empty: not listed.
    pub long: &'static str,
}

/// What a key means at a place.
pub(crate) fn find(place: Place, key: Key) -> Option<Act> {
    let holds = |binding: &&Binding| {
        (binding.place == place || binding.place == Place::Everywhere) && binding.keys.contains(&key)
    };
    TABLE.iter().find(holds).map(|binding| binding.act)
}

/// The lines of the table for a place that have a word for the bottom line.
pub(crate) fn short(place: Place, acts: &[Act]) -> Vec<(String, &'static str)> {
    let find = |act: &Act| {
        TABLE.iter().find(|b| b.act == *act && (b.place == place || b.place == Place::Everywhere))
    };
    acts.iter().filter_map(find).map(|binding| (name(binding.keys[0]), binding.short)).collect()
}

/// The name of a key.
pub(crate) fn name(key: Key) -> String {
    let mut name = String::new();
    for (held, modifier) in [(CTRL, "Ctrl+"), (ALT, "Alt+"), (SHIFT, "Shift+")] {
        if key.mods.contains(held) {
            name.push_str(modifier);
        }
    }
    match key.code {
        KeyCode::Char(' ') => name.push_str("Space"),
        KeyCode::Char(c) if key.mods.is_empty() => name.push(c),
        KeyCode::Char(c) => name.extend(c.to_uppercase()),
        KeyCode::PageUp => name.push_str("PageUp"),
        KeyCode::PageDown => name.push_str("PageDown"),
        code => name.push_str(&code.to_string()),
    }
    name
}
