use super::*;
use proptest::prelude::*;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

/// One cluster of each kind that programs disagree about, with its cells.
const CLUSTERS: &[(&str, &str, usize)] = &[
    ("latin", "a", 1),
    ("precomposed", "é", 1),
    ("combining", "e\u{301}", 1),
    ("stacked marks", "a\u{300}\u{301}\u{302}", 1),
    ("cjk", "漢", 2),
    ("hangul syllable", "한", 2),
    ("hangul jamo", "\u{1112}\u{1161}\u{11ab}", 2),
    ("hiragana", "あ", 2),
    ("katakana with combining dakuten", "カ\u{3099}", 2),
    ("half-width kana", "ｶ", 1),
    ("half-width kana with sound mark", "ｶﾞ", 2),
    ("full-width latin", "Ａ", 2),
    ("ideographic space", "\u{3000}", 2),
    ("emoji", "😀", 2),
    ("emoji with skin tone", "👍🏽", 2),
    ("family", "👨\u{200d}👩\u{200d}👧\u{200d}👦", 2),
    ("rainbow flag", "🏳\u{fe0f}\u{200d}🌈", 2),
    ("flag", "🇩🇪", 2),
    ("half a flag", "🇩", 1),
    ("keycap", "1\u{fe0f}\u{20e3}", 2),
    ("text by nature", "❤", 1),
    ("text made emoji", "❤\u{fe0f}", 2),
    ("emoji made text", "⌚\u{fe0e}", 1),
    ("devanagari with vowel", "कि", 2),
    ("devanagari conjunct", "क\u{94d}ष", 2),
    ("tamil", "நி", 2),
    ("thai with marks", "ที่", 1),
    ("arabic", "ع", 1),
    ("hebrew with points", "שׁ", 1),
    ("ambiguous: ellipsis", "…", 1),
    ("ambiguous: greek", "α", 1),
    ("ambiguous: box drawing", "─", 1),
    ("ambiguous: circle", "①", 1),
    ("replacement character", "\u{fffd}", 1),
    ("private use", "\u{e0b0}", 1),
    ("control", "\x1b", 0),
    ("line feed", "\n", 0),
    ("zero-width space", "\u{200b}", 0),
    ("a mark alone", "\u{301}", 0),
];

/// Where the screen library's cursor stands after drawing `text`.
fn drawn(text: &str) -> usize {
    let mut buffer = Buffer::empty(Rect::new(0, 0, 2000, 1));
    usize::from(buffer.set_stringn(0, 0, text, 2000, Style::new()).0)
}

#[test]
fn every_kind_of_cluster_takes_the_cells_it_is_drawn_in() {
    for (kind, text, expected) in CLUSTERS {
        let found: Vec<_> = cells(text).map(|cell| (cell.start, cell.text, cell.width)).collect();
        assert_eq!(found, [(0, *text, *expected)], "{kind}");
        assert_eq!(drawn(text), *expected, "{kind}, drawn");
        let between = format!("|{text}|");
        assert_eq!(width(&between), drawn(&between), "{kind}, between borders");
    }
}

#[test]
fn simple_characters_are_what_the_tables_say() {
    for c in ('\0'..=char::MAX).filter(|c| is_simple(*c)) {
        assert_eq!(simple_width(c), Some(cluster_width(&c.to_string())), "{c:?}");
        assert!(!crate::text::glyphs::is_invisible(c), "{c:?}");
        for other in ['a', 'é', 'か', '漢', '각', '가'] {
            let pair: String = [other, c, other].iter().collect();
            assert_eq!(pair.graphemes(true).count(), 3, "{pair:?}");
        }
    }
}

#[test]
fn cutting_never_splits_a_cluster() {
    assert_eq!(truncate("漢字", 3), "漢");
    assert_eq!(truncate("漢字", 4), "漢字");
    assert_eq!(truncate("e\u{301}x", 1), "e\u{301}");
    assert_eq!(truncate("abc", 0), "");
    assert_eq!(truncate_start("漢字", 3), "字");
    assert_eq!(truncate_start("abc", 5), "abc");
    assert_eq!(truncate_start("abc", 0), "");
    assert_eq!(truncate_middle("abcdefghij", 10), "abcdefghij");
    assert_eq!(truncate_middle("abcdefghij", 8), "ab..ghij");
    assert_eq!(truncate_middle("漢字漢字漢", 8), "漢..字漢");
    assert_eq!(truncate_middle("abc", 1), "c");
    assert_eq!(pad("漢字", 3), "漢 ");
    assert_eq!(pad("ab", 4), "ab  ");
}

proptest! {
    #[test]
    fn any_text_is_as_wide_as_it_is_drawn(text in any_text()) {
        prop_assert_eq!(width(&text), drawn(&text));
    }

    #[test]
    fn a_cut_fits_and_no_longer_cut_would(text in any_text(), room in 0usize..40) {
        let cut = truncate(&text, room);
        prop_assert!(width(cut) <= room);
        if let Some(next) = cells(&text[cut.len()..]).next() {
            prop_assert!(width(cut) + next.width > room);
        }
        prop_assert!(width(truncate_start(&text, room)) <= room);
        prop_assert!(width(&truncate_middle(&text, room)) <= room);
        prop_assert_eq!(width(&pad(&text, room)), room);
    }
}

/// Text of the clusters above, and of any characters.
fn any_text() -> impl Strategy<Value = String> {
    let known = proptest::sample::select(CLUSTERS).prop_map(|(_, text, _)| text.to_owned());
    let strange = any::<char>().prop_map(String::from);
    proptest::collection::vec(prop_oneof![3 => known, 1 => strange], 0..30).prop_map(|parts| parts.concat())
}

#[test]
fn terminals_agree_about_most_text() {
    for agreed in ["", " ", "a", "é", "e\u{301}", "ж", "漢", "한", "カ", "│", "✓", "😀", "\u{fffd}"]
    {
        assert!(!has_disputed_width(agreed), "{agreed:?}");
    }
    let disputed = ["\u{600}", "ܐ\u{73e}", "क्षि", "👩\u{200d}🔬", "❤\u{fe0f}", "🇩🇪", "\u{619}", "\u{10ffff}"];
    for disputed in disputed {
        assert!(has_disputed_width(disputed), "{disputed:?}");
    }
}
