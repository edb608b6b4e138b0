//! What the model is told, item by item.

use crate::record::{
    By, CallId, ContextItem, Decision, Evidence, ItemKind, Outcome, StatementKind, Survivor, Timestamp,
    ToolResult, TurnStatus,
};
use crate::session::generate::scenes::Scene;
use crate::session::generate::{Story, bodies, dispatch_id, turn_id};
use crate::session::words::{NOTICE, SAYS_MORE};
use crate::session::{ContextOptions, NotNow, Session, context};
use serde_json::{Value, json};

fn told_within(session: &Session, output_to_model_bytes: usize) -> Vec<ContextItem> {
    let spool = |dispatch| Some(format!("/spool/{dispatch}"));
    context(session, ContextOptions { output_to_model_bytes, spool: &spool }).unwrap()
}

/// What is told once another message is said.
fn told(story: &Story) -> Vec<ContextItem> {
    let mut story = story.clone();
    story.add(bodies::message(turn_id(900), "Now?"));
    told_within(&story.session, 16 << 10)
}

/// One word for each item, and its text.
fn brief(items: &[ContextItem]) -> Vec<(&'static str, String)> {
    let one = |item: &ContextItem| match item {
        ContextItem::User { text } => ("user", text.clone()),
        ContextItem::Notice { text } => ("notice", text.clone()),
        ContextItem::Model { item, .. } => ("model", item.raw.get().to_owned()),
        ContextItem::Result { call_id, output } => ("result", format!("{call_id} {output}")),
    };
    items.iter().map(one).collect()
}

fn kinds(items: &[ContextItem]) -> Vec<&'static str> {
    brief(items).into_iter().map(|(kind, _)| kind).collect()
}

fn result_of(items: &[ContextItem], id: &str) -> Value {
    let output = items.iter().find_map(|item| match item {
        ContextItem::Result { call_id, output } if call_id.as_str() == id => Some(output),
        _ => None,
    });
    serde_json::from_str(output.unwrap()).unwrap()
}

fn notices(items: &[ContextItem]) -> Vec<String> {
    let notice = |(kind, text): (&str, String)| (kind == "notice").then_some(text);
    brief(items).into_iter().filter_map(notice).collect()
}

#[test]
fn it_is_defined_where_a_request_may_be_made() {
    let refused = |session: &Session| {
        context(session, ContextOptions { output_to_model_bytes: 1_024, spool: &|_| None }).unwrap_err()
    };
    assert_eq!(refused(&Scene::done().story.session), NotNow::NoTurn);
    assert_eq!(refused(&Scene::asked().story.session), NotNow::CallOpen);
    assert_eq!(refused(&Scene::answered().story.session), NotNow::Answered);
    assert_eq!(refused(&Scene::imported().story.session), NotNow::Imported);
    let (mut unknown, _) = Scene::unknown();
    unknown.skip_second();
    assert_eq!(refused(&unknown.story.session), NotNow::Gated);
    let mut fork = Story::of(bodies::forked_origin(vec![bodies::reference(dispatch_id(7), "ls")]));
    let mut copied = bodies::message(turn_id(1), "Hi");
    copied.ext = bodies::copy_mark(Timestamp::from_millis(1));
    fork.add(copied);
    assert_eq!(refused(&fork.session), NotNow::Gated);
}

#[test]
fn items_come_first_and_results_after_in_call_order() {
    let scene = Scene::resolved();
    let items = told_within(&scene.story.session, 1_024);
    assert_eq!(kinds(&items), ["user", "model", "model", "result", "result"]);
    let raw = brief(&items)[1].1.clone();
    assert_eq!(raw, bodies::call_item("c1", "ls"), "items keep their bytes");
    assert!(brief(&items)[3].1.starts_with("c1 ") && brief(&items)[4].1.starts_with("c2 "));
}

#[test]
fn a_joined_message_follows_a_fixed_notice() {
    let mut scene = Scene::resolved();
    scene.story.add(bodies::message(scene.turn, "And butter."));
    let items = told_within(&scene.story.session, 1_024);
    let last = &brief(&items)[5..];
    assert_eq!(last, [("notice", SAYS_MORE.to_owned()), ("user", "And butter.".to_owned())]);
    assert_eq!(SAYS_MORE, "Candor runtime notice: the user says more.");
}

#[test]
fn an_early_turn_enters_with_its_message_and_the_notice() {
    let mut scene = Scene::said();
    scene.end(TurnStatus::Cancelled);
    let items = told(&scene.story);
    assert_eq!(kinds(&items), ["user", "notice", "user"]);
    let notice = &notices(&items)[0];
    assert!(
        notice.starts_with(NOTICE) && notice.contains("cancelled") && notice.contains("nothing was retried")
    );
}

#[test]
fn an_imported_early_turn_stays_out_and_one_with_calls_enters() {
    let mut scene = Scene::imported();
    scene.end(TurnStatus::Failed);
    assert_eq!(kinds(&told(&scene.story)), ["user"]);
    let mut answered = Scene::imported();
    answered.story.add(bodies::response(answered.turn, &[bodies::text_item("Done.")]));
    answered.end(TurnStatus::Interrupted);
    assert_eq!(kinds(&told(&answered.story)), ["user"], "as its own program did");
    let mut scene = Scene::imported().with_calls();
    for call in [scene.first.clone(), scene.second.clone()] {
        let mut result = ToolResult::without_dispatch(scene.turn, call, Outcome::Denied);
        result.evidence = Some(Evidence::Imported);
        scene.story.add(result);
    }
    scene.end(TurnStatus::Failed);
    let items = told(&scene.story);
    assert_eq!(kinds(&items), ["user", "model", "model", "result", "result", "notice", "user"]);
    assert_eq!(result_of(&items, "c1")["evidence"], "imported");
}

#[test]
fn the_makers_of_items_are_told() {
    let scene = Scene::resolved();
    let items = told_within(&scene.story.session, 1_024);
    let makers: Vec<_> = items
        .iter()
        .filter_map(|item| match item {
            ContextItem::Model { maker, .. } => Some(maker.clone()),
            _ => None,
        })
        .collect();
    assert_eq!(makers[0].server.as_deref(), Some("https://api.example/v1"));
    assert_eq!((makers[0].protocol.as_str(), makers[0].model.as_deref()), ("responses", Some("m1")));
    assert!(std::sync::Arc::ptr_eq(&makers[0], &makers[1]));
}

#[test]
fn an_id_of_an_earlier_turn_is_renamed_and_nothing_else() {
    let mut scene = Scene::resolved();
    scene.end(TurnStatus::Failed);
    let dispatch = scene.start_again("c1", "ls");
    let (outcome, evidence) = (Outcome::Completed, Evidence::Live);
    scene.story.add(bodies::result(scene.turn, &scene.first, dispatch, outcome, evidence));
    let seq = scene.story.session.turns()[1].responses().next().unwrap().record.seq;
    let items = told_within(&scene.story.session, 1_024);
    let renamed = format!("c{seq}_0");
    let calls: Vec<CallId> = items
        .iter()
        .filter_map(|item| match item {
            ContextItem::Model { item, .. } => match &item.kind {
                ItemKind::Call { call_id, .. } => Some(call_id.clone()),
                _ => None,
            },
            _ => None,
        })
        .collect();
    assert_eq!(calls.iter().map(CallId::as_str).collect::<Vec<_>>(), ["c1", "c2", &renamed]);
    let raw = brief(&items)[7].1.clone();
    assert_eq!(raw, bodies::call_item("c1", "ls").replace("\"c1\"", &format!("\"{renamed}\"")));
    assert_eq!(result_of(&items, &renamed)["status"], "completed");
}

#[test]
fn a_name_that_a_model_used_is_not_given_again() {
    let mut scene = Scene::said();
    // The next turn's response will be record 7.
    scene.story.add(bodies::response(scene.turn, &[bodies::call_item("c7_0", "ls")]));
    let skip = |scene: &mut Scene, id: &str| {
        let result = ToolResult::without_dispatch(scene.turn, bodies::call_id(id), Outcome::NotExecuted);
        scene.story.add(result);
    };
    skip(&mut scene, "c7_0");
    scene.end(TurnStatus::Failed);
    scene.story.add(bodies::tail_moved());
    scene.turn = scene.story.turn_id();
    scene.story.add(bodies::message(scene.turn, "Again."));
    assert_eq!(scene.story.session.next_seq(), 7);
    scene.story.add(bodies::response(scene.turn, &[bodies::call_item("c7_0", "ls")]));
    skip(&mut scene, "c7_0");
    let items = told_within(&scene.story.session, 1_024);
    assert_eq!(result_of(&items, "c7_0_1")["status"], "not_executed");
}

#[test]
fn a_model_that_uses_a_given_name_gets_another() {
    let mut scene = Scene::resolved();
    scene.end(TurnStatus::Failed);
    let dispatch = scene.start_again("c1", "ls");
    let given = format!("c{}_0", scene.story.session.turns()[1].responses().next().unwrap().record.seq);
    scene.finish(dispatch, Outcome::Completed);
    let dispatch = scene.start_again(&given, "ls");
    let (outcome, evidence) = (Outcome::Failed, Evidence::Live);
    scene.story.add(bodies::result(scene.turn, &scene.first, dispatch, outcome, evidence));
    let seq = scene.story.session.turns()[2].responses().next().unwrap().record.seq;
    let items = told_within(&scene.story.session, 1_024);
    assert_eq!(result_of(&items, &given)["status"], "completed");
    assert_eq!(result_of(&items, &format!("c{seq}_0"))["status"], "failed");
}

#[test]
fn an_escaped_id_is_found_and_replaced() {
    let item = r#"{"type":"function_call","name":"bash","arguments":"{\"call_id\":\"x\"}","nested":{"call_id":"y"},"call\u005fid":  "\u0063\"1","status":"completed"}"#;
    let item = crate::record::Item::read(bodies::raw(item)).unwrap();
    let renamed = super::super::told::renamed(&item, &bodies::call_id("c9_1")).unwrap();
    let expected = item.raw.get().replace(r#""\u0063\"1""#, r#""c9_1""#);
    assert_eq!(renamed.raw.get(), expected);
}

/// What is told about the first call of a scene after its result.
fn told_of(mut scene: Scene, result: ToolResult) -> Value {
    scene.story.add(result);
    scene.skip_second();
    result_of(&told_within(&scene.story.session, 1_024), "c1")
}

#[test]
fn a_result_is_told_with_what_applies() {
    let (scene, dispatch) = Scene::started();
    let mut result = bodies::result(scene.turn, &scene.first, dispatch, Outcome::Completed, Evidence::Live);
    result.output = Some("<milk> & é\n".into());
    assert_eq!(
        told_of(scene, result),
        json!({"status": "completed", "output": "<milk> & é\n", "exit_code": 0})
    );

    let (scene, dispatch) = Scene::started();
    let mut result = bodies::result(scene.turn, &scene.first, dispatch, Outcome::Failed, Evidence::Receipt);
    (result.exit_code, result.signal, result.pipe_held) = (None, Some(9), true);
    result.survivors = Some(vec![Survivor { pid: 4190, command: "sleep 600".into() }]);
    let expected = json!({
        "status": "failed", "output": "", "signal": 9, "pipe_held": true, "evidence": "receipt",
        "survivors": [{"pid": 4190, "command": "sleep 600"}],
    });
    assert_eq!(told_of(scene, result), expected);
}

#[test]
fn text_inside_a_result_is_not_escaped_for_html() {
    let (mut scene, dispatch) = Scene::started();
    let mut result = bodies::result(scene.turn, &scene.first, dispatch, Outcome::Completed, Evidence::Live);
    result.output = Some("<milk> & é".into());
    scene.story.add(result);
    scene.skip_second();
    let items = told_within(&scene.story.session, 1_024);
    assert_eq!(brief(&items)[3].1, r#"c1 {"status":"completed","output":"<milk> & é","exit_code":0}"#);
}

#[test]
fn what_a_person_edited_or_said_is_told() {
    let mut scene = Scene::asked();
    let edited = bodies::timed_operation("ls -l", 30_000);
    let mut approval = bodies::approval(scene.turn, &scene.first, edited.clone());
    approval.edited = true;
    scene.story.add(approval);
    scene.story.add(bodies::started(scene.turn, &scene.first, dispatch_id(1), edited.clone()));
    let result = bodies::result(scene.turn, &scene.first, dispatch_id(1), Outcome::Completed, Evidence::Live);
    assert_eq!(told_of(scene, result)["ran"], serde_json::from_str::<Value>(edited.as_json()).unwrap());

    let mut scene = Scene::asked();
    let mut denial = bodies::approval(scene.turn, &scene.first, bodies::operation("ls"));
    (denial.decision, denial.edited) = (Decision::Denied, true);
    denial.feedback = Some("Not here.".into());
    scene.story.add(denial);
    let denied = ToolResult::without_dispatch(scene.turn, scene.first.clone(), Outcome::Denied);
    let told = told_of(scene, denied);
    assert_eq!((&told["status"], &told["feedback"]), (&json!("denied"), &json!("Not here.")));
    assert!(told.get("ran").is_none(), "a refused operation did not run");
}

#[test]
fn what_did_not_run_says_so_in_words() {
    for outcome in [Outcome::InvalidArguments, Outcome::UnknownTool, Outcome::NotExecuted] {
        let scene = Scene::asked();
        let result = ToolResult::without_dispatch(scene.turn, scene.first.clone(), outcome);
        let told = told_of(scene, result);
        let text = told["output"].as_str().unwrap();
        assert!(text.contains("not run") || text.contains("nothing was run"), "{outcome}: {text}");
    }
    for evidence in [Evidence::Live, Evidence::Receipt, Evidence::NotLaunched] {
        let (scene, dispatch) = Scene::started();
        let result = bodies::result(scene.turn, &scene.first, dispatch, Outcome::NotExecuted, evidence);
        let told = told_of(scene, result);
        assert!(told["output"].as_str().unwrap().contains("It did not run."), "{told}");
    }
}

#[test]
fn an_unknown_outcome_is_told_with_its_output_and_the_statement() {
    let (mut scene, dispatch) = Scene::started();
    let mut result = bodies::result(scene.turn, &scene.first, dispatch, Outcome::Unknown, Evidence::None);
    result.output = Some("half a line".into());
    scene.story.add(result);
    scene.skip_second();
    scene.end(TurnStatus::Interrupted);
    let mut said = bodies::says(dispatch, StatementKind::Partly);
    said.note = Some("Only the first file.".into());
    scene.story.add(bodies::acknowledged(vec![said]));
    let items = told(&scene.story);
    let told = result_of(&items, "c1");
    assert_eq!((&told["status"], &told["evidence"]), (&json!("unknown"), &json!("none")));
    let text = told["output"].as_str().unwrap();
    for part in [
        "Execution was ordered",
        "its end was not recorded",
        "may have happened",
        "must not be retried automatically",
        "Its output so far:\nhalf a line",
    ] {
        assert!(text.contains(part), "{part} is not in {text}");
    }
    let notice = &notices(&items)[0];
    assert!(notice.contains("interrupted"));
    assert!(notice.contains("About the call c1 the user says: \"I checked: part of it happened.\""));
    assert!(notice.contains("Only the first file."));
}

#[test]
fn statements_follow_an_imported_turn_that_completed_too() {
    let mut scene = Scene::imported().with_calls();
    for (number, call) in [(1, scene.first.clone()), (2, scene.second.clone())] {
        let (outcome, evidence) = (Outcome::Unknown, Evidence::Imported);
        scene.story.add(bodies::result(scene.turn, &call, dispatch_id(number), outcome, evidence));
    }
    scene.story.add(bodies::response(scene.turn, &[bodies::text_item("Done.")]));
    scene.end(TurnStatus::Completed);
    let says = |number| bodies::says(dispatch_id(number), StatementKind::MayHaveRun);
    let mut acknowledged = bodies::acknowledged(vec![says(1), says(2)]);
    acknowledged.by = By::Imported;
    scene.story.add(acknowledged);
    let items = told(&scene.story);
    assert_eq!(kinds(&items)[5..], ["model", "notice", "user"]);
    let notice = &notices(&items)[0];
    assert!(notice.contains("About the call c1 ") && notice.contains("About the call c2 "));
}

#[test]
fn a_long_output_is_told_by_its_two_halves() {
    let (mut scene, dispatch) = Scene::started();
    let mut result = bodies::result(scene.turn, &scene.first, dispatch, Outcome::Completed, Evidence::Live);
    let text = format!("A{}Z", "é".repeat(1_000));
    result.output_bytes = Some(text.len() as u64);
    result.output = Some(text.clone());
    scene.story.add(result);
    scene.skip_second();
    let told = result_of(&told_within(&scene.story.session, 101), "c1");
    let output = told["output"].as_str().unwrap();
    let (first, rest) = output.split_once("\n[… ").unwrap();
    let (left_out, last) = rest.split_once(" bytes left out …]\n").unwrap();
    assert_eq!(first, format!("A{}", "é".repeat(24)));
    assert_eq!(last, format!("{}Z", "é".repeat(24)));
    assert_eq!(left_out.parse(), Ok(text.len() - first.len() - last.len()));
    assert_eq!(told["truncated"], true);
    assert_eq!(told["output_file"], format!("/spool/{dispatch}"));
    let whole = result_of(&told_within(&scene.story.session, text.len()), "c1");
    assert!(whole["output"] == text.as_str() && whole.get("truncated").is_none());
    assert!(whole.get("output_file").is_none(), "it is needed only where something is left out");
}

#[test]
fn an_output_that_a_record_cut_is_told_as_cut() {
    let (scene, dispatch) = Scene::started();
    let mut result = bodies::result(scene.turn, &scene.first, dispatch, Outcome::Completed, Evidence::Live);
    (result.truncated, result.output_bytes) = (true, Some(1 << 20));
    let told = told_of(scene, result);
    assert_eq!(told["truncated"], true);
    assert_eq!(told["output_file"], format!("/spool/{dispatch}"));
}
