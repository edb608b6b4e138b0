//! The nodes of a file system in memory.

use super::{Hold, Identity, Locks, Op, Plan, State, failed};
use rustix::io::Errno;
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};
use std::io::{self, ErrorKind};
use std::path::Path;

pub(super) type Names = BTreeMap<OsString, usize>;

/// One change of a file's bytes.
#[derive(Debug, Clone)]
pub(super) enum Write {
    Append(Vec<u8>),
    Truncate(usize),
}

impl Write {
    pub(super) fn onto(&self, bytes: &mut Vec<u8>) {
        match self {
            Self::Append(more) => bytes.extend_from_slice(more),
            Self::Truncate(length) => bytes.resize(*length, 0),
        }
    }
}

/// Names that change together: directory, name, and what it then names.
pub(super) type Change = Vec<(usize, OsString, Option<usize>)>;

/// A file or directory with its live and its durable image.
#[derive(Clone)]
pub(super) enum Node {
    /// `changed` holds the names in which the two images can differ. In
    /// `settled` a name that moved between two directories is in one of them.
    Dir { live: Names, durable: Names, changed: BTreeSet<OsString>, settled: Names },
    /// `writes` are those since the last sync; a file that `lies` had a sync
    /// fail, and says of every other that it worked.
    File {
        live: Vec<u8>,
        durable: Vec<u8>,
        writes: Vec<Write>,
        lies: bool,
        changes: i64,
        locks: Vec<(usize, Hold)>,
    },
}

/// All nodes by number, the root first, and what is planned.
pub(super) struct Inner {
    pub(super) nodes: Vec<Node>,
    pub(super) operations: usize,
    pub(super) handles: usize,
    pub(super) plan: Option<(usize, Plan)>,
    pub(super) log: Vec<Op>,
    /// Changes of names that no sync of a directory has made durable.
    pub(super) pending: Vec<Change>,
    /// Those that no later sync will make durable either, since one failed.
    pub(super) lost: Vec<Change>,
    pub(super) dead: bool,
    pub(super) locks: Locks,
}

impl Node {
    pub(super) fn dir(names: Names) -> Self {
        Self::Dir { live: names.clone(), settled: names.clone(), durable: names, changed: BTreeSet::new() }
    }

    pub(super) fn file() -> Self {
        Self::holding(Vec::new(), 0)
    }

    /// A file whose bytes are durable.
    pub(super) fn holding(bytes: Vec<u8>, changes: i64) -> Self {
        let (live, durable, writes) = (bytes.clone(), bytes, Vec::new());
        Self::File { live, durable, writes, lies: false, changes, locks: Vec::new() }
    }
}

impl Inner {
    /// Gives the number of bytes that a planned append may still take.
    pub(super) fn step(&mut self, op: Op) -> io::Result<Option<usize>> {
        if self.dead {
            return Err(failed("dead"));
        }
        let now = self.operations;
        self.operations += 1;
        self.log.push(op);
        let is_due = |(at, plan): &(usize, Plan)| match plan {
            Plan::Stays(Errno::NOSPC | Errno::DQUOT) => now >= *at && op.grows(),
            Plan::Stays(_) => now >= *at && op.writes(),
            Plan::Fail(_) | Plan::Short(_) | Plan::Die | Plan::DieInWrite(_) => now == *at,
        };
        let Some((_, plan)) = self.plan.filter(is_due) else { return Ok(None) };
        match plan {
            Plan::Fail(error) | Plan::Stays(error) => Err(error.into()),
            Plan::Short(bytes) => Ok(Some(bytes)),
            Plan::Die => {
                self.dead = true;
                Err(failed("dead"))
            }
            Plan::DieInWrite(bytes) => {
                self.dead = true;
                Ok(Some(bytes))
            }
        }
    }

    pub(super) fn names(&self, node: usize) -> io::Result<&Names> {
        match &self.nodes[node] {
            Node::Dir { live, .. } => Ok(live),
            Node::File { .. } => Err(ErrorKind::NotADirectory.into()),
        }
    }

    /// Changes names, all at once.
    pub(super) fn change(&mut self, change: Change) -> io::Result<()> {
        for (dir, name, node) in &change {
            let Node::Dir { live, changed, .. } = &mut self.nodes[*dir] else {
                return Err(ErrorKind::NotADirectory.into());
            };
            changed.insert(name.clone());
            set(live, name, *node);
        }
        self.pending.push(change);
        Ok(())
    }

    /// Makes the names of a directory durable, and with them what had to be
    /// done before.
    pub(super) fn settle_names(&mut self, dir: usize) -> io::Result<()> {
        let Node::Dir { live, durable, changed, .. } = &mut self.nodes[dir] else {
            return Err(ErrorKind::NotADirectory.into());
        };
        for name in std::mem::take(changed) {
            set(durable, &name, live.get(&name).copied());
        }
        let mut keys: BTreeSet<(usize, OsString)> = BTreeSet::new();
        let mut settled = Vec::new();
        for change in std::mem::take(&mut self.pending).into_iter().rev() {
            if change.iter().any(|(at, name, _)| *at == dir || keys.contains(&(*at, name.clone()))) {
                keys.extend(change.iter().map(|(at, name, _)| (*at, name.clone())));
                settled.push(change);
            } else {
                self.pending.insert(0, change);
            }
        }
        // What came later stands, also against what a failed sync has lost.
        for change in &mut self.lost {
            change.retain(|(at, name, _)| !keys.contains(&(*at, name.clone())));
        }
        for (at, name, node) in settled.into_iter().rev().flatten() {
            if let Node::Dir { settled, .. } = &mut self.nodes[at] {
                set(settled, &name, node);
            }
        }
        Ok(())
    }

    /// After a sync that failed, what it was to make durable never is.
    pub(super) fn forget_names(&mut self, dir: usize) {
        if let Node::Dir { changed, .. } = &mut self.nodes[dir] {
            changed.clear();
        }
        let touches = |change: &mut Change| change.iter().any(|(at, ..)| *at == dir);
        self.lost.extend(self.pending.extract_if(.., touches));
    }

    pub(super) fn find(&self, path: &Path) -> io::Result<usize> {
        let mut node = 0;
        for name in path.iter().filter(|name| *name != OsStr::new("/")) {
            let Node::Dir { live, .. } = &self.nodes[node] else {
                return Err(ErrorKind::NotADirectory.into());
            };
            node = *live.get(name).ok_or(ErrorKind::NotFound)?;
        }
        Ok(node)
    }

    pub(super) fn parent(&self, path: &Path) -> io::Result<(usize, OsString)> {
        let name = path.file_name().ok_or(ErrorKind::InvalidInput)?.to_owned();
        Ok((self.find(path.parent().ok_or(ErrorKind::InvalidInput)?)?, name))
    }

    pub(super) fn add(&mut self, path: &Path, node: Node) -> io::Result<usize> {
        let (parent, name) = self.parent(path)?;
        let new = self.nodes.len();
        if self.names(parent)?.contains_key(&name) {
            return Err(ErrorKind::AlreadyExists.into());
        }
        self.change(vec![(parent, name, Some(new))])?;
        self.nodes.push(node);
        Ok(new)
    }

    /// Removes a name.
    pub(super) fn take(&mut self, path: &Path) -> io::Result<()> {
        let (parent, name) = self.parent(path)?;
        if !self.names(parent)?.contains_key(&name) {
            return Err(ErrorKind::NotFound.into());
        }
        self.change(vec![(parent, name, None)])
    }

    pub(super) fn state_of(&self, node: usize) -> State {
        let (len, changes) = match &self.nodes[node] {
            Node::Dir { .. } => (0, 0),
            Node::File { live, changes, .. } => (live.len() as u64, *changes),
        };
        State { identity: Identity { device: 1, inode: node as u64 }, len, modified: (changes, 0) }
    }
}

/// Lets a name mean this, or nothing.
pub(super) fn set(names: &mut Names, name: &OsStr, node: Option<usize>) {
    match node {
        Some(node) => names.insert(name.to_owned(), node),
        None => names.remove(name),
    };
}
