//! The rules for statements, each broken once.

use crate::record::{By, Evidence, Outcome, StatementKind, TurnStatus, limits};
use crate::session::OrderError;
use crate::session::generate::scenes::Scene;
use crate::session::generate::{Story, bodies, dispatch_id};

#[test]
fn statements_are_about_unknown_executions_that_have_none() {
    let (mut scene, dispatch) = Scene::gated();
    let of = |dispatch| bodies::says(dispatch, StatementKind::Partly);
    let refused = |scene: &Scene, statements| scene.story.refuses(bodies::acknowledged(statements));
    assert_eq!(refused(&scene, Vec::new()), OrderError::NoStatement);
    assert_eq!(refused(&scene, vec![of(dispatch_id(1))]), OrderError::NotUnknown);
    assert_eq!(refused(&scene, vec![of(dispatch), of(dispatch)]), OrderError::StatementOrder);
    let mut wordy = of(dispatch);
    wordy.note = Some("x".repeat(limits::NOTE_BYTES + 1));
    assert!(matches!(refused(&scene, vec![wordy]), OrderError::TooLong { what: "note", .. }));
    for by in [By::Rule, By::Imported] {
        let mut acknowledged = bodies::acknowledged(vec![of(dispatch)]);
        acknowledged.by = by;
        assert_eq!(scene.story.refuses(acknowledged), OrderError::By);
    }
    scene.state(dispatch, StatementKind::Partly);
    assert_eq!(refused(&scene, vec![of(dispatch)]), OrderError::NotUnknown);
    let (open, dispatch) = Scene::unknown();
    assert_eq!(refused(&open, vec![of(dispatch)]), OrderError::TurnOpen);
}

#[test]
fn statements_stand_in_the_order_of_their_executions() {
    let listed = vec![bodies::reference(dispatch_id(9), "ls"), bodies::reference(dispatch_id(8), "make")];
    let mut story = Story::of(bodies::forked_origin(listed));
    let says = |number| bodies::says(dispatch_id(number), StatementKind::MayHaveRun);
    assert_eq!(story.refuses(bodies::acknowledged(vec![says(8), says(9)])), OrderError::StatementOrder);
    story.add(bodies::acknowledged(vec![says(9), says(8)]));
}

#[test]
fn another_program_acknowledged_only_its_own_and_only_that_it_may_have_run() {
    let mut scene = Scene::imported().with_calls();
    for (number, call) in [(1, scene.first.clone()), (2, scene.second.clone())] {
        let (outcome, evidence) = (Outcome::Unknown, Evidence::Imported);
        scene.story.add(bodies::result(scene.turn, &call, dispatch_id(number), outcome, evidence));
    }
    scene.end(TurnStatus::Failed);
    let mut by_source = bodies::acknowledged(vec![bodies::says(dispatch_id(1), StatementKind::Happened)]);
    by_source.by = By::Imported;
    assert_eq!(scene.story.refuses(by_source.clone()), OrderError::By);
    by_source.statements[0].statement = StatementKind::MayHaveRun;
    scene.story.add(by_source);
}
