//! Whatever is done to a journal, `inspect` never says that all is well. The one
//! thing that it cannot know by itself has a row of its own.

use crate::scene::{assert_refused, code, finished};
use crate::support::{Scratch, eventually, processes_with, signal};
use rustix::process::Signal;
use std::path::PathBuf;

/// A session of two turns, one command in each, and its files.
struct Bench {
    scratch: Scratch,
    id: String,
    journal: PathBuf,
    head: PathBuf,
    lines: Vec<Vec<u8>>,
}

impl Bench {
    fn new() -> Self {
        let (scratch, id) = finished();
        let mut terminal = scratch.start(&["--demo", "--plain", "-c"]);
        terminal.expect("\n> ").send("Run: echo again\n");
        terminal.expect("run or deny> ").send("run\n");
        terminal.expect("completed").expect("\n> ").send("\u{4}");
        assert_eq!(terminal.wait_exit(), 0);
        Self::of(scratch, id)
    }

    fn of(scratch: Scratch, id: String) -> Self {
        let journal = scratch.sessions()[0].join("journal.jsonl");
        let head = scratch.home().join(format!("data/demo/heads/{id}.json"));
        let bytes = std::fs::read(&journal).unwrap();
        let lines = bytes.split_inclusive(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect();
        Self { scratch, id, journal, head, lines }
    }

    /// The exit code of `inspect` on a journal with these bytes in its place.
    fn inspect(&self, bytes: &[u8]) -> i32 {
        std::fs::write(&self.journal, bytes).unwrap();
        let output = self.scratch.run(&["inspect", &self.id]);
        assert_eq!(std::fs::read(&self.journal).unwrap(), bytes, "the file was touched");
        let code = code(&output);
        assert_eq!(output.stdout.is_empty(), code == 1, "{output:?}");
        std::fs::write(&self.journal, self.lines.concat()).unwrap();
        code
    }

    fn line_of(&self, kind: &str) -> usize {
        let kind = format!("\"type\":\"{kind}\"");
        self.lines.iter().position(|line| String::from_utf8_lossy(line).contains(&kind)).unwrap()
    }

    /// With one line changed as text.
    fn changed(&self, at: usize, change: impl Fn(&str) -> String) -> Vec<u8> {
        let mut lines = self.lines.clone();
        let text = String::from_utf8(lines[at].clone()).unwrap();
        let changed = change(&text);
        assert_ne!(text, changed);
        lines[at] = changed.into_bytes();
        lines.concat()
    }

    fn order(&self, order: &[usize]) -> Vec<u8> {
        order.iter().flat_map(|at| self.lines[*at].clone()).collect()
    }
}

fn upper_case_of(line: &str, key: &str) -> String {
    let at = line.rfind(&format!("\"{key}\":\"")).unwrap() + key.len() + 4;
    format!("{}{}", &line[..at], line[at..].to_uppercase())
}

#[test]
fn a_changed_journal_is_refused() {
    let bench = Bench::new();
    let all: Vec<usize> = (0..bench.lines.len()).collect();
    let last = all.len() - 1;
    assert_eq!(bench.inspect(&bench.lines.concat()), 0);
    let result = bench.line_of("tool_result");
    let edited =
        |from: &'static str, to: &'static str| bench.changed(result, move |line| line.replacen(from, to, 1));
    let rows = [
        ("an edited word", edited("completed", "denied")),
        ("another exit code", edited("\"exit_code\":0", "\"exit_code\":1")),
        ("a removed line", bench.order(&[&all[..result], &all[result + 1..]].concat())),
        ("a doubled line", bench.order(&[&all[..=result], &all[result..]].concat())),
        (
            "two swapped lines",
            bench.order(&[&all[..result], &[result + 1, result], &all[result + 2..]].concat()),
        ),
        ("an old line inserted", bench.order(&[&all[..result], &[1], &all[result..]].concat())),
        ("the first line gone", bench.order(&all[1..])),
        ("white space", edited("\"type\":", "\"type\": ")),
        ("a carriage return", edited("}\n", "}\r\n")),
        ("an escaped key", edited("\"type\"", "\"\\u0074ype\"")),
        ("another number form", edited("\"v\":1", "\"v\":1.0")),
        ("a doubled key", edited("{\"v\":1", "{\"v\":1,\"v\":1")),
        ("an upper-case signature", bench.changed(last, |line| upper_case_of(line, "sig"))),
        ("an upper-case chain", bench.changed(last, |line| line.replace("\"prev\":\"", "\"prev\":\"A"))),
        ("bytes after the signature", edited("\"}\n", "\"} \n")),
        ("an unsigned line", [bench.lines.concat(), b"{\"v\":1}\n".to_vec()].concat()),
        ("a blank line", [bench.lines.concat(), b"\n".to_vec()].concat()),
        ("nothing", Vec::new()),
        ("a whole turn cut off", bench.order(&all[..=bench.line_of("turn_ended")])),
        ("everything but the first line cut off", bench.order(&all[..1])),
        ("a byte order mark", [b"\xef\xbb\xbf".to_vec(), bench.lines.concat()].concat()),
    ];
    for (what, bytes) in rows {
        assert_eq!(bench.inspect(&bytes), 1, "{what}");
    }
    let tail = [bench.lines.concat(), b"{\"v\":1".to_vec()].concat();
    assert_eq!(bench.inspect(&tail), 2, "a torn tail is reported");
}

#[test]
fn another_key_or_session_is_refused() {
    let bench = Bench::new();
    let (own, id) = (bench.scratch.json(&["key", "--json"]), bench.id.as_str());
    let other = bench.scratch.json(&["key", "new", "--json"]);
    let with = |option: &str, value: &str| code(&bench.scratch.run(&["inspect", id, option, value]));
    assert_eq!(with("--public-key", own["public_key"].as_str().unwrap()), 0);
    assert_eq!(with("--public-key", other["public_key"].as_str().unwrap()), 1);
    assert_eq!(with("--session", id), 0);
    assert_eq!(with("--session", "0193a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b"), 64, "never both");
    let copy = bench.scratch.work().join("copy.jsonl");
    std::fs::copy(&bench.journal, &copy).unwrap();
    let file =
        |more: &[&str]| code(&bench.scratch.run(&[&["inspect", copy.to_str().unwrap()], more].concat()));
    assert_eq!(file(&["--session", "0193a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b"]), 1);
    assert_eq!(file(&["--session", id]), 0);
    std::fs::remove_file(
        bench.scratch.home().join(format!("config/keys/{}.pub", own["key_id"].as_str().unwrap())),
    )
    .unwrap();
    std::fs::remove_file(
        bench.scratch.home().join(format!("config/keys/{}.seed", own["key_id"].as_str().unwrap())),
    )
    .unwrap();
    assert_eq!(file(&[]), 1, "without its key nothing can be said");
    assert_eq!(file(&["--public-key", own["public_key"].as_str().unwrap()]), 0);
}

#[test]
fn a_forged_or_missing_head_is_refused() {
    let bench = Bench::new();
    let head = std::fs::read(&bench.head).unwrap();
    let inspect = || code(&bench.scratch.run(&["inspect", &bench.id]));
    for position in [5, 60, 150, head.len() - 20] {
        let mut forged = head.clone();
        forged[position] ^= 1;
        std::fs::write(&bench.head, &forged).unwrap();
        assert_eq!(inspect(), 1, "byte {position}");
    }
    std::fs::remove_file(&bench.head).unwrap();
    assert_eq!(inspect(), 1, "no head");
    std::fs::write(&bench.head, &head).unwrap();
    assert_eq!(inspect(), 0);
}

/// The head's record is on the chain, but it does not vouch for the turns after
/// it. So it is after a crash between a turn's end and its head, too, and the
/// next opening writes it anew.
#[test]
fn an_older_head_beside_the_present_journal_does_not_vouch_for_it() {
    let scratch = Scratch::new();
    let mut terminal = scratch.start(&["--demo", "--plain"]);
    let turn = |terminal: &mut crate::support::Terminal| {
        terminal.send("Run: true\n");
        terminal.expect("run or deny> ").send("run\n");
        terminal.expect("completed").expect("\n> ");
    };
    terminal.expect("> ");
    turn(&mut terminal);
    let bench = Bench::of(scratch, String::new());
    let id = bench.scratch.id();
    let head = bench.scratch.home().join(format!("data/demo/heads/{id}.json"));
    let older = std::fs::read(&head).unwrap();
    turn(&mut terminal);
    terminal.send("\u{4}");
    terminal.wait_exit();
    let warns = || bench.scratch.json(&["inspect", &id])["warnings"].to_string().contains("an older one");
    assert!(!warns());
    let newest = std::fs::read(&head).unwrap();
    std::fs::write(&head, &older).unwrap();
    let output = bench.scratch.run(&["inspect", &id]);
    assert_eq!((code(&output), warns()), (2, true), "{output:?}");
    let present = bench.scratch.json(&["inspect", &id])["head"].as_str().unwrap().to_owned();
    assert_eq!(code(&bench.scratch.run(&["inspect", &id, "--expect-head", &present])), 0);
    let mut again = bench.scratch.start(&["--demo", "--plain", "-c"]);
    again.expect("> ").send("\u{4}");
    again.wait_exit();
    assert_eq!((code(&bench.scratch.run(&["inspect", &id])), warns()), (0, false));
    assert_eq!(std::fs::read(&head).unwrap(), newest);
    std::fs::write(&head, older).unwrap();
    // With the journal of that time beside it nothing here tells.
    let journal = bench.scratch.sessions()[0].join("journal.jsonl");
    std::fs::write(&journal, bench.lines.concat()).unwrap();
    assert_refused(&bench.scratch.run(&["inspect", &id]), "was started and is not in the journal");
    std::fs::remove_dir_all(journal.with_file_name("calls")).unwrap();
    assert_eq!((code(&bench.scratch.run(&["inspect", &id])), warns()), (0, false));
    assert_eq!(code(&bench.scratch.run(&["inspect", &id, "--expect-head", &present])), 1);
}

#[test]
fn a_copy_of_a_deleted_session_is_held_against_the_head_in_the_trash() {
    let bench = Bench::new();
    let copy = bench.scratch.work().join("copy.jsonl");
    std::fs::write(&copy, bench.lines[..=bench.line_of("turn_ended")].concat()).unwrap();
    assert_eq!(code(&bench.scratch.run(&["sessions", "rm", &bench.id])), 0);
    let output = bench.scratch.run(&["inspect", copy.to_str().unwrap()]);
    assert_eq!(code(&output), 1, "{output:?}");
}

#[test]
fn a_copy_that_ends_with_a_turn_is_only_told_by_a_head_from_elsewhere() {
    let bench = Bench::new();
    let report = bench.scratch.json(&["inspect", &bench.id]);
    let head = report["head"].as_str().unwrap();
    let copy = bench.scratch.work().join("copy.jsonl");
    let older = bench.lines[..=bench.line_of("turn_ended")].concat();
    std::fs::write(&copy, &older).unwrap();
    let file = copy.to_str().unwrap();
    assert_eq!(code(&bench.scratch.run(&["inspect", file])), 1, "the head kept here tells");
    std::fs::remove_file(&bench.head).unwrap();
    let alone = bench.scratch.json(&["inspect", file]);
    assert_eq!((&alone["anchor"], &alone["journal_complete"]), (&"absent".into(), &true.into()));
    assert!(alone["warnings"].to_string().contains("--expect-head"), "{alone}");
    assert_eq!(code(&bench.scratch.run(&["inspect", file])), 0);
    assert_eq!(code(&bench.scratch.run(&["inspect", file, "--expect-head", head])), 1);
}

#[test]
fn a_copy_cut_anywhere_else_is_not_complete() {
    let bench = Bench::new();
    std::fs::remove_file(&bench.head).unwrap();
    let copy = bench.scratch.work().join("copy.jsonl");
    let bytes = bench.lines.concat();
    let ends = |cut: usize| {
        let turn = bench.line_of("turn_ended");
        cut == bench.lines[..=turn].concat().len() || cut == bytes.len()
    };
    let boundaries: Vec<usize> = bench
        .lines
        .iter()
        .scan(0, |end, line| {
            *end += line.len();
            Some(*end)
        })
        .collect();
    let around = boundaries.iter().flat_map(|end| [end - 1, *end, end + 1]);
    for cut in around.filter(|cut| *cut <= bytes.len()).chain([0, 1, 100]) {
        std::fs::write(&copy, &bytes[..cut]).unwrap();
        let code = code(&bench.scratch.run(&["inspect", copy.to_str().unwrap()]));
        let expected = if ends(cut) {
            0
        } else if cut < bench.lines[0].len() {
            1
        } else {
            2
        };
        assert_eq!(code, expected, "cut at {cut}");
    }
}

#[test]
fn an_open_turn_cut_off_is_told_by_its_call_folder() {
    let (scratch, id) = finished();
    let mut terminal = scratch.start(&["--demo", "--plain", "-c"]);
    terminal.expect("\n> ").send("Run: echo be''gun; sleep 600\n");
    terminal.expect("run or deny> ").send("run\n");
    terminal.expect("begun");
    terminal.kill();
    eventually("its processes die", || {
        let pids = processes_with(&id);
        pids.iter().for_each(|pid| signal(*pid, Signal::KILL));
        pids.is_empty()
    });
    let bench = Bench::of(scratch, id);
    assert_eq!(bench.inspect(&bench.lines.concat()), 2);
    let end = bench.line_of("turn_ended");
    // Nothing but the folder tells: the head was written at the turn's end.
    assert_eq!(bench.inspect(&bench.lines[..=end].concat()), 1);
    for more in 1..bench.lines.len() - end {
        assert_ne!(bench.inspect(&bench.lines[..=end + more].concat()), 0, "{more} lines of the open turn");
    }
}

#[test]
fn a_forged_decision_counts_for_nothing() {
    let (scratch, id, dispatch) = crate::scene::unknown();
    let arguments = ["reconcile", &id, "--dispatch", &dispatch, "--outcome", "happened", "--note", "looked"];
    assert_eq!(code(&scratch.run(&arguments)), 0);
    assert_eq!(code(&scratch.run(&["inspect", &id])), 0);
    let path = scratch.sessions()[0].join(format!("decisions/{dispatch}.json"));
    let text = std::fs::read_to_string(&path).unwrap();
    let cut = text.len() - 140;
    let forged = [
        ("another outcome", text.replace("happened", "partly")),
        ("another note", text.replace("looked", "lookec")),
        ("another operator", text.replace("\"operator\":\"", "\"operator\":\"x")),
        ("another record", text.replace("\"seq\":", "\"seq\":1")),
        ("another session", text.replace(&id, "0193a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b")),
        ("an upper-case signature", upper_case_of(&text, "sig")),
        ("white space", text.replace("\",\"note\"", "\", \"note\"")),
        ("no newline", text.trim_end().to_owned()),
        ("two of them", text.repeat(2)),
        ("no signature", text[..cut].to_owned()),
        ("nothing", String::new()),
    ];
    let refused = |what: &str| {
        let output = scratch.run(&["inspect", &id]);
        assert_eq!(code(&output), 2, "{what}: {output:?}");
        assert!(String::from_utf8_lossy(&output.stdout).contains("does not count"), "{what}: {output:?}");
    };
    for (what, forged) in forged {
        assert_ne!(forged, text, "{what}");
        std::fs::write(&path, forged).unwrap();
        refused(what);
    }
    // A good one, but through a link; and one about another command.
    let aside = scratch.work().join("decision.json");
    std::fs::write(&aside, &text).unwrap();
    std::fs::remove_file(&path).unwrap();
    std::os::unix::fs::symlink(&aside, &path).unwrap();
    refused("a link");
    std::fs::remove_file(&path).unwrap();
    std::fs::write(path.with_file_name("0193a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b.json"), &text).unwrap();
    refused("another command's");
    std::fs::write(&path, &text).unwrap();
    assert_eq!(code(&scratch.run(&["inspect", &id])), 0, "as it was");
    assert_eq!(scratch.id(), id);
}
