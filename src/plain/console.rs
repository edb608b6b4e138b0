//! The loop: events become lines, lines become commands.

use super::ask::{self, Answered};
use super::input::{Input, Typed};
use super::say::{self, Flow};
use crate::agent::{Command, Delta, Event, Handle, Phase, Verdict, Watched};
use crate::record::{Record, SessionId, TurnStatus};
use crate::session::Session;
use crate::text::Clean;
use std::collections::VecDeque;
use std::time::Duration;

/// What `run` needs besides the agent.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// A first message; it is only suggested.
    pub message: Option<String>,
}

/// How it ended.
#[derive(Debug)]
pub struct Left {
    /// What stays on the terminal: up to three plain lines.
    pub lines: Vec<String>,
    /// The exit code.
    pub code: u8,
}

/// Runs until the person leaves, the terminal goes, or the agent ends.
///
/// # Errors
/// A sentence, if the terminal cannot be read or the agent ends without a word.
pub async fn run(handle: Handle, options: Options) -> Result<Left, String> {
    let input = Input::start().map_err(|error| format!("The terminal cannot be read: {error}."))?;
    handle.begin();
    let console = Console {
        handle,
        input,
        session: None,
        phase: Phase::Ready,
        answer: Flow::of_model(),
        output: Flow::of_command(),
        streamed: false,
        message: String::new(),
        kept: VecDeque::new(),
        stop_asked: None,
        code: 0,
        closing: false,
        suggestion: options.message,
        opened: false,
        free: None,
    };
    console.turn_to_lines().await
}

/// What a word after `/` with what follows it asks of the agent; nothing if it
/// is a message.
fn command_of(words: &str) -> Option<Command> {
    let (word, rest) = words.split_once(char::is_whitespace).unwrap_or((words, ""));
    match (word, rest.trim()) {
        ("/model", "") => Some(Command::ListModels),
        ("/model", named) => {
            let (name, base_url) = named.split_once(char::is_whitespace).unwrap_or((named, ""));
            let base_url = Some(base_url.trim().to_owned()).filter(|url| !url.is_empty());
            Some(Command::SetModel { name: name.to_owned(), base_url })
        }
        ("/fork", "") => Some(Command::Fork { without: 0 }),
        ("/fork", turns) => turns.parse().ok().map(|without| Command::Fork { without }),
        (_, "") => None,
        ("/rename", title) => Some(Command::Rename(title.to_owned())),
        ("/join", text) => Some(Command::Join(text.to_owned())),
        _ => None,
    }
}

struct Console {
    handle: Handle,
    input: Input,
    session: Option<Session>,
    phase: Phase,
    answer: Flow,
    output: Flow,
    /// Text of the current answer was printed as it came.
    streamed: bool,
    /// Lines of a message that goes on.
    message: String,
    /// Messages typed while a turn ran.
    kept: VecDeque<String>,
    /// When the first Ctrl+C during a command came.
    stop_asked: Option<tokio::time::Instant>,
    code: u8,
    closing: bool,
    suggestion: Option<String>,
    opened: bool,
    /// The watched session, once nobody has it open any more.
    free: Option<SessionId>,
}

impl Console {
    fn send(&self, command: Command) {
        // If the agent has ended, its last event says so.
        let _ = self.handle.commands.send(command);
    }

    async fn turn_to_lines(mut self) -> Result<Left, String> {
        loop {
            tokio::select! {
                biased;
                event = self.handle.events.recv() => match event {
                    Some(Event::Closed(leaving)) => {
                        let lines = leaving.lines(Clean::line(&leaving.title).as_str());
                        return Ok(Left { lines, code: self.code });
                    }
                    Some(event) => self.event(event).await?,
                    None => return Err("The agent ended without a word. What is on screen up to here is saved.".into()),
                },
                typed = self.input.next(), if !self.closing => self.typed(typed).await,
            }
        }
    }

    async fn event(&mut self, event: Event) -> Result<(), String> {
        match event {
            // Nothing of it is asked for here.
            Event::Sessions(_) | Event::Trash(_) | Event::Previewed(_) | Event::Found { .. } => {}
            Event::History { .. } | Event::Environment(_) => {}
            Event::Searched { .. } | Event::Moved(_) => {}
            Event::Watched(Watched::Held(_)) => self.free = None,
            Event::Watched(Watched::Free { .. }) if self.free.is_some() => {}
            Event::Watched(Watched::Free { .. }) => {
                self.free = self.session.as_ref().map(Session::id);
                say::own("The session is no longer open elsewhere. An empty line opens it for writing.");
                ask::prompt("> ");
            }
            Event::Opened(opened) => {
                // The first message of an empty conversation opens it again.
                let same = self.opened && opened.session.turns().is_empty();
                if !same {
                    say::opened(&opened);
                }
                self.session = Some(opened.session);
                self.free = None;
                self.opened = true;
                if let Some(text) = self.suggestion.take() {
                    println!("Suggested message, type it to send it: {}", Clean::line(&text));
                }
            }
            Event::Committed(committed) => {
                self.end_flows();
                if let Some(session) = &mut self.session {
                    if let Err(error) = session.apply(committed.clone()) {
                        return Err(format!("The records do not fit together: {error}"));
                    }
                    say::committed(session, &committed, self.streamed);
                }
                self.streamed = false;
                if let Record::SessionRenamed(_) = committed.record {
                    self.prompt_again();
                }
            }
            Event::Phase(phase) => self.phase(phase),
            Event::Delta(delta) => self.delta(&delta),
            Event::Discarded => {
                if self.answer.end() {
                    say::own("The text above is void: the answer broke off.");
                }
                self.streamed = false;
            }
            Event::Approval(request) => {
                self.end_flows();
                match ask::approval(&mut self.input, &request).await {
                    Answered::With(verdict) => {
                        self.send(Command::Decide {
                            call: request.call,
                            fingerprint: request.fingerprint,
                            verdict,
                        });
                    }
                    Answered::Interrupted => self.send(Command::StopAnswer),
                    Answered::End => {
                        println!();
                        let verdict = Verdict::Deny { feedback: None };
                        self.send(Command::Decide {
                            call: request.call,
                            fingerprint: request.fingerprint,
                            verdict,
                        });
                    }
                    Answered::Gone(code) => self.leave(code),
                }
            }
            Event::ExtensionWanted { model_requests, tool_calls } => {
                say::own(&format!(
                    "This turn has made {model_requests} requests and run {tool_calls} calls. Go on for as many again?"
                ));
                match ask::word(&mut self.input, "yes or no> ", &["yes", "no"]).await {
                    Answered::With(word) => self.send(Command::Extend(word == "yes")),
                    Answered::Interrupted | Answered::End => self.send(Command::Extend(false)),
                    Answered::Gone(code) => self.leave(code),
                }
            }
            Event::Output { bytes, .. } => self.output.push(&bytes),
            Event::Gate(reports) => match ask::statements(&mut self.input, &reports).await {
                Answered::With(statements) => self.send(Command::Acknowledge(statements)),
                Answered::Interrupted | Answered::End => {
                    println!();
                    self.leave(0);
                }
                Answered::Gone(code) => self.leave(code),
            },
            Event::Refused { sentence, text, .. } => {
                say::own(&sentence);
                if let Some(text) = text {
                    println!("Not sent: {}", Clean::line(&text));
                }
                if !self.opened {
                    // There is nothing to go back to.
                    self.code = 1;
                    self.leave(1);
                } else {
                    self.prompt_again();
                }
            }
            Event::PutBack(text) => {
                println!("Your message, to send again if you want: {}", Clean::line(&text))
            }
            Event::Models(list) => {
                say::models(&list);
                self.prompt_again();
            }
            Event::ModelChanged { sentence, .. } => {
                say::own(&sentence);
                self.prompt_again();
            }
            // Asked for by the screen alone.
            Event::LocalServers(_) | Event::Reached { .. } => {}
            Event::Notice(sentence) => say::own(&sentence),
            Event::Poisoned(sentence) => say::own(&sentence),
            Event::Closed(_) => {}
        }
        Ok(())
    }

    fn end_flows(&mut self) {
        self.answer.end();
        self.output.end();
    }

    fn delta(&mut self, delta: &Delta) {
        match delta {
            Delta::Text(text) | Delta::Refusal(text) => {
                self.answer.push(text.as_bytes());
                self.streamed = true;
            }
            Delta::Reasoning(_) => {}
        }
    }

    fn phase(&mut self, phase: Phase) {
        match &phase {
            Phase::Ready => {
                self.phase = phase;
                return self.ready();
            }
            Phase::Running(command) => say::running(command),
            Phase::Retrying { wait_ms, reason } => {
                say::own(&format!(
                    "Trying again in {} ({reason}). Ctrl+C stops waiting.",
                    crate::text::human_duration(wait_ms.next_multiple_of(1000))
                ));
            }
            Phase::ReadOnly => {
                self.phase = phase;
                say::own("This session can only be read here. Ctrl+D leaves.");
                return ask::prompt("> ");
            }
            Phase::NotSaving => {
                self.phase = phase;
                return ask::prompt("> ");
            }
            Phase::Gated
            | Phase::WaitingForModel
            | Phase::Thinking
            | Phase::Answering
            | Phase::WaitingForYou => {}
        }
        self.phase = phase;
    }

    fn prompt_again(&mut self) {
        match self.phase {
            Phase::Ready => self.ready(),
            Phase::ReadOnly | Phase::NotSaving => ask::prompt("> "),
            Phase::Gated
            | Phase::WaitingForModel
            | Phase::Thinking
            | Phase::Answering
            | Phase::Retrying { .. }
            | Phase::WaitingForYou
            | Phase::Running(_) => {}
        }
    }

    /// The next kept message goes only after a completed turn.
    fn ready(&mut self) {
        let last = self.session.as_ref().and_then(|session| session.turns().last());
        let completed =
            last.and_then(|turn| turn.end.as_ref()).is_some_and(|end| end.status == TurnStatus::Completed);
        if completed && let Some(text) = self.kept.pop_front() {
            say::block("You", &text);
            return self.send(Command::Send(text));
        }
        for text in self.kept.drain(..) {
            println!("Not sent: {}", Clean::line(&text));
        }
        ask::prompt("> ");
    }

    async fn typed(&mut self, typed: Typed) {
        match typed {
            Typed::Line(line) => self.line(line),
            Typed::Unreadable => {
                say::own("That line is not UTF-8; nothing was sent.");
                ask::prompt("> ");
            }
            Typed::Interrupt => self.interrupt(),
            Typed::End => self.end().await,
            Typed::Gone(code) => self.leave(code),
        }
    }

    fn line(&mut self, line: String) {
        if let Some(begun) = line.strip_suffix('\\') {
            self.message.push_str(begun);
            self.message.push('\n');
            return ask::prompt(". ");
        }
        let text = std::mem::take(&mut self.message) + &line;
        if let Some(command) = command_of(text.trim()) {
            return self.send(command);
        }
        match (text.trim(), &self.phase) {
            ("", Phase::Ready) => ask::prompt("> "),
            ("", Phase::ReadOnly) => match self.free.take() {
                Some(id) => self.send(Command::Open(id)),
                None => ask::prompt("> "),
            },
            ("", _) => {}
            ("/help", _) => self.help(),
            ("/quit" | "exit" | "quit" | ":q" | ":wq", _) => self.leave(0),
            ("/rules", _) => {
                self.send(Command::RevokeRules);
                say::own("Every command is asked about again.");
            }
            ("stop", Phase::Running(command)) if !command.supervised => self.send(Command::StopCommand),
            ("give up", Phase::Running(command)) if !command.supervised => {
                self.send(Command::GiveUp(command.dispatch))
            }
            (_, Phase::Ready | Phase::ReadOnly | Phase::NotSaving | Phase::Gated) => {
                self.send(Command::Send(text))
            }
            (_, _) => {
                say::own(
                    "Kept: it is sent when this turn ends as completed. /join TEXT gives a text to the running turn.",
                );
                self.kept.push_back(text);
            }
        }
    }

    fn help(&self) {
        println!("  A message is a line; a line that ends in \\ goes on.");
        println!("  /join TEXT    give TEXT to the running turn");
        println!("  /rename TEXT  another title");
        println!("  /model        which model answers, and what its server offers");
        println!("  /model NAME [URL]  another model, or another server's");
        println!("  /fork [N]     go on in a new session from here, without the last N turns");
        println!("  /rules        ask about every command again");
        println!("  /quit         leave; so does Ctrl+D on an empty line");
        println!("  Ctrl+C stops the answer; while a command runs, twice within 5 s stops the command.");
        if self.phase == Phase::Ready {
            ask::prompt("> ");
        }
    }

    fn interrupt(&mut self) {
        const TWICE: Duration = Duration::from_secs(5);
        match &self.phase {
            Phase::Running(command) => {
                if self.stop_asked.take().is_some_and(|first| first.elapsed() < TWICE) {
                    say::own(&format!("Stopping: {}", command.summary));
                    self.send(Command::StopCommand);
                } else {
                    self.stop_asked = Some(tokio::time::Instant::now());
                    say::own(&format!("{} runs on. Ctrl+C again within 5 s stops it.", command.summary));
                }
            }
            Phase::WaitingForModel
            | Phase::Thinking
            | Phase::Answering
            | Phase::Retrying { .. }
            | Phase::WaitingForYou => {
                self.send(Command::StopAnswer);
            }
            Phase::Ready | Phase::Gated | Phase::NotSaving | Phase::ReadOnly => {
                self.message.clear();
                println!();
                say::own("Ctrl+D leaves.");
                ask::prompt("> ");
            }
        }
    }

    async fn end(&mut self) {
        println!();
        let Phase::Running(command) = self.phase.clone() else { return self.leave(0) };
        say::own(&format!("A command is running: {}", command.summary));
        match ask::word(
            &mut self.input,
            "leave it running, stop it, or stay? (leave, stop, stay)> ",
            &["leave", "stop", "stay"],
        )
        .await
        {
            Answered::With("leave") => self.leave(0),
            Answered::With("stop") => {
                self.closing = true;
                self.send(Command::Close { stop_command: true });
            }
            Answered::With(_) | Answered::Interrupted | Answered::End => say::own("Staying."),
            Answered::Gone(code) => self.leave(code),
        }
    }

    fn leave(&mut self, code: u8) {
        self.code = code;
        self.closing = true;
        self.send(Command::Close { stop_command: false });
    }
}
