//! Candor: a terminal agent that never claims more than it can prove.
//!
//! `docs/architecture.md` is the map of the rooms below.

pub mod agent;
#[cfg(any(test, feature = "lab"))]
pub mod attacks;
pub mod cli;
pub mod config;
pub mod journal;
pub mod model;
pub mod plain;
pub mod record;
pub mod session;
pub mod store;
pub mod text;
pub mod tools;
pub mod tui;
