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
    History,
    Env,
    Mouse,
    Shell,
}

impl Slash {
    /// Whether it does nothing without words that follow it.
    pub(crate) fn needs_words(self) -> bool {
        self == Self::Rename
    }

    /// Whether words may follow it.
    pub(crate) fn takes_words(self) -> bool {
        match self {
            Self::Rename | Self::Join | Self::Model | Self::Fork => true,
            Self::Help
            | Self::Rules
            | Self::Quit
            | Self::New
            | Self::Output
            | Self::Transcript
            | Self::Copy
            | Self::Sessions
            | Self::Editor
            | Self::History
            | Self::Env
            | Self::Mouse
            | Self::Shell => false,
        }
    }
}

/// All words after `/`, with a sentence for help.
pub(crate) static SLASHES: &[(&str, Slash, &str)] = &[
    ("/help", Slash::Help, "Shows this help."),
    ("/rules", Slash::Rules, "Shows what runs without asking, and ends it."),
    ("/join", Slash::Join, "Gives the queued message to the running turn."),
    ("/new", Slash::New, "Begins a new conversation."),
    ("/sessions", Slash::Sessions, "Lists the sessions."),
    ("/rename", Slash::Rename, "Gives the session the title that follows."),
    ("/model", Slash::Model, "Shows what the server offers, or takes the model that follows."),
    ("/fork", Slash::Fork, "Goes on in a new session; a number leaves out so many last turns."),
    ("/output", Slash::Output, "Opens the last output in full."),
    ("/transcript", Slash::Transcript, "Opens the whole conversation in full."),
    ("/copy", Slash::Copy, "Copies the last answer, as the model wrote it."),
    ("/editor", Slash::Editor, "Opens the draft in $EDITOR."),
    ("/history", Slash::History, "Searches what was written in this directory before."),
    ("/env", Slash::Env, "Shows which variables commands get."),
    ("/mouse", Slash::Mouse, "Gives the mouse to Candor, or back to the terminal."),
    ("/shell", Slash::Shell, "Opens your $SHELL in the session's directory; nothing is recorded."),
    ("/quit", Slash::Quit, "Leaves."),
];

/// The command at the beginning of a message, and what follows it. Only known
/// words are commands; everything else that begins with `/` is a message.
pub(crate) fn slash(message: &str) -> Option<(Slash, &str)> {
    let message = message.trim();
    let (word, rest) = message.split_once(char::is_whitespace).unwrap_or((message, ""));
    let known = SLASHES.iter().find(|(name, _, _)| *name == word)?;
    (known.1.takes_words() || rest.is_empty()).then_some((known.1, rest.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_sentence_fits_the_list_on_80_columns() {
        for (name, _, long) in SLASHES {
            assert!(name.len() < 12 && long.len() <= 66, "{name}: {long}");
        }
    }

    #[test]
    fn only_known_words_are_commands() {
        assert_eq!(slash("/help"), Some((Slash::Help, "")));
        assert_eq!(slash(" /rename A new title "), Some((Slash::Rename, "A new title")));
        for message in ["/helpme", "/etc/passwd", "/help me", "//help", "help", "/", ""] {
            assert_eq!(slash(message), None, "{message}");
        }
    }
}
