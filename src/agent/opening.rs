//! The store's words for front ends.

use super::protocol::{Finding, ReadOnly, SessionRow, SessionState};
use crate::store::{Found, Row, RowState, WhyReadOnly};

/// Why a session can only be read.
pub(super) fn reason(why: &WhyReadOnly) -> ReadOnly {
    let text = why.to_string();
    match why {
        WhyReadOnly::OpenElsewhere(_) => ReadOnly::OpenElsewhere(text),
        WhyReadOnly::Newer(_) => ReadOnly::Newer(text),
        WhyReadOnly::KeyGone(_) => ReadOnly::KeyGone(text),
        WhyReadOnly::Damaged(_) => ReadOnly::Damaged(text),
        WhyReadOnly::Missing(_) => ReadOnly::Missing(text),
    }
}

/// One sentence that says why, and what can be done.
pub(super) fn sentence(why: &ReadOnly) -> String {
    match why {
        ReadOnly::OpenElsewhere(text) => format!("This session is {text}. Leave it there to write here."),
        ReadOnly::Newer(text) => format!("This session can only be read: {text}. Update Candor to go on."),
        ReadOnly::KeyGone(text) => {
            format!("This session can only be read: {text}. Its turns can be forked into a new session.")
        }
        ReadOnly::Damaged(text) => {
            format!("This session does not verify: {text}. It can be read up to there, and is never changed.")
        }
        ReadOnly::Missing(text) => {
            format!("This session is not whole: {text}. It can be read, and is never changed.")
        }
        ReadOnly::DirectoryGone(text) => {
            format!("{text} no longer exists. The session can be read and forked.")
        }
    }
}

/// What an opening found beside the calls.
pub(super) fn found(found: &Found) -> Option<Finding> {
    match found {
        Found::Tail(_) | Found::NoLocks => Some(Finding { sentence: found.to_string() }),
    }
}

/// The list as a front end shows it.
pub(super) fn rows(rows: Vec<Row>, here: &str) -> Vec<SessionRow> {
    rows.into_iter().map(|row| self::row(row, here)).collect()
}

fn row(row: Row, here: &str) -> SessionRow {
    SessionRow {
        id: row.id,
        here: row.cwd == here,
        state: state(&row.state),
        detail: row.state.detail(),
        title: row.title,
        cwd: row.cwd,
        last_at: row.last_at,
    }
}

fn state(state: &RowState) -> SessionState {
    match state {
        RowState::NeedsYou { .. } => SessionState::NeedsYou,
        RowState::CommandRunning { .. } => SessionState::CommandRunning,
        RowState::OpenElsewhere(_) => SessionState::OpenElsewhere,
        RowState::Ready => SessionState::Ready,
        RowState::Interrupted => SessionState::Interrupted,
        RowState::ReadOnly(_) => SessionState::ReadOnly,
        RowState::Damaged(_) => SessionState::Damaged,
        RowState::Missing => SessionState::Missing,
    }
}
