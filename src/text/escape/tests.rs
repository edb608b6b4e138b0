use super::*;
use proptest::prelude::*;

/// Escapes between brackets, lines as they are.
fn shown(command: &str) -> String {
    let line = |pieces: &Vec<Piece>| -> String {
        let piece = |p: &Piece| if p.escaped { format!("[{}]", p.text) } else { p.text.to_string() };
        pieces.iter().map(piece).collect()
    };
    escape_command(command).iter().map(line).collect::<Vec<_>>().join("\n")
}

#[test]
fn what_cannot_be_seen_is_written_out() {
    for (command, expected) in [
        ("echo hi", "echo hi"),
        ("echo a\necho b", "echo a\necho b"),
        ("ls\r\x1b[Krm -rf /", r"ls[\r\x1b][Krm -rf /"),
        ("a\tb\x7f\0\u{9b}", r"a[\t]b[\x7f\x00\u{9b}]"),
        ("cat \u{202e}txt.exe", r"cat [\u{202e}]txt.exe"),
        ("a\u{a0}b\u{202f}c\u{3000}d\u{2800}", r"a[\u{a0}]b[\u{202f}]c[\u{3000}]d[\u{2800}]"),
        ("x\u{200b}y\u{200d}\u{feff}\u{ad}", r"x[\u{200b}]y[\u{200d}\u{feff}\u{ad}]"),
        ("\u{e0072}\u{e006d}", r"[\u{e0072}\u{e006d}]"),
        ("\u{2028}\u{3164}\u{115f}", r"[\u{2028}\u{3164}\u{115f}]"),
        ("echo é e\u{301} 漢字 שָׁ ที่ कि Ж", "echo é e\u{301} 漢字 שָׁ ที่ कि Ж"),
        ("-\u{338}x \u{301}", r"-[\u{338}]x [\u{301}]"),
        ("🏳\u{fe0f}\u{200d}🌈", r"🏳[\u{fe0f}\u{200d}]🌈"),
        ("a\u{1161}", r"a[\u{1161}]"),
        (r"printf '\x1b[31m'", r"printf '\x1b[31m'"),
        ("", ""),
        ("a\n", "a\n"),
    ] {
        assert_eq!(shown(command), expected, "{command:?}");
    }
}

#[test]
fn escapes_are_drawn_in_reverse() {
    let spans: Vec<Span> = escape_command("a\x07").remove(0).into_iter().map(Span::from).collect();
    assert_eq!(spans, [Span::plain(Clean::line("a")), Span::new(Clean::line(r"\x07"), Style::REVERSE),]);
}

#[test]
fn marks_without_end_are_written_out() {
    let command = format!("a{}", "\u{301}".repeat(9));
    assert_eq!(shown(&command), format!("a[{}]", r"\u{301}".repeat(9)));
}

#[test]
fn what_deceives_is_named() {
    let mixed = |word| Warning::MixedScripts { word: Clean::line(word) };
    for (command, expected) in [
        ("echo hi", vec![]),
        ("echo привет мир hello", vec![]),
        ("echo αβγ x", vec![]),
        ("curl p\u{430}ypal.com", vec![mixed("p\u{430}ypal")]),
        ("echo \u{39f}K", vec![mixed("\u{39f}K")]),
        ("echo \u{200b}", vec![Warning::Hidden]),
        ("p\u{200b}\u{430}\u{a0}", vec![Warning::Hidden, mixed("p\u{430}")]),
        ("10\u{b5}s", vec![]),
    ] {
        assert_eq!(warnings(command), expected, "{command:?}");
    }
}

/// Reads the escapes back.
fn bytes_of(lines: &[Vec<Piece>]) -> String {
    let mut command = String::new();
    for (n, pieces) in lines.iter().enumerate() {
        command.push_str(if n > 0 { "\n" } else { "" });
        for piece in pieces {
            if piece.escaped { unescape(&piece.text, &mut command) } else { command.push_str(&piece.text) }
        }
    }
    command
}

fn unescape(escapes: &str, out: &mut String) {
    for escape in escapes.split('\\').skip(1) {
        let digits = escape.trim_start_matches(['x', 'u', '{']).trim_end_matches('}');
        out.push(match escape {
            "t" => '\t',
            "r" => '\r',
            _ => char::from_u32(u32::from_str_radix(digits, 16).unwrap()).unwrap(),
        });
    }
}

#[test]
fn json_keeps_its_value_and_loses_what_a_terminal_acts_on() {
    let text = "a\u{1b}[2J\u{9b}31m\u{7f}\u{202e}\u{200b}\u{e0041}\u{2028}\u{feff}\u{85}é日👩‍👧\n\"\\";
    let json = serde_json::to_string_pretty(&vec![text]).unwrap();
    let escaped = escape_json(json.clone());
    assert!(!escaped.contains(|c| c != '\n' && is_invisible(c)), "{escaped:?}");
    assert!(escaped.contains("é日") && escaped.contains(r"\udb40\udc41"), "{escaped}");
    assert_eq!(serde_json::from_str::<Vec<String>>(&escaped).unwrap(), [text]);
    let heap = serde_json::to_string(&format!("e{}", "\u{301}".repeat(10))).unwrap();
    assert_eq!(escape_json(heap), format!("\"e{}{}\"", "\u{301}".repeat(8), r"\u0301".repeat(2)));
}

proptest! {
    #[test]
    fn any_json_keeps_its_value(text in hostile()) {
        let escaped = escape_json(serde_json::to_string(&text).unwrap());
        prop_assert!(!escaped.contains(is_invisible));
        prop_assert_eq!(serde_json::from_str::<String>(&escaped).unwrap(), text);
    }

    #[test]
    fn the_bytes_can_be_read_back(command in hostile()) {
        prop_assert_eq!(bytes_of(&escape_command(&command)), command);
    }

    #[test]
    fn every_piece_is_clean_and_seen(command in hostile()) {
        for piece in escape_command(&command).iter().flatten() {
            prop_assert_eq!(&Clean::line(&piece.text), &piece.text);
            prop_assert!(cells(&piece.text).all(|cell| cell.width > 0));
        }
    }
}

fn hostile() -> impl Strategy<Value = String> {
    prop_oneof![
        any::<String>(),
        "[ -~\t\r\n\x1b\u{9b}]{0,20}",
        "[a-яकह\u{94d}👩\u{200d}\u{fe0f}\u{301}\u{202e}\u{e0041}\u{a0}\u{1112}\u{1161}\n]{0,20}",
        "(क\u{94d}){20,40}x",
    ]
}
