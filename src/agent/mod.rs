//! Who decides: a pure state machine, and the task that drives it.

mod protocol;

pub use protocol::{
    AliveProcess, ApprovalRequest, Command, Delta, Event, Finding, Given, Leaving, OpenedSession, Phase,
    ReadOnly, Refusal, RunningCommand, SessionRow, SessionState, UnknownReport, Verdict,
};
