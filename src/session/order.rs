//! Why a record may not follow: one closed list, one sentence each.

use crate::record::{CallId, ItemError, OperationError, Outcome};

/// Why a record may not follow the records before it, or may not be written at all.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum OrderError {
    /// `session_started` elsewhere, or something else in its place.
    #[error("a journal begins with session_started, and only there does it stand")]
    Beginning,
    /// Not the next sequence number.
    #[error("the record has number {found}, the next one is {expected}")]
    Seq {
        /// The next number.
        expected: u64,
        /// The record's number.
        found: u64,
    },
    /// A record of a turn where no turn is open.
    #[error("no turn is open")]
    NoTurn,
    /// The record names a turn that is not the open one.
    #[error("another turn is open")]
    OtherTurn,
    /// Only allowed between turns.
    #[error("a turn is open")]
    TurnOpen,
    /// The turn's id came before.
    #[error("the turn's id was used before")]
    TurnIdUsed,
    /// A call has no result yet.
    #[error("a call of this turn has no result yet")]
    CallOpen,
    /// Not about the call whose turn it is.
    #[error("the record is not about the first call without a result")]
    NotTheOpenCall,
    /// The answer is complete; only the turn's end may follow.
    #[error("the turn's answer is complete")]
    Answered,
    /// A message cannot join here.
    #[error("a message joins a turn only after the results of a response's calls, and one at a time")]
    JoinNotNow,
    /// After an unknown outcome the turn is only closed.
    #[error("after an unknown outcome the turn can only be closed")]
    AfterUnknown,
    /// Unknown effects have no statement.
    #[error("an unknown outcome has no statement yet, so no message is taken")]
    Gated,
    /// An imported turn where none may be.
    #[error("imported turns stand only in imported and forked sessions, before all others")]
    ImportedHere,
    /// A joining message whose mark is not its turn's.
    #[error("a message is imported exactly if its turn is")]
    ImportedMark,
    /// A record of Candor's own in another program's turn.
    #[error("an imported turn has no {0} record")]
    NotImported(&'static str),
    /// Nothing but white space.
    #[error("the message is blank")]
    Blank,
    /// A NUL character.
    #[error("the {0} contains a NUL character")]
    Nul(&'static str),
    /// Over a cap.
    #[error("the {what} has {found} bytes, at most {max} fit")]
    TooLong {
        /// Which field.
        what: &'static str,
        /// Its size in bytes.
        found: usize,
        /// The cap in bytes.
        max: usize,
    },
    /// A field that only imported responses may lack.
    #[error("the response lacks its {0}")]
    ResponseLacks(&'static str),
    /// An item that could not be sent back.
    #[error("the response has an unusable item: {0}")]
    Item(#[from] ItemError),
    /// Two calls of a turn with one id.
    #[error("the call id {0} came before in this turn")]
    CallIdUsed(CallId),
    /// A second decision, or one after the start.
    #[error("the call has a decision already")]
    AlreadyDecided,
    /// The word it was decided on does not fit.
    #[error("the record is decided by somebody who cannot decide it")]
    By,
    /// A rule that does not hold.
    #[error("the approval names no standing approval of this very operation that still holds")]
    Rule,
    /// `standing` or `feedback` beside the wrong decision.
    #[error("only a person's approval can be standing, and only a person's denial has feedback")]
    ApprovalForm,
    /// Not the operation's own fingerprint.
    #[error("the fingerprint is not that of the operation")]
    Fingerprint,
    /// Not the one form of an operation.
    #[error("{0}")]
    Operation(#[from] OperationError),
    /// A start without an approval of the same fingerprint.
    #[error("the operation was not approved as it stands")]
    NotApproved,
    /// A second start.
    #[error("the call was started before")]
    AlreadyStarted,
    /// An execution's id came before.
    #[error("the execution's id was used before")]
    DispatchUsed,
    /// A journal has its number of executions.
    #[error("the session has had its {max} executions", max = crate::record::limits::DISPATCHES)]
    TooManyDispatches,
    /// `repeats` names something else.
    #[error("the start repeats no unknown execution of the same operation")]
    Repeats,
    /// The outcome contradicts the call's decision or start.
    #[error("the outcome {0} does not fit what was decided and started")]
    Outcome(Outcome),
    /// Not the call's execution, or one too many or few.
    #[error("the result does not name the call's execution")]
    Dispatch,
    /// Evidence that the outcome cannot rest on.
    #[error("the outcome {0} cannot rest on this evidence")]
    Evidence(Outcome),
    /// Exit code or signal where none may be, or the wrong one.
    #[error("exit code and signal do not fit the outcome {0}")]
    Exit(Outcome),
    /// Output fields without an execution, or an execution without them.
    #[error("a result has an output exactly if it has an execution")]
    Output,
    /// Whole output over the limit.
    #[error("the output is longer than a record keeps and not marked as cut")]
    OutputNotCut,
    /// Times of something that was not observed.
    #[error("the result has times of something that was not observed")]
    Times,
    /// Too many survivors are named.
    #[error("the result names {found} survivors, at most {max} fit", max = crate::record::limits::SURVIVORS)]
    Survivors {
        /// How many.
        found: usize,
    },
    /// The turn's status contradicts its records.
    #[error("the turn's status does not fit its records")]
    Status,
    /// Nothing is stated.
    #[error("the record states nothing")]
    NoStatement,
    /// About something that is not unknown, or has a statement.
    #[error("a statement is about an execution that needs none")]
    NotUnknown,
    /// Not in the journal's order.
    #[error("the statements do not stand in the order of their executions")]
    StatementOrder,
    /// The fork's origin lists an execution twice.
    #[error("the origin lists an execution twice")]
    OriginTwice,
}
