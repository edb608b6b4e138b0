//! The one table of words after `/`.

/// A word after `/`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)] // the table below says what each does
pub(crate) enum Slash {
    Help,
    Rules,
    Join,
    Quit,
    New,
    Output,
    Transcript,
    Copy,
    Sessions,
    Rename,
    Model,
    Fork,
    Editor,
}

/// All words after `/`, with a sentence for help.
pub(crate) static SLASHES: &[(&str, Slash, &str)] = &[
    ("/help", Slash::Help, "Shows this help."),
    ("/rules", Slash::Rules, "Shows what runs without asking, and ends it."),
    ("/join", Slash::Join, "Gives the queued message to the running turn."),
    ("/new", Slash::New, "Begins a new conversation."),
    ("/sessions", Slash::Sessions, "Lists the sessions."),
    ("/rename", Slash::Rename, "Gives the session the title that follows."),
    ("/model", Slash::Model, "Shows what the server offers; with a name that follows, changes the model."),
    (
        "/fork",
        Slash::Fork,
        "Goes on in a new session from here; a number that follows leaves out so many of the last turns.",
    ),
    ("/output", Slash::Output, "Opens the last output in full."),
    ("/transcript", Slash::Transcript, "Opens the whole conversation in full."),
    ("/copy", Slash::Copy, "Copies the last answer, as the model wrote it."),
    ("/editor", Slash::Editor, "Opens the draft in $EDITOR."),
    ("/quit", Slash::Quit, "Leaves."),
];

/// The command at the beginning of a message, and what follows it. Only known
/// words are commands; everything else that begins with `/` is a message.
pub(crate) fn slash(message: &str) -> Option<(Slash, &str)> {
    let message = message.trim();
    let (word, rest) = message.split_once(char::is_whitespace).unwrap_or((message, ""));
    let known = SLASHES.iter().find(|(name, _, _)| *name == word)?;
    let takes_words = matches!(known.1, Slash::Rename | Slash::Join | Slash::Model | Slash::Fork);
    (takes_words || rest.is_empty()).then_some((known.1, rest.trim()))
}

/// What completes a word after `/`, if exactly one does.
pub(crate) fn complete(word: &str) -> Option<&'static str> {
    let mut fitting = SLASHES.iter().filter(|(name, _, _)| word.len() > 1 && name.starts_with(word));
    let first = fitting.next()?;
    fitting.next().is_none().then_some(first.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_known_words_are_commands() {
        assert_eq!(slash("/help"), Some((Slash::Help, "")));
        assert_eq!(slash(" /rename A new title "), Some((Slash::Rename, "A new title")));
        for message in ["/helpme", "/etc/passwd", "/help me", "//help", "help", "/", ""] {
            assert_eq!(slash(message), None, "{message}");
        }
        assert_eq!(complete("/he"), Some("/help"));
        assert_eq!(complete("/re"), Some("/rename"));
        assert_eq!(complete("/r"), None, "two would fit");
        assert_eq!(complete("/"), None);
    }
}
