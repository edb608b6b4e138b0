use super::*;
use proptest::prelude::*;

/// All events of a stream that arrives in these pieces, and how it ended.
fn decode<'a>(pieces: impl IntoIterator<Item = &'a [u8]>) -> (Vec<String>, Option<SseError>) {
    decode_with(Decoder::new(), pieces)
}

fn decode_with<'a>(
    mut decoder: Decoder,
    pieces: impl IntoIterator<Item = &'a [u8]>,
) -> (Vec<String>, Option<SseError>) {
    let mut events = Vec::new();
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

fn events(stream: &[u8]) -> Vec<String> {
    let (whole, error) = decode([stream]);
    assert_eq!(error, None);
    assert_eq!(decode(stream.chunks(1)), (whole.clone(), None), "byte by byte");
    whole
}

#[test]
fn framing() {
    let cases: &[(&[u8], &[&str])] = &[
        (b"data: a\n\n", &["a"]),
        (b"data:a\n\n", &["a"]),
        (b"data:  a\n\n", &[" a"]),
        (b"data: a\r\n\r\n", &["a"]),
        (b"data: a\r\ndata: b\r\n\r\n", &["a\nb"]),
        (b"data: a\r\rdata: b\r\r", &["a", "b"]),
        (b"data: a\r\n\ndata: b\n\r\n", &["a", "b"]),
        (b"data: a\n\n\n\ndata: b\n\n", &["a", "b"]),
        (b"\xef\xbb\xbfdata: a\n\n", &["a"]),
        (b"data: a\n\n\xef\xbb\xbfdata: b\n\n", &["a"]),
        (b"data: a\ndata: b\ndata\n\n", &["a\nb\n"]),
        (b"event: x\nid: 1\nretry: 5\nother: y\ndata: a\n\n", &["a"]),
        (b": comment\n\n:\n\ndata: a\n: in between\ndata: b\n\n", &["a\nb"]),
        (b"event: no data\n\n", &[]),
        (b"data\n\n", &[""]),
        (b"data: unfinished\n", &[]),
        (b"data: unfinished", &[]),
        ("data: ä😀\n\n".as_bytes(), &["ä😀"]),
        (b"database: a\n\n", &[]),
    ];
    for (stream, expected) in cases {
        assert_eq!(events(stream), *expected, "{:?}", String::from_utf8_lossy(stream));
    }
}

#[test]
fn a_bad_byte_ends_the_stream_after_the_events_before_it() {
    let stream = b"data: a\n\ndata: \xff\n\ndata: b\n\n";
    assert_eq!(decode([&stream[..]]), (vec!["a".into()], Some(SseError::Utf8)));
    assert_eq!(decode(stream.chunks(1)), (vec!["a".into()], Some(SseError::Utf8)));
}

#[test]
fn sizes_are_bounded() {
    let end = |stream: &str| {
        let whole = decode_with(Decoder::with_limits(16, 64), [stream.as_bytes()]);
        let bytes = decode_with(Decoder::with_limits(16, 64), stream.as_bytes().chunks(1));
        assert_eq!(whole, bytes, "{stream:?}");
        (whole.0.len(), whole.1)
    };
    assert_eq!(end("data: 0123456789\n\n"), (1, None));
    assert_eq!(end("data: 01234567890"), (0, Some(SseError::EventTooLong)), "an unfinished line");
    assert_eq!(end(": 0123456789abcdef\n"), (0, Some(SseError::EventTooLong)), "a comment");
    assert_eq!(end("data: 01234567890\n"), (0, Some(SseError::EventTooLong)), "a finished line");
    assert_eq!(end("data: 01234567\ndata: 0123456\n\n"), (1, None));
    assert_eq!(end("data: 01234567\ndata: 01234567\n\n"), (0, Some(SseError::EventTooLong)), "two lines");
    let events = "data: 0\n\n".repeat(8);
    assert_eq!(end(&events[..63]), (7, None));
    assert_eq!(end(&format!("{events}:")), (7, Some(SseError::StreamTooLong)));
}

/// Lines as servers send them, ends mixed, a few of them damaged.
fn lines() -> impl Strategy<Value = Vec<u8>> {
    let text = prop_oneof![
        Just("data: x".as_bytes().to_vec()),
        Just("data: ä😀".as_bytes().to_vec()),
        Just(b"data:".to_vec()),
        Just(b"event: e".to_vec()),
        Just(b": c".to_vec()),
        Just(b"".to_vec()),
        Just(b"\xef\xbb\xbf".to_vec()),
        Just(b"\xff".to_vec()),
        proptest::collection::vec(any::<u8>(), 0..6),
    ];
    let end = prop_oneof![Just(&b"\n"[..]), Just(&b"\r"[..]), Just(&b"\r\n"[..])];
    proptest::collection::vec((text, end), 0..24)
        .prop_map(|lines| lines.into_iter().flat_map(|(text, end)| [text.as_slice(), end].concat()).collect())
}

proptest! {
    #[test]
    fn pieces_do_not_matter(stream in lines(), cuts in proptest::collection::vec(1usize..9, 0..64)) {
        let mut pieces = Vec::new();
        let mut rest = stream.as_slice();
        for cut in cuts {
            let (piece, after) = rest.split_at(cut.min(rest.len()));
            pieces.push(piece);
            rest = after;
        }
        pieces.push(rest);
        prop_assert_eq!(decode(pieces), decode([stream.as_slice()]));
    }
}
