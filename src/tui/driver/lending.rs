//! The terminal lent to other programs: pager, editor, shell, and the one that
//! gets it when the job stops.

use super::Driver;
use crate::agent::Leaving;
use crate::tui::effects::EditorTarget;
use crate::tui::input::Reader;
use crate::tui::program::{CleanCopy, EditedText, Program};
use crate::tui::sentences;
use crate::tui::update::Happening;
use std::process::ExitStatus;

impl Driver {
    pub(super) async fn page_text(&mut self, text: &str) {
        match CleanCopy::create(|file| file.write_all(text.as_bytes())) {
            Ok(copy) => self.pager(&copy).await,
            Err(error) => {
                let sentence = sentences::no_copy(&error.to_string());
                let _ = self.done.0.send(Happening::Failed(sentence));
            }
        }
    }

    /// The person's pager with a copy. How it ended says nothing.
    pub(super) async fn pager(&mut self, copy: &CleanCopy) {
        let _ = self.program(Program::pager(copy.path())).await;
    }

    fn read_again(&mut self) {
        self.reader = Some(Reader::start(self.clock));
        (self.dirty, self.urgent) = (true, true);
    }

    /// The person's shell, to look around.
    pub(super) async fn shell(&mut self, cwd: &str) {
        // How it ended says nothing: the last thing that was done in it did.
        let _ = self.program(Program::shell(cwd)).await;
    }

    /// Lets another program have the terminal, and takes it back. Gives how it
    /// ended; that it could not be started is said.
    async fn program(&mut self, program: Program) -> Option<ExitStatus> {
        let name = program.name.clone();
        self.reader = None;
        let _ = self.screen.leave();
        let (sender, ended) = tokio::sync::oneshot::channel();
        let key_variables = self.key_variables.clone();
        std::thread::spawn(move || sender.send(program.run(&key_variables)));
        let ended = ended.await;
        if self.screen.come_back().is_err() {
            let _ = self.done.0.send(Happening::Terminate);
        }
        self.read_again();
        match ended.ok()? {
            Ok(status) => Some(status),
            Err(error) => {
                let sentence = sentences::no_program(&name, &error.to_string());
                let _ = self.done.0.send(Happening::Failed(sentence));
                None
            }
        }
    }

    pub(super) async fn editor(&mut self, text: String, target: EditorTarget) {
        let text = match EditedText::create(&text) {
            Ok(file) => {
                let editor = Program::editor(file.path());
                let name = editor.name.clone();
                match self.program(editor).await {
                    Some(status) if status.success() => file.read(),
                    // So the shell says that there is no such program.
                    Some(status) if status.code() == Some(127) => {
                        Err(sentences::no_program(&name, "there is no such program"))
                    }
                    Some(status) => Err(sentences::editor_failed(&name, &status.to_string())),
                    None => return,
                }
            }
            Err(error) => Err(sentences::no_editor(&error.to_string())),
        };
        let _ = self.done.0.send(Happening::Edited { target, text });
    }

    pub(super) async fn suspend(&mut self) -> Option<Leaving> {
        if !can_be_continued() {
            return Box::pin(self.happened(Happening::Failed(sentences::NO_SHELL.to_owned()))).await;
        }
        self.reader = None;
        let _ = self.screen.leave();
        // The whole job stops, as after Ctrl+Z in any other program.
        let _ = rustix::process::kill_current_process_group(rustix::process::Signal::STOP);
        if self.screen.come_back().is_err() {
            let _ = self.done.0.send(Happening::Terminate);
        }
        self.read_again();
        None
    }
}

/// Whether somebody in this terminal session could continue a stopped job.
fn can_be_continued() -> bool {
    use rustix::process::{getppid, getsid};
    let own = getsid(None).ok();
    getppid().and_then(|parent| getsid(Some(parent)).ok()).is_some_and(|sid| Some(sid) == own)
}
