//! Caps of single fields.

use crate::record::limits;
use crate::session::order::OrderError;

/// The sizes of a field in bytes against its cap.
pub(super) fn cap(what: &'static str, text: &str, max: usize) -> Result<(), OrderError> {
    if text.len() > max { Err(OrderError::TooLong { what, found: text.len(), max }) } else { Ok(()) }
}

pub(super) fn title(text: &str) -> Result<(), OrderError> {
    cap("title", text, limits::TITLE_BYTES)
}

pub(super) fn message(text: &str) -> Result<(), OrderError> {
    cap("message", text, limits::MESSAGE_BYTES)?;
    if text.contains('\0') {
        return Err(OrderError::Nul("message"));
    }
    if text.trim().is_empty() { Err(OrderError::Blank) } else { Ok(()) }
}
