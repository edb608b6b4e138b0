//! What `inspect` must never overlook: lost commands, changed bytes.

use super::inspecting::{end, inspect, result, session};
use super::*;
use crate::journal::files::memory::Survives;
use crate::journal::files::{Files as _, Hold, OpenFile, State};
use crate::journal::{Lines, Reading, go_on_verified};
use crate::record::Outcome;
use crate::store::inspect::{InspectError, InspectRequest, Target};
use ed25519_dalek::VerifyingKey;
use std::io;
use std::iter::StepBy;
use std::num::NonZero;
use std::ops::Range;
use std::thread;

#[test]
fn a_command_that_the_journal_lost_is_missed() {
    let (memory, store, id, _) = session(Some(Outcome::Completed));
    let folder = layout::call(&store.layout().session(id), ids::dispatch());
    memory.create_dir(&folder).unwrap();
    assert_eq!(inspect(&store, id).unwrap().exit_code(), 0, "a folder alone was never launched");
    memory.overwrite(&folder.join("launch.json"), b"{}");
    assert!(matches!(inspect(&store, id), Err(InspectError::Missing(MissingRecords::Launch(_)))));
}

/// A session of this many turns with a command each.
fn long_session(turns: usize) -> (Memory, Store, SessionId) {
    let memory = Memory::new();
    let store = store(&memory);
    let mut open = store.create(new_session(), at(0)).unwrap();
    for _ in 0..turns {
        let (turn, dispatch) = (ids::turn(), ids::dispatch());
        commit(&mut open, started(turn, dispatch));
        commit(&mut open, [result(turn, dispatch, Outcome::Completed).into(), end(turn, Outcome::Completed)]);
    }
    let id = open.id();
    drop(open);
    (memory, store, id)
}

/// Bytes as a file that is only read, a few at a time: a judged line is short,
/// and nothing is read behind it.
struct Bytes<'a>(&'a [u8]);

impl OpenFile for Bytes<'_> {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        let rest = &self.0[usize::try_from(offset).unwrap().min(self.0.len())..];
        let length = rest.len().min(buffer.len()).min(1 << 10);
        buffer[..length].copy_from_slice(&rest[..length]);
        Ok(length)
    }

    fn append(&mut self, _: &[u8]) -> io::Result<usize> {
        Err(io::ErrorKind::Unsupported.into())
    }

    fn sync(&mut self) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    fn truncate(&mut self, _: u64) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    fn state(&self) -> io::Result<State> {
        Err(io::ErrorKind::Unsupported.into())
    }

    fn try_lock(&self, _: Hold) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }
}

/// A long journal, and what a reading knows before each of its lines.
struct Bench {
    memory: Memory,
    id: SessionId,
    key: VerifyingKey,
    bytes: Vec<u8>,
    before: Vec<Reading>,
}

impl Bench {
    fn new(turns: usize) -> Self {
        let (memory, store, id) = long_session(turns);
        let bytes = memory.bytes(&journal_of(&store, id)).unwrap();
        let key = store.keys().current().unwrap().verifying_key();
        let mut bench = Self { memory, id, key, bytes, before: vec![Reading::nothing(id)] };
        for end in (0..bench.bytes.len()).filter(|at| bench.bytes[*at] == b'\n') {
            let read = bench.go_on(bench.before.len() - 1, &bench.bytes[..=end]);
            assert_eq!((read.bytes, &read.torn, &read.damage), (end as u64 + 1, &None, &None));
            bench.before.push(read);
        }
        bench
    }

    /// The line that this byte stands in.
    fn line_of(&self, position: usize) -> usize {
        self.before.partition_point(|reading| reading.bytes <= position as u64) - 1
    }

    /// What `inspect` makes of these bytes from this line on, if those before
    /// it are as they were.
    fn go_on(&self, line: usize, bytes: &[u8]) -> Reading {
        let from = self.before[line].clone();
        go_on_verified(Lines::new(&Bytes(bytes), from.bytes), from, self.key, &|_| ()).unwrap()
    }

    /// What the whole of `inspect` says of a journal with these bytes.
    fn whole(&self, store: &Store, memory: &Memory, bytes: &[u8]) -> InspectError {
        memory.overwrite(&journal_of(store, self.id), bytes);
        inspect(store, self.id).unwrap_err()
    }

    /// Flips each of these bytes in several ways; each has to be seen.
    fn flip(&self, positions: impl Iterator<Item = usize>) {
        // A copy of its own, since others change theirs at the same time.
        let memory = self.memory.after(Survives::Everything);
        let store = store(&memory);
        for position in positions {
            let (line, mut changed) = (self.line_of(position), self.bytes.clone());
            let bit = 1 << (position % 8);
            let case = (self.bytes[position].is_ascii_alphabetic() && bit != CASE).then_some(CASE);
            for mask in [bit].into_iter().chain(case) {
                changed[position] = self.bytes[position] ^ mask;
                let damage = self.go_on(line, &changed).damage;
                // Session and key are read from the first line before anything is
                // verified, and what is no damage can only be missing: both are
                // for the whole of `inspect` to say.
                let is_by_itself = line == 0 || damage.is_none();
                if is_by_itself || position % SAMPLE == 0 {
                    match (self.whole(&store, &memory, &changed), damage) {
                        (_, _) if is_by_itself => {}
                        (InspectError::Damaged(said), Some(damage)) => assert_eq!(said, damage),
                        (error, damage) => panic!("byte {position}: {error}, but {damage:?}"),
                    }
                }
            }
        }
    }
}

/// The bit that makes a letter one of the other case.
const CASE: u8 = 0x20;
/// Of so many bytes one is held against the whole of `inspect`.
const SAMPLE: usize = 997;

/// Every byte of some hundred records, by the code that `inspect` runs. A
/// changed byte changes no line before its own, so these are read once and not
/// once for each byte; that this is the same is held against the whole of
/// `inspect` for some.
#[test]
fn every_flipped_byte_of_a_long_journal_is_seen() {
    let bench = Bench::new(35);
    assert_eq!(bench.before.len(), 212, "with the end");
    on_all_cores(bench.bytes.len(), |positions| bench.flip(positions));
}

/// Does this for the numbers below `end`, each core for its own.
fn on_all_cores(end: usize, work: impl Fn(StepBy<Range<usize>>) + Sync) {
    let cores = thread::available_parallelism().map_or(1, NonZero::get);
    thread::scope(|scope| {
        for core in 0..cores {
            let work = &work;
            scope.spawn(move || work((core..end).step_by(cores)));
        }
    });
}

/// Cut at every byte: where the head is known, the rest is missed; where none
/// is, only a journal that was cut at a turn's end looks whole.
#[test]
fn a_journal_cut_at_every_byte_is_not_whole() {
    let bench = Bench::new(2);
    let ends: Vec<u64> = bench.before.iter().map(|reading| reading.bytes).collect();
    let (one_line, turns) = (ends[1], [ends[7], ends[13]]);
    assert_eq!(turns[1], bench.bytes.len() as u64);
    on_all_cores(bench.bytes.len(), |cuts| {
        let (known, alone) =
            (bench.memory.after(Survives::Everything), bench.memory.after(Survives::Everything));
        let (in_place, copied) = (store(&known), store(&alone));
        alone.remove(&copied.layout().head(bench.id)).unwrap();
        let copy = Path::new("/copy.jsonl");
        for cut in cuts {
            let bytes = &bench.bytes[..cut];
            bench.whole(&in_place, &known, bytes);
            alone.overwrite(copy, bytes);
            let code = copied.inspect(&InspectRequest::of(Target::Path(copy.to_owned())));
            let code = code.map_or(1, |report| report.exit_code());
            let expected = match cut as u64 {
                cut if cut < one_line => 1,
                cut if turns.contains(&cut) => 0,
                _ => 2,
            };
            assert_eq!(code, expected, "cut at {cut}");
        }
    });
}
