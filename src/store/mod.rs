//! The data directory: create, list, open, import, keys, heads.
#![allow(clippy::disallowed_methods)] // this room owns files
