//! The poll loop: output, requests to stop, limits, the end.

use super::now;
use super::receipt::Course;
use super::signals::{Signals, empty};
use super::spool::Spool;
use super::tree::{self, Tree};
use crate::record::{BashOperation, Ended, Timestamp};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, WaitStatus};
use std::fs::File;
use std::io::{self, PipeReader, Read};
use std::time::{Duration, Instant};

/// What the whole tree gets to clean up, from SIGTERM to SIGKILL.
const GRACE: Duration = Duration::from_secs(2);
/// How long a tree that regrows, or that we may not kill, is swept.
const SWEEP: Duration = Duration::from_secs(2);
/// How long inherited pipes are waited for after the shell's end.
const HELD: Duration = Duration::from_millis(250);
/// Between two looks at a tree that was asked to end.
const LOOK: Duration = Duration::from_millis(20);
/// Between two rounds of a sweep; chains of forks ended within 17 of them.
const ROUND: Duration = Duration::from_micros(200);
/// As much as a pipe holds.
const READ: usize = 64 << 10;

/// Where a command is on its way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// It runs.
    Running,
    /// It was asked to end.
    Stopping { look_at: Instant, kill_at: Instant },
    /// It is being ended.
    Killing { give_up_at: Instant },
    /// The shell is gone; somebody may still hold its output.
    Draining { until: Instant },
}

/// Watches over one command.
pub(super) struct Watch {
    deadline: Option<Instant>,
    output_limit: Option<u64>,
    spool: Spool,
    signals: Signals,
    control: File,
    pipe: Option<PipeReader>,
    tree: Tree,
    started_at: Timestamp,
    phase: Phase,
    ended: Ended,
    status: Option<WaitStatus>,
    ended_at: Option<Timestamp>,
}

/// What a wait ended with.
#[derive(Debug, Clone, Copy, Default)]
struct Woken {
    output: bool,
    stop: bool,
    child: bool,
}

/// A command that was just started.
pub(super) struct Started {
    pub(super) shell: Pid,
    pub(super) pipe: PipeReader,
    pub(super) at: Timestamp,
    pub(super) instant: Instant,
}

/// What was made ready for it.
pub(super) struct Equipment {
    pub(super) spool: Spool,
    pub(super) signals: Signals,
    pub(super) control: File,
}

impl Watch {
    pub(super) fn new(operation: &BashOperation, started: Started, equipment: Equipment) -> Self {
        let Equipment { spool, signals, control } = equipment;
        Self {
            // A limit past the clock's end is none.
            deadline: started.instant.checked_add(Duration::from_millis(operation.timeout_ms)),
            output_limit: operation.output_limit,
            spool,
            signals,
            control,
            pipe: Some(started.pipe),
            tree: Tree::new(started.shell),
            started_at: started.at,
            phase: Phase::Running,
            ended: Ended::Exit,
            status: None,
            ended_at: None,
        }
    }

    /// Returns when the shell has ended and its output is complete, or nobody
    /// is waited for any more.
    pub(super) fn until_the_end(mut self) -> (Spool, Course) {
        let mut buffer = vec![0; READ];
        while !self.finished() {
            let woken = self.wait(self.patience());
            if woken.output {
                self.read_output(&mut buffer);
            }
            self.step(woken, Instant::now());
        }
        self.read_rest(&mut buffer);
        let course = Course {
            ended: self.ended,
            status: self.status,
            started_at: Some(self.started_at),
            ended_at: self.ended_at.unwrap_or_else(now),
            pipe_held: self.pipe.is_some(),
            survivors: self.tree.survivors(),
        };
        (self.spool, course)
    }

    fn finished(&self) -> bool {
        match self.phase {
            Phase::Running | Phase::Stopping { .. } | Phase::Killing { .. } => false,
            Phase::Draining { until } => {
                Instant::now() >= until || (self.pipe.is_none() && self.tree.group_gone())
            }
        }
    }

    fn wait(&self, patience: Option<Duration>) -> Woken {
        let timeout = patience.and_then(|patience| Timespec::try_from(patience).ok());
        let output = self.pipe.as_ref().map(|pipe| PollFd::new(pipe, PollFlags::IN));
        let mut fds = [
            PollFd::new(&self.control, PollFlags::IN),
            PollFd::new(&self.signals.stop, PollFlags::IN),
            PollFd::new(&self.signals.child, PollFlags::IN),
            // At the end of the output there are three to poll.
            output.clone().unwrap_or_else(|| PollFd::new(&self.control, PollFlags::IN)),
        ];
        let count = if output.is_some() { 4 } else { 3 };
        // A signal ends the wait, and its pipe is there at the next one.
        if poll(&mut fds[..count], timeout.as_ref()).is_err() {
            return Woken::default();
        }
        let ready = |at: usize| !fds[at].revents().is_empty();
        let woken = Woken { output: count == 4 && ready(3), stop: ready(0) || ready(1), child: ready(2) };
        if woken.stop {
            empty(&self.control);
            empty(&self.signals.stop);
        }
        if woken.child {
            empty(&self.signals.child);
        }
        woken
    }

    /// How long there is nothing to do unless something happens.
    fn patience(&self) -> Option<Duration> {
        let now = Instant::now();
        match self.phase {
            Phase::Running => self.deadline.map(|at| at.saturating_duration_since(now)),
            Phase::Stopping { look_at, kill_at } => Some(look_at.min(kill_at).saturating_duration_since(now)),
            Phase::Killing { give_up_at } => Some(if now < give_up_at { ROUND } else { LOOK }),
            Phase::Draining { until } => {
                let left = until.saturating_duration_since(now);
                Some(if self.pipe.is_some() { left } else { left.min(LOOK) })
            }
        }
    }

    fn read_output(&mut self, buffer: &mut [u8]) {
        let Some(pipe) = &mut self.pipe else { return };
        match pipe.read(buffer) {
            Ok(0) => self.pipe = None,
            Ok(n) => self.spool.take(&buffer[..n]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => self.pipe = None,
        }
    }

    /// What a slow disk kept us from reading in time: a pipe full, and its end.
    fn read_rest(&mut self, buffer: &mut [u8]) {
        for _ in 0..2 {
            if self.pipe.is_some() && self.wait(Some(Duration::ZERO)).output {
                self.read_output(buffer);
            }
        }
    }

    fn step(&mut self, woken: Woken, now: Instant) {
        match self.phase {
            Phase::Running => self.run(woken, now),
            Phase::Stopping { look_at, kill_at } => {
                if now >= kill_at {
                    self.tree.kill_group();
                    self.phase = Phase::Killing { give_up_at: now + SWEEP };
                } else if now >= look_at {
                    self.tree.reap_others();
                    self.phase = Phase::Stopping { look_at: now + LOOK, kill_at };
                    if self.tree.shell_ended() && self.tree.only_shell_left() {
                        self.close(now);
                    }
                }
            }
            Phase::Killing { give_up_at } => {
                self.tree.kill_children();
                self.tree.reap_others();
                self.reap_shell();
                // The shell is waited for without a bound: only its end is the command's.
                if self.status.is_some() && (tree::no_children() || now >= give_up_at) {
                    self.phase = Phase::Draining { until: now + HELD };
                }
            }
            Phase::Draining { .. } => {
                if woken.child {
                    self.tree.reap_others();
                }
            }
        }
    }

    /// The shell has ended: so does its group, while its id is surely its own.
    fn close(&mut self, now: Instant) {
        self.tree.kill_group();
        self.reap_shell();
        self.phase = Phase::Draining { until: now + HELD };
    }

    fn reap_shell(&mut self) {
        if self.status.is_none() {
            self.status = self.tree.reap_shell();
            self.ended_at = self.status.map(|_| now());
        }
    }

    fn run(&mut self, woken: Woken, now: Instant) {
        if woken.child && self.tree.shell_ended() {
            self.close(now);
        } else if let Some(reason) = self.reason_to_stop(woken, now) {
            // What has ended by itself was not stopped.
            if self.tree.shell_ended() {
                self.close(now);
            } else {
                self.ended = reason;
                self.tree.terminate();
                self.phase = Phase::Stopping { look_at: now, kill_at: now + GRACE };
            }
        } else if woken.child {
            self.tree.reap_others();
        }
    }

    fn reason_to_stop(&self, woken: Woken, now: Instant) -> Option<Ended> {
        if woken.stop {
            Some(Ended::Stopped)
        } else if self.deadline.is_some_and(|deadline| now >= deadline) {
            Some(Ended::TimeLimit)
        } else if self.output_limit.is_some_and(|limit| self.spool.total() > limit) {
            Some(Ended::OutputLimit)
        } else {
            None
        }
    }
}
