//! Processes that leave the command, and commands that lose their supervisor.

use crate::scene::{PATIENCE, Scene, block_on, eventually, is_alive, write_program};
use candor::record::Ended;
use candor::tools::{Asked, read_all, request_stop, stop_strays};
use std::time::Instant;

/// Nothing keeps it any more; to be gone may take it a moment.
fn assert_dies(pid: u64) {
    eventually(|| (!is_alive(pid)).then_some(()));
}

#[test]
fn background_children_end_with_the_command() {
    let done = Scene::new().run("sleep 100 & echo hi");
    done.assert_exit(0);
    assert_eq!(done.text(), "hi\n");
    assert!(!done.receipt().pipe_held && done.receipt().survivors.is_none());
}

#[test]
fn a_held_pipe_is_waited_for_and_said() {
    let scene = Scene::new();
    let mut run =
        scene.start("mkfifo up; setsid bash -c 'echo > up; exec sleep 100' & read < up; echo hi", PATIENCE);
    let done = run.end();
    done.assert_exit(0);
    assert!(done.receipt().pipe_held);
    let survivors = done.receipt().survivors.as_ref().unwrap();
    assert_eq!(survivors.iter().map(|s| s.command.as_str()).collect::<Vec<_>>(), ["sleep 100"]);
    assert!(is_alive(survivors[0].pid));
}

#[test]
fn a_noisy_holder_is_not_waited_for_longer() {
    let scene = Scene::new();
    let mut run =
        scene.start("mkfifo up; setsid bash -c 'echo > up; exec yes' & read < up; echo hi", PATIENCE);
    let started = Instant::now();
    let done = run.end();
    done.assert_exit(0);
    assert!(done.receipt().pipe_held && started.elapsed() < PATIENCE / 2);
}

/// Forks twice, leaves the session, ignores SIGTERM; `up` says that it does.
const DAEMON: &str =
    "mkfifo up; (setsid bash -c 'trap \"\" TERM; echo daemon; : > up; while :; do sleep 0.05; done' &)";

#[test]
fn what_left_the_session_is_named_after_a_normal_end() {
    let scene = Scene::new();
    let mut run = scene.start(&format!("{DAEMON} >/dev/null 2>&1; : < up; echo hi"), PATIENCE);
    let done = run.end();
    done.assert_exit(0);
    assert!(!done.receipt().pipe_held);
    let survivors = done.receipt().survivors.as_ref().unwrap();
    assert!(survivors.iter().any(|s| s.command.starts_with("bash -c trap")), "{survivors:?}");
}

#[test]
fn what_left_the_session_is_swept_when_stopping() {
    let scene = Scene::new();
    let mut run = scene.start(&format!("{DAEMON}; sleep 100"), PATIENCE);
    run.until("daemon");
    run.stop();
    let done = run.end();
    assert_eq!(done.ending(), (Ended::Stopped, None, Some(15)));
    done.assert_swept(Ended::Stopped);
}

#[test]
fn what_left_the_session_may_clean_up_when_stopping() {
    let scene = Scene::new();
    let child = "trap 'sleep 0.2; touch cleaned; exit' TERM; echo ready; while :; do sleep 0.05; done";
    write_program(&scene.work().join("child"), child);
    let mut run = scene.start("setsid ./child & sleep 100", PATIENCE);
    run.until("ready");
    run.stop();
    assert_eq!(run.end().ending(), (Ended::Stopped, None, Some(15)));
    assert!(scene.work().join("cleaned").exists());
}

#[test]
fn chains_of_forks_are_swept() {
    let scene = Scene::new();
    let link = scene.work().join("link");
    write_program(&link, "trap '' TERM\nsetsid \"$0\" </dev/null >/dev/null 2>&1 &");
    let mut run = scene.start("./link; ./link; echo on; sleep 100", PATIENCE);
    run.until("on");
    run.stop();
    run.end().assert_swept(Ended::Stopped);
}

#[test]
fn adopted_children_do_not_pile_up() {
    let scene = Scene::new();
    let count = "for i in {1..50}; do (setsid true &); done; sleep 0.3; \
                 ps -o stat= --ppid $PPID | grep -c Z; true";
    assert_eq!(scene.run(count).text(), "0\n");
}

#[test]
fn a_killed_supervisor_leaves_facts_and_strays_can_be_stopped() {
    let scene = Scene::new();
    let mut run = scene.start("trap 'exit 1' TERM; env -i sleep 100 & echo on; wait", PATIENCE);
    run.until("on");
    let shell = run.shell().pid;
    let facts = run.facts();
    assert!(facts.lock_held && facts.launched && facts.receipt.is_none());
    run.kill_supervisor();
    let facts = run.end().facts;
    assert!(!facts.lock_held && facts.launched && facts.receipt.is_none());
    assert_eq!(facts.output.excerpt.text, "on\n");
    let alive: Vec<u64> = facts.alive.iter().map(|s| s.pid).collect();
    assert!(alive.len() == 2 && alive.contains(&shell), "{:?}", facts.alive);
    assert!(facts.alive.iter().any(|s| s.command == "sleep 100"), "{:?}", facts.alive);
    assert_eq!(request_stop(&run.dir).unwrap(), Asked::NobodyThere);
    assert!(block_on(stop_strays(&run.dir)).is_empty());
    alive.into_iter().for_each(assert_dies);
    assert!(run.facts().alive.is_empty());
}

#[test]
fn strays_that_ignore_the_request_are_killed() {
    let scene = Scene::new();
    let run = scene.start("trap '' TERM; echo on; while :; do sleep 0.05; done", PATIENCE);
    run.until("on");
    let shell = run.shell().pid;
    run.kill_supervisor();
    assert!(block_on(stop_strays(&run.dir)).is_empty());
    assert_dies(shell);
}

#[test]
fn strays_without_any_mark_are_remembered() {
    let scene = Scene::new();
    let deaf = r#"trap "" TERM; echo $$; for i in {1..600}; do sleep 0.05; done"#;
    let run = scene.start(&format!("env -i PATH=$PATH bash -c '{deaf}' & echo on; wait"), PATIENCE);
    let unmarked = eventually(|| {
        let text = std::fs::read_to_string(run.dir.join("output")).ok()?;
        text.lines().find_map(|line| line.parse::<u64>().ok())
    });
    run.kill_supervisor();
    assert!(block_on(stop_strays(&run.dir)).is_empty());
    assert_dies(unmarked);
}

#[test]
fn a_folder_without_a_launch_was_not_launched() {
    let scene = Scene::new();
    let (laid, order) = scene.lay(&scene.prepare("true", PATIENCE));
    let held = &read_all(&scene.calls()).unwrap()[0];
    assert!(held.lock_held && !held.launched && held.dispatch == order.dispatch);
    drop(laid);
    // A program that another test starts just now may have a copy for a moment.
    let free = eventually(|| read_all(&scene.calls()).unwrap().pop().filter(|facts| !facts.lock_held));
    assert!(!free.launched && free.receipt.is_none());
    assert_eq!(free.order.as_ref().unwrap().fingerprint, order.fingerprint);
}

#[test]
fn the_follower_of_a_late_opening_sees_the_same() {
    let scene = Scene::new();
    let mut run = scene.start("echo one; sleep 0.1; echo two; exit 6", PATIENCE);
    let first = run.end();
    run.wait_for_the_lock();
    let second = run.end();
    assert_eq!(first.output, second.output);
    assert_eq!(first.receipt(), second.receipt());
}
