//! Which results fit a call, and which fields fit an outcome.

use crate::record::{Decision, Evidence, Outcome, Survivor, Timestamp, ToolResult, limits};
use crate::session::OrderError;
use crate::session::generate::scenes::Scene;
use crate::session::generate::{bodies, dispatch_id};

/// A denied first call.
fn denied() -> Scene {
    let mut scene = Scene::asked();
    let mut denial = bodies::approval(scene.turn, &scene.first, bodies::operation("ls"));
    denial.decision = Decision::Denied;
    scene.story.add(denial);
    scene
}

fn without(scene: &Scene, outcome: Outcome) -> ToolResult {
    ToolResult::without_dispatch(scene.turn, scene.first.clone(), outcome)
}

#[test]
fn a_result_is_for_the_first_open_call() {
    let scene = Scene::asked();
    let second = ToolResult::without_dispatch(scene.turn, scene.second.clone(), Outcome::NotExecuted);
    assert_eq!(scene.story.refuses(second), OrderError::NotTheOpenCall);
    let resolved = Scene::resolved();
    assert_eq!(resolved.story.refuses(without(&resolved, Outcome::NotExecuted)), OrderError::NotTheOpenCall);
}

#[test]
fn each_stage_of_a_call_has_its_outcomes() {
    use Outcome::{Denied, InvalidArguments, NotExecuted, UnknownTool};
    let allowed = |scene: &Scene| -> Vec<Outcome> {
        let fits = |outcome: &&Outcome| scene.story.session.check(&without(scene, **outcome).into()).is_ok();
        Outcome::ALL.iter().filter(fits).copied().collect()
    };
    assert_eq!(allowed(&Scene::asked()), [InvalidArguments, UnknownTool, NotExecuted]);
    assert_eq!(allowed(&Scene::approved()), [NotExecuted]);
    assert_eq!(allowed(&denied()), [Denied]);
    assert_eq!(allowed(&Scene::started().0), []);
}

#[test]
fn what_was_started_ends_with_its_execution() {
    let (scene, dispatch) = Scene::started();
    let fits = |dispatch, outcome, evidence| {
        let result = bodies::result(scene.turn, &scene.first, dispatch, outcome, evidence);
        scene.story.session.check(&result.into())
    };
    for outcome in Outcome::ALL {
        for evidence in Evidence::ALL {
            let fit = fits(dispatch, *outcome, *evidence).is_ok();
            let expected = match (outcome, evidence) {
                (Outcome::Unknown, Evidence::None) | (Outcome::NotExecuted, Evidence::NotLaunched) => true,
                (outcome, Evidence::Live | Evidence::Receipt) => {
                    outcome.is_observed_end() || *outcome == Outcome::NotExecuted
                }
                (_, Evidence::NotLaunched | Evidence::Imported | Evidence::None) => false,
            };
            assert_eq!(fit, expected, "{outcome} by {evidence}");
        }
    }
    let other = fits(dispatch_id(1), Outcome::Completed, Evidence::Live);
    assert_eq!(other, Err(OrderError::Dispatch));
}

#[test]
fn only_an_unknown_outcome_has_an_execution_without_a_start() {
    let mut scene = Scene::approved();
    let of = |outcome, evidence| bodies::result(scene.turn, &scene.first, dispatch_id(1), outcome, evidence);
    let completed = of(Outcome::Completed, Evidence::Live);
    assert_eq!(scene.story.refuses(completed), OrderError::Outcome(Outcome::Completed));
    let skipped = of(Outcome::NotExecuted, Evidence::NotLaunched);
    assert_eq!(scene.story.refuses(skipped), OrderError::Dispatch);
    let mut unnamed = without(&scene, Outcome::Unknown);
    unnamed.evidence = Some(Evidence::None);
    assert_eq!(scene.story.refuses(unnamed), OrderError::Dispatch);
    let unknown = of(Outcome::Unknown, Evidence::None);
    scene.story.add(unknown);
    assert!(scene.story.session.knows_dispatch(dispatch_id(1)));
}

#[test]
fn a_lost_execution_does_not_borrow_an_id() {
    let (mut scene, used) = Scene::gated();
    scene.state(used, crate::record::StatementKind::Partly);
    let turn = scene.story.turn_id();
    scene.story.add(bodies::message(turn, "Hi"));
    scene.story.add(bodies::response(turn, &[bodies::call_item("c1", "ls")]));
    let result = bodies::result(turn, &scene.first, used, Outcome::Unknown, Evidence::None);
    assert_eq!(scene.story.refuses(result), OrderError::DispatchUsed);
}

#[test]
fn evidence_stands_only_with_an_execution() {
    let scene = Scene::asked();
    for outcome in [Outcome::InvalidArguments, Outcome::UnknownTool, Outcome::NotExecuted] {
        let mut result = without(&scene, outcome);
        result.evidence = Some(Evidence::Live);
        assert_eq!(scene.story.refuses(result), OrderError::Evidence(outcome));
    }
}

#[test]
fn an_imported_outcome_rests_on_the_import() {
    let scene = Scene::imported().with_calls();
    let of = |outcome, evidence: Option<Evidence>| {
        let mut result = without(&scene, outcome);
        result.evidence = evidence;
        scene.story.session.check(&result.into())
    };
    for outcome in Outcome::ALL.iter().filter(|outcome| **outcome != Outcome::Unknown) {
        assert_eq!(of(*outcome, Some(Evidence::Imported)), Ok(()), "{outcome}");
        assert_eq!(of(*outcome, None), Err(OrderError::Evidence(*outcome)));
    }
    assert_eq!(of(Outcome::Unknown, Some(Evidence::Imported)), Err(OrderError::Dispatch));
    let mut failed =
        bodies::result(scene.turn, &scene.first, dispatch_id(1), Outcome::Failed, Evidence::Imported);
    failed.exit_code = Some(0);
    assert_eq!(scene.story.session.check(&failed.into()), Ok(()), "what the source had");
}

#[test]
fn exit_code_and_signal_fit_the_outcome() {
    let (scene, dispatch) = Scene::started();
    let fits = |outcome, exit_code, signal| {
        let evidence = if outcome == Outcome::Unknown { Evidence::None } else { Evidence::Live };
        let mut result = bodies::result(scene.turn, &scene.first, dispatch, outcome, evidence);
        (result.exit_code, result.signal) = (exit_code, signal);
        scene.story.session.check(&result.into()).is_ok()
    };
    let table = [
        (Outcome::Completed, [true, false, false, false, false]),
        (Outcome::Failed, [false, true, true, false, false]),
        (Outcome::TimedOut, [true, true, true, true, false]),
        (Outcome::Cancelled, [true, true, true, true, false]),
        (Outcome::OutputLimit, [true, true, true, true, false]),
        (Outcome::Unknown, [false, false, false, true, false]),
        (Outcome::NotExecuted, [false, false, false, true, false]),
    ];
    for (outcome, expected) in table {
        let exits = [(Some(0), None), (Some(1), None), (None, Some(9)), (None, None), (Some(1), Some(9))];
        let found = exits.map(|(exit_code, signal)| fits(outcome, exit_code, signal));
        assert_eq!(found, expected, "{outcome}");
    }
}

#[test]
fn an_output_stands_exactly_with_an_execution() {
    let (scene, dispatch) = Scene::started();
    let refused = |change: &dyn Fn(&mut ToolResult)| {
        let mut result =
            bodies::result(scene.turn, &scene.first, dispatch, Outcome::Completed, Evidence::Live);
        change(&mut result);
        scene.story.refuses(result)
    };
    assert_eq!(refused(&|result| result.output = None), OrderError::Output);
    assert_eq!(refused(&|result| result.output_bytes = None), OrderError::Output);
    assert_eq!(refused(&|result| result.output_sha256 = None), OrderError::Output);
    let long = limits::OUTPUT_BYTES as u64 + 1;
    assert_eq!(refused(&|result| result.output_bytes = Some(long)), OrderError::OutputNotCut);
    let huge = "x".repeat(4 * limits::OUTPUT_BYTES);
    assert_eq!(refused(&|result| result.output = Some(huge.clone())), OrderError::OutputNotCut);
    let crowd = vec![Survivor { pid: 1, command: "sleep".into() }; limits::SURVIVORS + 1];
    let found = crowd.len();
    assert_eq!(refused(&|result| result.survivors = Some(crowd.clone())), OrderError::Survivors { found });
    let asked = Scene::asked();
    let mut skipped = without(&asked, Outcome::NotExecuted);
    skipped.pipe_held = true;
    assert_eq!(asked.story.refuses(skipped), OrderError::Output);
    let mut skipped = without(&asked, Outcome::NotExecuted);
    skipped.output = Some(String::new());
    assert_eq!(asked.story.refuses(skipped), OrderError::Output);
}

#[test]
fn times_are_of_what_was_observed() {
    let (scene, dispatch) = Scene::started();
    let mut unknown = bodies::result(scene.turn, &scene.first, dispatch, Outcome::Unknown, Evidence::None);
    unknown.ended_at = Some(Timestamp::from_millis(1));
    assert_eq!(scene.story.refuses(unknown), OrderError::Times);
    let asked = Scene::asked();
    let mut skipped = without(&asked, Outcome::NotExecuted);
    skipped.started_at = Some(Timestamp::from_millis(1));
    assert_eq!(asked.story.refuses(skipped), OrderError::Times);
}
