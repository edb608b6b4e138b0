//! A journal that is only a fold, and the machine beside it.

use super::*;

/// A session in memory and the machine beside it.
pub(super) struct World {
    pub(super) session: Session,
    pub(super) machine: Machine,
    pub(super) ids: u128,
    /// What was carried out, in words, newest last.
    pub(super) done: Vec<String>,
    pub(super) started: BTreeSet<DispatchId>,
    pub(super) laid: Option<ToolStarted>,
    pub(super) shown: Option<ApprovalRequest>,
    pub(super) asking: bool,
    pub(super) space_left: u64,
}

pub(super) fn limits(requests: u64, calls: u64) -> LimitSettings {
    LimitSettings { model_requests: requests, tool_calls: calls }
}

impl World {
    pub(super) fn new(limits: LimitSettings) -> Self {
        let mut ids = 1u128;
        let session = Session::new(SessionId::from_uuid(next_id(&mut ids)));
        let bash = Bash::new(&BashSettings::default(), "OPENAI_API_KEY", "/work".into(), Vec::new());
        let mut world = Self {
            machine: Machine::new(&session, limits, bash),
            session,
            ids,
            done: Vec::new(),
            started: BTreeSet::new(),
            laid: None,
            shown: None,
            asking: false,
            space_left: u64::MAX,
        };
        let started = SessionStarted {
            app: "candor test".into(),
            key_id: KeyId::parse("0123456789abcdef").unwrap(),
            cwd: "/work".into(),
            title: None,
            origin: Origin::New {},
            ext: None,
        };
        world.apply(started.into());
        world
    }

    pub(super) fn apply(&mut self, record: Record) {
        let (seq, at) = (self.session.next_seq(), Timestamp::from_millis(1_000));
        self.done.push(record.kind().to_owned());
        self.session.apply(Committed { seq, at, record }).unwrap_or_else(|e| panic!("{e}: {:?}", self.done));
    }

    pub(super) fn view<T>(&mut self, act: impl FnOnce(&mut Machine, &mut View<'_>) -> T) -> T {
        let ids = &mut self.ids;
        let mut fresh = || next_id(ids);
        act(
            &mut self.machine,
            &mut View { session: &self.session, space_left: self.space_left, fresh: &mut fresh },
        )
    }

    /// Gives an input and carries everything out but the outer world's answers.
    pub(super) fn give(&mut self, input: Input) -> &mut Self {
        let effects = self.view(|machine, view| machine.step(view, input));
        self.carry_out(effects);
        self
    }

    pub(super) fn carry_out(&mut self, effects: Vec<Effect>) {
        for effect in effects {
            match effect {
                Effect::Commit(record) => {
                    self.apply(record);
                    let next = self.view(Machine::committed);
                    self.carry_out(next);
                }
                Effect::AskModel => {
                    // Never without durable results: the context exists and ends right.
                    let options = ContextOptions { output_to_model_bytes: 16 << 10, spool: &|_| None };
                    context(&self.session, options).unwrap_or_else(|e| panic!("{e:?}: {:?}", self.done));
                    assert!(!std::mem::replace(&mut self.asking, true), "asked twice");
                    self.done.push("AskModel".into());
                }
                Effect::CancelModel => self.asking = false,
                Effect::AskApproval(request) => {
                    assert_eq!(request.fingerprint, request.operation.fingerprint());
                    self.shown = Some(*request);
                    self.done.push("AskApproval".into());
                }
                Effect::AskExtension { .. } => self.done.push("AskExtension".into()),
                Effect::Lay(start) => {
                    assert!(!self.session.knows_dispatch(start.dispatch));
                    self.laid = Some(*start);
                    self.done.push("Lay".into());
                }
                Effect::Start(dispatch) => {
                    let (_, call) =
                        self.session.find_dispatch(dispatch).expect("no start without its record");
                    assert!(call.result.is_none() && call.start.is_some());
                    assert!(self.started.insert(dispatch), "started twice");
                    self.done.push("Start".into());
                }
                Effect::StopCommand(dispatch) => {
                    assert!(self.started.contains(&dispatch));
                    self.done.push("StopCommand".into());
                }
                Effect::Refuse { why, .. } => self.done.push(format!("Refuse {why:?}")),
                Effect::PutBack(text) => self.done.push(format!("PutBack {text}")),
                Effect::Rest => self.done.push("Rest".into()),
            }
        }
    }

    pub(super) fn say(&mut self, text: &str) -> &mut Self {
        self.give(Input::Message(text.into()))
    }

    pub(super) fn answer(&mut self, items: &[&str]) -> &mut Self {
        self.asking = false;
        let items =
            items.iter().map(|text| Item::read(RawValue::from_string((*text).into()).unwrap()).unwrap());
        let answer = Answer {
            items: items.collect(),
            protocol: "responses".into(),
            server: "http://127.0.0.1:1/v1".into(),
            model: "m".into(),
            response_id: None,
            usage: None,
            duration_ms: 1,
        };
        self.give(Input::Answered { answer: Box::new(answer), instructions: Digest::of(b"") })
    }

    pub(super) fn decide(&mut self, verdict: Verdict) -> &mut Self {
        let Some(shown) = self.shown.take() else { return self };
        self.give(Input::Decide { call: shown.call, fingerprint: shown.fingerprint, verdict })
    }

    pub(super) fn lay(&mut self) -> &mut Self {
        match self.laid.take() {
            Some(start) => self.give(Input::Laid(start.dispatch)),
            None => self,
        }
    }

    /// The running command's supervisor is gone, with or without a receipt.
    pub(super) fn end(&mut self, ended: Option<(Ended, Option<u8>)>) -> &mut Self {
        let Some(dispatch) = self.machine.running() else { return self };
        let (turn, call) = self.session.find_dispatch(dispatch).unwrap();
        let start = call.start.as_ref().unwrap();
        let facts = facts(self.session.id(), turn.id, start, ended);
        self.give(Input::Ended(Box::new(facts)))
    }

    pub(super) fn run(&mut self, exit_code: u8) -> &mut Self {
        self.decide(Verdict::Run).lay().end(Some((Ended::Exit, Some(exit_code))))
    }

    /// What was carried out since the last call of this.
    pub(super) fn log(&mut self) -> Vec<String> {
        std::mem::take(&mut self.done)
    }

    pub(super) fn statuses(&self) -> Vec<TurnStatus> {
        self.session.turns().iter().filter_map(|turn| turn.end.as_ref()).map(|end| end.status).collect()
    }

    pub(super) fn outcomes(&self) -> Vec<Outcome> {
        let calls = self.session.turns().iter().flat_map(|turn| turn.calls());
        calls.filter_map(|call| call.result.as_ref()).map(|result| result.outcome).collect()
    }
}

pub(super) fn next_id(ids: &mut u128) -> uuid::Uuid {
    *ids += 1;
    uuid::Builder::from_random_bytes(ids.to_be_bytes()).with_version(uuid::Version::SortRand).into_uuid()
}

pub(super) fn facts(
    session: SessionId,
    turn: TurnId,
    start: &ToolStarted,
    ended: Option<(Ended, Option<u8>)>,
) -> FolderFacts {
    let nothing = SpoolFacts {
        excerpt: OutputExcerpt { text: String::new(), truncated: false },
        spool_bytes: 0,
        sha256: Digest::of(b""),
        modified_at: None,
    };
    let receipt = ended.map(|(ended, exit_code)| Receipt {
        v: 1,
        dispatch: start.dispatch,
        fingerprint: start.fingerprint,
        ended,
        exit_code,
        signal: None,
        started_at: Some(Timestamp::from_millis(1)),
        ended_at: Timestamp::from_millis(2),
        output_bytes: 0,
        spool_bytes: 0,
        output_sha256: Digest::of(b""),
        output_lost: false,
        pipe_held: false,
        survivors: None,
    });
    let order = Order {
        v: 1,
        session,
        turn,
        call: start.call.clone(),
        dispatch: start.dispatch,
        fingerprint: start.fingerprint,
        operation: start.operation.clone(),
    };
    FolderFacts {
        dispatch: start.dispatch,
        order: Some(order),
        launched: true,
        lock_held: false,
        receipt,
        alive: Vec::new(),
        output: nothing,
    }
}

pub(super) const TEXT: &str =
    r#"{"type":"message","role":"assistant","content":[{"type":"output_text","text":"done"}]}"#;

pub(super) fn call(id: &str, command: &str) -> String {
    let arguments = serde_json::to_string(&format!(r#"{{"command":"{command}"}}"#)).unwrap();
    format!(r#"{{"type":"function_call","call_id":"{id}","name":"bash","arguments":{arguments}}}"#)
}
