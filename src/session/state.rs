//! The folded session: what a reader of the journal knows after its last record.
//!
//! Front ends draw from this value, the agent decides from it, the context is
//! built from it. Bodies are shared with the records they came from.

use crate::record::{
    Acknowledged, Approval, CallId, Decision, Digest, DispatchId, EffectReference, Item, KeyId,
    ModelResponse, Operation, Origin, Outcome, SessionId, Stamped, Statement, TailMoved, Timestamp,
    ToolResult, ToolStarted, TurnEnded, TurnExtended, TurnId, UserMessage,
};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// What the first record says.
#[derive(Debug, Clone)]
pub struct Header {
    /// Program that made it.
    pub app: String,
    /// Key that signs it.
    pub key_id: KeyId,
    /// Directory that its commands run in.
    pub cwd: String,
    /// Where it comes from.
    pub origin: Origin,
    /// When it was begun.
    pub at: Timestamp,
}

/// A session after its last folded record.
#[derive(Debug, Clone)]
pub struct Session {
    pub(super) sid: SessionId,
    pub(super) header: Option<Header>,
    pub(super) title: String,
    /// Shared with other copies of the session; only the last one changes.
    pub(super) turns: Vec<Arc<Turn>>,
    /// Sequence number of the next record.
    pub(super) next_seq: u64,
    pub(super) last_at: Option<Timestamp>,
    /// Where each execution stands: turn, entry and call index.
    pub(super) dispatches: BTreeMap<DispatchId, Place>,
    /// Executions of this journal whose outcome is unknown, in its order.
    pub(super) unknown: Vec<DispatchId>,
    /// What a person said about unknown executions, the origin's included.
    pub(super) statements: BTreeMap<DispatchId, Statement>,
    /// Standing approvals that no unknown outcome has ended yet.
    pub(super) standing: Vec<Standing>,
    pub(super) turn_ids: BTreeSet<TurnId>,
    /// Call ids of the last turn; within a turn none may come twice.
    pub(super) call_ids: BTreeSet<CallId>,
    pub(super) acknowledged: Vec<Stamped<Acknowledged>>,
    pub(super) tails: Vec<Tail>,
}

/// Indices of a call: which turn, which of its entries, which of its calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) turn: usize,
    pub(super) entry: usize,
    pub(super) call: usize,
}

/// An approval with which the person said "don't ask again".
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Standing {
    pub(super) seq: u64,
    pub(super) fingerprint: Digest,
}

/// A torn tail that was moved aside, and the turn that was open then.
#[derive(Debug, Clone)]
pub struct Tail {
    /// The record.
    pub record: Stamped<TailMoved>,
    /// The turn that was open.
    pub turn: Option<TurnId>,
}

/// One user message and all that followed.
#[derive(Debug, Clone)]
pub struct Turn {
    /// Its id.
    pub id: TurnId,
    /// Whether another program's file said it.
    pub imported: bool,
    /// Whether it was copied from the session that this one was forked from.
    pub copied: bool,
    /// Messages and responses, in their order; the first is a message.
    pub entries: Vec<Entry>,
    /// How often and by how much a person let it go on.
    pub extensions: Vec<Stamped<TurnExtended>>,
    /// How it ended; none while it is open.
    pub end: Option<Stamped<TurnEnded>>,
}

/// One step of a turn.
#[derive(Debug, Clone)]
pub enum Entry {
    /// The user said something.
    Message(Stamped<UserMessage>),
    /// The model answered; its calls with all that became of them.
    Response(Response),
}

/// A model response with its calls.
#[derive(Debug, Clone)]
pub struct Response {
    /// The record.
    pub record: Stamped<ModelResponse>,
    /// Its items, read by type; every copy of the session shares them.
    pub items: Arc<[Item]>,
    /// Its calls, in their order.
    pub calls: Vec<Call>,
}

/// A call and what became of it.
#[derive(Debug, Clone)]
pub struct Call {
    /// Position of its item in the response.
    pub item: usize,
    /// The model's id.
    pub id: CallId,
    /// The tool's name.
    pub name: String,
    /// The arguments as received.
    pub arguments: String,
    /// What a person or a rule decided.
    pub approval: Option<Stamped<Approval>>,
    /// Its execution.
    pub start: Option<Stamped<ToolStarted>>,
    /// How it ended.
    pub result: Option<Stamped<ToolResult>>,
}

/// An execution whose outcome is unknown, with all that says so.
#[derive(Debug, Clone)]
pub struct UnknownEffect<'a> {
    /// The execution.
    pub dispatch: DispatchId,
    /// The turn and call; absent for an effect of a forked session's origin.
    pub call: Option<(&'a Turn, &'a Call)>,
    /// What was to run, where it is known.
    pub operation: Option<&'a Operation>,
    /// When it was started, where it is known.
    pub started_at: Option<Timestamp>,
    /// The person's statement, if there is one.
    pub statement: Option<&'a Statement>,
}

impl Session {
    /// A session before its first record.
    #[must_use]
    pub fn new(sid: SessionId) -> Self {
        Self {
            sid,
            header: None,
            title: String::new(),
            turns: Vec::new(),
            next_seq: 0,
            last_at: None,
            dispatches: BTreeMap::new(),
            unknown: Vec::new(),
            statements: BTreeMap::new(),
            standing: Vec::new(),
            turn_ids: BTreeSet::new(),
            call_ids: BTreeSet::new(),
            acknowledged: Vec::new(),
            tails: Vec::new(),
        }
    }

    /// Its id.
    #[must_use]
    pub fn id(&self) -> SessionId {
        self.sid
    }

    /// What the first record says; none before it.
    #[must_use]
    pub fn header(&self) -> Option<&Header> {
        self.header.as_ref()
    }

    /// Its title; empty if it never had one.
    #[must_use]
    pub fn title(&self) -> &str {
        &self.title
    }

    /// All turns, in their order.
    #[must_use]
    pub fn turns(&self) -> &[Arc<Turn>] {
        &self.turns
    }

    /// The turn that has no end yet.
    #[must_use]
    pub fn open_turn(&self) -> Option<&Turn> {
        self.turns.last().map(Arc::as_ref).filter(|turn| turn.end.is_none())
    }

    /// Sequence number of the next record; how many there are.
    #[must_use]
    pub fn next_seq(&self) -> u64 {
        self.next_seq
    }

    /// Time of the last record.
    #[must_use]
    pub fn last_at(&self) -> Option<Timestamp> {
        self.last_at
    }

    /// Torn tails that were moved aside.
    #[must_use]
    pub fn tails(&self) -> &[Tail] {
        &self.tails
    }

    /// All `acknowledged` records.
    #[must_use]
    pub fn acknowledged(&self) -> &[Stamped<Acknowledged>] {
        &self.acknowledged
    }

    /// Whether a record names this execution.
    #[must_use]
    pub fn knows_dispatch(&self, dispatch: DispatchId) -> bool {
        self.dispatches.contains_key(&dispatch)
    }

    /// How many executions the records name.
    #[must_use]
    pub fn dispatch_count(&self) -> usize {
        self.dispatches.len()
    }

    /// The turn and call of an execution.
    #[must_use]
    pub fn find_dispatch(&self, dispatch: DispatchId) -> Option<(&Turn, &Call)> {
        let place = self.dispatches.get(&dispatch)?;
        let turn = self.turns.get(place.turn)?;
        match turn.entries.get(place.entry)? {
            Entry::Response(response) => response.calls.get(place.call).map(|call| (turn.as_ref(), call)),
            Entry::Message(_) => None,
        }
    }

    /// What a person said about an unknown execution.
    #[must_use]
    pub fn statement(&self, dispatch: DispatchId) -> Option<&Statement> {
        self.statements.get(&dispatch)
    }

    /// Unknown effects of the session that this one was forked from.
    #[must_use]
    pub fn origin_unknown(&self) -> &[EffectReference] {
        match self.header.as_ref().map(|header| &header.origin) {
            Some(Origin::Forked { unknown, .. }) => unknown,
            Some(Origin::New {} | Origin::Imported { .. }) | None => &[],
        }
    }

    /// Head of the session that this one was forked from, and its id.
    #[must_use]
    pub fn forked_from(&self) -> Option<(SessionId, Digest)> {
        match self.header.as_ref().map(|header| &header.origin) {
            Some(Origin::Forked { sid, head, .. }) => Some((*sid, *head)),
            Some(Origin::New {} | Origin::Imported { .. }) | None => None,
        }
    }
}

impl Turn {
    /// The responses, in their order.
    pub fn responses(&self) -> impl DoubleEndedIterator<Item = &Response> {
        self.entries.iter().filter_map(|entry| match entry {
            Entry::Response(response) => Some(response),
            Entry::Message(_) => None,
        })
    }

    /// The messages, in their order; the first opened the turn.
    pub fn messages(&self) -> impl DoubleEndedIterator<Item = &Stamped<UserMessage>> {
        self.entries.iter().filter_map(|entry| match entry {
            Entry::Message(message) => Some(message),
            Entry::Response(_) => None,
        })
    }

    /// All calls, in their order.
    pub fn calls(&self) -> impl DoubleEndedIterator<Item = &Call> {
        self.responses().flat_map(|response| &response.calls)
    }

    /// The first call without a result.
    #[must_use]
    pub fn open_call(&self) -> Option<&Call> {
        self.responses()
            .next_back()
            .and_then(|response| response.calls.iter().find(|call| call.result.is_none()))
    }

    /// Whether the last entry is a response without calls: the answer is complete.
    #[must_use]
    pub fn is_answered(&self) -> bool {
        matches!(self.entries.last(), Some(Entry::Response(response)) if response.calls.is_empty())
    }

    /// Whether an outcome is unknown, so that nothing but its closing may follow.
    /// Never of an imported turn, which an unknown outcome does not end.
    #[must_use]
    pub fn is_unconfirmed(&self) -> bool {
        let last = self.responses().next_back();
        !self.imported && last.is_some_and(|response| response.calls.iter().any(Call::is_unknown))
    }
}

impl Call {
    /// Whether its outcome is unknown.
    #[must_use]
    pub fn is_unknown(&self) -> bool {
        self.outcome() == Some(Outcome::Unknown)
    }

    /// How it ended; none while it is open.
    #[must_use]
    pub fn outcome(&self) -> Option<Outcome> {
        self.result.as_ref().map(|result| result.outcome)
    }

    /// What was ordered, or decided about, as far as the records tell.
    #[must_use]
    pub fn operation(&self) -> Option<&Operation> {
        let started = self.start.as_ref().map(|start| &start.operation);
        started.or_else(|| self.approval.as_ref().map(|approval| &approval.operation))
    }

    /// Whether a person refused it.
    #[must_use]
    pub fn is_refused(&self) -> bool {
        self.approval.as_ref().is_some_and(|approval| approval.decision == Decision::Denied)
    }
}
