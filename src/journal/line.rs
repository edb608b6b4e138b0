//! One line: its exact bytes and what they say.
//!
//! The bytes before the body and after it are exactly those that the parsed
//! values give. Rebuilding and comparing them refuses every looseness at once:
//! white space, escaped or doubled keys, another order, another number form.

use super::error::Fault;
use super::seal;
use crate::record::{DecodeError, Digest, Record, SessionId, Timestamp};
use serde::Deserialize;
use serde_json::value::RawValue;
use std::io::Write;

/// The version of the form that is written.
pub const VERSION: u64 = 1;

/// Where a record stands.
#[derive(Debug, Clone, Copy)]
pub struct Place {
    /// The session.
    pub sid: SessionId,
    /// Position in the journal, counted from 0.
    pub seq: u64,
    /// Hash of the previous line; zeros at the first.
    pub prev: Digest,
    /// When it is written.
    pub at: Timestamp,
}

/// What a line says; its signature and its place in the chain are unchecked.
#[derive(Debug, Clone, Copy)]
pub struct Line<'a> {
    /// Version of the form.
    pub v: u64,
    /// Where it stands.
    pub place: Place,
    /// The record's type.
    pub kind: &'a str,
    /// The record's body.
    pub body: &'a str,
}

/// Borrowed texts refuse escapes by themselves.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Envelope<'a> {
    v: u64,
    sid: &'a str,
    seq: u64,
    prev: &'a str,
    at: &'a str,
    #[serde(rename = "type")]
    kind: &'a str,
    #[serde(borrow)]
    body: &'a RawValue,
    #[serde(rename = "sig")]
    _sig: &'a str,
}

/// Lengths of what stands in a line in one form only.
const SID_CHARS: usize = 36;
const PREV_CHARS: usize = 64;
const AT_CHARS: usize = 24;

/// Only the version, of a line in a form that is not known.
#[derive(Deserialize)]
struct Version {
    v: u64,
}

fn write_prefix(out: &mut Vec<u8>, v: u64, place: &Place, kind: &str) {
    let Place { sid, seq, prev, at } = place;
    // Writing into memory cannot fail.
    let _ = write!(
        out,
        r#"{{"v":{v},"sid":"{sid}","seq":{seq},"prev":"{prev}","at":"{at}","type":"{kind}","body":"#
    );
}

/// Room for most lines, in bytes.
const LINE_ROOM: usize = 2 << 10;

/// The bytes that are signed: the line up to its trailer.
///
/// # Errors
/// When the body cannot be written, or holds a line break.
pub(super) fn encode(place: &Place, record: &Record) -> Result<Vec<u8>, String> {
    let mut line = Vec::with_capacity(LINE_ROOM);
    write_prefix(&mut line, VERSION, place, record.kind());
    record.append_body(&mut line).map_err(|error| error.to_string())?;
    if memchr::memchr2(b'\n', b'\r', &line).is_some() {
        return Err("a raw value holds a line break".to_owned());
    }
    Ok(line)
}

impl<'a> Line<'a> {
    /// Reads a line and its body, as far as this version knows them.
    ///
    /// # Errors
    /// As [`Self::decode`]; what is wrong with the body alone stands beside the line.
    pub fn read(bytes: &'a [u8]) -> Result<(Self, Result<Record, DecodeError>), Fault> {
        // What is as it should be is parsed once.
        if let Some(line) = Self::framed(bytes)
            && let Ok(record) = Record::decode(line.kind, line.body)
        {
            return Ok((line, Ok(record)));
        }
        let line = Self::decode(bytes)?;
        let record = match line.v {
            VERSION => Record::decode(line.kind, line.body),
            v => Err(DecodeError::Newer(format!("form {v}"))),
        };
        Ok((line, record))
    }

    /// The parts of a line that has the one form of this version; whether the
    /// body is JSON is not asked.
    fn framed(bytes: &'a [u8]) -> Option<Self> {
        let (unsigned, _) = seal::split(bytes)?;
        let text = std::str::from_utf8(unsigned).ok()?;
        let (sid, text) = text.strip_prefix(r#"{"v":1,"sid":""#)?.split_at_checked(SID_CHARS)?;
        let (seq, text) = text.strip_prefix(r#"","seq":"#)?.split_once(',')?;
        let (prev, text) = text.strip_prefix(r#""prev":""#)?.split_at_checked(PREV_CHARS)?;
        let (at, text) = text.strip_prefix(r#"","at":""#)?.split_at_checked(AT_CHARS)?;
        let (kind, body) = text.strip_prefix(r#"","type":""#)?.split_once('"')?;
        let body = body.strip_prefix(r#","body":"#)?;
        let digits = seq == "0" || !seq.starts_with(['0', '+']);
        let place = Place {
            sid: SessionId::parse(sid).ok()?,
            seq: seq.parse().ok()?,
            prev: Digest::parse(prev).ok()?,
            at: Timestamp::parse(at).ok()?,
        };
        // No white space around it.
        let object = body.starts_with('{') && body.ends_with('}');
        (digits && object).then_some(Self { v: VERSION, place, kind, body })
    }

    /// Reads a whole line, newline included, in its one form.
    ///
    /// # Errors
    /// [`Fault::Unreadable`] or [`Fault::Form`]; for a line in the form of a
    /// higher version see [`newer_version`].
    pub fn decode(bytes: &'a [u8]) -> Result<Self, Fault> {
        let unreadable = |error: &dyn std::fmt::Display| Fault::Unreadable(error.to_string());
        let envelope: Envelope<'a> = serde_json::from_slice(bytes).map_err(|e| unreadable(&e))?;
        let place = Place {
            sid: SessionId::parse(envelope.sid).map_err(|e| unreadable(&e))?,
            seq: envelope.seq,
            prev: Digest::parse(envelope.prev).map_err(|e| unreadable(&e))?,
            at: Timestamp::parse(envelope.at).map_err(|e| unreadable(&e))?,
        };
        let (kind, body) = (envelope.kind, envelope.body.get());
        let mut prefix = Vec::with_capacity(256);
        write_prefix(&mut prefix, envelope.v, &place, kind);
        let (unsigned, _) = seal::split(bytes).ok_or(Fault::Form)?;
        let exact = unsigned.strip_prefix(prefix.as_slice()) == Some(body.as_bytes());
        if exact { Ok(Self { v: envelope.v, place, kind, body }) } else { Err(Fault::Form) }
    }
}

/// The version of a line that says it is of a higher one.
#[must_use]
pub fn newer_version(bytes: &[u8]) -> Option<u64> {
    serde_json::from_slice::<Version>(bytes).ok().map(|line| line.v).filter(|v| *v > VERSION)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::journal::seal::Domain;
    use crate::record::SessionRenamed;
    use ed25519_dalek::SigningKey;

    fn place() -> Place {
        Place {
            sid: SessionId::parse("0193a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b").unwrap(),
            seq: 3,
            prev: Digest::of(b"before"),
            at: Timestamp::from_millis(1_796_000_000_123),
        }
    }

    fn sealed() -> String {
        let record = Record::from(SessionRenamed { title: "a \"title\"\n".into(), ext: None });
        let key = SigningKey::from_bytes(&[7; 32]);
        let line = seal::seal(Domain::Journal, encode(&place(), &record).unwrap(), &key);
        String::from_utf8(line).unwrap()
    }

    #[test]
    fn a_line_has_the_documented_bytes() {
        let text = sealed();
        let expected = format!(
            r#"{{"v":1,"sid":"0193a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b","seq":3,"prev":"{}","at":"2026-11-30T00:53:20.123Z","type":"session_renamed","body":{{"title":"a \"title\"\n"}},"sig":""#,
            Digest::of(b"before")
        );
        assert_eq!(text.strip_prefix(&expected).map(str::len), Some(128 + 3));
        let (framed, record) = Line::read(text.as_bytes()).unwrap();
        assert!(matches!(record, Ok(Record::SessionRenamed(_))));
        for line in [Line::decode(text.as_bytes()).unwrap(), framed] {
            assert_eq!((line.v, line.kind, line.place.seq), (1, "session_renamed", 3));
            assert_eq!(
                (line.place.sid, line.place.prev, line.place.at),
                (place().sid, place().prev, place().at)
            );
            assert_eq!(line.body, r#"{"title":"a \"title\"\n"}"#);
        }
    }

    #[test]
    fn every_looseness_is_refused() {
        let text = sealed();
        let signature = &text[text.len() - 131..text.len() - 3];
        for (from, to) in [
            (r#"{"v":1"#, r#"{ "v":1"#),
            (r#""v":1"#, r#""v":1.0"#),
            (r#""v":1"#, r#""v":01"#),
            (r#""v":1"#, r#""\u0076":1"#),
            (r#""v":1,"#, r#""v":1,"v":1,"#),
            (r#""seq":3"#, r#""seq":3e0"#),
            (r#""seq":3"#, r#""seq": 3"#),
            (r#""body":{"#, r#""body": {"#),
            (r#"},"sig""#, r#"} ,"sig""#),
            (r#"},"sig""#, r#"},"x":1,"sig""#),
            ("\"}\n", "\"} \n"),
            ("\"}\n", "\"}"),
            ("\"}\n", "\"}\r\n"),
            ("0193a1b2", "0193A1B2"),
            ("T00:53:20.123Z", "T00:53:20.1230Z"),
            (signature, &signature.to_uppercase()),
        ] {
            let other = text.replacen(from, to, 1);
            assert_ne!(other, text, "{from}");
            assert!(Line::decode(other.as_bytes()).is_err(), "{from} as {to}");
            assert!(Line::read(other.as_bytes()).is_err(), "{from} as {to}, read at once");
        }
    }

    #[test]
    fn keys_in_another_order_are_refused() {
        let text = sealed().replacen(r#""v":1,"sid":"0193a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b","#, "", 1);
        let text = text.replacen('{', r#"{"sid":"0193a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b","v":1,"#, 1);
        assert_eq!(Line::decode(text.as_bytes()).unwrap_err(), Fault::Form);
    }

    #[test]
    fn a_higher_version_is_recognised_in_any_form() {
        assert_eq!(newer_version(b"{\"v\":2,\"other\":[]}\n"), Some(2));
        assert_eq!(newer_version(sealed().as_bytes()), None);
        assert_eq!(newer_version(b"{\"v\":"), None);
    }
}
