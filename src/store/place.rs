//! Which sessions belong to a directory.

use std::collections::HashMap;
use std::os::unix::fs::MetadataExt as _;

/// A directory that is found again under another name.
#[derive(Debug)]
pub struct Place<'a> {
    here: &'a str,
    identity: Option<(u64, u64)>,
    known: HashMap<String, bool>,
}

impl<'a> Place<'a> {
    /// This directory.
    #[must_use]
    pub fn new(here: &'a str) -> Self {
        Self { here, identity: identity(here), known: HashMap::new() }
    }

    /// Whether a path is this directory, by its name or through links.
    pub fn is(&mut self, cwd: &str) -> bool {
        if cwd == self.here {
            return true;
        }
        if let Some(known) = self.known.get(cwd) {
            return *known;
        }
        let same = self.identity.is_some() && identity(cwd) == self.identity;
        self.known.insert(cwd.to_owned(), same);
        same
    }
}

fn identity(path: &str) -> Option<(u64, u64)> {
    let metadata = std::fs::metadata(path).ok()?;
    Some((metadata.dev(), metadata.ino()))
}
