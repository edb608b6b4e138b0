//! Hints that a call folder changed. Correctness never rests on one: whoever
//! waits looks again after the tick anyway.

use std::path::Path;
use std::time::Duration;
use tokio::time::sleep;

/// Wakes when a file in a folder gets its final name, as a receipt does. New
/// output is not hinted at: a chatty command would wake us for every line.
#[derive(Debug)]
pub(super) struct Hint {
    #[cfg(target_os = "linux")]
    renames: Option<tokio::net::unix::pipe::Receiver>,
}

#[cfg(target_os = "linux")]
impl Hint {
    pub(super) fn on(dir: &Path) -> Self {
        Self { renames: watch(dir).ok() }
    }

    /// Waits for a hint, at most for the tick.
    pub(super) async fn wait(&self, tick: Duration) {
        let Some(renames) = &self.renames else { return sleep(tick).await };
        tokio::select! {
            () = sleep(tick) => {}
            _ = renames.readable() => {
                let mut events = [0; 1024];
                while matches!(renames.try_read(&mut events), Ok(n) if n > 0) {}
            }
        }
    }
}

/// The kernel lets go of a watch only after every processor has passed by, about
/// 10 ms later. Nobody waits for that: the next request is due.
#[cfg(target_os = "linux")]
impl Drop for Hint {
    fn drop(&mut self) {
        let queue = self.renames.take().and_then(|renames| renames.into_nonblocking_fd().ok());
        // Without another thread it is let go of here.
        let _ = std::thread::Builder::new().name("let go".into()).spawn(move || drop(queue));
    }
}

#[cfg(target_os = "linux")]
fn watch(dir: &Path) -> std::io::Result<tokio::net::unix::pipe::Receiver> {
    use rustix::fs::inotify::{CreateFlags, WatchFlags, add_watch, init};
    let queue = init(CreateFlags::NONBLOCK | CreateFlags::CLOEXEC)?;
    add_watch(&queue, dir, WatchFlags::MOVED_TO | WatchFlags::ONLYDIR | WatchFlags::DONT_FOLLOW)?;
    // No pipe, but read and polled like one; tokio has no other safe wrapper.
    tokio::net::unix::pipe::Receiver::from_owned_fd_unchecked(queue)
}

#[cfg(not(target_os = "linux"))]
impl Hint {
    pub(super) fn on(_: &Path) -> Self {
        Self {}
    }

    /// Waits for the tick.
    pub(super) async fn wait(&self, tick: Duration) {
        sleep(tick).await;
    }
}
