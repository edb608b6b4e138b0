//! Commands that lay hands on their supervisor or on their own evidence. What
//! is then said may be less than happened, never more.

use crate::scene::{Done, PATIENCE, Run, Scene, assert_silent, block_on, eventually, signal};
use candor::record::{Ended, Order, Outcome, ToolStarted};
use candor::session::live_result;
use candor::tools::{Asked, Followed, Follower, alive_of, read, request_stop, stop_strays};
use std::time::Duration;

/// The call folder, seen from the command's directory; and it waits until its
/// supervisor has noted it, so that nothing is written over afterwards.
const FOLDER: &str = "F=../calls/$CANDOR_DISPATCH; until [ -e $F/process.json ]; do sleep 0.01; done; ";

/// Writes a receipt that fits all that is there: nothing was written yet.
const FORGE: &str = r#"P=$(sed 's/.*"fingerprint":"\([^"]*\)".*/\1/' $F/order.json);
E=$(printf '' | sha256sum | cut -d' ' -f1);
printf '{"v":1,"dispatch":"%s","fingerprint":"%s","ended":"exit","exit_code":0,"ended_at":"2026-01-01T00:00:00.000Z","output_bytes":0,"spool_bytes":0,"output_sha256":"%s"}' $CANDOR_DISPATCH $P $E > $F/forged;
mv $F/forged $F/receipt.json; "#;

fn tampering(scene: &Scene, command: &str) -> Run {
    scene.start(&format!("{FOLDER}{command}"), PATIENCE)
}

/// What the process that started it would record.
fn outcome(done: &Done, order: &Order) -> Outcome {
    let start = ToolStarted {
        turn: order.turn,
        call: order.call.clone(),
        dispatch: order.dispatch,
        operation: order.operation.clone(),
        fingerprint: order.fingerprint,
        repeats: None,
        ext: None,
    };
    live_result(order.session, &start, &done.facts).outcome
}

fn order_of(run: &Run) -> Order {
    run.facts().order.expect("it is there before the command")
}

/// Runs a command that spoils its evidence, and gives what is said of it.
fn said_of(command: &str) -> (Done, Outcome) {
    let scene = Scene::gated();
    let mut run = scene.start(&format!("read < gate; {FOLDER}{command}"), PATIENCE);
    let order = order_of(&run);
    scene.open_gate();
    let done = run.end();
    let outcome = outcome(&done, &order);
    (done, outcome)
}

#[test]
fn a_receipt_forged_before_the_end_is_no_end() {
    let scene = Scene::gated();
    let mut run = tampering(&scene, &format!("{FORGE} read < gate; exit 3"));
    let forged = eventually(|| Some(run.facts()).filter(|facts| facts.receipt.is_some()));
    assert!(forged.lock_held, "it fits, and its supposed writer is still there");
    block_on(async {
        let mut follower = Follower::new(&run.dir).unwrap();
        assert_silent(&mut follower, Duration::from_millis(400), "it was believed").await;
    });
    scene.open_gate();
    run.end().assert_exit(3);
}

#[test]
fn what_lies_in_the_way_of_the_receipt_holds_nobody_up() {
    for room in
        ["rm $F/receipt.tmp", "rm $F/receipt.tmp; mkfifo $F/receipt.tmp", "ln -sf /dev/null $F/receipt.tmp"]
    {
        let (done, outcome) = said_of(&format!("{room}; exit 4"));
        done.assert_exit(4);
        assert_eq!(outcome, Outcome::Failed, "{room}");
    }
    for way in ["rm $F/receipt.tmp; mkdir $F/receipt.tmp", "mkdir -p $F/receipt.json/x"] {
        let (done, outcome) = said_of(way);
        assert!(done.facts.receipt.is_none() && done.facts.launched, "{way}");
        assert_eq!(outcome, Outcome::Unknown, "{way}");
    }
}

#[test]
fn a_spool_that_was_changed_makes_the_end_unknown() {
    for change in [
        ": > $F/output",
        "rm $F/output",
        "echo more >> $F/output",
        "rm $F/output; mkfifo $F/output",
        "ln -sf /etc/hostname $F/output",
        "cp $F/output x; echo other > x; mv x $F/output",
    ] {
        let (done, outcome) = said_of(&format!("echo one; sleep 0.1; {change}; echo two"));
        assert!(done.facts.receipt.is_none(), "{change}: {:?}", done.facts);
        assert_eq!(outcome, Outcome::Unknown, "{change}");
    }
}

#[test]
fn a_command_that_removes_its_folder_is_unknown_when_it_ends() {
    let (done, outcome) = said_of("rm -rf $F; sleep 0.2; echo gone");
    assert!(done.facts.receipt.is_none() && !done.facts.lock_held && done.facts.alive.is_empty());
    assert_eq!(outcome, Outcome::Unknown);
    for part in ["$F/*.json", "$F/launch.json $F/order.json", "$F/lock $F/control $F/*.json"] {
        let (_, outcome) = said_of(&format!("rm {part}; kill -9 $PPID"));
        assert_eq!(outcome, Outcome::Unknown, "{part}");
    }
}

#[test]
fn a_command_without_its_folder_is_found_alive_and_stopped() {
    let scene = Scene::new();
    let run = tampering(&scene, "rm -rf $F; exec sleep 100");
    eventually(|| (!run.dir.exists()).then_some(()));
    assert!(read(&run.dir).is_none());
    assert!(alive_of(&run.dir).iter().any(|it| it.command == "sleep 100" || it.command.contains("rm -rf")));
    assert!(block_on(stop_strays(&run.dir)).is_empty());
    assert!(alive_of(&run.dir).is_empty());
}

#[test]
fn a_launch_that_was_removed_is_not_taken_for_none() {
    let (done, outcome) = said_of("rm $F/launch.json; kill -9 $PPID");
    assert!(done.facts.launched && done.facts.order.is_some());
    assert_eq!(outcome, Outcome::Unknown);
}

#[test]
fn a_lock_that_was_removed_or_replaced_does_not_end_the_command() {
    for change in ["rm $F/lock", ": > $F/new; mv $F/new $F/lock", "ln -sf /dev/null $F/lock"] {
        let scene = Scene::gated();
        let mut run = tampering(&scene, &format!("{change}; echo on; read < gate; exit 3"));
        run.until("on");
        assert!(run.facts().lock_held, "{change}: its supervisor lives");
        block_on(async {
            let mut follower = Follower::new(&run.dir).unwrap();
            assert!(matches!(follower.next().await, Followed::Output(_)));
            assert_silent(&mut follower, Duration::from_millis(100), change).await;
        });
        scene.open_gate();
        run.end().assert_exit(3);
    }
}

#[test]
fn a_stop_is_heard_without_the_fifo_and_by_a_stopped_supervisor() {
    for change in ["rm $F/control", "rm $F/control; : > $F/control", "kill -STOP $PPID"] {
        let scene = Scene::new();
        let mut run = tampering(&scene, &format!("{change}; : > up; exec sleep 100"));
        // Nothing is waited for in its output: a stopped supervisor writes none.
        eventually(|| scene.work().join("up").exists().then_some(()));
        run.stop();
        assert_eq!(run.end().ending(), (Ended::Stopped, None, Some(15)), "{change}");
    }
}

#[test]
fn a_command_that_kills_its_supervisor_is_unknown_and_its_rest_is_found() {
    let scene = Scene::new();
    let mut run = tampering(&scene, "kill -9 $PPID; : > effect; exec sleep 100");
    let order = order_of(&run);
    eventually(|| scene.work().join("effect").exists().then_some(()));
    let done = run.end();
    assert!(done.facts.receipt.is_none() && done.facts.launched && !done.facts.lock_held);
    assert_eq!(done.facts.alive.len(), 1, "{:?}", done.facts.alive);
    assert_eq!(outcome(&done, &order), Outcome::Unknown);
    assert!(block_on(stop_strays(&run.dir)).is_empty());
}

#[test]
fn a_command_that_ended_while_its_supervisor_was_stopped_was_not_stopped() {
    let scene = Scene::gated();
    let limit = Duration::from_millis(500);
    let mut run = scene.start("echo on; read < gate; exit 5", limit);
    run.until("on");
    let supervisor = run.launch().pid;
    signal(supervisor, "STOP");
    scene.open_gate();
    std::thread::sleep(2 * limit);
    signal(supervisor, "CONT");
    run.end().assert_exit(5);
}

/// Stopped by signals the clock of the limits goes on: the command is over its
/// time when it comes back, and this is said. (Of a suspended machine the clock
/// knows nothing, see `docs/recovery.md`.)
#[test]
fn what_was_stopped_beyond_its_limit_is_timed_out_when_it_comes_back() {
    let scene = Scene::new();
    let limit = Duration::from_millis(500);
    let mut run = scene.start("echo on; exec sleep 100", limit);
    run.until("on");
    let both = [run.launch().pid, run.shell().pid];
    both.iter().for_each(|pid| signal(*pid, "STOP"));
    std::thread::sleep(2 * limit);
    assert!(run.facts().lock_held && run.facts().receipt.is_none());
    both.iter().rev().for_each(|pid| signal(*pid, "CONT"));
    assert_eq!(run.end().ending(), (Ended::TimeLimit, None, Some(15)));
}

#[test]
fn nobody_is_asked_to_stop_after_the_end() {
    let scene = Scene::new();
    let mut run = tampering(&scene, "rm $F/control");
    run.end().assert_exit(0);
    run.wait_for_the_lock();
    assert_eq!(request_stop(&run.dir).unwrap(), Asked::NobodyThere);
}
