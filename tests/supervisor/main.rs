//! Real commands under the real supervisor.
#![cfg(target_os = "linux")]
#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout
)] // as in all tests

mod agent;
mod ends;
#[cfg(feature = "failpoints")]
mod failpoints;
mod folder;
mod limits;
mod orders;
mod scene;
mod strangers;
mod strays;
mod tampering;
