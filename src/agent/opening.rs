//! The store's words for front ends.

use super::protocol::{Finding, ReadOnly, SessionRow, SessionState};
use crate::journal::lock::Holder;
use crate::store::{Found, Place, Row, RowState, WhyReadOnly, clock};

/// Why a session can only be read.
pub(super) fn reason(why: &WhyReadOnly) -> ReadOnly {
    let text = why.to_string();
    match why {
        WhyReadOnly::OpenElsewhere(holder) => ReadOnly::OpenElsewhere(holder.clone()),
        WhyReadOnly::Newer(_) => ReadOnly::Newer(text),
        WhyReadOnly::KeyGone(_) => ReadOnly::KeyGone(text),
        WhyReadOnly::Damaged(_) => ReadOnly::Damaged(text),
        WhyReadOnly::Missing(_) => ReadOnly::Missing(text),
        WhyReadOnly::Refused(_) => ReadOnly::Refused(text),
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
    let mut place = Place::new(here);
    let own = Holder::this_process(clock::now());
    rows.into_iter().map(|row| self::row(row, &mut place, &own)).collect()
}

fn row(row: Row, here: &mut Place<'_>, own: &Holder) -> SessionRow {
    let (mut word, mut detail) = (state(&row.state), row.state.detail());
    let holder = match &row.state {
        RowState::OpenElsewhere(holder) => holder.clone(),
        RowState::NeedsYou { .. } | RowState::CommandRunning { .. } | RowState::Ready => None,
        RowState::Interrupted { .. } | RowState::ReadOnly(_) | RowState::Damaged(_) | RowState::Missing => {
            None
        }
    };
    let holder = holder.filter(|holder| {
        let here = (holder.pid, &holder.host) == (own.pid, &own.host);
        if here {
            (word, detail) = (SessionState::Ready, "open in this window".to_owned());
        }
        !here
    });
    SessionRow {
        id: row.id,
        here: here.is(&row.cwd),
        state: word,
        detail,
        title: row.title,
        is_fork: row.forked_from.is_some(),
        cwd: row.cwd,
        holder,
        message: row.message,
        last_at: row.last_at,
    }
}

fn state(state: &RowState) -> SessionState {
    match state {
        RowState::NeedsYou { .. } => SessionState::NeedsYou,
        RowState::CommandRunning { .. } => SessionState::CommandRunning,
        RowState::OpenElsewhere(_) => SessionState::OpenElsewhere,
        RowState::Ready => SessionState::Ready,
        RowState::Interrupted { .. } => SessionState::Interrupted,
        RowState::ReadOnly(_) => SessionState::ReadOnly,
        RowState::Damaged(_) => SessionState::Damaged,
        RowState::Missing => SessionState::Missing,
    }
}
