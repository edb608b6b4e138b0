//! Single frames, measured from within: a pseudo-terminal would measure itself.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::disallowed_methods
)] // a bench may fail, and owns its clock
#![allow(dead_code)] // the other benches use the rest of what is shared

#[path = "figures/homes.rs"]
mod homes;
#[path = "figures/report.rs"]
mod report;
#[path = "figures/stats.rs"]
mod stats;
#[path = "figures/unsynced.rs"]
mod unsynced;

use candor::record::Committed;
use candor::session::Session;
use candor::store::ids;
use candor::tui::lab::{Press, Stage};
use report::Report;
use stats::{median, millis, quantile};
use std::time::Instant;

/// Rows of a turn that is made here, about.
const ROWS_OF_A_TURN: usize = 100;

fn main() {
    let quick = std::env::args().any(|argument| argument == "--quick");
    let (rounds, frames) = if quick { (2, 100) } else { (7, 600) };
    let mut report = Report::default();
    let (mut stage, rows) = conversation(300_000);
    let tails: Vec<f64> = (0..rounds).map(|_| quantile(&walk(&mut stage, frames), 0.99)).collect();
    report.time(&format!("one frame, 120×40, p99: keys and scrolling, {rows} rows"), &tails, 1.0);
    let tails: Vec<f64> = (0..rounds).map(|_| quantile(&resizing(&mut stage, 40), 1.0)).collect();
    report.time(&format!("the frame after a resize, {rows} rows, the slowest of 40"), &tails, 16.0);
    drop(stage);
    // An answer of some 50 KB in each.
    let answer = || quantile(&streaming(&mut conversation(300_000).0, frames), 0.99);
    let tails: Vec<f64> = (0..rounds).map(|_| answer()).collect();
    report.time(&format!("one frame, 120×40, p99: streaming below, {rows} rows"), &tails, 1.0);
    let frame = |rows| median(&walk(&mut conversation(rows).0, frames));
    report.growth("frame", "3,000 rows", [3_000, 30_000, 300_000].map(frame));
}

/// A conversation of at least so many rows, and how many.
fn conversation(rows: usize) -> (Stage, usize) {
    let records = homes::records("/", 0, &mut |turn| turn * ROWS_OF_A_TURN < rows);
    let mut session = Session::new(ids::session());
    session.apply(committed(0, homes::beginning("/"))).unwrap();
    for (record, seq) in records.into_iter().zip(1..) {
        session.apply(committed(seq, record)).unwrap();
    }
    let mut stage = Stage::new(session, 120, 40);
    stage.draw().unwrap();
    let has = stage.rows();
    (stage, has)
}

fn committed(seq: u64, record: candor::record::Record) -> Committed {
    Committed { seq, at: homes::now(), record }
}

fn timed(stage: &mut Stage, change: impl FnOnce(&mut Stage)) -> f64 {
    let begun = Instant::now();
    change(stage);
    assert!(stage.draw().unwrap() > 0);
    millis(begun.elapsed())
}

/// Keys in the composer, pages and rows up, as many pages down: every frame changes
/// something, however short the conversation.
fn walk(stage: &mut Stage, frames: usize) -> Vec<f64> {
    let presses = [
        Press::Letter('a'),
        Press::Backspace,
        Press::PageUp,
        Press::PageUp,
        Press::RowUp,
        Press::Letter('b'),
        Press::PageDown,
        Press::Backspace,
        Press::PageDown,
    ];
    let times = presses.into_iter().cycle().take(frames);
    let times = times.map(|press| timed(stage, |stage| stage.press(press))).collect();
    stage.press(Press::Bottom);
    stage.draw().unwrap();
    times
}

/// An answer in paragraphs that grows while its end is in sight.
fn streaming(stage: &mut Stage, frames: usize) -> Vec<f64> {
    (0..frames)
        .map(|frame| {
            let end = if frame % 8 == 7 { "\n\n" } else { " " };
            let text = homes::prose(frame, 80) + end;
            timed(stage, |stage| stage.delta(&text))
        })
        .collect()
}

fn resizing(stage: &mut Stage, times: u16) -> Vec<f64> {
    let sizes = (0..times).map(|time| (100 + time % 40, 30 + time % 20));
    let times = sizes.map(|(columns, rows)| timed(stage, |stage| stage.resize(columns, rows)));
    let times = times.collect();
    stage.resize(120, 40);
    stage.draw().unwrap();
    times
}
