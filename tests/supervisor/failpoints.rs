//! A death after each step of the call folder, and what is known then.

use crate::agent::agent;
use crate::scene::{Scene, block_on, eventually};
use candor::record::FolderFacts;
use candor::tools::{read_all, stop_strays};

/// Runs an agent that dies at the point, or whose supervisor does. Reads what
/// is left when nobody holds the lock.
fn dead_at(point: &str, command: &str) -> (Scene, FolderFacts) {
    let scene = Scene::new();
    let mut agent = agent(&scene, command, point);
    eventually(|| {
        let started = scene.work().join("dispatch").exists();
        (started || agent.try_wait().unwrap().is_some()).then_some(())
    });
    let facts = eventually(|| read_all(&scene.calls()).unwrap().pop().filter(|facts| !facts.lock_held));
    let _ = agent.kill();
    agent.wait().unwrap();
    (scene, facts)
}

const EFFECT: &str = "echo on; touch effect";

fn assert_clean(scene: &Scene, facts: &FolderFacts) {
    assert!(facts.alive.is_empty());
    drop(scene.run_of(facts.dispatch));
}

#[test]
fn laid_is_not_launched() {
    let (scene, facts) = dead_at("laid", EFFECT);
    assert!(facts.order.is_some() && !facts.launched && facts.receipt.is_none());
    assert!(!scene.work().join("effect").exists());
    assert_clean(&scene, &facts);
}

#[test]
fn spawned_runs_to_its_end() {
    let (scene, facts) = dead_at("spawned", EFFECT);
    assert_eq!(facts.receipt.as_ref().unwrap().exit_code, Some(0));
    assert!(scene.work().join("effect").exists());
    assert_clean(&scene, &facts);
}

#[test]
fn launched_may_have_run() {
    let (scene, facts) = dead_at("launched", EFFECT);
    assert!(facts.launched && facts.receipt.is_none());
    assert!(!scene.work().join("effect").exists());
    assert_clean(&scene, &facts);
}

#[test]
fn running_is_found_alive() {
    let (scene, facts) = dead_at("running", "sleep 100; touch effect");
    assert!(facts.launched && facts.receipt.is_none() && !facts.alive.is_empty());
    assert!(block_on(stop_strays(&scene.run_of(facts.dispatch).dir)).is_empty());
    assert!(!scene.work().join("effect").exists());
}

#[test]
fn ended_without_a_receipt_is_not_known() {
    let (scene, facts) = dead_at("ended", EFFECT);
    assert!(facts.launched && facts.receipt.is_none());
    assert_eq!(facts.output.excerpt.text, "on\n");
    assert!(scene.work().join("effect").exists());
    assert_clean(&scene, &facts);
}

#[test]
fn a_receipt_is_enough() {
    let (scene, facts) = dead_at("receipt", EFFECT);
    assert_eq!(facts.receipt.as_ref().unwrap().exit_code, Some(0));
    assert_clean(&scene, &facts);
}

#[test]
fn the_command_does_not_see_the_failpoint() {
    let (_scene, facts) = dead_at("receipt", "echo ${CANDOR_FAILPOINT-unset}");
    assert_eq!(facts.output.excerpt.text, "unset\n");
}
