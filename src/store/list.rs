//! All sessions with their state, without reading any of them whole. One that
//! is damaged is one row that says so.

use super::Store;
use super::error::StoreError;
use super::glance::{Glance, Started, glance};
use super::head::{Head, HeadFile};
use super::launches::call_folders;
use super::layout;
use crate::journal::files::How;
use crate::journal::lock::{self, Holder, Probe};
use crate::record::{DispatchId, KeyId, Origin, SessionId, Timestamp};
use std::cmp::Reverse;
use std::collections::HashSet;
use std::num::NonZero;
use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::thread;

/// A session in a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// Its id.
    pub id: SessionId,
    /// Its title; empty if it has none.
    pub title: String,
    /// The session that it was forked from.
    pub forked_from: Option<SessionId>,
    /// The directory of its commands; empty if it cannot be read.
    pub cwd: String,
    /// The beginning of its first message; empty if it cannot be read.
    pub message: String,
    /// Its state.
    pub state: RowState,
    /// When its last record was written.
    pub last_at: Option<Timestamp>,
}

/// State of a session in a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RowState {
    /// Unknown outcomes without a statement.
    NeedsYou {
        /// How many, as far as was read.
        unknown: usize,
    },
    /// A supervisor lives.
    CommandRunning {
        /// What it runs and since when, if a record says so.
        command: Option<(String, Timestamp)>,
        /// Whether a process has the session open.
        open: bool,
    },
    /// A process has it open.
    OpenElsewhere(Option<Holder>),
    /// Nothing to say.
    Ready,
    /// Its last turn has no end yet.
    Interrupted {
        /// A command of it was started, and neither a record nor a receipt
        /// tells its end.
        command: bool,
    },
    /// It can only be read: why.
    ReadOnly(String),
    /// It is not whole: why.
    Damaged(String),
    /// Its head is known, its files are gone.
    Missing,
}

impl Row {
    /// A row of which no record could be read.
    fn unread(id: SessionId, title: String, state: RowState) -> Self {
        Self {
            id,
            title,
            forked_from: None,
            cwd: String::new(),
            message: String::new(),
            state,
            last_at: None,
        }
    }
}

impl RowState {
    /// Whether a person has something to find out or to answer.
    #[must_use]
    pub fn wants_a_person(&self) -> bool {
        match self {
            Self::NeedsYou { .. } | Self::Interrupted { command: true } => true,
            Self::Interrupted { command: false }
            | Self::CommandRunning { .. }
            | Self::OpenElsewhere(_)
            | Self::Ready
            | Self::ReadOnly(_)
            | Self::Damaged(_)
            | Self::Missing => false,
        }
    }

    /// The state as a word, the same everywhere.
    #[must_use]
    pub fn word(&self) -> &'static str {
        match self {
            Self::NeedsYou { .. } => "needs you",
            Self::CommandRunning { .. } => "command running",
            Self::OpenElsewhere(_) => "open elsewhere",
            Self::Ready => "ready",
            Self::Interrupted { .. } => "interrupted",
            Self::ReadOnly(_) => "read-only",
            Self::Damaged(_) => "damaged",
            Self::Missing => "missing",
        }
    }

    /// What else there is to say, in a few words; often nothing.
    #[must_use]
    pub fn detail(&self) -> String {
        match self {
            Self::NeedsYou { unknown: 1 } => "1 unknown outcome".into(),
            Self::NeedsYou { unknown } => format!("{unknown} unknown outcomes"),
            Self::CommandRunning { command, open } => {
                let command = command.as_ref().map_or("", |(command, _)| command);
                if *open { command.into() } else { format!("{command}, no window") }
            }
            Self::OpenElsewhere(holder) => holder.as_ref().map_or_else(String::new, ToString::to_string),
            Self::ReadOnly(why) | Self::Damaged(why) => why.clone(),
            Self::Missing => "its head is known, its files are gone".into(),
            Self::Interrupted { command: true } => "the end of a command is not known".into(),
            Self::Ready | Self::Interrupted { command: false } => String::new(),
        }
    }
}

/// Where one session's files are.
struct Files {
    id: SessionId,
    dir: PathBuf,
    head: PathBuf,
}

impl Store {
    /// All sessions: those that need a person first, then by last activity.
    ///
    /// # Errors
    /// [`StoreError::Io`] only if the directory of sessions cannot be read.
    pub fn list(&self) -> Result<Vec<Row>, StoreError> {
        let keys = self.known_keys();
        let present = self.session_ids()?;
        let files = |id| Files { id, dir: self.layout.session(id), head: self.layout.head(id) };
        let mut rows = on_all_cores(&present, |id| self.row(&files(*id), &keys));
        let present: HashSet<SessionId> = present.into_iter().collect();
        let heads = self.head_ids()?.into_iter();
        rows.extend(heads.filter(|id| self.is_missing(*id, &present)).map(|id| self.missing_row(id)));
        Ok(sorted(rows))
    }

    /// The deleted sessions, by last activity.
    ///
    /// # Errors
    /// [`StoreError::Io`] only if the trash cannot be read.
    pub fn list_trash(&self) -> Result<Vec<Row>, StoreError> {
        let keys = self.known_keys();
        let ids = self.trashed_ids()?;
        let files = |id| Files { id, dir: self.layout.trashed(id), head: self.layout.trashed_head(id) };
        Ok(sorted(on_all_cores(&ids, |id| self.row(&files(*id), &keys))))
    }

    /// A head whose session is neither here, nor deleted, nor being built.
    fn is_missing(&self, id: SessionId, present: &HashSet<SessionId>) -> bool {
        !present.contains(&id)
            && ![self.layout.session(id), self.layout.building(id), self.layout.trashed(id)]
                .iter()
                .any(|path| self.exists(path).unwrap_or(true))
    }

    fn missing_row(&self, id: SessionId) -> Row {
        let head = self.head_content(&self.layout.head(id));
        let title = head.map(|head| head.title).unwrap_or_default();
        Row::unread(id, title, RowState::Missing)
    }

    fn row(&self, files: &Files, keys: &HashSet<KeyId>) -> Row {
        let head = self.head_content(&files.head);
        let title = head.as_ref().map(|head| head.title.clone()).unwrap_or_default();
        let path = layout::journal(&files.dir);
        let seen = self.files.open(&path, How::Read).map_err(Into::into);
        match seen.and_then(|file| glance(file.as_ref(), files.id)) {
            Ok(seen) => self.row_of(files, head.as_ref(), seen, keys),
            Err(error) => {
                let state = RowState::Damaged(error.to_string());
                Row::unread(files.id, title, state)
            }
        }
    }

    fn row_of(&self, files: &Files, head: Option<&Head>, seen: Glance, keys: &HashSet<KeyId>) -> Row {
        let state = self.state_of(files, head, &seen, keys);
        let titled = head.map(|head| head.title.as_str()).filter(|title| !title.is_empty());
        let first = seen.first.as_deref();
        let title = titled.or_else(|| first?.title.as_deref()).unwrap_or_default().to_owned();
        let cwd = first.map(|first| first.cwd.clone()).unwrap_or_default();
        let forked_from = first.and_then(|first| match &first.origin {
            Origin::Forked { sid, .. } => Some(*sid),
            Origin::New {} | Origin::Imported { .. } => None,
        });
        Row {
            id: files.id,
            title,
            forked_from,
            cwd,
            message: seen.message,
            state,
            last_at: seen.end.last.map(|(_, at)| at),
        }
    }

    fn state_of(&self, files: &Files, head: Option<&Head>, seen: &Glance, keys: &HashSet<KeyId>) -> RowState {
        let end = &seen.end;
        if let Some(why) = missing_records(head, end.last) {
            return RowState::Damaged(why.to_owned());
        }
        let newer = end.newer.as_ref().map(|what| format!("written by a newer Candor ({what})"));
        let key_gone = || {
            let key = seen.first.as_ref().map(|first| &first.key_id).filter(|key| !keys.contains(key))?;
            Some(format!("its key {key} is not on this machine"))
        };
        if let Some(why) = newer.or_else(key_gone) {
            return RowState::ReadOnly(why);
        }
        if end.unknown > 0 {
            return RowState::NeedsYou { unknown: end.unknown };
        }
        let lock = layout::lock(&files.dir);
        let open = lock::probe(self.files.as_ref(), &lock).is_ok_and(|probe| probe == Probe::Held);
        if end.turn_is_open() && self.is_running(&files.dir, end.started.as_ref()) {
            let command = end.started.as_ref();
            let command = command.map(|started| (started.operation.summary().to_owned(), started.at));
            RowState::CommandRunning { command, open }
        } else if open {
            RowState::OpenElsewhere(lock::read_holder(self.files.as_ref(), &lock))
        } else if end.turn_is_open() {
            RowState::Interrupted { command: self.is_unended(&files.dir, end.started.as_ref()) }
        } else {
            RowState::Ready
        }
    }

    /// Whether a command was started and no receipt tells its end.
    fn is_unended(&self, dir: &Path, started: Option<&Started>) -> bool {
        let receipt = |started: &Started| layout::call(dir, started.dispatch).join("receipt.json");
        started.is_some_and(|started| !self.exists(&receipt(started)).unwrap_or(false))
    }

    /// Whether the lock of the started execution is held; where no record tells
    /// of one, its start may be lost, and then it is the newest folder's.
    fn is_running(&self, dir: &Path, started: Option<&Started>) -> bool {
        let newest = || call_folders(self.files.as_ref(), dir).ok()?.into_iter().max();
        let dispatch: Option<DispatchId> = started.map(|started| started.dispatch).or_else(newest);
        dispatch.is_some_and(|dispatch| {
            let path = layout::call(dir, dispatch).join("lock");
            lock::probe(self.files.as_ref(), &path).is_ok_and(|probe| probe == Probe::Held)
        })
    }

    pub(super) fn head_content(&self, path: &Path) -> Option<Head> {
        HeadFile::read(self.files.as_ref(), path).ok()??.content()
    }

    fn known_keys(&self) -> HashSet<KeyId> {
        let keys = self.keys.list().unwrap_or_default();
        keys.into_iter().filter(|key| key.can_sign).map(|key| key.id).collect()
    }
}

/// Sessions that a thread looks at, at least; for fewer it is not worth starting.
const PER_THREAD: usize = 64;

/// A row for each: most of the time goes by in the system, one file after another.
fn on_all_cores(ids: &[SessionId], row: impl Fn(&SessionId) -> Row + Sync) -> Vec<Row> {
    let cores = thread::available_parallelism().map_or(1, NonZero::get);
    let share = ids.len().div_ceil(cores).max(PER_THREAD);
    let row = &row;
    thread::scope(|scope| {
        let mut shares = ids.chunks(share);
        let own = shares.next().unwrap_or_default();
        let others: Vec<_> =
            shares.map(|ids| scope.spawn(move || ids.iter().map(row).collect::<Vec<_>>())).collect();
        let mut rows: Vec<Row> = own.iter().map(row).collect();
        for other in others {
            rows.extend(other.join().unwrap_or_else(|panic| resume_unwind(panic)));
        }
        rows
    })
}

fn missing_records(head: Option<&Head>, last: Option<(u64, Timestamp)>) -> Option<&'static str> {
    match (head, last) {
        (None, _) => Some("its head file is missing or not readable"),
        (Some(head), Some((seq, _))) if seq < head.seq => Some("records are missing at its end"),
        (Some(_), _) => None,
    }
}

fn sorted(mut rows: Vec<Row>) -> Vec<Row> {
    rows.sort_by_key(|row| (Reverse(row.state.wants_a_person()), Reverse(row.last_at), row.id));
    rows
}
