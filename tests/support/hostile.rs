//! Text that a terminal, a reader or a layout could fall for.

/// Whole sequences. Where one has a text of its own, that is `OWNED`.
pub const SEQUENCES: &[&str] = &[
    // CSI
    "\x1b[2J", "\x1b[3J", "\x1b[H", "\x1b[13;37H", "\x1b[1A", "\x1b[2K", "\x1b[6n", "\x1b[c", "\x1b[>c", "\x1b[21t",
    "\x1b[8m", "\x1b[5;41m", "\x1b[38;2;13;37;13m", "\x1b[?1049l", "\x1b[?25h", "\x1b[?2004l", "\x1b[?1003h",
    "\x1b[4i", "\x1b[!p", "\x1b[1000b", "\x1b[1;5r", "\x1b[>4;2m", "\x1b[=5u", "\x1b[1 q", "\x1b[20h",
    "\u{9b}2J", "\u{9b}6n", "\u{9b}8m",
    // OSC, with each of its ends
    "\x1b]0;OWNED\x07", "\x1b]2;OWNED\x1b\\", "\x1b]2;Candor: OWNED\x07", "\x1b]52;c;T1dORUQ=\x07",
    "\x1b]8;;http://OWNED\x1b\\", "\x1b]4;1;?\x07", "\x1b]11;?\x1b\\", "\x1b]7;file://OWNED\x07", "\x1b]9;OWNED\x07",
    "\x1b]133;C\x07", "\x1b]777;notify;OWNED\x07", "\x1b]1337;File=:T1dORUQ=\x07", "\u{9d}2;OWNED\x07",
    "\u{9d}52;c;T1dORUQ=\u{9c}",
    // DCS, SOS, PM, APC
    "\x1bP$qm\x1b\\", "\x1bPtmux;\x1b\x1b]52;c;T1dORUQ=\x07\x1b\\", "\u{90}+qOWNED\u{9c}", "\x1bXOWNED\x1b\\",
    "\u{98}OWNED\u{9c}", "\x1b^OWNED\x1b\\", "\u{9e}OWNED\u{9c}", "\x1b_GOWNED\x1b\\", "\u{9f}OWNED\u{9c}",
    // others
    "\x1bc", "\x1b7", "\x1b8", "\x1bD", "\x1bM", "\x1bN", "\x1b(0", "\x1b#8", "\x1b%G", "\x1b=", "\x1b\x1b[2J",
    // bidirectional, zero-width, tags, fillers
    "\u{202a}", "\u{202b}", "\u{202c}", "\u{202d}", "\u{202e}txt", "\u{2066}", "\u{2067}", "\u{2068}", "\u{2069}",
    "\u{200e}", "\u{200f}", "\u{61c}", "\u{200b}", "\u{200c}", "\u{200d}", "\u{2060}", "\u{2061}", "\u{feff}", "\u{ad}",
    "\u{180e}", "\u{fff9}", "\u{fffb}", "\u{e0001}", "\u{e0041}\u{e0042}\u{e007f}", "\u{e0100}", "\u{2028}", "\u{2029}",
    "e\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}",
];

/// Sequences that have begun and do not end, so that they would take what
/// Candor writes next.
pub const BEGUN: &[&str] =
    &["\x1b", "\x1b[", "\x1b[38;2;", "\x1b]2;OWNED", "\x1bP", "\x1b_", "\x1b^", "\u{9b}", "\u{9d}2;OWNED", "\u{90}"];

/// Every control of C0 but NUL and LF, DEL, and every control of C1.
pub fn controls() -> String {
    let all = (1..=0x1f).chain(0x7f..=0x9f).filter_map(char::from_u32);
    all.filter(|c| *c != '\n').flat_map(|c| [c, 'x']).collect()
}

/// All of it, each time with another end.
pub fn payload(number: usize) -> String {
    let sequences: String = SEQUENCES.iter().map(|sequence| format!("{sequence}x")).collect();
    format!("a{}{sequences}{}", controls(), BEGUN[number % BEGUN.len()])
}

/// A part of it that is a file's name, and the parts together are all of it.
pub fn names() -> Vec<String> {
    let mut names = vec![String::from("n")];
    let controls: Vec<String> = controls().chars().map(String::from).collect();
    let sequences = SEQUENCES.iter().chain(BEGUN).map(|sequence| sequence.replace('/', "-"));
    for piece in controls.into_iter().chain(sequences) {
        let last = names.last_mut().unwrap();
        if last.len() + piece.len() < 150 { last.push_str(&piece) } else { names.push(piece) }
    }
    names
}

/// One letter with half a mebibyte of marks, and as much of one family.
pub fn graphemes() -> String {
    format!("e{}\n\u{1f469}{}\n", "\u{301}".repeat(1 << 18), "\u{200d}\u{1f467}".repeat(80_000))
}
