//! Tests of the room: a table per rule, and properties of whole histories.

mod context;
mod decisions;
mod effects;
mod order;
mod properties;
mod recovery;
mod results;
mod spread;
mod statements;
