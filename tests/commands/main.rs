//! The commands that need no screen, as people and scripts call them.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::disallowed_methods
)] // a test may fail, and owns its files

mod doctoring;
mod housekeeping;
mod importing;
mod inspecting;
mod large;
mod mutations;
mod scene;
mod shells;
mod story;
#[path = "../support/mod.rs"]
mod support;
mod usage;
mod usage_table;
