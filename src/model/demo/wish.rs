//! The few sentences that the demo understands.

/// The most words that are streamed.
const MOST_WORDS: u64 = 100_000;
/// The longest wait, in seconds: one hour, the default of the longest limit.
const LONGEST_WAIT: u64 = 3600;

/// A sentence that the demo understands.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Wish {
    /// `Add X to FILE`
    Add {
        /// What is added.
        what: String,
        /// Where; none for "the list".
        file: Option<String>,
    },
    /// `Is X on the list?`
    IsOnList(String),
    /// `Run: COMMAND`, once or several times.
    Run(Vec<String>),
    /// `Wait N seconds`
    Wait(u64),
    /// `Stream N words`
    Stream(u64),
}

/// The wish in a message, if there is one.
pub(super) fn read_wish(text: &str) -> Option<Wish> {
    let sentence = text.trim().trim_end_matches(['.', '!', '?']).trim_end();
    read_again(text)
        .or_else(|| read_runs(text))
        .or_else(|| read_add(sentence))
        .or_else(|| read_is(sentence))
        .or_else(|| read_number(sentence, "wait", "second").map(|n| Wish::Wait(n.clamp(1, LONGEST_WAIT))))
        .or_else(|| read_number(sentence, "stream", "word").map(|n| Wish::Stream(n.min(MOST_WORDS))))
}

/// What the screen proposes to send about an unknown outcome: one command, of
/// as many lines as it has.
fn read_again(text: &str) -> Option<Wish> {
    let command = after(text.trim(), "please run this again:")?.trim();
    (!command.is_empty()).then(|| Wish::Run(vec![command.to_owned()]))
}

/// Every line that begins with `Run:`.
fn read_runs(text: &str) -> Option<Wish> {
    let commands = text.lines().filter_map(|line| after(line.trim(), "run:")).map(str::trim);
    let commands: Vec<_> = commands.filter(|command| !command.is_empty()).map(String::from).collect();
    (!commands.is_empty()).then_some(Wish::Run(commands))
}

/// `Add X to FILE`, or to `the list`. A file's name with spaces must be quoted.
fn read_add(sentence: &str) -> Option<Wish> {
    let (what, place) = after(sentence, "add ")?.rsplit_once(" to ")?;
    let (what, place) = (what.trim(), place.trim());
    let file = place.trim_matches(['`', '"', '\'']);
    let list = ["the list", "my list", "it"].iter().any(|words| file.eq_ignore_ascii_case(words));
    let named = !file.is_empty() && (file != place || !file.contains(char::is_whitespace));
    (!what.is_empty() && (list || named))
        .then(|| Wish::Add { what: what.into(), file: (!list).then(|| file.into()) })
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences() {
        let add = |what: &str, file: Option<&str>| {
            Some(Wish::Add { what: what.into(), file: file.map(String::from) })
        };
        let is = |what: &str| Some(Wish::IsOnList(what.into()));
        let run = |commands: &[&str]| Some(Wish::Run(commands.iter().map(|c| (*c).to_owned()).collect()));
        for (text, wish) in [
            ("Add milk to shopping.txt", add("milk", Some("shopping.txt"))),
            (" add oat milk to `my list.txt`. ", add("oat milk", Some("my list.txt"))),
            ("Add a letter to Anna to mail.txt!", add("a letter to Anna", Some("mail.txt"))),
            ("Add milk to the list", add("milk", None)),
            ("Add milk to my shopping list", None),
            ("Add milk", None),
            ("Is milk on the list?", is("milk")),
            ("is oat milk ON THE LIST now?", is("oat milk")),
            ("Is this on?", None),
            ("Run: echo milk >> shopping.txt", run(&["echo milk >> shopping.txt"])),
            ("Please\nRun: a; b\n run: c?\nRun:\nthanks", run(&["a; b", "c?"])),
            (
                "Please run this again: for i in 1 2\ndo run: $i\ndone",
                run(&["for i in 1 2\ndo run: $i\ndone"]),
            ),
            ("Please run this again: ", None),
            ("Wait 10 seconds", Some(Wish::Wait(10))),
            ("wait 1 second.", Some(Wish::Wait(1))),
            ("Wait 0 seconds", Some(Wish::Wait(1))),
            ("Wait 99999 seconds", Some(Wish::Wait(3600))),
            ("Wait ten seconds", None),
            ("Wait 10 seconds more", None),
            ("Stream 200 words", Some(Wish::Stream(200))),
            ("Stream 99999999999999999999 words", None),
            ("hello", None),
            ("", None),
            ("ä", None),
        ] {
            assert_eq!(read_wish(text), wish, "{text}");
        }
    }
}
