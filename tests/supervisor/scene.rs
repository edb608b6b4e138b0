//! One scratch directory with executions in it, and a look at what they left.

use candor::config::BashSettings;
use candor::record::{
    CallId, DispatchId, Ended, FolderFacts, Launch, Order, ProcessNote, Receipt, SessionId, TurnId,
};
use candor::tools::{
    Asked, Bash, Execution, Followed, Follower, Laid, Launcher, Prepared, lay, process_note, request_stop,
};
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};
use tempfile::TempDir;
use uuid::Uuid;

/// Longer than anything here takes on a busy machine.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// The supervisor's program.
pub const PROGRAM: &str = env!("CARGO_BIN_EXE_candor");

/// Commands in one scratch directory.
pub struct Scene {
    scratch: TempDir,
    pub bash: Bash,
    pub launcher: Launcher,
    session: SessionId,
}

/// One command that was started.
pub struct Run {
    pub dispatch: DispatchId,
    pub dir: PathBuf,
    pub execution: Execution,
    /// Processes that may outlive the test, by pid: the ones that were named.
    named: Vec<u64>,
}

/// A command that has ended.
pub struct Done {
    pub output: Vec<u8>,
    pub facts: FolderFacts,
}

impl Scene {
    pub fn new() -> Self {
        Self::with(&BashSettings::default(), &[])
    }

    pub fn with(settings: &BashSettings, variables: &[(&str, &str)]) -> Self {
        let scratch = tempfile::tempdir().unwrap();
        fs::create_dir(scratch.path().join("work")).unwrap();
        fs::create_dir(scratch.path().join("calls")).unwrap();
        let mut environment: Vec<(OsString, OsString)> = vec![("PATH".into(), "/usr/bin:/bin".into())];
        environment.extend(variables.iter().map(|(name, value)| (name.into(), value.into())));
        let cwd = scratch.path().join("work").to_str().unwrap().to_owned();
        Self {
            bash: Bash::new(settings, "SECRET_KEY", cwd, environment),
            launcher: Launcher { program: PROGRAM.into() },
            session: SessionId::from_uuid(Uuid::now_v7()),
            scratch,
        }
    }

    pub fn work(&self) -> PathBuf {
        self.scratch.path().join("work")
    }

    pub fn calls(&self) -> PathBuf {
        self.scratch.path().join("calls")
    }

    pub fn prepare(&self, command: &str, timeout: Duration) -> Prepared {
        self.bash.edit(command, u64::try_from(timeout.as_millis()).unwrap()).unwrap()
    }

    pub fn lay(&self, prepared: &Prepared) -> (Laid, Order) {
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

    pub fn start(&self, command: &str, timeout: Duration) -> Run {
        let prepared = self.prepare(command, timeout);
        let (laid, order) = self.lay(&prepared);
        let dir = laid.dir().to_owned();
        let dispatch = order.dispatch;
        let environment = self.bash.environment_of(&prepared, self.session, dispatch, dispatch);
        let execution = self.launcher.start(laid, environment).unwrap();
        Run { dispatch, dir, execution, named: Vec::new() }
    }

    /// Runs a command to its end, far from any limit.
    pub fn run(&self, command: &str) -> Done {
        self.start(command, PATIENCE).end()
    }
}

impl Run {
    /// Follows to the end.
    pub fn end(&mut self) -> Done {
        let done = block_on(async {
            let mut follower = Follower::new(&self.dir).unwrap();
            let mut output = Vec::new();
            loop {
                match follower.next().await {
                    Followed::Output(bytes) => output.extend(bytes),
                    Followed::Ended(facts) => return Done { output, facts: *facts },
                }
            }
        });
        self.named =
            done.facts.receipt.iter().flat_map(|r| r.survivors.iter().flatten()).map(|s| s.pid).collect();
        done
    }

    /// Follows until the command wrote this.
    pub fn until(&self, text: &str) {
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

    pub fn stop(&self) {
        assert_eq!(request_stop(&self.dir).unwrap(), Asked::Heard);
    }

    pub fn launch(&self) -> Launch {
        eventually(|| serde_json::from_slice(&fs::read(self.dir.join("launch.json")).ok()?).ok())
    }

    pub fn shell(&self) -> ProcessNote {
        eventually(|| process_note(&self.dir))
    }

    pub fn kill_supervisor(&self) {
        signal(self.launch().pid, "KILL");
        eventually(|| (!candor::tools::read(&self.dir)?.lock_held).then_some(()));
    }
}

impl Drop for Run {
    /// Nothing of the execution lives that was not named.
    fn drop(&mut self) {
        let unnamed = processes_of(self.dispatch, &self.named);
        for pid in unnamed.iter().chain(&self.named) {
            signal(*pid, "KILL");
        }
        if !std::thread::panicking() {
            assert!(unnamed.is_empty(), "still alive: {unnamed:?}");
        }
    }
}

impl Done {
    pub fn receipt(&self) -> &Receipt {
        self.facts.receipt.as_ref().expect("a receipt that fits")
    }

    pub fn text(&self) -> &str {
        std::str::from_utf8(&self.output).unwrap()
    }

    pub fn assert_exit(&self, code: u8) {
        let receipt = self.receipt();
        assert_eq!((receipt.ended, receipt.exit_code, receipt.signal), (Ended::Exit, Some(code), None));
    }
}

pub fn block_on<T>(future: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async { tokio::time::timeout(PATIENCE, future).await.expect("it takes too long") })
}

/// Waits until there is an answer.
pub fn eventually<T>(mut answer: impl FnMut() -> Option<T>) -> T {
    let started = Instant::now();
    loop {
        if let Some(answer) = answer() {
            return answer;
        }
        assert!(started.elapsed() < PATIENCE, "it takes too long");
        std::thread::sleep(Duration::from_millis(5));
    }
}

pub fn signal(pid: u64, name: &str) {
    let _ = Command::new("/bin/kill").args([&format!("-{name}"), &pid.to_string()]).status();
}

pub fn is_alive(pid: u64) -> bool {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit_once(") ").is_some_and(|(_, rest)| !rest.starts_with(['Z', 'X']))
}

/// Living processes with the dispatch in their environment, some left out. A
/// supervisor on its way out, or a process that was just killed, is waited for.
fn processes_of(dispatch: DispatchId, without: &[u64]) -> Vec<u64> {
    let needle = format!("CANDOR_DISPATCH={dispatch}");
    let marked = || -> Vec<u64> {
        let entries = fs::read_dir("/proc").unwrap().filter_map(Result::ok);
        let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<u64>().ok());
        pids.filter(|pid| !without.contains(pid) && is_alive(*pid))
            .filter(|pid| {
                let environ = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
                environ.split(|b| *b == 0).any(|pair| pair == needle.as_bytes())
            })
            .collect()
    };
    let started = Instant::now();
    loop {
        let found = marked();
        if found.is_empty() || started.elapsed() > Duration::from_secs(2) {
            return found;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Bytes of a file in a call folder.
pub fn bytes_in(dir: &Path, name: &str) -> Vec<u8> {
    fs::read(dir.join(name)).unwrap()
}
