//! Asking the model: sending a request for the session as it is, showing what
//! comes, and handing the answer to the machine.

use super::{Agent, Work};
use crate::agent::desk::Wanted;
use crate::agent::machine::Input;
use crate::agent::protocol::{Delta, Event, Phase};
use crate::model::{Answer, ErrorClass, ModelError, Progress, Request, ToolDefinition};
use crate::record::Digest;
use crate::session::{ContextOptions, context};
use crate::store;
use crate::tools::OUTPUT;
use futures_util::future::BoxFuture;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tokio_util::sync::CancellationToken;

/// A model request that runs.
pub(super) struct Asking {
    pub(super) answer: BoxFuture<'static, Result<Answer, ModelError>>,
    pub(super) progress: UnboundedReceiver<Progress>,
    cancel: CancellationToken,
    instructions: Digest,
    phase: Phase,
}

impl Agent {
    pub(super) fn obey(&mut self, wanted: Vec<Wanted>) {
        for want in wanted {
            match want {
                Wanted::Model => self.ask(),
                Wanted::CancelModel => {
                    if let Some(asking) = self.asking.take() {
                        asking.cancel.cancel();
                        self.emit(Event::Discarded);
                    }
                }
            }
        }
    }

    fn ask(&mut self) {
        let model = match self.models.get() {
            Ok(model) => model,
            Err(sentence) => return self.cannot_ask(sentence),
        };
        let Work::Open(desk) = &self.work else { return };
        let session = desk.open.session();
        let dir = desk.open.dir();
        let spool = |dispatch: crate::record::DispatchId| {
            let path = store::call_folder(dir, dispatch).join(OUTPUT);
            path.exists().then(|| path.display().to_string())
        };
        let kib = usize::try_from(self.setup.settings.bash.output_to_model_kib).unwrap_or(16);
        let options = ContextOptions { output_to_model_bytes: kib << 10, spool: &spool };
        let input = match context(session, options) {
            Ok(input) => input,
            Err(error) => return self.cannot_ask(error.to_string()),
        };
        let definition = desk.definition();
        let request = Request {
            session: session.id(),
            instructions: self.instructions.text.clone(),
            input,
            tools: vec![ToolDefinition {
                name: definition.name,
                description: definition.description,
                parameters: definition.parameters,
            }],
        };
        let (sender, progress) = unbounded_channel();
        let cancel = CancellationToken::new();
        self.asking = Some(Asking {
            answer: model.respond(request, sender, cancel.clone()),
            progress,
            cancel,
            instructions: self.instructions.sha256(),
            phase: Phase::WaitingForModel,
        });
    }

    /// The machine waits for an answer and has to hear that none will come.
    fn cannot_ask(&mut self, sentence: String) {
        self.give_machine(Input::ModelFailed(ModelError { class: ErrorClass::Request, sentence }));
    }

    pub(super) fn progress(&mut self, progress: Progress) {
        let (phase, event) = match progress {
            Progress::Started => (None, None),
            Progress::Text(text) => (Some(Phase::Answering), Some(Event::Delta(Delta::Text(text)))),
            Progress::Refusal(text) => (Some(Phase::Answering), Some(Event::Delta(Delta::Refusal(text)))),
            Progress::Reasoning(text) => (Some(Phase::Thinking), Some(Event::Delta(Delta::Reasoning(text)))),
            Progress::Discarded => (Some(Phase::WaitingForModel), Some(Event::Discarded)),
            Progress::Retrying { wait_ms, reason } => (Some(Phase::Retrying { wait_ms, reason }), None),
        };
        let Some(asking) = &mut self.asking else { return };
        if let Some(phase) = phase.filter(|phase| *phase != asking.phase) {
            asking.phase = phase.clone();
            self.emit(Event::Phase(phase));
        }
        if let Some(event) = event {
            self.emit(event);
        }
    }

    pub(super) fn answered(&mut self, answer: Result<Answer, ModelError>) {
        let Some(asking) = self.asking.take() else { return };
        let input = match answer {
            Ok(answer) => Input::Answered { answer: Box::new(answer), instructions: asking.instructions },
            Err(error) => {
                self.emit(Event::Discarded);
                Input::ModelFailed(error)
            }
        };
        self.give_machine(input);
    }
}
