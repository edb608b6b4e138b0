//! An agent that is killed while its command runs.

use crate::scene::{PATIENCE, Scene, eventually, is_alive, make_fifo, signal};
use candor::record::DispatchId;
use std::fs;
use std::process::{Child, Command, Stdio};

/// Not a test of its own: the agent that others kill.
#[test]
fn as_agent() {
    let Ok(root) = std::env::var("TEST_AGENT_IN") else { return };
    let scene = Scene::of_another(root.into());
    let run = scene.start(&std::env::var("TEST_AGENT_RUNS").unwrap(), PATIENCE);
    fs::write(scene.work().join("dispatch"), run.dispatch.to_string()).unwrap();
    loop {
        std::thread::park();
    }
}

/// Another process that starts the command and then waits to be killed.
pub(crate) fn agent(scene: &Scene, command: &str, failpoint: &str) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "agent::as_agent"])
        .env("TEST_AGENT_IN", scene.root())
        .env("TEST_AGENT_RUNS", command)
        .env("CANDOR_FAILPOINT", failpoint)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

#[test]
fn a_killed_agent_costs_no_result() {
    let scene = Scene::new();
    make_fifo(&scene.work().join("go"));
    let mut agent = agent(&scene, "echo on; read < go; echo off; exit 7", "");
    let dispatch =
        eventually(|| DispatchId::parse(&fs::read_to_string(scene.work().join("dispatch")).ok()?).ok());
    let mut run = scene.run_of(dispatch);
    run.until("on");
    agent.kill().unwrap();
    agent.wait().unwrap();
    let facts = run.facts();
    assert!(facts.lock_held && facts.launched && facts.receipt.is_none());
    signal(run.launch().pid, "HUP");
    assert!(is_alive(run.launch().pid));
    fs::write(scene.work().join("go"), "\n").unwrap();
    let done = run.end();
    done.assert_exit(7);
    assert_eq!(done.text(), "on\noff\n");
}
