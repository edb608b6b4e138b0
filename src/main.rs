//! The `candor` program: command line in, exit code out.

fn main() {}
