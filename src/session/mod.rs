//! What the records mean: the fold with its order rules, recovery, the gate,
//! and the context for the model.
//!
//! Values and functions only. Whatever must never be wrong lives here and is
//! tested here, without a terminal, a disk or a model.

mod state;

pub use state::{Call, Entry, Header, Response, Session, Tail, Turn, UnknownEffect};

mod standin;
pub use standin::{OrderError, needs_reserve};
