//! The rules for approvals and starts, each broken once.

use crate::record::{
    By, Decision, DispatchId, Evidence, Operation, Outcome, StatementKind, ToolResult, TurnStatus, limits,
};
use crate::session::OrderError;
use crate::session::generate::scenes::Scene;
use crate::session::generate::{Story, bodies, dispatch_id};

#[test]
fn a_decision_is_about_the_first_open_call_and_made_once() {
    let asked = Scene::asked();
    let second = bodies::approval(asked.turn, &asked.second, bodies::operation("make"));
    assert_eq!(asked.story.refuses(second), OrderError::NotTheOpenCall);
    let approved = Scene::approved();
    let again = bodies::approval(approved.turn, &approved.first, bodies::operation("ls"));
    assert_eq!(approved.story.refuses(again), OrderError::AlreadyDecided);
}

#[test]
fn what_is_approved_is_written_in_its_one_form() {
    let scene = Scene::asked();
    let mut other = bodies::approval(scene.turn, &scene.first, bodies::operation("ls"));
    other.fingerprint = bodies::operation("make").fingerprint();
    assert_eq!(scene.story.refuses(other), OrderError::Fingerprint);
    let loose = r#"{"tool":"bash","command":"ls", "cwd":"/","timeout_ms":1,"env":[]}"#;
    let loose = Operation::from_raw(bodies::raw(loose)).unwrap();
    let loose = bodies::approval(scene.turn, &scene.first, loose);
    assert!(matches!(scene.story.refuses(loose), OrderError::Operation(_)));
    let nul = bodies::approval(scene.turn, &scene.first, bodies::operation("ls\0"));
    assert_eq!(scene.story.refuses(nul), OrderError::Nul("command"));
    let mut wordy = bodies::approval(scene.turn, &scene.first, bodies::operation("ls"));
    wordy.decision = Decision::Denied;
    wordy.feedback = Some("x".repeat(limits::FEEDBACK_BYTES + 1));
    assert!(matches!(scene.story.refuses(wordy), OrderError::TooLong { what: "feedback", .. }));
}

#[test]
fn only_a_person_or_a_persons_rule_decides() {
    let scene = Scene::asked();
    let refused = |by, decision, rule: Option<u64>, standing, feedback: Option<&str>| {
        let mut approval = bodies::approval(scene.turn, &scene.first, bodies::operation("ls"));
        (approval.by, approval.decision, approval.rule, approval.standing) = (by, decision, rule, standing);
        approval.feedback = feedback.map(str::to_owned);
        scene.story.refuses(approval)
    };
    assert_eq!(refused(By::Imported, Decision::Approved, None, false, None), OrderError::By);
    assert_eq!(refused(By::Rule, Decision::Denied, Some(2), false, None), OrderError::By);
    assert_eq!(refused(By::Rule, Decision::Approved, None, false, None), OrderError::Rule);
    assert_eq!(refused(By::Rule, Decision::Approved, Some(2), false, None), OrderError::Rule);
    assert_eq!(refused(By::User, Decision::Approved, Some(2), false, None), OrderError::Rule);
    assert_eq!(refused(By::User, Decision::Denied, None, true, None), OrderError::ApprovalForm);
    assert_eq!(refused(By::User, Decision::Approved, None, false, Some("no")), OrderError::ApprovalForm);
    assert_eq!(refused(By::Rule, Decision::Approved, Some(2), true, None), OrderError::ApprovalForm);
}

/// A session in which `ls` has a standing approval, and its `seq`.
fn with_standing_approval() -> (Scene, u64) {
    let mut scene = Scene::asked();
    let mut approval = bodies::approval(scene.turn, &scene.first, bodies::operation("ls"));
    approval.standing = true;
    let seq = scene.story.session.next_seq();
    scene.story.add(approval);
    let skipped = ToolResult::without_dispatch(scene.turn, scene.first.clone(), Outcome::NotExecuted);
    scene.story.add(skipped);
    (scene, seq)
}

#[test]
fn a_rule_rests_on_a_standing_approval_of_the_same_operation() {
    let (mut scene, seq) = with_standing_approval();
    let by_rule = |command: &str, rule| {
        let mut approval = bodies::approval(scene.turn, &scene.second, bodies::operation(command));
        (approval.by, approval.rule) = (By::Rule, Some(rule));
        approval
    };
    assert_eq!(scene.story.refuses(by_rule("make", seq)), OrderError::Rule);
    assert_eq!(scene.story.refuses(by_rule("ls", seq + 1)), OrderError::Rule);
    let allowed = by_rule("ls", seq);
    scene.story.add(allowed);
}

#[test]
fn an_unknown_outcome_ends_every_rule() {
    let (mut scene, seq) = with_standing_approval();
    scene.skip_second();
    scene.end(TurnStatus::Failed);
    let dispatch = scene.start_again("c1", "make");
    scene.finish(dispatch, Outcome::Unknown);
    scene.state(dispatch, StatementKind::DidNotHappen);
    let turn = scene.story.turn_id();
    scene.story.add(bodies::message(turn, "Again."));
    scene.story.add(bodies::response(turn, &[bodies::call_item("c1", "ls")]));
    let mut approval = bodies::approval(turn, &bodies::call_id("c1"), bodies::operation("ls"));
    (approval.by, approval.rule) = (By::Rule, Some(seq));
    assert_eq!(scene.story.refuses(approval), OrderError::Rule);
}

#[test]
fn only_what_was_approved_is_started_once() {
    let asked = Scene::asked();
    let start = bodies::started(asked.turn, &asked.first, dispatch_id(1), bodies::operation("ls"));
    assert_eq!(asked.story.refuses(start), OrderError::NotApproved);
    let approved = Scene::approved();
    let start = |operation| bodies::started(approved.turn, &approved.first, dispatch_id(1), operation);
    assert_eq!(approved.story.refuses(start(bodies::operation("make"))), OrderError::NotApproved);
    let mut forged = start(bodies::operation("make"));
    forged.fingerprint = bodies::operation("ls").fingerprint();
    assert_eq!(approved.story.refuses(forged), OrderError::Fingerprint);
    let (started, _) = Scene::started();
    let again = bodies::started(started.turn, &started.first, dispatch_id(1), bodies::operation("ls"));
    assert_eq!(started.story.refuses(again), OrderError::AlreadyStarted);
    let mut denied = Scene::asked();
    let mut denial = bodies::approval(denied.turn, &denied.first, bodies::operation("ls"));
    denial.decision = Decision::Denied;
    denied.story.add(denial);
    let start = bodies::started(denied.turn, &denied.first, dispatch_id(1), bodies::operation("ls"));
    assert_eq!(denied.story.refuses(start), OrderError::NotApproved);
}

#[test]
fn an_execution_has_an_id_of_its_own() {
    let mut scene = Scene::resolved();
    let used =
        scene.story.session.turns()[0].calls().next().unwrap().result.as_ref().unwrap().dispatch.unwrap();
    scene.end(TurnStatus::Failed);
    assert_eq!(refused_start(&mut scene, used, None), OrderError::DispatchUsed);
    let listed = vec![bodies::reference(dispatch_id(7), "make")];
    let mut story = Story::of(bodies::forked_origin(listed));
    story.add(bodies::acknowledged(vec![bodies::says(dispatch_id(7), StatementKind::Happened)]));
    let mut fork = Scene::said_in(story, false);
    fork.end(TurnStatus::Failed);
    assert_eq!(refused_start(&mut fork, dispatch_id(7), None), OrderError::DispatchUsed);
}

#[test]
fn a_start_repeats_only_an_unknown_execution_of_the_same_operation() {
    let (mut scene, unknown) = Scene::gated();
    scene.state(unknown, StatementKind::MayHaveRun);
    let completed = scene.start_again("c1", "make");
    scene.finish(completed, Outcome::Completed);
    for wrong in [completed, dispatch_id(99), unknown] {
        // The operation is `make`, and `unknown` was `ls`.
        assert_eq!(refused_start(&mut scene, dispatch_id(1), Some(wrong)), OrderError::Repeats);
    }
    let repeating = scene.start_again("c9", "ls");
    let (_, call) = scene.story.session.find_dispatch(repeating).unwrap();
    assert_eq!(call.start.as_ref().unwrap().repeats, Some(unknown));
}

/// Why `make` cannot be started so, tried in a new turn that is ended again.
fn refused_start(scene: &mut Scene, dispatch: DispatchId, repeats: Option<DispatchId>) -> OrderError {
    let turn = scene.story.turn_id();
    let call = bodies::call_id("again");
    scene.story.add(bodies::message(turn, "Again."));
    scene.story.add(bodies::response(turn, &[bodies::call_item("again", "make")]));
    scene.story.add(bodies::approval(turn, &call, bodies::operation("make")));
    let mut start = bodies::started(turn, &call, dispatch, bodies::operation("make"));
    start.repeats = repeats;
    let error = scene.story.refuses(start);
    scene.story.add(ToolResult::without_dispatch(turn, call, Outcome::NotExecuted));
    scene.story.add(bodies::ended(turn, TurnStatus::Failed));
    error
}

#[test]
fn a_session_has_its_number_of_executions() {
    let mut scene = Scene::approved();
    let place = crate::session::state::Place { turn: 0, entry: 1, call: 0 };
    let used = (0..limits::DISPATCHES as u128).map(|number| (dispatch_id(1_000 + number), place));
    scene.story.session.dispatches.extend(used);
    let start = bodies::started(scene.turn, &scene.first, dispatch_id(1), bodies::operation("ls"));
    assert_eq!(scene.story.refuses(start), OrderError::TooManyDispatches);
}

#[test]
fn an_imported_start_repeats_nothing() {
    let mut scene = Scene::imported().with_calls();
    let operation = Operation::imported("bash", Some("ls"), None, None).unwrap();
    scene.story.add(bodies::started(scene.turn, &scene.first, dispatch_id(1), operation.clone()));
    let (outcome, evidence) = (Outcome::Unknown, Evidence::Imported);
    scene.story.add(bodies::result(scene.turn, &scene.first, dispatch_id(1), outcome, evidence));
    let mut again = bodies::started(scene.turn, &scene.second, dispatch_id(2), operation);
    again.repeats = Some(dispatch_id(1));
    assert_eq!(scene.story.refuses(again), OrderError::Repeats);
}
