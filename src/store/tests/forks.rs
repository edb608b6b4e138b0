//! Forks of all kinds of sessions.

use super::*;
