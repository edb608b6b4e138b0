//! Surroundings that are hostile, and what may be printed in them.

use crate::byte_server::{ByteServer, Step};
use crate::hostile::{graphemes, names, payload};
use crate::own_sequences::{Face, foreign};
use crate::support::Terminal;
use std::path::PathBuf;
use tokio::runtime::Runtime;

/// A home and a directory whose every name is hostile, a server, and settings
/// that name it.
pub(crate) struct Place {
    root: tempfile::TempDir,
    pub(crate) server: ByteServer,
    _runtime: Runtime,
}

/// A model's name is one line of text; all that such a line can hide is here.
pub(crate) const MODEL: &str = "m\u{202e}\u{2066}\u{200b}\u{feff}\u{e0041}\u{ad}e\u{301}\u{301}\u{301}";

/// Neither bell nor notification, so that any bell is somebody else's.
pub(crate) const QUIET: &str = "[screen]\nbell = false\nnotify = false\n";

impl Place {
    pub(crate) fn new(scripts: Vec<Vec<Step>>) -> Self {
        let runtime = Runtime::new().unwrap();
        let server = runtime.block_on(ByteServer::start(scripts)).unwrap();
        let place = Self { root: tempfile::tempdir().unwrap(), server, _runtime: runtime };
        std::fs::create_dir_all(place.work()).unwrap();
        std::fs::create_dir_all(place.home().join("config")).unwrap();
        std::fs::write(place.home().join("config/config.toml"), QUIET).unwrap();
        std::fs::write(place.work().join("AGENTS.md"), payload(0)).unwrap();
        std::fs::write(place.work().join("hostile"), format!("{}\n{}live\n", payload(1), graphemes()))
            .unwrap();
        names().iter().for_each(|name| std::fs::write(place.work().join(name), "").unwrap());
        std::fs::create_dir(place.work().join(".git")).unwrap();
        let head = format!("ref: refs/heads/{}\n", payload(2));
        std::fs::write(place.work().join(".git/HEAD"), head).unwrap();
        place
    }

    pub(crate) fn home(&self) -> PathBuf {
        self.root.path().join(&names()[1])
    }

    pub(crate) fn work(&self) -> PathBuf {
        names().iter().fold(self.root.path().to_owned(), |path, name| path.join(name))
    }

    pub(crate) fn start(&self, arguments: &[&str], size: (u16, u16)) -> Terminal {
        // What a person types is echoed by the terminal, not by Candor.
        let candor = crate::support::program();
        let quoted: Vec<&str> = [&["-c", "stty -echo; exec \"$0\" \"$@\"", candor], arguments].concat();
        let environment = [
            ("OPENAI_API_KEY", "sk-test"),
            ("LC_HOSTILE", &payload(3)),
            ("TERM", &format!("xterm-256color{}", names()[2])),
            ("LANG", &format!("C.UTF-8{}", names()[3])),
        ];
        Terminal::start_program("/bin/sh", &self.home(), &self.work(), &quoted, &environment, size)
    }

    /// With the server, as lines.
    pub(crate) fn converse(&self, more: &[&str]) -> Terminal {
        let base_url = format!("{}/v1", self.server.origin);
        self.start(&[&["--base-url", &base_url, "--model", MODEL], more].concat(), (50, 120))
    }

    /// Runs a command on a terminal to its end.
    pub(crate) fn command(&self, arguments: &[&str]) -> String {
        println!("candor {arguments:?}");
        let mut terminal = self.start(arguments, (50, 120));
        terminal.wait_exit();
        checked(&terminal, Face::Lines)
    }

    pub(crate) fn session(&self) -> String {
        let mut sessions = std::fs::read_dir(self.home().join("data/sessions")).unwrap();
        let name = sessions.next().unwrap().unwrap().file_name();
        name.into_string().unwrap()
    }
}

/// What was printed; only Candor's own sequences are in it.
pub(crate) fn checked(terminal: &Terminal, face: Face) -> String {
    let bytes = terminal.printed_bytes();
    let found = foreign(face, &bytes);
    let printed = String::from_utf8_lossy(&bytes).into_owned();
    assert!(found.is_empty(), "{:#?}\n{}", &found[..found.len().min(20)], tail(&printed));
    printed
}

fn tail(printed: &str) -> String {
    let kept: Vec<char> = printed.chars().rev().take(3_000).collect();
    kept.into_iter().rev().collect()
}

/// No line begins as Candor's own do, but for those that say one of these.
pub(crate) fn assert_nobody_speaks_for_candor(printed: &str) {
    for line in printed.lines().filter(|line| line.starts_with("Candor")) {
        assert!(!line.starts_with("Candor: everything was approved"), "{line}");
    }
}

/// As typed into a line: no control is taken for an order to the terminal.
pub(crate) fn typed(text: &str) -> String {
    text.chars().flat_map(|c| [c.is_ascii_control().then_some('\u{16}'), Some(c)]).flatten().collect()
}
