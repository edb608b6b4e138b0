//! Unknown effects, chains of repetition, standing approvals.

use crate::record::{EffectReference, Outcome, StatementKind, Timestamp};
use crate::session::generate::scenes::Scene;
use crate::session::generate::{Story, bodies, dispatch_id};
use crate::session::{Session, copied_at, origin_warnings};

fn repeated(session: &Session, command: &str) -> Option<crate::record::DispatchId> {
    session.repeated_by(&bodies::operation(command))
}

#[test]
fn effects_stand_in_the_order_of_the_journal() {
    let listed = dispatch_id(7);
    let mut story = Story::of(bodies::forked_origin(vec![bodies::reference(listed, "make")]));
    story.add(bodies::acknowledged(vec![bodies::says(listed, StatementKind::Partly)]));
    let mut scene = Scene::said_in(story, false);
    scene.end(crate::record::TurnStatus::Failed);
    let own = scene.start_again("c1", "ls");
    assert!(!scene.story.session.is_gated(), "a command that runs is not unknown");
    scene.finish(own, Outcome::Unknown);
    let session = &scene.story.session;
    let effects = session.unknown_effects();
    assert_eq!(effects.iter().map(|effect| effect.dispatch).collect::<Vec<_>>(), [listed, own]);
    assert!(effects[0].call.is_none() && effects[0].started_at == Some(Timestamp::from_millis(5_000)));
    assert_eq!(effects[0].statement.map(|said| said.statement), Some(StatementKind::Partly));
    assert_eq!(effects[1].call.map(|(turn, _)| turn.id), Some(scene.turn));
    assert_eq!(effects[1].operation.map(|operation| operation.summary()), Some("ls"));
    let gating = session.gating();
    assert!(session.is_gated() && gating.len() == 1 && gating[0].dispatch == own);
}

#[test]
fn running_again_repeats_the_newest_unknown_execution() {
    let (mut scene, first) = Scene::gated();
    scene.state(first, StatementKind::MayHaveRun);
    assert_eq!(repeated(&scene.story.session, "ls"), Some(first));
    assert_eq!(repeated(&scene.story.session, "make"), None);
    let longer = bodies::timed_operation("ls", 1);
    assert_eq!(scene.story.session.repeated_by(&longer), Some(first), "another limit is the same operation");
    let second = scene.start_again("c1", "ls");
    scene.finish(second, Outcome::Unknown);
    scene.state(second, StatementKind::Partly);
    assert_eq!(repeated(&scene.story.session, "ls"), Some(second));
    let failed = scene.start_again("c1", "ls");
    scene.finish(failed, Outcome::Failed);
    assert_eq!(repeated(&scene.story.session, "ls"), Some(second), "a failure ends no chain");
    let own = dispatch_id(1);
    assert_eq!(scene.story.session.operation_key(Some(second), own), first);
    assert_eq!(scene.story.session.operation_key(Some(first), own), first);
    assert_eq!(scene.story.session.operation_key(None, own), own);
}

#[test]
fn a_chain_ends_with_a_completed_member() {
    let (mut scene, first) = Scene::gated();
    scene.state(first, StatementKind::DidNotHappen);
    let again = scene.start_again("c1", "ls");
    scene.finish(again, Outcome::Completed);
    assert_eq!(repeated(&scene.story.session, "ls"), None);
    let new = scene.start_again("c1", "ls");
    scene.finish(new, Outcome::Unknown);
    assert_eq!(repeated(&scene.story.session, "ls"), Some(new));
    assert_eq!(scene.story.session.operation_key(Some(new), dispatch_id(1)), new);
}

#[test]
fn a_chain_ends_with_a_member_that_is_stated_to_have_happened() {
    let (mut scene, first) = Scene::gated();
    scene.state(first, StatementKind::MayHaveRun);
    let second = scene.start_again("c1", "ls");
    scene.finish(second, Outcome::Unknown);
    scene.state(second, StatementKind::Happened);
    assert_eq!(repeated(&scene.story.session, "ls"), None);
}

#[test]
fn a_completion_outside_the_chain_ends_nothing() {
    let (mut scene, first) = Scene::gated();
    scene.state(first, StatementKind::MayHaveRun);
    let other = scene.start_again("c1", "make");
    scene.finish(other, Outcome::Completed);
    assert_eq!(repeated(&scene.story.session, "ls"), Some(first));
}

#[test]
fn effects_of_the_origin_are_repeated_too() {
    let listed = dispatch_id(7);
    let story = Story::of(bodies::forked_origin(vec![bodies::reference(listed, "ls")]));
    assert_eq!(repeated(&story.session, "ls"), Some(listed));
    let mut stated = story.clone();
    stated.add(bodies::acknowledged(vec![bodies::says(listed, StatementKind::Happened)]));
    assert_eq!(repeated(&stated.session, "ls"), None);
}

#[test]
fn a_standing_approval_holds_for_its_operation_from_a_moment_on() {
    let mut scene = Scene::asked();
    let mut approval = bodies::approval(scene.turn, &scene.first, bodies::operation("ls"));
    approval.standing = true;
    let (seq, fingerprint) = (scene.story.session.next_seq(), approval.fingerprint);
    scene.story.add(approval);
    let session = &scene.story.session;
    assert_eq!(session.standing_rule(fingerprint, 0), Some(seq));
    assert_eq!(session.standing_rule(fingerprint, seq), Some(seq));
    assert_eq!(session.standing_rule(fingerprint, seq + 1), None);
    assert_eq!(session.standing_rule(bodies::operation("make").fingerprint(), 0), None);
    let dispatch = scene.story.dispatch_id();
    let (outcome, evidence) = (Outcome::Unknown, crate::record::Evidence::None);
    scene.story.add(bodies::result(scene.turn, &scene.first, dispatch, outcome, evidence));
    assert_eq!(scene.story.session.standing_rule(fingerprint, 0), None);
}

#[test]
fn a_copied_start_keeps_its_time() {
    let time = Timestamp::from_millis(42);
    assert_eq!(copied_at(bodies::copy_mark(time).as_deref()), Some(time));
    assert_eq!(copied_at(Some(&bodies::raw(r#"{"other":1}"#))), None);
    assert_eq!(copied_at(None), None);
}

#[test]
fn a_fork_warns_of_each_effect_of_its_origin() {
    let effects: Vec<EffectReference> = [(7, "rsync -a build/ web:/srv"), (8, "make")]
        .map(|(n, c)| bodies::reference(dispatch_id(n), c))
        .into();
    let mut story = Story::of(bodies::forked_origin(effects));
    let mut said = bodies::says(dispatch_id(7), StatementKind::Happened);
    said.note = Some("It is on the server.".into());
    story.add(bodies::acknowledged(vec![said]));
    let warnings = origin_warnings(&story.session);
    assert_eq!(warnings.len(), 2);
    for part in [
        "rsync -a build/ web:/srv",
        "it may have happened",
        "must not be retried automatically",
        "I checked: it did happen.",
        "It is on the server.",
    ] {
        assert!(warnings[0].contains(part), "{part} is not in {}", warnings[0]);
    }
    assert!(warnings[1].contains("make") && !warnings[1].contains("the user says"));
    assert_eq!(origin_warnings(&Story::new().session), Vec::<String>::new());
}
