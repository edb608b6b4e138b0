//! A home and a directory that are a test's own, and what was written there.

use super::Terminal;
use std::path::{Path, PathBuf};

/// A scratch home and a working directory.
pub(crate) struct Scratch {
    dir: tempfile::TempDir,
}

impl Scratch {
    pub(crate) fn new() -> Self {
        Self::within(tempfile::tempdir().unwrap())
    }

    /// Whose path has the same length everywhere, whatever `TMPDIR` says.
    pub(crate) fn in_tmp() -> Self {
        Self::within(tempfile::tempdir_in("/tmp").unwrap())
    }

    /// Where many files are made and none of them has to survive.
    pub(crate) fn in_memory() -> Self {
        let dir = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir());
        Self::within(dir.unwrap())
    }

    fn within(dir: tempfile::TempDir) -> Self {
        let scratch = Self { dir };
        std::fs::create_dir(scratch.work()).unwrap();
        scratch
    }

    /// `CANDOR_HOME`.
    pub(crate) fn home(&self) -> PathBuf {
        self.dir.path().join("home")
    }

    /// The directory that commands run in.
    pub(crate) fn work(&self) -> PathBuf {
        self.dir.path().join("shop")
    }

    pub(crate) fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.work().join(name)).unwrap_or_default()
    }

    /// All sessions, the demo's too, oldest first.
    pub(crate) fn sessions(&self) -> Vec<PathBuf> {
        let places = ["data/sessions", "data/demo/sessions"].map(|place| self.home().join(place));
        let entries = places.iter().filter_map(|place| std::fs::read_dir(place).ok()).flatten();
        let mut found: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
        found.retain(|path| !path.file_name().unwrap().to_str().unwrap().starts_with('.'));
        found.sort();
        found
    }

    /// The only session's journal, one JSON value a line.
    pub(crate) fn journal(&self) -> Vec<serde_json::Value> {
        let sessions = self.sessions();
        assert_eq!(sessions.len(), 1, "{sessions:?}");
        let text = std::fs::read_to_string(sessions[0].join("journal.jsonl")).unwrap();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// The bodies of all records of this type, in order.
    pub(crate) fn records(&self, kind: &str) -> Vec<serde_json::Value> {
        self.journal()
            .into_iter()
            .filter(|line| line["type"] == kind)
            .map(|line| line["body"].clone())
            .collect()
    }

    /// A FIFO `gate` in the working directory: a command that reads from it waits
    /// until the test writes to it.
    pub(crate) fn gate(&self) -> PathBuf {
        let gate = self.work().join("gate");
        rustix::fs::mknodat(rustix::fs::CWD, &gate, rustix::fs::FileType::Fifo, 0o600.into(), 0).unwrap();
        gate
    }

    /// The first session's id.
    pub(crate) fn id(&self) -> String {
        self.sessions()[0].file_name().unwrap().to_str().unwrap().to_owned()
    }

    /// The dispatch of the only session's first command.
    pub(crate) fn dispatch(&self) -> String {
        self.records("tool_started")[0]["dispatch"].as_str().unwrap().to_owned()
    }

    /// The types of all records, in order.
    pub(crate) fn kinds(&self) -> Vec<String> {
        self.journal().iter().map(|line| line["type"].as_str().unwrap().to_owned()).collect()
    }

    /// Every journal is accepted by the verifier that was written from the
    /// documentation alone, where there is a Python to run it.
    pub(crate) fn verify_journals(&self) {
        let keys = std::fs::read_dir(self.home().join("config/keys")).unwrap();
        let mut public = keys
            .map(|entry| entry.unwrap().path())
            .filter(|path| path.extension().is_some_and(|it| it == "pub"));
        let public = std::fs::read_to_string(public.next().unwrap()).unwrap();
        let verifier = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/acceptance/verify.py");
        for session in self.sessions() {
            let journal = session.join("journal.jsonl");
            let run = std::process::Command::new("python3")
                .arg(&verifier)
                .arg(&journal)
                .arg(public.trim())
                .output();
            match run {
                Ok(output) => assert!(output.status.success(), "{}: {output:?}", journal.display()),
                Err(error) => println!("skipped: no python3 to verify with ({error})"),
            }
        }
    }

    /// Starts `candor` with these arguments in a terminal.
    pub(crate) fn start(&self, arguments: &[&str]) -> Terminal {
        self.start_with(arguments, &[])
    }

    /// Starts another program, which runs `candor`, in a terminal.
    pub(crate) fn start_program(&self, program: &str, arguments: &[&str]) -> Terminal {
        Terminal::start_program(program, &self.home(), &self.work(), arguments, &[], (24, 100))
    }

    pub(crate) fn start_with(&self, arguments: &[&str], environment: &[(&str, &str)]) -> Terminal {
        Terminal::start(&self.home(), &self.work(), arguments, environment, (24, 100))
    }

    /// Runs `candor` without a terminal.
    pub(crate) fn run(&self, arguments: &[&str]) -> std::process::Output {
        std::process::Command::new(super::program())
            .args(arguments)
            .current_dir(self.work())
            .env("CANDOR_HOME", self.home())
            .env_remove("OPENAI_API_KEY")
            .stdin(std::process::Stdio::null())
            .output()
            .unwrap()
    }

    /// Runs `candor` and gives its standard output as JSON.
    pub(crate) fn json(&self, arguments: &[&str]) -> serde_json::Value {
        let output = self.run(arguments);
        serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {output:?}"))
    }
}
