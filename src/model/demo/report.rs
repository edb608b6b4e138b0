//! What the demo says about results: what they say, and nothing that they do not.

use super::conversation::{CallResult, Said};
use super::wish::{Wish, read_wish};

/// Lines of an output that are quoted.
const QUOTED_LINES: usize = 20;

/// The text about the results of one response, in their order.
pub(super) fn about_results<'a>(
    conversation: &[Said],
    results: impl ExactSizeIterator<Item = &'a (&'a str, &'a CallResult)>,
) -> String {
    let asked = conversation.iter().rev().find_map(|said| match said {
        Said::User(text) => Some(read_wish(text)),
        Said::Assistant | Said::Call { .. } | Said::Result { .. } => None,
    });
    let single = results.len() == 1;
    let texts = results.map(|(id, result)| match &asked {
        Some(Some(Wish::IsOnList(what))) if single && result.status == "completed" => on_list(what, result),
        _ => about(&ran(conversation, id, result), result),
    });
    texts.collect::<Vec<_>>().join("\n\n")
}

fn on_list(what: &str, result: &CallResult) -> String {
    let found = result.output.lines().any(|line| line.trim().eq_ignore_ascii_case(what));
    match (found, result.truncated) {
        (true, _) => format!("Yes, **{what}** is on the list."),
        (false, false) => format!("No, **{what}** is not on the list."),
        (false, true) => format!("I do not see **{what}** in the part of the list that I was given."),
    }
}

/// The command that a result is about.
fn ran(conversation: &[Said], of: &str, result: &CallResult) -> String {
    let edited = result.ran.as_ref().and_then(|ran| ran.as_str().or_else(|| ran["command"].as_str()));
    let asked = conversation.iter().rev().find_map(|said| match said {
        Said::Call { id, command } if id == of => Some(command.as_str()),
        Said::Call { .. } | Said::User(_) | Said::Assistant | Said::Result { .. } => None,
    });
    edited.or(asked).unwrap_or_default().into()
}

fn about(command: &str, result: &CallResult) -> String {
    let code = result.exit_code.map(|code| format!(" with exit code {code}")).unwrap_or_default();
    let words = result.feedback.as_ref().map(|words| format!(" You said: \"{words}\"")).unwrap_or_default();
    let sentence = match result.status.as_str() {
        "completed" => format!("completed{code}."),
        "failed" => format!("failed{code}."),
        "timed_out" => "was stopped at its time limit. What it had done until then stays done.".into(),
        "output_limit" => "was stopped at its output limit. What it had done until then stays done.".into(),
        "cancelled" => "was stopped by you. What it had done until then stays done.".into(),
        "unknown" => "was started, and its end was not recorded: it **may or may not have happened**. \
                      I will not repeat it by myself; look first."
            .into(),
        "denied" => format!("was not run, because you did not allow it.{words}"),
        "not_executed" => "was not run.".into(),
        "invalid_arguments" => "was not run: its arguments were refused.".into(),
        "unknown_tool" => "was not run: there is no such tool.".into(),
        other => format!("has a result that I do not know: \"{other}\"."),
    };
    format!("{} {sentence}{}", code_span(command), output(result))
}

/// A command as code, in one line.
fn code_span(command: &str) -> String {
    let line = command.lines().next().unwrap_or_default();
    let more = if command.lines().count() > 1 { " ..." } else { "" };
    // A fence must be longer than any run of backticks inside.
    let longest = line.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest + 1);
    let space = if longest > 0 { " " } else { "" };
    format!("{fence}{space}{line}{more}{space}{fence}")
}

/// What a result's output has to say: a command's as code, Candor's own words
/// as sentences.
fn output(result: &CallResult) -> String {
    match result.status.as_str() {
        // These words are for a model, and are said above.
        "denied" => String::new(),
        "not_executed" | "invalid_arguments" | "unknown_tool" => sentences(&result.output),
        "unknown" => {
            let (words, output) = result.output.split_once("\n\n").unwrap_or((&result.output, ""));
            sentences(words) + &quoted_output(output, result.truncated)
        }
        _ => quoted_output(&result.output, result.truncated),
    }
}

fn sentences(words: &str) -> String {
    if words.trim().is_empty() { String::new() } else { format!("\n\n{}", words.trim()) }
}

fn quoted_output(output: &str, cut: bool) -> String {
    if output.trim().is_empty() {
        return String::new();
    }
    let lines: Vec<_> = output.lines().take(QUOTED_LINES).map(|line| format!("    {line}")).collect();
    let left = output.lines().count().saturating_sub(QUOTED_LINES);
    let more = match (cut, left) {
        // How many lines were left out is not said to a model.
        (true, _) => "\n\nand more, of which I was given only the beginning and the end.".to_owned(),
        (false, 0) => String::new(),
        (false, 1) => "\n\nand 1 more line.".to_owned(),
        (false, _) => format!("\n\nand {left} more lines."),
    };
    format!("\n\n{}{more}", lines.join("\n"))
}

#[cfg(test)]
mod tests;
