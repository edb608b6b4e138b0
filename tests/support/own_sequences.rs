//! Which bytes of Candor's may act on a terminal, and a reader that finds any other.

use std::fmt;

/// What was written to the terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Face {
    /// The full screen.
    Screen,
    /// Lines: `--plain`, and the commands.
    Lines,
}

/// A control sequence of Candor's own.
struct Own {
    face: Face,
    /// What stands between `CSI` and its last character, but for numbers.
    marks: &'static str,
    last: char,
    numbers: fn(&[u16]) -> bool,
    why: &'static str,
}

/// Everything but text, line ends and the window's title. What a person copies
/// goes out as OSC 52 in base64; nothing is copied where this is read, so any is
/// foreign.
const OWN: &[Own] = &[
    own(Face::Screen, "?", 'h', is_mode, "modes are switched on when the screen is taken"),
    own(Face::Screen, "?", 'l', is_mode, "and off when it is given back"),
    own(Face::Screen, ">", 'u', |n| n == [1], "keys are told apart while the screen is ours"),
    own(Face::Screen, "<", 'u', |n| n == [1], "and no longer afterwards"),
    own(Face::Screen, "", 't', |n| n == [22, 0] || n == [23, 0], "the window's title is kept and given back"),
    own(
        Face::Screen,
        "",
        'J',
        |n| n == [2] || n == [0],
        "the screen is empty at first, and after another size",
    ),
    own(Face::Screen, "", 'H', is_place, "cells are drawn at their place"),
    own(Face::Screen, "", 'm', is_look, "cells have one of sixteen colours, and weight"),
    own(Face::Lines, "", 'K', |n| n == [0], "inspect writes its progress over itself"),
];

const fn own(
    face: Face,
    marks: &'static str,
    last: char,
    numbers: fn(&[u16]) -> bool,
    why: &'static str,
) -> Own {
    Own { face, marks, last, numbers, why }
}

/// Alternate screen, cursor, bracketed paste, synchronized output, mouse.
fn is_mode(numbers: &[u16]) -> bool {
    matches!(numbers, [1049 | 25 | 2004 | 2026 | 1000 | 1002 | 1003 | 1006 | 1015])
}

fn is_place(numbers: &[u16]) -> bool {
    matches!(numbers, [1..=200, 1..=200])
}

/// No blinking, no concealment, no colour that a screen of Candor's never has.
fn is_look(numbers: &[u16]) -> bool {
    match numbers {
        [] => true,
        [38 | 48, 5, color, rest @ ..] => *color < 16 && is_look(rest),
        [0..=4 | 7 | 22..=24 | 27 | 39 | 49 | 59, rest @ ..] => is_look(rest),
        _ => false,
    }
}

/// Characters of one cluster at most; the screen's own bound is 32.
const CLUSTER: usize = 34;

impl fmt::Display for Own {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "CSI {}..{} ({})", self.marks, self.last, self.why)
    }
}

/// Everything in these bytes that is neither text nor Candor's own.
pub fn foreign(face: Face, bytes: &[u8]) -> Vec<String> {
    let mut reader = Reader { face, found: Vec::new(), cluster: 0 };
    if let Err(error) = std::str::from_utf8(bytes) {
        let at = error.valid_up_to();
        reader.found.push(format!("no UTF-8: {:?}", String::from_utf8_lossy(context(bytes, at))));
    }
    // A parser passes over the strings of APC, PM and SOS without a word.
    for (at, _) in bytes.iter().enumerate().filter(|(_, byte)| **byte == 0x1b) {
        let next = bytes.get(at + 1);
        if !matches!(next, Some(b'[' | b']')) {
            reader
                .found
                .push(format!("ESC and {next:?} in {:?}", String::from_utf8_lossy(context(bytes, at))));
        }
    }
    vte::Parser::new().advance(&mut reader, bytes);
    reader.found
}

fn context(bytes: &[u8], at: usize) -> &[u8] {
    &bytes[at.saturating_sub(40)..bytes.len().min(at + 40)]
}

struct Reader {
    face: Face,
    found: Vec<String>,
    /// Characters without a width since the last one that has one.
    cluster: usize,
}

impl Reader {
    fn seq(&mut self, what: &str, parts: &[&[u8]]) {
        let parts: Vec<_> = parts.iter().map(|part| String::from_utf8_lossy(part)).collect();
        self.found.push(format!("{what} {parts:?}"));
    }
}

/// Draws nothing, but for joiners and styles, which shape what is seen.
fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{ad}' | '\u{61c}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}')
        || matches!(c, '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}')
}

impl vte::Perform for Reader {
    fn print(&mut self, c: char) {
        if is_hidden(c) {
            self.found.push(format!("{c:?} as text"));
        }
        let joins = matches!(c, '\u{300}'..='\u{36f}' | '\u{200c}' | '\u{200d}' | '\u{fe00}'..='\u{fe0f}');
        self.cluster = if joins { self.cluster + 1 } else { 0 };
        if self.cluster == CLUSTER {
            self.found.push("a cluster without bounds".to_owned());
        }
    }

    fn execute(&mut self, byte: u8) {
        if !matches!(byte, b'\r' | b'\n') {
            self.found.push(format!("the control {byte:#04x}"));
        }
    }

    fn csi_dispatch(&mut self, params: &vte::Params, marks: &[u8], _: bool, last: char) {
        let numbers: Vec<u16> = params.iter().flatten().copied().collect();
        let is_own = |own: &&Own| {
            own.face == self.face
                && own.marks.as_bytes() == marks
                && own.last == last
                && (own.numbers)(&numbers)
        };
        if !OWN.iter().any(|own| is_own(&own)) {
            self.found.push(format!("CSI {:?} {numbers:?} {last}", String::from_utf8_lossy(marks)));
        }
    }

    fn osc_dispatch(&mut self, parts: &[&[u8]], by_bell: bool) {
        let is_title = match parts {
            [b"2", title] => title.starts_with(b"Candor: ") && !title.windows(5).any(|part| part == b"OWNED"),
            _ => false,
        };
        if self.face != Face::Screen || !is_title || !by_bell {
            self.seq("OSC", parts);
        }
    }

    fn esc_dispatch(&mut self, marks: &[u8], _: bool, byte: u8) {
        self.seq("ESC", &[marks, &[byte]]);
    }

    fn hook(&mut self, _: &vte::Params, marks: &[u8], _: bool, last: char) {
        self.seq("DCS", &[marks, last.to_string().as_bytes()]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_candors_own_is_found() {
        let both = [Face::Screen, Face::Lines];
        for text in ["\r\nhello \u{65e5}e\u{301}", "\u{1f469}\u{200d}\u{1f467}"] {
            both.iter().for_each(|face| assert_eq!(foreign(*face, text.as_bytes()), [""; 0]));
        }
        let screen = "\x1b[22;0t\x1b[?1049h\x1b[2J\x1b[?2004h\x1b[>1u\x1b[?25l\x1b[?2026h\x1b[3;7H\x1b[38;5;9m\x1b[7mx\
            \x1b[39m\x1b[0m\x1b]2;Candor: shop - ready\x07\x1b[?2026l\x1b[<1u\x1b[23;0t";
        assert_eq!(foreign(Face::Screen, screen.as_bytes()), [""; 0]);
        assert_eq!(foreign(Face::Lines, screen.as_bytes()).len(), 16);
        let other = [
            "\x07",
            "\x08",
            "\t",
            "\x0e",
            "\x7f",
            "\u{85}",
            "\u{9b}2J",
            "\u{9d}0;x\x07",
            "\x1b[3J",
            "\x1b[6n",
            "\x1b[5m",
            "\x1b[38;2;1;2;3m",
            "\x1b[?1h",
            "\x1b[?1000;1006h",
            "\x1b]2;x\x07",
            "\x1b]2;Candor: OWNED\x07",
            "\x1b]2;Candor: x\x1b\\",
            "\x1b]52;c;eA==\x07",
            "\x1b]8;;x\x07",
            "\x1bPq\x1b\\",
            "\x1b_x\x1b\\",
            "\x1b^x\x1b\\",
            "\x1bXx\x1b\\",
            "\x1bc",
            "\x1b(0",
            "\x1b7",
            "\u{202e}",
            "\u{200b}",
            "\u{e0041}",
            "\x1b[0K\x1b",
        ];
        for text in other {
            both.iter().for_each(|face| assert_ne!(foreign(*face, text.as_bytes()), [""; 0], "{text:?}"));
        }
        assert_ne!(foreign(Face::Lines, b"\x9b2J"), [""; 0]);
        assert_ne!(foreign(Face::Lines, format!("e{}", "\u{301}".repeat(40)).as_bytes()), [""; 0]);
    }
}
