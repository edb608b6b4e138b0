use super::table::{plain, with};
use super::*;

#[test]
fn no_key_means_two_things_at_one_place() {
    for (index, one) in TABLE.iter().enumerate() {
        for other in &TABLE[index + 1..] {
            let meet = one.place == other.place
                || one.place == Place::Everywhere
                || other.place == Place::Everywhere;
            let shared = one.keys.iter().find(|key| other.keys.contains(key));
            assert!(!meet || shared.is_none(), "{shared:?}: {:?} and {:?}", one.act, other.act);
        }
    }
}

#[test]
fn no_letter_is_a_command_where_text_is_typed() {
    let typing =
        TABLE.iter().filter(|b| matches!(b.place, Place::Everywhere | Place::Composer | Place::Sessions));
    for binding in typing {
        assert!(binding.keys.iter().all(|key| key.typed().is_none()), "{:?}", binding.act);
    }
}

/// Another way to what a key does.
enum Way {
    /// A word after `/`.
    Word(&'static str),
    /// A key of the same place that no multiplexer takes.
    Key(KeyCode),
    /// It is done by other keys, one after the other, or by the mouse.
    By(&'static str),
}

/// Zellij takes Ctrl and G O S T N P Q H B, tmux Ctrl+B, screen Ctrl+A.
const TAKEN: &str = "gostnpqhba";

/// How to do without a key that is pressed with Ctrl or Alt.
fn way(act: Act) -> Option<Way> {
    Some(match act {
        Act::Editor => Way::Word("/editor"),
        Act::History => Way::Word("/history"),
        Act::Rename => Way::Word("/rename"),
        Act::Fork => Way::Word("/fork"),
        Act::Search => Way::By("no multiplexer takes Ctrl+F from a command"),
        Act::Sessions => Way::Word("/sessions"),
        Act::Output => Way::Word("/output"),
        Act::Transcript => Way::Word("/transcript"),
        Act::Leave => Way::Word("/quit"),
        Act::Help => Way::Word("/help"),
        Act::Suspend | Act::Repaint => Way::Word("/shell"),
        Act::Newline => Way::By("Enter after a \\"),
        Act::Interrupt => Way::By("Esc stops the answer; no multiplexer takes Ctrl+C from a command"),
        Act::WordLeft | Act::LineStart => Way::Key(KeyCode::Left),
        Act::WordRight | Act::LineEnd => Way::Key(KeyCode::Right),
        Act::KillToStart | Act::KillSpaceLeft | Act::KillWordLeft => Way::Key(KeyCode::Backspace),
        Act::KillToEnd | Act::KillWordRight => Way::Key(KeyCode::Delete),
        Act::Yank | Act::Undo => Way::Word("/editor"),
        Act::RowUp | Act::Top => Way::Key(KeyCode::PageUp),
        Act::RowDown | Act::Bottom => Way::Key(KeyCode::PageDown),
        // Each has a key of its own without Ctrl or Alt.
        Act::Send
        | Act::Esc
        | Act::SwitchFocus
        | Act::Up
        | Act::Down
        | Act::Left
        | Act::Right
        | Act::DeleteLeft
        | Act::DeleteRight
        | Act::PageUp
        | Act::PageDown
        | Act::HalfUp
        | Act::HalfDown
        | Act::Open
        | Act::Close
        | Act::Scope
        | Act::Trash
        | Act::SearchDown
        | Act::SearchUp
        | Act::Next
        | Act::Previous
        | Act::Follow
        | Act::Wrap
        | Act::Numbers
        | Act::Mark
        | Act::Copy
        | Act::Save
        | Act::Pager => return None,
    })
}

#[test]
fn every_key_that_a_multiplexer_may_take_has_another_way() {
    let free = |key: &Key| !key.mods.intersects(CTRL | ALT);
    let taken = |key: &Key| matches!(key.code, KeyCode::Char(c) if key.mods == CTRL && TAKEN.contains(c));
    for binding in TABLE.iter().filter(|binding| !binding.keys.iter().any(free)) {
        let names: Vec<String> = binding.keys.iter().map(|key| name(*key)).collect();
        match way(binding.act) {
            Some(Way::Word(word)) => {
                let known = super::super::slash::SLASHES.iter().any(|(name, _, _)| *name == word);
                assert!(known, "{names:?}: {word} is no word");
            }
            Some(Way::Key(code)) => {
                assert!(
                    find(binding.place, plain(code)).is_some(),
                    "{names:?}: {code:?} means nothing there"
                );
            }
            Some(Way::By(said)) => {
                assert!(!said.is_empty() && !binding.keys.iter().all(taken), "{names:?}");
            }
            None => panic!("{names:?} have no other way to {:?}", binding.act),
        }
    }
}

#[test]
fn keys_have_names() {
    assert_eq!(name(Key::ctrl('j')), "Ctrl+J");
    assert_eq!(name(with(KeyCode::Enter, SHIFT)), "Shift+Enter");
    assert_eq!(name(plain(KeyCode::PageUp)), "PageUp");
    assert_eq!(name(Key::char('G')), "G");
    assert_eq!(name(plain(KeyCode::F(1))), "F1");
}
