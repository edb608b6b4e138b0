//! The rules for the beginning and for turns, each broken once.

use crate::record::{
    By, Committed, Evidence, Operation, Origin, Outcome, Record, SessionRenamed, StatementKind, Timestamp,
    ToolResult, TurnStatus, limits,
};
use crate::session::generate::scenes::Scene;
use crate::session::generate::{Story, bodies, dispatch_id, turn_id};
use crate::session::{OrderError, needs_reserve};

#[test]
fn a_journal_begins_with_session_started() {
    let blank = Story::blank();
    assert_eq!(blank.refuses(bodies::message(turn_id(1), "Hi")), OrderError::Beginning);
    assert_eq!(blank.refuses(bodies::response(turn_id(1), &[])), OrderError::Beginning);
    assert_eq!(Story::new().refuses(bodies::begun(Origin::New {})), OrderError::Beginning);
}

#[test]
fn an_origin_lists_an_execution_once() {
    let effect = bodies::reference(dispatch_id(1), "ls");
    let begun = bodies::begun(bodies::forked_origin(vec![effect.clone(), effect]));
    assert_eq!(Story::blank().refuses(begun), OrderError::OriginTwice);
}

#[test]
fn numbers_have_no_gap() {
    let story = Story::new();
    let mut session = story.session.clone();
    let record: Record = bodies::message(turn_id(1), "Hi").into();
    let committed = Committed { seq: 2, at: Timestamp::from_millis(0), record };
    assert_eq!(session.apply(committed), Err(OrderError::Seq { expected: 1, found: 2 }));
    assert_eq!(session.next_seq(), 1);
}

#[test]
fn messages_are_said_in_bounds() {
    let story = Story::new();
    let refused = |text: &str| story.refuses(bodies::message(turn_id(1), text));
    assert_eq!(refused(" \n\u{3000}"), OrderError::Blank);
    assert_eq!(refused("a\0"), OrderError::Nul("message"));
    let (max, found) = (limits::MESSAGE_BYTES, limits::MESSAGE_BYTES + 1);
    assert_eq!(refused(&"x".repeat(found)), OrderError::TooLong { what: "message", found, max });
    assert!(story.session.check(&bodies::message(turn_id(1), &"x".repeat(max)).into()).is_ok());
}

#[test]
fn a_turn_opens_once_and_alone() {
    let scene = Scene::said();
    assert_eq!(scene.story.refuses(bodies::message(turn_id(1), "Hi")), OrderError::OtherTurn);
    assert_eq!(scene.story.refuses(bodies::message(scene.turn, "Hi")), OrderError::JoinNotNow);
    let done = Scene::done();
    assert_eq!(done.story.refuses(bodies::message(done.turn, "Hi")), OrderError::TurnIdUsed);
}

#[test]
fn a_message_joins_after_results_and_one_at_a_time() {
    let asked = Scene::asked();
    assert_eq!(asked.story.refuses(bodies::message(asked.turn, "Hi")), OrderError::JoinNotNow);
    let answered = Scene::answered();
    assert_eq!(answered.story.refuses(bodies::message(answered.turn, "Hi")), OrderError::JoinNotNow);
    let mut resolved = Scene::resolved();
    let mut imported = bodies::message(resolved.turn, "Hi");
    imported.imported = true;
    assert_eq!(resolved.story.refuses(imported), OrderError::ImportedMark);
    resolved.story.add(bodies::message(resolved.turn, "Hi"));
    assert_eq!(resolved.story.refuses(bodies::message(resolved.turn, "Ho")), OrderError::JoinNotNow);
    resolved.story.add(bodies::response(resolved.turn, &[bodies::text_item("Done.")]));
}

#[test]
fn the_gate_holds_messages_back_until_every_statement() {
    let (mut scene, dispatch) = Scene::gated();
    assert_eq!(scene.story.refuses(bodies::message(turn_id(1), "Hi")), OrderError::Gated);
    scene.state(dispatch, StatementKind::DidNotHappen);
    scene.story.add(bodies::message(turn_id(1), "Hi"));
}

#[test]
fn effects_of_the_origin_gate_a_fork_but_not_its_copies() {
    let listed = dispatch_id(7);
    let mut story = Story::of(bodies::forked_origin(vec![bodies::reference(listed, "ls")]));
    let copy = |turn| {
        let mut message = bodies::message(turn, "Hi");
        message.ext = bodies::copy_mark(Timestamp::from_millis(1));
        message
    };
    story.add(copy(turn_id(1)));
    story.add(bodies::ended(turn_id(1), TurnStatus::Failed));
    assert_eq!(story.refuses(bodies::message(turn_id(2), "Hi")), OrderError::Gated);
    story.add(bodies::acknowledged(vec![bodies::says(listed, StatementKind::Happened)]));
    story.add(bodies::message(turn_id(2), "Hi"));
    story.add(bodies::ended(turn_id(2), TurnStatus::Failed));
    assert!(story.session.turns()[0].copied && !story.session.turns()[1].copied);
    let mut elsewhere = Scene::gated().0.story;
    assert_eq!(elsewhere.refuses(copy(turn_id(3))), OrderError::Gated, "a copy is a copy in a fork only");
    elsewhere.add(bodies::tail_moved());
}

#[test]
fn a_copy_after_an_own_turn_is_no_copy() {
    let mut story = Story::of(bodies::forked_origin(Vec::new()));
    story.add(bodies::message(turn_id(1), "Hi"));
    story.add(bodies::ended(turn_id(1), TurnStatus::Failed));
    let mut message = bodies::message(turn_id(2), "Hi");
    message.ext = bodies::copy_mark(Timestamp::from_millis(1));
    story.add(message);
    assert!(!story.session.turns()[1].copied);
}

#[test]
fn imported_turns_come_first_and_only_where_they_may() {
    let imported = |number| {
        let mut message = bodies::message(turn_id(number), "Hi");
        message.imported = true;
        message
    };
    assert_eq!(Story::new().refuses(imported(1)), OrderError::ImportedHere);
    let mut story = Story::of(bodies::imported_origin());
    story.add(imported(1));
    story.add(bodies::ended(turn_id(1), TurnStatus::Failed));
    story.add(bodies::message(turn_id(2), "Hi"));
    story.add(bodies::ended(turn_id(2), TurnStatus::Failed));
    assert_eq!(story.refuses(imported(3)), OrderError::ImportedHere);
}

#[test]
fn an_imported_turn_has_no_decisions_of_ours() {
    let mut scene = Scene::imported().with_calls();
    let approval = bodies::approval(scene.turn, &scene.first, bodies::operation("ls"));
    assert_eq!(scene.story.refuses(approval), OrderError::NotImported("approval"));
    assert_eq!(scene.story.refuses(bodies::extended(scene.turn)), OrderError::NotImported("turn_extended"));
    let operation = Operation::imported("bash", Some("ls"), None, None).unwrap();
    scene.story.add(bodies::started(scene.turn, &scene.first, dispatch_id(1), operation));
}

#[test]
fn records_of_a_turn_stand_in_it() {
    let done = Scene::done();
    let ended = bodies::ended(done.turn, TurnStatus::Completed);
    assert_eq!(done.story.refuses(ended), OrderError::NoTurn);
    assert_eq!(done.story.refuses(bodies::response(done.turn, &[])), OrderError::NoTurn);
    assert_eq!(done.story.refuses(bodies::extended(done.turn)), OrderError::NoTurn);
    let asked = Scene::asked();
    let result = ToolResult::without_dispatch(turn_id(1), asked.first.clone(), Outcome::NotExecuted);
    assert_eq!(asked.story.refuses(result), OrderError::OtherTurn);
    assert_eq!(asked.story.refuses(bodies::ended(turn_id(1), TurnStatus::Failed)), OrderError::OtherTurn);
}

#[test]
fn a_response_comes_where_the_model_may_speak() {
    let asked = Scene::asked();
    assert_eq!(asked.story.refuses(bodies::response(asked.turn, &[])), OrderError::CallOpen);
    let answered = Scene::answered();
    assert_eq!(answered.story.refuses(bodies::response(answered.turn, &[])), OrderError::Answered);
}

#[test]
fn a_response_says_who_made_it() {
    let scene = Scene::said();
    let mut response = bodies::response(scene.turn, &[]);
    response.server = None;
    assert_eq!(scene.story.refuses(response.clone()), OrderError::ResponseLacks("server"));
    let mut imported = Scene::imported();
    response.turn = imported.turn;
    (response.model, response.duration_ms, response.instructions_sha256) = (None, None, None);
    imported.story.add(response);
}

#[test]
fn items_are_readable_and_call_ids_unique() {
    let scene = Scene::said();
    let refused = |items: &[String]| scene.story.refuses(bodies::response(scene.turn, items));
    assert!(matches!(refused(&[r#"{"no":"type"}"#.to_owned()]), OrderError::Item(_)));
    let twice = [bodies::call_item("c1", "ls"), bodies::call_item("c1", "ls")];
    assert_eq!(refused(&twice), OrderError::CallIdUsed(bodies::call_id("c1")));
    let resolved = Scene::resolved();
    let again = bodies::response(resolved.turn, &[bodies::call_item("c2", "ls")]);
    assert_eq!(resolved.story.refuses(again), OrderError::CallIdUsed(bodies::call_id("c2")));
}

#[test]
fn an_id_may_come_back_in_another_turn() {
    let mut scene = Scene::resolved();
    scene.end(TurnStatus::Failed);
    let dispatch = scene.start_again("c1", "ls");
    scene.finish(dispatch, Outcome::Completed);
}

#[test]
fn after_an_unknown_outcome_the_turn_is_only_closed() {
    let (mut scene, _) = Scene::unknown();
    let (turn, second) = (scene.turn, scene.second.clone());
    let approval = bodies::approval(turn, &second, bodies::operation("make"));
    assert_eq!(scene.story.refuses(approval), OrderError::AfterUnknown);
    assert_eq!(scene.story.refuses(bodies::extended(turn)), OrderError::AfterUnknown);
    let bad = ToolResult::without_dispatch(turn, second.clone(), Outcome::InvalidArguments);
    assert_eq!(scene.story.refuses(bad), OrderError::AfterUnknown);
    let unknown = bodies::result(turn, &second, dispatch_id(1), Outcome::Unknown, Evidence::None);
    assert_eq!(scene.story.refuses(unknown), OrderError::AfterUnknown);
    scene.skip_second();
    assert_eq!(scene.story.refuses(bodies::response(turn, &[])), OrderError::AfterUnknown);
    assert_eq!(scene.story.refuses(bodies::message(turn, "Hi")), OrderError::Gated);
    for status in [TurnStatus::Completed, TurnStatus::Failed, TurnStatus::Cancelled] {
        assert_eq!(scene.story.refuses(bodies::ended(turn, status)), OrderError::Status);
    }
    scene.story.add(bodies::tail_moved());
    scene.end(TurnStatus::UnconfirmedEffects);
}

#[test]
fn an_imported_turn_goes_on_after_an_unknown_outcome() {
    let mut scene = Scene::imported().with_calls();
    for (number, call) in [(1, scene.first.clone()), (2, scene.second.clone())] {
        let (outcome, evidence) = (Outcome::Unknown, Evidence::Imported);
        scene.story.add(bodies::result(scene.turn, &call, dispatch_id(number), outcome, evidence));
    }
    scene.story.add(bodies::response(scene.turn, &[bodies::text_item("Done.")]));
    assert_eq!(
        scene.story.refuses(bodies::ended(scene.turn, TurnStatus::UnconfirmedEffects)),
        OrderError::Status
    );
    scene.end(TurnStatus::Interrupted);
    let mut next = bodies::message(turn_id(1), "Hi");
    next.imported = true;
    scene.story.add(next);
}

#[test]
fn a_turn_ends_with_the_status_that_its_records_have() {
    let refused = |scene: &Scene, status| scene.story.refuses(bodies::ended(scene.turn, status));
    assert_eq!(refused(&Scene::asked(), TurnStatus::Failed), OrderError::CallOpen);
    for scene in [Scene::said(), Scene::resolved()] {
        assert_eq!(refused(&scene, TurnStatus::Completed), OrderError::Status);
        assert_eq!(refused(&scene, TurnStatus::UnconfirmedEffects), OrderError::Status);
    }
    let answered = Scene::answered();
    for status in TurnStatus::ALL.iter().filter(|status| **status != TurnStatus::Completed) {
        assert_eq!(refused(&answered, *status), OrderError::Status);
    }
    assert_eq!(refused(&Scene::imported(), TurnStatus::Completed), OrderError::Status);
    let mut failed = bodies::ended(answered.turn, TurnStatus::Completed);
    failed.error = Some("x".repeat(limits::ERROR_BYTES + 1));
    assert!(matches!(answered.story.refuses(failed), OrderError::TooLong { what: "error", .. }));
}

#[test]
fn only_a_person_extends_a_turn() {
    let mut scene = Scene::asked();
    let mut extended = bodies::extended(scene.turn);
    extended.by = By::Rule;
    assert_eq!(scene.story.refuses(extended), OrderError::By);
    scene.story.add(bodies::extended(scene.turn));
    assert_eq!(scene.story.session.turns()[0].extensions.len(), 1);
}

#[test]
fn titles_are_bounded() {
    let title = "x".repeat(limits::TITLE_BYTES + 1);
    let mut begun = bodies::begun(Origin::New {});
    begun.title = Some(title.clone());
    assert!(matches!(Story::blank().refuses(begun), OrderError::TooLong { what: "title", .. }));
    let mut scene = Scene::started().0;
    let renamed = SessionRenamed { title, ext: None };
    assert!(matches!(scene.story.refuses(renamed), OrderError::TooLong { what: "title", .. }));
    scene.story.add(SessionRenamed { title: "Another".into(), ext: None });
    assert_eq!(scene.story.session.title(), "Another");
}

#[test]
fn what_opens_leaves_room_for_what_closes() {
    let (scene, dispatch) = Scene::gated();
    let closing = [
        Record::from(bodies::begun(Origin::New {})),
        bodies::acknowledged(vec![bodies::says(dispatch, StatementKind::Partly)]).into(),
        bodies::ended(scene.turn, TurnStatus::Failed).into(),
        bodies::tail_moved().into(),
        ToolResult::without_dispatch(scene.turn, scene.first.clone(), Outcome::Denied).into(),
    ];
    assert!(!closing.iter().any(needs_reserve));
    let opening = [
        Record::from(bodies::message(scene.turn, "Hi")),
        bodies::response(scene.turn, &[]).into(),
        bodies::approval(scene.turn, &scene.first, bodies::operation("ls")).into(),
        bodies::started(scene.turn, &scene.first, dispatch, bodies::operation("ls")).into(),
        bodies::extended(scene.turn).into(),
        SessionRenamed { title: "t".into(), ext: None }.into(),
    ];
    assert!(opening.iter().all(needs_reserve));
}
