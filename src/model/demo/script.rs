//! What the demo answers: a pure function of the conversation.

use super::conversation::{CallResult, Said};
use std::fmt::Write as _;

/// The file that is meant where none was named.
const DEFAULT_FILE: &str = "shopping.txt";
/// The most words that are streamed.
const MOST_WORDS: usize = 100_000;
/// The longest wait, in seconds: one hour, the default of the longest limit.
const LONGEST_WAIT: u64 = 3600;
/// A wait from here on asks for a longer time limit than the default of 300 s.
const LONG_WAIT: u64 = 290;
/// Lines of an output that are quoted.
const QUOTED_LINES: usize = 20;

const HELP: &str = "\
This is the **scripted demo**, not a model: it understands a few sentences and nothing else.

| say | it asks to run |
|---|---|
| `Add milk to shopping.txt` | `echo milk >> shopping.txt` |
| `Is milk on the list?` | `cat shopping.txt` |
| `Run: COMMAND` | that command; several such lines make several calls |
| `Wait 10 seconds` | a loop with `sleep` that prints a line a second |
| `Stream 200 words` | nothing; it only talks |

Nothing runs before you approve it. What you approve **really runs**, with your account's permissions.";

/// An answer: text, then calls.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Reply {
    /// What is said; may be empty if something is to run.
    pub(super) text: String,
    /// What is to run, in order.
    pub(super) calls: Vec<BashCall>,
}

/// A command that is to run.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub(super) struct BashCall {
    /// The command.
    pub(super) command: String,
    /// Its time limit, where the default is too short.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) timeout_seconds: Option<u64>,
}

/// A sentence that the demo understands.
#[derive(Debug, Clone, PartialEq)]
enum Wish {
    Add { what: String, file: Option<String> },
    IsOnList(String),
    Run(Vec<String>),
    Wait(u64),
    Stream(usize),
}

/// The answer to a conversation.
pub(super) fn reply(conversation: &[Said]) -> Reply {
    let results: Vec<_> = conversation.iter().rev().map_while(as_result).collect();
    if !results.is_empty() {
        return Reply { text: about_results(conversation, results.iter().rev()), calls: Vec::new() };
    }
    let wish = conversation.last().and_then(|said| match said {
        Said::User(text) => read_wish(text),
        Said::Assistant | Said::Call { .. } | Said::Result { .. } => None,
    });
    match wish {
        Some(wish) => grant(wish, conversation),
        None => Reply { text: HELP.into(), calls: Vec::new() },
    }
}

fn as_result(said: &Said) -> Option<(&str, &CallResult)> {
    match said {
        Said::Result { id, result } => Some((id, result)),
        Said::User(_) | Said::Assistant | Said::Call { .. } => None,
    }
}

fn grant(wish: Wish, conversation: &[Said]) -> Reply {
    let run = |text: &str, command: String| Reply {
        text: text.into(),
        calls: vec![BashCall { command, timeout_seconds: None }],
    };
    match wish {
        Wish::Add { what, file } => {
            let file = file.unwrap_or_else(|| list_file(conversation));
            run("I'll append it.", format!("{} >> {}", print(&what), quote(&file)))
        }
        Wish::IsOnList(_) => {
            let file = list_file(conversation);
            let guard = if file.starts_with('-') { "-- " } else { "" };
            run("I'll look at the list.", format!("cat {guard}{}", quote(&file)))
        }
        Wish::Run(commands) => {
            let calls = commands.into_iter().map(|command| BashCall { command, timeout_seconds: None });
            Reply { text: String::new(), calls: calls.collect() }
        }
        Wish::Wait(seconds) => Reply {
            text: format!("I'll wait {seconds} seconds."),
            calls: vec![BashCall {
                command: format!("for i in $(seq {seconds}); do sleep 1; echo \"$i of {seconds} s\"; done"),
                timeout_seconds: (seconds > LONG_WAIT).then_some(seconds + 60),
            }],
        },
        Wish::Stream(words) => Reply { text: stream(words), calls: Vec::new() },
    }
}

fn read_wish(text: &str) -> Option<Wish> {
    let text = text.trim();
    let runs: Vec<_> = text.lines().filter_map(|line| after(line.trim(), "run:")).map(str::trim).collect();
    let runs: Vec<_> = runs.into_iter().filter(|command| !command.is_empty()).map(String::from).collect();
    if !runs.is_empty() {
        return Some(Wish::Run(runs));
    }
    let sentence = text.trim_end_matches(['.', '!', '?']).trim_end();
    read_add(sentence)
        .or_else(|| read_is(sentence))
        .or_else(|| read_number(sentence, "wait", "second").map(|n| Wish::Wait(n.clamp(1, LONGEST_WAIT))))
        .or_else(|| {
            let words = read_number(sentence, "stream", "word")?;
            Some(Wish::Stream(usize::try_from(words).map_or(MOST_WORDS, |words| words.min(MOST_WORDS))))
        })
}

/// `Add X to FILE`, or to `the list`.
fn read_add(sentence: &str) -> Option<Wish> {
    let (what, file) = after(sentence, "add ")?.rsplit_once(" to ")?;
    let (what, file) = (what.trim(), file.trim().trim_matches(['`', '"', '\'']));
    if what.is_empty() || file.is_empty() {
        return None;
    }
    let list = ["the list", "my list", "it"].iter().any(|words| file.eq_ignore_ascii_case(words));
    Some(Wish::Add { what: what.into(), file: (!list).then(|| file.into()) })
}

/// `Is X on the list`, with or without `now`.
fn read_is(sentence: &str) -> Option<Wish> {
    let rest = after(sentence, "is ")?;
    let rest = before(rest, " now").unwrap_or(rest).trim_end();
    let what = before(rest, " on the list")?.trim();
    (!what.is_empty()).then(|| Wish::IsOnList(what.into()))
}

/// `VERB N UNIT` or `VERB N UNITs`.
fn read_number(sentence: &str, verb: &str, unit: &str) -> Option<u64> {
    let mut words = sentence.split_whitespace();
    let (first, number, last) = (words.next()?, words.next()?, words.next()?);
    let is_unit =
        last.eq_ignore_ascii_case(unit) || before(last, "s").is_some_and(|l| l.eq_ignore_ascii_case(unit));
    let matches = first.eq_ignore_ascii_case(verb) && is_unit && words.next().is_none();
    number.parse().ok().filter(|_| matches)
}

/// What follows a beginning, whatever its case.
fn after<'a>(text: &'a str, beginning: &str) -> Option<&'a str> {
    let (head, rest) = text.split_at_checked(beginning.len())?;
    head.eq_ignore_ascii_case(beginning).then_some(rest)
}

/// What precedes an end, whatever its case.
fn before<'a>(text: &'a str, end: &str) -> Option<&'a str> {
    let (rest, tail) = text.split_at_checked(text.len().checked_sub(end.len())?)?;
    tail.eq_ignore_ascii_case(end).then_some(rest)
}

/// The file that the user last named.
fn list_file(conversation: &[Said]) -> String {
    let named = conversation.iter().rev().find_map(|said| match said {
        Said::User(text) => match read_wish(text)? {
            Wish::Add { file, .. } => file,
            Wish::IsOnList(_) | Wish::Run(_) | Wish::Wait(_) | Wish::Stream(_) => None,
        },
        Said::Assistant | Said::Call { .. } | Said::Result { .. } => None,
    });
    named.unwrap_or_else(|| DEFAULT_FILE.into())
}

/// A command that prints this line. `echo` takes a leading dash for an option.
fn print(line: &str) -> String {
    if line.starts_with('-') {
        format!("printf '%s\\n' {}", quote(line))
    } else {
        format!("echo {}", quote(line))
    }
}

/// A word for the shell: as it is if nothing in it is special, else quoted.
fn quote(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:,+@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.into()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

fn stream(words: usize) -> String {
    let mut text = String::new();
    for number in 1..=words {
        let end = if number == words {
            "."
        } else if number % 12 == 0 {
            ",\n"
        } else {
            " "
        };
        let _ = write!(text, "word{number}{end}");
    }
    if text.is_empty() { "No words.".into() } else { text }
}

/// What is said about results: what they say, and nothing that they do not.
fn about_results<'a>(
    conversation: &[Said],
    results: impl ExactSizeIterator<Item = &'a (&'a str, &'a CallResult)>,
) -> String {
    let asked = conversation.iter().rev().find_map(|said| match said {
        Said::User(text) => Some(read_wish(text)),
        Said::Assistant | Said::Call { .. } | Said::Result { .. } => None,
    });
    let single = results.len() == 1;
    let texts = results.map(|(id, result)| match &asked {
        Some(Some(Wish::IsOnList(what))) if single && result.status == "completed" => {
            on_list(what, &result.output)
        }
        _ => about(&ran(conversation, id, result), result),
    });
    texts.collect::<Vec<_>>().join("\n\n")
}

fn on_list(what: &str, list: &str) -> String {
    let found = list.lines().any(|line| line.trim().eq_ignore_ascii_case(what));
    if found {
        format!("Yes, **{what}** is on the list.")
    } else {
        format!("No, **{what}** is not on the list.")
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
    format!("{} {sentence}{}", code_span(command), quoted_output(&result.output))
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

fn quoted_output(output: &str) -> String {
    if output.trim().is_empty() {
        return String::new();
    }
    let lines: Vec<_> = output.lines().take(QUOTED_LINES).map(|line| format!("    {line}")).collect();
    let left = output.lines().count().saturating_sub(QUOTED_LINES);
    let more = if left > 0 { format!("\n\nand {left} more lines.") } else { String::new() };
    format!("\n\n{}{more}", lines.join("\n"))
}
