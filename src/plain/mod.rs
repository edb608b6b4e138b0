//! The same agent as lines on an ordinary terminal: for screen readers, serial
//! consoles, and whoever does not want a full screen.
//!
//! Nothing here decides. Lines that a person types become commands, events
//! become lines; text from outside is cleaned before it is printed.
#![allow(clippy::print_stdout)] // this room is a front end of lines

mod ask;
mod console;
mod first;
mod input;
mod say;

pub use console::{Left, Options, run};
pub use first::{Beginning, begin};
