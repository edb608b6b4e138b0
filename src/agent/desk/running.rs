//! The command of the session that runs: followed, asked to stop, given up.

use super::{Desk, Wanted};
use crate::agent::protocol::{Event, Refusal, RunningCommand};
use crate::record::{DispatchId, FolderFacts};
use crate::session::StillRunning;
use crate::store;
use crate::tools::{self, Asked, Followed, Follower};
use std::path::Path;
use std::time::Duration;

/// A command that runs, and how it is followed.
pub(super) struct Running {
    pub(super) dispatch: DispatchId,
    /// Its supervisor's work is followed; without one only its processes are.
    follower: Option<Follower>,
    /// It was found running; the machine knows nothing of it.
    pub(super) found: bool,
}

impl Running {
    pub(super) fn supervised(&self) -> bool {
        self.follower.is_some()
    }
}

impl Desk {
    /// The open call's command whose folder was removed and of which processes
    /// are alive: they carry its mark.
    pub(super) fn folderless(&self, folders: &[FolderFacts]) -> Option<FolderFacts> {
        let call = self.open.session().open_turn()?.open_call()?;
        let dispatch = call.start.as_ref()?.dispatch;
        if folders.iter().any(|folder| folder.dispatch == dispatch) {
            return None;
        }
        let alive = tools::alive_of(&self.call_dir(dispatch));
        (!alive.is_empty()).then(|| FolderFacts { alive, ..FolderFacts::of_nothing(dispatch) })
    }

    pub(super) fn follow_found(&mut self, running: &StillRunning) {
        let (dispatch, supervised) = (running.dispatch, running.supervised);
        self.running = self.running(dispatch, true, supervised);
    }

    pub(super) fn running(&self, dispatch: DispatchId, found: bool, supervised: bool) -> Option<Running> {
        if !supervised {
            return Some(Running { dispatch, follower: None, found });
        }
        match Follower::new(&self.call_dir(dispatch)) {
            Ok(follower) => Some(Running { dispatch, follower: Some(follower), found }),
            Err(error) => {
                self.emit(Event::Notice(format!("The running command cannot be followed: {error}.")));
                None
            }
        }
    }

    pub(super) fn describe(&self, running: &Running) -> RunningCommand {
        let call = self.open.session().find_dispatch(running.dispatch).map(|(_, call)| call);
        let start = call.and_then(|call| call.start.as_ref());
        RunningCommand {
            dispatch: running.dispatch,
            summary: start.map_or_else(String::new, |start| start.operation.summary().to_owned()),
            started_at: start.map_or_else(store::clock::now, |start| start.at),
            supervised: running.supervised(),
            found: running.found,
        }
    }

    pub(super) fn stop_found(&mut self) {
        let Some(running) = &self.running else { return };
        let dispatch = running.dispatch;
        if running.supervised() {
            self.ask_supervisor(dispatch);
        } else {
            // It may take seconds; that it has ended is seen by following.
            let dir = self.call_dir(dispatch);
            tokio::spawn(async move { tools::stop_strays(&dir).await });
        }
    }

    pub(super) fn ask_supervisor(&self, dispatch: DispatchId) {
        let dir = self.call_dir(dispatch);
        match tools::request_stop(&dir) {
            // With its folder gone its supervisor cannot be asked: its processes can.
            Ok(Asked::NobodyThere) if !dir.exists() => {
                tokio::spawn(async move { tools::stop_strays(&dir).await });
            }
            Ok(Asked::Heard | Asked::NobodyThere) => {}
            Err(error) => {
                self.emit(Event::Notice(format!("The command could not be asked to stop: {error}.")));
            }
        }
    }

    /// The person gave up an execution without a supervisor.
    pub(in crate::agent) fn give_up(&mut self, dispatch: DispatchId) {
        let fits = |running: &Running| running.found && !running.supervised() && running.dispatch == dispatch;
        if !self.running.as_ref().is_some_and(fits) {
            let sentence = "No command without a supervisor runs here.".into();
            return self.emit(Event::Refused { why: Refusal::NotNow, sentence, text: None });
        }
        self.running = None;
        let findings = self.recover(Some(dispatch));
        self.say(findings);
    }

    /// Waits for the next thing that the running command does; for ever if none runs.
    pub(in crate::agent) async fn follow(&mut self) -> Followed {
        match &mut self.running {
            Some(Running { follower: Some(follower), .. }) => follower.next().await,
            Some(running) => {
                strays_gone(&store::call_folder(self.open.dir(), running.dispatch), running.dispatch).await
            }
            None => std::future::pending().await,
        }
    }

    /// Takes what the running command did.
    pub(in crate::agent) async fn followed(&mut self, followed: Followed) -> Vec<Wanted> {
        match followed {
            Followed::Output(bytes) => {
                if let Some(running) = &self.running {
                    self.emit(Event::Output { dispatch: running.dispatch, bytes });
                }
                Vec::new()
            }
            Followed::Ended(facts) => self.ended(*facts).await,
        }
    }

    /// Whether a command runs.
    pub(in crate::agent) fn is_running(&self) -> bool {
        self.running.is_some()
    }
}

/// Waits until nothing of a command without a supervisor lives.
async fn strays_gone(dir: &Path, dispatch: DispatchId) -> Followed {
    const LOOK: Duration = Duration::from_millis(500);
    loop {
        tokio::time::sleep(LOOK).await;
        if tools::alive_of(dir).is_empty() {
            // Of a folder that is gone nothing is known any more.
            let facts = tools::read(dir).unwrap_or_else(|| FolderFacts::of_nothing(dispatch));
            return Followed::Ended(Box::new(facts));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_folder_that_was_removed_is_not_waited_for_for_ever() {
        let calls = tempfile::tempdir().unwrap();
        let dispatch = store::ids::dispatch();
        let followed = strays_gone(&calls.path().join(dispatch.to_string()), dispatch).await;
        let Followed::Ended(facts) = followed else { panic!("{followed:?}") };
        assert!(facts.launched && facts.receipt.is_none(), "it may have run");
    }
}
