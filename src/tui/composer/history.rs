//! The messages that were written in this directory, to be walked with Up and
//! Down and searched with Ctrl+R.

/// That many messages are kept.
const KEPT: usize = 1000;

/// Messages, oldest first, and where the walk stands.
#[derive(Debug, Clone, Default)]
pub(super) struct History {
    messages: Vec<String>,
    /// The message that is shown, and the draft that was left for it.
    walk: Option<(usize, String)>,
}

impl History {
    /// Remembers a message as the newest.
    pub(super) fn push(&mut self, message: &str) {
        self.walk = None;
        if message.trim().is_empty() || self.messages.last().is_some_and(|last| last == message) {
            return;
        }
        if self.messages.len() == KEPT {
            self.messages.remove(0);
        }
        self.messages.push(message.to_owned());
    }

    /// Puts messages of earlier sessions, oldest first, before those of this one.
    pub(super) fn put_before(&mut self, mut earlier: Vec<String>) {
        let own = self.messages.len();
        let room = KEPT.saturating_sub(own);
        earlier.drain(..earlier.len().saturating_sub(room));
        earlier.append(&mut self.messages);
        earlier.dedup();
        if let Some((index, _)) = &mut self.walk {
            // The walk stands as far from the newest as before.
            *index += earlier.len().saturating_sub(own);
        }
        self.messages = earlier;
    }

    /// All messages, oldest first.
    pub(super) fn messages(&self) -> impl DoubleEndedIterator<Item = &str> {
        self.messages.iter().map(String::as_str)
    }

    /// Whether a message of it is shown.
    pub(super) fn is_walked(&self) -> bool {
        self.walk.is_some()
    }

    /// Forgets everything, for another session.
    pub(super) fn clear(&mut self) {
        *self = Self::default();
    }

    /// The message before the one that is shown; `draft` is kept for the way back.
    pub(super) fn older(&mut self, draft: &str) -> Option<&str> {
        let (index, left) = match self.walk.take() {
            Some((index, left)) => (index.saturating_sub(1), left),
            None => (self.messages.len().checked_sub(1)?, draft.to_owned()),
        };
        self.walk = Some((index, left));
        self.messages.get(index).map(String::as_str)
    }

    /// The message after it; after the newest, the draft that was left.
    pub(super) fn newer(&mut self) -> Option<String> {
        let (index, left) = self.walk.take()?;
        match self.messages.get(index + 1) {
            Some(message) => {
                self.walk = Some((index + 1, left));
                Some(message.clone())
            }
            None => Some(left),
        }
    }

    /// The draft was changed: what is shown is a draft of its own now.
    pub(super) fn stop(&mut self) {
        self.walk = None;
    }
}
