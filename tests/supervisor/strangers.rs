//! Processes that are not what a pid says, and more processes than there may be.

use crate::scene::{PATIENCE, Scene, block_on, eventually, is_alive, write_program};
use candor::record::Ended;
use candor::tools::{Asked, read, request_stop, stop_strays};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::time::Duration;

/// Higher than any pid.
const NOBODY: u64 = 999_999_999;

/// A process of nobody's command, with the marks by which it would be known.
struct Stranger {
    child: Child,
    start_time: u64,
}

impl Stranger {
    fn new() -> Self {
        let child = Command::new("sleep").arg("100").spawn().unwrap();
        let stat = fs::read_to_string(format!("/proc/{}/stat", child.id())).unwrap();
        let start_time =
            stat.rsplit_once(')').unwrap().1.split_whitespace().nth(19).unwrap().parse().unwrap();
        Self { child, start_time }
    }

    fn pid(&self) -> u64 {
        u64::from(self.child.id())
    }
}

impl Drop for Stranger {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn boot() -> String {
    fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap().trim_end().to_owned()
}

/// Notes of a launch whose pids now are the stranger's.
fn note(dir: &Path, stranger: &Stranger, supervisor: u64, start_time: u64, boot: &str) {
    let launch = format!(r#"{{"v":1,"pid":{supervisor},"start_time":{start_time},"boot_id":"{boot}"}}"#);
    let process = format!(r#"{{"v":1,"pid":{},"start_time":{start_time}}}"#, stranger.pid());
    fs::write(dir.join("launch.json"), launch).unwrap();
    fs::write(dir.join("process.json"), process).unwrap();
}

/// The folder of a command whose processes are all gone.
fn left(scene: &Scene) -> PathBuf {
    let (laid, _) = scene.lay(&scene.prepare("true", PATIENCE));
    let dir = laid.dir().to_owned();
    drop(laid);
    eventually(|| (!read(&dir).unwrap().lock_held).then_some(()));
    dir
}

#[test]
fn a_pid_that_is_used_again_is_a_stranger_and_is_left_alone() {
    let scene = Scene::new();
    let mut stranger = Stranger::new();
    let dir = left(&scene);
    let (pid, start) = (stranger.pid(), stranger.start_time);
    // Marks that are all its own are believed: so this can fail.
    note(&dir, &stranger, NOBODY, start, &boot());
    assert_eq!(read(&dir).unwrap().alive.iter().map(|it| it.pid).collect::<Vec<_>>(), [pid]);
    note(&dir, &stranger, pid, start, &boot());
    assert!(read(&dir).unwrap().lock_held, "so does a supervisor that lives");
    let other_boot = boot().chars().rev().collect::<String>();
    for (start, boot) in [(start + 1, boot()), (start, other_boot), (start, String::new())] {
        for supervisor in [pid, NOBODY] {
            note(&dir, &stranger, supervisor, start, &boot);
            let facts = read(&dir).unwrap();
            assert!(facts.launched && facts.alive.is_empty() && !facts.lock_held, "{facts:?}");
            assert!(request_stop(&dir).is_ok_and(|it| it == Asked::NobodyThere));
            assert!(block_on(stop_strays(&dir)).is_empty());
        }
    }
    assert!(is_alive(pid) && stranger.child.try_wait().unwrap().is_none());
}

/// A control group that allows so many processes, removed at the end.
struct Limited(PathBuf);

impl Limited {
    /// None, with the reason printed, where this user may not make one. A limit
    /// of the user (`RLIMIT_NPROC`) does not bind root and would bind others.
    fn to(processes: u32) -> Option<Self> {
        let name = format!("candor-test-{}-{processes}", std::process::id());
        let places = ["/sys/fs/cgroup/pids", "/sys/fs/cgroup"];
        let made = places.iter().map(|place| Path::new(place).join(&name)).find(|dir| {
            let limited = || fs::write(dir.join("pids.max"), processes.to_string());
            fs::create_dir(dir).is_ok_and(|()| limited().is_ok() || fs::remove_dir(dir).is_err())
        });
        if made.is_none() {
            println!("skipped: this user may not make a control group that limits processes");
        }
        made.map(Self)
    }

    /// The supervisor goes into it before it begins.
    fn enter(&self) -> String {
        format!("echo $$ > {}/cgroup.procs", self.0.display())
    }

    fn processes(&self) -> String {
        fs::read_to_string(self.0.join("cgroup.procs")).unwrap()
    }
}

impl Drop for Limited {
    fn drop(&mut self) {
        for _ in 0..200 {
            // The last one may just be leaving.
            if fs::remove_dir(&self.0).is_ok() {
                return;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

/// A scene whose supervisors begin with so few processes, which is dropped before
/// their limit.
fn limited_to(processes: u32) -> Option<(Limited, Scene)> {
    let limited = Limited::to(processes)?;
    let mut scene = Scene::new();
    scene.wrap(&limited.enter());
    Some((limited, scene))
}

#[test]
fn a_fork_bomb_ends_at_its_limit_with_nothing_left() {
    let Some((limited, scene)) = limited_to(60) else { return };
    let bomb = "trap '' TERM; bomb() { bomb | bomb & }; echo on; bomb 2>/dev/null; sleep 100";
    let mut run = scene.start(bomb, Duration::from_millis(1500));
    run.end().assert_swept(Ended::TimeLimit);
    eventually(|| limited.processes().is_empty().then_some(()));
}

#[test]
fn a_bomb_that_leaves_its_session_ends_when_it_is_stopped() {
    let Some((limited, scene)) = limited_to(61) else { return };
    let link = scene.work().join("link");
    write_program(&link, "trap '' TERM\nsetsid \"$0\" & setsid \"$0\" &\nsleep 0.01");
    let mut run = scene.start("./link </dev/null >/dev/null 2>&1; echo on; sleep 100", PATIENCE);
    run.until("on");
    run.stop();
    run.end().assert_swept(Ended::Stopped);
    eventually(|| limited.processes().is_empty().then_some(()));
}

#[test]
fn a_command_for_which_there_is_no_process_was_not_started() {
    let Some((_limited, scene)) = limited_to(1) else { return };
    let mut run = scene.start("touch effect", PATIENCE);
    assert_eq!(run.end().ending(), (Ended::NotStarted, None, None));
    assert!(!scene.work().join("effect").exists());
}

#[test]
fn what_was_stopped_and_left_the_session_is_named() {
    let scene = Scene::new();
    let stopped =
        "mkfifo up; (setsid bash -c 'echo > up; kill -STOP $$' >/dev/null 2>&1 &); read < up; sleep 0.2";
    let done_command = format!("{stopped}; echo hi");
    let mut run = scene.start(&done_command, PATIENCE);
    let done = run.end();
    done.assert_exit(0);
    let survivors = done.receipt().survivors.as_ref().unwrap();
    assert_eq!(survivors.len(), 1, "{survivors:?}");
    assert!(survivors[0].command.starts_with("bash -c echo > up"), "{survivors:?}");
    assert!(is_alive(survivors[0].pid));
}
