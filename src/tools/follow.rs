//! Following a running command: its output as it is spooled, and its end. The
//! same for a command just started and for one found running at an opening.

use super::facts::{dispatch_named, read_in};
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
/// As much as is handed on at once.
const CHUNK: usize = 64 << 10;

/// What became of a followed command.
#[derive(Debug)]
pub enum Followed {
    /// It wrote this, after all that was handed on before.
    Output(Vec<u8>),
    /// It has ended: there is a receipt that fits, or its supervisor is gone
    /// without one. Comes once, after all output. With a receipt the lock may
    /// still be held for the moment that the supervisor needs to leave.
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
    reading: Option<JoinHandle<FolderFacts>>,
    /// A receipt is there and does not fit: only the lock still counts.
    unfit: bool,
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
        Ok(Self {
            folder: Arc::new(Folder::open(dir)?),
            dispatch: dispatch_named(dir).ok_or(io::ErrorKind::InvalidInput)?,
            output: None,
            position: 0,
            buffer: vec![0; CHUNK],
            lock: None,
            hint: Hint::on(dir),
            reading: None,
            unfit: false,
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
                self.hint.wait(TICK).await;
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
        let held = self.lock.as_ref().is_some_and(|lock| state_of(lock) == LockState::Held);
        !held || (!self.unfit && self.folder.has(RECEIPT).unwrap_or(false))
    }

    async fn look(&mut self) {
        let reading = self.reading.get_or_insert_with(|| {
            let (folder, dispatch) = (Arc::clone(&self.folder), self.dispatch);
            spawn_blocking(move || read_in(&folder, dispatch, &OnceCell::new()))
        });
        let read = reading.await;
        self.reading = None;
        match read {
            Ok(facts) if facts.receipt.is_some() || !facts.lock_held => {
                self.state = State::Ending(Box::new(facts));
            }
            Ok(_) => self.unfit = true,
            // The runtime is going down.
            Err(_) => self.hint.wait(TICK).await,
        }
    }
}
