//! What a person wrote in a directory's sessions, for the history of the
//! composer. It is read from the journals, so that there is no second copy of
//! it: what goes to the trash is gone from the history too. Nothing is verified,
//! since nothing follows from it before the person sends it again.

use super::Store;
use super::glance::{read_first, whole_lines_backwards};
use super::layout;
use crate::journal::Line;
use crate::journal::files::{How, OpenFile, read_full};
use crate::record::{Record, SessionId, Timestamp};
use crate::session::copied_at;
use std::io;

/// So many messages are given at most.
const MESSAGES: usize = 1000;
/// So many bytes of messages are given at most.
const TEXT_BYTES: usize = 4 << 20;
/// So many bytes are read at most, of all journals.
const READ_BYTES: usize = 32 << 20;
/// So many bytes of one journal's end are read at most.
const TAIL_BYTES: usize = 1 << 20;
/// So many sessions are looked at at most, the newest first.
const SESSIONS: usize = 2000;

/// What a line of that kind has near its beginning.
const KIND: &[u8] = br#""type":"user_message""#;
/// Where that stands at the latest.
const ENVELOPE_BYTES: usize = 400;

/// What is gathered, the newest first.
#[derive(Default)]
struct Gathered {
    messages: Vec<(Timestamp, String)>,
    text_bytes: usize,
    read_bytes: usize,
}

impl Store {
    /// The last messages that a person wrote in the sessions of this directory,
    /// oldest first; those of one session, which is open, are left out. It
    /// is bounded in every way, and what cannot be read is passed over.
    #[must_use]
    pub fn messages_of(&self, cwd: &str, without: Option<SessionId>) -> Vec<String> {
        let mut ids = self.session_ids().unwrap_or_default();
        // Ids begin with the time at which they were made.
        ids.sort_unstable_by(|one, other| other.cmp(one));
        let mut gathered = Gathered::default();
        for id in ids.into_iter().filter(|id| Some(*id) != without).take(SESSIONS) {
            if gathered.is_full() {
                break;
            }
            // A journal that cannot be read has nothing to add here; the list says so.
            let _ = self.gather(id, cwd, &mut gathered);
        }
        gathered.messages.sort_by_key(|(at, _)| *at);
        gathered.messages.into_iter().map(|(_, text)| text).collect()
    }

    fn gather(&self, id: SessionId, cwd: &str, gathered: &mut Gathered) -> io::Result<()> {
        let file = self.files.open(&layout::journal(&self.layout.session(id)), How::Read)?;
        let first = read_first(file.as_ref(), id).ok().and_then(|(first, _)| first);
        if first.is_none_or(|first| first.cwd != cwd) {
            return Ok(());
        }
        let (bytes, whole) = tail(file.as_ref())?;
        gathered.read_bytes += bytes.len();
        for line in whole_lines_backwards(&bytes, whole).filter(|line| is_message(line)) {
            if gathered.is_full() {
                break;
            }
            gathered.see(line);
        }
        Ok(())
    }
}

impl Gathered {
    fn is_full(&self) -> bool {
        self.messages.len() >= MESSAGES || self.text_bytes >= TEXT_BYTES || self.read_bytes >= READ_BYTES
    }

    fn see(&mut self, line: &[u8]) {
        let Ok(line) = Line::decode(line) else { return };
        let Ok(Record::UserMessage(message)) = Record::decode(line.kind, line.body) else { return };
        // A copy stands in the session that it was copied from, too.
        if message.imported || copied_at(message.ext.as_deref()).is_some() {
            return;
        }
        self.text_bytes += message.text.len();
        self.messages.push((line.place.at, message.text.clone()));
    }
}

/// The end of a file, and whether that is all of it.
fn tail(file: &dyn OpenFile) -> io::Result<(Vec<u8>, bool)> {
    let len = usize::try_from(file.state()?.len).unwrap_or(usize::MAX);
    let from = len.saturating_sub(TAIL_BYTES);
    let mut bytes = vec![0; len - from];
    let length = read_full(file, &mut bytes, from as u64)?;
    bytes.truncate(length);
    Ok((bytes, from == 0))
}

fn is_message(line: &[u8]) -> bool {
    let envelope = &line[..line.len().min(ENVELOPE_BYTES)];
    envelope.windows(KIND.len()).any(|window| window == KIND)
}
