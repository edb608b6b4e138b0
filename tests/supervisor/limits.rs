//! Limits and requests to stop.

use crate::scene::{PATIENCE, Scene, eventually, signal};
use candor::config::BashSettings;
use candor::record::{Digest, Ended, limits};
use candor::tools::{Asked, request_stop};
use std::time::{Duration, Instant};

const SHORT: Duration = Duration::from_millis(300);

#[test]
fn a_time_limit_stops_the_command() {
    let scene = Scene::new();
    assert_eq!(scene.start("sleep 100", SHORT).end().ending(), (Ended::TimeLimit, None, Some(15)));
}

#[test]
fn a_command_that_ignores_the_request_is_killed() {
    let scene = Scene::new();
    let mut run = scene.start("trap '' TERM; echo on; while :; do sleep 100; done", SHORT);
    let started = Instant::now();
    assert_eq!(run.end().ending(), (Ended::TimeLimit, None, Some(9)));
    assert!(started.elapsed() >= Duration::from_secs(2), "the grace was cut");
}

#[test]
fn cleaning_up_keeps_the_exit_code_and_the_output() {
    let scene = Scene::new();
    let mut run =
        scene.start("trap 'sleep 0.5; echo cleaned; exit 9' TERM; echo on; sleep 100 & wait", PATIENCE);
    run.until("on");
    run.stop();
    let done = run.end();
    assert_eq!(done.ending(), (Ended::Stopped, Some(9), None));
    assert_eq!(done.text(), "on\ncleaned\n");
}

#[test]
fn a_child_cleans_up_although_the_shell_is_gone() {
    let scene = Scene::new();
    let child = "bash -c 'trap \"sleep 0.3; echo cleaned; exit\" TERM; echo on; sleep 100 & wait'";
    let mut run = scene.start(&format!("{child} & wait"), PATIENCE);
    run.until("on");
    run.stop();
    let done = run.end();
    assert_eq!(done.ending(), (Ended::Stopped, None, Some(15)));
    assert_eq!(done.text(), "on\ncleaned\n");
}

#[test]
fn two_requests_are_one() {
    let scene = Scene::new();
    let mut run =
        scene.start("trap 'echo cleaning; sleep 0.2; exit 5' TERM; echo on; sleep 100 & wait", PATIENCE);
    run.until("on");
    run.stop();
    run.stop();
    let done = run.end();
    assert_eq!(done.ending(), (Ended::Stopped, Some(5), None));
    assert_eq!(done.text(), "on\ncleaning\n");
    eventually(|| (request_stop(&run.dir).unwrap() == Asked::NobodyThere).then_some(()));
}

#[test]
fn a_request_before_the_command_runs_is_not_lost() {
    let scene = Scene::new();
    let mut run = scene.start("sleep 100", PATIENCE);
    eventually(|| (request_stop(&run.dir).unwrap() == Asked::Heard).then_some(()));
    assert_eq!(run.end().ending(), (Ended::Stopped, None, Some(15)));
}

#[test]
fn nobody_is_there_without_a_supervisor() {
    let scene = Scene::new();
    let (laid, _) = scene.lay(&scene.prepare("true", PATIENCE));
    assert_eq!(request_stop(laid.dir()).unwrap(), Asked::NobodyThere);
    assert_eq!(request_stop(&laid.dir().join("gone")).unwrap(), Asked::NobodyThere);
}

#[test]
fn a_file_in_the_place_of_the_fifo_is_not_written_to() {
    let scene = Scene::new();
    let (laid, _) = scene.lay(&scene.prepare("true", PATIENCE));
    std::fs::write(laid.dir().join("control"), b"").unwrap();
    assert!(request_stop(laid.dir()).is_err());
    assert_eq!(std::fs::read(laid.dir().join("control")).unwrap(), b"");
}

#[test]
fn a_termination_of_the_supervisor_stops_the_command() {
    let scene = Scene::new();
    let mut run = scene.start("echo on; sleep 100", PATIENCE);
    run.until("on");
    for harmless in ["HUP", "INT", "QUIT"] {
        signal(run.launch().pid, harmless);
    }
    signal(run.launch().pid, "TERM");
    assert_eq!(run.end().ending(), (Ended::Stopped, None, Some(15)));
}

#[test]
fn a_stopped_process_is_continued_to_notice() {
    let scene = Scene::new();
    let mut run = scene.start("trap 'echo cleaned; exit 4' TERM; echo on; kill -STOP $$", PATIENCE);
    run.until("on");
    run.stop();
    let done = run.end();
    assert_eq!(done.ending(), (Ended::Stopped, Some(4), None));
}

#[test]
fn a_flood_does_not_hide_the_time_limit() {
    let scene = Scene::new();
    let mut run = scene.start("yes", SHORT);
    let done = run.end();
    assert_eq!(done.receipt().ended, Ended::TimeLimit);
    assert!(done.receipt().output_bytes > 0);
}

#[test]
fn an_output_limit_stops_a_flood() {
    let settings = BashSettings { output_limit_kib: 64, ..BashSettings::default() };
    let scene = Scene::with(&settings, &[]);
    let mut run = scene.start("yes", PATIENCE);
    let done = run.end();
    assert_eq!(done.ending(), (Ended::OutputLimit, None, Some(15)));
    assert!(done.receipt().output_bytes > 64 << 10);
    let done = scene.run("head -c 65536 /dev/zero");
    done.assert_exit(0);
}

#[test]
fn past_the_spool_all_is_counted_and_the_end_is_kept() {
    let scene = Scene::new();
    let mut run = scene.start("head -c 67108864 /dev/zero; yes | head -c 100000; echo the end", PATIENCE);
    let done = run.end();
    done.assert_exit(0);
    let receipt = done.receipt();
    assert_eq!(receipt.spool_bytes, limits::SPOOL_BYTES);
    assert_eq!(receipt.output_bytes, limits::SPOOL_BYTES + 100_008);
    assert!(!receipt.output_lost);
    let tail = std::fs::read(run.dir.join("output.tail")).unwrap();
    assert_eq!(tail.len(), limits::OUTPUT_TAIL_BYTES);
    assert!(tail.ends_with(b"y\nthe end\n"));
    let excerpt = &done.facts.output.excerpt;
    assert!(excerpt.truncated && excerpt.text.ends_with("y\nthe end\n"));
    assert_eq!(done.output.len() as u64, limits::SPOOL_BYTES);
}

#[test]
fn a_spool_that_cannot_grow_is_drained_and_marked() {
    let mut scene = Scene::new();
    scene.wrap("ulimit -f 64");
    let done = scene.run("yes | head -c 300000; echo the end");
    done.assert_exit(0);
    let receipt = done.receipt();
    assert!(receipt.output_lost);
    assert_eq!((receipt.output_bytes, receipt.spool_bytes), (300_008, 65_536));
    let expected: Vec<u8> = b"y\n".iter().copied().cycle().take(65_536).collect();
    assert_eq!(receipt.output_sha256, Digest::of(&expected));
    assert!(done.facts.output.excerpt.text.ends_with("the end\n"));
}
