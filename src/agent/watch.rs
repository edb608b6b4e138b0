//! A session that another Candor writes, watched here: its records as they come
//! and the output of its running command. Nothing is written.

use super::protocol::{Event, Watched};
use crate::record::DispatchId;
use crate::session::Turn;
use crate::store::{Store, View, WhyReadOnly, call_folder};
use crate::tools::{Followed, Follower};
use std::time::Duration;
use tokio::time::{Instant, sleep_until};

/// Between two looks at the journal, while it is shown.
const TICK: Duration = Duration::from_millis(250);

/// A watched session.
pub(super) struct Watch {
    store: Store,
    view: View,
    state: Watched,
    command: Following,
    due: Instant,
    over: bool,
}

/// The command of the watched session.
enum Following {
    Nothing,
    /// It runs, and what it writes is told.
    Command(DispatchId, Box<Follower>),
    /// It has ended, or cannot be followed; its result is the writer's to record.
    Over(DispatchId),
}

impl Watch {
    /// Watches a session from what was read of it on. To be called within a
    /// tokio runtime.
    pub(super) fn new(store: Store, view: View) -> Self {
        let holder = match view.why() {
            Some(WhyReadOnly::OpenElsewhere(holder)) => holder.clone(),
            Some(_) | None => None,
        };
        let state = Watched::Held(holder);
        Self { store, view, state, command: Following::Nothing, due: Instant::now(), over: false }
    }

    /// What happens next in it; nothing more after it was damaged or moved
    /// away. Dropping the future loses nothing.
    pub(super) async fn next(&mut self) -> Vec<Event> {
        loop {
            let (due, over) = (self.due, self.over);
            let look = async {
                match over {
                    false => sleep_until(due).await,
                    true => std::future::pending().await,
                }
            };
            let command = &mut self.command;
            let follow = async {
                match command {
                    Following::Command(dispatch, follower) => (*dispatch, follower.next().await),
                    Following::Nothing | Following::Over(_) => std::future::pending().await,
                }
            };
            tokio::select! {
                () = look => {
                    self.due = Instant::now() + TICK;
                    let events = self.look();
                    if !events.is_empty() {
                        return events;
                    }
                }
                (dispatch, followed) = follow => match followed {
                    Followed::Output(bytes) => return vec![Event::Output { dispatch, bytes }],
                    Followed::Ended(_) => self.command = Following::Over(dispatch),
                },
            }
        }
    }

    fn look(&mut self) -> Vec<Event> {
        let mut events = self.follow();
        let id = self.view.session().id();
        let holder = self.store.holder(id);
        if holder.is_none() && matches!(self.state, Watched::Held(_)) {
            // What was written before it was let go.
            events.extend(self.follow());
        }
        self.follow_command();
        let running = matches!(self.command, Following::Command(..));
        let state = holder.map_or(Watched::Free { running }, Watched::Held);
        if !self.over && self.state != state {
            self.state = state.clone();
            events.push(Event::Watched(state));
        }
        events
    }

    fn follow(&mut self) -> Vec<Event> {
        if self.over {
            return Vec::new();
        }
        let trouble = match self.view.follow() {
            Ok(new) => {
                let mut events: Vec<Event> = new.into_iter().map(Event::Committed).collect();
                if let Some(damage) = &self.view.reading().damage {
                    self.over = true;
                    events.push(Event::Notice(format!(
                        "What follows does not verify: {damage}. It is shown up to here."
                    )));
                }
                return events;
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                "The session was moved away, so nothing more of it is shown.".to_owned()
            }
            Err(error) => format!("The session can be followed no longer: {error}."),
        };
        self.over = true;
        vec![Event::Notice(trouble)]
    }

    /// Follows the command that runs by the records so far.
    fn follow_command(&mut self) {
        let call = self.view.session().open_turn().and_then(Turn::open_call);
        let started = call.and_then(|call| call.start.as_ref()).map(|start| start.dispatch);
        let Some(dispatch) = started else {
            self.command = Following::Nothing;
            return;
        };
        match &self.command {
            Following::Command(known, _) | Following::Over(known) if *known == dispatch => {}
            Following::Command(..) | Following::Over(_) | Following::Nothing => {
                let folder = call_folder(self.view.dir(), dispatch);
                self.command = match Follower::new(&folder) {
                    Ok(follower) => Following::Command(dispatch, Box::new(follower)),
                    // It may not have been laid yet; the next look tries again.
                    Err(_) => Following::Nothing,
                };
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::journal::files::memory::Memory;
    use crate::record::{Origin, Timestamp, TurnEnded, TurnStatus, UserMessage};
    use crate::store::{self, Kind, NewSession, OpenSession, Opened, StoreError};
    use std::path::Path;
    use std::sync::Arc;

    fn at(millis: i64) -> Timestamp {
        Timestamp::from_millis(1_796_000_000_000 + millis)
    }

    fn begun() -> (Memory, Store, OpenSession, Watch) {
        let memory = Memory::new();
        let store =
            Store::open(Path::new("/data"), Path::new("/config"), Kind::Real, Arc::new(memory.clone()))
                .unwrap();
        let new = NewSession {
            app: "candor test".into(),
            cwd: "/".into(),
            title: None,
            origin: Origin::New {},
            records: Vec::new(),
        };
        let open = store.create(new, at(0)).unwrap();
        let Ok(Opened::ReadOnly(view)) = store.open_session(open.id(), at(1)) else { panic!("it is open") };
        let watch = Watch::new(store.clone(), *view);
        (memory, store, open, watch)
    }

    fn turn(open: &mut OpenSession) {
        let turn = store::ids::turn();
        open.commit(UserMessage { turn, text: "go".into(), imported: false, ext: None }.into(), at(2))
            .unwrap();
        let end = TurnEnded { turn, status: TurnStatus::Cancelled, error: None, ext: None };
        open.commit(end.into(), at(3)).unwrap();
    }

    #[tokio::test]
    async fn records_come_as_they_are_written_and_the_end_is_told_once() {
        let (_, store, mut open, mut watch) = begun();
        let id = open.id();
        turn(&mut open);
        let events = watch.next().await;
        assert!(
            matches!(events.as_slice(), [Event::Committed(one), Event::Committed(two)] if one.seq + 1 == two.seq)
        );
        turn(&mut open);
        drop(open);
        let events = watch.next().await;
        assert!(
            matches!(
                events.as_slice(),
                [Event::Committed(_), Event::Committed(_), Event::Watched(Watched::Free { running: false })]
            ),
            "{events:?}"
        );
        let again = store.open_session(id, at(4)).unwrap();
        assert!(matches!(watch.next().await.as_slice(), [Event::Watched(Watched::Held(Some(_)))]));
        drop(again);
        assert!(matches!(watch.next().await.as_slice(), [Event::Watched(Watched::Free { .. })]));
    }

    #[tokio::test]
    async fn a_line_that_is_not_good_is_never_shown_and_nothing_after_it() {
        let (memory, store, mut open, mut watch) = begun();
        turn(&mut open);
        let path = store.layout().session(open.id()).join("journal.jsonl");
        let good = memory.bytes(&path).unwrap();
        let last = good.len() - good.iter().rev().skip(1).position(|byte| *byte == b'\n').unwrap() - 1;
        // Torn: it waits.
        memory.overwrite(&path, &good[..good.len() - 1]);
        assert!(matches!(watch.next().await.as_slice(), [Event::Committed(_)]));
        // Complete, and not what was signed.
        let bad = String::from_utf8(good[last..].to_vec()).unwrap().replace("cancelled", "completed");
        memory.overwrite(&path, &[&good[..last], bad.as_bytes()].concat());
        let events = watch.next().await;
        assert!(
            matches!(events.as_slice(), [Event::Notice(what)] if what.contains("does not verify")),
            "{events:?}"
        );
        let more = tokio::time::timeout(Duration::from_secs(1), watch.next()).await;
        assert!(more.is_err(), "it waits for nothing more");
    }

    #[tokio::test]
    async fn a_session_that_was_moved_away_is_said_to_be() {
        let (_, store, open, mut watch) = begun();
        let id = open.id();
        drop(open);
        store.trash(id, None, at(4)).unwrap();
        let events = watch.next().await;
        assert!(
            matches!(events.as_slice(), [Event::Notice(what)] if what.contains("moved away")),
            "{events:?}"
        );
        assert!(matches!(store.view(id), Err(StoreError::NoSession(_))));
    }
}
