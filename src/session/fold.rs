//! One record after another into the session. There is no other way to change it.

use super::check::ReadResponse;
use super::order::OrderError;
use super::state::{Call, Entry, Header, Place, Response, Session, Standing, Tail, Turn};
use crate::record::{
    Acknowledged, Approval, Committed, DispatchId, ModelResponse, Outcome, Record, SessionStarted, Stamped,
    Timestamp, ToolResult, ToolStarted, UserMessage,
};
use std::sync::Arc;

/// Where and when a record stands.
#[derive(Clone, Copy)]
struct Stamp {
    seq: u64,
    at: Timestamp,
}

impl Stamp {
    fn on<T>(self, body: Arc<T>) -> Stamped<T> {
        Stamped { seq: self.seq, at: self.at, body }
    }
}

impl Session {
    /// Folds a committed record in. On error nothing has changed.
    ///
    /// # Errors
    /// [`OrderError`] if it is not the next record or may not follow.
    pub fn apply(&mut self, committed: Committed) -> Result<(), OrderError> {
        let stamp = Stamp { seq: committed.seq, at: committed.at };
        if stamp.seq != self.next_seq {
            return Err(OrderError::Seq { expected: self.next_seq, found: stamp.seq });
        }
        let read = self.examine(&committed.record)?;
        self.fold(stamp, committed.record, read);
        self.next_seq += 1;
        self.last_at = Some(stamp.at);
        Ok(())
    }

    fn fold(&mut self, stamp: Stamp, record: Record, read: ReadResponse) {
        match record {
            Record::SessionStarted(body) => self.fold_beginning(stamp, &body),
            Record::UserMessage(body) => self.fold_message(stamp.on(body)),
            Record::ModelResponse(body) => self.fold_response(stamp.on(body), read),
            Record::Approval(body) => self.fold_approval(stamp.on(body)),
            Record::ToolStarted(body) => self.fold_start(stamp.on(body)),
            Record::ToolResult(body) => self.fold_result(stamp.on(body)),
            Record::TurnExtended(body) => self.in_last_turn(|turn| turn.extensions.push(stamp.on(body))),
            Record::TurnEnded(body) => self.in_last_turn(|turn| turn.end = Some(stamp.on(body))),
            Record::Acknowledged(body) => self.fold_acknowledged(stamp.on(body)),
            Record::TailMoved(body) => {
                let turn = self.open_turn().map(|turn| turn.id);
                self.tails.push(Tail { record: stamp.on(body), turn });
            }
            Record::SessionRenamed(body) => self.title.clone_from(&body.title),
        }
    }

    fn fold_beginning(&mut self, stamp: Stamp, body: &SessionStarted) {
        self.title = body.title.clone().unwrap_or_default();
        self.header = Some(Header {
            app: body.app.clone(),
            key_id: body.key_id.clone(),
            cwd: body.cwd.clone(),
            origin: body.origin.clone(),
            at: stamp.at,
        });
    }

    fn fold_message(&mut self, message: Stamped<UserMessage>) {
        if self.open_turn().is_some() {
            self.in_last_turn(|turn| turn.entries.push(Entry::Message(message)));
            return;
        }
        self.turn_ids.insert(message.turn);
        self.call_ids.clear();
        let turn = Turn {
            id: message.turn,
            imported: message.imported,
            copied: self.is_copy(&message),
            entries: vec![Entry::Message(message)],
            extensions: Vec::new(),
            end: None,
        };
        self.turns.push(Arc::new(turn));
    }

    fn fold_response(&mut self, record: Stamped<ModelResponse>, read: ReadResponse) {
        self.call_ids.extend(read.calls.iter().map(|call| call.id.clone()));
        let response = Response { record, items: read.items, calls: read.calls };
        self.in_last_turn(|turn| turn.entries.push(Entry::Response(response)));
    }

    fn fold_approval(&mut self, approval: Stamped<Approval>) {
        if approval.standing {
            self.standing.push(Standing { seq: approval.seq, fingerprint: approval.fingerprint });
        }
        self.in_open_call(|call| call.approval = Some(approval));
    }

    fn fold_start(&mut self, start: Stamped<ToolStarted>) {
        self.place(start.dispatch);
        self.in_open_call(|call| call.start = Some(start));
    }

    fn fold_result(&mut self, result: Stamped<ToolResult>) {
        if let Some(dispatch) = result.dispatch {
            self.place(dispatch);
            if result.outcome == Outcome::Unknown {
                self.unknown.push(dispatch);
                self.standing.clear();
            }
        }
        self.in_open_call(|call| call.result = Some(result));
    }

    fn fold_acknowledged(&mut self, record: Stamped<Acknowledged>) {
        let said = record.statements.iter().map(|statement| (statement.dispatch, statement.clone()));
        self.statements.extend(said);
        self.acknowledged.push(record);
    }

    /// Remembers that an execution is the open call's.
    fn place(&mut self, dispatch: DispatchId) {
        let Some((turn, last)) = self.turns.iter().enumerate().next_back() else { return };
        let entry = last.entries.len().saturating_sub(1);
        let Some(Entry::Response(response)) = last.entries.get(entry) else { return };
        if let Some(call) = response.calls.iter().position(|call| call.result.is_none()) {
            self.dispatches.insert(dispatch, Place { turn, entry, call });
        }
    }

    fn in_last_turn(&mut self, change: impl FnOnce(&mut Turn)) {
        if let Some(turn) = self.turns.last_mut() {
            change(Arc::make_mut(turn));
        }
    }

    fn in_open_call(&mut self, change: impl FnOnce(&mut Call)) {
        self.in_last_turn(|turn| {
            let Some(Entry::Response(response)) = turn.entries.last_mut() else { return };
            if let Some(call) = response.calls.iter_mut().find(|call| call.result.is_none()) {
                change(call);
            }
        });
    }
}
