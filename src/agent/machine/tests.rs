//! The machine under every order of inputs, against a journal that is only a fold.

use super::*;
use crate::agent::protocol::{ApprovalRequest, Verdict};
use crate::config::BashSettings;
use crate::model::{Answer, ErrorClass, ModelError};
use crate::record::{
    By, Committed, Digest, Ended, FolderFacts, Item, KeyId, Operation, Order, Origin, Outcome, OutputExcerpt,
    Receipt, SessionId, SessionStarted, SpoolFacts, Statement, StatementKind, Timestamp, TurnId,
};
use crate::session::{ContextOptions, context};
use proptest::prelude::*;
use serde_json::value::RawValue;
use std::collections::BTreeSet;

/// A session in memory and the machine beside it.
struct World {
    session: Session,
    machine: Machine,
    ids: u128,
    /// What was carried out, in words, newest last.
    done: Vec<String>,
    started: BTreeSet<DispatchId>,
    laid: Option<ToolStarted>,
    shown: Option<ApprovalRequest>,
    asking: bool,
    space_left: u64,
}

fn limits(requests: u64, calls: u64) -> LimitSettings {
    LimitSettings { model_requests: requests, tool_calls: calls }
}

impl World {
    fn new(limits: LimitSettings) -> Self {
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

    fn apply(&mut self, record: Record) {
        let (seq, at) = (self.session.next_seq(), Timestamp::from_millis(1_000));
        self.done.push(record.kind().to_owned());
        self.session.apply(Committed { seq, at, record }).unwrap_or_else(|e| panic!("{e}: {:?}", self.done));
    }

    fn view<T>(&mut self, act: impl FnOnce(&mut Machine, &mut View<'_>) -> T) -> T {
        let ids = &mut self.ids;
        let mut fresh = || next_id(ids);
        act(
            &mut self.machine,
            &mut View { session: &self.session, space_left: self.space_left, fresh: &mut fresh },
        )
    }

    /// Gives an input and carries everything out but the outer world's answers.
    fn give(&mut self, input: Input) -> &mut Self {
        let effects = self.view(|machine, view| machine.step(view, input));
        self.carry_out(effects);
        self
    }

    fn carry_out(&mut self, effects: Vec<Effect>) {
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

    fn say(&mut self, text: &str) -> &mut Self {
        self.give(Input::Message(text.into()))
    }

    fn answer(&mut self, items: &[&str]) -> &mut Self {
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

    fn decide(&mut self, verdict: Verdict) -> &mut Self {
        let Some(shown) = self.shown.take() else { return self };
        self.give(Input::Decide { call: shown.call, fingerprint: shown.fingerprint, verdict })
    }

    fn lay(&mut self) -> &mut Self {
        match self.laid.take() {
            Some(start) => self.give(Input::Laid(start.dispatch)),
            None => self,
        }
    }

    /// The running command's supervisor is gone, with or without a receipt.
    fn end(&mut self, ended: Option<(Ended, Option<u8>)>) -> &mut Self {
        let Some(dispatch) = self.machine.running() else { return self };
        let (turn, call) = self.session.find_dispatch(dispatch).unwrap();
        let start = call.start.as_ref().unwrap();
        let facts = facts(self.session.id(), turn.id, start, ended);
        self.give(Input::Ended(Box::new(facts)))
    }

    fn run(&mut self, exit_code: u8) -> &mut Self {
        self.decide(Verdict::Run).lay().end(Some((Ended::Exit, Some(exit_code))))
    }

    /// What was carried out since the last call of this.
    fn log(&mut self) -> Vec<String> {
        std::mem::take(&mut self.done)
    }

    fn statuses(&self) -> Vec<TurnStatus> {
        self.session.turns().iter().filter_map(|turn| turn.end.as_ref()).map(|end| end.status).collect()
    }

    fn outcomes(&self) -> Vec<Outcome> {
        let calls = self.session.turns().iter().flat_map(Turn::calls);
        calls.filter_map(|call| call.result.as_ref()).map(|result| result.outcome).collect()
    }
}

fn next_id(ids: &mut u128) -> uuid::Uuid {
    *ids += 1;
    uuid::Builder::from_random_bytes(ids.to_be_bytes()).with_version(uuid::Version::SortRand).into_uuid()
}

fn facts(
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

const TEXT: &str =
    r#"{"type":"message","role":"assistant","content":[{"type":"output_text","text":"done"}]}"#;

fn call(id: &str, command: &str) -> String {
    let arguments = serde_json::to_string(&format!(r#"{{"command":"{command}"}}"#)).unwrap();
    format!(r#"{{"type":"function_call","call_id":"{id}","name":"bash","arguments":{arguments}}}"#)
}

#[test]
fn a_turn_with_one_call_goes_step_by_step() {
    let mut world = World::new(limits(50, 100));
    world.say("go").answer(&[&call("a", "true")]).run(0).answer(&[TEXT]);
    assert_eq!(
        world.log()[1..],
        [
            "user_message",
            "AskModel",
            "model_response",
            "AskApproval",
            "approval",
            "Lay",
            "tool_started",
            "Start",
            "tool_result",
            "AskModel",
            "model_response",
            "turn_ended",
            "Rest"
        ]
    );
    assert_eq!(world.statuses(), [TurnStatus::Completed]);
}

#[test]
fn a_denial_lets_the_model_go_on_and_esc_does_not() {
    let mut world = World::new(limits(50, 100));
    world.say("go").answer(&[&call("a", "true"), &call("b", "false")]);
    world.decide(Verdict::Deny { feedback: Some("not now".into()) }).run(1).answer(&[TEXT]);
    assert_eq!(world.outcomes(), [Outcome::Denied, Outcome::Failed]);
    world.say("again").answer(&[&call("a", "true"), &call("b", "false")]).give(Input::StopAnswer);
    assert_eq!(world.outcomes()[2..], [Outcome::Denied, Outcome::NotExecuted]);
    assert_eq!(world.statuses(), [TurnStatus::Completed, TurnStatus::Cancelled]);
}

#[test]
fn the_rest_is_denied_with_the_same_words() {
    let mut world = World::new(limits(50, 100));
    world.say("go").answer(&[&call("a", "1"), &call("b", "2"), &call("c", "3")]);
    world.run(0).decide(Verdict::DenyRest { feedback: Some("stop".into()) }).answer(&[TEXT]);
    assert_eq!(world.outcomes(), [Outcome::Completed, Outcome::Denied, Outcome::Denied]);
    let calls: Vec<_> = world.session.turns()[0].calls().collect();
    assert_eq!(calls[2].approval.as_ref().unwrap().feedback.as_deref(), Some("stop"));
    world.say("more").answer(&[&call("a", "1")]);
    assert!(world.shown.is_some(), "the next turn asks again");
}

#[test]
fn a_rule_repeats_the_very_same_operation_only() {
    let mut world = World::new(limits(50, 100));
    world
        .say("go")
        .answer(&[&call("a", "true")])
        .decide(Verdict::RunAlways)
        .lay()
        .end(Some((Ended::Exit, Some(0))));
    world.answer(&[&call("b", "true")]);
    assert!(world.shown.is_none());
    world.lay().end(Some((Ended::Exit, Some(0)))).answer(&[&call("c", "true ")]);
    assert!(world.shown.is_some(), "one space more is another operation");
    world.run(0).give(Input::RevokeRules).answer(&[&call("d", "true")]);
    assert!(world.shown.is_some(), "revoked");
    let by: Vec<By> = world.session.turns()[0]
        .calls()
        .map(|call| call.approval.as_ref().map_or(By::User, |it| it.by))
        .collect();
    assert_eq!(by, [By::User, By::Rule, By::User, By::User]);
}

#[test]
fn a_lost_end_is_unknown_and_nothing_more_is_asked() {
    let mut world = World::new(limits(50, 100));
    world.say("go").answer(&[&call("a", "1"), &call("b", "2")]).decide(Verdict::Run).lay().end(None);
    assert_eq!(world.outcomes(), [Outcome::Unknown, Outcome::NotExecuted]);
    assert_eq!(world.statuses(), [TurnStatus::UnconfirmedEffects]);
    assert!(!world.asking);
    world.say("next");
    assert!(world.log().contains(&"Refuse Gated".into()));
    let dispatch = world.session.gating()[0].dispatch;
    world.give(Input::Acknowledge(Vec::new()));
    assert!(world.session.is_gated());
    let statement = Statement { dispatch, statement: StatementKind::MayHaveRun, note: None };
    world.give(Input::Acknowledge(vec![statement])).say("next").answer(&[&call("a", "1")]);
    let shown = world.shown.as_ref().unwrap();
    assert!(shown.repeats.is_some() && !shown.standing_offered);
    world.decide(Verdict::RunAlways).lay();
    let start = world.session.turns()[1].calls().next().unwrap().start.as_ref().unwrap().clone();
    assert_eq!(start.repeats, Some(dispatch));
    assert!(!world.session.turns()[1].calls().next().unwrap().approval.as_ref().unwrap().standing);
}

#[test]
fn a_stopped_command_ends_the_turn() {
    let mut world = World::new(limits(50, 100));
    world.say("go").answer(&[&call("a", "1"), &call("b", "2")]).decide(Verdict::Run).lay();
    world.give(Input::StopAnswer);
    assert_eq!(world.done.last().unwrap(), "Refuse NotNow", "Esc never touches a running command");
    world.give(Input::StopCommand).end(Some((Ended::Stopped, None)));
    assert_eq!(world.outcomes(), [Outcome::Cancelled, Outcome::NotExecuted]);
    assert_eq!(world.statuses(), [TurnStatus::Cancelled]);
}

#[test]
fn limits_ask_before_a_batch_that_could_not_be_answered() {
    let mut world = World::new(limits(1, 100));
    world.say("go").answer(&[&call("a", "1"), &call("b", "2")]);
    assert_eq!(world.done.last().unwrap(), "AskExtension");
    world.give(Input::Extend(true));
    assert!(world.shown.is_some());
    world.run(0).run(0);
    assert!(world.asking);
    world.answer(&[&call("c", "3")]).give(Input::Extend(false));
    assert_eq!(world.outcomes(), [Outcome::Completed, Outcome::Completed, Outcome::NotExecuted]);
    assert_eq!(world.statuses(), [TurnStatus::Failed]);

    let mut world = World::new(limits(50, 1));
    world.say("go").answer(&[&call("a", "1"), &call("b", "2")]);
    assert_eq!(world.done.last().unwrap(), "AskExtension");
}

#[test]
fn eight_requests_and_sixteen_calls_are_limits_too() {
    let mut world = World::new(limits(8, 16));
    world.say("go");
    for round in 0..7 {
        world.answer(&[&call(&format!("a{round}"), "1"), &call(&format!("b{round}"), "2")]).run(0).run(0);
    }
    assert!(world.asking, "the eighth request");
    world.answer(&[&call("last", "1")]);
    assert_eq!(world.done.last().unwrap(), "AskExtension");
}

#[test]
fn bad_calls_are_answered_without_a_person() {
    let mut world = World::new(limits(50, 100));
    let other = r#"{"type":"function_call","call_id":"x","name":"python","arguments":"{}"}"#;
    let bad = r#"{"type":"function_call","call_id":"y","name":"bash","arguments":"{\"cmd\":1}"}"#;
    world.say("go").answer(&[other, bad]);
    assert_eq!(world.outcomes(), [Outcome::UnknownTool, Outcome::InvalidArguments]);
    assert!(world.asking && world.shown.is_none());
}

#[test]
fn an_id_that_comes_twice_in_a_turn_invalidates_the_response() {
    let mut world = World::new(limits(50, 100));
    world.say("go").answer(&[&call("a", "1")]).run(0).answer(&[&call("a", "2")]);
    assert_eq!(world.statuses(), [TurnStatus::Failed]);
    assert_eq!(world.outcomes(), [Outcome::Completed]);
}

#[test]
fn a_message_joins_before_the_next_request_or_comes_back() {
    let mut world = World::new(limits(50, 100));
    world.say("go").answer(&[&call("a", "1")]).give(Input::Join("and hurry".into())).run(0);
    let messages: Vec<_> = world.session.turns()[0].messages().map(|message| message.text.clone()).collect();
    assert_eq!(messages, ["go", "and hurry"]);
    world.give(Input::Join("too late".into())).answer(&[TEXT]);
    assert!(world.log().contains(&"PutBack too late".into()));
}

#[test]
fn a_failed_request_gives_the_message_back() {
    let mut world = World::new(limits(50, 100));
    world.say("go");
    let error =
        ModelError { class: ErrorClass::Transport, sentence: "The answer broke off after 3 words.".into() };
    world.give(Input::ModelFailed(error));
    assert_eq!(world.statuses(), [TurnStatus::Failed]);
    assert!(world.log().contains(&"PutBack go".into()));
}

#[test]
fn without_space_nobody_is_asked() {
    let mut world = World::new(limits(50, 100));
    world.say("go");
    world.space_left = crate::record::limits::RESERVE_BYTES;
    world.answer(&[&call("a", "1")]);
    assert!(world.shown.is_none());
    assert_eq!((world.outcomes(), world.statuses()), (vec![Outcome::NotExecuted], vec![TurnStatus::Failed]));
}

#[test]
fn an_edited_operation_is_the_one_that_runs() {
    let mut world = World::new(limits(50, 100));
    world.say("go").answer(&[&call("a", "rm -rf build")]);
    let old = world.shown.clone().unwrap();
    let edit =
        Input::Edit { call: old.call.clone(), command: "rm -rf build/cache".into(), timeout_ms: 5_000 };
    world.give(edit);
    world.give(Input::Decide { call: old.call, fingerprint: old.fingerprint, verdict: Verdict::Run });
    assert_eq!(world.done.last().unwrap(), "Refuse NotNow", "what was shown before is not what is shown now");
    world.decide(Verdict::Run).lay();
    let start = world.session.turns()[0].calls().next().unwrap().start.as_ref().unwrap();
    assert_eq!(
        (start.operation.command(), start.operation.timeout_ms()),
        (Some("rm -rf build/cache"), Some(5_000))
    );
    assert!(world.session.turns()[0].calls().next().unwrap().approval.as_ref().unwrap().edited);
}

#[derive(Debug, Clone)]
enum Move {
    Say,
    Join,
    StopAnswer,
    StopCommand,
    Text,
    Calls(u8),
    SameId,
    Fail,
    Verdict(u8),
    StaleDecision,
    Lay,
    LayFails,
    End(u8),
    Lost,
    Extend(bool),
    Acknowledge,
    Revoke,
    NoSpace(bool),
}

fn moves() -> impl Strategy<Value = Vec<Move>> {
    let one = prop_oneof![
        4 => Just(Move::Say),
        1 => Just(Move::Join),
        1 => Just(Move::StopAnswer),
        1 => Just(Move::StopCommand),
        2 => Just(Move::Text),
        6 => (1u8..4).prop_map(Move::Calls),
        1 => Just(Move::SameId),
        1 => Just(Move::Fail),
        6 => (0u8..6).prop_map(Move::Verdict),
        1 => Just(Move::StaleDecision),
        6 => Just(Move::Lay),
        1 => Just(Move::LayFails),
        6 => (0u8..5).prop_map(Move::End),
        1 => Just(Move::Lost),
        1 => any::<bool>().prop_map(Move::Extend),
        2 => Just(Move::Acknowledge),
        1 => Just(Move::Revoke),
        1 => any::<bool>().prop_map(Move::NoSpace),
    ];
    proptest::collection::vec(one, 1..80)
}

fn play(world: &mut World, moves: &[Move]) {
    for (count, one) in moves.iter().enumerate() {
        let id = |index: u8| format!("c{count}_{index}");
        match one {
            Move::Say => world.say("go"),
            Move::Join => world.give(Input::Join("and".into())),
            Move::StopAnswer => world.give(Input::StopAnswer),
            Move::StopCommand => world.give(Input::StopCommand),
            Move::Text => world.answer(&[TEXT]),
            Move::Calls(many) => {
                let calls: Vec<String> =
                    (0..*many).map(|index| call(&id(index), &format!("{index}"))).collect();
                world.answer(&calls.iter().map(String::as_str).collect::<Vec<_>>())
            }
            Move::SameId => world.answer(&[&call("same", "1"), &call("same", "1")]),
            Move::Fail => {
                world.asking = false;
                world.give(Input::ModelFailed(ModelError {
                    class: ErrorClass::Server,
                    sentence: "No.".into(),
                }))
            }
            Move::Verdict(0 | 1) => world.decide(Verdict::Run),
            Move::Verdict(2) => world.decide(Verdict::RunAlways),
            Move::Verdict(3) => world.decide(Verdict::DenyRest { feedback: None }),
            Move::Verdict(_) => world.decide(Verdict::Deny { feedback: Some("no".into()) }),
            Move::StaleDecision => {
                let operation = Operation::imported("bash", Some("0"), None, None).unwrap();
                let call = CallId::new("c0_0").unwrap();
                world.give(Input::Decide {
                    call,
                    fingerprint: operation.fingerprint(),
                    verdict: Verdict::Run,
                })
            }
            Move::Lay => world.lay(),
            Move::LayFails => {
                world.laid = None;
                world.give(Input::LayFailed("no room".into()))
            }
            Move::End(0) => world.end(Some((Ended::Exit, Some(0)))),
            Move::End(1) => world.end(Some((Ended::Exit, Some(3)))),
            Move::End(2) => world.end(Some((Ended::TimeLimit, None))),
            Move::End(3) => world.end(Some((Ended::Stopped, None))),
            Move::End(_) => world.end(Some((Ended::NotStarted, None))),
            Move::Lost => world.end(None),
            Move::Extend(allowed) => world.give(Input::Extend(*allowed)),
            Move::Acknowledge => {
                let gating = world.session.gating();
                let statements = gating.iter().map(|effect| Statement {
                    dispatch: effect.dispatch,
                    statement: StatementKind::MayHaveRun,
                    note: None,
                });
                let statements = statements.collect();
                world.give(Input::Acknowledge(statements))
            }
            Move::Revoke => world.give(Input::RevokeRules),
            Move::NoSpace(full) => {
                world.space_left = if *full { 1_000 } else { u64::MAX };
                &mut *world
            }
        };
    }
}

proptest! {
    /// The invariants are asserted in `World::carry_out`: no start without its
    /// durable record, none twice, no request without durable results.
    #[test]
    fn no_order_of_inputs_breaks_the_gates(moves in moves()) {
        let mut world = World::new(limits(4, 6));
        play(&mut world, &moves);
        let starts = world.session.turns().iter().flat_map(Turn::calls).filter(|call| call.start.is_some()).count();
        prop_assert_eq!(starts, world.started.len());
    }
}

#[test]
fn the_generated_orders_reach_everything() {
    use proptest::strategy::ValueTree as _;
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let mut reached = BTreeSet::new();
    for _ in 0..400 {
        let moves = moves().new_tree(&mut runner).unwrap().current();
        let mut world = World::new(limits(4, 6));
        play(&mut world, &moves);
        reached.extend(world.outcomes().iter().map(|outcome| outcome.word().to_owned()));
        reached.extend(world.statuses().iter().map(|status| status.word().to_owned()));
        reached.extend(world.log());
    }
    for expected in [
        "completed",
        "failed",
        "timed_out",
        "cancelled",
        "unknown",
        "denied",
        "not_executed",
        "unconfirmed_effects",
        "turn_extended",
        "acknowledged",
        "AskExtension",
        "StopCommand",
        "Refuse Gated",
        "PutBack go",
    ] {
        assert!(reached.contains(expected), "never reached: {expected}");
    }
}
