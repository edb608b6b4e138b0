//! Files in memory that keep the live and the durable image apart, and that
//! fail or die at any operation that a test names.

mod cuts;
mod tree;

use super::{Files, Hold, How, Identity, OpenFile, State};
use rustix::io::Errno;
use std::ffi::OsString;
use std::io::{self, ErrorKind};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;
use tree::{Inner, Names, Node, Write};

/// What happens at the planned operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Plan {
    /// It fails with this error; later ones work. A sync that failed makes
    /// later ones of the same file or names succeed without effect.
    Fail(Errno),
    /// It and all later ones fail with this error, as far as they can: a disk
    /// that stays full takes nothing more, one that broke is only read.
    Stays(Errno),
    /// If it appends, only so many bytes are taken; else it fails.
    Short(usize),
    /// The process dies before it: it and all later ones fail without effect.
    Die,
    /// The process dies in it: if it appends, only so many bytes are taken.
    DieInWrite(usize),
}

/// What a process asks of a file system.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Op {
    OpenToRead,
    OpenToWrite,
    OpenNew,
    State,
    CreateDir,
    List,
    SyncDir,
    Rename,
    Link,
    Remove,
    Append,
    Sync,
    Truncate,
    Read,
    Lock,
}

impl Op {
    /// Whether it needs a disk that can be written.
    pub(crate) fn writes(self) -> bool {
        match self {
            Self::OpenToWrite | Self::OpenNew | Self::CreateDir | Self::SyncDir => true,
            Self::Rename | Self::Link | Self::Remove | Self::Append | Self::Sync | Self::Truncate => true,
            Self::OpenToRead | Self::State | Self::List | Self::Read | Self::Lock => false,
        }
    }

    /// Whether it needs space.
    fn grows(self) -> bool {
        matches!(self, Self::OpenNew | Self::CreateDir | Self::Rename | Self::Link | Self::Append)
    }

    /// Whether it can meet this error.
    pub(crate) fn meets(self, error: Errno) -> bool {
        match error {
            Errno::NOSPC | Errno::DQUOT => self.grows() || matches!(self, Self::Sync | Self::SyncDir),
            Errno::ROFS => self.writes(),
            _ => true,
        }
    }
}

/// What is there after the process or the machine died.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Survives {
    /// All of it: only the process died.
    Everything,
    /// Only what was synced, names and bytes.
    Synced,
    /// All names, but only the bytes that were synced.
    Names,
    /// All names, the synced bytes, and half of the others.
    HalfOfTheRest,
}

impl Survives {
    pub(crate) const ALL: [Self; 4] = [Self::Everything, Self::Synced, Self::Names, Self::HalfOfTheRest];
}

/// What the file system makes of locks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Locks {
    /// They keep others out.
    Work,
    /// They are refused.
    Refused,
    /// Everybody gets them.
    Granted,
}

/// A file system in memory; clones are the same one.
#[derive(Clone)]
pub(crate) struct Memory(Arc<Mutex<Inner>>);

struct Handle {
    memory: Memory,
    node: usize,
    id: usize,
}

fn failed(text: &str) -> io::Error {
    io::Error::new(ErrorKind::StorageFull, text.to_owned())
}

impl Memory {
    pub(crate) fn new() -> Self {
        Self::of(vec![Node::dir(Names::new())])
    }

    fn of(nodes: Vec<Node>) -> Self {
        Self(Arc::new(Mutex::new(Inner {
            nodes,
            operations: 0,
            handles: 0,
            plan: None,
            log: Vec::new(),
            pending: Vec::new(),
            lost: Vec::new(),
            dead: false,
            locks: Locks::Work,
        })))
    }

    /// Changes what becomes of locks from now on.
    pub(crate) fn set_locks(&self, locks: Locks) {
        self.lock().locks = locks;
    }

    /// Plans what happens at the operation number `at` from now on, from 0.
    pub(crate) fn plan(&self, at: usize, plan: Plan) {
        let mut inner = self.lock();
        inner.operations = 0;
        inner.log.clear();
        inner.plan = Some((at, plan));
    }

    /// How many operations there were since the last plan.
    pub(crate) fn operations(&self) -> usize {
        self.lock().operations
    }

    /// What was asked since the last plan.
    pub(crate) fn log(&self) -> Vec<Op> {
        self.lock().log.clone()
    }

    /// The file system that the next process finds; this one stays as it is.
    pub(crate) fn after(&self, survives: Survives) -> Self {
        let keep = |node: &Node| match (node, survives) {
            (Node::Dir { durable, .. }, Survives::Synced) => Node::dir(durable.clone()),
            (Node::Dir { live, .. }, _) => Node::dir(live.clone()),
            (Node::File { live, durable, changes, .. }, _) => {
                let bytes = match survives {
                    Survives::Everything => live.clone(),
                    Survives::Synced | Survives::Names => durable.clone(),
                    Survives::HalfOfTheRest if live.starts_with(durable) => {
                        live[..durable.len() + (live.len() - durable.len()).div_ceil(2)].to_vec()
                    }
                    Survives::HalfOfTheRest => durable.clone(),
                };
                Node::holding(bytes, *changes)
            }
        };
        Self::of(self.lock().nodes.iter().map(keep).collect())
    }

    /// Lets the next process go on after a planned death, with all that the dead
    /// one wrote, durable or not.
    pub(crate) fn go_on(&self) {
        let mut inner = self.lock();
        (inner.dead, inner.plan) = (false, None);
    }

    /// A file's bytes, if it is there.
    pub(crate) fn bytes(&self, path: &Path) -> Option<Vec<u8>> {
        let inner = self.lock();
        match &inner.nodes[inner.find(path).ok()?] {
            Node::File { live, .. } => Some(live.clone()),
            Node::Dir { .. } => None,
        }
    }

    /// Changes a file behind everybody's back; makes it if it is not there.
    pub(crate) fn overwrite(&self, path: &Path, bytes: &[u8]) {
        let mut inner = self.lock();
        let node = match inner.find(path) {
            Ok(node) => node,
            Err(_) => inner.add(path, Node::file()).unwrap(),
        };
        let Node::File { live, durable, writes, changes, .. } = &mut inner.nodes[node] else {
            panic!("a directory")
        };
        bytes.clone_into(live);
        bytes.clone_into(durable);
        writes.clear();
        *changes += 1;
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap()
    }

    /// Counts an operation and lets the plan happen.
    fn step(&self, op: Op) -> io::Result<MutexGuard<'_, Inner>> {
        let mut inner = self.lock();
        match inner.step(op)? {
            None => Ok(inner),
            Some(_) => Err(failed("planned")),
        }
    }
}

impl Files for Memory {
    fn open(&self, path: &Path, how: How) -> io::Result<Box<dyn OpenFile>> {
        let mut inner = self.step(match how {
            How::Read => Op::OpenToRead,
            How::New => Op::OpenNew,
            How::Append | How::Lock => Op::OpenToWrite,
        })?;
        let node = match (inner.find(path), how) {
            (Ok(_), How::New) => return Err(ErrorKind::AlreadyExists.into()),
            (Err(error), How::New | How::Lock) if error.kind() == ErrorKind::NotFound => {
                inner.add(path, Node::file())?
            }
            (found, _) => found?,
        };
        if matches!(inner.nodes[node], Node::Dir { .. }) {
            return Err(ErrorKind::InvalidInput.into());
        }
        inner.handles += 1;
        Ok(Box::new(Handle { memory: self.clone(), node, id: inner.handles }))
    }

    fn state(&self, path: &Path) -> io::Result<Option<State>> {
        let inner = self.step(Op::State)?;
        match inner.find(path) {
            Ok(node) => Ok(Some(inner.state_of(node))),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn create_dir(&self, path: &Path) -> io::Result<()> {
        self.step(Op::CreateDir)?.add(path, Node::dir(Names::new())).map(|_| ())
    }

    fn list(&self, path: &Path) -> io::Result<Vec<OsString>> {
        let inner = self.step(Op::List)?;
        let node = inner.find(path)?;
        Ok(inner.names(node)?.keys().cloned().collect())
    }

    fn sync_dir(&self, path: &Path) -> io::Result<()> {
        let mut inner = self.lock();
        let stepped = inner.step(Op::SyncDir);
        let node = inner.find(path)?;
        if let Err(error) = stepped {
            // One that died before its sync has not seen it fail.
            if !inner.dead {
                inner.forget_names(node);
            }
            return Err(error);
        }
        inner.settle_names(node)
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        let mut inner = self.step(Op::Rename)?;
        let (parent, name) = inner.parent(to)?;
        let (left, old) = inner.parent(from)?;
        let node = inner.find(from)?;
        inner.change(vec![(left, old, None), (parent, name, Some(node))])
    }

    fn rename_new(&self, from: &Path, to: &Path) -> io::Result<()> {
        if self.lock().find(to).is_ok() {
            return Err(ErrorKind::AlreadyExists.into());
        }
        self.rename(from, to)
    }

    fn link(&self, from: &Path, to: &Path) -> io::Result<()> {
        let mut inner = self.step(Op::Link)?;
        let node = inner.find(from)?;
        let (parent, name) = inner.parent(to)?;
        if inner.names(parent)?.contains_key(&name) {
            return Err(ErrorKind::AlreadyExists.into());
        }
        inner.change(vec![(parent, name, Some(node))])
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        self.step(Op::Remove)?.take(path)
    }

    fn remove_dir(&self, path: &Path) -> io::Result<()> {
        let mut inner = self.step(Op::Remove)?;
        let node = inner.find(path)?;
        if !inner.names(node)?.is_empty() {
            return Err(ErrorKind::DirectoryNotEmpty.into());
        }
        inner.take(path)
    }

    fn remove_all(&self, path: &Path) -> io::Result<()> {
        self.step(Op::Remove)?.take(path)
    }

    fn wait(&self, _: Duration) {}
}

impl Handle {
    /// Does this to the bytes, and keeps in mind that no sync has followed.
    fn write(&self, inner: &mut Inner, write: Write) -> io::Result<()> {
        let Node::File { live, writes, changes, .. } = &mut inner.nodes[self.node] else {
            return Err(ErrorKind::IsADirectory.into());
        };
        write.onto(live);
        writes.push(write);
        *changes += 1;
        Ok(())
    }
}

impl OpenFile for Handle {
    fn append(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut inner = self.memory.lock();
        let taken = inner.step(Op::Append)?.map_or(bytes.len(), |limit| limit.min(bytes.len()));
        self.write(&mut inner, Write::Append(bytes[..taken].to_vec()))?;
        if inner.dead { Err(failed("dead")) } else { Ok(taken) }
    }

    fn sync(&mut self) -> io::Result<()> {
        let mut inner = self.memory.lock();
        let stepped = inner.step(Op::Sync);
        let has_failed = stepped.is_err() && !inner.dead;
        let Node::File { live, durable, writes, lies, .. } = &mut inner.nodes[self.node] else {
            return Err(ErrorKind::IsADirectory.into());
        };
        *lies |= has_failed;
        if !*lies && stepped.is_ok() {
            durable.clone_from(live);
            writes.clear();
        }
        stepped.map(|_| ())
    }

    fn truncate(&mut self, len: u64) -> io::Result<()> {
        let mut inner = self.memory.step(Op::Truncate)?;
        self.write(&mut inner, Write::Truncate(usize::try_from(len).unwrap()))
    }

    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        let inner = self.memory.step(Op::Read)?;
        let Node::File { live, .. } = &inner.nodes[self.node] else {
            return Err(ErrorKind::IsADirectory.into());
        };
        let from = usize::try_from(offset).unwrap().min(live.len());
        let length = buffer.len().min(live.len() - from);
        buffer[..length].copy_from_slice(&live[from..from + length]);
        Ok(length)
    }

    fn state(&self) -> io::Result<State> {
        Ok(self.memory.step(Op::State)?.state_of(self.node))
    }

    fn try_lock(&self, hold: Hold) -> io::Result<()> {
        let mut inner = self.memory.step(Op::Lock)?;
        match inner.locks {
            Locks::Work => {}
            Locks::Refused => return Err(ErrorKind::Unsupported.into()),
            Locks::Granted => return Ok(()),
        }
        let Node::File { locks, .. } = &mut inner.nodes[self.node] else { panic!("a directory") };
        let excluded = |(id, held): &(usize, Hold)| {
            *id != self.id && (hold == Hold::Exclusive || *held == Hold::Exclusive)
        };
        if locks.iter().any(excluded) {
            return Err(ErrorKind::WouldBlock.into());
        }
        locks.retain(|(id, _)| *id != self.id);
        locks.push((self.id, hold));
        Ok(())
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        if let Ok(mut inner) = self.memory.0.lock()
            && let Node::File { locks, .. } = &mut inner.nodes[self.node]
        {
            locks.retain(|(id, _)| *id != self.id);
        }
    }
}
