//! What the demo answers: a pure function of the conversation.

use super::conversation::{CallResult, Said};
use super::report::about_results;
use super::shell::{print, quote};
use super::wish::{Wish, read_wish};
use std::fmt::Write as _;

/// The file that is meant where none was named.
const DEFAULT_FILE: &str = "shopping.txt";
/// A wait from here on asks for a longer time limit than the default of 300 s.
const LONG_WAIT: u64 = 290;

const HELP: &str = "\
This is the **scripted demo**, not a model: it understands a few sentences and nothing else.

| say | it asks to run |
|---|---|
| Add milk to shopping.txt | echo milk >> shopping.txt |
| Is milk on the list? | cat shopping.txt |
| Run: COMMAND | that command; several such lines make several calls |
| Wait 10 seconds | a loop with sleep that prints a line a second |
| Stream 200 words | nothing; it only talks |

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

fn stream(words: u64) -> String {
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

#[cfg(test)]
mod tests {
    use super::*;

    fn user(text: &str) -> Said {
        Said::User(text.into())
    }

    /// The commands that a conversation's last message makes it ask for.
    fn commands(said: &[&str]) -> Vec<String> {
        let conversation: Vec<_> = said.iter().map(|text| user(text)).collect();
        reply(&conversation).calls.into_iter().map(|call| call.command).collect()
    }

    #[test]
    fn wishes_become_commands() {
        assert_eq!(commands(&["Add milk to shopping.txt"]), ["echo milk >> shopping.txt"]);
        assert_eq!(commands(&["Add Bob's $HOME; rm x to a.txt"]), [r"echo 'Bob'\''s $HOME; rm x' >> a.txt"]);
        assert_eq!(commands(&["Add -n to -x"]), [r"printf '%s\n' -n >> -x"]);
        assert_eq!(commands(&["Run: a && b", "Run: c\nRun: d"]), ["c", "d"]);
        assert_eq!(commands(&["Stream 3 words"]), [""; 0]);
        assert_eq!(commands(&["hello"]), [""; 0]);
        let wait = "for i in $(seq 3); do sleep 1; echo \"$i of 3 s\"; done";
        assert_eq!(commands(&["Wait 3 seconds"]), [wait]);
    }

    #[test]
    fn the_list_is_the_file_that_was_last_named() {
        assert_eq!(commands(&["Is milk on the list?"]), ["cat shopping.txt"]);
        assert_eq!(commands(&["Add milk to a", "Add eggs to b", "Is milk on the list?"]), ["cat b"]);
        assert_eq!(commands(&["Add milk to a", "Add eggs to the list"]), ["echo eggs >> a"]);
        assert_eq!(commands(&["Add milk to -a", "Is milk on the list?"]), ["cat -- -a"]);
    }

    #[test]
    fn a_long_wait_asks_for_the_time_it_needs() {
        let limit =
            |seconds: u64| reply(&[user(&format!("Wait {seconds} seconds"))]).calls[0].timeout_seconds;
        assert_eq!((limit(290), limit(300)), (None, Some(360)));
    }

    #[test]
    fn so_many_words() {
        for words in [0, 1, 12, 200] {
            let text = reply(&[user(&format!("Stream {words} words"))]).text;
            assert_eq!(text.split_whitespace().count(), if words == 0 { 2 } else { words }, "{text}");
        }
    }

    #[test]
    fn a_message_after_results_is_a_new_wish() {
        let result = Said::Result { id: "c".into(), result: CallResult::default() };
        let reply = reply(&[user("Run: a"), result, Said::Assistant, user("Run: b")]);
        assert_eq!(reply.calls[0].command, "b");
    }
}
