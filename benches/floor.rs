//! The floor under the screen: a program that enters the alternate screen,
//! paints as much as Candor's first frame, and echoes each key. Nothing that has
//! a screen can be quicker.
#![allow(clippy::unwrap_used)] // it has nobody to tell

use rustix::termios::{OptionalActions, tcgetattr, tcgetwinsize, tcsetattr};
use std::io::{IsTerminal, Read, Write};

fn main() {
    let (mut input, mut output) = (std::io::stdin().lock(), std::io::stdout().lock());
    // `cargo bench` runs every target; alone this one has nothing to say.
    if !input.is_terminal() || std::env::args().any(|argument| argument == "--bench") {
        return;
    }
    let cooked = tcgetattr(&input).unwrap();
    let mut raw = cooked.clone();
    raw.make_raw();
    tcsetattr(&input, OptionalActions::Now, &raw).unwrap();
    let size = tcgetwinsize(&output).unwrap();
    output.write_all(&frame(usize::from(size.ws_row), usize::from(size.ws_col))).unwrap();
    output.flush().unwrap();
    let mut keys = [0; 256];
    loop {
        let count = input.read(&mut keys).unwrap_or(0);
        let keys = &keys[..count];
        if count == 0 || keys.contains(&0x04) {
            break;
        }
        for key in keys {
            match key {
                0x15 => output.write_all(b"\r > \x1b[K").unwrap(),
                key => output.write_all(&[b"\x1b[?2026h", &[*key][..], b"\x1b[?2026l"].concat()).unwrap(),
            }
        }
        output.flush().unwrap();
    }
    output.write_all(b"\x1b[?2004l\x1b[?1049l").unwrap();
    tcsetattr(&input, OptionalActions::Now, &cooked).unwrap();
}

/// A screen full of text, a line, and a composer; the cursor stands in it.
fn frame(rows: usize, columns: usize) -> Vec<u8> {
    let mut bytes = b"\x1b[?1049h\x1b[?2004h\x1b[?2026h\x1b[2J".to_vec();
    for row in 1..rows.saturating_sub(2) {
        let text = format!("\x1b[{row};1H\x1b[38;5;{}mrow {row} ", row % 8);
        bytes.extend(text.bytes());
        bytes.extend("of a list of sessions ".bytes().cycle().take(columns.saturating_sub(10)));
    }
    let end = format!("\x1b[{rows};1HEnter sends\x1b[{};1H > \x1b[?2026l", rows.saturating_sub(1));
    bytes.extend(end.bytes());
    bytes
}
