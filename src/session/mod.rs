//! What the records mean: the fold with its order rules, recovery, the gate,
//! and the context for the model.
//!
//! Values and functions only. Whatever must never be wrong lives here and is
//! tested here, without a terminal, a disk or a model.

#[cfg(any(test, feature = "lab"))]
pub mod attack;
mod check;
mod closing;
mod context;
mod copied;
mod effects;
mod evidence;
mod fold;
#[cfg(test)]
pub(crate) mod generate;
mod order;
mod recovery;
mod state;
#[cfg(test)]
mod tests;
mod title;
mod told;
pub mod words;

pub use check::needs_reserve;
pub use context::{ContextOptions, NotNow, context};
pub use copied::copied_at;
pub use effects::origin_warnings;
pub use evidence::live_result;
pub use order::OrderError;
pub use recovery::{Finding, Found, Recovery, StillRunning, missing_records, recover};
pub use state::{Call, Entry, Header, Response, Session, Tail, Turn, UnknownEffect};
pub use title::first_title;
