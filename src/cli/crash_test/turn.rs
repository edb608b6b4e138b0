//! The turn that is attacked: a person's part of it, and the kill.

use super::plan::{Does, Face, Plan, Step};
use super::scratch::Scratch;
use super::terminal::{LOOK, PATIENCE, Terminal};
use super::victims::{self, Hits};
use super::watch::Watch;
use super::{Halt, Stop};
use std::time::{Duration, Instant};

/// A person's pause between a letter and Enter; faster is taken for a paste.
const PAUSE: Duration = Duration::from_millis(150);

/// What became of the turn.
#[derive(Debug, Default)]
pub(super) struct Attacked {
    /// Who died.
    pub(super) hits: Hits,
    /// The step came; otherwise the turn was over before.
    pub(super) reached: bool,
}

/// Everything that a turn is driven with.
struct Turn<'a> {
    plan: &'a Plan,
    stop: &'a Stop,
    terminal: &'a mut Terminal,
    watch: Watch<'a>,
    /// When the message was sent.
    sent: Option<Instant>,
    /// Decisions made.
    decided: usize,
    /// The screen is not looked at before this.
    not_before: Instant,
    /// What the screen was last told.
    dialog: Dialog,
    /// Since when it shows what is answered next.
    shown: Option<Instant>,
    asked_to_stop: bool,
    /// Nobody waits for the answer to the last prompt.
    is_over: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Dialog {
    Home,
    Composed,
    Chosen,
    Answered,
}

/// Sends the message, answers what is asked, kills when the step comes, and
/// leaves if the program lives on.
pub(super) fn attack(
    plan: &Plan,
    scratch: &Scratch,
    terminal: &mut Terminal,
    stop: &Stop,
) -> Result<Attacked, Halt> {
    let mut turn = Turn {
        plan,
        stop,
        terminal,
        watch: Watch::new(scratch),
        sent: None,
        decided: 0,
        not_before: Instant::now(),
        dialog: Dialog::Home,
        shown: None,
        asked_to_stop: false,
        is_over: false,
    };
    let reached = turn.until_the_step()?;
    stop.nap(match plan.step {
        // Waited for already.
        Step::Moment | Step::Recovery | Step::Closing => Duration::ZERO,
        _ if reached => plan.delay,
        _ => Duration::ZERO,
    })?;
    let folders = turn.watch.folders();
    let hits = victims::kill(plan.victim, turn.terminal, &folders);
    if !turn.terminal.has_ended() {
        turn.finish()?;
    }
    Ok(Attacked { hits, reached })
}

impl Turn<'_> {
    /// Whether the step came before the turn was over.
    fn until_the_step(&mut self) -> Result<bool, Halt> {
        let until = Instant::now() + PATIENCE;
        loop {
            let has_come = match self.plan.step {
                // The delay is the moment.
                Step::Moment | Step::Recovery | Step::Closing => {
                    self.sent.is_some_and(|sent| sent.elapsed() >= self.plan.delay)
                }
                step => self.watch.has_come_to(step, self.plan.call),
            };
            if has_come {
                return Ok(true);
            }
            if self.is_over {
                // A moment after the turn is a moment, too.
                return Ok(matches!(self.plan.step, Step::Moment | Step::Recovery | Step::Closing));
            }
            self.go_on(until)?;
        }
    }

    /// The program lives: to the next prompt, and away.
    fn finish(&mut self) -> Result<(), Halt> {
        let until = Instant::now() + PATIENCE;
        while !self.is_over {
            self.go_on(until)?;
        }
        self.terminal.types("\u{4}");
        match self.terminal.exit_code(self.stop)? {
            0 => Ok(()),
            code => Err(Halt::Stuck(format!("it left with exit code {code}"))),
        }
    }

    /// One look, and what a person does about it.
    fn go_on(&mut self, until: Instant) -> Result<(), Halt> {
        self.stop.nap(LOOK)?;
        if self.terminal.has_ended() {
            return Err(Halt::Stuck("it ended by itself during the turn".into()));
        }
        if Instant::now() >= until {
            return Err(Halt::Stuck("the turn does not go on".into()));
        }
        match self.plan.face {
            Face::Plain => self.as_lines(),
            Face::Screen => self.in_the_screen(),
        }
        Ok(())
    }

    fn as_lines(&mut self) {
        let prompts = ["\n> ", "run or deny> ", "statement> ", "note (Enter for none)> ", "runs on"];
        match self.terminal.first_of(&prompts) {
            Some(0) if self.sent.is_none() => {
                let message = self.plan.message().join("\\\n");
                self.terminal.types(&format!("{message}\n"));
                self.sent = Some(Instant::now());
            }
            Some(0) => self.is_over = true,
            Some(1) => {
                let denies = self.plan.calls.get(self.decided) == Some(&Does::Denied);
                self.decided += 1;
                self.terminal.types(if denies { "no\n" } else { "run\n" });
            }
            Some(2) => self.terminal.types("may have run\n"),
            Some(3) => self.terminal.types("\n"),
            Some(_) => self.terminal.types("\u{3}"),
            None => self.stop_command(),
        }
    }

    /// The first of two Ctrl+C, as soon as the command that is to be stopped runs.
    fn stop_command(&mut self) {
        let Some(running) = self.decided.checked_sub(1) else { return };
        let wanted = self.plan.calls.get(running) == Some(&Does::Stopped);
        if wanted && !self.asked_to_stop && self.watch.has_come_to(Step::Begun, running) {
            self.asked_to_stop = true;
            self.terminal.types("\u{3}");
        }
    }

    fn in_the_screen(&mut self) {
        let now = Instant::now();
        if now < self.not_before {
            return;
        }
        self.not_before = now + Duration::from_millis(5);
        let screen = self.terminal.screen();
        let chosen = screen.contains("Enter does it");
        let is_there = match self.dialog {
            Dialog::Home => screen.contains("Enter s"),
            Dialog::Composed => screen.contains("said two"),
            Dialog::Answered => screen.contains(" Ready") && !chosen,
            Dialog::Chosen => chosen,
        };
        if !is_there {
            self.shown = None;
            self.is_over = self.watch.has_come_to(Step::End, 0);
            return;
        }
        // From the sight of it: a busy program may have read the last key just now.
        if now.duration_since(*self.shown.get_or_insert(now)) < PAUSE {
            return;
        }
        self.shown = None;
        self.dialog = match self.dialog {
            Dialog::Home => {
                // As a paste: line feeds in it send nothing.
                let message = self.plan.message().join("\n");
                self.terminal.types(&format!("\u{1b}[200~{message}\u{1b}[201~"));
                Dialog::Composed
            }
            Dialog::Composed => {
                self.terminal.types("\r");
                self.sent = Some(now);
                Dialog::Answered
            }
            Dialog::Answered => {
                self.terminal.types("y");
                Dialog::Chosen
            }
            Dialog::Chosen => {
                self.decided += 1;
                self.terminal.types("\r");
                Dialog::Answered
            }
        };
    }
}
