//! Signals as descriptors that can be polled.

use signal_hook::consts::{SIGCHLD, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGXFSZ};
use signal_hook::{flag, low_level::pipe};
use std::io::{self, Read};
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// The signals that mean something to a supervisor.
#[derive(Debug)]
pub(super) struct Signals {
    /// SIGTERM: stop the command, as the system does when it goes down.
    pub(super) stop: UnixStream,
    /// SIGCHLD: somebody below may have ended.
    pub(super) child: UnixStream,
}

impl Signals {
    /// Handlers for all of them. Those that mean nothing get one as well: it
    /// keeps them from ending this process, and unlike an ignored signal it is
    /// the default again in the command.
    pub(super) fn register() -> io::Result<Self> {
        let unheeded = Arc::new(AtomicBool::new(false));
        // XFSZ: a spool beyond the limit for files has to be an error of `write`.
        for signal in [SIGHUP, SIGINT, SIGQUIT, SIGXFSZ] {
            flag::register(signal, Arc::clone(&unheeded))?;
        }
        Ok(Self { stop: pipe_of(SIGTERM)?, child: pipe_of(SIGCHLD)? })
    }
}

fn pipe_of(signal: i32) -> io::Result<UnixStream> {
    let (reader, writer) = UnixStream::pair()?;
    reader.set_nonblocking(true)?;
    pipe::register(signal, writer)?;
    Ok(reader)
}

/// Empties a descriptor that does not block; its bytes only woke us.
pub(super) fn empty(mut reader: impl Read) {
    let mut bytes = [0; 64];
    while matches!(reader.read(&mut bytes), Ok(n) if n > 0) {}
}
