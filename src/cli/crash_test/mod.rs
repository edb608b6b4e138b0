//! `candor crash-test`: the promise, attacked.
//!
//! Each round runs this program on the demo in a pseudo-terminal, kills it or
//! what it has started, starts it again, and holds what is then said against
//! what the commands themselves wrote outside. A step means: the kill came as
//! soon as the step's record or file was seen on disk, or a little later.
#![allow(clippy::disallowed_methods)] // starts and kills this program, in directories of its own

mod judge;
mod opening;
mod plan;
mod round;
mod scratch;
mod tally;
mod terminal;
mod turn;
mod victims;
mod watch;

use super::say;
use crate::tools::Launcher;
use plan::Plan;
use round::Report;
use std::io::IsTerminal as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};
use tally::Tally;

/// What runs a command.
const BASH: &str = "/bin/bash";
/// Exit code after Ctrl+C, as shells report it.
const INTERRUPTED: u8 = 130;
/// As many directories of rounds in which something was found are kept.
const KEPT: usize = 20;
/// Between two lines of progress.
const PROGRESS: Duration = Duration::from_millis(250);

/// Kill Candor at every step of a turn, in a scratch directory, and check what it then says
#[derive(Debug, clap::Args)]
pub struct CrashTestArgs {
    /// How many turns are attacked
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..))]
    rounds: u32,
    /// What the rounds are drawn from; printed, to draw the same ones again
    #[arg(long, value_name = "S")]
    seed: Option<u64>,
    /// The first round, to play one again
    #[arg(long, value_name = "ROUND", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..), hide = true)]
    from: u32,
    /// Another build in the place of this program
    #[arg(long, value_name = "FILE", hide = true)]
    program: Option<PathBuf>,
}

/// Why a round does not go on.
#[derive(Debug)]
enum Halt {
    /// Somebody asked to stop.
    Stopped,
    /// The test itself cannot go on: a sentence.
    Broken(String),
    /// The program does not do what it should: what, in words.
    Stuck(String),
}

/// Whether somebody asked to stop.
#[derive(Debug, Clone, Default)]
struct Stop(Arc<AtomicBool>);

impl Stop {
    /// Set by Ctrl+C, a request to end, and a closed terminal.
    fn on_signals() -> Result<Self, String> {
        use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
        let stop = Self::default();
        for signal in [SIGINT, SIGTERM, SIGHUP] {
            signal_hook::flag::register(signal, Arc::clone(&stop.0))
                .map_err(|error| format!("Signals cannot be waited for: {error}."))?;
        }
        Ok(stop)
    }

    fn is_asked(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    fn ask(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Sleeps, and ends the round if somebody asked to stop.
    fn nap(&self, how_long: Duration) -> Result<(), Halt> {
        const STEP: Duration = Duration::from_millis(20);
        let until = Instant::now() + how_long;
        loop {
            if self.is_asked() {
                return Err(Halt::Stopped);
            }
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok(());
            }
            std::thread::sleep(left.min(STEP));
        }
    }
}

/// Plays the rounds and prints the table; exit 1 if anything was found.
///
/// # Errors
/// A sentence, if the test cannot be done here.
pub fn crash_test(args: &CrashTestArgs) -> Result<u8, String> {
    let program = program(args.program.as_deref())?;
    rustix::fs::access(BASH, rustix::fs::Access::EXEC_OK)
        .map_err(|error| format!("{BASH} cannot be run ({error}), and the attacked turns need it."))?;
    terminal::try_one()?;
    let parent = tempfile::Builder::new().prefix("candor-crash-test-").tempdir().map_err(|error| {
        format!("No scratch directory can be made in {}: {error}.", std::env::temp_dir().display())
    })?;
    let stop = Stop::on_signals()?;
    let seed = match args.seed {
        Some(seed) => seed,
        None => getrandom::u64().map_err(|error| format!("No seed can be drawn: {error}."))?,
    };
    say::text(&format!("{} rounds with --seed {seed}, in {}\n", args.rounds, parent.path().display()))?;
    if !cfg!(target_os = "linux") {
        say::text("Only the agent is killed: this system does not tell which process is which.\n")?;
    }
    let work = Work {
        seed,
        first: args.from - 1,
        rounds: args.rounds,
        parent: parent.path(),
        program: &program,
        stop: &stop,
    };
    let (tally, outcome, kept) = work.all();
    say::text(&format!("\n{}", tally.table()))?;
    if kept > 0 {
        let path = parent.keep();
        say::text(&format!("What was found is kept in {}.\n", path.display()))?;
    }
    match outcome {
        _ if tally.found() > 0 => Ok(1),
        Some(Halt::Broken(sentence) | Halt::Stuck(sentence)) => Err(sentence),
        Some(Halt::Stopped) => {
            say::text(&format!("Stopped after {} of {} rounds.\n", tally.rounds(), args.rounds))?;
            Ok(INTERRUPTED)
        }
        None => Ok(0),
    }
}

/// The program that is attacked.
fn program(other: Option<&Path>) -> Result<PathBuf, String> {
    match other {
        Some(path) => {
            path.canonicalize().map_err(|error| format!("{} cannot be used: {error}.", path.display()))
        }
        None => Launcher::this_program()
            .map(|launcher| launcher.program)
            .map_err(|error| format!("This program cannot be found: {error}.")),
    }
}

/// What all rounds have in common.
struct Work<'a> {
    seed: u64,
    first: u32,
    rounds: u32,
    parent: &'a Path,
    program: &'a Path,
    stop: &'a Stop,
}

impl Work<'_> {
    /// Plays the rounds, as many at a time as there are cores.
    fn all(&self) -> (Tally, Option<Halt>, usize) {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let next = AtomicU32::new(0);
        let (sender, reports) = channel();
        std::thread::scope(|scope| {
            for _ in 0..cores.min(self.rounds as usize) {
                let (sender, next) = (sender.clone(), &next);
                scope.spawn(move || self.some(next, &sender));
            }
            drop(sender);
            self.gather(&reports)
        })
    }

    /// One after the other, until there are no more or one ends all.
    fn some(&self, next: &AtomicU32, reports: &Sender<Result<Report, Halt>>) {
        loop {
            let round = next.fetch_add(1, Ordering::Relaxed);
            if round >= self.rounds || self.stop.is_asked() {
                return;
            }
            let plan = Plan::draw(self.seed, self.first.saturating_add(round));
            let played = round::play(plan, self.parent, self.program, self.stop);
            let ends = played.is_err();
            // Nobody listens only after another round ended all.
            if reports.send(played).is_err() || ends {
                return;
            }
        }
    }

    fn gather(&self, reports: &Receiver<Result<Report, Halt>>) -> (Tally, Option<Halt>, usize) {
        let (mut tally, mut outcome, mut kept) = (Tally::default(), None, 0);
        let mut progress = Progress::new(self.rounds);
        loop {
            match reports.recv_timeout(PROGRESS) {
                Ok(Ok(report)) => {
                    tally.add(&report);
                    progress.clear();
                    kept += usize::from(self.tell(&report, kept));
                }
                Ok(Err(halt)) => {
                    self.stop.ask();
                    // The first one is the reason; those after it were stopped.
                    outcome.get_or_insert(halt);
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break,
            }
            progress.draw(&tally);
        }
        progress.clear();
        if outcome.is_none() && self.stop.is_asked() {
            outcome = Some(Halt::Stopped);
        }
        (tally, outcome, kept)
    }

    /// Says what a round found; whether its directory is kept.
    fn tell(&self, report: &Report, kept: usize) -> bool {
        let round = report.plan.round + 1;
        for finding in &report.findings {
            let step = report.plan.step.words();
            println!("round {round}, {step}: {}: {}", finding.wrong.words(), finding.sentence);
        }
        let Some(dir) = &report.kept else { return false };
        if kept < KEPT {
            println!("round {round} is kept: {}", dir.display());
            return true;
        }
        println!("round {round} is not kept: there are {KEPT} of them already");
        scratch::remove(dir);
        false
    }
}

/// One line that is written over; nothing where nobody looks.
struct Progress {
    rounds: u32,
    shown: bool,
    since: Instant,
    last: Option<Instant>,
}

impl Progress {
    fn new(rounds: u32) -> Self {
        Self { rounds, shown: std::io::stderr().is_terminal(), since: Instant::now(), last: None }
    }

    fn draw(&mut self, tally: &Tally) {
        if !self.shown || self.last.is_some_and(|last| last.elapsed() < PROGRESS) {
            return;
        }
        self.last = Some(Instant::now());
        let (done, found) = (tally.rounds(), tally.found());
        let left = (self.rounds as usize).saturating_sub(done);
        let spent = u64::try_from(self.since.elapsed().as_millis()).unwrap_or(u64::MAX);
        let left = match done {
            0 => String::new(),
            done => {
                let left = spent.saturating_mul(left as u64) / done as u64;
                format!(", about {} left", crate::text::human_duration(left / 1_000 * 1_000))
            }
        };
        super::say::progress(&format!("\r\u{1b}[Kround {done} of {}, {found} found{left}", self.rounds));
    }

    fn clear(&mut self) {
        if self.shown && self.last.take().is_some() {
            super::say::progress("\r\u{1b}[K");
        }
    }
}
