//! What a power cut can leave: of the writes that no sync followed any prefix,
//! and of the changed names that no sync followed any part.

use super::Memory;
use super::tree::{Change, Inner, Names, Node, Write, set};
use std::collections::BTreeSet;

/// So many changes of names are tried in every combination.
const COMBINED: usize = 5;

/// One of the ways in which a power cut can end.
#[derive(Debug, Clone)]
pub(crate) struct Cut {
    /// Which changes of names arrived, in their order.
    names: Vec<bool>,
    /// How far the bytes of each file got, counted from what was synced, or
    /// back from all of it.
    bytes: (usize, From),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum From {
    Synced,
    All,
}

impl Memory {
    /// What a power cut can leave now: every part of the changed names with all
    /// or none of the bytes, every part of the bytes with all or none of the names.
    pub(crate) fn cuts(&self) -> Vec<Cut> {
        let inner = self.lock();
        let most = inner.nodes.iter().map(|node| images(node).len()).max().unwrap_or(1);
        let bytes = (0..most).flat_map(|steps| [(steps, From::Synced), (steps, From::All)]);
        let bytes: Vec<_> = bytes.collect();
        let of = |names: Vec<bool>| {
            let is_extreme = names.iter().all(|arrived| *arrived == names[0]);
            let bytes = bytes.iter().filter(move |(steps, _)| is_extreme || *steps == 0);
            bytes.map(move |bytes| Cut { names: names.clone(), bytes: *bytes }).collect::<Vec<_>>()
        };
        combinations(inner.lost.len() + inner.pending.len()).into_iter().flat_map(of).collect()
    }

    /// The file system that the next process finds after that power cut.
    pub(crate) fn after_cut(&self, cut: &Cut) -> Self {
        let inner = self.lock();
        let changes = inner.lost.iter().chain(&inner.pending);
        let arrived = changes.zip(&cut.names).filter(|(_, arrived)| **arrived);
        let arrived: Vec<&Change> = arrived.map(|(change, _)| change).collect();
        let keep = |(number, node): (usize, &Node)| match node {
            Node::Dir { settled, .. } => Node::dir(with(settled.clone(), number, &arrived)),
            Node::File { changes, .. } => {
                let mut images = images(node);
                let (steps, from) = cut.bytes;
                let steps = steps.min(images.len() - 1);
                let at = if from == From::Synced { steps } else { images.len() - 1 - steps };
                Node::holding(images.swap_remove(at), *changes)
            }
        };
        Self::of(inner.nodes.iter().enumerate().map(keep).collect())
    }

    /// All that can be reached from the root, to know a file system again.
    pub(crate) fn tree(&self) -> Vec<(String, Vec<u8>)> {
        let inner = self.lock();
        let mut found = Vec::new();
        walk(&inner, 0, "", &mut found);
        found
    }
}

fn walk(inner: &Inner, node: usize, path: &str, found: &mut Vec<(String, Vec<u8>)>) {
    match &inner.nodes[node] {
        Node::File { live, .. } => found.push((path.to_owned(), live.clone())),
        Node::Dir { live, .. } => {
            found.push((format!("{path}/"), Vec::new()));
            for (name, below) in live {
                walk(inner, *below, &format!("{path}/{}", name.to_string_lossy()), found);
            }
        }
    }
}

fn with(mut names: Names, dir: usize, arrived: &[&Change]) -> Names {
    for (_, name, node) in arrived.iter().flat_map(|change| change.iter()).filter(|(at, ..)| *at == dir) {
        set(&mut names, name, *node);
    }
    names
}

/// A file's bytes as they can be after a power cut: from those that were synced
/// to all of them, an append cut in several places.
fn images(node: &Node) -> Vec<Vec<u8>> {
    let Node::File { durable, writes, .. } = node else { return vec![Vec::new()] };
    let mut images = vec![durable.clone()];
    for write in writes {
        let before = images[images.len() - 1].clone();
        if let Write::Append(bytes) = write {
            let places = BTreeSet::from([1, bytes.len() / 2, bytes.len().saturating_sub(1)]);
            let places = places.into_iter().filter(|place| (1..bytes.len()).contains(place));
            images.extend(places.map(|place| [&before, &bytes[..place]].concat()));
        }
        let mut after = before;
        write.onto(&mut after);
        images.push(after);
    }
    images
}

/// Which of so many changes arrived: each combination of the last ones after
/// all before, each prefix, and each one lost or there alone.
fn combinations(changes: usize) -> Vec<Vec<bool>> {
    let mut all = BTreeSet::new();
    let combined = changes.min(COMBINED);
    for bits in 0..1_usize << combined {
        let at = |index: usize| match (index + combined).checked_sub(changes) {
            Some(bit) => bits >> bit & 1 == 1,
            None => true,
        };
        all.insert((0..changes).map(at).collect());
    }
    for one in 0..changes {
        all.insert((0..changes).map(|index| index < one).collect());
        all.insert((0..changes).map(|index| index == one).collect());
        all.insert((0..changes).map(|index| index != one).collect());
    }
    all.into_iter().collect()
}
