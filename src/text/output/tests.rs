use super::*;
use crate::text::{Clean, Color16, Needle, Style};
use proptest::prelude::*;

fn texts(rows: &[Row]) -> Vec<String> {
    rows.iter().map(Row::text).collect()
}

fn tail_of(chunks: &[&[u8]], keep: usize) -> OutputTail {
    let mut tail = OutputTail::new(keep);
    for chunk in chunks {
        tail.push(chunk);
    }
    tail
}

fn styled(bytes: &str) -> Vec<(String, Style)> {
    let rows = output_rows(bytes.as_bytes());
    rows.into_iter().flat_map(|row| row.spans).map(|span| (span.text.to_string(), span.style)).collect()
}

fn colored(color: Color16) -> Style {
    Style { color: Some(color), ..Style::PLAIN }
}

#[test]
fn colours_and_weights_stay() {
    for (sequence, style) in [
        ("\x1b[31m", colored(Color16::Red)),
        ("\x1b[97m", colored(Color16::BrightWhite)),
        ("\u{9b}31m", colored(Color16::Red)),
        (
            "\x1b[1;2;3;4;7m",
            Style { bold: true, dim: true, italic: true, underline: true, reverse: true, color: None },
        ),
        ("\x1b[1m\x1b[22m", Style::PLAIN),
        ("\x1b[1;31m\x1b[m", Style::PLAIN),
        ("\x1b[31m\x1b[39m", Style::PLAIN),
        ("\x1b[4:3m", Style { underline: true, ..Style::PLAIN }),
        ("\x1b[4m\x1b[4:0m", Style::PLAIN),
        ("\x1b[38;5;9m", colored(Color16::BrightRed)),
        ("\x1b[38;5;196m", colored(Color16::BrightRed)),
        ("\x1b[38;5;22m", colored(Color16::Green)),
        ("\x1b[38;5;240m", Style::PLAIN),
        ("\x1b[38;2;250;250;40m", colored(Color16::BrightYellow)),
        ("\x1b[38:2::30:30:160m", colored(Color16::Blue)),
        ("\x1b[38:2:30:30:160m", colored(Color16::Blue)),
        ("\x1b[38:5:1m", colored(Color16::Red)),
        ("\x1b[38;2;1;2;3m", Style::PLAIN),
        ("\x1b[48;5;1;1m", Style::BOLD),
        ("\x1b[48;2;1;1;1;1m", Style::BOLD),
        ("\x1b[58;5;1;1m", Style::BOLD),
        ("\x1b[41;5;8m", Style::PLAIN),
        ("\x1b[38m\x1b[38;5m\x1b[38;9m", Style::PLAIN),
        ("\x1b[?1m\x1b[>1m\x1b[1 m", Style::PLAIN),
    ] {
        assert_eq!(styled(&format!("{sequence}x")), [("x".to_owned(), style)], "{sequence:?}");
    }
}

#[test]
fn a_style_lasts_over_lines_and_pieces() {
    let red = colored(Color16::Red);
    assert_eq!(
        styled("\x1b[31ma\nb\x1b[0mc"),
        [("a".to_owned(), red), ("b".to_owned(), red), ("c".to_owned(), Style::PLAIN),]
    );
    let long = format!("\x1b[31m{}", "x".repeat(PIECE_BYTES * 2));
    assert!(styled(&long).iter().all(|(_, style)| *style == red));
}

#[test]
fn other_sequences_are_shown_as_nothing() {
    assert_eq!(styled("a\x1b[2J\x1b]0;t\x07\x1bPq\x1b\\\x07b"), [("ab".to_owned(), Style::PLAIN)]);
    assert_eq!(texts(&output_rows(b"a\x1b]0;no end\nb")), ["a", "b"]);
}

#[test]
fn lines_end_and_progress_shows_its_last_state() {
    assert_eq!(texts(&output_rows(b"")), Vec::<String>::new());
    assert_eq!(texts(&output_rows(b"a\r\n\nb")), ["a", "", "b"]);
    assert_eq!(texts(&output_rows(b" 1%\r 2%\r 3%\n")), [" 3%"]);
    assert_eq!(texts(&output_rows(b"\tx\n")), ["        x"]);
}

#[test]
fn bytes_that_are_no_text_become_marks() {
    assert_eq!(texts(&output_rows(b"a\xff\xf0\x9f\x98b\x9b1m")), ["a\u{fffd}\u{fffd}b\u{fffd}1m"]);
}

#[test]
fn the_tail_counts_all_and_keeps_the_last() {
    let tail = tail_of(&[b"1\n2\n", b"3\n4", b"5\n6"], 2);
    assert_eq!((tail.lines(), texts(&tail.rows())), (5, vec!["45".to_owned(), "6".to_owned()]));
    let tail = tail_of(&[b"1\n2\n3\n"], 2);
    assert_eq!((tail.lines(), texts(&tail.rows())), (3, vec!["2".to_owned(), "3".to_owned()]));
    assert_eq!(tail_of(&[], 2).rows(), []);
}

#[test]
fn a_long_line_comes_in_pieces() {
    let line = "é".repeat(PIECE_BYTES);
    let rows = output_rows(line.as_bytes());
    assert_eq!(rows.len(), 2);
    assert_eq!(texts(&rows).concat(), line);
    let mut index = LineIndex::default();
    index.push(format!("{line}\nx\n").as_bytes());
    assert_eq!((index.rows(), index.lines()), (3, 2));
}

#[test]
fn progress_of_any_length_is_one_row() {
    let mut progress: String = (0..10_000).map(|n| format!("\r\x1b[32m{n} of 10000")).collect();
    progress.push_str("\nnext");
    assert_eq!(texts(&output_rows(progress.as_bytes())), ["9999 of 10000", "next"]);
    let tail = tail_of(&progress.as_bytes().chunks(77).collect::<Vec<_>>(), 10);
    assert_eq!((tail.lines(), texts(&tail.rows())), (2, vec!["9999 of 10000".to_owned(), "next".to_owned()]));
}

#[test]
fn long_text_before_a_carriage_return_is_not_lost() {
    for end in ["\r", "\r\r\n", "\r\n"] {
        let text = format!("{}{end}", "x".repeat(PIECE_BYTES - 1));
        assert_eq!(
            texts(&output_rows(format!("{text}more").as_bytes())).concat().matches('x').count(),
            PIECE_BYTES - 1
        );
    }
}

#[test]
fn any_row_can_be_read_alone() {
    let output: String = (1..=5000).map(|n| format!("\x1b[3{}mline {n}\n", n % 8)).collect();
    let mut index = LineIndex::default();
    index.push(output.as_bytes());
    let all = index.read(0..index.rows(), output.as_bytes());
    for rows in [0..1, 511..514, 4000..4003, 4998..5000, 4999..9999] {
        let range = index.bytes_of(rows.clone());
        let bytes =
            &output.as_bytes()[usize::try_from(range.start).unwrap()..usize::try_from(range.end).unwrap()];
        assert!(bytes.len() < 64 << 10);
        assert_eq!(index.read(rows.clone(), bytes), all[rows.start..rows.end.min(5000)]);
    }
    for line in [0, 1, 512, 513, 2000, 5000, 9999] {
        let rows = index.rows_near_line(line);
        let last = line.clamp(1, 5000);
        assert!(rows.len() <= 1024 && all[rows].iter().any(|row| row.line == last), "line {line}");
    }
}

#[test]
fn a_flood_costs_no_memory() {
    let mut tail = OutputTail::new(10);
    let chunk = [b"\x1b]0;".as_slice(), &[0x80; 5000], b"\x1bP", &[b'x'; 5000]].concat();
    for _ in 0..100 {
        tail.push(&chunk);
    }
    assert_eq!(tail.lines(), 1);
    let held: usize = tail.rows().iter().map(|row| row.text().len()).sum();
    assert!(held <= 11 * 3 * (PIECE_BYTES + 3), "{held}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn chunks_do_not_matter(bytes in noise(), cuts in proptest::collection::vec(any::<usize>(), 0..8)) {
        let mut at: Vec<usize> = cuts.iter().map(|cut| cut % (bytes.len() + 1)).collect();
        at.extend([0, bytes.len()]);
        at.sort_unstable();
        let chunks: Vec<&[u8]> = at.windows(2).map(|pair| &bytes[pair[0]..pair[1]]).collect();
        let whole = tail_of(&[&bytes], 3);
        let parts = tail_of(&chunks, 3);
        prop_assert_eq!(whole.rows(), parts.rows());
        prop_assert_eq!(whole.lines(), parts.lines());
        let mut index = LineIndex::default();
        chunks.iter().for_each(|chunk| index.push(chunk));
        let rows = output_rows(&bytes);
        prop_assert_eq!(index.rows(), rows.len());
        prop_assert_eq!(index.lines(), whole.lines());
        prop_assert_eq!(&rows[rows.len().saturating_sub(3)..], &whole.rows()[..]);
    }

    #[test]
    fn any_row_alone_is_as_among_all(bytes in noise(), row in any::<prop::sample::Index>()) {
        let mut index = LineIndex::default();
        index.push(&bytes);
        let all = index.read(0..index.rows(), &bytes);
        prop_assert_eq!(all.len(), index.rows());
        prop_assume!(!all.is_empty());
        let row = row.index(all.len());
        let range = index.bytes_of(row..row + 1);
        let part = &bytes[usize::try_from(range.start).unwrap()..usize::try_from(range.end).unwrap()];
        prop_assert_eq!(index.read(row..row + 1, part), &all[row..=row]);
    }

    #[test]
    fn every_row_is_clean(bytes in noise()) {
        for span in output_rows(&bytes).iter().flat_map(|row| &row.spans) {
            prop_assert_eq!(&Clean::line(&span.text), &span.text);
        }
    }

    #[test]
    fn text_without_styles_is_what_cleaning_gives(text in "[a-z漢\u{301}\r\x08\t\x1b\\[\\]K0-9;\n]{0,60}") {
        let block = Clean::block(&text);
        let expected = if text.ends_with('\n') { block.strip_suffix('\n') } else { Some(block.as_str()) };
        let shown = texts(&output_rows(text.as_bytes())).join("\n");
        prop_assert_eq!(Some(shown.as_str()), expected);
    }
}

/// Bytes that mean something, repeated so that pieces and marks are crossed.
fn noise() -> impl Strategy<Value = Vec<u8>> {
    let part = prop_oneof![
        Just(b"\x1b[31m".to_vec()),
        Just(b"\xc2\x9b32m".to_vec()),
        Just(b"\x1b]0;t\x07".to_vec()),
        Just(b"\x1bP".to_vec()),
        Just(b"\r".to_vec()),
        Just(b"\n".to_vec()),
        Just(b"\r\n".to_vec()),
        Just("漢é👩\u{200d}👩".as_bytes().to_vec()),
        proptest::collection::vec(any::<u8>(), 0..8),
        "[ -~]{0,12}".prop_map(String::into_bytes),
    ];
    let repeated = (part, prop_oneof![9 => 1usize..4, 1 => 600usize..2500]);
    proptest::collection::vec(repeated, 0..10)
        .prop_map(|parts| parts.into_iter().flat_map(|(part, times)| part.repeat(times)).collect())
}

/// The row in which the needle begins, by reading everything.
fn naive(bytes: &[u8], rows: std::ops::Range<usize>, needle: &Needle, side: Side) -> Option<usize> {
    let mut index = LineIndex::default();
    index.push(bytes);
    let all = index.read(0..index.rows(), bytes);
    let shows = |row: &usize| {
        let text = all[*row].row.text();
        let mut whole = text.clone();
        if let Some(next) = all.get(row + 1).filter(|next| next.continues) {
            whole.push_str(&next.row.text());
        }
        needle.find_all(&whole).iter().any(|range| range.start < text.len())
    };
    let mut rows = rows.start..rows.end.min(all.len());
    match side {
        Side::First => rows.find(shows),
        Side::Last => rows.rfind(shows),
    }
}

/// The row that a search in batches finds, as a reader of a file searches.
fn in_batches(bytes: &[u8], needle: &Needle, side: Side, batch: u64) -> Option<usize> {
    let mut index = LineIndex::default();
    index.push(bytes);
    let mut rest = 0..index.rows();
    while !rest.is_empty() {
        let rows = match side {
            Side::First => index.batch_from(rest.start, batch),
            Side::Last => index.batch_to(rest.end, batch),
        };
        assert!(!rows.is_empty() && rows.start >= rest.start && rows.end <= rest.end, "{rows:?} of {rest:?}");
        let range = index.bytes_of(rows.clone());
        let end = (range.end + PIECE_BYTES as u64).min(bytes.len() as u64);
        let read = usize::try_from(range.start).unwrap()..usize::try_from(end).unwrap();
        assert!((read.len() as u64) < batch + (256 << 10), "{} bytes are read", read.len());
        match side {
            Side::First => rest.start = rows.end,
            Side::Last => rest.end = rows.start,
        }
        if let Some(row) = index.find(rows, &bytes[read], needle, side) {
            return Some(row);
        }
    }
    None
}

#[test]
fn what_is_shown_is_found() {
    for (output, needle, first, last) in [
        ("one\ntwo\none\n", "one", Some(0), Some(2)),
        ("ONE\none\n", "One", None, None),
        ("ONE\none\n", "one", Some(0), Some(1)),
        ("al\x1b[31mar\x1b[0mm\n", "alarm", Some(0), Some(0)),
        ("hidden\rsee\x1b[K\n", "hidden", None, None),
        ("hidden\rsee\x1b[K\n", "see", Some(0), Some(0)),
        ("\x1b]0;title\x07text\n", "title", None, None),
        ("pass\u{200b}word\n", "password", Some(0), Some(0)),
        ("a\tb\n", "a       b", Some(0), Some(0)),
        ("漢字 ÉTÉ\n", "été", Some(0), Some(0)),
        ("a\nb", "a b", None, None),
        ("x\n\u{9c}[2J no end\n", "end", Some(1), Some(1)),
    ] {
        let needle = Needle::new(needle).unwrap();
        for (side, expected) in [(Side::First, first), (Side::Last, last)] {
            assert_eq!(in_batches(output.as_bytes(), &needle, side, 1), expected, "{needle:?} in {output:?}");
        }
    }
}

#[test]
fn what_lies_across_two_pieces_is_found() {
    for filler in ["x", "é"] {
        let mut line = filler.repeat(PIECE_BYTES / filler.len() - 1);
        line.push_str("needle");
        line.push_str(&filler.repeat(PIECE_BYTES));
        let needle = Needle::new("needle").unwrap();
        for side in [Side::First, Side::Last] {
            assert_eq!(in_batches(line.as_bytes(), &needle, side, 1), Some(0), "{filler}");
        }
    }
}

#[test]
fn nothing_of_a_hidden_sequence_is_found() {
    // Its pieces begin inside of a sequence.
    let output = format!("\x1b]0;{}needle{}\x07end\n", "x".repeat(PIECE_BYTES * 2), "x".repeat(PIECE_BYTES));
    for (needle, found) in [("needle", false), ("end", true)] {
        let needle = Needle::new(needle).unwrap();
        assert_eq!(in_batches(output.as_bytes(), &needle, Side::First, 1).is_some(), found);
    }
}

#[test]
fn an_index_is_small_and_a_batch_is_bounded() {
    let mut index = LineIndex::default();
    let block = b"a line of text\n".repeat(10_000);
    for _ in 0..500 {
        index.push(&block);
    }
    assert_eq!(index.rows(), 5_000_000);
    assert!(index.memory() < 2 << 20, "{} bytes", index.memory());
    // One row of a progress bar may be as long as the file.
    let mut progress = b"first\n".to_vec();
    progress.extend(b"\r 10 %".repeat(1 << 20));
    progress.extend(b"\nlast\n");
    let needle = Needle::new("last").unwrap();
    assert_eq!(in_batches(&progress, &needle, Side::First, 1 << 20), Some(2));
    let needle = Needle::new("first").unwrap();
    assert_eq!(in_batches(&progress, &needle, Side::Last, 1 << 20), Some(0));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn a_search_finds_what_reading_finds(
        bytes in noise(),
        needle in prop_oneof!["[a-z]{1,2}", "[A-Za-z0-9 ]{1,3}", Just("漢".to_owned()), Just("tile".to_owned())],
        batch in prop_oneof![Just(1u64), Just(100_000), Just(1 << 20)],
    ) {
        let Some(needle) = Needle::new(&needle) else { return Ok(()) };
        for side in [Side::First, Side::Last] {
            prop_assert_eq!(in_batches(&bytes, &needle, side, batch), naive(&bytes, 0..usize::MAX, &needle, side));
        }
    }
}
