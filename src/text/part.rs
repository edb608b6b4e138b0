//! Rows seen in part: from a column on, or with some of their text in reverse.

use super::clean::Clean;
use super::style::{Row, Span};
use super::width::cells;
use std::ops::Range;

/// What of `row` stands in the `room` cells from column `from` on. A wide
/// character that an edge cuts is a space.
#[must_use]
pub fn crop(row: &Row, from: usize, room: usize) -> Row {
    let mut column = 0;
    let mut spans = Vec::new();
    for span in &row.spans {
        let mut kept = String::new();
        for cell in cells(&span.text) {
            let end = column + cell.width;
            if column >= from + room {
                break;
            }
            match (column >= from, end <= from + room) {
                (true, true) => kept.push_str(cell.text),
                _ if end > from => {
                    let seen = end.min(from + room) - column.max(from);
                    kept.extend(std::iter::repeat_n(' ', seen));
                }
                _ => {}
            }
            column = end;
        }
        if !kept.is_empty() {
            spans.push(Span::new(Clean::tidied(kept), span.style));
        }
    }
    Row { spans }
}

/// `row` with these bytes of its text the other way round than the rest:
/// in reverse, or upright where the row is in reverse.
#[must_use]
pub fn highlight(row: &Row, ranges: &[Range<usize>]) -> Row {
    if ranges.is_empty() {
        return row.clone();
    }
    let mut spans = Vec::new();
    let mut base = 0;
    for span in &row.spans {
        let end = base + span.text.len();
        let mut cuts = vec![base];
        cuts.extend(
            ranges.iter().flat_map(|range| [range.start, range.end]).filter(|at| (base..end).contains(at)),
        );
        cuts.push(end);
        for pair in cuts.windows(2) {
            let inside = ranges.iter().any(|range| range.contains(&pair[0]));
            let mut style = span.style;
            style.reverse ^= inside;
            let text = span.text.part(pair[0] - base..pair[1] - base);
            if !text.is_empty() {
                spans.push(Span::new(text, style));
            }
        }
        base = end;
    }
    Row { spans }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::{Style, output_rows};
    use proptest::prelude::*;

    fn row(text: &str) -> Row {
        output_rows(text.as_bytes()).into_iter().next().unwrap_or_default()
    }

    #[test]
    fn a_row_is_seen_from_a_column_on() {
        for (text, from, room, expected) in [
            ("abcdef", 0, 3, "abc"),
            ("abcdef", 2, 3, "cde"),
            ("abcdef", 5, 3, "f"),
            ("abcdef", 9, 3, ""),
            ("\x1b[31mab\x1b[0mcdef", 1, 2, "bc"),
            ("日本語", 0, 3, "日 "),
            ("日本語", 1, 3, " 本"),
            ("e\u{301}x", 1, 1, "x"),
            ("日", 1, 0, ""),
        ] {
            assert_eq!(crop(&row(text), from, room).text(), expected, "{text} from {from}");
        }
    }

    #[test]
    fn what_was_found_is_the_other_way_round() {
        let red = row("\x1b[7mab\x1b[0mcd");
        let shown = highlight(&red, std::slice::from_ref(&(1..3)));
        let told: Vec<_> = shown.spans.iter().map(|span| (span.text.as_str(), span.style.reverse)).collect();
        assert_eq!(told, [("a", true), ("b", false), ("c", true), ("d", false)]);
        assert_eq!(highlight(&red, &[]), red);
        assert_eq!(highlight(&row("x"), std::slice::from_ref(&(0..1))).spans[0].style, Style::REVERSE);
    }

    proptest! {
        #[test]
        fn a_part_fits(text in "\\PC{0,12}", from in 0usize..16, room in 0usize..16) {
            let whole = row(&text);
            let part = crop(&whole, from, room);
            prop_assert_eq!(part.width(), whole.width().saturating_sub(from).min(room));
        }
    }
}
