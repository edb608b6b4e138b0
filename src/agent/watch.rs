//! A session that another Candor writes, watched here: its records as they come
//! and the output of its running command. Nothing is written.

use super::protocol::{Event, Watched};
use crate::record::DispatchId;
use crate::session::Turn;
use crate::store::{Store, View, WhyReadOnly};
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
                let folder = self.view.dir().join("calls").join(dispatch.to_string());
                self.command = match Follower::new(&folder) {
                    Ok(follower) => Following::Command(dispatch, Box::new(follower)),
                    // It may not have been laid yet; the next look tries again.
                    Err(_) => Following::Nothing,
                };
            }
        }
    }
}
