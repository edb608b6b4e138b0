//! What a supervisor refuses to run, and how its end is followed.

use crate::scene::{PATIENCE, PROGRAM, Scene, block_on, eventually, follow};
use candor::tools::{Followed, Follower, read};
use std::fs::{self, File, OpenOptions};
use std::process::{Command, Stdio};

fn supervise(dir: &std::path::Path, stdout: Stdio) -> bool {
    let mut child = Command::new(PROGRAM).arg("supervise").arg(dir).stdout(stdout).spawn().unwrap();
    child.wait().unwrap().success()
}

#[test]
fn without_the_lock_nothing_runs() {
    let scene = Scene::new();
    let (laid, _) = scene.lay(&scene.prepare("touch effect", PATIENCE));
    let dir = laid.dir().to_owned();
    drop(laid);
    assert!(!supervise(&dir, Stdio::null()), "not the lock at all");
    let copy = File::create(scene.work().join("lock")).unwrap();
    assert!(!supervise(&dir, copy.into()), "another file");
    let holder = File::open(dir.join("lock")).unwrap();
    fs4::FileExt::lock(&holder).unwrap();
    let second = OpenOptions::new().write(true).open(dir.join("lock")).unwrap();
    assert!(!supervise(&dir, second.into()), "held by somebody else");
    assert!(!read(&dir).unwrap().launched && !scene.work().join("effect").exists());
}

#[test]
fn an_order_runs_once() {
    let scene = Scene::new();
    let mut run = scene.start("echo x >> effect", PATIENCE);
    run.end().assert_exit(0);
    run.wait_for_the_lock();
    for made in ["output", "control"] {
        fs::remove_file(run.dir.join(made)).unwrap();
    }
    let lock = OpenOptions::new().write(true).open(run.dir.join("lock")).unwrap();
    assert!(!supervise(&run.dir, lock.into()));
    assert_eq!(fs::read(scene.work().join("effect")).unwrap(), b"x\n");
}

#[test]
fn a_changed_order_is_not_launched() {
    let scene = Scene::new();
    let prepared = scene.prepare("touch effect", PATIENCE);
    for (from, to) in [("touch effect", "touch other!"), ("\"fingerprint\":\"", "\"fingerprint\":\"0")] {
        let (laid, order) = scene.lay(&prepared);
        let dir = laid.dir().to_owned();
        let text = fs::read_to_string(dir.join("order.json")).unwrap().replace(from, to);
        fs::write(dir.join("order.json"), text).unwrap();
        scene.launcher.start(laid, Vec::new()).unwrap();
        let facts = follow(&dir).facts;
        assert_eq!(facts.dispatch, order.dispatch);
        assert!(!facts.launched && facts.receipt.is_none() && facts.order.is_none());
    }
    assert_eq!(fs::read_dir(scene.work()).unwrap().count(), 0);
}

#[test]
fn a_program_that_is_not_there_starts_nothing() {
    let mut scene = Scene::new();
    scene.launcher.program = "/nowhere/candor".into();
    let (laid, _) = scene.lay(&scene.prepare("true", PATIENCE));
    let dir = laid.dir().to_owned();
    assert!(scene.launcher.start(laid, Vec::new()).is_err());
    // A program that another test starts just now may have a copy for a moment.
    let facts = eventually(|| read(&dir).filter(|facts| !facts.lock_held));
    assert!(!facts.launched);
}

#[test]
fn a_follower_that_is_interrupted_loses_nothing() {
    let scene = Scene::new();
    let run = scene.start("for i in {1..40}; do echo $i; sleep 0.005; done; exit 2", PATIENCE);
    let (output, facts) = block_on(async {
        let mut follower = Follower::new(&run.dir).unwrap();
        let mut output = Vec::new();
        loop {
            let soon = std::time::Duration::from_millis(1);
            match tokio::time::timeout(soon, follower.next()).await {
                Err(_) => {}
                Ok(Followed::Output(bytes)) => output.extend(bytes),
                Ok(Followed::Ended(facts)) => return (output, facts),
            }
        }
    });
    let expected: String = (1..=40).map(|i| format!("{i}\n")).collect();
    assert_eq!(String::from_utf8(output).unwrap(), expected);
    assert_eq!(facts.receipt.unwrap().exit_code, Some(2));
}

#[test]
fn a_receipt_that_does_not_fit_is_no_end_while_the_lock_is_held() {
    let scene = Scene::new();
    let (laid, _) = scene.lay(&scene.prepare("true", PATIENCE));
    let dir = laid.dir().to_owned();
    fs::write(dir.join("receipt.json"), "{}").unwrap();
    block_on(async {
        let mut follower = Follower::new(&dir).unwrap();
        let moment = std::time::Duration::from_millis(100);
        assert!(tokio::time::timeout(moment, follower.next()).await.is_err());
        drop(laid);
        let Followed::Ended(facts) = follower.next().await else { panic!("there is no output") };
        assert!(facts.receipt.is_none() && !facts.lock_held);
        assert!(tokio::time::timeout(moment, follower.next()).await.is_err(), "the end comes once");
    });
}

#[test]
fn supervisors_do_not_stay_as_zombies() {
    let scene = Scene::new();
    let mut run = scene.start("true", PATIENCE);
    run.end().assert_exit(0);
    let stat = format!("/proc/{}/stat", run.launch().pid);
    eventually(|| (!std::path::Path::new(&stat).exists()).then_some(()));
}
