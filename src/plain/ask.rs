//! Questions that only a person at the terminal answers.

use super::input::{Input, Typed};
use super::say;
use crate::agent::{ApprovalRequest, UnknownReport, Verdict};
use crate::record::{Statement, StatementKind, limits};
use std::io::Write as _;

/// An answer, or what came instead of one.
pub(super) enum Answered<T> {
    /// The person's answer.
    With(T),
    /// Ctrl+C.
    Interrupted,
    /// Ctrl+D: nothing is saved, nothing is decided.
    End,
    /// The terminal is gone: the exit code.
    Gone(u8),
}

/// Prints a prompt without a line end.
pub(super) fn prompt(text: &str) {
    print!("{text}");
    // A terminal that cannot be written to is found out by the next read.
    let _ = std::io::stdout().flush();
}

/// Takes the next line, and no line typed before the prompt.
async fn fresh_line(input: &mut Input, text: &str) -> Answered<String> {
    if let Some(Typed::Gone(code)) = input.flush() {
        return Answered::Gone(code);
    }
    prompt(text);
    loop {
        match input.next().await {
            Typed::Line(line) => return Answered::With(line.trim().to_owned()),
            Typed::Unreadable => prompt(text),
            Typed::Interrupt => return Answered::Interrupted,
            Typed::End => return Answered::End,
            Typed::Gone(code) => return Answered::Gone(code),
        }
    }
}

/// Asks whether a command may run. Only the word `run` lets it.
pub(super) async fn approval(input: &mut Input, request: &ApprovalRequest) -> Answered<Verdict> {
    say::approval(request);
    println!("  Type run and Enter to run it once. Anything else denies it and is told to the model.");
    loop {
        match fresh_line(input, "run or deny> ").await {
            Answered::With(line) => match read(line) {
                Some(verdict) => return Answered::With(verdict),
                None => println!("  Nothing is decided by that. Type run, or deny."),
            },
            Answered::Interrupted => return Answered::Interrupted,
            Answered::End => return Answered::End,
            Answered::Gone(code) => return Answered::Gone(code),
        }
    }
}

/// What a line decides; nothing, if it is meant as a yes and is not the word
/// that runs a command, since it is no reason for a denial either.
fn read(line: String) -> Option<Verdict> {
    match line.to_lowercase().as_str() {
        _ if line == "run" => Some(Verdict::Run),
        "y" | "yes" | "ok" | "r" | "run" | "a" => None,
        "" | "n" | "no" | "deny" => Some(Verdict::Deny { feedback: None }),
        _ => Some(Verdict::Deny { feedback: Some(line) }),
    }
}

/// Asks for one of a few words.
pub(super) async fn word<'a>(input: &mut Input, text: &str, words: &[&'a str]) -> Answered<&'a str> {
    loop {
        match fresh_line(input, text).await {
            Answered::With(line) => match words.iter().find(|word| **word == line) {
                Some(word) => return Answered::With(word),
                None => println!("  One of: {}.", words.join(", ")),
            },
            Answered::Interrupted => return Answered::Interrupted,
            Answered::End => return Answered::End,
            Answered::Gone(code) => return Answered::Gone(code),
        }
    }
}

const STATEMENTS: [(&str, StatementKind); 4] = [
    ("may have run", StatementKind::MayHaveRun),
    ("happened", StatementKind::Happened),
    ("did not happen", StatementKind::DidNotHappen),
    ("partly", StatementKind::Partly),
];

/// Prints the evidence and asks for a statement about each effect; nothing is
/// saved before the last is answered.
pub(super) async fn statements(input: &mut Input, reports: &[UnknownReport]) -> Answered<Vec<Statement>> {
    let mut statements: Vec<Statement> = Vec::new();
    for (index, report) in reports.iter().enumerate() {
        say::unknown(report, index + 1, reports.len());
        let statement = match about(input, report, index == 0).await {
            Answered::With(statement) => statement,
            Answered::Interrupted => return Answered::Interrupted,
            Answered::End => return Answered::End,
            Answered::Gone(code) => return Answered::Gone(code),
        };
        statements.push(statement);
    }
    Answered::With(statements)
}

async fn about(input: &mut Input, report: &UnknownReport, explain: bool) -> Answered<Statement> {
    if explain {
        println!("\n  What do you know? Look first if you can. Type one of:");
        println!("    may have run     I understand that it may have run");
        println!("    happened         I checked: it happened");
        println!("    did not happen   I checked: it did not happen");
        println!("    partly           I checked: part of it happened");
        println!("  Ctrl+D leaves and saves nothing.");
    }
    let words = STATEMENTS.map(|(word, _)| word);
    let chosen = match word(input, "statement> ", &words).await {
        Answered::With(chosen) => chosen,
        Answered::Interrupted => return Answered::Interrupted,
        Answered::End => return Answered::End,
        Answered::Gone(code) => return Answered::Gone(code),
    };
    let Some((_, statement)) = STATEMENTS.into_iter().find(|(word, _)| *word == chosen) else {
        return Answered::End;
    };
    loop {
        match fresh_line(input, "note (Enter for none)> ").await {
            Answered::With(note) if note.len() > limits::NOTE_BYTES => println!("  At most 4 KiB fit."),
            Answered::With(note) => {
                let note = (!note.is_empty()).then_some(note);
                return Answered::With(Statement { dispatch: report.dispatch, statement, note });
            }
            Answered::Interrupted => return Answered::Interrupted,
            Answered::End => return Answered::End,
            Answered::Gone(code) => return Answered::Gone(code),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_one_word_runs_and_a_yes_is_no_denial() {
        let words = |words: &str| Some(Verdict::Deny { feedback: Some(words.to_owned()) });
        let deny = Some(Verdict::Deny { feedback: None });
        for (line, expected) in [
            ("run", Some(Verdict::Run)),
            ("y", None),
            ("Yes", None),
            ("RUN", None),
            ("", deny.clone()),
            ("No", deny.clone()),
            ("deny", deny),
            ("run it elsewhere", words("run it elsewhere")),
            ("yes, but not there", words("yes, but not there")),
        ] {
            assert_eq!(read(line.to_owned()), expected, "{line}");
        }
    }
}
