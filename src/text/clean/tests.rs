use super::*;
use crate::text::cells;
use crate::text::glyphs::{CLUSTER, is_invisible};
use proptest::prelude::*;

/// What must hold of everything that was cleaned.
fn assert_harmless(clean: &str, lines: bool) {
    let joiner = |c| matches!(c, '\u{200c}' | '\u{200d}' | '\u{fe0e}' | '\u{fe0f}');
    for c in clean.chars() {
        assert!((lines && c == '\n') || joiner(c) || !is_invisible(c), "{c:?} in {clean:?}");
    }
    for cell in cells(clean).filter(|cell| cell.text != "\n") {
        assert!(cell.width > 0, "{cell:?} draws nothing");
        assert!(cell.text.chars().count() <= CLUSTER + 1, "{cell:?} is too long");
    }
    assert!(!clean.starts_with(joiner));
    vte::Parser::new().advance(&mut OnlyPrints, clean.as_bytes());
}

fn check(text: &str) {
    let block = Clean::block(text);
    assert_harmless(&block, true);
    assert_eq!(Clean::block(&block), block, "cleaning {text:?} twice");
    let line = Clean::line(text);
    assert_harmless(&line, false);
    assert_eq!(Clean::line(&line), line, "cleaning {text:?} twice");
}

/// Sequences that must vanish whole, without their introducers and ends.
const SEQUENCES: &[&str] = &[
    // CSI
    "\x1b[m",
    "\x1b[0;1;31m",
    "\x1b[38;2;1;2;3m",
    "\x1b[4:3m",
    "\x1b[2J",
    "\x1b[3J",
    "\x1b[H",
    "\x1b[10;20H",
    "\x1b[5A",
    "\x1b[?25l",
    "\x1b[?1049h",
    "\x1b[?2004h",
    "\x1b[6n",
    "\x1b[c",
    "\x1b[>0c",
    "\x1b[21t",
    "\x1b[1 q",
    "\x1b[!p",
    "\x1b[>4;2m",
    "\x1b[?1000;1006h",
    "\x1b[b",
    "\x1b[999999999999b",
    "\x1b[4i",
    "\u{9b}2J",
    "\u{9b}31m",
    "\x1b[1;2;3;4;5;6;7;8;9;10;11;12;13;14;15;16;17;18;19;20;21;22;23;24;25;26;27m",
    // OSC, with each end
    "\x1b]0;title\x07",
    "\x1b]2;title\x1b\\",
    "\x1b]52;c;aGk=\x07",
    "\x1b]8;;http://evil\x1b\\",
    "\x1b]11;?\u{9c}",
    "\u{9d}0;title\x07",
    "\u{9d}52;c;aGk=\u{9c}",
    "\x1b]1337;File=:AAAA\x07",
    "\x1b]9;note\x18",
    "\x1b]777;x\x1a",
    // DCS, SOS, PM, APC
    "\x1bP$qm\x1b\\",
    "\x1bPq#0;2;0;0;0~-\x1b\\",
    "\x1bP+q544e\u{9c}",
    "\u{90}tmux;x\x1b\\",
    "\x1bP\x07x\x1b\\",
    "\x1bXstring\x1b\\",
    "\u{98}string\u{9c}",
    "\x1b^private\x1b\\",
    "\u{9e}private\u{9c}",
    "\x1b_Gi=1;AAAA\x1b\\",
    "\u{9f}Gi=1;AAAA\u{9c}",
    // others
    "\x1bc",
    "\x1b7",
    "\x1b8",
    "\x1b=",
    "\x1b>",
    "\x1bM",
    "\x1bD",
    "\x1bE",
    "\x1b#8",
    "\x1b(0",
    "\x1b)B",
    "\x1b%G",
    "\x1b F",
    "\x1b\x1b\x1b[m",
    "\x1b\x1bc",
    "\x1b[\x18",
    "\x1b[3\x1a",
    "\x1b[\x1b[m",
    "\x1b\x7f[m",
    "\x07",
    "\x0e",
    "\x0f",
    "\x7f",
    "\0",
    "\u{85}",
    "\u{84}",
    "\u{8d}",
    "\u{99}",
    "\u{9a}",
    "\u{9c}",
];

#[test]
fn sequences_vanish_with_what_they_carry() {
    for sequence in SEQUENCES {
        let text = format!("a{sequence}b");
        assert_eq!(Clean::line(&text).as_str(), "ab", "{sequence:?} in a line");
        assert_eq!(Clean::block(&text).as_str(), "ab", "{sequence:?} in a block");
    }
}

/// Fails at everything that a terminal would do but print.
struct OnlyPrints;

impl vte::Perform for OnlyPrints {
    fn execute(&mut self, byte: u8) {
        assert_eq!(byte, b'\n', "a control");
    }
    fn hook(&mut self, _: &vte::Params, _: &[u8], _: bool, _: char) {
        panic!("a device control string");
    }
    fn osc_dispatch(&mut self, _: &[&[u8]], _: bool) {
        panic!("a system command");
    }
    fn csi_dispatch(&mut self, _: &vte::Params, _: &[u8], _: bool, _: char) {
        panic!("a control sequence");
    }
    fn esc_dispatch(&mut self, _: &[u8], _: bool, _: u8) {
        panic!("an escape sequence");
    }
}

#[test]
fn sequences_cut_anywhere_leave_nothing_that_acts() {
    for sequence in SEQUENCES {
        for end in (0..=sequence.len()).filter(|end| sequence.is_char_boundary(*end)) {
            check(&format!("a{}", &sequence[..end]));
            check(&format!("a{}\nb", &sequence[..end]));
            check(&format!("{}b", &sequence[end..]));
        }
    }
}

#[test]
fn a_sequence_without_an_end_hides_only_its_own_line() {
    for begin in
        ["\x1b]0;", "\x1bP", "\x1bX", "\x1b^", "\x1b_", "\x1b[3", "\x1b", "\u{9d}", "\u{90}", "\u{9b}1"]
    {
        assert_eq!(Clean::block(&format!("a{begin}\nrm -rf /")).as_str(), "a\nrm -rf /", "{begin:?}");
        let rest = if begin == "\x1b]0;" { "0;" } else { "" };
        assert_eq!(
            Clean::line(&format!("a{begin}\nrm -rf /")).as_str(),
            format!("a{rest} rm -rf /"),
            "{begin:?}"
        );
    }
}

#[test]
fn a_string_without_an_end_swallows_no_sentence_that_repeats_it() {
    for begin in
        ["\x1b]", "\x1bP", "\x1bX", "\x1b^", "\x1b_", "\u{9d}", "\u{90}", "\u{98}", "\u{9e}", "\u{9f}"]
    {
        let sentence = format!("/tmp/a{begin}b\u{7f}\u{202e} cannot be read");
        assert_eq!(Clean::line(&sentence).as_str(), "/tmp/ab cannot be read", "{begin:?}");
        check(&sentence);
    }
}

#[test]
fn every_control_character_goes() {
    for code in (0..0x20).chain(0x7f..0xa0) {
        let c = char::from_u32(code).unwrap();
        check(&format!("a{c}b"));
        check(&format!("{c}"));
        check(&format!("a{c}{c}[31mb"));
    }
}

#[test]
fn every_invisible_character_goes() {
    for c in ('\0'..=char::MAX).filter(|c| is_invisible(*c)) {
        let text = format!("a{c}b");
        let (line, block) = (Clean::line(&text), Clean::block(&text));
        let separator = matches!(c, '\n' | '\r' | '\t' | '\u{2028}' | '\u{2029}');
        let introducer = matches!(c, '\x1b' | '\u{9b}');
        assert_eq!(
            line.as_str(),
            if separator {
                "a b"
            } else if introducer {
                "a"
            } else {
                "ab"
            },
            "{c:?}"
        );
        assert_harmless(&block, true);
    }
}

#[test]
fn named_tricks_show_what_they_hide() {
    for (trick, shown) in [
        ("reversed \u{202e}txt.exe", "reversed txt.exe"),
        ("isolates \u{2066}a\u{2069}\u{200f}", "isolates a"),
        ("zero\u{200b}width\u{2060}\u{feff}", "zerowidth"),
        ("tags \u{e0001}\u{e0068}\u{e0069}\u{e007f}!", "tags !"),
        ("notes \u{fff9}a\u{fffa}b\u{fffb}", "notes ab"),
        ("styles a\u{fe0f}\u{fe00}\u{e0100}", "styles a"),
        ("fillers \u{3164}\u{115f}\u{ffa0}.", "fillers ."),
        ("joiners a\u{200d}b\u{200c}c\u{200d}", "joiners abc"),
        ("\u{301}mark first", "mark first"),
        ("vowel\u{1161} without a syllable", "vowel\u{fffd} without a syllable"),
    ] {
        assert_eq!(Clean::line(trick).as_str(), shown);
        assert_eq!(Clean::block(trick).as_str(), shown);
    }
}

#[test]
fn joiners_and_styles_stay_where_they_shape_what_is_seen() {
    for text in [
        "👨\u{200d}👩\u{200d}👧\u{200d}👦",
        "🏳\u{fe0f}\u{200d}🌈",
        "❤\u{fe0f}",
        "⌚\u{fe0e}",
        "1\u{fe0f}\u{20e3}",
        "می\u{200c}خواهم",
        "ක\u{dca}\u{200d}ෂ",
        "👍🏽",
        "🇩🇪",
        "é e\u{301}",
        "漢字かなｶﾞ",
    ] {
        assert_eq!(Clean::line(text).as_str(), text);
        assert_eq!(Clean::block(text).as_str(), text);
    }
}

#[test]
fn a_block_is_what_a_terminal_would_leave() {
    for (written, left) in [
        ("one\r\ntwo\r\n", "one\ntwo\n"),
        (" 10%\r 50%\r100%", "100%"),
        ("Downloading\rDone\x1b[K", "Done"),
        ("Downloading\x1b[2K\rDone", "Done"),
        ("abc\rX", "Xbc"),
        ("abc\x1b[1K", "   "),
        ("abcd\x08\x08X", "abXd"),
        ("man\x08n\x08nual", "manual"),
        ("a\tb", "a       b"),
        ("1234567\tb", "1234567 b"),
        ("漢字\tb", "漢字    b"),
        ("\tx\r\x1b[31my", "y       x"),
        ("漢字\rx", "x 字"),
        ("a漢\r\u{301}b", "b漢"),
        ("x漢\rab", "ab "),
        ("\x1b[Kabc", "abc"),
        ("abc\x1b[2Kd", "   d"),
    ] {
        assert_eq!(Clean::block(written).as_str(), left, "{written:?}");
    }
}

#[test]
fn a_line_hides_nothing_behind_a_carriage_return() {
    assert_eq!(Clean::line("rm -rf /\r\x1b[Kls").as_str(), "rm -rf / ls");
    assert_eq!(Clean::line("one\r\ntwo\n\tthree").as_str(), "one two  three");
}

#[test]
fn a_cluster_without_end_is_cut() {
    let long = format!("a{}b", "\u{301}".repeat(1 << 17));
    assert_eq!(Clean::line(&long).as_str(), format!("a{}\u{fffd}b", "\u{301}".repeat(8)));
    let family = "👩\u{200d}".repeat(1000);
    assert_eq!(Clean::line(&family).as_str(), format!("{}\u{fffd}", "👩\u{200d}".repeat(15) + "👩"));
    let conjunct = "क\u{94d}".repeat(1000);
    assert!(Clean::block(&conjunct).len() < 200);
    check(&family);
    check(&conjunct);
}

#[test]
fn own_words_are_borrowed_and_cleaned_alike() {
    assert!(matches!(Clean::from_static("ready").0, Cow::Borrowed(_)));
    assert_eq!(Clean::from_static("re\x1b[31mady").as_str(), "ready");
}

#[test]
fn shortened_text_says_so() {
    assert_eq!(Clean::line("shopping").shortened(8).as_str(), "shopping");
    assert_eq!(Clean::line("shopping").shortened(6).as_str(), "shop..");
    assert_eq!(Clean::line("漢字漢字").shortened(5).as_str(), "漢..");
    assert_eq!(Clean::line("shopping").shortened(1).as_str(), ".");
}

proptest! {
    #[test]
    fn any_characters_become_harmless(text in any::<String>()) {
        check(&text);
    }

    #[test]
    fn any_bytes_become_harmless(bytes in any::<Vec<u8>>()) {
        check(&String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn hostile_mixtures_become_harmless(text in hostile()) {
        check(&text);
    }
}

/// Text of what terminals and tables treat specially.
fn hostile() -> impl Strategy<Value = String> {
    let parts = prop_oneof![
        proptest::sample::select(SEQUENCES).prop_map(str::to_owned),
        "[ -~\t\r\n\x08]{0,6}",
        "[\x1b\u{9b}\u{9d}\u{90}\u{9c}\\[\\];:m0-9K]{1,4}",
        "[a👩🇩🇪कह\u{94d}ｶﾞ漢\u{301}\u{fe0f}\u{fe0e}\u{200d}\u{200c}\u{200b}\u{1161}\u{1112}\u{11ab}\u{600}\u{202e}]{1,8}",
        "(क\u{94d}){1,40}",
        "(👩\u{200d}){1,40}",
        "[\u{ad}\u{300}-\u{345}\u{600}-\u{605}\u{1b44}\u{1b13}\u{d4e}\u{e33}\u{e0020}-\u{e007f}]{1,12}",
    ];
    proptest::collection::vec(parts, 0..12).prop_map(|parts| parts.concat())
}
