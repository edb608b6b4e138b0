//! What is offered while a message is written, and the keys that choose of it.

use crate::agent::Command;
use crate::record::SessionId;
use crate::tui::assist::{Asked, Batch, Search};
use crate::tui::effects::Effect;
use crate::tui::input::Key;
use crate::tui::keys::{self, Act, Place};
use crate::tui::state::State;

impl State {
    /// Offers what fits the draft now, whatever changed it.
    pub(super) fn offer(&mut self) -> Option<Effect> {
        let begins = self.assist.refresh(self.composer.asked());
        let cwd = &self.conversation.cwd;
        let walk = if begins { self.assist.files.begin(cwd, self.now.moment) } else { None };
        walk.map(|walk| Effect::ListFiles { cwd: cwd.clone(), walk })
    }

    /// Some paths were found.
    pub(super) fn files(&mut self, batch: Batch) -> Vec<Effect> {
        self.assist.add(batch);
        self.assist.files.ended(self.now.moment);
        Vec::new()
    }

    /// A key for what is offered, or for the search; none if it is not for them.
    pub(super) fn assist_key(&mut self, key: Key) -> Option<Vec<Effect>> {
        if self.assist.search.is_some() {
            return Some(self.search_key(key));
        }
        self.assist.shown()?;
        match keys::find(Place::Composer, key)? {
            Act::Esc => self.assist.dismiss(),
            Act::Up if self.assist.walk_choice(-1) => {}
            Act::Down if self.assist.walk_choice(1) => {}
            Act::SwitchFocus => self.complete(),
            Act::Send => return self.take_offered(),
            _ => return None,
        }
        Some(Vec::new())
    }

    /// Tab: goes on into a directory, takes what is chosen, or begins to choose.
    fn complete(&mut self) {
        if let Some((path, chars)) = self.assist.path() {
            let (path, further) = (path.quoted.clone(), path.further.clone());
            let text = further.map_or(path, |further| format!("@{further}"));
            self.replace(chars, &text);
            return;
        }
        let only = matches!(self.assist.shown(), Some((offered, _)) if offered.is_one());
        match self.assist.word(only) {
            Some((name, word)) => {
                let space = if word.takes_words() { " " } else { "" };
                self.composer.set(&format!("{name}{space}"));
                self.written();
            }
            None => _ = self.assist.walk_choice(1),
        }
    }

    /// Enter: takes the chosen path, or does what the chosen word says. With
    /// nothing chosen Enter is not for the offer.
    fn take_offered(&mut self) -> Option<Vec<Effect>> {
        if let Some((path, chars)) = self.assist.path() {
            let text = path.quoted.clone();
            self.replace(chars, &text);
            return Some(Vec::new());
        }
        let (name, word) = self.assist.word(false)?;
        if word.needs_words() {
            self.composer.set(&format!("{name} "));
            self.written();
            return Some(Vec::new());
        }
        self.composer.set(name);
        Some(self.enter())
    }

    fn replace(&mut self, chars: usize, text: &str) {
        self.composer.complete(chars, text);
        self.written();
    }

    fn written(&mut self) {
        self.unsaved.get_or_insert(self.now.moment);
    }

    /// Opens the search in the history; the draft stays as it is below it.
    pub(super) fn open_search(&mut self) {
        let mut search = Search::default();
        search.look(self.composer.messages());
        self.assist.search = Some(search);
    }

    fn search_key(&mut self, key: Key) -> Vec<Effect> {
        let Some(search) = &mut self.assist.search else { return Vec::new() };
        match keys::find(Place::Composer, key) {
            Some(Act::Esc | Act::Interrupt) => self.assist.search = None,
            Some(Act::Send | Act::SwitchFocus) => self.take_hit(),
            Some(Act::History | Act::Up) => search.walk(1),
            Some(Act::Down) => search.walk(-1),
            Some(Act::PageUp) => search.walk(10),
            Some(Act::PageDown) => search.walk(-10),
            Some(Act::DeleteLeft) => {
                search.query.pop();
                search.look(self.composer.messages());
            }
            Some(Act::KillToStart | Act::KillSpaceLeft) => {
                search.query.clear();
                search.look(self.composer.messages());
            }
            None if key.typed().is_some() => {
                search.query.extend(key.typed());
                search.look(self.composer.messages());
            }
            Some(_) | None => {}
        }
        Vec::new()
    }

    /// A paste while the search is open is looked for; says whether it is.
    pub(super) fn search_paste(&mut self, text: &str) -> bool {
        let Some(search) = &mut self.assist.search else { return false };
        search.query.push_str(text.lines().next().unwrap_or_default());
        search.look(self.composer.messages());
        true
    }

    /// The hit becomes the draft; the draft that was there goes into the history.
    fn take_hit(&mut self) {
        let hit = self.assist.search.take().and_then(|search| search.hit().map(str::to_owned));
        let Some(hit) = hit else { return };
        if !self.composer.is_empty() {
            self.composer.put_into_history();
        }
        self.composer.set(&hit);
        self.written();
        // Up and Down shall lead on from here, not into what would complete it.
        self.assist.refresh(self.composer.asked());
        self.assist.dismiss();
    }

    /// Asks for what was written here before; nothing waits for it.
    pub(super) fn ask_for_history(&mut self) -> Vec<Effect> {
        let (cwd, without) = (self.conversation.cwd.clone(), self.conversation.id);
        self.history_of = Some((cwd.clone(), without));
        vec![Effect::Tell(Command::History { cwd, without })]
    }

    /// It came; one that was asked for another session is too late.
    pub(super) fn history(&mut self, cwd: String, without: Option<SessionId>, messages: Vec<String>) {
        if self.history_of == Some((cwd, without)) {
            self.composer.remember_earlier(messages);
        }
    }

    /// The keys of what is offered, for the bottom line.
    pub(crate) fn assist_words(&self) -> Option<[&'static str; 3]> {
        if self.assist.search.is_some() {
            return Some(["Enter takes it", "Ctrl+R older", "Esc back"]);
        }
        self.assist.shown()?;
        match self.composer.asked()? {
            Asked::Word(_) => Some(["Tab completes", "Up Down choose", "Esc closes"]),
            Asked::Path(_) => Some(["Tab Enter take it", "Up Down choose", "Esc closes"]),
        }
    }
}
