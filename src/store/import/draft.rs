//! The records of an import, each checked against the session so far, so that a
//! refusal can name its place. Committing them checks them again.

use super::error::Rule;
use super::summary::Summary;
use crate::record::limits::LINE_BYTES;
use crate::record::{
    Acknowledged, By, CallId, Committed, Digest, DispatchId, Evidence, KeyId, ModelResponse, Operation,
    OperationError, Origin, Outcome, Record, SessionStarted, Statement, StatementKind, Timestamp, ToolResult,
    ToolStarted, TurnEnded, TurnId, TurnStatus, UserMessage, excerpt,
};
use crate::session::{Call, OrderError, Session, Turn, first_title};
use crate::store::ids;
use serde_json::value::RawValue;

/// The form that all items are kept in.
const PROTOCOL: &str = "responses";
/// More than what stands around a body in its line, in bytes.
const ENVELOPE_BYTES: usize = 512;

/// How a call ended whose end was observed.
pub(super) struct Observed<'a> {
    pub(super) outcome: Outcome,
    pub(super) exit_code: Option<u8>,
    pub(super) output: &'a str,
    pub(super) truncated: bool,
}

/// A session that is being put together.
pub(super) struct Draft {
    session: Session,
    at: Timestamp,
    records: Vec<Record>,
    pub(super) summary: Summary,
}

impl Draft {
    pub(super) fn new(at: Timestamp) -> Self {
        let mut session = Session::new(ids::session());
        let beginning = SessionStarted {
            app: String::new(),
            key_id: KeyId::of(&[0; 32]),
            cwd: String::new(),
            title: None,
            origin: Origin::Imported { format: String::new(), name: String::new(), sha256: Digest::ZERO },
            ext: None,
        };
        // What stands in for the first record is always allowed.
        let _ = session.apply(Committed { seq: 0, at, record: beginning.into() });
        Self { session, at, records: Vec::new(), summary: Summary::default() }
    }

    /// The session so far.
    pub(super) fn session(&self) -> &Session {
        &self.session
    }

    /// The first line of the first message.
    pub(super) fn title(&self) -> Option<String> {
        let first = self.session.turns().first()?.messages().next()?;
        Some(first_title(&first.text)).filter(|title| !title.is_empty())
    }

    /// The records after the first, and what was counted.
    pub(super) fn finish(mut self) -> (Vec<Record>, Summary) {
        let turns = self.session.turns();
        self.summary.turns = turns.len() as u64;
        self.summary.calls = turns.iter().map(|turn| turn.calls().count() as u64).sum();
        self.summary.gating = self.session.gating().len() as u64;
        (self.records, self.summary)
    }

    /// Opens a turn.
    pub(super) fn message(&mut self, text: &str) -> Result<TurnId, Rule> {
        let turn = ids::turn();
        self.add(UserMessage { turn, text: text.to_owned(), imported: true, ext: None })?;
        Ok(turn)
    }

    pub(super) fn response(&mut self, items: Vec<Box<RawValue>>) -> Result<(), Rule> {
        let turn = self.turn()?.id;
        self.add(ModelResponse {
            turn,
            items: items.into_iter().map(Into::into).collect(),
            protocol: PROTOCOL.to_owned(),
            server: None,
            model: None,
            response_id: None,
            usage: None,
            duration_ms: None,
            instructions_sha256: None,
            ext: None,
        })
    }

    /// The first open call was started.
    pub(super) fn start(&mut self, tool: &str, command: &str, cwd: &str) -> Result<(), Rule> {
        let (turn, call) = self.open_call()?;
        let operation = Operation::imported(tool, Some(command), None, Some(cwd)).map_err(order)?;
        let fingerprint = operation.fingerprint();
        let dispatch = ids::dispatch();
        self.add(ToolStarted { turn, call, dispatch, operation, fingerprint, repeats: None, ext: None })
    }

    /// The first open call ended, and that was observed.
    pub(super) fn observed(&mut self, observed: &Observed<'_>) -> Result<(), Rule> {
        let (turn, call) = self.open_call()?;
        let output = observed.output.as_bytes();
        let kept = excerpt(output, output, output.len() as u64);
        let dispatch = self.dispatch();
        self.add(ToolResult {
            exit_code: observed.exit_code,
            output: Some(kept.text),
            output_bytes: Some(output.len() as u64),
            truncated: kept.truncated || observed.truncated,
            ..ToolResult::of_dispatch(turn, call, dispatch, observed.outcome, Evidence::Imported)
        })
    }

    /// The first open call may have run.
    pub(super) fn unknown(&mut self) -> Result<(), Rule> {
        let (turn, call) = self.open_call()?;
        let dispatch = self.dispatch();
        self.add(ToolResult::of_dispatch(turn, call, dispatch, Outcome::Unknown, Evidence::Imported))
    }

    /// The first open call was refused or did not run.
    pub(super) fn without_effect(&mut self, outcome: Outcome) -> Result<(), Rule> {
        let (turn, call) = self.open_call()?;
        let result = ToolResult::without_dispatch(turn, call, outcome);
        self.add(ToolResult { evidence: Some(Evidence::Imported), ..result })
    }

    pub(super) fn end(&mut self, status: TurnStatus) -> Result<(), Rule> {
        let turn = self.turn()?.id;
        self.add(TurnEnded { turn, status, error: None, ext: None })
    }

    /// Ends the open turn, if there is one, as far as it got.
    pub(super) fn end_open(&mut self) -> Result<(), Rule> {
        let Some(turn) = self.session.open_turn() else { return Ok(()) };
        let status = if turn.is_answered() { TurnStatus::Completed } else { TurnStatus::Interrupted };
        self.end(status)
    }

    /// The source's own acknowledgement of what is unknown in a turn.
    pub(super) fn acknowledge(&mut self, turn: TurnId) -> Result<(), Rule> {
        let of_turn = |it: &&crate::session::UnknownEffect<'_>| it.call.is_some_and(|(of, _)| of.id == turn);
        let gating = self.session.gating();
        let statements: Vec<Statement> = gating
            .iter()
            .filter(of_turn)
            .map(|it| Statement { dispatch: it.dispatch, statement: StatementKind::MayHaveRun, note: None })
            .collect();
        if statements.is_empty() {
            return Err(Rule::NothingUnknown);
        }
        self.add(Acknowledged { statements, by: By::Imported, ext: None })
    }

    fn add(&mut self, record: impl Into<Record>) -> Result<(), Rule> {
        let record = record.into();
        let body = record.encode_body().map_err(|error| Rule::Fields(error.to_string()))?;
        let bytes = body.len() + ENVELOPE_BYTES;
        if bytes > LINE_BYTES {
            return Err(Rule::LongRecord(bytes));
        }
        let seq = self.session.next_seq();
        self.session.apply(Committed { seq, at: self.at, record: record.clone() })?;
        self.records.push(record);
        Ok(())
    }

    fn turn(&self) -> Result<&Turn, Rule> {
        self.session.open_turn().ok_or(Rule::Turn)
    }

    fn first_open(&self) -> Result<(&Turn, &Call), Rule> {
        let turn = self.turn()?;
        Ok((turn, turn.open_call().ok_or(Rule::Call)?))
    }

    fn open_call(&self) -> Result<(TurnId, CallId), Rule> {
        self.first_open().map(|(turn, call)| (turn.id, call.id.clone()))
    }

    /// The first open call's execution, or a new one.
    fn dispatch(&self) -> DispatchId {
        let start = self.first_open().ok().and_then(|(_, call)| call.start.as_ref());
        start.map_or_else(ids::dispatch, |start| start.dispatch)
    }
}

fn order(error: OperationError) -> Rule {
    OrderError::from(error).into()
}
