//! A command as the bytes that will run: what cannot be seen is written out.

use super::clean::Clean;
use super::glyphs::{MARKS, is_invisible, is_mark, tidy};
use super::style::{Span, Style};
use super::width::cells;
use std::fmt;
use unicode_width::UnicodeWidthChar;

/// A stretch of a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece {
    /// The command's own characters, or escapes for them.
    pub text: Clean,
    /// Whether these are escapes, to be drawn in reverse.
    pub escaped: bool,
}

impl From<Piece> for Span {
    fn from(piece: Piece) -> Self {
        Self::new(piece.text, if piece.escaped { Style::REVERSE } else { Style::PLAIN })
    }
}

/// What a person should know before reading a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Warning {
    /// It contains characters that would not be seen.
    Hidden,
    /// A word mixes Latin letters with Cyrillic or Greek ones.
    MixedScripts {
        /// The first such word.
        word: Clean,
    },
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Hidden => {
                f.write_str("It contains control or invisible characters, written as escapes in reverse.")
            }
            Self::MixedScripts { word } => {
                write!(f, "\"{word}\" mixes Latin letters with Cyrillic or Greek ones that look alike.")
            }
        }
    }
}

/// The command's lines, each as pieces from left to right. The pieces that are
/// not escaped are exactly the command's characters, in order; LF ends a line.
/// To break it into rows, use [`fold`](super::fold), which drops no space.
#[must_use]
pub fn escape_command(command: &str) -> Vec<Vec<Piece>> {
    command.split('\n').map(escape_line).collect()
}

/// A JSON text of the same value in which no terminal finds anything to act on:
/// of control and invisible characters the form itself escapes only those below
/// U+0020, so the others are written as escapes too, and marks of which there
/// are too many on one letter. Line breaks stay.
#[must_use]
pub fn escape_json(json: String) -> String {
    // Most are.
    if json.bytes().all(|byte| byte == b'\n' || matches!(byte, b' '..=b'~')) {
        return json;
    }
    let mut escaped = String::with_capacity(json.len());
    let mut marks = 0;
    for c in json.chars() {
        marks = if is_mark(c) { marks + 1 } else { 0 };
        if c == '\n' || !is_invisible(c) && marks <= MARKS {
            escaped.push(c);
            continue;
        }
        for unit in c.encode_utf16(&mut [0; 2]) {
            escaped.push_str(&format!(r"\u{unit:04x}"));
        }
    }
    escaped
}

/// What is to be said about the command, in this order.
#[must_use]
pub fn warnings(command: &str) -> Vec<Warning> {
    let hidden = escape_command(command).iter().flatten().any(|piece| piece.escaped);
    let mixed = words(command).find(|word| mixes_scripts(word));
    let mixed = mixed.map(|word| Warning::MixedScripts { word: Clean::line(word) });
    hidden.then_some(Warning::Hidden).into_iter().chain(mixed).collect()
}

fn escape_line(line: &str) -> Vec<Piece> {
    let mut pieces = Pieces::default();
    for cell in cells(line) {
        if is_shown_whole(cell.text) {
            pieces.add(cell.text, false);
            continue;
        }
        for c in cell.text.chars() {
            if is_shown_alone(c) {
                pieces.add(c.encode_utf8(&mut [0; 4]), false);
            } else {
                pieces.add(&escape(c), true);
            }
        }
    }
    pieces.finish()
}

/// Whether a cluster is what it seems: every character in it is visible, marks
/// stand on letters, and not more of them than a language uses.
fn is_shown_whole(cluster: &str) -> bool {
    let mut chars = cluster.chars();
    let Some(base) = chars.next().filter(|base| is_shown_alone(*base)) else { return false };
    let rest = chars.as_str();
    if rest.is_empty() {
        return true;
    }
    let mut unchanged = String::new();
    tidy(cluster, &mut unchanged);
    base.is_alphanumeric() && !rest.contains(|c| is_invisible(c) || is_blank(c)) && unchanged == cluster
}

/// Whether a character is visible and takes its own cells.
fn is_shown_alone(c: char) -> bool {
    !is_invisible(c) && !is_blank(c) && c.width().is_some_and(|width| width > 0)
}

/// Whether it looks like a space without being one: to a shell, only the ASCII
/// space and the tab are spaces.
fn is_blank(c: char) -> bool {
    c != ' ' && (c.is_whitespace() || c == '\u{2800}')
}

fn escape(c: char) -> String {
    match c {
        '\t' => r"\t".to_owned(),
        '\r' => r"\r".to_owned(),
        '\0'..='\x7f' => format!(r"\x{:02x}", u32::from(c)),
        _ => c.escape_unicode().to_string(),
    }
}

/// Pieces, joined where they are alike.
#[derive(Default)]
struct Pieces(Vec<(String, bool)>);

impl Pieces {
    fn add(&mut self, text: &str, escaped: bool) {
        match self.0.last_mut() {
            Some((last, alike)) if *alike == escaped => last.push_str(text),
            _ => self.0.push((text.to_owned(), escaped)),
        }
    }

    fn finish(self) -> Vec<Piece> {
        self.0.into_iter().map(|(text, escaped)| Piece { text: Clean::tidied(text), escaped }).collect()
    }
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric() && c.width() != Some(0)).filter(|word| !word.is_ascii())
}

fn mixes_scripts(word: &str) -> bool {
    word.contains(is_latin) && word.contains(is_cyrillic_or_greek)
}

fn is_latin(c: char) -> bool {
    c.is_alphabetic()
        && matches!(c, 'A'..='z' | '\u{aa}' | '\u{ba}' | '\u{c0}'..='\u{2af}' | '\u{1e00}'..='\u{1eff}'
            | '\u{2c60}'..='\u{2c7f}' | '\u{a722}'..='\u{a7ff}' | '\u{ff21}'..='\u{ff5a}')
}

fn is_cyrillic_or_greek(c: char) -> bool {
    c.is_alphabetic()
        && matches!(c, '\u{370}'..='\u{52f}' | '\u{1c80}'..='\u{1c8f}' | '\u{1f00}'..='\u{1fff}'
            | '\u{2de0}'..='\u{2dff}' | '\u{a640}'..='\u{a69f}')
}

#[cfg(test)]
mod tests;
