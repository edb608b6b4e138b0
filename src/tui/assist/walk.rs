//! Looks up the paths of a directory, on a thread of its own.

use super::files::{Batch, Found};
use ignore::WalkBuilder;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// So many paths are looked at at most.
const MOST: usize = 200_000;
/// What is told at once at first; then ever more, since each time what fits is
/// looked for anew.
const FIRST: usize = 500;
/// Directories that hold nothing that a person writes.
const SKIPPED: [&str; 3] = [".git", "target", "node_modules"];

/// Walks a directory and tells what it finds, until all is found, there is too
/// much of it, or nobody listens: then `tell` says false. What version control
/// ignores, other file systems and what cannot be read are passed over; links
/// are not followed.
pub(crate) fn walk(directory: &str, number: u64, mut tell: impl FnMut(Batch) -> bool) {
    let mut builder = WalkBuilder::new(directory);
    builder
        .hidden(false)
        .require_git(false)
        .same_file_system(true)
        .sort_by_file_name(std::cmp::Ord::cmp)
        .filter_entry(|entry| {
            entry.depth() == 0 || !entry.file_name().to_str().is_some_and(|name| SKIPPED.contains(&name))
        });
    let mut found = Vec::new();
    let (mut size, mut count) = (FIRST, 0);
    for entry in builder.build().filter_map(Result::ok).filter(|entry| entry.depth() > 0) {
        if count == MOST {
            let _ = tell(Batch { walk: number, found, end: Some(true) });
            return;
        }
        let Ok(path) = entry.path().strip_prefix(Path::new(directory)) else { continue };
        let is_dir = entry.file_type().is_some_and(|kind| kind.is_dir());
        found.push(Found::new(path.as_os_str().as_bytes(), is_dir));
        count += 1;
        if found.len() >= size {
            size *= 2;
            if !tell(Batch { walk: number, found: std::mem::take(&mut found), end: None }) {
                return;
            }
        }
    }
    let _ = tell(Batch { walk: number, found, end: Some(false) });
}
