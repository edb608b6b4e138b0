//! The tests of the screen once more, each escape sequence split after its
//! escape character by 20 ms, as a slow line does.
#![cfg(target_os = "linux")]

#[path = "screen.rs"]
mod screen;
