//! Commands that were launched and that no record names: the journal has lost
//! what was written before them.

use super::layout;
use crate::journal::files::{self, Files};
use crate::record::{Digest, DispatchId, FolderFacts, Operation, OutputExcerpt, SpoolFacts};
use crate::session::{self, Session};
use std::io;
use std::path::Path;

/// An order is smaller than this, in bytes.
const ORDER_BYTES: usize = 256 << 10;

/// A launched command that neither a record names nor recovery will name.
pub(super) fn lost_launch(
    files: &dyn Files,
    dir: &Path,
    session: &Session,
) -> io::Result<Option<DispatchId>> {
    let unnamed = unnamed_launches(files, dir, session)?;
    Ok(session::missing_records(session, &unnamed).into_iter().next())
}

/// Launched commands that no record names and whose end no receipt tells, with
/// what was ordered, where that can be read.
pub(super) fn unaccounted_launches(
    files: &dyn Files,
    dir: &Path,
    session: &Session,
) -> io::Result<Vec<(DispatchId, Option<Operation>)>> {
    let mut unaccounted = Vec::new();
    for facts in unnamed_launches(files, dir, session)? {
        if files.state(&layout::call(dir, facts.dispatch).join("receipt.json"))?.is_none() {
            unaccounted.push((facts.dispatch, facts.order.map(|order| order.operation)));
        }
    }
    Ok(unaccounted)
}

fn unnamed_launches(files: &dyn Files, dir: &Path, session: &Session) -> io::Result<Vec<FolderFacts>> {
    let mut unnamed = Vec::new();
    for dispatch in call_folders(files, dir)? {
        if !session.knows_dispatch(dispatch)
            && let Some(facts) = launch_facts(files, dir, dispatch)?
        {
            unnamed.push(facts);
        }
    }
    Ok(unnamed)
}

/// The executions that have a folder.
pub(super) fn call_folders(files: &dyn Files, dir: &Path) -> io::Result<Vec<DispatchId>> {
    let names = match files.list(&layout::calls(dir)) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        other => other?,
    };
    Ok(names.iter().filter_map(|name| DispatchId::parse(name.to_str()?).ok()).collect())
}

/// What was ordered in a folder whose command may have run. Its output and end
/// are recovery's to look at, not the question here.
fn launch_facts(files: &dyn Files, dir: &Path, dispatch: DispatchId) -> io::Result<Option<FolderFacts>> {
    let folder = layout::call(dir, dispatch);
    if files.state(&folder.join("launch.json"))?.is_none() {
        return Ok(None);
    }
    let order = files::read_small(files, &folder.join("order.json"), ORDER_BYTES).ok();
    Ok(Some(FolderFacts {
        dispatch,
        order: order.and_then(|bytes| serde_json::from_slice(&bytes).ok()),
        launched: true,
        lock_held: false,
        receipt: None,
        alive: Vec::new(),
        output: SpoolFacts {
            excerpt: OutputExcerpt { text: String::new(), truncated: false },
            spool_bytes: 0,
            sha256: Digest::of(b""),
            modified_at: None,
        },
    }))
}
