//! What the two ends of a journal say, for a list: the first record, and as
//! much of the end as it takes, never more than 1 MiB. Nothing is verified.

use crate::journal::files::{OpenFile, read_full};
use crate::journal::{Fault, Line, newer_version};
use crate::record::limits::LINE_BYTES;
use crate::record::{
    CallId, DecodeError, DispatchId, Operation, Origin, Outcome, Record, SessionId, SessionStarted,
    Timestamp, ToolResult, ToolStarted, UserMessage,
};
use crate::session::copied_at;
use memchr::{memmem, memrchr};
use std::collections::HashSet;
use std::sync::Arc;
use std::{io, iter};

/// What is read at first from either end, in bytes.
const FIRST_READ: usize = 8 << 10;
/// What is read at most from either end, in bytes.
const LAST_READ: usize = LINE_BYTES;

/// What is kept of the first message, in bytes as it is written.
const MESSAGE_READ: usize = 512;

/// Why the ends say nothing.
#[derive(Debug, thiserror::Error)]
pub(super) enum Blind {
    /// The system refused.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// A line is not one of this journal.
    #[error(transparent)]
    Fault(#[from] Fault),
}

/// What the two ends of a journal say.
#[derive(Debug)]
pub(super) struct Glance {
    /// The first record, unless a newer version wrote it.
    pub(super) first: Option<Arc<SessionStarted>>,
    /// The beginning of the first message; empty if the first bytes hold none.
    pub(super) message: String,
    /// The end.
    pub(super) end: End,
}

/// What the end of a journal says, read backwards.
#[derive(Debug, Default)]
pub(super) struct End {
    /// Number and time of the last whole line.
    pub(super) last: Option<(u64, Timestamp)>,
    /// Unknown effects without a statement.
    pub(super) unknown: usize,
    /// An execution of the open turn that has no result.
    pub(super) started: Option<Started>,
    /// What a newer version wrote.
    pub(super) newer: Option<String>,
    turn: Option<TurnIs>,
    stated: HashSet<DispatchId>,
    closed_calls: HashSet<CallId>,
    seen: Seen,
}

/// An execution that was started.
#[derive(Debug)]
pub(super) struct Started {
    pub(super) dispatch: DispatchId,
    pub(super) operation: Operation,
    pub(super) at: Timestamp,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TurnIs {
    Open,
    Ended,
}

/// How far back was read.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Seen {
    /// More has to be read.
    #[default]
    TooLittle,
    /// Nothing before it matters but the effects that a fork's origin lists: a
    /// copied message was taken, so no copied effect before it is open.
    Copies,
    /// Nothing before it matters: a message was taken, so the gate was open.
    Enough,
}

/// Looks at both ends.
pub(super) fn glance(file: &dyn OpenFile, sid: SessionId) -> Result<Glance, Blind> {
    let (first, message) = read_first(file, sid)?;
    let mut end = read_end(file, sid)?;
    if let Some(first) = &first
        && end.seen != Seen::Enough
    {
        end.see_origin(&first.origin);
    }
    Ok(Glance { first, message, end })
}

pub(super) type First = (Option<Arc<SessionStarted>>, String);

/// The first record, none if a newer version wrote it, and the beginning of the first message.
pub(super) fn read_first(file: &dyn OpenFile, sid: SessionId) -> Result<First, Blind> {
    for size in [FIRST_READ, LINE_BYTES] {
        let mut bytes = vec![0; size];
        let length = read_full(file, &mut bytes, 0)?;
        if let Some(end) = bytes[..length].iter().position(|byte| *byte == b'\n') {
            let message = first_message(&bytes[end + 1..length]).unwrap_or_default();
            return match read_line(&bytes[..=end], sid)? {
                Known::Record(_, Record::SessionStarted(body)) => Ok((Some(body), message)),
                Known::Record(_, _) => Err(Fault::Form.into()),
                Known::Newer(_) => Ok((None, message)),
            };
        }
    }
    Err(Fault::Empty.into())
}

/// The beginning of the first message in these bytes, which may end within it.
fn first_message(bytes: &[u8]) -> Option<String> {
    const BEGINNING: &[u8] = br#""type":"user_message","body":{"turn":""#;
    // The id of the turn and what is around it stand before the text.
    const BEFORE: usize = 64;
    let bytes = bytes.get(memmem::find(bytes, BEGINNING)? + BEGINNING.len()..)?;
    let message = String::from_utf8_lossy(&bytes[..bytes.len().min(BEFORE + MESSAGE_READ)]);
    let (_, message) = message.split_once(r#"","text":""#)?;
    let mut escaped = false;
    let end = message.bytes().take(MESSAGE_READ).position(|byte| {
        let quote = byte == b'"' && !escaped;
        escaped = byte == b'\\' && !escaped;
        quote
    });
    let mut end = end.unwrap_or(MESSAGE_READ.min(message.len()));
    // A cut may go through a character or an escape; the longest is 12 bytes.
    for _ in 0..=12 {
        let whole = message.get(..end).and_then(|text| serde_json::from_str(&format!("\"{text}\"")).ok());
        if whole.is_some() {
            return whole;
        }
        end = end.checked_sub(1)?;
    }
    None
}

fn read_end(file: &dyn OpenFile, sid: SessionId) -> Result<End, Blind> {
    let len = usize::try_from(file.state()?.len).unwrap_or(usize::MAX);
    let mut size = FIRST_READ;
    loop {
        let from = len.saturating_sub(size);
        let mut bytes = vec![0; len - from];
        let length = read_full(file, &mut bytes, from as u64)?;
        let mut end = End::default();
        for line in whole_lines_backwards(&bytes[..length], from == 0) {
            end.see(read_line(line, sid)?);
            if end.is_enough() {
                break;
            }
        }
        if end.is_enough() || from == 0 || size >= LAST_READ {
            return Ok(end);
        }
        size = (size * 4).min(LAST_READ);
    }
}

/// The lines that are whole in a piece of a file, the last one first; the one at
/// its beginning is, if the piece begins where the file does.
pub(super) fn whole_lines_backwards(bytes: &[u8], from_the_start: bool) -> impl Iterator<Item = &[u8]> {
    let end = memrchr(b'\n', bytes).map_or(0, |at| at + 1);
    let mut rest = &bytes[..end];
    iter::from_fn(move || {
        let newline = rest.len().checked_sub(1)?;
        let Some(before) = memrchr(b'\n', &rest[..newline]) else {
            return from_the_start.then_some(std::mem::take(&mut rest));
        };
        let (left, line) = rest.split_at(before + 1);
        rest = left;
        Some(line)
    })
}

enum Known {
    Record((u64, Timestamp), Record),
    Newer(String),
}

fn read_line(bytes: &[u8], sid: SessionId) -> Result<Known, Fault> {
    let (line, record) = match Line::read(bytes) {
        Ok(read) => read,
        Err(fault) => {
            return newer_version(bytes).map(|v| Known::Newer(format!("form {v}"))).ok_or(fault);
        }
    };
    if line.place.sid != sid {
        return Err(Fault::Session(line.place.sid));
    }
    match record {
        Ok(record) => Ok(Known::Record((line.place.seq, line.place.at), record)),
        Err(DecodeError::Newer(what)) => Ok(Known::Newer(what)),
        Err(error @ DecodeError::Invalid { .. }) => Err(Fault::Body(error.to_string())),
    }
}

impl End {
    /// Whether the last turn has no end.
    pub(super) fn turn_is_open(&self) -> bool {
        self.turn == Some(TurnIs::Open)
    }

    fn is_enough(&self) -> bool {
        self.seen != Seen::TooLittle
    }

    fn see(&mut self, line: Known) {
        let (place, record) = match line {
            Known::Record(place, record) => (place, record),
            Known::Newer(what) => {
                self.newer = Some(what);
                return;
            }
        };
        self.last.get_or_insert(place);
        match record {
            Record::TailMoved(_) | Record::SessionRenamed(_) => {}
            Record::Acknowledged(body) => {
                self.stated.extend(body.statements.iter().map(|statement| statement.dispatch));
            }
            Record::TurnEnded(_) => {
                self.turn.get_or_insert(TurnIs::Ended);
            }
            Record::ToolResult(body) => self.see_result(&body),
            Record::ToolStarted(body) => self.see_start(&body, place.1),
            Record::UserMessage(body) => self.see_message(&body),
            Record::SessionStarted(_) => self.seen = Seen::Copies,
            Record::ModelResponse(_) | Record::Approval(_) | Record::TurnExtended(_) => {
                self.turn.get_or_insert(TurnIs::Open);
            }
        }
    }

    fn see_result(&mut self, body: &ToolResult) {
        self.turn.get_or_insert(TurnIs::Open);
        self.closed_calls.insert(body.call.clone());
        let unknown = body.dispatch.filter(|_| body.outcome == Outcome::Unknown);
        self.unknown += unknown.map_or(0, |dispatch| usize::from(!self.stated.contains(&dispatch)));
    }

    fn see_start(&mut self, body: &ToolStarted, at: Timestamp) {
        let turn = *self.turn.get_or_insert(TurnIs::Open);
        if turn == TurnIs::Open && !self.closed_calls.contains(&body.call) {
            self.started = Some(Started { dispatch: body.dispatch, operation: body.operation.clone(), at });
        }
    }

    fn see_message(&mut self, body: &UserMessage) {
        self.turn.get_or_insert(TurnIs::Open);
        if !body.imported {
            let copied = copied_at(body.ext.as_deref()).is_some();
            self.seen = if copied { Seen::Copies } else { Seen::Enough };
        }
    }

    fn see_origin(&mut self, origin: &Origin) {
        if let Origin::Forked { unknown, .. } = origin {
            self.unknown += unknown.iter().filter(|effect| !self.stated.contains(&effect.dispatch)).count();
        }
    }
}
