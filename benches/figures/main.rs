//! The figures of `docs/performance.md`, each measured beside its floor.
//!
//! `cargo bench --bench figures` measures all; words after `--` choose some by
//! name. `--quick` takes fewer rounds: good for trying, not for telling.
//! `CANDOR_BENCH_PROGRAM` names another `candor` than the one that cargo built.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::disallowed_methods
)] // a bench may fail, and owns its files and its clock

mod commands;
mod growth;
mod homes;
mod large;
mod process;
mod report;
mod screen;
mod server;
mod stats;
mod storage;
mod terminal;
mod unsynced;
mod viewer;

use report::Report;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

/// Few rounds.
const QUICK: &str = "--quick";
/// One figure, in this process.
const ONE: &str = "--one=";

type Figure = fn(&Bench, &mut Report);

const FIGURES: &[(&str, Figure)] = &[
    ("start", screen::start),
    ("echo", screen::echo),
    ("flood", screen::flood),
    ("idle", screen::idle),
    ("memory", screen::memory),
    ("supervisor", commands::supervisor),
    ("wire", commands::end_to_wire),
    ("record", storage::record),
    ("open", large::open),
    ("list", storage::list),
    ("search", storage::search),
    ("inspect", large::inspect),
    ("viewer", viewer::viewer),
    ("size", screen::size),
    ("growth", growth::growth),
];

/// The programs, and how patient the one who measures is.
pub(crate) struct Bench {
    pub(crate) candor: PathBuf,
    pub(crate) floor: PathBuf,
    quick: bool,
}

impl Bench {
    /// So many rounds, or a quick look.
    pub(crate) fn rounds(&self, rounds: usize) -> usize {
        if self.quick { rounds.div_ceil(5) } else { rounds }
    }

    /// So many bytes, or a quick look.
    pub(crate) fn bytes(&self, bytes: usize) -> usize {
        if self.quick { bytes / 8 } else { bytes }
    }
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [mode, rate, seconds] = arguments.as_slice()
        && mode == "--lines"
    {
        return print_lines(rate.parse().unwrap(), seconds.parse().unwrap());
    }
    if let [mode, dir, filling] = arguments.as_slice()
        && mode == homes::FILL
    {
        return homes::fill(Path::new(dir), filling);
    }
    if !Path::new("/proc/self/schedstat").exists() {
        eprintln!("figures: this system has no /proc/self/schedstat to read processor time from");
        return;
    }
    let quick = arguments.iter().any(|argument| argument == QUICK);
    if let Some(name) = arguments.iter().find_map(|argument| argument.strip_prefix(ONE)) {
        return measure(name, quick);
    }
    let wanted: Vec<&String> = arguments.iter().filter(|argument| !argument.starts_with("--")).collect();
    for (name, _) in FIGURES {
        if wanted.is_empty() || wanted.iter().any(|wanted| wanted == name) {
            // A process that has read much forks slowly, which would be measured.
            let mut own = Command::new(std::env::current_exe().unwrap());
            own.arg(format!("{ONE}{name}")).args(quick.then_some(QUICK));
            assert!(own.status().unwrap().success(), "{name} could not be measured");
        }
    }
}

/// The figures of this name.
fn measure(name: &str, quick: bool) {
    let bench = Bench {
        candor: std::env::var_os("CANDOR_BENCH_PROGRAM")
            .map_or_else(|| env!("CARGO_BIN_EXE_candor").into(), PathBuf::from),
        floor: beside("floor"),
        quick,
    };
    let mut report = Report::default();
    eprintln!("figures: {name}");
    let figures = FIGURES.iter().filter(|(figure, _)| *figure == name);
    figures.for_each(|(_, measure)| measure(&bench, &mut report));
    if !report.missed.is_empty() {
        eprintln!("figures: missed: {}", report.missed.join("; "));
    }
}

/// Another bench target, as cargo builds it beside this one.
fn beside(name: &str) -> PathBuf {
    let own = std::env::current_exe().unwrap();
    let entries = std::fs::read_dir(own.parent().unwrap()).unwrap().map(|entry| entry.unwrap().path());
    let built = entries.filter(|path| {
        let file = path.file_name().unwrap().to_str().unwrap_or_default();
        let hash = file.strip_prefix(name).and_then(|rest| rest.strip_prefix('-'));
        hash.is_some_and(|hash| hash.bytes().all(|byte| byte.is_ascii_hexdigit()))
    });
    let newest = built.max_by_key(|path| path.metadata().unwrap().modified().unwrap());
    newest.expect("cargo bench builds the floor too")
}

/// A command that prints so many lines a second.
fn print_lines(rate: u64, seconds: u64) {
    let (begun, mut printed) = (Instant::now(), 0);
    let mut output = std::io::stdout().lock();
    while begun.elapsed() < Duration::from_secs(seconds) {
        let due = (begun.elapsed().as_secs_f64() * rate as f64) as u64;
        let lines: String = (printed..due).map(|line| format!("line {line} of a long build\n")).collect();
        if output.write_all(lines.as_bytes()).is_err() {
            return;
        }
        printed = due;
        std::thread::sleep(Duration::from_millis(2));
    }
}
