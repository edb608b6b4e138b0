//! Points at which a test build can be made to die, one after each step of the
//! call folder. In other builds they are nothing.
//!
//! | name | after step | in |
//! |---|---|---|
//! | `laid` | 1: order, lock and room for the receipt are on disk | agent |
//! | `start_recorded` | 2: the start record is on disk | agent |
//! | `spawned` | 3: the supervisor is started and has the lock | agent |
//! | `launched` | 4: `launch.json` is on disk | supervisor |
//! | `running` | 5: the command runs, `process.json` is written | supervisor |
//! | `ended` | 6: the command has ended, nothing is synced | supervisor |
//! | `receipt` | 7: `receipt.json` is on disk | supervisor |
//! | `result_recorded` | 8: the result record is on disk | agent |

/// Names the point at which this process dies, as by `kill -9`.
#[cfg(feature = "failpoints")]
pub(super) const VARIABLE: &str = "CANDOR_FAILPOINT";

/// Dies here if the build is for it and `CANDOR_FAILPOINT` says so.
pub fn failpoint(name: &'static str) {
    #[cfg(feature = "failpoints")]
    if std::env::var_os(VARIABLE).is_some_and(|wanted| wanted == name) {
        let own = rustix::process::getpid();
        // A signal to oneself is delivered before the call returns.
        let _ = rustix::process::kill_process(own, rustix::process::Signal::KILL);
    }
    #[cfg(not(feature = "failpoints"))]
    let _ = name;
}

/// Panics here if the build is for it and `CANDOR_FAILPOINT` is `panic_` and
/// this name: what a fault of our own in this task does to the terminal.
pub fn panicpoint(task: &'static str) {
    #[cfg(feature = "failpoints")]
    if std::env::var_os(VARIABLE).is_some_and(|wanted| wanted == format!("panic_{task}").as_str()) {
        std::panic::panic_any("a planted fault");
    }
    #[cfg(not(feature = "failpoints"))]
    let _ = task;
}
