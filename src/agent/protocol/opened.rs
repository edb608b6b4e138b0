//! A session that was opened, and what is asked and known about its calls.

use crate::journal::lock::Holder;
use crate::record::{CallId, Digest, DispatchId, Operation, SessionId, Timestamp};
use crate::session::Session;
use std::path::PathBuf;

/// A command that runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunningCommand {
    /// The execution.
    pub dispatch: DispatchId,
    /// What runs.
    pub summary: String,
    /// When it was started.
    pub started_at: Timestamp,
    /// Its supervisor lives. If not, its end cannot be recorded.
    pub supervised: bool,
    /// It was found running when the session was opened.
    pub found: bool,
}

/// A call that a person has to decide about.
#[derive(Debug, Clone)]
pub struct ApprovalRequest {
    /// The call.
    pub call: CallId,
    /// What will run, exactly.
    pub operation: Operation,
    /// Its fingerprint.
    pub fingerprint: Digest,
    /// Differs from what the model asked (edited, or its limit was lowered).
    pub edited: bool,
    /// Its position in the response, from 1, and how many there are.
    pub position: (usize, usize),
    /// The other calls of the response after it, one line each.
    pub others: Vec<String>,
    /// Start of an execution of the same operation whose outcome is unknown.
    pub repeats: Option<Timestamp>,
    /// Names and values of the environment that differ from the default list.
    pub environment: Vec<(String, String)>,
    /// The first request for an approval in this session.
    pub first: bool,
    /// "Don't ask again" is offered.
    pub standing_offered: bool,
}

/// A session that was opened.
#[derive(Debug, Clone)]
pub struct OpenedSession {
    /// Its id; none before the first message of an empty conversation.
    pub id: Option<SessionId>,
    /// Its records, folded.
    pub session: Session,
    /// The directory of its commands.
    pub cwd: String,
    /// Where its files are.
    pub path: Option<PathBuf>,
    /// Why it can only be read.
    pub read_only: Option<ReadOnly>,
    /// What was found at this opening, one line each.
    pub found: Vec<Finding>,
    /// Unsent text that was kept.
    pub draft: String,
    /// The model's name.
    pub model: String,
    /// What the model is given besides the conversation.
    pub given: Vec<Given>,
    /// The model is the scripted demo.
    pub demo: bool,
}

/// A text that the model is given with every request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Given {
    /// Its name, such as `SOUL.md`.
    pub name: String,
    /// Its size in bytes.
    pub bytes: usize,
}

/// Why a session can only be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReadOnly {
    /// Another Candor has it open: who, if that can be read. It is watched here.
    OpenElsewhere(Option<Holder>),
    /// A newer version wrote it.
    Newer(String),
    /// Its key is not here.
    KeyGone(String),
    /// It does not verify, from this line on.
    Damaged(String),
    /// Records are missing.
    Missing(String),
    /// The system refuses what working with it needs.
    Refused(String),
    /// Its directory is gone.
    DirectoryGone(String),
}

impl OpenedSession {
    /// What is to be known about the demo, with a sentence that it understands
    /// where nothing was said yet; nothing without the demo. `place` names the
    /// directory of its commands.
    #[must_use]
    pub fn demo_words(&self, place: &str) -> Option<String> {
        if !self.demo {
            return None;
        }
        let hint = if self.session.turns().is_empty() { " Try: Run: date" } else { "" };
        Some(format!(
            "Demo: the answers are scripted. Commands that you approve really run, in {place}.{hint}"
        ))
    }
}

impl ReadOnly {
    /// One sentence that says why, and what can be done.
    #[must_use]
    pub fn sentence(&self) -> String {
        match self {
            Self::OpenElsewhere(holder) => {
                let who = holder.as_ref().map(|holder| format!(": {holder}")).unwrap_or_default();
                format!("This session is open elsewhere{who}. Leave it there to write here.")
            }
            Self::Newer(text) => format!("This session can only be read: {text}. Update Candor to go on."),
            Self::KeyGone(text) => {
                format!("This session can only be read: {text}. Its turns can be forked into a new session.")
            }
            Self::Damaged(text) => {
                format!(
                    "This session does not verify: {text}. It can be read up to there, and is never changed."
                )
            }
            Self::Missing(text) => {
                format!("This session is not whole: {text}. It can be read, and is never changed.")
            }
            Self::Refused(text) => {
                format!("This session can only be read: {text}. Open it again when that is mended.")
            }
            Self::DirectoryGone(text) => {
                format!("{text} no longer exists. The session can be read and forked.")
            }
        }
    }
}

/// What was found when a session was opened, about one call or the journal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// One sentence.
    pub sentence: String,
}

/// A process of an execution that is alive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AliveProcess {
    /// Its process id.
    pub pid: u32,
    /// Its command line, shortened.
    pub command: String,
}

/// All that is known about an effect whose outcome is unknown.
#[derive(Debug, Clone, PartialEq)]
pub struct UnknownReport {
    /// The execution.
    pub dispatch: DispatchId,
    /// What was to run, where it is known.
    pub operation: Option<Operation>,
    /// From another program's file.
    pub imported: bool,
    /// When it was approved and on whose word.
    pub approved: Option<(Timestamp, &'static str)>,
    /// When it was started.
    pub started_at: Option<Timestamp>,
    /// When it last wrote something.
    pub last_output_at: Option<Timestamp>,
    /// What it wrote so far: the record's excerpt.
    pub output: String,
    /// Bytes that it wrote so far.
    pub output_bytes: u64,
    /// Where its whole output lies.
    pub output_path: Option<PathBuf>,
    /// Process id of the command, if it was noted.
    pub pid: Option<u32>,
    /// Processes of it that are alive.
    pub alive: Vec<AliveProcess>,
    /// Files under the directory that changed since the start; true: at least these.
    pub changed: (Vec<String>, bool),
    /// A decision that was recorded beside the journal, in words.
    pub decision: Option<String>,
}
