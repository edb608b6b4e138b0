//! Every bound of the journal's format, in bytes unless said otherwise.

/// The largest whole number that may be written: 2^53 − 1.
pub const MAX_INTEGER: u64 = (1 << 53) - 1;
/// One line of a journal, newline included.
pub const LINE_BYTES: usize = 1 << 20;
/// One journal.
pub const JOURNAL_BYTES: u64 = 64 << 20;
/// What must remain after records that open something, so that it can be closed.
pub const RESERVE_BYTES: u64 = 4 << 20;
/// One user message.
pub const MESSAGE_BYTES: usize = 256 << 10;
/// One command.
pub const COMMAND_BYTES: usize = 16 << 10;
/// A note beside a statement.
pub const NOTE_BYTES: usize = 4 << 10;
/// An error text of an ended turn.
pub const ERROR_BYTES: usize = 8 << 10;
/// A session's title.
pub const TITLE_BYTES: usize = 1 << 10;
/// What the first title is cut to, in characters.
pub const FIRST_TITLE_CHARS: usize = 80;
/// The words that go with a denial.
pub const FEEDBACK_BYTES: usize = 16 << 10;
/// A call id; longer ones cannot be sent back to every server.
pub const CALL_ID_BYTES: usize = 64;
/// Up to here a result holds the whole output.
pub const OUTPUT_BYTES: usize = 65_536;
/// The first and the last part of a longer output.
pub const OUTPUT_HALF_BYTES: usize = 32_768;
/// What the spool of an execution keeps.
pub const SPOOL_BYTES: u64 = 64 << 20;
/// What is kept of an output's end past the spool.
pub const OUTPUT_TAIL_BYTES: usize = 32 << 10;
/// A receipt, and the room laid out for it beforehand.
pub const RECEIPT_BYTES: usize = 4 << 10;
/// Named survivors of one execution, in number.
pub const SURVIVORS: usize = 20;
/// Nesting of a model's item, in levels.
pub const ITEM_DEPTH: usize = 128;
/// Executions in one journal, in number.
pub const DISPATCHES: usize = 32_768;
