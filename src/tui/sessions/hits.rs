//! Places that a search inside all sessions has found.

use crate::agent::{Hit, Searched};

/// A search, and what it has found so far.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Hits {
    /// Its number; what other searches find is not shown.
    pub number: u64,
    /// The places, in the order in which they came.
    pub list: Vec<Hit>,
    /// The chosen one.
    pub chosen: usize,
    /// What was looked through, once it has ended.
    pub ended: Option<Searched>,
}

impl Hits {
    /// A search that has found nothing yet.
    pub(super) fn new(number: u64) -> Self {
        Self { number, list: Vec::new(), chosen: 0, ended: None }
    }

    /// The chosen place.
    pub(crate) fn chosen(&self) -> Option<&Hit> {
        self.list.get(self.chosen)
    }
}
