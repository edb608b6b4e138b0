//! Real commands under the real supervisor.
#![cfg(target_os = "linux")]

mod ends;
mod limits;
mod scene;
mod strays;
