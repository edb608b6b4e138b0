//! The one table of keys. Help and the bottom line are printed from it.

use super::input::Key;
use crossterm::event::{KeyCode, KeyModifiers};

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

const fn plain(code: KeyCode) -> Key {
    Key::plain(code)
}

const fn with(code: KeyCode, mods: KeyModifiers) -> Key {
    Key { code, mods }
}

const fn bind(
    place: Place,
    keys: &'static [Key],
    act: Act,
    short: &'static str,
    long: &'static str,
) -> Binding {
    Binding { place, keys, act, short, long }
}

const CTRL: KeyModifiers = KeyModifiers::CONTROL;
const ALT: KeyModifiers = KeyModifiers::ALT;
const SHIFT: KeyModifiers = KeyModifiers::SHIFT;

/// All keys.
pub(crate) static TABLE: &[Binding] = &[
    bind(
        Place::Everywhere,
        &[plain(KeyCode::Esc)],
        Act::Esc,
        "stop",
        "Closes what is on top, or stops the answer. Never touches a running command.",
    ),
    bind(
        Place::Everywhere,
        &[Key::ctrl('c')],
        Act::Interrupt,
        "",
        "Stops the answer; twice, a running command; else clears the draft; else leaves.",
    ),
    bind(Place::Everywhere, &[Key::ctrl('z')], Act::Suspend, "", "Suspends Candor; fg brings it back."),
    bind(Place::Everywhere, &[Key::ctrl('l')], Act::Repaint, "", "Draws the screen anew."),
    bind(
        Place::Composer,
        &[plain(KeyCode::Enter)],
        Act::Send,
        "send",
        "Sends the message, or queues it while a turn runs.",
    ),
    bind(
        Place::Composer,
        &[Key::ctrl('j'), with(KeyCode::Enter, ALT), with(KeyCode::Enter, SHIFT)],
        Act::Newline,
        "newline",
        "Begins a new line. So does Enter after a \\.",
    ),
    bind(
        Place::Composer,
        &[Key::ctrl('d')],
        Act::Leave,
        "",
        "On an empty composer: leaves. Otherwise deletes the character to the right.",
    ),
    bind(Place::Composer, &[Key::ctrl('g')], Act::Editor, "", "Opens the draft in $EDITOR."),
    bind(
        Place::Composer,
        &[Key::ctrl('r')],
        Act::History,
        "older",
        "Searches what was written in this directory before; again: older.",
    ),
    bind(Place::Composer, &[Key::ctrl('o')], Act::Output, "output", "Opens the last output in full."),
    bind(Place::Composer, &[Key::ctrl('t')], Act::Transcript, "", "Opens the whole conversation in full."),
    bind(
        Place::Composer,
        &[Key::ctrl('s')],
        Act::Sessions,
        "sessions",
        "Lists all sessions, with a preview, and searches inside them.",
    ),
    bind(Place::Composer, &[plain(KeyCode::F(1))], Act::Help, "help", "Shows this help."),
    bind(
        Place::Composer,
        &[plain(KeyCode::Tab)],
        Act::SwitchFocus,
        "",
        "Completes a /command or an @path; else moves to the conversation and back.",
    ),
    bind(Place::Composer, &[plain(KeyCode::PageUp)], Act::PageUp, "", "Scrolls the conversation up."),
    bind(Place::Composer, &[plain(KeyCode::PageDown)], Act::PageDown, "", "Scrolls the conversation down."),
    bind(
        Place::Composer,
        &[with(KeyCode::Up, CTRL)],
        Act::RowUp,
        "",
        "Scrolls the conversation up by a row.",
    ),
    bind(
        Place::Composer,
        &[with(KeyCode::Down, CTRL)],
        Act::RowDown,
        "",
        "Scrolls the conversation down by a row.",
    ),
    bind(
        Place::Composer,
        &[with(KeyCode::Home, CTRL)],
        Act::Top,
        "",
        "Goes to the beginning. So does Home while the composer is empty.",
    ),
    bind(
        Place::Composer,
        &[with(KeyCode::End, CTRL)],
        Act::Bottom,
        "",
        "Goes to the end and follows. So does End while the composer is empty.",
    ),
    bind(
        Place::Composer,
        &[plain(KeyCode::Up)],
        Act::Up,
        "",
        "A row up; on the first row, the message before.",
    ),
    bind(
        Place::Composer,
        &[plain(KeyCode::Down)],
        Act::Down,
        "",
        "A row down; on the last row, the message after.",
    ),
    bind(Place::Composer, &[plain(KeyCode::Left), Key::ctrl('b')], Act::Left, "", ""),
    bind(
        Place::Composer,
        &[plain(KeyCode::Right), Key::ctrl('f')],
        Act::Right,
        "",
        "Unfolds a folded paste that the cursor is before.",
    ),
    bind(
        Place::Composer,
        &[Key::alt('b'), with(KeyCode::Left, CTRL), with(KeyCode::Left, ALT)],
        Act::WordLeft,
        "",
        "A word to the left.",
    ),
    bind(
        Place::Composer,
        &[Key::alt('f'), with(KeyCode::Right, CTRL), with(KeyCode::Right, ALT)],
        Act::WordRight,
        "",
        "A word to the right.",
    ),
    bind(
        Place::Composer,
        &[Key::ctrl('a'), plain(KeyCode::Home)],
        Act::LineStart,
        "",
        "The line's beginning.",
    ),
    bind(Place::Composer, &[Key::ctrl('e'), plain(KeyCode::End)], Act::LineEnd, "", "The line's end."),
    bind(Place::Composer, &[plain(KeyCode::Backspace), Key::ctrl('h')], Act::DeleteLeft, "", ""),
    bind(Place::Composer, &[plain(KeyCode::Delete)], Act::DeleteRight, "", ""),
    bind(Place::Composer, &[Key::ctrl('k')], Act::KillToEnd, "", "Cuts to the line's end."),
    bind(Place::Composer, &[Key::ctrl('u')], Act::KillToStart, "", "Cuts to the line's beginning."),
    bind(Place::Composer, &[Key::ctrl('w')], Act::KillSpaceLeft, "", "Cuts to the space on the left."),
    bind(
        Place::Composer,
        &[with(KeyCode::Backspace, ALT)],
        Act::KillWordLeft,
        "",
        "Cuts the word to the left.",
    ),
    bind(Place::Composer, &[Key::alt('d')], Act::KillWordRight, "", "Cuts the word to the right."),
    bind(Place::Composer, &[Key::ctrl('y')], Act::Yank, "", "Puts back what was cut."),
    // Ctrl+_ and Ctrl+7 are the same byte.
    bind(Place::Composer, &[Key::ctrl('_'), Key::ctrl('7')], Act::Undo, "", "Undoes the last change."),
    bind(Place::List, &[plain(KeyCode::Enter)], Act::Open, "open", "Opens the session."),
    bind(Place::List, &[plain(KeyCode::Up)], Act::Up, "choose", ""),
    bind(Place::List, &[plain(KeyCode::Down)], Act::Down, "", ""),
    bind(Place::List, &[plain(KeyCode::PageUp)], Act::PageUp, "", ""),
    bind(Place::List, &[plain(KeyCode::PageDown)], Act::PageDown, "", ""),
    bind(Place::List, &[plain(KeyCode::Home)], Act::Top, "", ""),
    bind(Place::List, &[plain(KeyCode::End)], Act::Bottom, "", ""),
    bind(
        Place::Sessions,
        &[plain(KeyCode::Enter)],
        Act::Open,
        "open",
        "Opens the session, at the place that was found; in the trash: brings it back.",
    ),
    bind(
        Place::Sessions,
        &[plain(KeyCode::Tab)],
        Act::Scope,
        "here/all",
        "Shows the sessions of this directory, all, or those in the trash.",
    ),
    bind(
        Place::Sessions,
        &[Key::ctrl('f')],
        Act::Search,
        "search",
        "Searches the text of all sessions for what is typed; again: back to the list.",
    ),
    bind(Place::Sessions, &[plain(KeyCode::Right)], Act::Right, "view", "Moves into the preview."),
    bind(Place::Sessions, &[plain(KeyCode::Left)], Act::Left, "", "Moves back to the list."),
    bind(Place::Sessions, &[Key::ctrl('r')], Act::Rename, "rename", "Gives it another title."),
    bind(
        Place::Sessions,
        &[plain(KeyCode::Delete), Key::ctrl('x')],
        Act::Trash,
        "to the trash",
        "Moves it to the trash; nothing is removed.",
    ),
    bind(
        Place::Sessions,
        &[Key::ctrl('k')],
        Act::Fork,
        "fork",
        "Goes on in a new session from one of its turns.",
    ),
    bind(Place::Sessions, &[plain(KeyCode::F(1))], Act::Help, "help", ""),
    bind(Place::Sessions, &[plain(KeyCode::Up)], Act::Up, "", ""),
    bind(Place::Sessions, &[plain(KeyCode::Down)], Act::Down, "", ""),
    bind(Place::Sessions, &[plain(KeyCode::PageUp)], Act::PageUp, "", ""),
    bind(Place::Sessions, &[plain(KeyCode::PageDown)], Act::PageDown, "", ""),
    bind(Place::Sessions, &[plain(KeyCode::Home), with(KeyCode::Home, CTRL)], Act::Top, "", ""),
    bind(Place::Sessions, &[plain(KeyCode::End), with(KeyCode::End, CTRL)], Act::Bottom, "", ""),
    bind(Place::Sessions, &[plain(KeyCode::Backspace), Key::ctrl('h')], Act::DeleteLeft, "", ""),
    bind(Place::Sessions, &[Key::ctrl('w')], Act::KillWordLeft, "", ""),
    bind(Place::Sessions, &[Key::ctrl('u')], Act::KillToStart, "", ""),
    bind(
        Place::Transcript,
        &[plain(KeyCode::Enter)],
        Act::Open,
        "open",
        "Opens the output of the chosen panel.",
    ),
    bind(Place::Transcript, &[plain(KeyCode::Up)], Act::Up, "choose", "Chooses the panel above."),
    bind(Place::Transcript, &[plain(KeyCode::Down)], Act::Down, "", "Chooses the panel below."),
    bind(Place::Transcript, &[plain(KeyCode::Left)], Act::Left, "fold", "Shows less of the chosen panel."),
    bind(
        Place::Transcript,
        &[plain(KeyCode::Right)],
        Act::Right,
        "unfold",
        "Shows more of the chosen panel.",
    ),
    bind(Place::Transcript, &[plain(KeyCode::Tab)], Act::SwitchFocus, "back", "Returns to the composer."),
    bind(Place::Transcript, &[plain(KeyCode::PageUp)], Act::PageUp, "", ""),
    bind(Place::Transcript, &[plain(KeyCode::PageDown)], Act::PageDown, "", ""),
    bind(Place::Transcript, &[plain(KeyCode::Home), with(KeyCode::Home, CTRL)], Act::Top, "", ""),
    bind(Place::Transcript, &[plain(KeyCode::End), with(KeyCode::End, CTRL)], Act::Bottom, "", ""),
    bind(Place::Reader, &[Key::char('q')], Act::Close, "close", "Closes it."),
    bind(
        Place::Reader,
        &[Key::char('j'), plain(KeyCode::Down), plain(KeyCode::Enter)],
        Act::RowDown,
        "down",
        "A row down; after a number, so many.",
    ),
    bind(Place::Reader, &[Key::char('k'), plain(KeyCode::Up)], Act::RowUp, "up", "A row up."),
    bind(
        Place::Reader,
        &[Key::char(' '), plain(KeyCode::PageDown), Key::ctrl('f')],
        Act::PageDown,
        "page",
        "A page down.",
    ),
    bind(
        Place::Reader,
        &[Key::char('b'), plain(KeyCode::PageUp), Key::ctrl('b')],
        Act::PageUp,
        "back",
        "A page up.",
    ),
    bind(Place::Reader, &[Key::char('d'), Key::ctrl('d')], Act::HalfDown, "", "Half a page down."),
    bind(Place::Reader, &[Key::char('u'), Key::ctrl('u')], Act::HalfUp, "", "Half a page up."),
    bind(
        Place::Reader,
        &[Key::char('g'), plain(KeyCode::Home)],
        Act::Top,
        "start",
        "The beginning; after a number, that line.",
    ),
    bind(
        Place::Reader,
        &[Key::char('G'), plain(KeyCode::End)],
        Act::Bottom,
        "end",
        "The end; after a number, that line.",
    ),
    bind(
        Place::Reader,
        &[Key::char('/')],
        Act::SearchDown,
        "search",
        "Searches from here down: the text as it is, in any case unless it has a capital.",
    ),
    bind(Place::Reader, &[Key::char('?')], Act::SearchUp, "", "Searches from here up."),
    bind(Place::Reader, &[Key::char('n')], Act::Next, "next", "The next place that was searched."),
    bind(Place::Reader, &[Key::char('N')], Act::Previous, "", "The place before."),
    bind(
        Place::Reader,
        &[Key::char('F')],
        Act::Follow,
        "follow",
        "The end, and what a running command still adds, until you scroll.",
    ),
    bind(Place::Reader, &[Key::char('w')], Act::Wrap, "wrap", "Wraps long lines, or shows each in one row."),
    bind(
        Place::Reader,
        &[Key::char('l'), plain(KeyCode::Right)],
        Act::Right,
        "",
        "Half a screen to the right, while lines are not wrapped.",
    ),
    bind(Place::Reader, &[Key::char('h'), plain(KeyCode::Left)], Act::Left, "", "Half a screen to the left."),
    bind(Place::Reader, &[Key::char('#')], Act::Numbers, "numbers", "Shows or hides the numbers of lines."),
    bind(
        Place::Reader,
        &[Key::char('v')],
        Act::Mark,
        "mark",
        "Begins to mark lines, and ends it. The keys above move the mark's end.",
    ),
    bind(
        Place::Reader,
        &[Key::char('c')],
        Act::Copy,
        "copy",
        "Copies the marked lines, or the visible ones.",
    ),
    bind(
        Place::Reader,
        &[Key::char('s')],
        Act::Save,
        "save",
        "Saves the marked lines as they are shown, or all of it as it is, to a file.",
    ),
    bind(
        Place::Reader,
        &[Key::char('e')],
        Act::Pager,
        "pager",
        "Opens a copy without control sequences in $PAGER.",
    ),
    bind(Place::Reader, &[plain(KeyCode::F(1))], Act::Help, "help", "Shows this help."),
];

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

#[cfg(test)]
mod tests {
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
}
