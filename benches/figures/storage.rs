//! Records, lists, searches.

use super::Bench;
use super::homes::{Home, beginning, message, now, prose, response};
use super::report::Report;
use super::stats::{median, millis, ms, spread};
use candor::journal::files::Disk;
use candor::journal::{Building, Journal};
use candor::record::{Record, TurnEnded, TurnStatus, UserMessage};
use candor::store::{Needle, ids};
use rustix::time::{ClockId, clock_gettime};
use std::fs::File;
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

/// Processor time of this thread, in milliseconds.
fn own_cpu() -> f64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as f64 * 1e3 + time.tv_nsec as f64 / 1e6
}

/// A journal and a bare file beside it.
pub(crate) struct Pair {
    journal: Journal,
    path: PathBuf,
    bare: File,
}

/// What one durable write took, in milliseconds.
pub(crate) struct Taken {
    pub(crate) time: f64,
    pub(crate) cpu: f64,
}

fn taken(work: impl FnOnce()) -> Taken {
    let (begun, cpu) = (Instant::now(), own_cpu());
    work();
    Taken { cpu: own_cpu() - cpu, time: millis(begun.elapsed()) }
}

impl Pair {
    pub(crate) fn new(dir: &Path) -> Self {
        let path = dir.join("journal.jsonl");
        let key = ed25519_dalek::SigningKey::from_bytes(&[7; 32]);
        let mut building = Building::begin(Arc::new(Disk), &path, ids::session(), key).unwrap();
        building.commit(beginning("/"), now()).unwrap();
        let journal = building.finish(&path).unwrap();
        let bare = File::options().create(true).append(true).open(dir.join("bare")).unwrap();
        Self { journal, path, bare }
    }

    fn commit(&mut self, record: impl Into<Record>) {
        self.journal.commit(record.into(), now()).unwrap();
    }

    /// A turn whose answer's line has about that many bytes; what the answer
    /// took, and what bare writes of the same bytes took.
    pub(crate) fn turn(&mut self, bytes: usize, seed: usize) -> (Taken, Taken) {
        let turn = ids::turn();
        self.commit(UserMessage { turn, text: "go on".into(), imported: false, ext: None });
        // What stands around the text.
        let text = prose(seed, bytes.saturating_sub(710));
        let record: Record = response(turn, vec![message(&text)]).into();
        let before = self.length();
        let own = taken(|| {
            self.journal.commit(record, now()).unwrap();
        });
        let line = vec![b'x'; usize::try_from(self.length() - before).unwrap()];
        let bare = taken(|| {
            self.bare.write_all(&line).unwrap();
            self.bare.sync_data().unwrap();
        });
        self.commit(TurnEnded { turn, status: TurnStatus::Completed, error: None, ext: None });
        (own, bare)
    }

    fn length(&self) -> u64 {
        std::fs::metadata(&self.path).unwrap().len()
    }
}

pub(crate) fn record(bench: &Bench, report: &mut Report) {
    let home = Home::empty();
    let mut pair = Pair::new(&home.work());
    let (mut own_rounds, mut bare_rounds) = (Vec::new(), Vec::new());
    for round in 0..bench.rounds(10) {
        let (mut own, mut bare) = (Vec::new(), Vec::new());
        for seed in 0..40 {
            let (taken, least) = pair.turn(1 << 10, round * 100 + seed);
            own.push(taken.time);
            bare.push(least.time);
        }
        own_rounds.push(median(&own));
        bare_rounds.push(median(&bare));
    }
    report.ratio("one durable record of 1 KiB", &own_rounds, &bare_rounds, 1.25);
    let mut beyond = |bytes: usize| {
        let times: Vec<f64> = (0..bench.rounds(40))
            .map(|seed| {
                let (own, bare) = pair.turn(bytes, seed);
                own.cpu - bare.cpu
            })
            .collect();
        median(&times)
    };
    let (small, large) = (beyond(1 << 10), beyond(256 << 10));
    report.note(
        "processor time of a record of 1 KiB beyond the bare write",
        &format!("{} ms", ms(small)),
        "",
    );
    let each = (large - small) * 1e3 / 255.0;
    report.amount("processor time of each further KiB, beyond the bare write", each, "µs", 5.0);
}

/// `candor sessions --json`, whole, so many times.
pub(crate) fn listed(bench: &Bench, home: &Home, rounds: usize) -> Vec<f64> {
    let list = || {
        let begun = Instant::now();
        let run = std::process::Command::new(&bench.candor)
            .args(["sessions", "--json"])
            .env("CANDOR_HOME", home.path())
            .current_dir(home.work())
            .output()
            .unwrap();
        assert!(run.status.success(), "{run:?}");
        millis(begun.elapsed())
    };
    list();
    (0..rounds).map(|_| list()).collect()
}

pub(crate) fn list(bench: &Bench, report: &mut Report) {
    for (sessions, most) in [(1_000, 30.0), (10_000, 300.0)] {
        let home = Home::with(sessions, 1);
        let times = listed(bench, &home, bench.rounds(11));
        report.time(&format!("{sessions} sessions listed, warm, by `candor sessions --json`"), &times, most);
    }
    let (small, large) = (Home::with(200, 1), Home::with(200, 60));
    let (small, large) = (listed(bench, &small, bench.rounds(11)), listed(bench, &large, bench.rounds(11)));
    report.note("200 sessions of 700 KB, beside 200 of 12 KB", &spread(&large), &spread(&small));
}

/// Words that stand nowhere.
const NOWHERE: &str = "quetzalcoatlus";

/// One search through all sessions, in milliseconds.
pub(crate) fn searched(home: &Home) -> f64 {
    let (store, needle) = (home.store(), Needle::new(NOWHERE).unwrap());
    let begun = Instant::now();
    let searched = store.search(&needle, &AtomicBool::new(false), &|_| {}).unwrap();
    assert!(searched.hits == 0 && searched.unreadable == 0, "{searched:?}");
    millis(begun.elapsed())
}

pub(crate) fn search(bench: &Bench, report: &mut Report) {
    let home = Home::with_bytes(bench.bytes(1_000_000_000));
    let journals = home.journals();
    let bytes: usize = journals.iter().map(|journal| super::homes::warm(journal)).sum();
    let finder = memchr::memmem::Finder::new(NOWHERE);
    let (mut own, mut reading, mut memory) = (Vec::new(), Vec::new(), Vec::new());
    let mut buffer = vec![0; 1 << 20];
    for _ in 0..bench.rounds(7) {
        own.push(searched(&home));
        let begun = Instant::now();
        for journal in &journals {
            let mut file = File::open(journal).unwrap();
            while let count @ 1.. = file.read(&mut buffer).unwrap() {
                assert!(finder.find(&buffer[..count]).is_none());
            }
        }
        reading.push(millis(begun.elapsed()));
        // The same number of bytes that lie in memory already.
        let begun = Instant::now();
        for _ in 0..bytes / buffer.len() {
            assert!(finder.find(std::hint::black_box(&buffer)).is_none());
        }
        memory.push(millis(begun.elapsed()));
    }
    let title = format!(
        "search in the text of all sessions, {} MB; floor: read and memchr, one core",
        bytes / 1_000_000
    );
    report.ratio(&title, &own, &reading, 2.0);
    report.note("the same; floor: memchr alone, bytes in the cache", &spread(&own), &spread(&memory));
}
