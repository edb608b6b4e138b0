//! Records as signed, chained lines in one locked file.
//!
//! A line is encoded, signed, written and synced here, and read and verified
//! here, byte for byte. Which record may follow which is `session`'s matter;
//! where the files lie is `store`'s.
#![allow(clippy::disallowed_methods)] // this room owns files

mod ahead;
#[cfg(any(test, feature = "lab"))]
pub mod attack;
mod chain;
mod error;
pub mod files;
mod line;
mod lines;
pub mod lock;
mod parsed;
mod reading;
pub mod seal;
mod tail;
mod verify;
mod writer;

pub use chain::{Chain, Newer};
pub use error::{CommitError, Damage, Fault, Poison};
pub use line::{Line, Place, VERSION, newer_version};
pub use lines::{Lines, Raw};
#[cfg(test)]
pub(crate) use reading::go_on_verified;
pub use reading::{KeyLookup, Reading, TornTail, read, read_verified, verify_line};
pub use tail::settle;
pub use writer::{Building, Journal};
