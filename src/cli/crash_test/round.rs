//! One round: a turn, a kill, the openings after it, and what is then seen.

use super::judge::{Evidence, Finding, Observed, Printed, Told, judge, outcomes};
use super::opening;
use super::plan::{Again, Does, Face, Plan, Step};
use super::scratch::Scratch;
use super::terminal::Terminal;
use super::turn::{Attacked, attack};
use super::victims::{self, Hits};
use super::watch::{self, folders, journal, names};
use super::{Halt, Stop};
use serde_json::Value;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// As long as a mark may come after its command's end.
const LATE: Duration = Duration::from_millis(400);

/// What a round gave.
#[derive(Debug)]
pub(super) struct Report {
    pub(super) plan: Plan,
    /// The step came before the turn was over.
    pub(super) reached: bool,
    /// Who died during the turn.
    pub(super) hits: Hits,
    /// How often the restarted program was killed.
    pub(super) kills_after: usize,
    pub(super) outcomes: Vec<String>,
    pub(super) findings: Vec<Finding>,
    /// Where everything lies, if something was found.
    pub(super) kept: Option<PathBuf>,
}

/// What is gathered while a round goes on.
#[derive(Default)]
struct Gathered {
    attacked: Attacked,
    observed: Observed,
    kills_after: usize,
    /// What each start of the program printed.
    printed: Vec<Vec<u8>>,
}

/// Plays one round under `parent`; its directory is gone afterwards unless
/// something was found.
pub(super) fn play(plan: Plan, parent: &Path, program: &Path, stop: &Stop) -> Result<Report, Halt> {
    let name = format!("round-{}", plan.round + 1);
    let scratch = Scratch::new(parent, &name, program, plan.is_limited())?;
    let mut gathered = Gathered::default();
    gathered.observed.calls = plan.calls.to_vec();
    let played = go_through(&plan, &scratch, stop, &mut gathered);
    victims::end_all(&session_of(&scratch).as_deref().map(folders).unwrap_or_default());
    match played {
        Ok(()) => {}
        Err(Halt::Stuck(sentence)) => {
            gathered.observed.stuck.push(sentence);
            see_what_is_there(&scratch, &mut gathered.observed);
        }
        Err(other) => {
            scratch.remove();
            return Err(other);
        }
    }
    let findings = judge(&gathered.observed);
    let mut report = Report {
        reached: gathered.attacked.reached,
        hits: gathered.attacked.hits.clone(),
        kills_after: gathered.kills_after,
        outcomes: outcomes(&gathered.observed),
        findings,
        kept: None,
        plan,
    };
    if report.findings.is_empty() {
        scratch.remove();
    } else {
        keep(&report, &gathered, scratch.dir());
        report.kept = Some(scratch.dir().to_owned());
    }
    Ok(report)
}

fn go_through(plan: &Plan, scratch: &Scratch, stop: &Stop, gathered: &mut Gathered) -> Result<(), Halt> {
    let arguments: &[&str] = match plan.face {
        Face::Plain => &["--demo", "--plain"],
        Face::Screen => &["--demo"],
    };
    let mut terminal = Terminal::start(scratch, arguments)?;
    let attacked = attack(plan, scratch, &mut terminal, stop);
    let printed = terminal.printed();
    drop(terminal);
    let observed = &mut gathered.observed;
    if plan.face == Face::Plain {
        observed.printed = as_read(&printed);
    }
    gathered.printed.push(printed);
    gathered.attacked = attacked?;
    observed.hits = gathered.attacked.hits.clone();
    let Some(session) = session_of(scratch) else {
        // Killed before there was one: a new one can be made, and nothing ran.
        observed.marks = scratch.marks();
        let mut terminal = Terminal::start(scratch, &["--demo", "--plain"])?;
        let opened = opening::open(&mut terminal, true, stop);
        gathered.printed.push(terminal.printed());
        return opened;
    };
    observed.sessions = watch::sessions(&scratch.sessions()).len();
    observed.journals.push(bytes(&session));
    stop.nap(plan.pause)?;
    for again in &plan.again {
        let mut terminal = Terminal::start(scratch, &["--demo", "--plain", "-c"])?;
        let came = comes_to(*again, &mut terminal, &session, stop);
        gathered.kills_after += usize::from(terminal.crash());
        gathered.printed.push(terminal.printed());
        observed.journals.push(bytes(&session));
        // Without a record to be killed at, the turn had been over.
        gathered.attacked.reached &= came? || observed.journals.len() > 2;
    }
    let mut terminal = Terminal::start(scratch, &["--demo", "--plain", "-c"])?;
    let opened = opening::open(&mut terminal, true, stop);
    gathered.printed.push(terminal.printed());
    drop(terminal);
    observed.journals.push(bytes(&session));
    observed.again = bytes(&session);
    opened?;
    let (terminal, looked) = opening::look(scratch, plan.face, stop)?;
    gathered.printed.push(terminal.printed());
    drop(terminal);
    observed.again = bytes(&session);
    looked?;
    if plan.calls.contains(&Does::Outlives) {
        stop.nap(LATE)?;
    }
    observed.evidence = evidence(&session);
    observed.marks = scratch.marks();
    observed.told = Some(told(scratch, &session)?);
    Ok(())
}

/// What a person had read. Text from outside is indented and never said so.
fn as_read(printed: &[u8]) -> Printed {
    let text = String::from_utf8_lossy(printed);
    let count = |begins: &str| text.lines().filter(|line| line.starts_with(begins)).count();
    let ended =
        ["completed, exit", "failed, ", "timed out, ", "cancelled, ", "not executed", "unknown", "denied"];
    Printed {
        asked: count("run or deny> "),
        running: count("Running: "),
        ended: ended.iter().map(|words| count(&format!("  {words}"))).sum(),
    }
}

/// What a round that did not go on has left: without it, what was said would be
/// held against nothing.
fn see_what_is_there(scratch: &Scratch, observed: &mut Observed) {
    observed.marks = scratch.marks();
    let Some(session) = session_of(scratch) else { return };
    observed.evidence = evidence(&session);
    observed.again = bytes(&session);
    if observed.journals.is_empty() {
        observed.journals.push(observed.again.clone());
    }
}

/// Waits until the restarted program is to be killed; false if it has nothing to write.
fn comes_to(again: Again, terminal: &mut Terminal, session: &Path, stop: &Stop) -> Result<bool, Halt> {
    match again {
        Again::After(time) => stop.nap(time).map(|()| true),
        Again::Written => {
            let length = || std::fs::metadata(journal(session)).map_or(0, |file| file.len());
            let before = length();
            opening::until_it_writes(terminal, || length() != before, stop)
        }
    }
}

/// The only session, if one was made.
fn session_of(scratch: &Scratch) -> Option<PathBuf> {
    watch::sessions(&scratch.sessions()).pop()
}

fn bytes(session: &Path) -> Vec<u8> {
    std::fs::read(journal(session)).unwrap_or_default()
}

fn evidence(session: &Path) -> std::collections::BTreeMap<String, Evidence> {
    let of = |folder: PathBuf| {
        let has = |name: &str| folder.join(name).exists();
        let evidence = Evidence { launched: has(names::LAUNCH), receipt: has(names::RECEIPT) };
        Some((victims::dispatch(&folder)?, evidence))
    };
    folders(session).into_iter().filter_map(of).collect()
}

/// What the program's own commands say of the session.
fn told(scratch: &Scratch, session: &Path) -> Result<Told, Halt> {
    let id = victims::dispatch(session).unwrap_or_default();
    let json = |arguments: &[&str]| -> Result<Option<Value>, Halt> {
        let output = scratch.run(arguments)?;
        let value = serde_json::from_slice(&output.stdout).ok();
        Ok(value.filter(|_| output.status.success()))
    };
    let listed = json(&["sessions", "--json", "--demo"])?;
    let rows = listed.as_ref().and_then(Value::as_array).into_iter().flatten();
    let row = rows.into_iter().find(|row| row["id"] == id.as_str());
    let state = row.and_then(|row| row["state"].as_str()).map(str::to_owned);
    let shown = json(&["show", "--json", &id])?;
    let shown = shown.as_ref().and_then(|value| value["turns"].as_array()).map(|turns| {
        let entries = turns.iter().filter_map(|turn| turn["entries"].as_array()).flatten();
        entries.filter_map(|entry| entry["outcome"].as_str()).map(str::to_owned).collect()
    });
    let inspected = scratch.run(&["inspect", "--json", &id])?.status.code();
    Ok(Told { state, shown, inspected })
}

/// Lays what was seen beside what was found.
fn keep(report: &Report, gathered: &Gathered, dir: &Path) {
    let mut text = format!("{:#?}\n", report.plan);
    for finding in &report.findings {
        let _ = writeln!(text, "{}: {}", finding.wrong.words(), finding.sentence);
    }
    let Observed { hits, evidence, told, marks, .. } = &gathered.observed;
    let _ = writeln!(text, "{hits:#?}\n{evidence:#?}\n{told:#?}\n{marks:#?}");
    // The findings themselves are printed, whatever becomes of these files.
    let _ = std::fs::write(dir.join("found.txt"), text);
    for (at, journal) in gathered.observed.journals.iter().enumerate() {
        let _ = std::fs::write(dir.join(format!("journal-{at}.jsonl")), journal);
    }
    for (at, printed) in gathered.printed.iter().enumerate() {
        let _ = std::fs::write(dir.join(format!("terminal-{at}.txt")), printed);
    }
}

impl Report {
    /// Under which step it is counted: none if the turn was over before.
    pub(super) fn step(&self) -> Option<Step> {
        self.reached.then_some(self.plan.step)
    }
}
