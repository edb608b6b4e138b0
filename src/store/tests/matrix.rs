//! Every operation of everything that the store does, with every error that it
//! can meet; then a power cut at every operation, with everything that it can
//! leave.

use super::works::{ALL, Named, Scene, Told, Work, an_opening, check, deciding};
use super::*;
use crate::journal::CommitError;
use crate::journal::files::memory::{Op, Plan, Survives};
use rustix::io::Errno;
use std::collections::{BTreeMap, HashSet};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

const ERRORS: [Errno; 5] = [Errno::NOSPC, Errno::IO, Errno::DQUOT, Errno::ROFS, Errno::INTR];

/// The faults that can meet this operation.
fn faults(op: Op) -> Vec<Plan> {
    let mut faults: Vec<Plan> = ERRORS.into_iter().filter(|error| op.meets(*error)).map(Plan::Fail).collect();
    if op == Op::Append {
        faults.extend([Plan::Short(0), Plan::Short(1), Plan::Short(40)]);
    }
    // A disk that broke answers like one that is only read, a quota like a full one.
    let stays = [Errno::NOSPC, Errno::ROFS].into_iter().filter(|error| op.writes() && op.meets(*error));
    faults.extend(stays.map(Plan::Stays));
    faults
}

/// Does it with this plan; what was told, and whether it came to its end.
fn attempt(before: &Scene, work: Work, at: usize, plan: Plan) -> (Scene, Told, bool) {
    let scene = before.again();
    let mut told = scene.told.clone();
    scene.memory.plan(at, plan);
    let done = work(&scene, &mut told).is_some();
    (scene, told, done)
}

/// Disks that were checked already, with what was told: many faults leave the same.
#[derive(Default)]
struct Seen(HashSet<u64>);

impl Seen {
    fn check(&mut self, memory: &Memory, told: &Told, moment: impl Fn() -> String) {
        let mut hasher = DefaultHasher::new();
        (memory.tree(), format!("{told:?}")).hash(&mut hasher);
        if self.0.insert(hasher.finish()) {
            check(memory, told, &moment());
        }
    }
}

/// What it asks for when nothing goes wrong.
fn operations(before: &Scene, work: Work) -> Vec<Op> {
    let (scene, _, done) = attempt(before, work, usize::MAX, Plan::Die);
    assert!(done);
    scene.memory.log()
}

fn every_fault_of(works: &[Named]) {
    for (name, before, work) in works {
        let before = before();
        let operations = operations(&before, *work);
        let mut seen = Seen::default();
        assert!(operations.len() >= 8, "{name} has only {} operations", operations.len());
        for (at, op) in operations.into_iter().enumerate() {
            for plan in faults(op) {
                let moment = format!("{name}, operation {at}, {op:?}, {plan:?}");
                let (scene, told, done) = attempt(&before, *work, at, plan);
                if let (Plan::Stays(_), false) = (plan, done) {
                    still_broken(&scene, &told, &moment);
                }
                let waits = matches!(op, Op::Read | Op::Append) && plan == Plan::Fail(Errno::INTR);
                assert!(done || !waits, "{moment}: it could have been tried again");
                let died = scene.memory.after(Survives::Everything);
                // The first is the one in which only what was synced is left.
                let synced = scene.memory.after_cut(&scene.memory.cuts()[0]);
                seen.check(&died, &told, || moment.clone());
                seen.check(&synced, &told, || format!("{moment}, and a power cut"));
            }
        }
    }
}

/// On a disk that stays as it is, the next process says why it only reads, and
/// why it makes nothing new.
fn still_broken(scene: &Scene, told: &Told, moment: &str) {
    let store = store_without_tidying(&scene.memory);
    for (id, records) in told.records.iter().filter(|(id, _)| !told.trashed.contains(id)) {
        match store.open_session(*id, at(5)) {
            // It is on its way to the trash, or back.
            Err(StoreError::Lost(_) | StoreError::NoSession(_)) if told.moving.contains(id) => {}
            opened => is_read(opened.unwrap_or_else(|error| panic!("{moment}: {error}")), *records, moment),
        }
    }
    let made =
        opened(&scene.memory).and_then(|store| store.create(new_session(), at(5)).map(|open| open.id()));
    let refused = made.expect_err(moment).to_string();
    assert!(!refused.is_empty() && !refused.contains('\n'), "{moment}: {refused}");
}

fn is_read(opened: Opened, records: u64, moment: &str) {
    match opened {
        Opened::ReadOnly(view) => {
            let why = view.why().unwrap_or_else(|| panic!("{moment}: no reason")).to_string();
            assert!(
                why.starts_with("it cannot be opened for writing") && !why.contains('\n'),
                "{moment}: {why}"
            );
            assert!(view.session().next_seq() >= records, "{moment}");
        }
        Opened::Writable(mut open) => {
            let renamed = SessionRenamed { title: "Another title".into(), ext: None };
            let refused = open.commit(renamed.into(), at(6)).map(|committed| committed.seq);
            assert!(matches!(refused, Err(CommitError::Poisoned(_))), "{moment}: {refused:?}");
        }
    }
}

/// The ten are shared out, so that several cores have something to do.
#[test]
fn every_fault_at_every_operation_of_a_turn_and_of_a_start() {
    every_fault_of(&[ALL[0], ALL[8]]);
}

#[test]
fn every_fault_at_every_operation_of_a_recovery_and_of_a_decision() {
    every_fault_of(&[ALL[1], ALL[7]]);
}

#[test]
fn every_fault_at_every_operation_of_a_fork_an_import_and_a_rename() {
    every_fault_of(&[ALL[2], ALL[3], ALL[4]]);
}

#[test]
fn every_fault_at_every_operation_of_the_trash_and_the_way_back() {
    every_fault_of(&[ALL[5], ALL[6]]);
}

#[test]
fn every_fault_at_every_operation_of_a_first_start() {
    every_fault_of(&[ALL[9]]);
}

#[test]
fn every_operation_of_a_file_system_is_asked_for_somewhere() {
    let mut asked: BTreeMap<Op, usize> = BTreeMap::new();
    for op in ALL.into_iter().flat_map(|(_, before, work)| operations(&before(), work)) {
        *asked.entry(op).or_default() += 1;
    }
    let all = [
        (Op::OpenToRead, "open to read"),
        (Op::OpenToWrite, "open to write"),
        (Op::OpenNew, "open anew"),
        (Op::State, "look at"),
        (Op::CreateDir, "make a directory"),
        (Op::List, "list"),
        (Op::SyncDir, "sync a directory"),
        (Op::Rename, "rename"),
        (Op::Remove, "remove"),
        (Op::Append, "append"),
        (Op::Sync, "sync"),
        (Op::Truncate, "truncate"),
        (Op::Read, "read"),
        (Op::Lock, "lock"),
    ];
    for (op, name) in all {
        assert!(asked.contains_key(&op), "nothing asks to {name}: {asked:?}");
    }
}

fn every_cut_of(works: &[Named]) {
    for (name, before, work) in works {
        let before = before();
        let mut seen = Seen::default();
        let operations = operations(&before, *work);
        // Where nothing was written since the last cut, another one leaves the same.
        let wrote = operations.iter().zip(1..).filter(|(op, _)| op.writes()).map(|(_, after)| after);
        for at in std::iter::once(0).chain(wrote) {
            let (scene, told, _) = attempt(&before, *work, at, Plan::Die);
            for cut in scene.memory.cuts() {
                let memory = scene.memory.after_cut(&cut);
                seen.check(&memory, &told, || format!("{name}, operation {at}, {cut:?}"));
            }
        }
        assert!(seen.0.len() >= 4, "{name}: only {} ends", seen.0.len());
    }
}

#[test]
fn whatever_a_power_cut_leaves_of_a_turn_and_of_a_start_holds_what_was_told() {
    every_cut_of(&[ALL[0], ALL[8]]);
}

#[test]
fn whatever_a_power_cut_leaves_of_a_recovery_and_of_a_decision_holds_what_was_told() {
    every_cut_of(&[ALL[1], ALL[7]]);
}

#[test]
fn whatever_a_power_cut_leaves_of_a_fork_an_import_and_a_rename_holds_what_was_told() {
    every_cut_of(&[ALL[2], ALL[3], ALL[4]]);
}

#[test]
fn whatever_a_power_cut_leaves_of_the_trash_and_the_way_back_holds_what_was_told() {
    every_cut_of(&[ALL[5], ALL[6]]);
}

#[test]
fn whatever_a_power_cut_leaves_of_a_first_start_holds_what_was_told() {
    every_cut_of(&[ALL[9]]);
}

/// A process is killed at any operation, the next does the same once more, opens
/// what is there or decides about it, and then the power fails: what the first made and did
/// not sync, the second must not take for durable.
fn every_kill_and_then_a_cut_of(works: &[Named]) {
    for (name, before, work) in works {
        let before = before();
        let mut seen = Seen::default();
        let count = operations(&before, *work).len();
        let nexts: [Work; 3] = [*work, an_opening, deciding];
        for (at, next) in (0..count).flat_map(|at| nexts.map(|next| (at, next))) {
            let (scene, mut told, _) = attempt(&before, *work, at, Plan::Die);
            scene.memory.go_on();
            next(&scene, &mut told);
            for cut in scene.memory.cuts() {
                let memory = scene.memory.after_cut(&cut);
                seen.check(&memory, &told, || format!("{name}, killed at {at}, then another, {cut:?}"));
            }
        }
        assert!(seen.0.len() >= 4, "{name}: only {} ends", seen.0.len());
    }
}

#[test]
fn what_a_killed_turn_or_start_left_is_durable_before_anything_rests_on_it() {
    every_kill_and_then_a_cut_of(&[ALL[0], ALL[8], ALL[9]]);
}

#[test]
fn what_a_killed_recovery_or_decision_left_is_durable_before_anything_rests_on_it() {
    every_kill_and_then_a_cut_of(&[ALL[1], ALL[7]]);
}

#[test]
fn what_a_killed_fork_import_or_rename_left_is_durable_before_anything_rests_on_it() {
    every_kill_and_then_a_cut_of(&[ALL[2], ALL[3], ALL[4]]);
}

#[test]
fn what_a_killed_move_to_or_from_the_trash_left_is_durable_before_anything_rests_on_it() {
    every_kill_and_then_a_cut_of(&[ALL[5], ALL[6]]);
}
