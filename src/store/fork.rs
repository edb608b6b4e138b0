//! A fork: a new session that begins with the ended turns of another one.

use super::copying::Copies;
use super::create::NewSession;
use super::error::{At, StoreError};
use super::ids::made_at;
use super::launches::unaccounted_launches;
use super::open_session::OpenSession;
use super::spool::OUTPUT;
use super::{Store, View, layout};
use crate::record::{
    DispatchId, EffectReference, Operation, OperationError, Origin, SessionId, Timestamp, TurnId,
};
use crate::session::{Call, Session, copied_at};
use std::collections::HashSet;
use std::io;
use std::path::Path;

/// The end of an output that was longer than the spool.
const OUTPUT_TAIL: &str = "output.tail";

impl Store {
    /// Makes a session that begins with the turns of another one, up to this
    /// ended turn or to the last one. Whatever of the other may have happened
    /// and is not copied is listed in its origin, and gates it.
    ///
    /// # Errors
    /// [`StoreError::NoTurn`] if there is no such ended turn, else what could
    /// not be read or made.
    pub fn fork(
        &self,
        id: SessionId,
        upto: Option<TurnId>,
        app: &str,
        now: Timestamp,
    ) -> Result<OpenSession, StoreError> {
        let view = self.view(id)?;
        let session = view.session();
        let copies = Copies::of(session, upto).ok_or(StoreError::NoTurn(id))?;
        let header = session.header().ok_or(StoreError::NoTurn(id))?;
        let unknown = self.left_behind(&view, &copies.dispatches)?;
        let origin = Origin::Forked { sid: id, seq: session.next_seq() - 1, head: view.head(), unknown };
        let new = NewSession {
            app: app.to_owned(),
            cwd: header.cwd.clone(),
            title: Some(session.title().to_owned()).filter(|title| !title.is_empty()),
            origin,
            records: copies.records,
        };
        let from = view.dir().to_owned();
        self.create_with(new, now, |aside| self.link_outputs(&from, aside, &copies.dispatches))
    }

    /// All that may have happened and is not copied: unknown outcomes, started
    /// calls of an open turn, and launched commands that no record names.
    fn left_behind(
        &self,
        view: &View,
        copied: &HashSet<DispatchId>,
    ) -> Result<Vec<EffectReference>, StoreError> {
        let session = view.session();
        let mut left = unknown_effects(session, copied).at("describe the operations of", view.dir())?;
        let (files, dir) = (self.files.as_ref(), view.dir());
        for (dispatch, ordered) in unaccounted_launches(files, dir, session).at("read", dir)? {
            let operation = ordered.map_or_else(|| as_requested(None), Ok);
            let operation = operation.map_err(io::Error::other).at("describe an operation of", dir)?;
            left.push(EffectReference { dispatch, operation, started_at: made_at(dispatch) });
        }
        Ok(left)
    }

    fn link_outputs(
        &self,
        from: &Path,
        aside: &Path,
        copied: &HashSet<DispatchId>,
    ) -> Result<(), StoreError> {
        let files = self.files.as_ref();
        for dispatch in copied {
            let (source, folder) = (layout::call(from, *dispatch), layout::call(aside, *dispatch));
            if !self.exists(&source.join(OUTPUT))? {
                continue;
            }
            files.create_dir(&folder).at("make", &folder)?;
            for name in [OUTPUT, OUTPUT_TAIL] {
                if self.exists(&source.join(name))? {
                    files.link(&source.join(name), &folder.join(name)).at("link", &source.join(name))?;
                }
            }
            files.sync_dir(&folder).at("sync", &folder)?;
        }
        Ok(())
    }
}

fn unknown_effects(session: &Session, copied: &HashSet<DispatchId>) -> io::Result<Vec<EffectReference>> {
    let running = session.running_effects().filter_map(|call| {
        let start = call.start.as_ref()?;
        Some((start.dispatch, Some(&start.operation), Some(call), Some(start.at)))
    });
    let unknown = session.unknown_effects().into_iter().map(|effect| {
        let call = effect.call.map(|(_, call)| call);
        (effect.dispatch, effect.operation, call, effect.started_at)
    });
    let left = unknown.chain(running).filter(|(dispatch, ..)| !copied.contains(dispatch));
    left.map(|(dispatch, operation, call, started_at)| {
        let operation =
            operation.cloned().map_or_else(|| as_requested(call), Ok).map_err(io::Error::other)?;
        let started_at = started_at.or_else(|| recorded_at(call?)).unwrap_or_else(|| made_at(dispatch));
        Ok(EffectReference { dispatch, operation, started_at })
    })
    .collect()
}

/// What the model asked for, where no record holds the operation.
fn as_requested(call: Option<&Call>) -> Result<Operation, OperationError> {
    let (name, arguments) =
        call.map_or(("bash", None), |call| (call.name.as_str(), Some(call.arguments.as_str())));
    Operation::imported(name, None, arguments, None)
}

fn recorded_at(call: &Call) -> Option<Timestamp> {
    let result = call.result.as_ref()?;
    result.started_at.or_else(|| copied_at(result.ext.as_deref())).or(Some(result.at))
}
