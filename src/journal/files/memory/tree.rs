//! The nodes of a file system in memory.

use super::{Hold, Identity, Locks, Plan, State, failed};
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};
use std::io::{self, ErrorKind};
use std::path::Path;

pub(super) type Names = BTreeMap<OsString, usize>;

/// A file or directory with its live and its durable image.
#[derive(Clone)]
pub(super) enum Node {
    /// `changed` holds the names in which the two images can differ.
    Dir {
        live: Names,
        durable: Names,
        changed: BTreeSet<OsString>,
    },
    File {
        live: Vec<u8>,
        durable: Vec<u8>,
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
    pub(super) dead: bool,
    pub(super) locks: Locks,
}

impl Node {
    pub(super) fn dir(names: Names) -> Self {
        Self::Dir { live: names.clone(), durable: names, changed: BTreeSet::new() }
    }

    pub(super) fn file() -> Self {
        Self::File { live: Vec::new(), durable: Vec::new(), changes: 0, locks: Vec::new() }
    }
}

impl Inner {
    /// Gives the number of bytes that a planned append may still take.
    pub(super) fn step(&mut self) -> io::Result<Option<usize>> {
        if self.dead {
            return Err(failed("dead"));
        }
        let now = self.operations;
        self.operations += 1;
        let Some((_, plan)) = self.plan.filter(|(at, _)| *at == now) else { return Ok(None) };
        match plan {
            Plan::Fail => Err(failed("planned")),
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

    /// Changes one name of a directory; gives what had it.
    pub(super) fn set(
        &mut self,
        dir: usize,
        name: OsString,
        node: Option<usize>,
    ) -> io::Result<Option<usize>> {
        let Node::Dir { live, changed, .. } = &mut self.nodes[dir] else {
            return Err(ErrorKind::NotADirectory.into());
        };
        changed.insert(name.clone());
        Ok(match node {
            Some(node) => live.insert(name, node),
            None => live.remove(&name),
        })
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
        self.set(parent, name, Some(new))?;
        self.nodes.push(node);
        Ok(new)
    }

    pub(super) fn take(&mut self, path: &Path) -> io::Result<usize> {
        let (parent, name) = self.parent(path)?;
        self.set(parent, name, None)?.ok_or_else(|| ErrorKind::NotFound.into())
    }

    pub(super) fn state_of(&self, node: usize) -> State {
        let (len, changes) = match &self.nodes[node] {
            Node::Dir { .. } => (0, 0),
            Node::File { live, changes, .. } => (live.len() as u64, *changes),
        };
        State { identity: Identity { device: 1, inode: node as u64 }, len, modified: (changes, 0) }
    }
}
