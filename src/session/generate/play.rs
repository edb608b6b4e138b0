//! Plans become records.

use super::plan::{Call, Ids, Kind, Output, Plan, Step, Turn, What};
use super::{Story, bodies, dispatch_id};
use crate::record::{
    By, CallId, Decision, Digest, DispatchId, Evidence, Operation, Origin, Outcome, SessionRenamed,
    Statement, StatementKind, Survivor, Timestamp, ToolResult, TurnId, TurnStatus, excerpt,
};

const COMMANDS: [&str; 3] = ["echo milk >> shopping.txt", "make test", "rm -rf 'build <&>'\nls"];

/// Whose turn it is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Whose {
    Foreign,
    Copied,
    Own,
}

/// The turn that is being played.
#[derive(Clone, Copy)]
struct Now {
    turn: TurnId,
    whose: Whose,
}

impl Plan {
    /// The session that this plan makes.
    pub(crate) fn play(&self) -> Story {
        let (origin, foreign, copied) = match &self.kind {
            Kind::New => (Origin::New {}, &[][..], &[][..]),
            Kind::Imported => (bodies::imported_origin(), &self.foreign[..], &[][..]),
            Kind::Forked(unknown) => {
                let effect = |(n, command): (usize, &usize)| {
                    bodies::reference(dispatch_id(10 + n as u128), COMMANDS[*command])
                };
                let unknown = unknown.iter().enumerate().map(effect).collect();
                (bodies::forked_origin(unknown), &self.foreign[..], &self.copied[..])
            }
        };
        let mut story = Story::of(origin);
        let all = [(Whose::Foreign, foreign), (Whose::Copied, copied), (Whose::Own, &self.own[..])];
        for (whose, turns) in all {
            for turn in turns {
                story.play_turn(turn, whose);
            }
        }
        story
    }
}

impl Story {
    fn play_turn(&mut self, plan: &Turn, whose: Whose) {
        if whose != Whose::Foreign {
            self.open_gate(plan.ending, whose);
        }
        let now = Now { turn: self.turn_id(), whose };
        self.say(now, "Add milk.\nPlease.");
        self.perhaps_torn(plan.torn);
        let mut calls = 0;
        for step in &plan.steps {
            self.play_step(now, step, &mut calls);
            if self.is_unconfirmed() {
                break;
            }
        }
        self.end(now, plan);
        if whose == Whose::Foreign && plan.source_acknowledged {
            self.acknowledge_as_source();
        }
        if plan.renamed {
            self.add(SessionRenamed { title: "Another title".into(), ext: None });
        }
    }

    fn say(&mut self, now: Now, text: &str) {
        let mut message = bodies::message(now.turn, text);
        message.imported = now.whose == Whose::Foreign;
        message.ext =
            (now.whose == Whose::Copied).then(|| bodies::copy_mark(Timestamp::from_millis(7))).flatten();
        self.add(message);
    }

    fn perhaps_torn(&mut self, torn: bool) {
        if torn {
            self.add(bodies::tail_moved());
        }
    }

    fn is_unconfirmed(&self) -> bool {
        self.session.open_turn().is_some_and(crate::session::Turn::is_unconfirmed)
    }

    fn play_step(&mut self, now: Now, step: &Step, calls: &mut usize) {
        let ids = self.respond(now, step, calls);
        for (call, id) in step.calls.iter().zip(ids) {
            if self.is_unconfirmed() {
                self.add(ToolResult::without_dispatch(now.turn, id, Outcome::NotExecuted));
            } else {
                self.play_call(now, call, &id);
            }
        }
        self.perhaps_torn(step.torn);
        if self.is_unconfirmed() {
            return;
        }
        if step.joined {
            self.say(now, "And butter.");
        }
        if step.extended && now.whose != Whose::Foreign {
            self.add(bodies::extended(now.turn));
        }
    }

    fn respond(&mut self, now: Now, step: &Step, calls: &mut usize) -> Vec<CallId> {
        let mut items = Vec::new();
        if step.reasons {
            items.push(r#"{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"b"}"#.to_owned());
        }
        if step.talks {
            items.push(bodies::text_item("I'll do it."));
        }
        let mut ids = Vec::new();
        for _ in &step.calls {
            *calls += 1;
            let id = match step.ids {
                Ids::Counted => format!("call_{calls}"),
                Ids::Lookalike => format!("c{}_{}", self.session.next_seq() + 4 + *calls as u64, ids.len()),
                Ids::Odd => format!("é\"\\{calls}"),
            };
            items.push(bodies::call_item(&id, "as asked"));
            ids.push(bodies::call_id(&id));
        }
        self.add_response(now, &items);
        ids
    }

    fn add_response(&mut self, now: Now, items: &[String]) {
        let mut response = bodies::response(now.turn, items);
        if now.whose == Whose::Foreign {
            response.server = None;
            response.model = None;
            response.duration_ms = None;
            response.instructions_sha256 = None;
        }
        self.add(response);
    }

    fn play_call(&mut self, now: Now, call: &Call, id: &CallId) {
        match call {
            Call::Run { what, ended, receipt } => {
                let evidence = if *receipt { Evidence::Receipt } else { Evidence::Live };
                let told_start = now.whose != Whose::Foreign || *receipt;
                let dispatch = if told_start { self.order(now, what, id) } else { self.dispatch_id() };
                self.finish(now, id, dispatch, (*ended, evidence), what.output);
            }
            Call::Denied { what, feedback } => {
                if now.whose != Whose::Foreign {
                    let mut denial = bodies::approval(now.turn, id, what.operation());
                    denial.decision = Decision::Denied;
                    denial.feedback = feedback.then(|| "Not in this directory.".to_owned());
                    self.add(denial);
                }
                self.refuse(now, id, Outcome::Denied);
            }
            Call::InvalidArguments => self.refuse(now, id, Outcome::InvalidArguments),
            Call::UnknownTool => self.refuse(now, id, Outcome::UnknownTool),
            Call::NotRun { approved } => {
                if let Some(what) = approved {
                    self.approve(now, what, id);
                }
                self.refuse(now, id, Outcome::NotExecuted);
            }
            Call::NotLaunched { what } => {
                let dispatch = self.order(now, what, id);
                self.finish(now, id, dispatch, (Outcome::NotExecuted, Evidence::NotLaunched), Output::Empty);
            }
            Call::Unknown { what, started } => {
                let dispatch = if *started { self.order(now, what, id) } else { self.dispatch_id() };
                self.finish(now, id, dispatch, (Outcome::Unknown, Evidence::None), what.output);
            }
        }
    }

    fn refuse(&mut self, now: Now, id: &CallId, outcome: Outcome) {
        let mut result = ToolResult::without_dispatch(now.turn, id.clone(), outcome);
        result.evidence = (now.whose == Whose::Foreign).then_some(Evidence::Imported);
        self.add(result);
    }

    fn approve(&mut self, now: Now, what: &What, id: &CallId) {
        if now.whose == Whose::Foreign {
            return;
        }
        let mut approval = bodies::approval(now.turn, id, what.operation());
        approval.edited = what.edited;
        match self.session.standing_rule(approval.fingerprint, 0) {
            Some(seq) => (approval.by, approval.rule) = (By::Rule, Some(seq)),
            None => approval.standing = what.standing,
        }
        self.add(approval);
    }

    fn order(&mut self, now: Now, what: &What, id: &CallId) -> DispatchId {
        self.approve(now, what, id);
        let dispatch = self.dispatch_id();
        let operation = match now.whose {
            Whose::Foreign => Operation::imported("bash", Some(COMMANDS[what.command]), None, None).unwrap(),
            Whose::Copied | Whose::Own => what.operation(),
        };
        let mut start = bodies::started(now.turn, id, dispatch, operation);
        let repeated = self.session.repeated_by(&start.operation);
        // A copied start was written when the origin's effects were not there yet.
        let listed = |dispatch: &DispatchId| self.session.knows_dispatch(*dispatch);
        start.repeats = match now.whose {
            Whose::Foreign => None,
            Whose::Copied => repeated.filter(listed),
            Whose::Own => repeated,
        };
        self.add(start);
        dispatch
    }

    fn finish(
        &mut self,
        now: Now,
        id: &CallId,
        dispatch: DispatchId,
        ended: (Outcome, Evidence),
        output: Output,
    ) {
        let evidence = if now.whose == Whose::Foreign { Evidence::Imported } else { ended.1 };
        let mut result = bodies::result(now.turn, id, dispatch, ended.0, evidence);
        output.put_into(&mut result);
        self.add(result);
    }

    fn end(&mut self, now: Now, plan: &Turn) {
        let status = if self.is_unconfirmed() {
            [TurnStatus::UnconfirmedEffects, TurnStatus::Interrupted][plan.ending % 2]
        } else if plan.answered {
            self.add_response(now, &[bodies::text_item("Done.")]);
            let saved_but_open = now.whose == Whose::Foreign && plan.ending == 0;
            if saved_but_open { TurnStatus::Interrupted } else { TurnStatus::Completed }
        } else {
            [TurnStatus::Failed, TurnStatus::Cancelled, TurnStatus::Interrupted][plan.ending % 3]
        };
        self.add(bodies::ended(now.turn, status));
    }

    /// States something about every effect that bars the next message.
    fn open_gate(&mut self, choice: usize, whose: Whose) {
        let gating = self.session.gating();
        let barring = gating.iter().filter(|effect| whose == Whose::Own || effect.call.is_some());
        let statement = StatementKind::ALL[choice % StatementKind::ALL.len()];
        let note = choice.is_multiple_of(2).then(|| "I looked at the \"log\".".to_owned());
        let statements: Vec<_> = barring
            .map(|effect| Statement { dispatch: effect.dispatch, statement, note: note.clone() })
            .collect();
        if !statements.is_empty() {
            self.add(bodies::acknowledged(statements));
        }
    }

    fn acknowledge_as_source(&mut self) {
        let gating = self.session.gating();
        let own = gating.iter().filter(|effect| effect.call.is_some());
        let statements: Vec<_> =
            own.map(|effect| bodies::says(effect.dispatch, StatementKind::MayHaveRun)).collect();
        if !statements.is_empty() {
            let mut acknowledged = bodies::acknowledged(statements);
            acknowledged.by = By::Imported;
            self.add(acknowledged);
        }
    }
}

impl What {
    fn operation(&self) -> Operation {
        let timeout_ms = if self.edited { 30_000 } else { 300_000 };
        bodies::timed_operation(COMMANDS[self.command], timeout_ms)
    }
}

impl Output {
    fn put_into(self, result: &mut ToolResult) {
        let bytes = match self {
            Self::Empty => Vec::new(),
            Self::Short | Self::Held => b"first line\n<second>\n".to_vec(),
            Self::Binary => b"a\xff\xf0\x9f\x98b\0".to_vec(),
            Self::Long => "é".repeat(40_000).into_bytes(),
        };
        let kept = excerpt(&bytes, &bytes, bytes.len() as u64);
        result.output = Some(kept.text);
        result.truncated = kept.truncated;
        result.output_bytes = Some(bytes.len() as u64);
        result.output_sha256 = Some(Digest::of(&bytes));
        if let Self::Held = self {
            result.pipe_held = true;
            result.survivors = Some(vec![Survivor { pid: 4190, command: "sleep 600".into() }]);
        }
    }
}
