//! What sessions and keys need: directories, locks, syncs, keys, heads.

use super::Finding;
use crate::record::SessionId;
use crate::store::{Kind, RowState, Store, StoreError, WhyReadOnly, clock};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

/// So many sessions are named that are not whole.
const NAMED: usize = 3;

/// Each directory that is there: for its owner only, and writable for this
/// user; one that is not there can be made.
pub(super) fn directories(store: &Store, above: &[&Path]) -> Finding {
    let mut open: Vec<PathBuf> = above.iter().map(|path| (*path).to_owned()).collect();
    let mut own = vec![store.keys().dir().to_owned()];
    for kind in Kind::ALL {
        let layout = store.of_kind(kind).layout().clone();
        own.extend([layout.sessions(), layout.heads(), layout.trash()]);
    }
    let found = open
        .drain(..)
        .map(|path| directory(&path, 0o022))
        .chain(own.iter().map(|path| directory(path, 0o077)));
    let problems: Vec<String> = found.filter_map(Result::err).collect();
    match problems.as_slice() {
        [] if store.layout().sessions().exists() => {
            Finding::Fine(format!("{}, for its owner only", store.layout().sessions().display()))
        }
        [] => Finding::Fine(format!(
            "{} will be made with the first session",
            store.layout().sessions().display()
        )),
        problems => Finding::Problem(problems.join(" ")),
    }
}

/// `closed`: the bits of a mode that let others do what they must not.
fn directory(path: &Path, closed: u32) -> Result<(), String> {
    let Some(there) = path.ancestors().find(|path| path.exists()) else {
        return Err(format!("{} cannot be reached.", path.display()));
    };
    let shown = there.display();
    let found = there.metadata().map_err(|error| format!("{shown} cannot be read: {error}."))?;
    if !found.is_dir() {
        return Err(format!("{shown} is not a directory."));
    }
    let writable = rustix::fs::access(there, rustix::fs::Access::WRITE_OK | rustix::fs::Access::EXEC_OK);
    writable.map_err(|error| format!("{shown} cannot be written to ({error})."))?;
    let mode = found.permissions().mode() & 0o777;
    if there == path && mode & closed != 0 {
        let can = if closed & 0o044 != 0 { "look into" } else { "change" };
        return Err(format!("Others can {can} {shown} ({mode:03o}). chmod 700 {shown} keeps them out."));
    }
    Ok(())
}

pub(super) fn keys(store: &Store) -> Finding {
    let keys = match store.keys().list() {
        Ok(keys) => keys,
        Err(error) => return Finding::Problem(format!("The keys cannot be read: {error}.")),
    };
    let dir = store.keys().dir();
    let seed = |key: &crate::record::KeyId| dir.join(format!("{key}.seed"));
    let is_open = |path: &PathBuf| path.metadata().is_ok_and(|found| found.permissions().mode() & 0o077 != 0);
    if let Some(open) = keys.iter().map(|key| seed(&key.id)).find(is_open) {
        let open = open.display();
        return Finding::Problem(format!(
            "Others can read {open} and sign with it. chmod 600 {open} keeps them out."
        ));
    }
    match keys.iter().find(|key| key.current) {
        Some(key) if key.can_sign => {
            Finding::Fine(format!("{} of {} in {} signs", key.id, keys.len(), dir.display()))
        }
        Some(key) => Finding::Problem(format!(
            "The private half of the current key {} is gone; no new session can be signed.",
            key.id
        )),
        None if keys.is_empty() => {
            Finding::Fine(format!("{} gets one with the first session", dir.display()))
        }
        None => Finding::Problem(format!(
            "{} names none of its keys as the current one; candor key new makes one.",
            dir.display()
        )),
    }
}

/// Tried on files of their own, where there are sessions to be kept.
pub(super) fn locks(store: &Store) -> Finding {
    if !store.layout().sessions().exists() {
        return Finding::Fine("not tried before there is a session".into());
    }
    match store.locks_work(clock::now()) {
        Ok(true) => Finding::Fine("keep a second Candor out".into()),
        Ok(false) => Finding::Problem(
            "Locks do not work in this file system: no command is run there, and nothing keeps a second Candor out."
                .into(),
        ),
        Err(error) => Finding::Problem(format!("Locks cannot be tried: {error}.")),
    }
}

pub(super) fn syncs(store: &Store) -> Finding {
    if !store.layout().sessions().exists() {
        return Finding::Fine("not tried before there is a session".into());
    }
    match store.try_sync() {
        Ok(()) => Finding::Fine("files and directories can be made durable".into()),
        Err(error) => Finding::Problem(format!("Nothing can be made durable: {error}.")),
    }
}

/// Every session that is not in use, read whole and held against its head.
pub(super) fn sessions(store: &Store) -> Finding {
    let (mut whole, mut busy, mut bad) = (0_usize, 0_usize, Vec::new());
    for kind in Kind::ALL {
        let store = store.of_kind(kind);
        let rows = match store.list() {
            Ok(rows) => rows,
            Err(error) => return Finding::Problem(format!("The sessions cannot be listed: {error}.")),
        };
        for row in rows {
            match state(&store, row.id, &row.state) {
                State::Whole => whole += 1,
                State::Busy => busy += 1,
                State::Bad(why) => bad.push(format!("{}: {why}", row.id)),
            }
        }
    }
    let busy = if busy > 0 { format!("; {busy} in use, not looked at") } else { String::new() };
    if bad.is_empty() {
        return Finding::Fine(format!("{whole} agree with their heads{busy}"));
    }
    let more = bad.len().saturating_sub(NAMED);
    let more =
        if more > 0 { format!("; and {more} more, which candor sessions lists") } else { String::new() };
    bad.truncate(NAMED);
    Finding::Problem(format!(
        "Sessions that are not whole: {}{more}. {whole} agree with their heads{busy}.",
        bad.join("; ")
    ))
}

enum State {
    Whole,
    Busy,
    Bad(String),
}

fn state(store: &Store, id: SessionId, listed: &RowState) -> State {
    match listed {
        RowState::Missing => return State::Bad("its head is known, its files are gone".into()),
        RowState::OpenElsewhere(_) | RowState::CommandRunning { .. } => return State::Busy,
        RowState::NeedsYou { .. }
        | RowState::Ready
        | RowState::Interrupted { .. }
        | RowState::ReadOnly(_)
        | RowState::Damaged(_) => {}
    }
    match store.view(id).map(|view| view.why().cloned()) {
        Ok(None | Some(WhyReadOnly::Newer(_))) => State::Whole,
        Ok(Some(WhyReadOnly::OpenElsewhere(_))) => State::Busy,
        Ok(Some(why @ (WhyReadOnly::Damaged(_) | WhyReadOnly::Missing(_)))) => State::Bad(why.to_string()),
        Ok(Some(why @ (WhyReadOnly::KeyGone(_) | WhyReadOnly::Refused(_)))) => State::Bad(why.to_string()),
        Err(StoreError::InUse(_)) => State::Busy,
        Err(error) => State::Bad(error.to_string()),
    }
}
