//! One scratch directory with executions in it, and a look at what they left.

use candor::config::BashSettings;
use candor::record::{
    CallId, DispatchId, Ended, FolderFacts, Launch, Order, ProcessNote, Receipt, SessionId, TurnId,
};
use candor::tools::{
    Asked, Bash, Followed, Follower, Laid, Launcher, Prepared, lay, process_note, read, request_stop,
};
use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};
use tempfile::TempDir;
use uuid::Uuid;

/// Longer than anything here takes on a busy machine.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// The supervisor's program.
pub(crate) const PROGRAM: &str = env!("CARGO_BIN_EXE_candor");

/// Commands in one scratch directory.
pub(crate) struct Scene {
    pub(crate) bash: Bash,
    pub(crate) launcher: Launcher,
    root: PathBuf,
    session: SessionId,
    /// Removed at the end, unless it is somebody else's.
    _scratch: Option<TempDir>,
}

/// One command that was started.
pub(crate) struct Run {
    pub(crate) dispatch: DispatchId,
    pub(crate) dir: PathBuf,
    /// Processes that may outlive the command: those that a receipt names.
    named: Vec<u64>,
}

/// A command that has ended.
pub(crate) struct Done {
    pub(crate) output: Vec<u8>,
    pub(crate) facts: FolderFacts,
}

impl Scene {
    pub(crate) fn new() -> Self {
        Self::with(&BashSettings::default(), &[])
    }

    pub(crate) fn with(settings: &BashSettings, variables: &[(&str, &str)]) -> Self {
        let scratch = tempfile::tempdir().unwrap();
        fs::create_dir(scratch.path().join("work")).unwrap();
        fs::create_dir(scratch.path().join("calls")).unwrap();
        let root = scratch.path().to_owned();
        Self { _scratch: Some(scratch), ..Self::at(root, settings, variables) }
    }

    /// With a FIFO `gate`, from which a command can read until [`Self::open_gate`].
    pub(crate) fn gated() -> Self {
        let scene = Self::new();
        make_fifo(&scene.work().join("gate"));
        scene
    }

    pub(crate) fn open_gate(&self) {
        fs::write(self.work().join("gate"), "go\n").unwrap();
    }

    /// In the scratch directory of another process.
    pub(crate) fn of_another(root: PathBuf) -> Self {
        Self::at(root, &BashSettings::default(), &[])
    }

    fn at(root: PathBuf, settings: &BashSettings, variables: &[(&str, &str)]) -> Self {
        let mut environment: Vec<(OsString, OsString)> = vec![("PATH".into(), "/usr/bin:/bin".into())];
        environment.extend(variables.iter().map(|(name, value)| (name.into(), value.into())));
        let cwd = root.join("work").to_str().unwrap().to_owned();
        Self {
            bash: Bash::new(settings, "SECRET_KEY", cwd, environment),
            launcher: Launcher { program: PROGRAM.into() },
            session: SessionId::from_uuid(Uuid::now_v7()),
            root,
            _scratch: None,
        }
    }

    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    pub(crate) fn work(&self) -> PathBuf {
        self.root.join("work")
    }

    pub(crate) fn calls(&self) -> PathBuf {
        self.root.join("calls")
    }

    /// Lets a script make things difficult for the supervisor first.
    pub(crate) fn wrap(&mut self, script: &str) {
        let wrapper = self.root.join("wrapper");
        write_program(&wrapper, &format!("{script}\nexec {PROGRAM} \"$@\""));
        self.launcher.program = wrapper;
    }

    pub(crate) fn prepare(&self, command: &str, timeout: Duration) -> Prepared {
        self.bash.edit(command, u64::try_from(timeout.as_millis()).unwrap()).unwrap()
    }

    pub(crate) fn lay(&self, prepared: &Prepared) -> (Laid, Order) {
        let order = Order {
            v: 1,
            session: self.session,
            turn: TurnId::from_uuid(Uuid::now_v7()),
            call: CallId::new("call_1").unwrap(),
            dispatch: DispatchId::from_uuid(Uuid::now_v7()),
            fingerprint: prepared.operation.fingerprint(),
            operation: prepared.operation.clone(),
        };
        (lay(&self.calls(), &order).unwrap(), order)
    }

    pub(crate) fn start(&self, command: &str, timeout: Duration) -> Run {
        let prepared = self.prepare(command, timeout);
        let (laid, order) = self.lay(&prepared);
        let run = self.run_of(order.dispatch);
        let environment =
            self.bash.environment_of(&prepared.bash.env, self.session, run.dispatch, run.dispatch);
        let execution = self.launcher.start(laid, environment).unwrap();
        assert_eq!(execution.dir, run.dir);
        run
    }

    /// An execution in this directory, whoever started it.
    pub(crate) fn run_of(&self, dispatch: DispatchId) -> Run {
        Run { dispatch, dir: self.calls().join(dispatch.to_string()), named: Vec::new() }
    }

    /// Runs a command to its end, far from any limit.
    pub(crate) fn run(&self, command: &str) -> Done {
        self.start(command, PATIENCE).end()
    }
}

impl Run {
    /// Follows to the end.
    pub(crate) fn end(&mut self) -> Done {
        let done = follow(&self.dir);
        let survivors = done.facts.receipt.iter().flat_map(|receipt| receipt.survivors.iter().flatten());
        self.named = survivors.map(|survivor| survivor.pid).collect();
        done
    }

    /// Follows until the command wrote this.
    pub(crate) fn until(&self, text: &str) {
        block_on(async {
            let mut follower = Follower::new(&self.dir).unwrap();
            let mut output = Vec::new();
            while !String::from_utf8_lossy(&output).contains(text) {
                match follower.next().await {
                    Followed::Output(bytes) => output.extend(bytes),
                    Followed::Ended(facts) => panic!("ended before it wrote {text}: {facts:?}"),
                }
            }
        });
    }

    pub(crate) fn facts(&self) -> FolderFacts {
        read(&self.dir).unwrap()
    }

    pub(crate) fn stop(&self) {
        assert_eq!(request_stop(&self.dir).unwrap(), Asked::Heard);
    }

    pub(crate) fn launch(&self) -> Launch {
        eventually(|| serde_json::from_slice(&fs::read(self.dir.join("launch.json")).ok()?).ok())
    }

    pub(crate) fn shell(&self) -> ProcessNote {
        eventually(|| process_note(&self.dir))
    }

    pub(crate) fn kill_supervisor(&self) {
        signal(self.launch().pid, "KILL");
        self.wait_for_the_lock();
    }

    /// Waits until the supervisor has left.
    pub(crate) fn wait_for_the_lock(&self) {
        eventually(|| (!self.facts().lock_held).then_some(()));
    }
}

impl Drop for Run {
    /// Nothing of the execution lives that was not named.
    fn drop(&mut self) {
        // First these: one that works on starts others all the time.
        self.named.iter().for_each(|pid| signal(*pid, "KILL"));
        let unnamed = processes_of(self.dispatch, &self.named);
        unnamed.iter().for_each(|pid| signal(*pid, "KILL"));
        if !std::thread::panicking() {
            assert!(unnamed.is_empty(), "still alive: {unnamed:?}");
        }
    }
}

impl Done {
    pub(crate) fn receipt(&self) -> &Receipt {
        self.facts.receipt.as_ref().expect("a receipt that fits")
    }

    pub(crate) fn text(&self) -> &str {
        std::str::from_utf8(&self.output).unwrap()
    }

    /// How it ended, with which exit code or signal.
    pub(crate) fn ending(&self) -> (Ended, Option<u8>, Option<u8>) {
        let receipt = self.receipt();
        (receipt.ended, receipt.exit_code, receipt.signal)
    }

    /// It ended so, and no process of it was left.
    pub(crate) fn assert_swept(&self, ended: Ended) {
        assert_eq!(self.receipt().ended, ended);
        assert!(self.receipt().survivors.is_none(), "{:?}", self.receipt());
    }

    pub(crate) fn assert_exit(&self, code: u8) {
        assert_eq!(self.ending(), (Ended::Exit, Some(code), None));
    }
}

/// Nothing comes from it for this long.
pub(crate) async fn assert_silent(follower: &mut Follower, moment: Duration, what: &str) {
    assert!(tokio::time::timeout(moment, follower.next()).await.is_err(), "{what}");
}

/// Follows the execution in a folder to its end.
pub(crate) fn follow(dir: &Path) -> Done {
    block_on(async {
        let mut follower = Follower::new(dir).unwrap();
        let mut output = Vec::new();
        loop {
            match follower.next().await {
                Followed::Output(bytes) => output.extend(bytes),
                Followed::Ended(facts) => return Done { output, facts: *facts },
            }
        }
    })
}

/// An executable script.
pub(crate) fn write_program(path: &Path, script: &str) {
    fs::write(path, format!("#!/bin/bash\n{script}\n")).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

pub(crate) fn make_fifo(path: &Path) {
    assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
}

pub(crate) fn block_on<T>(future: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async { tokio::time::timeout(PATIENCE, future).await.expect("it takes too long") })
}

/// Waits until there is an answer.
pub(crate) fn eventually<T>(mut answer: impl FnMut() -> Option<T>) -> T {
    let started = Instant::now();
    loop {
        if let Some(answer) = answer() {
            return answer;
        }
        assert!(started.elapsed() < PATIENCE, "it takes too long");
        std::thread::sleep(Duration::from_millis(5));
    }
}

pub(crate) fn signal(pid: u64, name: &str) {
    let _ = Command::new("/bin/kill").args([&format!("-{name}"), &pid.to_string()]).status();
}

pub(crate) fn is_alive(pid: u64) -> bool {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit_once(") ").is_some_and(|(_, rest)| !rest.starts_with(['Z', 'X']))
}

/// Living processes with the dispatch in their environment, some left out. A
/// supervisor on its way out, or a process that was just killed, is waited for.
fn processes_of(dispatch: DispatchId, without: &[u64]) -> Vec<u64> {
    let mark = format!("CANDOR_DISPATCH={dispatch}");
    let marked = |pid: &u64| {
        let environment = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
        environment.split(|b| *b == 0).any(|pair| pair == mark.as_bytes())
    };
    let started = Instant::now();
    loop {
        let entries = fs::read_dir("/proc").unwrap().filter_map(Result::ok);
        let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<u64>().ok());
        let found: Vec<u64> =
            pids.filter(|pid| !without.contains(pid) && is_alive(*pid)).filter(marked).collect();
        if found.is_empty() || started.elapsed() > Duration::from_secs(2) {
            return found;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
}
