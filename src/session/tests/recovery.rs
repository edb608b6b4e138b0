//! The table of closing an open turn, row by row.

use crate::record::{
    Decision, Digest, Ended, Evidence, FolderFacts, Order, Outcome, Record, Survivor, ToolResult, TurnStatus,
};
use crate::session::generate::folders::{Of, OrderIs, Sketch, draw};
use crate::session::generate::scenes::Scene;
use crate::session::generate::{bodies, dispatch_id, session_id, turn_id};
use crate::session::{Found, Recovery, Session, live_result, missing_records, recover};

const FRESH: u128 = 555;

fn recovered(session: &Session, folders: &[FolderFacts]) -> Recovery {
    recover(session, Found { folders, calls_directory: true, given_up: None }, || dispatch_id(FRESH))
}

/// What the steps say: outcome and evidence of each result, then the status.
fn said(recovery: &Recovery) -> (Vec<(Outcome, Option<Evidence>)>, Option<TurnStatus>) {
    let results = results(&recovery.steps).iter().map(|result| (result.outcome, result.evidence)).collect();
    let status = recovery.steps.iter().find_map(|step| match step {
        Record::TurnEnded(body) => Some(body.status),
        _ => None,
    });
    (results, status)
}

fn results(steps: &[Record]) -> Vec<&ToolResult> {
    let mut results = Vec::new();
    for step in steps {
        if let Record::ToolResult(body) = step {
            results.push(body.as_ref());
        }
    }
    results
}

const SKIPPED: (Outcome, Option<Evidence>) = (Outcome::NotExecuted, None);
const INTERRUPTED: Option<TurnStatus> = Some(TurnStatus::Interrupted);
const UNKNOWN: (Outcome, Option<Evidence>) = (Outcome::Unknown, Some(Evidence::None));

#[test]
fn nothing_open_needs_nothing() {
    let recovery = recovered(&Scene::done().story.session, &[]);
    assert!(recovery.steps.is_empty() && recovery.running.is_none() && recovery.findings.is_empty());
}

#[test]
fn a_complete_answer_completes_the_turn() {
    let recovery = recovered(&Scene::answered().story.session, &[]);
    assert_eq!(said(&recovery), (Vec::new(), Some(TurnStatus::Completed)));
}

#[test]
fn what_was_not_started_is_not_executed() {
    assert_eq!(said(&recovered(&Scene::said().story.session, &[])), (Vec::new(), INTERRUPTED));
    for scene in [Scene::asked(), Scene::approved()] {
        assert_eq!(said(&recovered(&scene.story.session, &[])), (vec![SKIPPED, SKIPPED], INTERRUPTED));
    }
    let approved = Scene::approved().story.session;
    let laid = draw(&[Sketch::LAID], &approved);
    assert_eq!(said(&recovered(&approved, &laid)), (vec![SKIPPED, SKIPPED], INTERRUPTED));
}

#[test]
fn a_refusal_stays_a_refusal() {
    let mut scene = Scene::asked();
    let mut denial = bodies::approval(scene.turn, &scene.first, bodies::operation("ls"));
    denial.decision = Decision::Denied;
    scene.story.add(denial);
    let recovery = recovered(&scene.story.session, &draw(&[Sketch::LAUNCHED], &scene.story.session));
    assert_eq!(said(&recovery).0, [(Outcome::Denied, None), SKIPPED]);
}

#[test]
fn a_held_lock_means_that_it_runs() {
    let (scene, dispatch) = Scene::started();
    let session = &scene.story.session;
    for sketch in [Sketch::LAID, Sketch::LAUNCHED, Sketch::receipt(Ended::Exit, Some(0), None)] {
        let recovery = recovered(session, &draw(&[Sketch { lock_held: true, ..sketch }], session));
        assert!(recovery.steps.is_empty());
        let running = recovery.running.unwrap();
        assert!(running.supervised && running.dispatch == dispatch && !running.lost_record);
    }
}

#[test]
fn a_receipt_tells_the_result() {
    let (scene, dispatch) = Scene::started();
    let session = &scene.story.session;
    let table = [
        (Ended::Exit, Some(0), None, Outcome::Completed),
        (Ended::Exit, Some(3), None, Outcome::Failed),
        (Ended::Exit, None, Some(11), Outcome::Failed),
        (Ended::TimeLimit, None, Some(15), Outcome::TimedOut),
        (Ended::TimeLimit, Some(0), None, Outcome::TimedOut),
        (Ended::OutputLimit, None, Some(9), Outcome::OutputLimit),
        (Ended::Stopped, Some(130), None, Outcome::Cancelled),
        (Ended::NotStarted, None, None, Outcome::NotExecuted),
    ];
    for (ended, exit_code, signal, outcome) in table {
        let recovery = recovered(session, &draw(&[Sketch::receipt(ended, exit_code, signal)], session));
        assert_eq!(said(&recovery), (vec![(outcome, Some(Evidence::Receipt)), SKIPPED], INTERRUPTED));
        let result = results(&recovery.steps)[0];
        assert_eq!((result.dispatch, result.exit_code, result.signal), (Some(dispatch), exit_code, signal));
        assert_eq!(result.output.as_deref(), Some("so far\n"));
        assert_eq!(result.ended_at.is_some(), outcome.is_observed_end());
        session.check(&recovery.steps[0]).unwrap();
    }
}

#[test]
fn a_receipt_that_does_not_fit_tells_nothing() {
    let (scene, _) = Scene::started();
    let session = &scene.story.session;
    let contradictions = [
        (Ended::Exit, None, None),
        (Ended::Exit, Some(0), Some(9)),
        (Ended::Stopped, Some(0), Some(9)),
        (Ended::NotStarted, Some(0), None),
    ];
    for (ended, exit_code, signal) in contradictions {
        let recovery = recovered(session, &draw(&[Sketch::receipt(ended, exit_code, signal)], session));
        assert_eq!(said(&recovery).0, [UNKNOWN, SKIPPED], "{ended:?}");
    }
    let mut folders = draw(&[Sketch::receipt(Ended::Exit, Some(0), None)], session);
    folders[0].receipt.as_mut().unwrap().fingerprint = Digest::ZERO;
    assert_eq!(said(&recovered(session, &folders)).0, [UNKNOWN, SKIPPED]);
    let mut folders = draw(&[Sketch::receipt(Ended::Exit, Some(0), None)], session);
    folders[0].receipt.as_mut().unwrap().dispatch = dispatch_id(1);
    assert_eq!(said(&recovered(session, &folders)).0, [UNKNOWN, SKIPPED]);
    let mut folders = draw(&[Sketch::receipt(Ended::Exit, Some(0), None)], session);
    folders[0].receipt.as_mut().unwrap().v = 2;
    assert_eq!(said(&recovered(session, &folders)).0, [UNKNOWN, SKIPPED]);
}

#[test]
fn only_an_untouched_folder_proves_that_nothing_was_launched() {
    let (scene, _) = Scene::started();
    let session = &scene.story.session;
    let conclude = |sketch: Sketch| said(&recovered(session, &draw(&[sketch], session))).0[0];
    let not_launched = (Outcome::NotExecuted, Some(Evidence::NotLaunched));
    assert_eq!(conclude(Sketch::LAID), not_launched);
    let touched = [
        Sketch { launched: true, ..Sketch::LAID },
        Sketch { output: "so far\n", ..Sketch::LAID },
        Sketch { order: OrderIs::Absent, ..Sketch::LAID },
        Sketch { order: OrderIs::OfAnotherCall, ..Sketch::LAID },
        Sketch { order: OrderIs::OfAnotherOperation, ..Sketch::LAID },
    ];
    for sketch in touched {
        assert_eq!(conclude(sketch.clone()), UNKNOWN, "{sketch:?}");
    }
    assert_eq!(said(&recovered(session, &[])).0[0], UNKNOWN, "a missing folder proves nothing");
    let mut unfit =
        draw(&[Sketch { launched: false, ..Sketch::receipt(Ended::Exit, Some(0), None) }], session);
    unfit[0].receipt.as_mut().unwrap().v = 2;
    unfit[0].output.spool_bytes = 0;
    assert_eq!(said(&recovered(session, &unfit)).0[0], UNKNOWN, "somebody wrote a receipt");
}

#[test]
fn an_order_fits_in_every_field() {
    let (scene, _) = Scene::started();
    let session = &scene.story.session;
    let changes: [&dyn Fn(&mut Order); 6] = [
        &|order| order.v = 2,
        &|order| order.session = session_id(2),
        &|order| order.turn = turn_id(1),
        &|order| order.call = bodies::call_id("c2"),
        &|order| order.dispatch = dispatch_id(1),
        &|order| order.operation = bodies::operation("make"),
    ];
    for (n, change) in changes.iter().enumerate() {
        let mut folders = draw(&[Sketch::LAID], session);
        change(folders[0].order.as_mut().unwrap());
        assert_eq!(said(&recovered(session, &folders)).0[0], UNKNOWN, "change {n}");
    }
}

#[test]
fn a_receipt_is_told_with_all_it_says() {
    let (scene, _) = Scene::started();
    let session = &scene.story.session;
    let mut folders = draw(&[Sketch::receipt(Ended::Exit, Some(0), None)], session);
    let receipt = folders[0].receipt.as_mut().unwrap();
    (receipt.output_bytes, receipt.output_lost, receipt.pipe_held) = (1 << 30, true, true);
    receipt.survivors = Some(vec![Survivor { pid: 1, command: "sleep".into() }; 30]);
    let recovery = recovered(session, &folders);
    let result = results(&recovery.steps)[0];
    assert_eq!((result.output_bytes, result.truncated), (Some(1 << 30), true));
    assert!(result.output_lost && result.pipe_held && result.started_at.is_some());
    assert_eq!(result.survivors.as_ref().unwrap().len(), 20);
    session.check(&recovery.steps[0]).unwrap();
}

#[test]
fn what_lives_without_a_supervisor_runs_until_it_is_given_up() {
    let (scene, dispatch) = Scene::started();
    let session = &scene.story.session;
    for sketch in [Sketch::LAUNCHED, Sketch::LAID] {
        let folders = draw(&[Sketch { alive: true, ..sketch }], session);
        let recovery = recovered(session, &folders);
        let running = recovery.running.unwrap();
        assert!(!running.supervised && running.alive.len() == 1 && recovery.steps.is_empty());
        let found = Found { folders: &folders, calls_directory: true, given_up: Some(dispatch) };
        let given_up = recover(session, found, || dispatch_id(FRESH));
        assert_eq!(said(&given_up), (vec![UNKNOWN, SKIPPED], INTERRUPTED));
        assert_eq!(results(&given_up.steps)[0].survivors.as_ref().unwrap().len(), 1);
    }
    let folders = draw(&[Sketch { lock_held: true, ..Sketch::LAUNCHED }], session);
    let found = Found { folders: &folders, calls_directory: true, given_up: Some(dispatch) };
    assert!(recover(session, found, || dispatch_id(FRESH)).running.is_some(), "a supervisor is not given up");
    let folders = draw(&[Sketch { alive: true, ..Sketch::LAUNCHED }], session);
    let found = Found { folders: &folders, calls_directory: true, given_up: Some(dispatch_id(1)) };
    assert!(recover(session, found, || dispatch_id(FRESH)).running.is_some(), "another one was given up");
}

#[test]
fn an_unknown_outcome_keeps_the_output_as_found() {
    let (scene, dispatch) = Scene::started();
    let session = &scene.story.session;
    let recovery = recovered(session, &draw(&[Sketch::LAUNCHED], session));
    let result = results(&recovery.steps)[0];
    assert_eq!((result.output.as_deref(), result.output_bytes), (Some("so far\n"), Some(7)));
    let finding = &recovery.findings[0];
    assert_eq!((finding.dispatch, finding.lost_record), (Some(dispatch), false));
    assert_eq!(finding.sentence(), "ls: unknown, its end was not recorded.");
}

#[test]
fn a_launched_folder_without_a_start_is_a_lost_record() {
    for scene in [Scene::asked(), Scene::approved()] {
        let session = &scene.story.session;
        for order in [OrderIs::Fitting, OrderIs::Absent] {
            let folders = draw(&[Sketch { order, ..Sketch::LAUNCHED }], session);
            let recovery = recovered(session, &folders);
            assert_eq!(said(&recovery), (vec![UNKNOWN, SKIPPED], INTERRUPTED));
            assert_eq!(results(&recovery.steps)[0].dispatch, Some(folders[0].dispatch));
            assert!(recovery.findings[0].lost_record);
            assert!(recovery.findings[0].sentence().contains("The journal has lost a record"));
            assert!(missing_records(session, &folders).is_empty(), "recovery names it");
        }
        for sketch in [Sketch::LAID, Sketch::LAUNCHED] {
            let held = draw(&[Sketch { lock_held: true, ..sketch }], session);
            let running = recovered(session, &held).running.unwrap();
            assert!(running.lost_record && running.supervised);
        }
    }
}

#[test]
fn an_unreadable_folder_of_a_known_execution_is_not_taken_for_another() {
    let (mut scene, known) = Scene::gated();
    scene.state(known, crate::record::StatementKind::Partly);
    let turn = scene.story.turn_id();
    scene.story.add(bodies::message(turn, "Again."));
    scene.story.add(bodies::response(turn, &[bodies::call_item("c1", "ls")]));
    let session = &scene.story.session;
    let mut folders = draw(&[Sketch { order: OrderIs::Absent, ..Sketch::LAUNCHED }], session);
    folders[0].dispatch = known;
    assert_eq!(said(&recovered(session, &folders)).0, [SKIPPED]);
}

#[test]
fn a_torn_start_is_excluded_only_by_the_calls_directory() {
    let mut scene = Scene::approved();
    scene.story.add(bodies::tail_moved());
    let session = &scene.story.session;
    let with = |calls_directory| {
        let found = Found { folders: &[], calls_directory, given_up: None };
        recover(session, found, || dispatch_id(FRESH))
    };
    assert_eq!(said(&with(true)).0, [SKIPPED, SKIPPED]);
    let without = with(false);
    assert_eq!(said(&without).0, [UNKNOWN, SKIPPED]);
    assert_eq!(results(&without.steps)[0].dispatch, Some(dispatch_id(FRESH)));
    let untorn = Scene::approved();
    let found = Found { folders: &[], calls_directory: false, given_up: None };
    let recovery = recover(&untorn.story.session, found, || dispatch_id(FRESH));
    assert_eq!(said(&recovery).0, [SKIPPED, SKIPPED], "no tail, so the records are whole");
}

#[test]
fn a_tail_of_an_earlier_turn_says_nothing_about_this_one() {
    let mut scene = Scene::said();
    scene.story.add(bodies::tail_moved());
    scene.end(TurnStatus::Failed);
    let turn = scene.story.turn_id();
    scene.story.add(bodies::message(turn, "Again."));
    scene.story.add(bodies::response(turn, &[bodies::call_item("c1", "ls")]));
    let found = Found { folders: &[], calls_directory: false, given_up: None };
    let recovery = recover(&scene.story.session, found, || dispatch_id(FRESH));
    assert_eq!(said(&recovery).0, [SKIPPED]);
}

#[test]
fn an_imported_call_without_a_result_is_unknown() {
    let mut scene = Scene::imported().with_calls();
    let operation = crate::record::Operation::imported("bash", Some("ls"), None, None).unwrap();
    scene.story.add(bodies::started(scene.turn, &scene.first, dispatch_id(1), operation));
    let recovery = recovered(&scene.story.session, &[]);
    let unknown = (Outcome::Unknown, Some(Evidence::Imported));
    assert_eq!(said(&recovery), (vec![unknown, unknown], INTERRUPTED));
}

#[test]
fn folders_that_nothing_names_are_missing_records() {
    let missing = |session: &Session, folders: &[FolderFacts]| missing_records(session, folders).len();
    let (scene, _) = Scene::started();
    let session = &scene.story.session;
    let known = draw(&[Sketch::LAUNCHED], session);
    assert_eq!(missing(session, &known), 0, "a start names it");
    let stray = draw(&[Sketch { of: Of::Unnamed(1), ..Sketch::LAUNCHED }], session);
    assert_eq!(missing(session, &stray), 1, "the call has another execution");
    assert_eq!(missing(&Scene::done().story.session, &stray), 1, "its call is not open");
    let laid = draw(&[Sketch { of: Of::Unnamed(1), ..Sketch::LAID }], session);
    assert_eq!(missing(session, &laid), 0, "it was never launched");
    let asked = Scene::asked().story.session;
    let two = draw(&[Sketch::LAUNCHED, Sketch { of: Of::Unnamed(1), ..Sketch::LAUNCHED }], &asked);
    assert_eq!(missing_records(&asked, &two), [two[1].dispatch], "a call has one execution");
}

#[test]
fn the_starting_process_concludes_the_same_as_a_later_one() {
    let (scene, dispatch) = Scene::started();
    let session = &scene.story.session;
    let (_, call) = session.find_dispatch(dispatch).unwrap();
    let start = call.start.as_ref().unwrap();
    let table = [
        (Sketch::receipt(Ended::Exit, Some(0), None), Outcome::Completed, Evidence::Live),
        (Sketch::receipt(Ended::NotStarted, None, None), Outcome::NotExecuted, Evidence::Live),
        (Sketch::LAID, Outcome::NotExecuted, Evidence::NotLaunched),
        (Sketch::LAUNCHED, Outcome::Unknown, Evidence::None),
        (Sketch { lock_held: true, ..Sketch::LAID }, Outcome::Unknown, Evidence::None),
    ];
    for (sketch, outcome, evidence) in table {
        let folders = draw(std::slice::from_ref(&sketch), session);
        let result = live_result(session.id(), start, &folders[0]);
        assert_eq!((result.outcome, result.evidence), (outcome, Some(evidence)), "{sketch:?}");
        session.check(&result.into()).unwrap();
    }
}

#[test]
fn findings_are_said_in_words() {
    let (scene, _) = Scene::started();
    let session = &scene.story.session;
    let sentence = |sketch| recovered(session, &draw(&[sketch], session)).findings[0].sentence();
    assert_eq!(sentence(Sketch::receipt(Ended::Exit, Some(0), None)), "ls: completed, from its receipt.");
    assert_eq!(sentence(Sketch::LAID), "ls: not executed, it was never launched.");
    let recovery = recovered(session, &[]);
    assert_eq!(recovery.findings[1].sentence(), "bash: not executed.");
}
