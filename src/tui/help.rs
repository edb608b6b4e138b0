//! Help and rules as text, printed from the tables.

use super::keys::{self, Place, TABLE};
use super::slash::SLASHES;
use super::{theme, words};
use crate::text::{Row, Style};

/// Cells for the names of keys.
const NAMES: usize = 26;
/// Where the sentences begin.
pub(crate) const INDENT: usize = NAMES + 3;

/// A part of help that it can be opened at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    /// Its beginning.
    Beginning,
    /// The sessions over the whole screen.
    Sessions,
    /// A text that fills the screen.
    Reading,
    /// The question before a command runs.
    Approval,
    /// What may have happened.
    Unknown,
}

impl Part {
    fn heading(self) -> &'static str {
        match self {
            Self::Beginning => "Everywhere",
            Self::Sessions => "Sessions",
            Self::Reading => "Reading",
            Self::Approval => "Before a command runs",
            Self::Unknown => "A command whose outcome is unknown",
        }
    }

    /// The row of its heading.
    pub(crate) fn row(self, rows: &[Row]) -> usize {
        rows.iter().position(|row| row.text() == self.heading()).unwrap_or(0)
    }
}

/// Keys that the approval reads by its own rule.
const APPROVAL: &[(&str, &str)] = &[
    ("y", "Chooses to run it once. Enter as the very next key does it; so with every choice."),
    ("a", "Chooses to run it, and this very operation again without asking."),
    ("e", "Chooses to edit the command first; it is asked about again."),
    ("n", "Chooses to deny it. The model is told, and goes on."),
    ("w", "Chooses to deny it and to say why."),
    (
        "Tab, Left, Right",
        "Moves between the choices, the limit and the environment. Deny the rest has no letter.",
    ),
    (
        "Up, Down, PageUp, PageDown",
        "Moves in the command; on the limit, Up makes it longer and Down shorter.",
    ),
    ("Ctrl+Up, Ctrl+Down", "Scrolls the conversation."),
    ("Esc, Ctrl+C", "Denies it and stops the turn: the calls after it are not executed."),
    ("any other key", "Goes to the draft. After it, pause for a moment to answer."),
];

/// Keys that the dialog about unknown outcomes reads by its own rule.
const UNKNOWN: &[(&str, &str)] = &[
    ("1, 2, 3, 4, Up, Down", "Chooses what you state about it."),
    ("Tab", "Moves into the note beside it, and back."),
    (
        "Ctrl+X",
        "Shows what was not in sight yet, then saves, once every command has an answer. Nothing else saves.",
    ),
    ("PageUp, PageDown", "Scrolls what is known."),
    ("<, >, Left, Right", "The command before, the one after."),
    ("s", "Opens your shell in its directory, to look."),
    ("o", "Opens its output."),
    ("t", "Opens the conversation."),
    ("r", "Puts the sentence that asks for it again into the composer, and runs nothing."),
    ("q, Esc", "Leaves; nothing is saved, and it is asked again at the next opening."),
];

/// All keys and words after `/`.
pub(crate) fn rows() -> Vec<Row> {
    let mut rows = Vec::new();
    let places = [
        (Place::Everywhere, Part::Beginning.heading()),
        (Place::Composer, "Writing"),
        (Place::List, "Sessions above the composer"),
        (Place::Sessions, Part::Sessions.heading()),
        (Place::Transcript, "Conversation (Tab)"),
        (Place::Reader, Part::Reading.heading()),
    ];
    for (place, heading) in places {
        rows.push(words::row(heading, theme::HEADING));
        let listed = TABLE.iter().filter(|binding| binding.place == place && !binding.long.is_empty());
        for binding in listed {
            let names: Vec<String> = binding.keys.iter().map(|key| keys::name(*key)).collect();
            rows.push(line(&names.join(", "), binding.long));
        }
        rows.push(Row::default());
    }
    for (part, keys) in [(Part::Approval, APPROVAL), (Part::Unknown, UNKNOWN)] {
        rows.push(words::row(part.heading(), theme::HEADING));
        rows.extend(keys.iter().map(|(names, long)| line(names, long)));
        rows.push(Row::default());
    }
    rows.push(words::row("Words after /", theme::HEADING));
    rows.extend(SLASHES.iter().map(|(name, _, long)| line(name, long)));
    rows.push(words::row("Everything else that begins with / is a message.", Style::PLAIN));
    rows
}

/// What runs without asking.
pub(crate) fn rules(rules: &[(u64, String)]) -> Vec<Row> {
    let mut rows = vec![
        words::row("These exact operations run without asking while this window is open:", Style::PLAIN),
        Row::default(),
    ];
    rows.extend(
        rules.iter().map(|(seq, what)| words::row(&format!("  {what}   (record {seq})"), Style::PLAIN)),
    );
    rows.extend([Row::default(), words::row("Delete ends them all.", Style::PLAIN)]);
    rows
}

/// Which variables commands get.
pub(crate) fn environment(variables: &[(String, String)], values: bool) -> Vec<Row> {
    let shown = |(name, value): &(String, String)| match values {
        true => words::row(&format!("  {name}={value}"), Style::PLAIN),
        false => words::row(&format!("  {name}"), Style::PLAIN),
    };
    let mut rows = vec![
        words::row("Every command gets these variables and no others of yours:", Style::PLAIN),
        Row::default(),
    ];
    rows.extend(variables.iter().map(shown));
    let own = "CANDOR_SESSION, CANDOR_DISPATCH and CANDOR_OPERATION say which execution it is.";
    let settings =
        "environment and set in [bash] of config.toml change this. The key's variable is never passed.";
    rows.push(Row::default());
    rows.extend([own, settings].map(|text| words::row(text, Style::PLAIN)));
    if !values {
        rows.extend([Row::default(), words::row("Enter shows their values.", Style::PLAIN)]);
    }
    rows
}

fn line(names: &str, long: &str) -> Row {
    words::row(&format!("  {names:<NAMES$} {long}"), Style::PLAIN)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tui::approval::Choice;

    #[test]
    fn every_letter_of_the_approval_is_in_its_part() {
        use Choice::{Deny, DenyRest, DenyWithWords, Edit, Run, RunAlways};
        let all = [Run, RunAlways, Edit, Deny, DenyWithWords, DenyRest];
        for letter in all.into_iter().filter_map(Choice::letter) {
            assert!(APPROVAL.iter().any(|(names, _)| *names == letter.to_string()), "{letter}");
        }
    }

    #[test]
    fn every_part_has_a_place() {
        let rows = rows();
        for part in [Part::Sessions, Part::Reading, Part::Approval, Part::Unknown] {
            assert_eq!(rows[part.row(&rows)].text(), part.heading());
        }
    }
}
