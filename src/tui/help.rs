//! Help and rules as text, printed from the tables.

use super::keys::{self, Place, TABLE};
use super::slash::SLASHES;
use super::{theme, words};
use crate::text::{Row, Style};

/// Cells for the names of keys.
const NAMES: usize = 26;
/// Where the sentences begin.
pub(crate) const INDENT: usize = NAMES + 3;

/// All keys and words after `/`.
pub(crate) fn rows() -> Vec<Row> {
    let mut rows = Vec::new();
    let places = [
        (Place::Everywhere, "Everywhere"),
        (Place::Composer, "Writing"),
        (Place::List, "Sessions above the composer"),
        (Place::Sessions, "Sessions"),
        (Place::Transcript, "Conversation (Tab)"),
        (Place::Reader, "Reading"),
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
