//! What a record keeps of an output.

use super::limits::{OUTPUT_BYTES, OUTPUT_HALF_BYTES};

/// The part of an output that a result record holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutputExcerpt {
    /// Text: all of it, or its first and last part with a line between them.
    pub text: String,
    /// Whether something was left out.
    pub truncated: bool,
}

/// Makes the excerpt of an output of `total` bytes, of which `head` are the
/// first and `tail` the last ones (each holds everything if `total` is small,
/// and at least [`OUTPUT_HALF_BYTES`] plus three bytes otherwise).
///
/// Cut parts are lengthened to whole characters; a maximal bad subpart of
/// UTF-8 becomes one U+FFFD.
#[must_use]
pub fn excerpt(head: &[u8], tail: &[u8], total: u64) -> OutputExcerpt {
    let whole = usize::try_from(total).is_ok_and(|total| total <= OUTPUT_BYTES && head.len() >= total);
    if whole {
        return OutputExcerpt { text: String::from_utf8_lossy(head).into_owned(), truncated: false };
    }
    let first = &head[..end_of_character(head, OUTPUT_HALF_BYTES)];
    let last = &tail[start_of_character(tail, tail.len().saturating_sub(OUTPUT_HALF_BYTES))..];
    // One character across both cuts would be kept twice.
    let twice = ((first.len() + last.len()) as u64).saturating_sub(total);
    let last = &last[usize::try_from(twice).unwrap_or(0).min(last.len())..];
    let kept = (first.len() + last.len()) as u64;
    let left_out = total.saturating_sub(kept);
    let text = format!(
        "{}\n[… {left_out} bytes left out …]\n{}",
        String::from_utf8_lossy(first),
        String::from_utf8_lossy(last)
    );
    OutputExcerpt { text, truncated: true }
}

fn is_continuation(byte: u8) -> bool {
    byte & 0b1100_0000 == 0b1000_0000
}

/// The first position at or after `at` that does not cut a character.
fn end_of_character(bytes: &[u8], at: usize) -> usize {
    let at = at.min(bytes.len());
    let more = bytes[at..].iter().take(3).take_while(|b| is_continuation(**b)).count();
    at + more
}

/// The last position at or before `at` that does not cut a character.
fn start_of_character(bytes: &[u8], at: usize) -> usize {
    let back = (0..=3.min(at)).find(|back| bytes.get(at - back).is_none_or(|b| !is_continuation(*b)));
    at - back.unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn up_to_the_limit_it_is_whole() {
        let bytes = vec![b'x'; OUTPUT_BYTES];
        let whole = excerpt(&bytes, &bytes, bytes.len() as u64);
        assert_eq!((whole.text.len(), whole.truncated), (OUTPUT_BYTES, false));
    }

    #[test]
    fn beyond_it_two_parts_of_whole_characters_remain() {
        let text = "é".repeat(40_000);
        let cut = excerpt(text.as_bytes(), text.as_bytes(), text.len() as u64);
        assert!(cut.truncated && !cut.text.contains('\u{fffd}'));
        assert!(cut.text.contains(&format!("\n[… {} bytes left out …]\n", text.len() - 65_536)));
        let odd = format!("x{text}");
        let cut = excerpt(odd.as_bytes(), odd.as_bytes(), odd.len() as u64);
        assert!(!cut.text.contains('\u{fffd}'));
        assert!(cut.text.contains(&format!("[… {} bytes left out …]", odd.len() - 32_769 - 32_768)));
    }

    #[test]
    fn a_character_across_both_cuts_is_kept_once() {
        let text = format!("{}😀{}", "a".repeat(32_767), "b".repeat(32_766));
        let cut = excerpt(text.as_bytes(), text.as_bytes(), text.len() as u64);
        assert_eq!(cut.text.matches('😀').count(), 1);
        assert!(cut.text.contains("[… 0 bytes left out …]"));
    }

    #[test]
    fn a_bad_subpart_becomes_one_mark() {
        assert_eq!(excerpt(b"a\xf0\x9f\x98b\xff", b"", 6).text, "a\u{fffd}b\u{fffd}");
    }
}
