//! The screen: state, update, views, keys, theme, terminal.

mod approval;
mod clock;
mod input;
mod moment;
