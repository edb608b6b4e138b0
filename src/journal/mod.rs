//! Records as signed, chained lines in one locked file.
#![allow(clippy::disallowed_methods)] // this room owns files
