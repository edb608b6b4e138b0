//! How cost grows with size: ×1, ×10, ×100.

use super::Bench;
use super::homes::Home;
use super::report::Report;
use super::stats::{median, millis};
use super::storage::Pair;
use super::{large, screen, storage};

pub(crate) fn growth(bench: &Bench, report: &mut Report) {
    let sessions = [100, 1_000, 10_000].map(|count| Home::with(count, 1));
    let start = |home: &Home| {
        let times: Vec<f64> =
            (0..bench.rounds(15)).map(|_| millis(screen::started(bench, home, &[]).1)).collect();
        median(&times)
    };
    report.growth("start to painted composer", "100 sessions", sessions.each_ref().map(start));
    let list = |home: &Home| median(&storage::listed(bench, home, bench.rounds(7)));
    report.growth("list", "100 sessions", sessions.each_ref().map(list));
    drop(sessions);

    let append = |turns: usize| {
        let home = Home::empty();
        let mut pair = Pair::new(&home.work());
        (0..turns).for_each(|seed| _ = pair.turn(0, seed));
        let times: Vec<f64> = (0..50).map(|seed| pair.turn(1 << 10, seed).0.cpu).collect();
        median(&times)
    };
    report.growth("append, processor time", "30 records before it", [10, 100, 1_000].map(append));

    let open = |bytes: usize| {
        let (home, _) = Home::with_long_session(bytes);
        let times: Vec<f64> = (0..bench.rounds(5)).map(|_| large::opened(bench, &home).0).collect();
        median(&times)
    };
    report.growth("open", "600 kB", [600_000, 6_000_000, 60_000_000].map(open));

    let search = |bytes: usize| {
        let home = Home::with_bytes(bytes);
        storage::searched(&home);
        let times: Vec<f64> = (0..bench.rounds(7)).map(|_| storage::searched(&home)).collect();
        median(&times)
    };
    report.growth("search", "4 MB", [4_000_000, 40_000_000, 400_000_000].map(search));
}
