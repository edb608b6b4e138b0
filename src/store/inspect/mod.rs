//! What a journal proves, for people and programs that were not there. Reads
//! and changes nothing, not even an access time.

mod examine;
mod gather;
mod report;
mod target;

pub use examine::InspectError;
pub use report::{Anchor, Effect, EffectRow, ExpectedSession, Report, TrustedBy, TurnRow, UntrackedApproval};
pub use target::{Target, read_public_key, read_signing_key};

pub(super) use examine::{Verified, examine};

use super::Store;
use crate::record::{Digest, SessionId, TurnId};
use ed25519_dalek::VerifyingKey;

/// What is to be inspected, and what is known about it from elsewhere.
#[derive(Debug, Clone)]
pub struct InspectRequest {
    /// The journal.
    pub target: Target,
    /// The session that it has to be.
    pub session: Option<SessionId>,
    /// The key that it has to be signed with; else the local store's.
    pub public_key: Option<VerifyingKey>,
    /// The hash of its last line.
    pub expect_head: Option<Digest>,
    /// Another key whose decisions count.
    pub operator_key: Option<VerifyingKey>,
    /// Report on this turn alone.
    pub turn: Option<TurnId>,
    /// Take every result but `completed` and `not_executed` as unknown.
    pub errors_unknown: bool,
    /// Told now and then how many bytes were read, and of how many.
    pub progress: fn(u64, u64),
}

impl InspectRequest {
    /// Nothing but the journal is known.
    #[must_use]
    pub fn of(target: Target) -> Self {
        Self {
            target,
            session: None,
            public_key: None,
            expect_head: None,
            operator_key: None,
            turn: None,
            errors_unknown: false,
            progress: |_, _| (),
        }
    }
}

impl Store {
    /// Verifies a journal and reports its evidence.
    ///
    /// # Errors
    /// [`InspectError`]: there is nothing to report, exit code 1.
    pub fn inspect(&self, request: &InspectRequest) -> Result<Report, InspectError> {
        let verified = examine(self, request)?;
        gather::report(self.files.as_ref(), &verified, request)
    }
}
