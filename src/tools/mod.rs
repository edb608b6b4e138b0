//! A tool defines, prepares, executes; bash and its supervisor.
#![allow(clippy::disallowed_methods)] // this room starts programs, reads clocks and owns the call folder
