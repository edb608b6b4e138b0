//! What happens in a session, as shrinkable values.

use crate::record::Outcome;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

/// A whole session: imported turns first, then copied ones, then its own.
#[derive(Debug, Clone)]
pub(crate) struct Plan {
    pub(super) kind: Kind,
    pub(super) foreign: Vec<Turn>,
    pub(super) copied: Vec<Turn>,
    pub(super) own: Vec<Turn>,
}

#[derive(Debug, Clone)]
pub(super) enum Kind {
    New,
    Imported,
    /// With the commands that its origin lists as unknown.
    Forked(Vec<usize>),
}

#[derive(Debug, Clone)]
pub(super) struct Turn {
    pub(super) steps: Vec<Step>,
    /// Whether it ends with an answer, if nothing prevents that.
    pub(super) answered: bool,
    /// Chooses among the ways in which it may end otherwise.
    pub(super) ending: usize,
    pub(super) torn: bool,
    pub(super) renamed: bool,
    /// Whether another program had acknowledged it.
    pub(super) source_acknowledged: bool,
}

/// A response with calls, and what follows them.
#[derive(Debug, Clone)]
pub(super) struct Step {
    pub(super) calls: Vec<Call>,
    pub(super) talks: bool,
    pub(super) reasons: bool,
    pub(super) ids: Ids,
    pub(super) joined: bool,
    pub(super) extended: bool,
    pub(super) torn: bool,
}

/// How the model names its calls.
#[derive(Debug, Clone, Copy)]
pub(super) enum Ids {
    /// Counted anew in every turn.
    Counted,
    /// As renamed ones look that are still to come.
    Lookalike,
    /// With characters that JSON escapes.
    Odd,
}

#[derive(Debug, Clone)]
pub(super) enum Call {
    /// Runs to an observed end.
    Run {
        what: What,
        ended: Outcome,
        receipt: bool,
    },
    Denied {
        what: What,
        feedback: bool,
    },
    InvalidArguments,
    UnknownTool,
    NotRun {
        approved: Option<What>,
    },
    /// Started, and proved not to have run.
    NotLaunched {
        what: What,
    },
    /// Without a start, if that record was lost.
    Unknown {
        what: What,
        started: bool,
    },
}

#[derive(Debug, Clone)]
pub(super) struct What {
    /// One of few, so that operations come again.
    pub(super) command: usize,
    pub(super) edited: bool,
    pub(super) standing: bool,
    pub(super) output: Output,
}

#[derive(Debug, Clone, Copy)]
pub(super) enum Output {
    Empty,
    Short,
    Binary,
    /// More than a record keeps.
    Long,
    /// Somebody held it and lives on.
    Held,
}

/// Plans of whole sessions; [`Plan::play`] makes the records.
pub(crate) fn plans() -> impl Strategy<Value = Plan> {
    let kind = prop_oneof![
        5 => Just(Kind::New),
        2 => Just(Kind::Imported),
        3 => vec(0..3_usize, 0..3).prop_map(Kind::Forked),
    ];
    (kind, vec(turn(), 0..3), vec(turn(), 0..3), vec(turn(), 0..4))
        .prop_map(|(kind, foreign, copied, own)| Plan { kind, foreign, copied, own })
}

fn turn() -> impl Strategy<Value = Turn> {
    (vec(step(), 0..3), any::<bool>(), 0..6_usize, rarely(), rarely(), any::<bool>()).prop_map(
        |(steps, answered, ending, torn, renamed, source_acknowledged)| Turn {
            steps,
            answered,
            ending,
            torn,
            renamed,
            source_acknowledged,
        },
    )
}

fn step() -> impl Strategy<Value = Step> {
    let ids = prop_oneof![6 => Just(Ids::Counted), 1 => Just(Ids::Lookalike), 1 => Just(Ids::Odd)];
    let flags = (any::<bool>(), any::<bool>(), rarely(), rarely(), rarely());
    (vec(call(), 1..4), ids, flags).prop_map(|(calls, ids, (talks, reasons, joined, extended, torn))| Step {
        calls,
        talks,
        reasons,
        ids,
        joined,
        extended,
        torn,
    })
}

fn call() -> impl Strategy<Value = Call> {
    let observed: Vec<_> = Outcome::ALL.iter().copied().filter(|outcome| outcome.is_observed_end()).collect();
    prop_oneof![
        6 => (what(), select(observed), any::<bool>()).prop_map(|(what, ended, receipt)| Call::Run { what, ended, receipt }),
        1 => (what(), any::<bool>()).prop_map(|(what, feedback)| Call::Denied { what, feedback }),
        1 => Just(Call::InvalidArguments),
        1 => Just(Call::UnknownTool),
        1 => proptest::option::of(what()).prop_map(|approved| Call::NotRun { approved }),
        1 => what().prop_map(|what| Call::NotLaunched { what }),
        1 => (what(), any::<bool>()).prop_map(|(what, started)| Call::Unknown { what, started }),
    ]
}

fn what() -> impl Strategy<Value = What> {
    let output = prop_oneof![
        4 => Just(Output::Empty),
        8 => Just(Output::Short),
        2 => Just(Output::Binary),
        1 => Just(Output::Long),
        2 => Just(Output::Held),
    ];
    (0..3_usize, rarely(), rarely(), output).prop_map(|(command, edited, standing, output)| What {
        command,
        edited,
        standing,
        output,
    })
}

fn rarely() -> impl Strategy<Value = bool> {
    prop::bool::weighted(0.2)
}
