//! Following a running command: its output as it is spooled, and its end. The
//! same for a command just started and for one found running at an opening.

use super::facts::{dispatch_named, read_in, supervisor_in};
use super::folder::{Folder, LOCK, OUTPUT, RECEIPT};
use super::hint::Hint;
use super::lock::{LockState, state_of};
use crate::record::{DispatchId, FolderFacts};
use std::cell::OnceCell;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tokio::task::{JoinHandle, spawn_blocking};

/// Between two looks when no hint comes: shorter than a person sees.
const TICK: Duration = Duration::from_millis(30);
/// The same, after a receipt and before its writer has left: two syncs.
const LEAVING_TICK: Duration = Duration::from_millis(1);
/// How many such looks there are, before a receipt is no hint any more.
const LEAVING_LOOKS: u32 = 200;
/// As much as is handed on at once.
const CHUNK: usize = 64 << 10;

/// What became of a followed command.
#[derive(Debug)]
pub enum Followed {
    /// It wrote this, after all that was handed on before.
    Output(Vec<u8>),
    /// It has ended: its supervisor is gone, with a receipt that fits or without
    /// one. Comes once, after all output.
    Ended(Box<FolderFacts>),
}

/// Follows one execution from the start of its output.
#[derive(Debug)]
pub struct Follower {
    folder: Arc<Folder>,
    dispatch: DispatchId,
    output: Option<File>,
    position: u64,
    buffer: Vec<u8>,
    lock: Option<File>,
    hint: Hint,
    /// What lies in the folder, and whether its supervisor lives all the same.
    reading: Option<JoinHandle<(FolderFacts, bool)>>,
    /// How often a supervisor with a receipt was found still there.
    leaving: u32,
    state: State,
}

#[derive(Debug)]
enum State {
    Running,
    /// Only output that was not handed on yet precedes the end.
    Ending(Box<FolderFacts>),
    Ended,
}

impl Follower {
    /// Follows the execution of the call folder `dir`. To be called within a
    /// tokio runtime.
    ///
    /// # Errors
    /// When there is no such folder, or it is not named after a dispatch.
    pub fn new(dir: &Path) -> io::Result<Self> {
        let folder = Folder::open(dir)?;
        // Before the command may have put another file there.
        let lock = folder.open_to_read(LOCK).ok();
        Ok(Self {
            folder: Arc::new(folder),
            dispatch: dispatch_named(dir).ok_or(io::ErrorKind::InvalidInput)?,
            output: None,
            position: 0,
            buffer: vec![0; CHUNK],
            lock,
            hint: Hint::on(dir),
            reading: None,
            leaving: 0,
            state: State::Running,
        })
    }

    /// The next output, or the end; after the end it never returns. Dropping
    /// the future loses nothing of what it would have said.
    pub async fn next(&mut self) -> Followed {
        loop {
            if let Some(bytes) = self.new_output() {
                return Followed::Output(bytes);
            }
            match std::mem::replace(&mut self.state, State::Ended) {
                State::Ending(facts) => return Followed::Ended(facts),
                State::Ended => std::future::pending().await,
                State::Running => self.state = State::Running,
            }
            if self.reading.is_some() || self.seems_over() {
                self.look().await;
            } else {
                let patience = self.patience();
                self.hint.wait(patience).await;
            }
        }
    }

    fn new_output(&mut self) -> Option<Vec<u8>> {
        if self.output.is_none() {
            self.output = self.folder.open_to_read(OUTPUT).ok();
        }
        let read = self.output.as_ref()?.read_at(&mut self.buffer, self.position).unwrap_or(0);
        self.position += read as u64;
        (read > 0).then(|| self.buffer[..read].to_vec())
    }

    /// Cheap, asked at every tick; whether it is over the facts decide.
    fn seems_over(&mut self) -> bool {
        if self.lock.is_none() {
            self.lock = self.folder.open_to_read(LOCK).ok();
        }
        !self.lock.as_ref().is_some_and(|lock| state_of(lock) == LockState::Held)
    }

    /// How long to wait for the next look. A receipt is no end as long as its
    /// writer is there: a command can write one, too. Mostly it is only leaving.
    fn patience(&mut self) -> Duration {
        if self.leaving < LEAVING_LOOKS && self.folder.has(RECEIPT).unwrap_or(false) {
            self.leaving += 1;
            return LEAVING_TICK;
        }
        TICK
    }

    async fn look(&mut self) {
        let reading = self.reading.get_or_insert_with(|| {
            let (folder, dispatch) = (Arc::clone(&self.folder), self.dispatch);
            spawn_blocking(move || {
                // First: what is missing after it was found gone will never come.
                let supervised = supervisor_in(&folder, dispatch).is_some();
                (read_in(&folder, dispatch, &OnceCell::new()), supervised)
            })
        });
        let read = reading.await;
        self.reading = None;
        match read {
            // The lock that was opened at the start is free. One that has its name
            // now may be anybody's.
            Ok((mut facts, false)) if self.lock.is_some() || !facts.lock_held => {
                facts.lock_held = false;
                self.state = State::Ending(Box::new(facts));
            }
            // Its supervisor lives without a lock, or the runtime is going down.
            Ok(_) | Err(_) => self.hint.wait(TICK).await,
        }
    }
}
