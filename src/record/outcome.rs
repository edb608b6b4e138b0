//! The words for how things ended. Only these words appear anywhere.

use serde::{Deserialize, Serialize};

macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($(#[$vdoc:meta])* $variant:ident = $word:literal),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
        pub enum $name { $($(#[$vdoc])* #[serde(rename = $word)] $variant),+ }

        impl $name {
            /// All of them, in the order of the documentation.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The word in the journal and towards the model.
            #[must_use]
            pub fn word(self) -> &'static str {
                match self { $(Self::$variant => $word),+ }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.word())
            }
        }
    };
}

words!(
    /// How a call ended.
    Outcome {
        /// Ran to its end with exit code 0.
        Completed = "completed",
        /// Ran to its end with another exit code, or a signal that was not ours.
        Failed = "failed",
        /// Stopped at its time limit.
        TimedOut = "timed_out",
        /// Stopped by a person.
        Cancelled = "cancelled",
        /// Stopped at its output limit.
        OutputLimit = "output_limit",
        /// It may or may not have happened.
        Unknown = "unknown",
        /// Refused by a person or a rule before it could start.
        Denied = "denied",
        /// Refused because of its arguments.
        InvalidArguments = "invalid_arguments",
        /// Refused because there is no such tool.
        UnknownTool = "unknown_tool",
        /// It did not run.
        NotExecuted = "not_executed",
    }
);

impl Outcome {
    /// Started, and its end was observed.
    #[must_use]
    pub fn is_observed_end(self) -> bool {
        match self {
            Self::Completed | Self::Failed | Self::TimedOut | Self::Cancelled | Self::OutputLimit => true,
            Self::Unknown | Self::Denied | Self::InvalidArguments | Self::UnknownTool | Self::NotExecuted => {
                false
            }
        }
    }
}

words!(
    /// What an outcome rests on.
    Evidence {
        /// Concluded by the process that wrote the start record.
        Live = "live",
        /// Concluded by a later process, from the supervisor's record.
        Receipt = "receipt",
        /// Proof that the supervisor never got to the start.
        NotLaunched = "not_launched",
        /// What another program's file said.
        Imported = "imported",
        /// Nothing.
        None = "none",
    }
);

words!(
    /// How a turn ended.
    TurnStatus {
        /// The model gave its answer.
        Completed = "completed",
        /// An error ended it.
        Failed = "failed",
        /// A person stopped it.
        Cancelled = "cancelled",
        /// Closed by a later opening.
        Interrupted = "interrupted",
        /// The end of a started command was lost while the agent lived.
        UnconfirmedEffects = "unconfirmed_effects",
    }
);

words!(
    /// What a person says about an unknown outcome. It never changes the outcome.
    StatementKind {
        /// I understand that it may have run.
        MayHaveRun = "may_have_run",
        /// I checked: it did happen.
        Happened = "happened",
        /// I checked: it did not happen.
        DidNotHappen = "did_not_happen",
        /// I checked: part of it happened.
        Partly = "partly",
    }
);

words!(
    /// The answer to "may this run?".
    Decision {
        /// It may run, exactly as shown.
        Approved = "approved",
        /// It may not.
        Denied = "denied",
    }
);

words!(
    /// On whose word something was decided.
    By {
        /// A person at a terminal.
        User = "user",
        /// A standing approval that a person gave for the same operation.
        Rule = "rule",
        /// The file that a turn was imported from.
        Imported = "imported",
    }
);
