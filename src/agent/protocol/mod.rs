//! The two channels between the agent and a front end: commands in, events out.
//!
//! A front end owns a terminal and nothing else. It folds [`Event::Committed`]
//! into its own [`Session`](crate::session::Session) and draws from that, plus what is in flight.

mod listed;
mod opened;

pub use listed::{Moved, Previewed, SessionRow, SessionState, Watched};
pub use opened::{
    AliveProcess, ApprovalRequest, Finding, Given, OpenedSession, ReadOnly, RunningCommand, UnknownReport,
};

use super::first::Offer;
use crate::config::ModelSettings;
use crate::record::{CallId, Committed, Digest, DispatchId, SessionId, Statement, TurnId};
use crate::store::{Hit, Searched};

/// What a person wants, as a front end says it.
#[derive(Debug, Clone)]
pub enum Command {
    /// List this kind's sessions; answered by [`Event::Sessions`].
    List,
    /// Tell what was written in the sessions of this directory before;
    /// answered by [`Event::History`].
    History {
        /// The directory.
        cwd: String,
        /// The session whose messages are known.
        without: Option<SessionId>,
    },
    /// Tell which variables commands get; answered by [`Event::Environment`].
    Environment,
    /// Open a session; answered by [`Event::Opened`] or [`Event::Refused`].
    Open(SessionId),
    /// Begin an empty conversation; nothing is written before its first message.
    New,
    /// A message that opens a turn.
    Send(String),
    /// A message that joins the running turn before its next model request.
    Join(String),
    /// Stop the model's answer; at an approval: deny the call and stop the turn.
    StopAnswer,
    /// Stop the running command.
    StopCommand,
    /// Give up a command that runs without a supervisor: its outcome is unknown.
    GiveUp(DispatchId),
    /// Change what is to be approved; answered by [`Event::Approval`] again.
    Edit {
        /// The call.
        call: CallId,
        /// The new command.
        command: String,
        /// The new time limit in milliseconds.
        timeout_ms: u64,
    },
    /// The answer to an approval request.
    Decide {
        /// The call.
        call: CallId,
        /// The fingerprint of the operation that was shown.
        fingerprint: Digest,
        /// The answer.
        verdict: Verdict,
    },
    /// The answer to "go on for as many again?".
    Extend(bool),
    /// Statements about all unknown effects.
    Acknowledge(Vec<Statement>),
    /// Tell which model answers and what its server offers; answered by
    /// [`Event::Models`].
    ListModels,
    /// From now on this model of the same server answers, or of this one;
    /// answered by [`Event::ModelChanged`] or [`Event::Refused`].
    SetModel {
        /// Its name.
        name: String,
        /// Another server.
        base_url: Option<String>,
    },
    /// From now on this model answers, and the settings say so; answered by
    /// [`Event::ModelChanged`] or [`Event::Refused`].
    UseModel(Box<ModelSettings>),
    /// The scripted model answers, in place of one that is not named yet;
    /// answered by [`Event::Opened`] or [`Event::Refused`].
    UseDemo,
    /// Look for servers of models on this machine; answered by
    /// [`Event::LocalServers`].
    FindLocal,
    /// Test whether these settings reach a server; answered by [`Event::Reached`].
    Reach(Box<ModelSettings>),
    /// Go on in a new session that begins with this one's ended turns;
    /// answered by [`Event::Opened`] or [`Event::Refused`].
    Fork {
        /// How many of the last turns are left out.
        without: usize,
    },
    /// Another title.
    Rename(String),
    /// List the sessions in the trash; answered by [`Event::Trash`].
    ListTrash,
    /// Read a session to show it beside the list; answered by
    /// [`Event::Previewed`], unless another one is wanted before.
    Preview {
        /// The session.
        id: SessionId,
        /// It is in the trash.
        trashed: bool,
    },
    /// Search inside all sessions, in place of the search before; answered by
    /// [`Event::Found`] and at last [`Event::Searched`]. Without words: stop.
    Search {
        /// The search's number, which the answers carry.
        number: u64,
        /// The words.
        words: String,
    },
    /// Move a session to the trash; answered by [`Event::Moved`] or [`Event::Refused`].
    Remove {
        /// The session.
        id: SessionId,
        /// The first word of its title; needed where an outcome is unknown.
        title_word: Option<String>,
    },
    /// Bring a session back from the trash; answered by [`Event::Moved`].
    Restore(SessionId),
    /// Give a session another title; answered by [`Event::Sessions`].
    RenameSession {
        /// The session.
        id: SessionId,
        /// The title.
        title: String,
    },
    /// As [`Command::Fork`], from any session. The turn is named, for the
    /// session may have grown since it was looked at.
    ForkSession {
        /// The session.
        id: SessionId,
        /// The last turn that is taken over.
        upto: TurnId,
    },
    /// Keep this unsent text beside the journal; empty: forget it.
    Draft(String),
    /// End all "don't ask again" rules.
    RevokeRules,
    /// Leave the session and end the agent; a running command runs on unless
    /// it is to be stopped first.
    Close {
        /// Stop the running command first.
        stop_command: bool,
    },
}

/// The answer to an approval request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// Run it once.
    Run,
    /// Run it, and this very operation again without asking while this process lives.
    RunAlways,
    /// Do not run it; the model goes on with the refusal.
    Deny {
        /// The person's words.
        feedback: Option<String>,
    },
    /// Do not run it nor any call after it in this response.
    DenyRest {
        /// The person's words.
        feedback: Option<String>,
    },
}

/// What happened, for a front end to show.
#[derive(Debug, Clone)]
pub enum Event {
    /// Sessions, those that need a person first, then by last activity.
    Sessions(Vec<SessionRow>),
    /// What was written in the sessions of a directory, oldest first.
    History {
        /// The directory.
        cwd: String,
        /// The session whose messages are left out.
        without: Option<SessionId>,
        /// The messages.
        messages: Vec<String>,
    },
    /// Names and values of the variables that commands get, by name. The
    /// variable of the key is never among them.
    Environment(Vec<(String, String)>),
    /// The sessions in the trash, by last activity.
    Trash(Vec<SessionRow>),
    /// A session to look at.
    Previewed(Box<Previewed>),
    /// Places that hold the words of a search, of one session.
    Found {
        /// The search.
        number: u64,
        /// The places.
        hits: Vec<Hit>,
    },
    /// A search has ended.
    Searched {
        /// The search.
        number: u64,
        /// What was looked through.
        searched: Searched,
    },
    /// A session was moved.
    Moved(Moved),
    /// Whether the watched session is still open elsewhere.
    Watched(Watched),
    /// A session was opened, or an empty conversation begun.
    Opened(Box<OpenedSession>),
    /// A record is durable.
    Committed(Committed),
    /// What the agent does now.
    Phase(Phase),
    /// Text in flight; never evidence.
    Delta(Delta),
    /// Text in flight is void: the answer broke off or was stopped.
    Discarded,
    /// A person has to decide about a call.
    Approval(Box<ApprovalRequest>),
    /// The turn reached a limit: go on for as many again?
    ExtensionWanted {
        /// Model requests so far.
        model_requests: u64,
        /// Calls so far.
        tool_calls: u64,
    },
    /// Bytes that a running command wrote.
    Output {
        /// The execution.
        dispatch: DispatchId,
        /// New bytes, in order.
        bytes: Vec<u8>,
    },
    /// Unknown effects need a person's statements before anything else.
    Gate(Vec<UnknownReport>),
    /// Which model answers, and what else could.
    Models(ModelList),
    /// The servers of models that answer on this machine.
    LocalServers(Vec<Offer>),
    /// The test of a connection ended.
    Reached {
        /// What was tested.
        model: ModelSettings,
        /// What the server offers, where it says so; or why it is not reached.
        offered: Result<Option<Vec<String>>, String>,
    },
    /// Another model answers from now on.
    ModelChanged {
        /// Its name.
        name: String,
        /// What changes, and whether it was written to the settings.
        sentence: String,
    },
    /// A command was not obeyed.
    Refused {
        /// Why.
        why: Refusal,
        /// One sentence.
        sentence: String,
        /// The message that was not taken, to be put back.
        text: Option<String>,
    },
    /// A turn ended before its answer was complete: its message, to be put back.
    PutBack(String),
    /// A line of Candor's own.
    Notice(String),
    /// Nothing more can be saved; nothing more will run.
    Poisoned(String),
    /// The agent has ended.
    Closed(Leaving),
}

/// Which model answers, and what its server offers.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelList {
    /// The settings in use; an empty name: none is named yet.
    pub model: ModelSettings,
    /// What the server offers, or a sentence that says why that is not known.
    pub offered: Result<Vec<String>, String>,
}

/// What stays on the terminal after leaving.
#[derive(Debug, Clone, Default)]
pub struct Leaving {
    /// The session, if one was written.
    pub session: Option<SessionId>,
    /// Its title.
    pub title: String,
    /// Its state.
    pub state: String,
    /// Hash of its last line.
    pub head: Option<Digest>,
}

impl Leaving {
    /// The plain lines that stay: title and state; the head, for
    /// `--expect-head`; how to come back. None if nothing was written. The title
    /// is given cleaned.
    #[must_use]
    pub fn lines(&self, title: &str) -> Vec<String> {
        let Some(session) = self.session else { return Vec::new() };
        // Behind a word of our own, no title passes for a sentence of ours.
        let mut lines = vec![format!("Session: {title} - {}", self.state)];
        lines.extend(self.head.map(|head| format!("head {head}")));
        lines.push(format!("candor --session {session}"));
        lines
    }
}

/// Text in flight.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Delta {
    /// Of the answer.
    Text(String),
    /// Of the model's reasoning.
    Reasoning(String),
    /// Of a refusal.
    Refusal(String),
}

/// What the agent does now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Phase {
    /// Waits for a message.
    Ready,
    /// Waits for statements.
    Gated,
    /// Sent a request, nothing came back yet.
    WaitingForModel,
    /// The model reasons.
    Thinking,
    /// Text comes.
    Answering,
    /// Waits before another attempt.
    Retrying {
        /// How long, in milliseconds.
        wait_ms: u64,
        /// Why.
        reason: String,
    },
    /// Waits for a decision.
    WaitingForYou,
    /// A command runs.
    Running(RunningCommand),
    /// Nothing can be saved.
    NotSaving,
    /// The session can only be read.
    ReadOnly,
}

/// Why a command was not obeyed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// A turn is running.
    Busy,
    /// Unknown effects need statements first.
    Gated,
    /// Nothing can be saved.
    Poisoned,
    /// The session can only be read.
    ReadOnly,
    /// The message cannot be sent: empty, too long, or with a NUL.
    Message,
    /// The journal is full.
    Full,
    /// There is nothing like that to decide, stop or name now.
    NotNow,
    /// The session cannot be opened.
    CannotOpen,
    /// The file system or the settings do not allow it.
    Cannot,
    /// Only with the first word of the session's title.
    WordWanted,
}
