//! Keys and events for the sessions over the whole screen, and for a session
//! that is watched.

use crate::agent::{Command, Moved, Refusal, Watched};
use crate::record::SessionId;
use crate::tui::effects::Effect;
use crate::tui::help::Part;
use crate::tui::input::Key;
use crate::tui::keys::{self, Act, Place};
use crate::tui::sentences;
use crate::tui::sessions::{Outcome, Sessions, Then};
use crate::tui::state::{Layer, State};

impl State {
    pub(super) fn open_sessions(&mut self) -> Vec<Effect> {
        // What is shown at first may be old; the agent tells anew.
        let (sessions, preview) = Sessions::open(&self.sessions.all);
        self.layers.push(Layer::Sessions(Box::new(sessions)));
        let tell = [Command::List].into_iter().chain(preview);
        tell.map(Effect::Tell).collect()
    }

    /// The list that is on top or below what is on top.
    fn listed(&mut self) -> Option<(&mut Sessions, &[crate::agent::SessionRow])> {
        let sessions = self.layers.iter_mut().find_map(|layer| match layer {
            Layer::Sessions(sessions) => Some(&mut **sessions),
            _ => None,
        })?;
        Some((sessions, &self.sessions.all))
    }

    pub(super) fn sessions_key(&mut self, key: Key) -> Vec<Effect> {
        let now = self.now;
        self.flash = None;
        if keys::find(Place::Sessions, key) == Some(Act::Help) {
            self.open_help(Part::Sessions);
            return Vec::new();
        }
        let Some((sessions, all)) = self.listed() else { return Vec::new() };
        let outcome = sessions.key(key, all, now);
        self.sessions_outcome(outcome)
    }

    pub(super) fn sessions_paste(&mut self, text: &str) -> Vec<Effect> {
        let Some((sessions, all)) = self.listed() else { return Vec::new() };
        let outcome = sessions.paste(text, all);
        self.sessions_outcome(outcome)
    }

    pub(super) fn sessions_wheel(&mut self, rows: isize, column: u16) -> Vec<Effect> {
        let now = self.now;
        let Some((sessions, all)) = self.listed() else { return Vec::new() };
        sessions.wheel(rows, column, all, now).map(Effect::Tell).into_iter().collect()
    }

    fn sessions_outcome(&mut self, outcome: Outcome) -> Vec<Effect> {
        let mut effects: Vec<Effect> = outcome.tell.into_iter().map(Effect::Tell).collect();
        match outcome.then {
            Then::Stay => {}
            Then::Close => self.layers.retain(|layer| !matches!(layer, Layer::Sessions(_))),
            Then::Say(sentence) => self.flash(sentence),
            Then::Open(id, seq) => effects.extend(self.open_session(id, seq)),
            Then::Fork(id, upto) => {
                effects.extend(self.tell_after_draft(&[Command::ForkSession { id, upto }]));
            }
        }
        effects
    }

    /// Opens a session at a record; the open one is only shown.
    fn open_session(&mut self, id: SessionId, seq: Option<u64>) -> Vec<Effect> {
        let watched_free = matches!(self.conversation.watched, Some(Watched::Free { .. }));
        if self.conversation.id == Some(id) && !watched_free {
            self.layers.retain(|layer| !matches!(layer, Layer::Sessions(_)));
            if let Some(seq) = seq {
                self.conversation.transcript.show_record(seq);
            }
            return Vec::new();
        }
        self.place = seq.map(|seq| (id, seq));
        self.tell_after_draft(&[Command::Open(id)])
    }

    /// A session was opened: the place in it that was asked for is shown.
    pub(super) fn go_to_place(&mut self) {
        if let Some((id, seq)) = self.place.take()
            && self.conversation.id == Some(id)
        {
            self.conversation.transcript.show_record(seq);
        }
    }

    /// Other sessions were listed.
    pub(super) fn relist(&mut self) -> Vec<Effect> {
        let Some((sessions, all)) = self.listed() else { return Vec::new() };
        sessions.refresh(all).map(Effect::Tell).into_iter().collect()
    }

    /// What the agent tells about sessions that are not the open one.
    pub(super) fn sessions_event(&mut self, event: crate::agent::Event) -> Vec<Effect> {
        use crate::agent::Event;
        let now = self.now;
        let Some((sessions, all)) = self.listed() else { return Vec::new() };
        let tell = match event {
            Event::Trash(rows) => sessions.set_trash(rows, all),
            Event::Previewed(previewed) => {
                sessions.previewed(*previewed, now);
                None
            }
            Event::Found { number, hits } => sessions.found(number, hits, all),
            Event::Searched { number, searched } => {
                sessions.searched(number, searched);
                None
            }
            _ => None,
        };
        tell.map(Effect::Tell).into_iter().collect()
    }

    pub(super) fn moved(&mut self, moved: Moved) {
        let (Moved::ToTrash(id) | Moved::Back(id)) = moved;
        if let Some((sessions, _)) = self.listed() {
            sessions.moved(id);
        }
        self.flash(match moved {
            Moved::ToTrash(_) => sentences::MOVED_TO_TRASH,
            Moved::Back(_) => sentences::MOVED_BACK,
        });
    }

    /// Something was refused that the list may have asked for.
    pub(super) fn sessions_refused(&mut self, why: Refusal, sentence: &str) {
        self.place = None;
        if let Some((sessions, _)) = self.listed() {
            sessions.refused((why == Refusal::WordWanted).then_some(sentence));
        }
    }

    /// The watched session was let go or taken.
    pub(super) fn watched(&mut self, watched: Watched) {
        let was_free = matches!(self.conversation.watched, Some(Watched::Free { .. }));
        // Why something was refused may no longer be so.
        if self.conversation.watched.as_ref() != Some(&watched) {
            self.flash_is_over();
        }
        match &watched {
            Watched::Free { .. } if was_free => {}
            Watched::Free { running: true } => self.conversation.note(sentences::FREE_RUNNING),
            Watched::Free { running: false } => self.conversation.note(sentences::FREE),
            Watched::Held(holder) => {
                let words = &self.fixed.words;
                self.conversation.note(sentences::watching(holder.as_ref(), words, self.now.wall));
            }
        }
        self.conversation.watched = Some(watched);
        if !self.conversation.may_run() {
            self.nothing_runs();
        }
    }

    /// Enter in a watched session that nobody has open: it is opened for
    /// writing; what is written stays.
    pub(super) fn take_over(&mut self) -> Option<Vec<Effect>> {
        let id = self.conversation.id?;
        let free = matches!(self.conversation.watched, Some(Watched::Free { .. }));
        free.then(|| vec![Effect::Tell(Command::Open(id))])
    }
}
