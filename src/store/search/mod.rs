//! Searching inside all sessions: the raw bytes are looked through first, and
//! only lines that may hold the words are read. Nothing is verified; a line
//! that cannot be read is passed over.

mod needle;
mod stream;
mod words;

pub use needle::Needle;
pub use words::Speaker;

use super::error::StoreError;
use super::{Store, layout};
use crate::journal::Line;
use crate::journal::files::How;
use crate::record::{Record, SessionId, Timestamp};
use std::cmp::Reverse;
use std::num::NonZero;
use std::ops::{ControlFlow, Range};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use stream::Stream;

/// Places of one session that are told.
const PER_SESSION: usize = 50;
/// Places that are told in all; nobody reads more.
const IN_ALL: usize = 1_000;
/// Characters before the words and after them that are told.
const BEFORE: usize = 40;
const AFTER: usize = 160;

/// A place that holds the words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hit {
    /// The session.
    pub id: SessionId,
    /// The record.
    pub seq: u64,
    /// When it was written.
    pub at: Timestamp,
    /// Who said it.
    pub who: Speaker,
    /// What stands around the words, in one line.
    pub excerpt: String,
    /// Where in it the words are, in bytes.
    pub words: Range<usize>,
}

/// What was looked through.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Searched {
    /// Sessions that were looked through.
    pub sessions: usize,
    /// Sessions that could not be read.
    pub unreadable: usize,
    /// Bytes that were read.
    pub bytes: u64,
    /// Places that were found.
    pub hits: usize,
    /// There are more places than are told.
    pub more: bool,
}

/// A search that several threads do.
struct Search<'a> {
    store: &'a Store,
    needle: &'a Needle,
    stop: &'a AtomicBool,
    found: &'a (dyn Fn(Vec<Hit>) + Sync),
    next: AtomicUsize,
    ids: &'a [SessionId],
    searched: Mutex<Searched>,
}

impl Store {
    /// Searches all sessions, the newest first, and tells the places of each
    /// session as soon as it is looked through. Ends early when `stop` is set.
    ///
    /// # Errors
    /// [`StoreError::Io`] only if the directory of sessions cannot be read.
    pub fn search(
        &self,
        needle: &Needle,
        stop: &AtomicBool,
        found: &(dyn Fn(Vec<Hit>) + Sync),
    ) -> Result<Searched, StoreError> {
        let mut ids = self.session_ids()?;
        // Ids begin with the time at which they were made.
        ids.sort_by_key(|id| Reverse(*id));
        let search = Search {
            store: self,
            needle,
            stop,
            found,
            next: AtomicUsize::new(0),
            ids: &ids,
            searched: Mutex::new(Searched::default()),
        };
        let threads = thread::available_parallelism().map_or(1, NonZero::get).min(ids.len());
        thread::scope(|scope| {
            for _ in 1..threads {
                scope.spawn(|| search.run());
            }
            search.run();
        });
        Ok(search.searched.into_inner().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Search<'_> {
    fn run(&self) {
        let mut stream = Stream::new();
        while !self.stop.load(Ordering::Relaxed) {
            let Some(id) = self.ids.get(self.next.fetch_add(1, Ordering::Relaxed)) else { return };
            self.session(&mut stream, *id);
        }
    }

    fn session(&self, stream: &mut Stream, id: SessionId) {
        let mut hits = Vec::new();
        let mut more = false;
        let path = layout::journal(&self.store.layout.session(id));
        let read = self.store.files.open(&path, How::Read).and_then(|file| {
            stream.lines(file.as_ref(), self.needle, self.stop, |line| {
                hits.extend(hit(line, id, self.needle));
                more = hits.len() >= PER_SESSION;
                if more { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            })
        });
        let room = self.count(read.ok(), hits.len(), more);
        hits.truncate(room);
        if !hits.is_empty() {
            (self.found)(hits);
        }
    }

    /// Counts a session; gives how many of its places are told.
    fn count(&self, bytes: Option<u64>, hits: usize, more: bool) -> usize {
        let mut searched = self.searched.lock().unwrap_or_else(PoisonError::into_inner);
        match bytes {
            Some(bytes) => {
                searched.sessions += 1;
                searched.bytes += bytes;
            }
            None => searched.unreadable += 1,
        }
        let room = (IN_ALL - searched.hits).min(hits);
        searched.hits += room;
        searched.more |= more || room < hits;
        if searched.hits >= IN_ALL {
            searched.more = true;
            self.stop.store(true, Ordering::Relaxed);
        }
        room
    }
}

/// What the line says of the words, if it is a line and says them.
fn hit(line: &[u8], id: SessionId, needle: &Needle) -> Option<Hit> {
    let line = Line::decode(line).ok()?;
    let record = Record::decode(line.kind, line.body).ok()?;
    let found = words::texts(&record).into_iter().find_map(|(who, text)| {
        let (excerpt, words) = excerpt(&text, needle.find(&text)?);
        Some((who, excerpt, words))
    });
    let (who, excerpt, words) = found?;
    Some(Hit { id, seq: line.place.seq, at: line.place.at, who, excerpt, words })
}

/// The words with some of what stands around them, in one line.
fn excerpt(text: &str, words: Range<usize>) -> (String, Range<usize>) {
    let before = text[..words.start].char_indices().rev().take(BEFORE).last();
    let start = before.map_or(words.start, |(at, _)| at);
    let after = text[words.end..].char_indices().nth(AFTER);
    let end = after.map_or(text.len(), |(at, _)| words.end + at);
    let one_line = |part: &str| part.replace(|c: char| c.is_whitespace(), " ");
    let mut line = one_line(&text[start..words.start]).trim_start().to_owned();
    let from = line.len();
    line.push_str(&one_line(&text[words.clone()]));
    let found = from..line.len();
    line.push_str(&one_line(&text[words.end..end]));
    (line, found)
}
