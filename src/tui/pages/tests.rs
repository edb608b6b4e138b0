use super::desk::Desk;
use super::*;
use crate::text::{LineIndex, PIECE_BYTES, Row};
use crate::tui::pages::export::write_shown;
use proptest::prelude::*;
use std::sync::Arc;

fn desk(bytes: &[u8]) -> Desk {
    Desk::new(Arc::new(bytes.to_vec()))
}

fn indexed(bytes: &[u8]) -> Desk {
    let mut desk = desk(bytes);
    desk.finish();
    desk
}

/// What a search tells in the end.
fn search(desk: &mut Desk, needle: &str, rows: Range<usize>, side: Side) -> Option<usize> {
    let find = Find { number: 7, needle: Needle::new(needle).unwrap(), rows, side };
    assert!(desk.obey(Order::Find(Box::new(find))).is_ok());
    loop {
        if let Some(Told::Found { number: 7, row }) = desk.work() {
            return row;
        }
    }
}

#[test]
fn the_first_screen_does_not_wait_for_the_index() {
    let mut desk = desk(&b"a line\n".repeat(1 << 20));
    desk.work();
    assert!(!desk.size().complete && desk.size().rows > 10_000);
    assert_eq!(desk.rows(0..50).len(), 50);
    desk.finish();
    assert_eq!((desk.size().rows, desk.size().lines), (1 << 20, 1 << 20));
    assert_eq!(desk.rows((1 << 20) - 1..usize::MAX).len(), 1);
}

#[test]
fn a_search_waits_for_the_index_and_ends_with_it() {
    let mut bytes = b"hay\n".repeat(1 << 20);
    bytes.extend(b"needle\n");
    assert_eq!(search(&mut desk(&bytes), "needle", 0..usize::MAX, Side::First), Some(1 << 20));
    assert_eq!(search(&mut desk(&bytes), "pin", 0..usize::MAX, Side::First), None);
    let mut desk = indexed(&bytes);
    assert_eq!(search(&mut desk, "hay", 0..usize::MAX, Side::Last), Some((1 << 20) - 1));
    assert_eq!(search(&mut desk, "hay", 5..6, Side::Last), Some(5));
    assert_eq!(search(&mut desk, "needle", 0..1 << 20, Side::First), None);
}

#[test]
fn a_line_is_reached_by_its_number() {
    let long = "x".repeat(PIECE_BYTES * 3);
    let bytes = format!("{}{long}\n{}", "short\n".repeat(2000), "after\n".repeat(2000));
    for (line, row) in [(0, 0), (1, 0), (1999, 1998), (2001, 2000), (2002, 2003), (4001, 4002), (9999, 4002)]
    {
        let mut desk = desk(bytes.as_bytes());
        assert!(desk.obey(Order::Line(line)).is_ok());
        let told = std::iter::from_fn(|| desk.work()).find_map(|told| match told {
            Told::Line(row) => Some(row),
            _ => None,
        });
        assert_eq!(told, Some(row), "line {line}");
    }
}

#[test]
fn what_grows_is_read_on() {
    use std::io::Write as _;
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(b"one\ntw").unwrap();
    let mut desk = Desk::new(Arc::new(file.reopen().unwrap()));
    desk.finish();
    assert_eq!(desk.rows(0..9)[1].row.text(), "tw");
    file.write_all(b"o\nthree\n").unwrap();
    assert!(desk.obey(Order::Grown).is_ok());
    desk.finish();
    let rows: Vec<String> = desk.rows(0..9).iter().map(|row| row.row.text()).collect();
    assert_eq!(rows, ["one", "two", "three"]);
}

#[test]
fn the_memory_is_flat() {
    // One line of 64 MiB, and as many bytes in lines of their own.
    for block in [b"x".repeat(1 << 20), b"some words\n".repeat(95_326)] {
        let bytes = block.repeat(64);
        let mut desk = indexed(&bytes);
        let middle = desk.size().rows / 2;
        assert_eq!(desk.rows(middle..middle + 100).len(), 100);
        assert_eq!(search(&mut desk, "absent", 0..usize::MAX, Side::First), None);
        assert!(desk.memory() < 5 << 20, "{} bytes", desk.memory());
    }
}

#[test]
fn copied_text_has_whole_lines_and_a_bound() {
    let long = "y".repeat(PIECE_BYTES + 5);
    let bytes = format!("a\n\x1b[31m{long}\x1b[0m\nc\n");
    let mut desk = indexed(bytes.as_bytes());
    let copied = desk.copy(0..4);
    assert_eq!((copied.text, copied.lines), (Some(format!("a\n{long}\nc")), 3));
    let mut desk = indexed(&b"0123456789\n".repeat(20_000));
    assert_eq!(desk.copy(0..20_000).text, None);
    assert!(desk.copy(0..5_000).text.is_some());
}

#[test]
fn what_is_written_is_what_is_shown() {
    let bytes = b"one\x1b[31m two\x1b]0;t\x07\n 1%\r 2%\nend";
    let mut out = Vec::new();
    let mut desk = indexed(bytes);
    assert_eq!(write_shown(&mut desk, 0..9, &mut out).unwrap(), out.len() as u64);
    assert_eq!(String::from_utf8(out).unwrap(), "one two\n 2%\nend\n");
    let mut out = Vec::new();
    write_shown(&mut desk, 1..2, &mut out).unwrap();
    assert_eq!(out, b" 2%\n");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn windows_are_what_reading_everything_gives(bytes in noise(), windows in proptest::collection::vec((any::<prop::sample::Index>(), 0usize..80), 1..6)) {
        let mut index = LineIndex::default();
        index.push(&bytes);
        let all: Vec<Row> = index.read(0..index.rows(), &bytes).into_iter().map(|row| row.row).collect();
        let mut desk = indexed(&bytes);
        prop_assert_eq!(desk.size().rows, all.len());
        for (start, length) in windows {
            let start = start.index(all.len() + 1);
            let rows: Vec<Row> = desk.rows(start..start + length).into_iter().map(|row| row.row).collect();
            prop_assert_eq!(&rows, &all[start..all.len().min(start + length)]);
        }
    }
}

/// Bytes that cross windows, marks and slices in the middle of something.
fn noise() -> impl Strategy<Value = Vec<u8>> {
    let part = prop_oneof![
        Just(b"\x1b[1;31m".to_vec()),
        Just(b"\r".to_vec()),
        Just(b"\n".to_vec()),
        Just(b"text\r\n".to_vec()),
        Just("漢é".as_bytes().to_vec()),
        proptest::collection::vec(any::<u8>(), 0..8),
        "[ -~]{0,12}".prop_map(String::into_bytes),
    ];
    let repeated = (part, prop_oneof![8 => 1usize..4, 2 => 2000usize..9000]);
    proptest::collection::vec(repeated, 0..10)
        .prop_map(|parts| parts.into_iter().flat_map(|(part, times)| part.repeat(times)).collect())
}
