//! What can be seen on disk of a turn that goes on.

use super::plan::{LABELS, Step};
use super::scratch::Scratch;
use serde::Deserialize;
use std::collections::HashMap;
use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};

/// What a call folder holds, by the name of its file.
pub(super) mod names {
    pub(in crate::cli::crash_test) const ORDER: &str = "order.json";
    pub(in crate::cli::crash_test) const LOCK: &str = "lock";
    pub(in crate::cli::crash_test) const ROOM: &str = "receipt.tmp";
    pub(in crate::cli::crash_test) const OUTPUT: &str = "output";
    pub(in crate::cli::crash_test) const CONTROL: &str = "control";
    pub(in crate::cli::crash_test) const LAUNCH: &str = "launch.json";
    pub(in crate::cli::crash_test) const PROCESS: &str = "process.json";
    pub(in crate::cli::crash_test) const RECEIPT: &str = "receipt.json";
}

/// Follows the only session of a scratch directory.
#[derive(Debug)]
pub(super) struct Watch<'a> {
    scratch: &'a Scratch,
    session: Option<PathBuf>,
    read: u64,
    /// Bytes of a line that is not whole yet.
    rest: Vec<u8>,
    records: HashMap<String, usize>,
}

#[derive(Deserialize)]
struct Kind {
    r#type: String,
}

impl<'a> Watch<'a> {
    pub(super) fn new(scratch: &'a Scratch) -> Self {
        Self { scratch, session: None, read: 0, rest: Vec::new(), records: HashMap::new() }
    }

    /// Whether the turn has come to this step of this call.
    pub(super) fn has_come_to(&mut self, step: Step, call: usize) -> bool {
        self.look();
        let more = |kind: &str, than: usize| self.records.get(kind).is_some_and(|count| *count > than);
        match step {
            Step::Session => self.session.as_ref().is_some_and(|session| journal(session).exists()),
            Step::Message => more("user_message", 0),
            Step::Response => more("model_response", 0),
            Step::Approval => more("approval", call),
            Step::Folder => self.has(call, ""),
            Step::Order => self.has(call, names::ORDER),
            Step::Lock => self.has(call, names::LOCK),
            // Its room becomes the receipt.
            Step::Room => self.has(call, names::ROOM),
            Step::Started => more("tool_started", call),
            Step::Spool => self.has(call, names::OUTPUT),
            Step::Control => self.has(call, names::CONTROL),
            Step::Launched => self.has(call, names::LAUNCH),
            Step::Process => self.has(call, names::PROCESS),
            Step::Begun => self.has_mark(call, "begin"),
            Step::Done => self.has_mark(call, "end"),
            Step::Receipt => self.has(call, names::RECEIPT),
            Step::Result => more("tool_result", call),
            Step::Answer => more("model_response", 1),
            Step::End => more("turn_ended", 0),
            Step::Moment | Step::Recovery | Step::Closing => false,
        }
    }

    /// The call folders, in the order of the calls.
    pub(super) fn folders(&mut self) -> Vec<PathBuf> {
        self.look();
        self.session.as_deref().map(folders).unwrap_or_default()
    }

    fn has(&self, call: usize, name: &str) -> bool {
        let folders = self.session.as_deref().map(folders).unwrap_or_default();
        folders.get(call).is_some_and(|folder| folder.join(name).exists())
    }

    fn has_mark(&self, call: usize, what: &str) -> bool {
        let begins = format!("{} {what} ", LABELS[call]);
        self.scratch.marks().iter().any(|mark| mark.starts_with(&begins))
    }

    fn look(&mut self) {
        if self.session.is_none() {
            self.session = sessions(&self.scratch.sessions()).pop();
        }
        let Some(session) = &self.session else { return };
        let Ok(mut file) = File::open(journal(session)) else { return };
        let mut new = Vec::new();
        if file.seek(SeekFrom::Start(self.read)).and_then(|_| file.read_to_end(&mut new)).is_err() {
            return;
        }
        self.read += new.len() as u64;
        self.rest.extend(new);
        while let Some(end) = self.rest.iter().position(|byte| *byte == b'\n') {
            let line: Vec<u8> = self.rest.drain(..=end).collect();
            if let Ok(kind) = serde_json::from_slice::<Kind>(&line) {
                *self.records.entry(kind.r#type).or_default() += 1;
            }
        }
    }
}

/// A session's journal.
pub(super) fn journal(session: &Path) -> PathBuf {
    session.join("journal.jsonl")
}

/// The sessions in a directory, without those that are still being built.
pub(super) fn sessions(dir: &Path) -> Vec<PathBuf> {
    let mut found = entries(dir);
    found.retain(|path| path.file_name().is_some_and(|name| !name.as_encoded_bytes().starts_with(b".")));
    found
}

/// The call folders of a session, in the order of their making.
pub(super) fn folders(session: &Path) -> Vec<PathBuf> {
    entries(&session.join("calls"))
}

/// Their ids begin with the time of their making.
fn entries(dir: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(dir).into_iter().flatten().filter_map(Result::ok);
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    paths.sort();
    paths
}
