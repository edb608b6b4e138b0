use super::*;
use crate::text::{Clean, Code, Color16, Style};
use proptest::prelude::*;

fn shown(text: &str, width: usize) -> Vec<String> {
    markdown_rows(&markdown(text), width).iter().map(|row| row.text().trim_end().to_owned()).collect()
}

fn styles(text: &str) -> Vec<(String, Style)> {
    let rows = markdown_rows(&markdown(text), 80);
    rows.into_iter().flat_map(|row| row.spans).map(|span| (span.text.to_string(), span.style)).collect()
}

#[test]
fn blocks_stand_apart() {
    assert_eq!(
        shown("# Title\nSome text\nthat goes on.\n\nMore.\n***\nEnd\\\nof it.", 20),
        [
            "Title",
            "",
            "Some text that goes",
            "on.",
            "",
            "More.",
            "",
            "--------------------",
            "",
            "End",
            "of it.",
        ]
    );
}

#[test]
fn lists_nest_and_hang() {
    assert_eq!(
        shown("- one two three\n- four\n  1. five six\n  2. seven\n\nend", 12),
        ["- one two", "  three", "- four", "  1. five", "     six", "  2. seven", "", "end",]
    );
    assert_eq!(shown("1. a\n\n   b\n\n2. c", 20), ["1. a", "", "   b", "", "2. c"]);
    assert_eq!(shown("- a\n\n- b\n\ntext\n- c", 20), ["- a", "", "- b", "", "text", "", "- c"]);
    assert_eq!(shown("-\n- - x\n- [ ] todo\n- [x] done", 20), ["-", "- - x", "- [ ] todo", "- [x] done"]);
    assert_eq!(shown("-\ttab\n\t- nested", 20), ["- tab", "  - nested"]);
}

#[test]
fn quotes_have_a_bar() {
    assert_eq!(shown("> a b\n>\n> - c\n\n> d", 9), ["| a b", "|", "| - c", "", "| d"]);
    assert_eq!(shown("> one two", 7), ["| one", "| two"]);
}

#[test]
fn code_keeps_its_columns() {
    assert_eq!(
        shown("a\n```rust\nfn  main() {\n    x\n\n}\n```\nb", 10),
        ["a", "", "  fn  main", "  () {", "      x", "", "  }", "", "b",]
    );
    assert_eq!(shown("    indented *code*", 40), ["  indented *code*"]);
    assert_eq!(shown("- a\n  ~~~\n  b\n  ~~~\n- c", 40), ["- a", "    b", "- c"]);
    assert_eq!(shown("```\nnot closed\n\n# still", 40), ["  not closed", "", "  # still"]);
}

#[test]
fn tables_align_their_columns() {
    let table = "| name | n | mid |\n|:--|--:|:-:|\n| a | 1 | x |\n| bcd | 200 | |\n| e |";
    assert_eq!(shown(table, 40), ["name    n  mid", "----  ---  ---", "a       1   x", "bcd   200", "e",]);
}

#[test]
fn tables_wrap_and_then_become_fields() {
    let table = "| key | meaning |\n|--|--|\n| a | some words that wrap |\n| b | `c` |";
    assert_eq!(
        shown(table, 16),
        ["key  meaning", "---  -----------", "a    some words", "     that wrap", "b    `c`",]
    );
    assert_eq!(
        shown(table, 10),
        ["key: a", "meaning:", "  some", "  words", "  that", "  wrap", "", "key: b", "meaning:", "  `c`",]
    );
    assert_eq!(shown("| a | b |\n|--|--|", 3), ["a", "b"]);
}

#[test]
fn nothing_that_was_written_is_lost() {
    for (text, expected) in [
        ("[here](http://x.y \"title\")", "here (http://x.y)"),
        ("<http://x.y> <a@b.c>", "http://x.y a@b.c"),
        ("[http://x.y](http://evil.z)", "http://x.y (http://evil.z)"),
        ("![alt](pic.png)", "[image: alt (pic.png)]"),
        ("a <b>bold</b> <!-- c -->", "a <b>bold</b> <!-- c -->"),
        ("<div class=x>", "<div class=x>"),
        ("[text][1] and [1]", "[text][1] and [1]"),
        ("[1]: http://x.y 'title'", "[1]: http://x.y 'title'"),
        ("> [a]: b", "| [a]: b"),
        ("- [a\\]]: b", "- [a]]: b"),
        ("[a\nb]: c", "[a b]: c"),
        ("~~old~~ H~2~O $x_i$ [^1]", "~~old~~ H~2~O $x_i$ [^1]"),
        ("&lt; &amp; &copy;", "< & ©"),
    ] {
        assert_eq!(shown(text, 80), [expected], "{text}");
    }
    assert_eq!(shown("<pre>\na  b\n</pre>", 80), ["<pre>", "a  b", "</pre>"]);
    assert_eq!(shown("```\n[a]: b\n```", 80), ["  [a]: b"]);
    assert_eq!(shown("    [a]: b", 80), ["  [a]: b"]);
}

#[test]
fn emphasis_becomes_style() {
    let plain = |text: &str| (text.to_owned(), Style::PLAIN);
    let italic = Style { italic: true, ..Style::PLAIN };
    let code = Style { color: Some(Color16::Cyan), ..Style::PLAIN };
    let underlined = Style { underline: true, ..Style::PLAIN };
    assert_eq!(
        styles("a *b* __c__ `d` [e](f)"),
        [
            plain("a "),
            ("b".to_owned(), italic),
            plain(" "),
            ("c".to_owned(), Style::BOLD),
            plain(" "),
            ("`d`".to_owned(), code),
            plain(" "),
            ("e".to_owned(), underlined),
            plain(" (f)"),
        ]
    );
    assert_eq!(
        styles("# a *b*"),
        [
            ("a ".to_owned(), Style { underline: true, ..Style::BOLD }),
            ("b".to_owned(), Style { underline: true, italic: true, ..Style::BOLD }),
        ]
    );
    assert_eq!(styles("## `a`"), [("`a`".to_owned(), Style { bold: true, ..code })]);
}

#[test]
fn code_keeps_its_rows_when_it_gets_its_colours() {
    let mut blocks = markdown("text\n```sh\necho 'a b' c\n```\n```\n'x'\n```");
    let plain = markdown_rows(&blocks, 12);
    for block in &mut blocks {
        if let Some(colored) = block.code().and_then(Code::highlight) {
            block.color(&colored);
        }
    }
    let colored = markdown_rows(&blocks, 12);
    let texts = |rows: &[Row]| rows.iter().map(Row::text).collect::<Vec<_>>();
    assert_eq!(texts(&plain), texts(&colored));
    let green = colored.iter().flat_map(|row| &row.spans).filter(|s| s.style.color == Some(Color16::Green));
    assert_eq!(green.map(|span| span.text.as_str()).collect::<Vec<_>>(), ["'a b'"]);
}

#[test]
fn entities_cannot_bring_back_what_was_cleaned() {
    for (text, expected) in [
        ("a&#27;[31mb&#x202e;c&#x200b;d", "abcd"),
        ("a\x1b[2Jb", "ab"),
        ("[a](b&#x7;c)", "a (bc)"),
        ("`a\u{202e}b`", "`ab`"),
        ("a&#10;b", "a b"),
    ] {
        assert_eq!(shown(text, 80), [expected], "{text:?}");
    }
}

#[test]
fn what_is_complete_stays_while_more_comes() {
    let mut stream = MarkdownStream::default();
    stream.push("# One\n\nsome *te");
    assert_eq!((stream.stable().len(), stream.tail().len()), (0, 2));
    stream.push("xt*\n\n```\ncode\n\nmore");
    assert_eq!((stream.stable().len(), stream.tail().len()), (2, 1));
    stream.push("\n\nand\n```\n\n- a\n\n- b\n\n");
    assert_eq!((stream.stable().len(), stream.tail().len()), (3, 2));
    stream.push("end\n");
    assert_eq!((stream.stable().len(), stream.tail().len()), (5, 1));
}

#[test]
fn a_fence_ends_with_the_item_it_stands_in() {
    let text = "- a\n\n  ```\n  code\n\ntext\n\n```\nmore\n\ncode\n```\n";
    assert_eq!(shown(text, 40), ["- a", "", "    code", "", "text", "", "  more", "", "  code"]);
}

#[test]
fn deep_nesting_leaves_room() {
    let deep = format!("{}x", "> ".repeat(200));
    assert_eq!(shown(&deep, 10), [" | | x"]);
}

proptest! {
    #[test]
    fn rows_fit_are_clean_and_counted(text in writing(), width in 2usize..50) {
        for block in markdown(&text) {
            let rows = block.rows(width);
            prop_assert_eq!(rows.len(), block.count_rows(width));
            for row in &rows {
                prop_assert!(row.width() <= width, "{:?}", row);
                for span in &row.spans {
                    prop_assert_eq!(&Clean::line(&span.text), &span.text);
                }
            }
        }
    }

    #[test]
    fn blocks_are_the_same_however_they_come(text in writing(), cuts in proptest::collection::vec(any::<prop::sample::Index>(), 0..6)) {
        let whole = markdown(&text);
        let mut at: Vec<usize> = cuts.iter().map(|cut| text.floor_char_boundary(cut.index(text.len() + 1))).collect();
        at.extend([0, text.len()]);
        at.sort_unstable();
        let mut stream = MarkdownStream::default();
        for pair in at.windows(2) {
            stream.push(&text[pair[0]..pair[1]]);
            let stable = stream.stable().to_vec();
            prop_assert_eq!(&whole[..stable.len()], &stable[..]);
            let so_far: Vec<Block> = stable.into_iter().chain(stream.tail()).collect();
            prop_assert_eq!(so_far, markdown(&text[..pair[1]]));
        }
        prop_assert_eq!(stream.finish(), whole);
    }

    #[test]
    fn every_letter_is_shown(text in writing()) {
        // Of these some hide letters or bring new ones.
        let text = text.replace(['\r', '\x1b', '&'], "");
        let letters = |text: &str| text.chars().filter(char::is_ascii_lowercase).collect::<String>();
        let rows = markdown_rows(&markdown(&text), 200);
        let shown: String = rows.iter().map(Row::text).collect();
        let mut expected: Vec<char> = letters(&text).chars().collect();
        let mut found: Vec<char> = letters(&shown).chars().collect();
        expected.sort_unstable();
        found.sort_unstable();
        prop_assert_eq!(found, expected);
    }
}

/// Lines of everything that Markdown knows.
fn writing() -> impl Strategy<Value = String> {
    let line = prop_oneof![
        4 => "[a-z ]{0,20}",
        2 => Just(String::new()),
        1 => "( {0,5})(-|\\*|[1-3]\\.) [a-z]{0,5}",
        1 => " {0,5}(```|~~~)",
        1 => "> ?[a-z]{0,3}",
        1 => " {4}[a-z]{1,5}",
        1 => "#{1,3} [a-z]{1,5}",
        1 => "\\| [a-z]{1,3} \\| [a-z]{1,3} \\|",
        1 => "\\|--\\|--\\|",
        1 => "(---|===)",
        1 => "\\[[a-z]\\]: [a-z]{1,3}",
        1 => "[a-z*_`\\[\\]()<>!&#漢\t\r\x1b]{0,12}",
    ];
    proptest::collection::vec(line, 0..14).prop_map(|lines| lines.join("\n"))
}
