//! Start, echo, idling, memory: the real program in a pseudo-terminal.

use super::Bench;
use super::homes::{Home, LAST_WORDS};
use super::report::Report;
use super::server::{Answer, Server};
use super::stats::{median, millis, quantile};
use super::terminal::Terminal;
use super::{process, stats};
use std::time::Duration;

/// The last thing that a first frame shows.
const PAINTED: &str = "Enter s";
/// The arguments of a start that has nothing to ask.
pub(crate) const NOWHERE: &[&str] = &["--base-url", "http://127.0.0.1:1/v1", "--model", "bench"];
/// A letter that no escape sequence ends with and no text here holds.
const KEY: &str = "Q";
const CTRL_U: &str = "\u{15}";
/// Keys in a row of the composer.
const ROW: usize = 80;

/// Starts Candor and waits for the composer.
pub(crate) fn started(bench: &Bench, home: &Home, arguments: &[&str]) -> (Terminal, Duration) {
    let arguments = [NOWHERE, arguments].concat();
    let mut terminal = Terminal::start(&bench.candor, &arguments, &home.path(), &home.work());
    let painted = terminal.wait_for(PAINTED);
    let time = painted - terminal.begun;
    (terminal, time)
}

fn floor(bench: &Bench, home: &Home) -> (Terminal, Duration) {
    let mut terminal = Terminal::start(&bench.floor, &[], &home.path(), &home.work());
    let painted = terminal.wait_for(PAINTED);
    let time = painted - terminal.begun;
    (terminal, time)
}

pub(crate) fn start(bench: &Bench, report: &mut Report) {
    let home = Home::with(1_000, 1);
    let (mut candor, mut bare, mut cpu) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..bench.rounds(25) {
        bare.push(millis(floor(bench, &home).1));
        let (terminal, time) = started(bench, &home, &[]);
        cpu.push(process::cpu(terminal.pid()));
        candor.push(millis(time));
    }
    report.ratio("start to painted composer, 1,000 sessions at home", &candor, &bare, 1.5);
    report.time("processor time until painted", &cpu, 20.0);
}

/// From the key to its echo, so many times, at a pace that no timer shares.
fn echoes(terminal: &mut Terminal, keys: usize) -> Vec<f64> {
    let mut times = Vec::with_capacity(keys);
    for key in 0..keys {
        terminal.forget();
        let pressed = terminal.send(KEY);
        times.push(millis(terminal.wait_for(KEY) - pressed));
        pause(key);
        if key % ROW == ROW - 1 {
            clear(terminal);
        }
    }
    clear(terminal);
    times
}

/// Empties the composer. A key that came before that was drawn would change no
/// cell, and never be seen.
fn clear(terminal: &mut Terminal) {
    terminal.send(CTRL_U);
    std::thread::sleep(Duration::from_millis(300));
}

/// 15 to 31 ms.
fn pause(number: usize) {
    std::thread::sleep(Duration::from_micros(15_000 + (number as u64 * 7_919) % 16_000));
}

/// Medians and 99th percentiles of several rounds.
#[derive(Default)]
struct Rounds {
    medians: Vec<f64>,
    tails: Vec<f64>,
}

impl Rounds {
    fn take(&mut self, times: &[f64]) {
        self.medians.push(median(times));
        self.tails.push(quantile(times, 0.99));
    }
}

pub(crate) fn echo(bench: &Bench, report: &mut Report) {
    let home = Home::with(1_000, 1);
    let (mut candor, mut bare) = (started(bench, &home, &[]).0, floor(bench, &home).0);
    std::thread::sleep(Duration::from_secs(2));
    let (mut own, mut least) = (Rounds::default(), Rounds::default());
    for _ in 0..bench.rounds(5) {
        least.take(&echoes(&mut bare, 200));
        own.take(&echoes(&mut candor, 200));
    }
    report.ratio("key to echo, idle, p99", &own.tails, &least.tails, 1.3);
    report.note("key to echo, idle, median", &stats::spread(&own.medians), &stats::spread(&least.medians));
}

/// While text streams, and then while a command prints; the floor is idle.
pub(crate) fn flood(bench: &Bench, report: &mut Report) {
    let home = Home::with(1_000, 1);
    let mut bare = floor(bench, &home).0;
    let own = std::env::current_exe().unwrap();
    let (mut streaming, mut printing, mut least) = (Rounds::default(), Rounds::default(), Rounds::default());
    for _ in 0..bench.rounds(5) {
        least.take(&echoes(&mut bare, 150));
        let run = Answer::Run(format!("{} --lines 50000 12", own.display()));
        let stream = Answer::Stream { rate: 5_000, time: Duration::from_secs(12) };
        let server = Server::start(vec![stream, run, Answer::Text("done".into())]);
        let arguments = ["--base-url", &server.base_url, "--model", "bench"];
        let mut candor = Terminal::start(&bench.candor, &arguments, &home.path(), &home.work());
        candor.say("talk");
        candor.shows("words words");
        streaming.take(&echoes(&mut candor, 150));
        candor.shows("  ready");
        candor.say("run");
        candor.approve();
        candor.shows("of a long build");
        printing.take(&echoes(&mut candor, 150));
    }
    let title = "key to echo, p99, while 5,000 deltas a second stream";
    report.ratio(title, &streaming.tails, &least.tails, 2.0);
    let title = "key to echo, p99, while a command prints 50,000 lines a second";
    report.ratio(title, &printing.tails, &least.tails, 2.0);
    let medians = format!("{}; {}", stats::spread(&streaming.medians), stats::spread(&printing.medians));
    report.note("the medians of these two", &medians, &stats::spread(&least.medians));
}

pub(crate) fn idle(bench: &Bench, report: &mut Report) {
    let home = Home::with(1_000, 1);
    let (terminal, _) = started(bench, &home, &[]);
    std::thread::sleep(Duration::from_secs(8));
    let pid = terminal.pid();
    let (wakeups, cpu) = (process::wakeups(pid), process::cpu(pid));
    std::thread::sleep(Duration::from_secs(10));
    report.amount("idle: wake-ups in 10 s", (process::wakeups(pid) - wakeups) as f64, "", 2.0);
    report.amount("idle: processor time in 10 s", process::cpu(pid) - cpu, "ms", 0.05);
}

pub(crate) fn memory(bench: &Bench, report: &mut Report) {
    let home = Home::with(1_000, 1);
    let (terminal, _) = started(bench, &home, &[]);
    std::thread::sleep(Duration::from_secs(3));
    tell_memory(report, "idle, 1,000 sessions at home", &terminal, 16.0);
    drop(terminal);

    let server = Server::start(vec![Answer::Run("seq 50000".into()), Answer::Text("done".into())]);
    let arguments = ["--base-url", &server.base_url, "--model", "bench"];
    let mut terminal = Terminal::start(&bench.candor, &arguments, &home.path(), &home.work());
    terminal.say("run");
    terminal.approve();
    terminal.shows("  ready");
    tell_memory(report, "after a command of 50,000 lines", &terminal, 24.0);
    drop(terminal);

    for (name, bytes, most) in [("20 MB", 20_000_000, 60.0), ("60 MiB", 59 << 20, 120.0)] {
        let (home, id) = Home::with_long_session(bytes);
        let mut terminal = started(bench, &home, &["--session", &id.to_string()]).0;
        terminal.shows(LAST_WORDS);
        std::thread::sleep(Duration::from_secs(1));
        tell_memory(report, &format!("a session of {name}"), &terminal, most);
    }
}

fn tell_memory(report: &mut Report, what: &str, terminal: &Terminal, most: f64) {
    let pid = terminal.pid();
    report.amount(&format!("resident memory: {what}"), process::resident(pid), "MB", most);
    let own = format!(
        "{:.1} MB without files, at most {:.1} MB so far",
        process::own(pid),
        process::most_resident(pid)
    );
    report.note(&format!("of it, {what}"), &own, "");
}

pub(crate) fn size(bench: &Bench, report: &mut Report) {
    let bytes = std::fs::metadata(&bench.candor).unwrap().len();
    report.amount("stripped release binary", bytes as f64 / 1e6, "MB", 12.0);
}
