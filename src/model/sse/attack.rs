//! Any bytes as a stream of events.

use super::{Decoder, SseError};

fn events<'a>(pieces: impl Iterator<Item = &'a [u8]>) -> (Vec<String>, Option<SseError>) {
    let (mut decoder, mut events) = (Decoder::new(), Vec::new());
    for piece in pieces {
        decoder.push(piece);
        loop {
            match decoder.next_event() {
                Ok(Some(event)) => events.push(event),
                Ok(None) => break,
                Err(error) => return (events, Some(error)),
            }
        }
    }
    (events, None)
}

/// Decodes the bytes after the first in pieces of that many bytes: they are the
/// same events as in one piece.
///
/// # Panics
/// If it does not hold.
pub fn stream(bytes: &[u8]) {
    let Some((size, bytes)) = bytes.split_first() else { return };
    let pieces = bytes.chunks(usize::from(*size).max(1));
    assert_eq!(format!("{:?}", events(pieces)), format!("{:?}", events(std::iter::once(bytes))));
}
