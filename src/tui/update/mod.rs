//! What happens changes the state and says what is to be done: pure, with the
//! time handed in.

mod assist;
mod dialogs;
mod events;
mod input;
mod message;
mod places;
mod reading;
mod sessions;
mod setup;

#[cfg(test)]
mod tests;

use super::approval::{self, Choice};
use super::assist::Batch;
use super::clock::Now;
use super::copying::Copied;
use super::effects::{EditorTarget, Effect};
use super::input::Timed;
use super::moment::Moment;
use super::pages::{PageId, Saved, Told};
use super::seen::Shown;
use super::sentences;
use super::state::{Focus, Layer, State};
use crate::agent::{Command, Event};
use crate::record::limits::MESSAGE_BYTES;
use crate::text::{Code, Row};
use ratatui::layout::Rect;
use std::time::Duration;

/// The draft is kept on disk this long after a change.
pub(crate) const DRAFT_DELAY: Duration = Duration::from_secs(1);
/// Somebody who pressed no key for so long is away.
const AWAY: Duration = Duration::from_secs(10);

/// Something that happened.
#[derive(Debug)]
pub(crate) enum Happening {
    /// A deed of the person's.
    Input(Timed),
    /// The agent told something.
    Event(Box<Event>),
    /// Time passed.
    Tick,
    /// Something came from a text on disk.
    Page(PageId, Told),
    /// What came of copying a text of so many lines.
    Copied {
        /// Who took it, if anybody did.
        copied: Copied,
        /// The text.
        text: String,
        /// Its lines.
        lines: usize,
    },
    /// Code was coloured; nothing for a language that is not known.
    Colored(Vec<(Code, Option<Vec<Row>>)>),
    /// Paths were found.
    Files(Batch),
    /// What came of saving.
    Saved(Saved),
    /// Another program ended; a text that it edited.
    Edited {
        /// Where the text goes.
        target: EditorTarget,
        /// The text, or why there is none.
        text: Result<String, String>,
    },
    /// A program could not be started.
    Failed(String),
    /// The process is told to end.
    Terminate,
}

/// What a frame showed, as far as rules depend on it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Painted {
    /// The approval.
    pub approval: Option<approval::Painted>,
    /// Where its choices are.
    pub choices: Vec<(Choice, Rect)>,
    /// The recovery dialog's evidence.
    pub recovery: Option<Shown>,
    /// What was left above queue and composer, if nothing was on top.
    pub above: Option<Rect>,
}

/// What of the screen may look different.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Change {
    /// The draft, and the lines below it.
    Draft,
    /// Anything.
    All,
}

impl State {
    /// Takes what happened and gives what is to be done.
    pub(crate) fn happened(&mut self, happening: Happening, now: Now) -> Vec<Effect> {
        self.now = now;
        self.change = Change::All;
        let mut effects = match happening {
            Happening::Input(timed) => self.input(timed),
            Happening::Event(event) => self.event(*event),
            Happening::Tick => Vec::new(),
            Happening::Files(batch) => self.files(batch),
            Happening::Page(id, told) => self.page(id, told),
            Happening::Copied { copied, text, lines } => self.copied(copied, &text, lines),
            Happening::Saved(saved) => {
                self.saved(saved);
                Vec::new()
            }
            Happening::Edited { target, text } => self.edited(target, text),
            Happening::Colored(colored) => {
                self.conversation.colors.learn(colored);
                self.conversation.live.recolor();
                self.conversation.transcript.recolor();
                self.recolor_readers();
                Vec::new()
            }
            Happening::Failed(sentence) => {
                self.flash(sentence);
                Vec::new()
            }
            Happening::Terminate => self.close(false),
        };
        effects.extend(self.offer());
        if !self.only_writes() {
            self.change = Change::All;
        }
        self.pass_time(&mut effects);
        effects
    }

    /// Whether keys change the draft and nothing else is on the screen with it.
    fn only_writes(&self) -> bool {
        let assisted = self.assist.search.is_some() || self.assist.shown().is_some();
        self.layers.is_empty() && self.focus == Focus::Composer && !assisted
    }

    /// What is due by the clock alone.
    fn pass_time(&mut self, effects: &mut Vec<Effect>) {
        let now = self.now.moment;
        self.flash.take_if(|flash| flash.until <= now);
        self.armed.take_if(|(_, until)| *until <= now);
        if self.call_at.is_some_and(|at| at <= now) {
            self.call_at = None;
            effects.push(Effect::CallPerson);
        }
        if self.unsaved.is_some_and(|since| since + DRAFT_DELAY <= now) {
            effects.extend(self.save_draft());
        }
    }

    /// The draft as it is to be kept, if it belongs to a session.
    fn save_draft(&mut self) -> Option<Effect> {
        self.unsaved.take()?;
        self.conversation.id?;
        let mut text = self.composer.text();
        // Enter pressed too early and too often is nothing to come back to.
        if text.trim().is_empty() {
            text.clear();
        }
        Some(Effect::Tell(Command::Draft(text)))
    }

    /// Ends the agent. The screen goes when it has ended.
    fn close(&mut self, stop_command: bool) -> Vec<Effect> {
        self.closing = true;
        let draft = self.save_draft();
        draft.into_iter().chain([Effect::Tell(Command::Close { stop_command })]).collect()
    }

    /// A frame was drawn. Says whether that changes what the next one shows.
    pub(crate) fn painted(&mut self, painted: Painted, now: Moment) -> bool {
        let mut changed = false;
        if let (Some(frame), Some(approval)) = (&painted.approval, self.approval()) {
            let seen = approval.is_seen();
            approval.painted(frame, now);
            changed = seen != approval.is_seen();
        }
        if let (Some(shown), Some(Layer::Recovery(recovery))) = (&painted.recovery, self.layers.last_mut()) {
            let seen = recovery.is_seen();
            recovery.painted(shown, now);
            changed |= seen != recovery.is_seen();
        }
        self.choice_places = painted.choices;
        self.above = painted.above;
        changed
    }

    fn edited(&mut self, target: EditorTarget, text: Result<String, String>) -> Vec<Effect> {
        match (text, target) {
            (Err(sentence), _) => self.flash(sentence),
            (Ok(text), EditorTarget::Draft) => {
                let nuls = self.composer.set(text.trim_end_matches('\n'));
                if nuls > 0 {
                    self.flash(sentences::left_out(nuls));
                } else if text.len() > MESSAGE_BYTES {
                    self.flash(sentences::too_long(text.len()));
                }
                self.unsaved.get_or_insert(self.now.moment);
            }
            (Ok(text), EditorTarget::Field) => {
                if let Some(approval) = self.approval() {
                    approval.set_field(&text);
                }
            }
        }
        Vec::new()
    }

    /// A turn has ended and nothing follows it. Who has pressed no key for so long
    /// is called at once; who reads the answer is not.
    fn turn_is_over(&mut self) {
        let now = self.now.moment;
        let is_away = self.last_key.is_none_or(|key| key + AWAY <= now);
        self.call_at = is_away.then_some(now);
    }

    /// A person is waited for: they are called if they seem to be away.
    fn wait_for_person(&mut self) {
        let now = self.now.moment;
        self.call_at = Some(self.last_key.map_or(now, |key| now.max(key + AWAY)));
    }
}
