//! The cursor stands where what was typed ends, whatever was typed: the cells
//! that are drawn are counted in the buffer.

use crate::tui::input::Key;
use crate::tui::testing::Stage;
use crossterm::event::KeyCode;

/// One of each kind that terminals and libraries disagree about.
const GRAPHEMES: &[(&str, &str)] = &[
    ("Latin", "a"),
    ("CJK", "語"),
    ("fullwidth letter", "Ａ"),
    ("half-width kana", "ｱ"),
    ("half-width kana with a voiced mark", "ｶ\u{ff9e}"),
    ("half-width kana with a semi-voiced mark", "ﾊ\u{ff9f}"),
    ("hangul of parts", "\u{1112}\u{1161}\u{11ab}"),
    ("combining acute", "e\u{301}"),
    ("three combining marks", "a\u{300}\u{316}\u{301}"),
    ("Devanagari conjunct", "क्षि"),
    ("Tamil", "நி"),
    ("Thai", "กำ"),
    ("Bengali", "ক্ষো"),
    ("Arabic with a mark", "بّ"),
    ("emoji", "😀"),
    ("skin tone", "👍🏽"),
    ("ZWJ family", "👨‍👩‍👧‍👦"),
    ("ZWJ profession", "👩🏽‍💻"),
    ("rainbow flag", "🏳️‍🌈"),
    ("flag", "🇩🇪"),
    ("half a flag", "🇩"),
    ("subdivision flag", "🏴\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}"),
    ("keycap", "1\u{fe0f}\u{20e3}"),
    ("heart as text", "\u{2764}\u{fe0e}"),
    ("heart as emoji", "\u{2764}\u{fe0f}"),
    ("watch as text", "\u{231a}\u{fe0e}"),
    ("ambiguous", "§"),
    ("ambiguous line", "─"),
    ("zero width space", "\u{200b}"),
    ("soft hyphen", "\u{ad}"),
    ("bidi override", "\u{202e}"),
];

fn typed(columns: u16, text: &str) -> Stage {
    let mut stage = Stage::open(columns, 24);
    text.chars().for_each(|c| stage.press(Key::char(c)));
    stage
}

/// The cell of the last `x` on the screen.
fn place_of_x(stage: &mut Stage) -> ((u16, u16), (u16, u16)) {
    let (buffer, cursor) = stage.cells();
    let area = buffer.area;
    let mut places = (0..area.height).rev().flat_map(|y| (0..area.width).rev().map(move |x| (x, y)));
    let found = places.find(|place| buffer[*place].symbol() == "x");
    (found.expect("x is drawn"), cursor)
}

#[test]
fn the_cursor_column_is_the_number_of_cells_drawn() {
    for (name, grapheme) in GRAPHEMES {
        let mut stage = typed(80, &format!("{grapheme}x"));
        let ((x, y), cursor) = place_of_x(&mut stage);
        assert_eq!((x + 1, y), cursor, "{name}: the cursor is behind the x");
        stage.code(KeyCode::Left);
        let ((x, y), cursor) = place_of_x(&mut stage);
        assert_eq!((x, y), cursor, "{name}: the cursor is on the x");
        stage.code(KeyCode::Home);
        assert_eq!(stage.cells().1, (3, y), "{name}: the cursor is at the beginning");
    }
}

#[test]
fn at_a_rows_end_too() {
    // The composer's row has 76 cells; the x comes near its end and beyond.
    for (name, grapheme) in GRAPHEMES {
        for before in 70..80 {
            let mut stage = typed(80, &format!("{}{grapheme}{grapheme}x", "-".repeat(before)));
            let ((x, y), (cursor_x, cursor_y)) = place_of_x(&mut stage);
            assert!(x < 79 && cursor_x < 80, "{name} after {before}: {x}, {cursor_x}");
            let behind = (x + 1, y) == (cursor_x, cursor_y);
            let below = (cursor_x, cursor_y) == (3, y + 1) && x == 78;
            assert!(behind || below, "{name} after {before}: x at {x},{y}, cursor {cursor_x},{cursor_y}");
        }
    }
}
