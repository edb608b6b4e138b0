//! All that is known about an effect whose outcome is unknown, for a person.

use super::protocol::{AliveProcess, UnknownReport};
use crate::record::{By, DispatchId, Timestamp};
use crate::session::UnknownEffect;
use crate::store::{self, Decision, OpenSession};
use crate::tools;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// How long the directory is searched for changed files.
const SEARCH: Duration = Duration::from_millis(200);
/// How many changed files are named.
const NAMED: usize = 12;
/// How many entries are looked at.
const LOOKED_AT: usize = 50_000;

/// One report for each effect that waits for a statement.
pub(super) fn reports(open: &OpenSession) -> Vec<UnknownReport> {
    let report = |effect: &UnknownEffect<'_>| UnknownReport {
        decision: open.decision(effect.dispatch).map(in_words),
        ..report(effect, open.dir())
    };
    open.session().gating().iter().map(report).collect()
}

fn in_words(decision: &Decision) -> String {
    let (outcome, operator) = (decision.outcome.word().replace('_', " "), &decision.operator);
    format!("{outcome}: {} ({operator}, {})", decision.note, decision.at)
}

fn report(effect: &UnknownEffect<'_>, dir: &Path) -> UnknownReport {
    let call = effect.call.map(|(_, call)| call);
    let result = call.and_then(|call| call.result.as_ref());
    let folder = call_folder(dir, effect.dispatch);
    let facts = folder.as_deref().and_then(tools::read);
    let alive = tools::alive_of(&store::call_folder(dir, effect.dispatch));
    let alive = alive
        .into_iter()
        .map(|it| AliveProcess { pid: u32::try_from(it.pid).unwrap_or(0), command: it.command });
    let cwd = effect.operation.and_then(|operation| operation.cwd());
    let imported = effect.call.is_some_and(|(turn, _)| turn.imported);
    let since = effect.started_at.filter(|_| !imported);
    let changed = cwd.zip(since).map(|(cwd, since)| changed_since(Path::new(cwd), since));
    UnknownReport {
        dispatch: effect.dispatch,
        operation: effect.operation.cloned(),
        imported,
        approved: call
            .and_then(|call| call.approval.as_ref())
            .map(|approval| (approval.at, by_whom(approval.by))),
        started_at: effect.started_at,
        last_output_at: facts.as_ref().and_then(|facts| facts.output.modified_at),
        output: result.and_then(|result| result.output.clone()).unwrap_or_default(),
        output_bytes: result.and_then(|result| result.output_bytes).unwrap_or_default(),
        output_path: folder.as_ref().map(|folder| folder.join(tools::OUTPUT)).filter(|path| path.exists()),
        pid: folder.as_deref().and_then(tools::process_note).and_then(|note| u32::try_from(note.pid).ok()),
        alive: alive.collect(),
        changed: changed.unwrap_or_default(),
        decision: None,
    }
}

fn call_folder(dir: &Path, dispatch: DispatchId) -> Option<PathBuf> {
    Some(store::call_folder(dir, dispatch)).filter(|folder| folder.is_dir())
}

fn by_whom(by: By) -> &'static str {
    match by {
        By::User => "at the keyboard",
        By::Rule => "by a rule",
        By::Imported => "in another program",
    }
}

/// Names of files under a directory that were changed at or after a moment, and
/// whether the search was given up before its end.
fn changed_since(root: &Path, since: Timestamp) -> (Vec<String>, bool) {
    let until = Instant::now() + SEARCH;
    let mut changed = Vec::new();
    let mut waiting = vec![root.to_owned()];
    let mut looked_at = 0;
    while let Some(dir) = waiting.pop() {
        let Ok(entries) = std::fs::read_dir(&dir) else { continue };
        for entry in entries.flatten() {
            looked_at += 1;
            if looked_at > LOOKED_AT || Instant::now() > until || changed.len() >= NAMED {
                return (changed, true);
            }
            let Ok(metadata) = entry.metadata() else { continue };
            if metadata.is_dir() {
                waiting.push(entry.path());
            } else if modified(&metadata).is_some_and(|at| at >= since) {
                let path = entry.path();
                let name = path.strip_prefix(root).unwrap_or(&path);
                changed.push(name.display().to_string());
            }
        }
    }
    (changed, false)
}

fn modified(metadata: &std::fs::Metadata) -> Option<Timestamp> {
    let since = metadata.modified().ok()?.duration_since(std::time::UNIX_EPOCH).ok()?;
    i64::try_from(since.as_millis()).ok().map(Timestamp::from_millis)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_files_changed_since_are_named() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir(dir.path().join("sub")).unwrap();
        std::fs::write(dir.path().join("sub/new"), "x").unwrap();
        let old = dir.path().join("old");
        std::fs::write(&old, "x").unwrap();
        let past = std::time::SystemTime::UNIX_EPOCH + Duration::from_secs(1_000);
        std::fs::File::open(&old).unwrap().set_modified(past).unwrap();
        let (names, at_least) = changed_since(dir.path(), Timestamp::from_millis(2_000_000));
        assert_eq!((names, at_least), (vec!["sub/new".to_owned()], false));
    }

    #[test]
    fn a_search_that_is_given_up_says_so() {
        let dir = tempfile::tempdir().unwrap();
        for index in 0..=NAMED {
            std::fs::write(dir.path().join(index.to_string()), "x").unwrap();
        }
        let (names, at_least) = changed_since(dir.path(), Timestamp::from_millis(0));
        assert_eq!((names.len(), at_least), (NAMED, true));
    }
}
