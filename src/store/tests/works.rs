//! What a process does with the disk, step by step, and what it was told is
//! done: whatever becomes of the disk is held against that.

use super::inspecting::{inspect, result};
use super::*;
use crate::journal::files::memory::Survives;
use crate::journal::files::{Files, How, append_all};
use crate::record::{Evidence, FolderFacts, Outcome, Statement, StatementKind};
use crate::session::{self, Found as FoundBeside, generate::bodies::call_id, recover};
use crate::store::import::{Format, ImportRequest, Imported};
use crate::store::inspect::Target;
use std::collections::{BTreeMap, BTreeSet};

/// What the process was told is done, and what it did itself.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(super) struct Told {
    /// Sessions, and how many of their own records are durable.
    pub(super) records: BTreeMap<SessionId, u64>,
    /// Sessions that were moved to the trash.
    pub(super) trashed: BTreeSet<SessionId>,
    /// Sessions that are being moved.
    pub(super) moving: BTreeSet<SessionId>,
    /// Commands that ran.
    pub(super) ran: BTreeSet<DispatchId>,
    /// Commands about which a decision was recorded.
    pub(super) decided: BTreeSet<DispatchId>,
}

/// What was there before: a session with a command, and one to bring back.
pub(super) struct Scene {
    pub(super) memory: Memory,
    pub(super) id: SessionId,
    dispatch: DispatchId,
    trashed: SessionId,
    pub(super) told: Told,
}

/// Something that a process does, up to the first thing that is refused.
pub(super) type Work = fn(&Scene, &mut Told) -> Option<()>;

/// A work with its name and with what is there before.
pub(super) type Named = (&'static str, fn() -> Scene, Work);

pub(super) const ALL: [Named; 10] = [
    ("a turn", Scene::new, a_turn),
    ("recovery", Scene::new, recovery),
    ("a fork", Scene::new, a_fork),
    ("an import", Scene::new, an_import),
    ("a rename", Scene::new, a_rename),
    ("the trash", Scene::new, the_trash),
    ("the way back", Scene::new, the_way_back),
    ("a decision", Scene::new, a_decision),
    ("a start and a key", Scene::new, a_start),
    ("a first start", Scene::empty, a_first_start),
];

const SOURCE: &str = r#"[{"role":"user","content":"Add milk"},{"role":"assistant","content":"Done."}]"#;

impl Scene {
    /// A session whose command was launched and whose agent died in a write.
    pub(super) fn new() -> Self {
        let memory = Memory::new();
        let store = store(&memory);
        let mut told = Told::default();
        let trashed = store.create(new_session(), at(0)).unwrap().id();
        store.trash(trashed, None, at(0)).unwrap();
        told.records.insert(trashed, 1);
        told.trashed.insert(trashed);
        let mut open = store.create(new_session(), at(0)).unwrap();
        let (id, dispatch) = (open.id(), ids::dispatch());
        commit(&mut open, turn("one"));
        lay(&memory, open.dir(), dispatch).unwrap();
        commit(&mut open, started(ids::turn(), dispatch));
        launch(&memory, open.dir(), dispatch).unwrap();
        told.ran.insert(dispatch);
        told.records.insert(id, open.session().next_seq());
        let mut journal = memory.open(&journal_of(&store, id), How::Append).unwrap();
        append_all(journal.as_mut(), b"{\"v\":1,\"sid\":\"half a reco").unwrap();
        journal.sync().unwrap();
        memory.overwrite(Path::new("/chat.json"), SOURCE.as_bytes());
        // Left by a process that died while it made a session.
        memory.create_dir(&store.layout().building(ids::session())).unwrap();
        for dir in ["/", "/home", DATA, "/home/data/sessions", "/home/data/heads", "/home/data/trash"] {
            memory.sync_dir(Path::new(dir)).unwrap();
        }
        Self { memory, id, dispatch, trashed, told }
    }

    /// Nothing at all, not even the home directory.
    fn empty() -> Self {
        let (memory, told) = (Memory::new(), Told::default());
        Self { memory, told, id: ids::session(), dispatch: ids::dispatch(), trashed: ids::session() }
    }

    /// The same once more, as if nothing had been done since.
    pub(super) fn again(&self) -> Self {
        let (memory, told) = (self.memory.after(Survives::Everything), self.told.clone());
        Self { memory, told, id: self.id, dispatch: self.dispatch, trashed: self.trashed }
    }

    fn store(&self) -> Store {
        store_without_tidying(&self.memory)
    }
}

/// The call folder, before the start is recorded.
fn lay(memory: &Memory, dir: &Path, dispatch: DispatchId) -> Option<()> {
    memory.create_dir(&layout::call(dir, dispatch)).ok()?;
    memory.sync_dir(&layout::calls(dir)).ok()
}

/// The launch is noted; from here on the command may run.
fn launch(memory: &Memory, dir: &Path, dispatch: DispatchId) -> Option<()> {
    let folder = layout::call(dir, dispatch);
    crate::journal::files::put(memory, &folder.join("launch.json"), b"{}").ok()?;
    memory.sync_dir(&folder).ok()
}

fn say(open: &mut OpenSession, record: Record, told: &mut Told) -> Option<()> {
    open.commit(record, at(3)).ok()?;
    *told.records.entry(open.id()).or_default() += 1;
    Some(())
}

/// A new session, a command in it, and a second turn.
fn a_turn(scene: &Scene, told: &mut Told) -> Option<()> {
    let mut open = scene.store().create(new_session(), at(1)).ok()?;
    told.records.insert(open.id(), 1);
    let (turn, dispatch) = (ids::turn(), ids::dispatch());
    for (step, record) in started(turn, dispatch).into_iter().enumerate() {
        if step == 3 {
            lay(&scene.memory, open.dir(), dispatch)?;
        }
        say(&mut open, record, told)?;
    }
    launch(&scene.memory, open.dir(), dispatch)?;
    told.ran.insert(dispatch);
    say(&mut open, result(turn, dispatch, Outcome::Completed).into(), told)?;
    say(&mut open, bodies::response(turn, &[bodies::text_item("Built.")]).into(), told)?;
    say(&mut open, bodies::ended(turn, TurnStatus::Completed).into(), told)?;
    super::turn("two").into_iter().try_for_each(|record| say(&mut open, record, told))
}

/// The session is opened, its torn tail moved, its open turn closed.
fn recovery(scene: &Scene, told: &mut Told) -> Option<()> {
    let mut open = match scene.store().open_session(scene.id, at(2)).ok()? {
        Opened::Writable(open) => *open,
        Opened::ReadOnly(_) => return None,
    };
    for record in close(&scene.memory, &open)? {
        say(&mut open, record, told)?;
    }
    let statement = Statement { dispatch: scene.dispatch, statement: StatementKind::MayHaveRun, note: None };
    say(&mut open, bodies::acknowledged(vec![statement]).into(), told)
}

/// The records that close the open turn by what lies in the call folders.
fn close(memory: &Memory, open: &OpenSession) -> Option<Vec<Record>> {
    let mut folders = Vec::new();
    for name in memory.list(&layout::calls(open.dir())).ok()? {
        let dispatch = DispatchId::parse(name.to_str().unwrap()).unwrap();
        let launch = layout::call(open.dir(), dispatch).join("launch.json");
        let launched = memory.state(&launch).ok()?.is_some();
        folders.push(FolderFacts { launched, ..FolderFacts::of_nothing(dispatch) });
    }
    let found = FoundBeside { folders: &folders, calls_directory: true, given_up: None };
    Some(recover(open.session(), found, ids::dispatch).steps)
}

fn a_fork(scene: &Scene, told: &mut Told) -> Option<()> {
    let fork = scene.store().fork(scene.id, None, "candor test", at(2)).ok()?;
    told.records.insert(fork.id(), fork.session().next_seq());
    Some(())
}

fn an_import(scene: &Scene, told: &mut Told) -> Option<()> {
    let request = ImportRequest {
        path: "/chat.json".into(),
        format: Format::Chat,
        app: "candor test".into(),
        cwd: "/home/me".into(),
    };
    match scene.store().import(&request, at(2)).ok()? {
        Imported::New(id, _) | Imported::Before(id) => told.records.insert(id, 4),
    };
    Some(())
}

fn a_rename(scene: &Scene, told: &mut Told) -> Option<()> {
    let mut open = scene.store().create(new_session(), at(1)).ok()?;
    told.records.insert(open.id(), 1);
    say(&mut open, SessionRenamed { title: "Another title".into(), ext: None }.into(), told)
}

fn the_trash(scene: &Scene, told: &mut Told) -> Option<()> {
    told.moving.insert(scene.id);
    scene.store().trash(scene.id, Some("Add"), at(2)).ok()?;
    told.moving.remove(&scene.id);
    told.trashed.insert(scene.id);
    Some(())
}

fn the_way_back(scene: &Scene, told: &mut Told) -> Option<()> {
    told.moving.insert(scene.trashed);
    scene.store().restore(scene.trashed).ok()?;
    told.moving.remove(&scene.trashed);
    told.trashed.remove(&scene.trashed);
    Some(())
}

/// A session that is recovered, so that something can be decided about it.
fn a_decision(scene: &Scene, told: &mut Told) -> Option<()> {
    recovery(scene, told)?;
    deciding(scene, told)
}

/// By a process that has nothing open.
pub(super) fn deciding(scene: &Scene, told: &mut Told) -> Option<()> {
    let request = ReconcileRequest {
        target: Target::Session(scene.id),
        dispatch: scene.dispatch,
        outcome: DecisionOutcome::Happened,
        note: "looked at the list".into(),
        evidence: vec!["/chat.json".into()],
        operator_key: None,
        operator: "me@here".into(),
    };
    scene.store().reconcile(&request, at(4)).ok()?;
    told.decided.insert(scene.dispatch);
    Some(())
}

/// A start that tidies up, and a key for future sessions.
fn a_start(scene: &Scene, told: &mut Told) -> Option<()> {
    let store = opened(&scene.memory).ok()?;
    store.keys().make_current().ok()?;
    store.keep_draft(scene.id, "to be sent").ok()?;
    let open = store.create(new_session(), at(1)).ok()?;
    told.records.insert(open.id(), 1);
    Some(())
}

/// A home that is not there yet: its directories, the key, a session, its head.
fn a_first_start(scene: &Scene, told: &mut Told) -> Option<()> {
    let mut open = opened(&scene.memory).ok()?.create(new_session(), at(1)).ok()?;
    told.records.insert(open.id(), 1);
    super::turn("one").into_iter().try_for_each(|record| say(&mut open, record, told))
}

/// All sessions that are there are opened: what they hold then passes for saved.
pub(super) fn an_opening(scene: &Scene, told: &mut Told) -> Option<()> {
    let store = opened(&scene.memory).ok()?;
    for id in store.session_ids().ok()? {
        if let Opened::Writable(open) = store.open_session(id, at(7)).ok()? {
            told.records.insert(id, own_records(&open));
        }
    }
    Some(())
}

/// Those that were not written for a tail that was found.
fn own_records(open: &OpenSession) -> u64 {
    open.session().next_seq() - open.session().tails().len() as u64
}

/// What the next process finds on a disk that works: nothing that was told is
/// missing, nothing is half made, and no outcome claims more than happened.
pub(super) fn check(memory: &Memory, told: &Told, moment: &str) {
    let store = store(memory);
    let (here, away) = (ids_of(&store.list().unwrap(), moment), ids_of(&store.list_trash().unwrap(), moment));
    for id in told.records.keys() {
        let places = (here.contains(id), away.contains(id));
        match (told.moving.contains(id), told.trashed.contains(id)) {
            (true, _) => assert!(places.0 != places.1, "{moment}: {id} is in {places:?}"),
            (false, is_away) => assert_eq!(places, (!is_away, is_away), "{moment}: {id}"),
        }
    }
    let names = memory.list(&store.layout().sessions()).unwrap();
    assert!(names.iter().all(|name| !name.to_string_lossy().starts_with('.')), "{moment}: {names:?}");
    for id in here {
        check_session(memory, &store, id, told, moment);
    }
    // One that nobody moves lies there as it did.
    let is_moved = !told.moving.is_empty() || told.trashed.len() != 1;
    for id in away.into_iter().filter(|_| is_moved) {
        store.restore(id).unwrap();
        check_session(memory, &store, id, told, moment);
    }
}

fn ids_of(rows: &[Row], moment: &str) -> BTreeSet<SessionId> {
    for row in rows {
        let fine =
            matches!(row.state, RowState::Ready | RowState::Interrupted { .. } | RowState::NeedsYou { .. });
        assert!(fine, "{moment}: {row:?}");
    }
    rows.iter().map(|row| row.id).collect()
}

fn check_session(memory: &Memory, store: &Store, id: SessionId, told: &Told, moment: &str) {
    let mut open = match store.open_session(id, at(9)).unwrap() {
        Opened::Writable(open) => *open,
        Opened::ReadOnly(view) => panic!("{moment}: {:?}", view.why()),
    };
    let own = own_records(&open);
    let known = told.records.get(&id).copied().unwrap_or_default();
    assert!(own >= known, "{moment}: {own} records of {known}");
    assert!(!told.records.contains_key(&id) || own <= known + 1, "{moment}: {own} records of {known}");
    for record in close(memory, &open).unwrap() {
        open.commit(record, at(9)).unwrap();
    }
    assert!(open.session().open_turn().is_none(), "{moment}");
    for call in open.session().turns().iter().flat_map(|turn| turn.calls()) {
        let ran = call.start.as_ref().is_some_and(|start| told.ran.contains(&start.dispatch));
        let result = call.result.as_ref().unwrap();
        match result.outcome {
            Outcome::Completed => assert!(ran && result.evidence == Some(Evidence::Live), "{moment}"),
            Outcome::Unknown => {}
            Outcome::NotExecuted => assert!(!ran, "{moment}: it ran"),
            other => panic!("{moment}: {other:?}"),
        }
        let decided = call.start.as_ref().filter(|start| told.decided.contains(&start.dispatch));
        assert!(decided.is_none_or(|start| open.decision(start.dispatch).is_some()), "{moment}");
        assert_eq!(call.id, call_id("c1"));
    }
    for dispatch in told.ran.iter().filter(|_| told.records.contains_key(&id)) {
        let folder = layout::call(open.dir(), *dispatch);
        let is_its_own = memory.bytes(&folder.join("launch.json")).is_some();
        assert!(
            !is_its_own || open.session().knows_dispatch(*dispatch),
            "{moment}: it ran and no record tells"
        );
    }
    assert!(session::missing_records(open.session(), &[]).is_empty());
    drop(open);
    let report = inspect(store, id);
    assert!(report.is_ok(), "{moment}: {report:?}");
}
