//! What a round does, drawn from a seed.

use std::time::Duration;

/// How a turn's two commands are called in what they write.
pub(super) const LABELS: [&str; 2] = ["one", "two"];
/// One round in so many drives the full screen; it is three times as slow,
/// because a person reads before answering.
const SCREEN_EVERY: u64 = 10;
/// As long as a turn takes at a person's pace, as lines and in the full screen.
const TURN_MS: (u64, u64) = (700, 5_000);
/// As long as an opening takes.
const OPENING_MS: u64 = 60;

macro_rules! steps {
    ($($(#[$doc:meta])* $name:ident = $words:literal),+ $(,)?) => {
        /// When somebody is killed: as soon as this is seen on disk, in the order of a turn.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub(super) enum Step { $($(#[$doc])* $name),+ }

        impl Step {
            pub(super) const ALL: &'static [Self] = &[$(Self::$name),+];

            /// Its name in the table.
            pub(super) fn words(self) -> &'static str {
                match self { $(Self::$name => $words),+ }
            }
        }
    };
}

steps! {
    /// The journal is there.
    Session = "session made",
    /// Its record is there; so it is with the other records.
    Message = "user message",
    /// The first answer, with two calls.
    Response = "model response",
    /// A person's yes.
    Approval = "approval",
    /// The call folder.
    Folder = "folder made",
    /// `order.json`.
    Order = "order laid",
    /// `lock`.
    Lock = "lock laid",
    /// `receipt.tmp`, room for the receipt.
    Room = "room laid",
    /// The start record.
    Started = "start record",
    /// `output`, made by the supervisor.
    Spool = "spool made",
    /// `control`, the way in for the request to stop.
    Control = "control made",
    /// `launch.json`.
    Launched = "launch noted",
    /// `process.json`.
    Process = "command noted",
    /// What the command writes first, outside.
    Begun = "first mark",
    /// What it writes last.
    Done = "last mark",
    /// `receipt.json`.
    Receipt = "receipt",
    /// The result record.
    Result = "result record",
    /// The last answer.
    Answer = "last answer",
    /// The turn's end.
    End = "turn end",
    /// Any time from the message to the turn's end, whatever is on disk.
    Moment = "random moment",
    /// That, and then the restarted program once to three times more, soon
    /// after its start.
    Recovery = "recovery",
    /// The same, but each time as soon as the restarted program has written.
    Closing = "closing record",
}

/// Who is killed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Victim {
    Agent,
    Supervisor,
    Command,
    /// The command is left to itself.
    AgentAndSupervisor,
    All,
}

impl Victim {
    pub(super) fn agent(self) -> bool {
        match self {
            Self::Agent | Self::AgentAndSupervisor | Self::All => true,
            Self::Supervisor | Self::Command => false,
        }
    }

    pub(super) fn supervisor(self) -> bool {
        match self {
            Self::Supervisor | Self::AgentAndSupervisor | Self::All => true,
            Self::Agent | Self::Command => false,
        }
    }

    pub(super) fn command(self) -> bool {
        match self {
            Self::Command | Self::All => true,
            Self::Agent | Self::Supervisor | Self::AgentAndSupervisor => false,
        }
    }
}

/// When the restarted program is killed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Again {
    /// So long after its start.
    After(Duration),
    /// As soon as the journal is longer; a person answers what is asked until then.
    Written,
}

/// What a command does between its two marks, and what a person does about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Does {
    Quick,
    Slow,
    /// Ends with exit code [`FAILS_WITH`].
    Fails,
    /// Prints more than a terminal shows.
    Loud,
    /// Leaves a process behind that writes a mark of its own later.
    Outlives,
    /// Runs into its time limit, which is then a second.
    TooLong,
    /// A person stops it.
    Stopped,
    /// A person says no.
    Denied,
}

/// Exit code of a command that fails.
pub(super) const FAILS_WITH: u64 = 3;

impl Does {
    /// The command of this label: every mark names the label, what it marks
    /// and the execution, and is one write at the end of the file.
    pub(super) fn command(self, label: &str) -> String {
        let mark = |what: &str| format!("echo \"{label} {what} $CANDOR_DISPATCH\" >>../marks");
        let (between, after) = match self {
            Self::Quick | Self::Denied => ("", String::new()),
            Self::Slow => ("sleep 0.3; ", String::new()),
            Self::Fails => ("", format!("; exit {FAILS_WITH}")),
            Self::Loud => ("seq 30000; ", String::new()),
            Self::Outlives => {
                ("", format!("; set -m; (sleep 0.2; {}) >/dev/null 2>&1 & disown", mark("late")))
            }
            Self::TooLong | Self::Stopped => ("sleep 2; ", String::new()),
        };
        format!("{}; echo said {label}; {between}{}{after}", mark("begin"), mark("end"))
    }
}

/// How the program is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Face {
    Plain,
    Screen,
}

/// One round.
#[derive(Debug, Clone)]
pub(super) struct Plan {
    pub(super) round: u32,
    pub(super) step: Step,
    /// Of which of the two calls, where the step is a call's.
    pub(super) call: usize,
    pub(super) victim: Victim,
    /// From the step, or from the message on, to the kill.
    pub(super) delay: Duration,
    pub(super) face: Face,
    pub(super) calls: [Does; 2],
    /// From the death to the restart.
    pub(super) pause: Duration,
    /// When the restarted program is killed, one start after the other.
    pub(super) again: Vec<Again>,
}

impl Plan {
    /// Round `round`, from 0: the steps take turns, all else is drawn.
    pub(super) fn draw(seed: u64, round: u32) -> Self {
        // Neighbouring seeds give unrelated numbers.
        let mut dice = fastrand::Rng::with_seed(seed ^ u64::from(round).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let step = Step::ALL[round as usize % Step::ALL.len()];
        let face = if dice.u64(..SCREEN_EVERY) == 0 { Face::Screen } else { Face::Plain };
        let call = dice.usize(..2);
        let victim = victim(&mut dice, step, face);
        let mut calls = [does(&mut dice, face), does(&mut dice, face)];
        settle(&mut calls, step, call);
        // A quick one has ended before it can be hit.
        if victim != Victim::Agent && calls[call] == Does::Quick && dice.u8(..4) > 0 {
            calls[call] = Does::Slow;
        }
        let turn = match face {
            Face::Plain => TURN_MS.0,
            Face::Screen => TURN_MS.1,
        };
        let delay = match step {
            Step::Moment | Step::Recovery | Step::Closing => micros(&mut dice, turn * 1_000),
            // Most of what matters happens within a few milliseconds of a step.
            _ => match dice.u8(..10) {
                0..4 => Duration::ZERO,
                4..8 => micros(&mut dice, 3_000),
                _ => micros(&mut dice, 30_000),
            },
        };
        let pause = if dice.bool() { Duration::ZERO } else { micros(&mut dice, 400_000) };
        let again = match step {
            Step::Recovery => {
                (0..=dice.usize(..3)).map(|_| Again::After(micros(&mut dice, OPENING_MS * 1_000))).collect()
            }
            Step::Closing => vec![Again::Written; 1 + dice.usize(..3)],
            _ => Vec::new(),
        };
        Self { round, step, call, victim, delay, face, calls, pause, again }
    }

    /// What the person sends.
    pub(super) fn message(&self) -> Vec<String> {
        LABELS.iter().zip(self.calls).map(|(label, does)| format!("Run: {}", does.command(label))).collect()
    }

    /// Whether the commands' time limit is a second.
    pub(super) fn is_limited(&self) -> bool {
        self.calls.contains(&Does::TooLong)
    }
}

fn micros(dice: &mut fastrand::Rng, below: u64) -> Duration {
    Duration::from_micros(dice.u64(..below))
}

fn victim(dice: &mut fastrand::Rng, step: Step, face: Face) -> Victim {
    let all = [Victim::Agent, Victim::All, Victim::AgentAndSupervisor, Victim::Supervisor, Victim::Command];
    let among = match step {
        // Nobody else is there, or nobody else matters any more.
        Step::Session
        | Step::Message
        | Step::Response
        | Step::Approval
        | Step::Folder
        | Step::Order
        | Step::Lock
        | Step::Room
        | Step::Result
        | Step::Answer
        | Step::End => 1,
        // The restart is what is attacked: the program has to be dead before.
        Step::Recovery | Step::Closing => 3,
        // A screen that goes on would have to be driven on.
        _ if face == Face::Screen => 3,
        Step::Started
        | Step::Spool
        | Step::Control
        | Step::Launched
        | Step::Process
        | Step::Begun
        | Step::Done
        | Step::Receipt
        | Step::Moment => all.len(),
    };
    all[dice.usize(..among)]
}

fn does(dice: &mut fastrand::Rng, face: Face) -> Does {
    let drawn = match dice.u8(..24) {
        0..8 => Does::Quick,
        8..14 => Does::Slow,
        14..17 => Does::Fails,
        17..19 => Does::Loud,
        19..21 => Does::Outlives,
        21 => Does::TooLong,
        22 => Does::Stopped,
        _ => Does::Denied,
    };
    match (face, drawn) {
        // A person's other keys are not pressed in the full screen.
        (Face::Screen, Does::Stopped | Does::Denied) => Does::Slow,
        (Face::Plain | Face::Screen, drawn) => drawn,
    }
}

/// Lets the turn come to the step: what is denied is never started, what is
/// stopped or too long never writes its last mark, and nothing follows a stop.
fn settle(calls: &mut [Does; 2], step: Step, call: usize) {
    for (at, does) in calls.iter_mut().enumerate() {
        let comes = match *does {
            // It has no folder either, and those of the calls are counted.
            Does::Denied => at > call || step <= Step::Approval || step >= Step::Result,
            Does::Stopped => (at > call || (at == call && step != Step::Done)) && step != Step::Answer,
            Does::TooLong => at != call || step != Step::Done,
            Does::Quick | Does::Slow | Does::Fails | Does::Loud | Does::Outlives => true,
        };
        if !comes {
            *does = Does::Quick;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_gives_the_same_rounds_and_another_one_others() {
        let drawn = |seed| (0..50).map(|round| format!("{:?}", Plan::draw(seed, round))).collect::<Vec<_>>();
        assert_eq!(drawn(1), drawn(1));
        assert_ne!(drawn(1), drawn(2));
    }

    #[test]
    fn every_step_has_its_turn_and_every_victim_and_kind_occurs() {
        let plans: Vec<Plan> = (0..400).map(|round| Plan::draw(7, round)).collect();
        for step in Step::ALL {
            assert!(
                plans.iter().filter(|plan| plan.step == *step).count() >= 400 / Step::ALL.len(),
                "{step:?}"
            );
        }
        for victim in
            [Victim::Agent, Victim::Supervisor, Victim::Command, Victim::AgentAndSupervisor, Victim::All]
        {
            assert!(plans.iter().any(|plan| plan.victim == victim), "{victim:?}");
        }
        for does in [
            Does::Quick,
            Does::Slow,
            Does::Fails,
            Does::Loud,
            Does::Outlives,
            Does::TooLong,
            Does::Stopped,
            Does::Denied,
        ] {
            assert!(plans.iter().any(|plan| plan.calls.contains(&does)), "{does:?}");
        }
        assert!(plans.iter().any(|plan| plan.face == Face::Screen));
        assert!(plans.iter().all(|plan| plan.again.is_empty() == (plan.step < Step::Recovery)));
    }

    #[test]
    fn a_call_that_is_to_be_hit_gets_there() {
        for round in 0..2_000 {
            let plan = Plan::draw(3, round);
            let at = plan.calls[plan.call];
            if (Step::Folder..=Step::Receipt).contains(&plan.step) {
                assert_ne!(at, Does::Denied, "{plan:?}");
            }
            if plan.step == Step::Done {
                assert!(!matches!(at, Does::Stopped | Does::TooLong), "{plan:?}");
            }
        }
    }
}
