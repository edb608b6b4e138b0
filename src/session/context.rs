//! What the model is told: the input of the next request, from the records
//! alone. What was told once stays the same in every later request.

use super::state::{Call, Entry, Response, Session, Turn};
use super::{told, words};
use crate::record::{CallId, ContextItem, DispatchId, Item, Maker, TurnStatus};
use std::collections::BTreeSet;
use std::sync::Arc;

/// What the context depends on besides the records.
#[derive(Clone, Copy)]
pub struct ContextOptions<'a> {
    /// How much of one output the model gets, in bytes.
    pub output_to_model_bytes: usize,
    /// Where the whole output of an execution lies, for outputs that were cut.
    pub spool: &'a dyn Fn(DispatchId) -> Option<String>,
}

/// Why no request may be made now.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NotNow {
    /// No turn is open.
    #[error("no turn is open, so the model is not asked")]
    NoTurn,
    /// The open turn is another program's.
    #[error("the open turn is imported, so the model is not asked")]
    Imported,
    /// A call has no result.
    #[error("a call has no result yet, so the model is not asked")]
    CallOpen,
    /// The answer is complete.
    #[error("the turn's answer is complete, so the model is not asked")]
    Answered,
    /// An unknown outcome, of this turn or before it, has no statement.
    #[error("an outcome is unknown, so the model is not asked")]
    Gated,
}

/// The input of the next request, oldest first. Every call stands before its
/// one result, no call id comes twice, and a notice is never the last item.
///
/// # Errors
/// [`NotNow`] if no request may be made now.
pub fn context(session: &Session, options: ContextOptions<'_>) -> Result<Vec<ContextItem>, NotNow> {
    may_ask(session)?;
    let mut input = Input { session, options, items: Vec::new(), used: BTreeSet::new(), maker: None };
    for turn in session.turns() {
        input.add_turn(turn);
    }
    Ok(input.items)
}

fn may_ask(session: &Session) -> Result<(), NotNow> {
    let turn = session.open_turn().ok_or(NotNow::NoTurn)?;
    match () {
        () if turn.imported => Err(NotNow::Imported),
        () if turn.open_call().is_some() => Err(NotNow::CallOpen),
        () if turn.is_answered() => Err(NotNow::Answered),
        () if session.is_gated() => Err(NotNow::Gated),
        () => Ok(()),
    }
}

struct Input<'a> {
    session: &'a Session,
    options: ContextOptions<'a>,
    items: Vec<ContextItem>,
    /// Call ids that stand in `items`.
    used: BTreeSet<CallId>,
    maker: Option<Arc<Maker>>,
}

impl Input<'_> {
    fn add_turn(&mut self, turn: &Turn) {
        let status = turn.end.as_ref().map(|end| end.status);
        let early =
            status.is_some_and(|status| status != TurnStatus::Completed) && turn.calls().next().is_none();
        if early && turn.imported {
            return;
        }
        let mut sentences = Vec::new();
        for (index, entry) in turn.entries.iter().enumerate() {
            match entry {
                Entry::Message(message) => {
                    if index > 0 {
                        self.items.push(ContextItem::Notice { text: words::SAYS_MORE.to_owned() });
                    }
                    self.items.push(ContextItem::User { text: message.text.clone() });
                }
                Entry::Response(_) if early => {} // partial text must not look like an answer
                Entry::Response(response) => self.add_response(response, &mut sentences),
            }
        }
        let notice = match status {
            None => return,
            Some(TurnStatus::Completed) if sentences.is_empty() => return,
            Some(TurnStatus::Completed) => words::ended_with_unknown(),
            Some(status) => words::ended(status),
        };
        sentences.insert(0, notice);
        self.items.push(ContextItem::Notice { text: sentences.join(" ") });
    }

    /// The items of a response, then the results of its calls.
    fn add_response(&mut self, response: &Response, sentences: &mut Vec<String>) {
        let maker = self.maker_of(response);
        let mut calls = response.calls.iter();
        let mut results = Vec::with_capacity(response.calls.len());
        let mut next = calls.next();
        for (index, item) in response.items.iter().enumerate() {
            let call = next.filter(|call| call.item == index);
            let item = match call {
                None => item.clone(),
                Some(call) => {
                    let (id, item) = self.name(call, item, response.record.seq);
                    results.push((call, id));
                    next = calls.next();
                    item
                }
            };
            self.items.push(ContextItem::Model { item, maker: Arc::clone(&maker) });
        }
        for (call, call_id) in results {
            sentences.extend(self.statement_about(call, &call_id));
            self.add_result(call, call_id);
        }
    }

    fn add_result(&mut self, call: &Call, call_id: CallId) {
        // Where a request may be made, every call has its result.
        if let Some(result) = &call.result {
            let ContextOptions { output_to_model_bytes, spool } = self.options;
            let output = told::result(call, result, output_to_model_bytes, spool);
            self.items.push(ContextItem::Result { call_id, output });
        }
    }

    fn statement_about(&self, call: &Call, call_id: &CallId) -> Option<String> {
        let dispatch = call.result.as_ref().and_then(|result| result.dispatch)?;
        self.session.statement(dispatch).map(|said| words::says_about(call_id.as_str(), said))
    }

    /// The call's id in this request, and its item with that id.
    fn name(&mut self, call: &Call, item: &Item, seq: u64) -> (CallId, Item) {
        if self.used.insert(call.id.clone()) {
            return (call.id.clone(), item.clone());
        }
        let id = self.fresh_id(&format!("c{seq}_{}", call.item));
        match id.and_then(|id| Some((told::renamed(item, &id)?, id))) {
            Some((item, id)) => {
                self.used.insert(id.clone());
                (id, item)
            }
            None => (call.id.clone(), item.clone()), // an item of a call always has an id to edit
        }
    }

    /// This id, or with a number after it if a model happened to use it.
    fn fresh_id(&self, wanted: &str) -> Option<CallId> {
        let numbered = (1_u64..).map(|number| format!("{wanted}_{number}"));
        let ids = std::iter::once(wanted.to_owned()).chain(numbered);
        ids.map_while(|id| CallId::new(id).ok()).find(|id| !self.used.contains(id))
    }

    fn maker_of(&mut self, response: &Response) -> Arc<Maker> {
        let record = &response.record;
        let maker = Maker {
            protocol: record.protocol.clone(),
            server: record.server.clone(),
            model: record.model.clone(),
        };
        match &self.maker {
            Some(last) if **last == maker => Arc::clone(last),
            Some(_) | None => Arc::clone(self.maker.insert(Arc::new(maker))),
        }
    }
}
