//! The dialog in which a person decides about a call.

mod rule;
