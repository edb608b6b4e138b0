//! Any bytes as what a person and a terminal do; for the fuzz target and its
//! property test.

use super::{Input, Key, Machine};
use crate::tui::moment::Moment;
use crossterm::event::{Event, KeyCode, KeyEvent, KeyModifiers};
use std::time::Duration;

/// Takes the bytes in pairs of an event and the milliseconds before it; half of all
/// screens are late and see no hold run out between them. Whatever the order, every deed comes out in time, nothing is held for ever, and text
/// that was pasted in brackets is never an Enter.
///
/// # Panics
/// If it does not hold.
pub fn input(bytes: &[u8]) {
    let mut machine = Machine::new(bytes.len() % 2 == 1);
    let late = bytes.len() % 4 > 1;
    let (mut now, mut told, mut last) = (Moment::default(), Vec::new(), Moment::default());
    for pair in bytes.chunks_exact(2) {
        now = now + Duration::from_millis(u64::from(pair[1]));
        while let Some(deadline) = machine.deadline().filter(|deadline| !late && *deadline <= now) {
            machine.expire(deadline);
        }
        machine.feed(event(pair[0]), now);
        told.extend(machine.take());
    }
    for _ in 0..4 {
        if let Some(deadline) = machine.deadline() {
            machine.expire(deadline);
        }
    }
    assert!(machine.deadline().is_none(), "something is held for ever");
    told.extend(machine.take());
    for timed in &told {
        assert!(timed.at <= now, "{timed:?} before it was done");
        // A size passes by what is still held.
        if timed.input != Input::Resize {
            assert!(timed.at >= last, "{timed:?} after a later deed");
            last = timed.at;
        }
    }
    if bytes.chunks_exact(2).all(|pair| matches!(event(pair[0]), Event::Paste(_))) {
        let enter = Input::Key(Key::plain(KeyCode::Enter));
        assert!(told.iter().all(|timed| timed.input != enter));
    }
}

fn event(byte: u8) -> Event {
    let key = |code, mods| Event::Key(KeyEvent::new(code, mods));
    let plain = |code| key(code, KeyModifiers::NONE);
    match byte {
        0x1b => plain(KeyCode::Esc),
        b'\r' => plain(KeyCode::Enter),
        b'\t' => plain(KeyCode::Tab),
        0x7f => plain(KeyCode::Backspace),
        1..=26 => key(KeyCode::Char(char::from(byte + b'`')), KeyModifiers::CONTROL),
        0x20..=0x7e => plain(KeyCode::Char(char::from(byte))),
        0x80..=0xbf => key(KeyCode::Char(char::from(byte - 0x60)), KeyModifiers::ALT),
        0xc0..=0xdf => Event::Paste("a\rb\n\u{1b}[201~".chars().take(usize::from(byte - 0xbf)).collect()),
        0xe0 => Event::Resize(80, 24),
        0xe1 => Event::FocusLost,
        _ => plain(KeyCode::F(byte % 12)),
    }
}
