//! The machine under every order of inputs, against a journal that is only a fold.

mod orders;
mod world;

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
use world::{TEXT, World, call, limits};

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
