//! What all rounds gave, and the table of it.

use super::judge::Wrong;
use super::plan::Step;
use super::round::Report;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// The words that can be said of a call, in the order of the columns.
const OUTCOMES: [&str; 10] = [
    "completed",
    "failed",
    "timed_out",
    "cancelled",
    "output_limit",
    "denied",
    "not_executed",
    "unknown",
    "invalid_arguments",
    "unknown_tool",
];

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
            *line.outcomes.entry(outcome.clone()).or_default() += 1;
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

    /// What was found at each step, what was said of the calls, and which step
    /// was never hit.
    pub(super) fn table(&self) -> String {
        let empty = Line::default();
        let named = Step::ALL.iter().map(|step| (step.words(), self.steps.get(step).unwrap_or(&empty)));
        let missed = (self.missed.rounds > 0).then_some(("after the turn", &self.missed));
        let total = self.total();
        let lines: Vec<(&str, &Line)> = named.chain(missed).chain([("all", &total)]).collect();
        let mut text = format!(
            "{:<14}{:>7}{:>7}{:>12}{:>9}{:>11}{:>7}{:>13}\n",
            "killed at",
            "rounds",
            "agents",
            "supervisors",
            "commands",
            "duplicates",
            "losses",
            "false claims"
        );
        for (name, line) in &lines {
            let ([agent, supervisor, command], [duplicates, losses, claims]) = (line.kills, line.wrong);
            let _ = writeln!(
                text,
                "{name:<14}{:>7}{agent:>7}{supervisor:>12}{command:>9}{duplicates:>11}{losses:>7}{claims:>13}",
                line.rounds
            );
        }
        // As many columns as there are words that were said.
        let words: Vec<&str> =
            OUTCOMES.into_iter().filter(|word| total.outcomes.contains_key(*word)).collect();
        let _ = write!(text, "\n{:<14}", "said of calls");
        for word in &words {
            let _ = write!(text, " {:>1$}", word.replace('_', " "), wide(word));
        }
        text.push('\n');
        for (name, line) in &lines {
            let _ = write!(text, "{name:<14}");
            for word in &words {
                let _ = write!(text, " {:>1$}", line.outcomes.get(*word).unwrap_or(&0), wide(word));
            }
            text.push('\n');
        }
        let never = Step::ALL.iter().filter(|step| !self.steps.contains_key(*step));
        let never: Vec<&str> = never.map(|step| step.words()).collect();
        if !never.is_empty() {
            let _ = writeln!(text, "\nNever hit: {}.", never.join(", "));
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

/// Columns of a word and of the numbers below it.
fn wide(word: &str) -> usize {
    word.len().max(5)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_fits_a_terminal_and_counts_what_was_said() {
        let mut tally = Tally::default();
        let mut line = Line { rounds: 4_321, kills: [10_321, 321, 21], ..Line::default() };
        line.outcomes.extend([("completed".into(), 7_000), ("not_executed".into(), 1_642)]);
        tally.steps.insert(Step::Begun, line.clone());
        tally.steps.insert(Step::End, line);
        tally.missed = Line { rounds: 1, wrong: [1, 2, 3], ..Line::default() };
        // The words that a run really gives.
        for word in ["failed", "timed_out", "cancelled", "denied", "unknown"] {
            tally.missed.outcomes.insert(word.into(), 1);
        }
        let table = tally.table();
        assert!(
            table.lines().filter(|line| !line.starts_with("Never")).all(|line| line.len() <= 80),
            "{table}"
        );
        let totals: Vec<&str> = table.lines().filter(|line| line.starts_with("all")).collect();
        let numbers = |line: &str| line.split_whitespace().skip(1).map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(numbers(totals[0]), ["8643", "20642", "642", "42", "1", "2", "3"]);
        assert_eq!(numbers(totals[1]), ["14000", "1", "1", "1", "1", "3284", "1"]);
        assert!(table.contains(" cancelled denied not executed unknown\n"), "{table}");
        assert!(table.contains("Never hit: session made, user message,"), "{table}");
        assert_eq!((tally.rounds(), tally.found()), (8_643, 6));
    }
}
