//! What all rounds gave, and the table of it.

use super::judge::Wrong;
use super::plan::Step;
use super::round::Report;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// One line of the table.
#[derive(Debug, Clone, Default)]
struct Line {
    rounds: usize,
    /// Deaths: agent, supervisor, command.
    kills: [usize; 3],
    wrong: [usize; 3],
    outcomes: BTreeMap<String, usize>,
}

/// The rounds so far.
#[derive(Debug, Default)]
pub(super) struct Tally {
    steps: BTreeMap<Step, Line>,
    /// Rounds whose turn was over before their step came.
    missed: Line,
}

impl Tally {
    /// Counts a round.
    pub(super) fn add(&mut self, report: &Report) {
        let line = match report.step() {
            Some(step) => self.steps.entry(step).or_default(),
            None => &mut self.missed,
        };
        line.rounds += 1;
        line.kills[0] += usize::from(report.hits.agent) + report.kills_after;
        line.kills[1] += usize::from(report.hits.supervisor.is_some());
        line.kills[2] += usize::from(report.hits.command.is_some());
        for finding in &report.findings {
            for (count, wrong) in line.wrong.iter_mut().zip(Wrong::ALL) {
                *count += usize::from(finding.wrong == wrong);
            }
        }
        for outcome in &report.outcomes {
            *line.outcomes.entry(outcome.replace('_', " ")).or_default() += 1;
        }
    }

    /// How many rounds were counted.
    pub(super) fn rounds(&self) -> usize {
        self.lines().map(|line| line.rounds).sum()
    }

    /// How many findings there were.
    pub(super) fn found(&self) -> usize {
        self.lines().flat_map(|line| line.wrong).sum()
    }

    fn lines(&self) -> impl Iterator<Item = &Line> {
        self.steps.values().chain([&self.missed])
    }

    /// The table, its total, and what was never hit.
    pub(super) fn table(&self) -> String {
        let mut text = format!(
            "{:<15}{:>7}{:>21}{:>11}{:>8}{:>14}   outcomes\n{:<15}{:>7}{:>21}{:>11}{:>8}{:>14}\n",
            "killed at",
            "rounds",
            "kills",
            "duplicates",
            "losses",
            "false claims",
            "",
            "",
            "agent/super./command",
            "",
            "",
            ""
        );
        let empty = Line::default();
        for step in Step::ALL {
            row(&mut text, step.words(), self.steps.get(step).unwrap_or(&empty));
        }
        if self.missed.rounds > 0 {
            row(&mut text, "after the turn", &self.missed);
        }
        row(&mut text, "all", &self.total());
        let never = |step: &&&Step| !self.steps.contains_key(**step);
        let never: Vec<&str> = Step::ALL.iter().filter(|step| never(&step)).map(|step| step.words()).collect();
        if !never.is_empty() {
            let _ = writeln!(text, "Never hit: {}.", never.join(", "));
        }
        text
    }

    fn total(&self) -> Line {
        self.lines().fold(Line::default(), |mut total, line| {
            total.rounds += line.rounds;
            for at in 0..3 {
                total.kills[at] += line.kills[at];
                total.wrong[at] += line.wrong[at];
            }
            for (outcome, count) in &line.outcomes {
                *total.outcomes.entry(outcome.clone()).or_default() += count;
            }
            total
        })
    }
}

fn row(text: &mut String, name: &str, line: &Line) {
    let [agent, supervisor, command] = line.kills;
    let [duplicates, losses, claims] = line.wrong;
    let outcomes: Vec<String> =
        line.outcomes.iter().map(|(outcome, count)| format!("{outcome} {count}")).collect();
    let _ = writeln!(
        text,
        "{name:<15}{:>7}{:>21}{duplicates:>11}{losses:>8}{claims:>14}   {}",
        line.rounds,
        format!("{agent}/{supervisor}/{command}"),
        outcomes.join(", "),
    );
}
