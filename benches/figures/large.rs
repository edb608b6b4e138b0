//! A session near its limit, opened and verified.

use super::Bench;
use super::homes::{Home, LAST_WORDS, warm};
use super::report::Report;
use super::screen::NOWHERE;
use super::stats::{millis, ms, quantile};
use super::terminal::Terminal;
use ed25519_dalek::{Signature, VerifyingKey};
use sha2::{Digest as _, Sha256};
use std::fs::File;
use std::io::Read as _;
use std::num::NonZero;
use std::path::Path;
use std::time::{Duration, Instant};

/// Near the limit of 64 MiB, of which the last 4 are for closing.
const BYTES: usize = 59 << 20;
const TAB: &str = "\t";
/// The hurry of a person: what comes closer after Enter is taken for a paste.
const HURRY: Duration = Duration::from_millis(25);

/// Reads a file as a stream and hashes it, in milliseconds.
fn hashed(path: &Path) -> f64 {
    let begun = Instant::now();
    let (mut file, mut hash) = (File::open(path).unwrap(), Sha256::new());
    let mut buffer = vec![0; 256 << 10];
    while let count @ 1.. = file.read(&mut buffer).unwrap() {
        hash.update(&buffer[..count]);
    }
    std::hint::black_box(hash.finalize());
    millis(begun.elapsed())
}

/// From Enter on the session at home to its last turn; then a key at once.
pub(crate) fn opened(bench: &Bench, home: &Home) -> (f64, f64) {
    let mut terminal = Terminal::start(&bench.candor, NOWHERE, &home.path(), &home.work());
    terminal.shows("Enter s");
    terminal.shows("Session number 0");
    terminal.send(TAB);
    terminal.shows("Enter open");
    let mark = terminal.mark();
    let entered = terminal.enter();
    std::thread::sleep(HURRY);
    let pressed = terminal.send("Q");
    let echo = millis(terminal.wait_for("Q") - pressed);
    // It may have come before the key's echo.
    let painted = terminal.came(LAST_WORDS, mark).unwrap_or_else(|| terminal.wait_for(LAST_WORDS));
    (millis(painted - entered), echo)
}

pub(crate) fn open(bench: &Bench, report: &mut Report) {
    let (home, id) = Home::with_long_session(BYTES);
    let journal = home.journal(id);
    let length = warm(&journal);
    let (mut own, mut least, mut echoes) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..bench.rounds(9) {
        least.push(hashed(&journal));
        let (time, echo) = opened(bench, &home);
        own.push(time);
        echoes.push(echo);
    }
    let title = format!("a session of {} MiB: Enter to its last turn, chain verified", length >> 20);
    report.ratio(&title, &own, &least, 2.0);
    report.time("first key while it is opened", &echoes, 16.0);
    report.note("the slowest of these", &format!("{} ms", ms(quantile(&echoes, 1.0))), "");
}

pub(crate) fn inspect(bench: &Bench, report: &mut Report) {
    let (home, id) = Home::with_long_session(BYTES);
    let journal = std::fs::read(home.journal(id)).unwrap();
    let key = home.public_key();
    let (mut own, mut least) = (Vec::new(), Vec::new());
    for _ in 0..bench.rounds(7) {
        least.push(verified(&journal, &key));
        let begun = Instant::now();
        let run = std::process::Command::new(&bench.candor)
            .args(["inspect", &id.to_string(), "--json"])
            .env("CANDOR_HOME", home.path())
            .current_dir(home.work())
            .output()
            .unwrap();
        own.push(millis(begun.elapsed()));
        assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    }
    let title = format!("`inspect` of {} MiB with every signature", journal.len() >> 20);
    report.ratio(&title, &own, &least, 1.2);
}

/// Strict verification of every line and nothing else, on all cores.
fn verified(journal: &[u8], key: &VerifyingKey) -> f64 {
    const TRAILER: usize = 139;
    let lines: Vec<(Vec<u8>, Signature)> = journal
        .split_inclusive(|byte| *byte == b'\n')
        .map(|line| {
            let (body, trailer) = line.split_at(line.len() - TRAILER);
            let digits = std::str::from_utf8(&trailer[8..136]).unwrap();
            let bytes: Vec<u8> =
                (0..64).map(|at| u8::from_str_radix(&digits[2 * at..2 * at + 2], 16).unwrap()).collect();
            let signature = Signature::from_bytes(&bytes.try_into().unwrap());
            ([b"candor-journal:1\n", body].concat(), signature)
        })
        .collect();
    let cores = std::thread::available_parallelism().map_or(1, NonZero::get);
    let begun = Instant::now();
    std::thread::scope(|scope| {
        for part in lines.chunks(lines.len().div_ceil(cores)) {
            scope.spawn(move || {
                part.iter().for_each(|(message, signature)| key.verify_strict(message, signature).unwrap());
            });
        }
    });
    millis(begun.elapsed())
}
