//! What must hold of any bytes that are shown; for the fuzz targets and their
//! property tests.
#![allow(clippy::unwrap_used, clippy::panic)] // an attack that gets through has to be loud

use super::glyphs::is_invisible;
use super::{Clean, LineIndex, OutputTail, Row, cells, escape_command, markdown, markdown_rows, output_rows};

fn harmless(text: &str) {
    let joiner = |c| matches!(c, '\u{200c}' | '\u{200d}' | '\u{fe0e}' | '\u{fe0f}');
    assert!(!text.starts_with(joiner));
    for c in text.chars().filter(|c| *c != '\n' && !joiner(*c)) {
        assert!(!c.is_control() && !is_invisible(c), "{c:?} in {text:?}");
    }
    for cell in cells(text).filter(|cell| cell.text != "\n") {
        assert!(cell.width > 0, "{cell:?} draws nothing");
    }
}

fn rows_are_harmless(rows: &[Row]) {
    for text in rows.iter().flat_map(|row| &row.spans).map(|span| span.text.as_str()) {
        assert!(!text.contains('\n'));
        harmless(text);
    }
}

/// Cleans the bytes as a line, a block, a command and Markdown: nothing in it
/// acts on a terminal or draws nothing, and cleaning again changes nothing.
///
/// # Panics
/// If it does not hold.
pub fn cleaner(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let (line, block) = (Clean::line(&text), Clean::block(&text));
    assert!(!line.contains('\n'));
    for clean in [&line, &block] {
        harmless(clean);
    }
    assert_eq!(Clean::line(&line), line);
    assert_eq!(Clean::block(&block), block);
    for piece in escape_command(&text).iter().flatten() {
        harmless(piece.text.as_str());
    }
    rows_are_harmless(&markdown_rows(&markdown(&text), 40));
}

/// Reads the bytes after the first as a command's output, in pieces of that
/// many bytes: the same harmless rows as in one piece, and the tail is the
/// end of them.
///
/// # Panics
/// If it does not hold.
pub fn output(bytes: &[u8]) {
    let Some((size, bytes)) = bytes.split_first() else { return };
    let (mut index, mut tail) = (LineIndex::default(), OutputTail::new(5));
    for piece in bytes.chunks(usize::from(*size).max(1)) {
        index.push(piece);
        tail.push(piece);
    }
    let rows: Vec<Row> =
        index.read(0..index.rows(), bytes).into_iter().map(|numbered| numbered.row).collect();
    assert_eq!(rows, output_rows(bytes));
    assert!(rows.ends_with(&tail.rows()), "{rows:?} {:?}", tail.rows());
    rows_are_harmless(&rows);
}
