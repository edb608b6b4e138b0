//! Readers: what opens them, what their keys want, what the disk and the
//! clipboard tell.

use crate::agent::Command;
use crate::record::DispatchId;
use crate::tui::copying::{self, Copied};
use crate::tui::effects::Effect;
use crate::tui::help::Part;
use crate::tui::input::Key;
use crate::tui::moment::Moment;
use crate::tui::pages::{CLIPBOARD_BYTES, Joined, Order, PageId, Saved, Saving, Told, Wanted};
use crate::tui::reader::{Kind, Reader, Wish};
use crate::tui::state::{Layer, State};
use crate::tui::transcript::Panel;
use crate::tui::{help, sentences, words};
use std::ops::Range;
use std::path::{Path, PathBuf};

impl State {
    /// Help, from a part of it on.
    pub(super) fn open_help(&mut self, part: Part) {
        let rows = help::rows();
        let from = part.row(&rows);
        let mut reader = Reader::of_rows("help", rows, help::INDENT, Kind::Text);
        reader.go_to_row(from);
        self.layers.push(Layer::Reader(Box::new(reader)));
    }

    pub(super) fn open_rules(&mut self) {
        if self.conversation.rules.is_empty() {
            self.flash(sentences::NO_RULES);
            return;
        }
        let reader = Reader::of_rows("rules", help::rules(&self.conversation.rules), 2, Kind::Rules);
        self.layers.push(Layer::Reader(Box::new(reader)));
    }

    /// Which variables commands get: their names first.
    pub(super) fn show_environment(&mut self, variables: Vec<(String, String)>) {
        let rows = help::environment(&variables, false);
        self.conversation.environment = variables;
        let reader = Reader::of_rows("environment of commands", rows, 2, Kind::Environment);
        self.layers.push(Layer::Reader(Box::new(reader)));
    }

    /// The same with their values.
    fn show_values(&mut self) {
        let rows = help::environment(&std::mem::take(&mut self.conversation.environment), true);
        self.layers.pop();
        let reader = Reader::of_rows("environment of commands", rows, 2, Kind::Text);
        self.layers.push(Layer::Reader(Box::new(reader)));
    }

    /// The whole conversation as text.
    pub(super) fn open_transcript(&mut self) {
        self.layers.push(Layer::Reader(Box::new(Reader::of_conversation())));
    }

    /// The output of the chosen panel.
    pub(super) fn open_chosen_output(&mut self) -> Vec<Effect> {
        match self.conversation.transcript.selected() {
            Some(panel) => self.open_output(panel),
            None => self.open_last_output(),
        }
    }

    /// The output of the last command.
    pub(super) fn open_last_output(&mut self) -> Vec<Effect> {
        let transcript = &self.conversation.transcript;
        let session = self.conversation.session.as_ref();
        match session.and_then(|session| transcript.last_executed(session)) {
            Some(panel) => self.open_output(panel),
            None => {
                self.flash(sentences::NO_OUTPUT);
                Vec::new()
            }
        }
    }

    fn open_output(&mut self, panel: Panel) -> Vec<Effect> {
        let call = self.conversation.session.as_ref().and_then(|session| panel.call(session));
        let result = call.and_then(|call| call.result.as_ref());
        let started = call.and_then(|call| call.start.as_ref()).map(|start| start.dispatch);
        let running = started.filter(|_| result.is_none() && self.conversation.may_run());
        let kept = result.and_then(|result| result.output.clone()).unwrap_or_default();
        let Some(dispatch) = started.or_else(|| result.and_then(|result| result.dispatch)) else {
            self.flash(sentences::NOT_RUN);
            return Vec::new();
        };
        let file = self.conversation.output_file(dispatch);
        let title = self.title_of(dispatch);
        vec![self.open_page(&title, Wanted { file, kept, running: running.is_some() }, running)]
    }

    /// The output of an effect whose outcome is unknown.
    pub(super) fn open_unknown_output(&mut self) -> Vec<Effect> {
        let Some(Layer::Recovery(recovery)) = self.layers.last() else { return Vec::new() };
        let Some(report) = recovery.page().and_then(|page| page.reports.first()) else { return Vec::new() };
        let operation = report.operation.as_ref();
        let title = operation.map_or_else(|| "output".to_owned(), |known| words::summary(known.summary()));
        let file = report.output_path.clone().or_else(|| self.conversation.output_file(report.dispatch));
        let wanted = Wanted { file, kept: report.output.clone(), running: false };
        vec![self.open_page(&title, wanted, None)]
    }

    /// A reader of a text on disk, which comes in windows.
    fn open_page(&mut self, title: &str, wanted: Wanted, running: Option<DispatchId>) -> Effect {
        let id = PageId(self.next_page);
        self.next_page += 1;
        let path = wanted.file.as_ref().map(|file| self.fixed.words.place(&file.to_string_lossy()));
        self.layers.push(Layer::Reader(Box::new(Reader::of_page(title, id, path, running))));
        Effect::Page(id, Order::Open(wanted))
    }

    /// All texts on disk that have a reader.
    pub(crate) fn open_pages(&self) -> Vec<PageId> {
        self.layers.iter().filter_map(|layer| reader_of(layer)?.page()).collect()
    }

    /// Rows that the last frame wanted and did not have.
    pub(crate) fn wanted_rows(&mut self) -> Option<(PageId, Order)> {
        match self.layers.last_mut() {
            Some(Layer::Reader(reader)) => reader.wanted(),
            _ => None,
        }
    }

    /// A command has written more: whoever reads along is told.
    pub(super) fn grown(&mut self, dispatch: DispatchId) -> Vec<Effect> {
        let readers = self.layers.iter().filter_map(reader_of);
        let along = readers.filter(|reader| reader.running == Some(dispatch));
        along.filter_map(|reader| Some(Effect::Page(reader.page()?, Order::Grown))).collect()
    }

    /// A command has ended: what it wrote last is read, and nothing is expected.
    pub(super) fn ended(&mut self, dispatch: DispatchId) -> Vec<Effect> {
        let effects = self.grown(dispatch);
        for layer in &mut self.layers {
            if let Layer::Reader(reader) = layer {
                reader.running.take_if(|running| *running == dispatch);
            }
        }
        effects
    }

    /// Of no command it is known that it runs: nothing more is expected.
    pub(super) fn nothing_runs(&mut self) {
        for layer in &mut self.layers {
            if let Layer::Reader(reader) = layer {
                reader.running = None;
            }
        }
    }

    /// Colours have come: the rows of the conversation are made anew.
    pub(super) fn recolor_readers(&mut self) {
        for layer in &mut self.layers {
            if let Layer::Reader(reader) = layer {
                reader.forget_rows();
            }
        }
    }

    pub(super) fn reader_key(&mut self, key: Key, at: Moment) -> Vec<Effect> {
        let Some(Layer::Reader(reader)) = self.layers.last_mut() else { return Vec::new() };
        let wish = reader.key(key);
        // What was said about the key before is answered.
        self.flash = None;
        self.wish(wish, at)
    }

    fn wish(&mut self, wish: Wish, at: Moment) -> Vec<Effect> {
        match wish {
            Wish::Nothing => Vec::new(),
            Wish::Close => {
                self.close_reader(at);
                Vec::new()
            }
            Wish::EndRules => {
                self.close_reader(at);
                self.conversation.rules.clear();
                vec![Effect::Tell(Command::RevokeRules)]
            }
            Wish::ShowValues => {
                self.show_values();
                Vec::new()
            }
            Wish::Help => {
                self.open_help(Part::Reading);
                Vec::new()
            }
            Wish::Order(order) => self.page_of_top().map(|id| Effect::Page(id, order)).into_iter().collect(),
            Wish::Copy(joined) => self.copy(joined, true),
            Wish::SaveAs { name, rows } => {
                let path = self.file_named(&name);
                self.save(rows, Saving { path, overwrite: false })
            }
            Wish::SaveOver { path, rows } => self.save(rows, Saving { path, overwrite: true }),
            Wish::Pager => self.open_pager(),
            Wish::Say(sentence) => {
                self.flash(sentence);
                Vec::new()
            }
        }
    }

    /// Closes a reader. The key that did counts for what is below it.
    fn close_reader(&mut self, at: Moment) {
        self.layers.pop();
        match self.layers.last_mut() {
            Some(Layer::Approval(approval)) => approval.touched(at),
            Some(Layer::Recovery(recovery)) => recovery.touched(at),
            _ => {}
        }
    }

    fn top_reader(&self) -> Option<&Reader> {
        self.layers.last().and_then(reader_of)
    }

    fn page_of_top(&self) -> Option<PageId> {
        self.top_reader()?.page()
    }

    /// The file that a person means: in the home directory, or from the
    /// directory of the session on.
    fn file_named(&self, name: &str) -> PathBuf {
        let name = name.trim();
        let home = self.fixed.words.home.as_deref();
        match (name.strip_prefix("~/"), home) {
            (Some(rest), Some(home)) => home.join(rest),
            _ => Path::new(&self.conversation.cwd).join(name),
        }
    }

    fn save(&mut self, rows: Option<Range<usize>>, saving: Saving) -> Vec<Effect> {
        match (self.page_of_top(), self.top_reader()) {
            (Some(id), _) => vec![Effect::Page(id, Order::Save(rows, saving))],
            (None, Some(reader)) => vec![Effect::Save(reader.whole_text(rows), saving)],
            (None, None) => Vec::new(),
        }
    }

    fn open_pager(&mut self) -> Vec<Effect> {
        match (self.page_of_top(), self.top_reader()) {
            (Some(id), _) => vec![Effect::Page(id, Order::CleanCopy)],
            (None, Some(reader)) => vec![Effect::PageText(reader.whole_text(None))],
            (None, None) => Vec::new(),
        }
    }

    /// Something came from the disk for a reader.
    pub(super) fn page(&mut self, id: PageId, told: Told) -> Vec<Effect> {
        let is_its = |layer: &&mut Layer| reader_of(layer).and_then(Reader::page) == Some(id);
        let Some(Layer::Reader(reader)) = self.layers.iter_mut().find(is_its) else { return Vec::new() };
        match told {
            Told::Kept(error) => self.flash(sentences::no_file(&error)),
            Told::Saved(saved) => self.saved(saved),
            Told::CleanCopy(Ok(copy)) => return vec![Effect::PageFile(copy)],
            Told::CleanCopy(Err(error)) => self.flash(sentences::no_copy(&error)),
            told => {
                let wish = reader.told(told);
                return self.wish(wish, self.now.moment);
            }
        }
        Vec::new()
    }

    pub(super) fn saved(&mut self, saved: Saved) {
        let place = |path: &Path| self.fixed.words.place(&path.to_string_lossy());
        let sentence = match saved {
            Saved::Done { bytes, path, raw } => sentences::saved(bytes, &place(&path), raw),
            Saved::Failed(path, error) => sentences::not_saved(&place(&path), &error),
            Saved::Exists(path) => match self.layers.last_mut() {
                Some(Layer::Reader(reader)) => return reader.ask_to_overwrite(path),
                _ => sentences::not_saved(&place(&path), "it exists"),
            },
        };
        self.flash(sentence);
    }

    /// The last answer of the model, as the model wrote it.
    pub(super) fn copy_answer(&mut self) -> Vec<Effect> {
        match self.conversation.session.as_ref().and_then(copying::last_answer) {
            Some(text) => {
                let lines = text.lines().count();
                let text = Some(text).filter(|text| text.len() <= CLIPBOARD_BYTES);
                self.copy(Joined { text, lines }, false)
            }
            None => {
                self.flash(sentences::NO_ANSWER);
                Vec::new()
            }
        }
    }

    fn copy(&mut self, joined: Joined, can_be_saved: bool) -> Vec<Effect> {
        match joined.text {
            Some(text) if !text.is_empty() => return vec![Effect::Copy(text, joined.lines)],
            Some(_) => self.flash(sentences::NOTHING_TO_COPY),
            None => self.flash(sentences::too_long_to_copy(can_be_saved)),
        }
        Vec::new()
    }

    pub(super) fn copied(&mut self, copied: Copied, text: &str, lines: usize) -> Vec<Effect> {
        self.flash(sentences::copied(&copied, lines));
        match copied {
            Copied::Terminal => vec![Effect::Send(copying::sequence(text))],
            Copied::By(_) | Copied::InTmux | Copied::Nowhere(_) => Vec::new(),
        }
    }
}

fn reader_of(layer: &Layer) -> Option<&Reader> {
    match layer {
        Layer::Reader(reader) => Some(reader),
        Layer::Approval(_) | Layer::Recovery(_) | Layer::StillRunning(_) | Layer::Leave(_) => None,
        Layer::Extension(_) | Layer::Sessions(_) | Layer::Setup(_) => None,
    }
}
