//! A path as it is put into a message: as a shell reads it, since that is where
//! it will be used.

use crate::text::escape_command;

/// The path itself if a shell takes it as it is, else in quotes; with escapes if
/// it holds what is not text or cannot be seen, so that it is exact and nothing
/// of it hides.
pub(crate) fn quoted(path: &[u8]) -> String {
    let Ok(text) = std::str::from_utf8(path) else { return escaped(path) };
    if !text.chars().all(is_seen) {
        return escaped(path);
    }
    let text = if text.starts_with(['-', '~']) { format!("./{text}") } else { text.to_owned() };
    if text.chars().all(is_bare) {
        return text;
    }
    format!("'{}'", text.replace('\'', "'\\''"))
}

/// Whether a shell gives a character no meaning inside a word, and a reader no
/// other one.
fn is_bare(c: char) -> bool {
    if c.is_ascii() { c.is_ascii_alphanumeric() || "/._-+,:@%~".contains(c) } else { !c.is_whitespace() }
}

/// Whether a character is seen as what it is; marks stand on a letter.
fn is_seen(c: char) -> bool {
    let shown = escape_command(&format!("a{c}"));
    !c.is_control() && shown.iter().flatten().all(|piece| !piece.escaped)
}

/// In the form `$'...'`, which every byte has.
fn escaped(path: &[u8]) -> String {
    let mut out = String::from("$'");
    for chunk in path.utf8_chunks() {
        for c in chunk.valid().chars() {
            match c {
                '\'' => out.push_str("\\'"),
                '\\' => out.push_str("\\\\"),
                '\n' => out.push_str("\\n"),
                '\t' => out.push_str("\\t"),
                '\r' => out.push_str("\\r"),
                c if is_seen(c) => out.push(c),
                c => bytes(c.encode_utf8(&mut [0; 4]).as_bytes(), &mut out),
            }
        }
        bytes(chunk.invalid(), &mut out);
    }
    out.push('\'');
    out
}

fn bytes(bytes: &[u8], out: &mut String) {
    for byte in bytes {
        out.push_str(&format!("\\x{byte:02x}"));
    }
}
