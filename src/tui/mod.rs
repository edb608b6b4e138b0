//! The screen: state, update, views, keys, theme, terminal.

mod approval;
mod clock;
mod composer;
mod input;
mod keys;
mod moment;
mod terminal;
mod theme;
