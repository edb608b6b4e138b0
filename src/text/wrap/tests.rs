use super::*;
use crate::text::width;
use proptest::prelude::*;

fn wrapped(text: &str, room: usize, indent: usize) -> Vec<String> {
    wrap(&[Span::plain(Clean::block(text))], room, indent).iter().map(Row::text).collect()
}

#[test]
fn rows_end_between_words() {
    assert_eq!(wrapped("the quick brown fox", 10, 0), ["the quick", "brown fox"]);
    assert_eq!(wrapped("the quick brown fox", 9, 0), ["the quick", "brown fox"]);
    assert_eq!(wrapped("the  quick", 20, 0), ["the  quick"]);
    assert_eq!(wrapped("the    quick", 5, 0), ["the", "quick"]);
    assert_eq!(wrapped("ends  ", 5, 0), ["ends"]);
    assert_eq!(wrapped("", 5, 0), [""]);
}

#[test]
fn a_word_longer_than_a_row_is_broken() {
    assert_eq!(wrapped("abcdefghij", 4, 0), ["abcd", "efgh", "ij"]);
    assert_eq!(wrapped("x abcdefghij", 4, 0), ["x", "abcd", "efgh", "ij"]);
    assert_eq!(wrapped("abcdef gh", 4, 0), ["abcd", "ef", "gh"]);
}

#[test]
fn rows_that_go_on_hang_under_the_indent() {
    assert_eq!(wrapped("- one two three", 9, 2), ["- one two", "  three"]);
    assert_eq!(wrapped("abcdefgh", 4, 2), ["abcd", "  ef", "  gh"]);
    assert_eq!(wrapped("abcd", 2, 99), ["ab", "cd"]);
}

#[test]
fn leading_spaces_stay() {
    assert_eq!(wrapped("    if x:", 20, 0), ["    if x:"]);
    assert_eq!(wrapped("  a\n    b", 20, 0), ["  a", "    b"]);
    assert_eq!(wrapped("      ab", 4, 0), ["    ", "  ab"]);
}

#[test]
fn lines_end_at_line_feeds() {
    assert_eq!(wrapped("a\n\nb\n", 5, 2), ["a", "", "b"]);
    assert_eq!(wrapped("\n", 5, 0), [""]);
    let block = rows_of_block(&Clean::block("a b\nc"), Style::DIM, 1);
    assert_eq!(block.iter().map(Row::text).collect::<Vec<_>>(), ["a", "b", "c"]);
    assert!(rows_of_block(&Clean::default(), Style::PLAIN, 5).is_empty());
}

#[test]
fn wide_characters_break_on_either_side() {
    assert_eq!(wrapped("漢字漢字", 5, 0), ["漢字", "漢字"]);
    assert_eq!(wrapped("ab漢字cd", 4, 0), ["ab漢", "字cd"]);
    assert_eq!(wrapped("漢字 漢字", 4, 0), ["漢字", "漢字"]);
    assert_eq!(wrapped("漢", 1, 0), ["漢"]);
}

#[test]
fn folding_keeps_every_column() {
    let rows = fold(&[Span::plain(Clean::block("ab  cd  ef\nx"))], 4);
    assert_eq!(rows.iter().map(Row::text).collect::<Vec<_>>(), ["ab  ", "cd  ", "ef", "x"]);
}

#[test]
fn styles_go_with_their_text() {
    let spans =
        [Span::new(Clean::line("one t"), Style::BOLD), Span::new(Clean::line("wo three"), Style::DIM)];
    let rows = wrap(&spans, 7, 1);
    let shown: Vec<Vec<_>> =
        rows.iter().map(|row| row.spans.iter().map(|s| (s.text.as_str(), s.style)).collect()).collect();
    assert_eq!(
        shown,
        [vec![("one t", Style::BOLD), ("wo", Style::DIM)], vec![(" ", Style::PLAIN), ("three", Style::DIM)]]
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn rows_fit_and_hold_the_text(text in text(), room in 2usize..30, indent in 0usize..6) {
        let spans = spans(&text);
        let rows = wrap(&spans, room, indent);
        for row in &rows {
            prop_assert!(row.width() <= room || cells(&row.text()).count() == 1, "{:?}", row);
        }
        let words = |text: &str| text.split_whitespace().collect::<String>();
        let shown: String = rows.iter().map(Row::text).collect();
        prop_assert_eq!(words(&shown), words(&text));
    }

    #[test]
    fn counting_agrees_with_building(text in text(), room in 0usize..30, indent in 0usize..40) {
        let spans = spans(&text);
        prop_assert_eq!(count_rows(&spans, room, indent), wrap(&spans, room, indent).len());
        prop_assert_eq!(count_folded(&spans, room), fold(&spans, room).len());
    }

    #[test]
    fn folded_rows_hold_every_character(text in text(), room in 2usize..30) {
        let shown: String = fold(&spans(&text), room).iter().map(Row::text).collect();
        prop_assert_eq!(shown, Clean::block(&text).replace('\n', ""));
    }

    #[test]
    fn no_word_is_broken_that_fits_a_row(words in proptest::collection::vec("[a-z]{1,8}", 1..30)) {
        for row in wrapped(&words.join(" "), 8, 0) {
            prop_assert!(width(&row) <= 8 && row.split(' ').all(|word| words.iter().any(|w| w == word)));
        }
    }
}

fn text() -> impl Strategy<Value = String> {
    proptest::string::string_regex("([a-z]{1,12}|漢|字|👩\u{200d}👩|e\u{301}| |  |\n){0,40}").unwrap()
}

/// The text in three spans.
fn spans(text: &str) -> Vec<Span> {
    let clean = Clean::block(text);
    let cuts: Vec<usize> = cells(&clean).map(|cell| cell.start).collect();
    let cut = |n: usize| cuts.get(cuts.len() * n / 3).copied().unwrap_or(clean.len());
    [0..cut(1), cut(1)..cut(2), cut(2)..clean.len()]
        .map(|range| Span::new(clean.part(range), Style::PLAIN))
        .to_vec()
}
