//! Control sequences that arrived torn after their ESC, as the letters that
//! crossterm made of them: put together again and read.

use super::Key;
use crossterm::event::{KeyCode, KeyModifiers};

/// What a re-joined sequence means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Meaning {
    /// A key.
    Key(Key),
    /// A bracketed paste begins.
    PasteStart,
    /// An answer to a query, a mouse report, an unknown sequence: dropped.
    Nothing,
}

/// Whether these letters after `ESC [` are a whole sequence.
pub(super) fn csi_is_whole(body: &str) -> bool {
    match body.as_bytes() {
        // The oldest mouse reports: three bytes follow.
        [b'M', rest @ ..] => rest.len() >= 3,
        // The Linux console's function keys.
        [b'[', rest @ ..] => !rest.is_empty(),
        [.., last] => (0x40..=0x7e).contains(last),
        [] => false,
    }
}

/// Whether these letters can be the beginning of a sequence after `ESC [`.
pub(super) fn csi_may_go_on(body: &str) -> bool {
    let parameter = |b: u8| (0x20..0x40).contains(&b);
    matches!(body.as_bytes(), [b'M' | b'[', ..]) || body.bytes().all(parameter)
}

/// Reads a whole sequence after `ESC [`.
pub(super) fn csi(body: &str) -> Meaning {
    if body == "200~" {
        return Meaning::PasteStart;
    }
    read_csi(body).map_or(Meaning::Nothing, Meaning::Key)
}

/// Reads the letter after `ESC O`.
pub(super) fn ss3(letter: char) -> Meaning {
    cursor_key(letter).map_or(Meaning::Nothing, |code| Meaning::Key(Key::plain(code)))
}

fn read_csi(body: &str) -> Option<Key> {
    if let Some(letter) = body.strip_prefix('[') {
        let offset = u8::try_from(letter.chars().next()?).ok()?.checked_sub(b'A')?;
        return (offset < 5).then(|| Key::plain(KeyCode::F(1 + offset)));
    }
    let last = body.chars().next_back()?;
    let mut parameters = body[..body.len() - last.len_utf8()].split(';');
    let first = parameters.next().unwrap_or_default();
    let mods = modifiers(parameters.next())?;
    let code = match last {
        '~' => numbered_key(first.parse().ok()?)?,
        'u' => unicode_key(first.split(':').next()?.parse().ok()?, mods)?,
        'Z' => KeyCode::BackTab,
        // Other numbers before such a letter are a reply, as to "where is the cursor".
        _ if matches!(first, "" | "1") => cursor_key(last)?,
        _ => return None,
    };
    Some(Key { code, mods })
}

/// The second parameter: one more than a bit set of modifiers, then perhaps
/// `:` and the kind of the event. Releases and repeats are not presses.
fn modifiers(parameter: Option<&str>) -> Option<KeyModifiers> {
    let Some(parameter) = parameter else { return Some(KeyModifiers::NONE) };
    let mut parts = parameter.split(':');
    let bits = parts.next()?.parse::<u8>().ok()?.saturating_sub(1);
    if parts.next().is_some_and(|kind| kind != "1") {
        return None;
    }
    let known = [(1, KeyModifiers::SHIFT), (2, KeyModifiers::ALT), (4, KeyModifiers::CONTROL)];
    let held = known.into_iter().filter(|(bit, _)| bits & bit != 0).map(|(_, modifier)| modifier);
    Some(held.collect())
}

fn cursor_key(letter: char) -> Option<KeyCode> {
    Some(match letter {
        'A' => KeyCode::Up,
        'B' => KeyCode::Down,
        'C' => KeyCode::Right,
        'D' => KeyCode::Left,
        'F' => KeyCode::End,
        'H' => KeyCode::Home,
        'P' => KeyCode::F(1),
        'Q' => KeyCode::F(2),
        'R' => KeyCode::F(3),
        'S' => KeyCode::F(4),
        _ => return None,
    })
}

fn numbered_key(number: u8) -> Option<KeyCode> {
    Some(match number {
        1 | 7 => KeyCode::Home,
        2 => KeyCode::Insert,
        3 => KeyCode::Delete,
        4 | 8 => KeyCode::End,
        5 => KeyCode::PageUp,
        6 => KeyCode::PageDown,
        11..=15 => KeyCode::F(number - 10),
        17..=21 => KeyCode::F(number - 11),
        23..=24 => KeyCode::F(number - 12),
        _ => return None,
    })
}

fn unicode_key(number: u32, mods: KeyModifiers) -> Option<KeyCode> {
    Some(match number {
        9 if mods.contains(KeyModifiers::SHIFT) => KeyCode::BackTab,
        9 => KeyCode::Tab,
        13 => KeyCode::Enter,
        27 => KeyCode::Esc,
        127 => KeyCode::Backspace,
        // Private use: keys without a character, such as CapsLock alone.
        57344.. => return None,
        _ => KeyCode::Char(char::from_u32(number)?),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_of_a_torn_sequence_is_read() {
        let none = KeyModifiers::NONE;
        for (body, code, mods) in [
            ("A", KeyCode::Up, none),
            ("B", KeyCode::Down, none),
            ("C", KeyCode::Right, none),
            ("1;5D", KeyCode::Left, KeyModifiers::CONTROL),
            ("F", KeyCode::End, none),
            ("H", KeyCode::Home, none),
            ("P", KeyCode::F(1), none),
            ("Q", KeyCode::F(2), none),
            ("1;2R", KeyCode::F(3), KeyModifiers::SHIFT),
            ("S", KeyCode::F(4), none),
            ("Z", KeyCode::BackTab, none),
            ("[A", KeyCode::F(1), none),
            ("[E", KeyCode::F(5), none),
            ("1~", KeyCode::Home, none),
            ("2~", KeyCode::Insert, none),
            ("3;5~", KeyCode::Delete, KeyModifiers::CONTROL),
            ("4~", KeyCode::End, none),
            ("5~", KeyCode::PageUp, none),
            ("6~", KeyCode::PageDown, none),
            ("7~", KeyCode::Home, none),
            ("8~", KeyCode::End, none),
            ("15~", KeyCode::F(5), none),
            ("17~", KeyCode::F(6), none),
            ("24~", KeyCode::F(12), none),
            ("9u", KeyCode::Tab, none),
            ("9;2u", KeyCode::BackTab, KeyModifiers::SHIFT),
            ("13;3u", KeyCode::Enter, KeyModifiers::ALT),
            ("27u", KeyCode::Esc, none),
            ("127u", KeyCode::Backspace, none),
            ("97:65;5:1u", KeyCode::Char('a'), KeyModifiers::CONTROL),
        ] {
            assert!(csi_is_whole(body), "{body}");
            assert_eq!(csi(body), Meaning::Key(Key { code, mods }), "{body}");
        }
        for body in ["99~", "16~", "57358u", "55296u", "97;1:3u", "12;4R", "?62c", "X", "[F", "[@"] {
            assert_eq!(csi(body), Meaning::Nothing, "{body}");
        }
        assert_eq!((csi("200~"), ss3('P')), (Meaning::PasteStart, Meaning::Key(Key::plain(KeyCode::F(1)))));
        assert_eq!(ss3('x'), Meaning::Nothing);
    }

    #[test]
    fn a_sequence_is_whole_with_its_last_byte() {
        for (body, whole, may_go_on) in [
            ("", false, true),
            ("1", false, true),
            ("1;5", false, true),
            ("1;5D", true, false),
            ("M", false, true),
            ("M !", false, true),
            ("M !!", true, true),
            ("[", false, true),
            ("[A", true, true),
        ] {
            assert_eq!((csi_is_whole(body), csi_may_go_on(body)), (whole, may_go_on), "{body:?}");
        }
    }
}
