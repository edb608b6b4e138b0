//! What a person does with sessions that are not the open one: lists, looks,
//! searches, names, moves away, brings back, goes on from.

use super::{APP, Agent, Work};
use crate::agent::opening;
use crate::agent::protocol::{Event, Finding, Moved, Previewed, Refusal};
use crate::record::{SessionId, SessionRenamed, TurnId};
use crate::store::{self, Needle, Opened, Searched, Shelf, StoreError};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Work beside the agent that ends when the next of its kind begins, or the
/// agent does.
#[derive(Default)]
pub(super) struct Aside(Arc<AtomicBool>);

impl Aside {
    /// Ends what goes on; gives what will end the next.
    fn next(&mut self) -> Arc<AtomicBool> {
        self.0.store(true, Ordering::Relaxed);
        self.0 = Arc::default();
        Arc::clone(&self.0)
    }
}

impl Drop for Aside {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

impl Agent {
    pub(super) fn list(&self) {
        match self.store.list() {
            Ok(rows) => self.emit(Event::Sessions(opening::rows(rows, &self.setup.cwd))),
            Err(error) => self.emit(Event::Notice(format!("The sessions cannot be listed: {error}."))),
        }
    }

    pub(super) fn list_trash(&self) {
        match self.store.list_trash() {
            Ok(rows) => self.emit(Event::Trash(opening::rows(rows, &self.setup.cwd))),
            Err(error) => {
                self.refuse(Refusal::Cannot, format!("The trash cannot be listed: {error}."), None);
            }
        }
    }

    /// Reads a session to show it, on another thread: it may be large.
    pub(super) fn preview(&mut self, id: SessionId, shelf: Shelf) {
        let stop = self.looking.next();
        let (store, events) = (self.store.clone(), self.events.clone());
        let look = move || {
            let seen = store.preview(id, shelf, Arc::clone(&stop));
            if stop.load(Ordering::Relaxed) {
                return;
            }
            let shown = match seen {
                Ok(preview) => {
                    let why = preview.why.as_ref().map(|why| opening::reason(why).sentence());
                    Previewed { id, session: Some(preview.session), why }
                }
                Err(error) => Previewed {
                    id,
                    session: None,
                    why: Some(format!("Nothing of it can be shown: {error}.")),
                },
            };
            // A front end that is gone wants nothing.
            let _ = events.send(Event::Previewed(Box::new(shown)));
        };
        self.beside("preview", look);
    }

    /// Searches on threads of its own; a newer search ends it.
    pub(super) fn search(&mut self, number: u64, words: &str) {
        let stop = self.searching.next();
        let Some(needle) = Needle::new(words) else {
            return self.emit(Event::Searched { number, searched: Searched::default() });
        };
        let (store, events) = (self.store.clone(), self.events.clone());
        let search = move || {
            // A front end that is gone wants nothing.
            let found = |hits| _ = events.send(Event::Found { number, hits });
            let ended = match store.search(&needle, &stop, &found) {
                Ok(searched) => Event::Searched { number, searched },
                Err(error) => Event::Notice(format!("The sessions cannot be searched: {error}.")),
            };
            let _ = events.send(ended);
        };
        self.beside("search", search);
    }

    fn beside(&self, name: &str, work: impl FnOnce() + Send + 'static) {
        if let Err(error) = std::thread::Builder::new().name(name.into()).spawn(work) {
            self.refuse(
                Refusal::Cannot,
                format!("The {name} was not begun: the system gives no thread ({error}). Try it again."),
                None,
            );
        }
    }

    pub(super) fn remove(&self, id: SessionId, title_word: Option<&str>) {
        let here = matches!(&self.work, Work::Open(desk) if desk.open.id() == id);
        if here {
            let sentence = "Nothing is moved: the session is open in this window. /new leaves it.";
            return self.refuse(Refusal::NotNow, sentence, None);
        }
        match self.store.trash(id, title_word, store::clock::now()) {
            Ok(()) => {
                self.emit(Event::Moved(Moved::ToTrash(id)));
                self.list();
            }
            Err(error) => {
                let why = match error {
                    StoreError::WordWanted { .. } => Refusal::WordWanted,
                    _ => Refusal::Cannot,
                };
                self.refuse(why, format!("Nothing is moved: {error}."), None);
            }
        }
    }

    pub(super) fn restore(&self, id: SessionId) {
        match self.store.restore(id) {
            Ok(()) => {
                self.emit(Event::Moved(Moved::Back(id)));
                self.list_trash();
                self.list();
            }
            Err(error) => self.refuse(Refusal::Cannot, format!("The session is not back: {error}."), None),
        }
    }

    /// Gives a session another title that may not be the open one.
    pub(super) fn rename_session(&mut self, id: SessionId, title: String) {
        if matches!(&self.work, Work::Open(desk) if desk.open.id() == id) {
            self.rename(title);
        } else if let Err(sentence) = self.renamed(id, title) {
            return self.refuse(Refusal::Cannot, sentence, None);
        }
        self.list();
    }

    fn renamed(&self, id: SessionId, title: String) -> Result<(), String> {
        let failed = |error| format!("The session was not renamed: {error}.");
        let opened = self.store.open_session(id, store::clock::now());
        match opened.map_err(failed)? {
            Opened::ReadOnly(view) => {
                let why = view.why().map(|why| opening::reason(why).sentence()).unwrap_or_default();
                Err(format!("The session was not renamed. {why}").trim_end().to_owned())
            }
            Opened::Writable(mut open) => {
                let renamed = open.commit(SessionRenamed { title, ext: None }.into(), store::clock::now());
                renamed.map(|_| ()).map_err(|error| failed(error.into()))
            }
        }
    }

    /// Goes on in a new session that begins with the ended turns of this one up
    /// to one of them.
    pub(super) fn fork_session(&mut self, id: SessionId, upto: TurnId) {
        if !self.may_leave() {
            return;
        }
        match self.store.fork(id, Some(upto), APP, store::clock::now()) {
            Ok(open) => {
                let sentence = format!("This is a new session. {id}, from which it goes on, stays as it is.");
                self.open_for_writing(open, Some(Finding { sentence }));
            }
            Err(error) => self.refuse_fork(&error),
        }
    }

    pub(super) fn refuse_fork(&self, error: &StoreError) {
        self.refuse(Refusal::Cannot, format!("The session cannot be forked: {error}."), None);
    }
}
