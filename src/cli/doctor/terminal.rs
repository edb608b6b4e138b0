//! The terminal and what stands between it and Candor. The terminal itself is
//! asked nothing: its answers would come as if typed.

use super::Finding;
use std::io::IsTerminal as _;
use std::process::{Command, Stdio};
use std::time::Duration;

/// The smallest screen that is usable, in columns and rows.
const SMALLEST: (u16, u16) = (40, 12);
/// How often tmux is looked at for its answer, and how long each look waits.
const LOOKS: (u32, Duration) = (100, Duration::from_millis(10));
/// An Esc that is held back longer is felt, in milliseconds.
const FELT: u64 = 50;

/// What is known about the terminal without asking it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Facts {
    term: String,
    /// Name and value of the variable that says the locale.
    locale: Option<(&'static str, String)>,
    /// Columns and rows, or why they are not known.
    size: Option<(u16, u16)>,
    no_color: bool,
    tmux: Option<Tmux>,
}

/// What tmux says of itself; nothing where it does not answer.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Tmux {
    escape_time: Option<String>,
    set_clipboard: Option<String>,
    allow_passthrough: Option<String>,
}

/// One finding for each thing. Without a terminal there is nothing to say about it.
pub(super) fn findings() -> Vec<(&'static str, Finding)> {
    if !std::io::stdout().is_terminal() {
        return vec![("terminal", Finding::Fine("not looked at: this is not printed to one".into()))];
    }
    judge(&Facts::gather())
}

impl Facts {
    fn gather() -> Self {
        let set = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().find_map(|name| Some((name, set(name)?)));
        let size = rustix::termios::tcgetwinsize(std::io::stdout()).ok();
        Self {
            term: set("TERM").unwrap_or_default(),
            locale,
            size: size.map(|size| (size.ws_col, size.ws_row)),
            no_color: set("NO_COLOR").is_some(),
            tmux: set("TMUX").map(|_| Tmux::gather()),
        }
    }
}

impl Tmux {
    fn gather() -> Self {
        Self {
            escape_time: option(&["-sv", "escape-time"]),
            set_clipboard: option(&["-sv", "set-clipboard"]),
            allow_passthrough: option(&["-gwv", "allow-passthrough"]),
        }
    }
}

/// An option as tmux itself tells it; nothing if it does not answer in time.
#[allow(clippy::disallowed_methods)] // tmux is asked here, by its own command
fn option(arguments: &[&str]) -> Option<String> {
    let mut tmux = Command::new("tmux")
        .arg("show-options")
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    for _ in 0..LOOKS.0 {
        if tmux.try_wait().ok()?.is_some() {
            let said = tmux.wait_with_output().ok().filter(|output| output.status.success())?;
            return Some(String::from_utf8_lossy(&said.stdout).trim().to_owned());
        }
        std::thread::sleep(LOOKS.1);
    }
    // One that does not answer must not stay; how it ends says nothing.
    let _ = tmux.kill();
    let _ = tmux.wait();
    None
}

fn judge(facts: &Facts) -> Vec<(&'static str, Finding)> {
    let mut findings = vec![("terminal", size(facts)), ("locale", locale(facts))];
    let colors = if facts.no_color { "none: NO_COLOR is set" } else { "the terminal's own sixteen" };
    findings.push(("colours", Finding::Fine(colors.into())));
    if let Some(tmux) = &facts.tmux {
        findings.extend(judge_tmux(tmux).into_iter().map(|judged| ("tmux", judged)));
    }
    findings
}

fn size(facts: &Facts) -> Finding {
    let term = facts.term.as_str();
    if matches!(term, "" | "dumb") {
        let said = if term.is_empty() { "TERM is not set" } else { "TERM is dumb" };
        return Finding::Problem(format!("{said}: no screen can be drawn. candor --plain needs none."));
    }
    let (wide, high) = SMALLEST;
    match facts.size {
        None | Some((0, _) | (_, 0)) => {
            Finding::Problem("Its size is not known. candor --plain needs none.".into())
        }
        Some((columns, rows)) if columns < wide || rows < high => {
            Finding::Problem(format!("Candor needs {wide} x {high}; this terminal has {columns} x {rows}."))
        }
        Some((columns, rows)) => Finding::Fine(format!("{columns} x {rows}, {term}")),
    }
}

fn locale(facts: &Facts) -> Finding {
    let said = match &facts.locale {
        Some((name, value)) => format!("{name}={value}"),
        None => "neither LC_ALL nor LANG is set".to_owned(),
    };
    let value = facts.locale.as_ref().map(|(_, value)| value.to_ascii_lowercase()).unwrap_or_default();
    if value.contains("utf-8") || value.contains("utf8") {
        return Finding::Fine(said);
    }
    Finding::Note(format!(
        "This is no UTF-8 locale ({said}): borders are drawn with + - |, and other programs may show letters \
         wrongly. LANG=C.UTF-8 changes that."
    ))
}

fn judge_tmux(tmux: &Tmux) -> Vec<Finding> {
    if *tmux == Tmux::default() {
        return vec![Finding::Note(
            "It does not answer, so its options are not known. tmux show-options -s lists them.".into(),
        )];
    }
    let mut judged = Vec::new();
    if let Some(time) = &tmux.escape_time {
        judged.push(match time.parse() {
            Ok(0..=FELT) => Finding::Fine(format!("escape-time {time}")),
            Ok(_) | Err(_) => Finding::Note(format!(
                "It holds Esc back for {time} ms (escape-time). \"set -s escape-time 10\" in ~/.tmux.conf is enough."
            )),
        });
    }
    if let Some(clipboard) = &tmux.set_clipboard {
        judged.push(match clipboard.as_str() {
            "off" => Finding::Note(
                "What is copied stays inside tmux (set-clipboard is off). \"set -s set-clipboard external\" in \
                 ~/.tmux.conf lets it reach the terminal's clipboard."
                    .into(),
            ),
            _ => Finding::Fine(format!("set-clipboard {clipboard}")),
        });
    }
    if let Some(passthrough) = &tmux.allow_passthrough {
        judged.push(match passthrough.as_str() {
            "off" => Finding::Fine(
                "allow-passthrough off: the bell reaches you, notifications do not. \"set -g allow-passthrough \
                 on\" lets them."
                    .into(),
            ),
            _ => Finding::Fine(format!("allow-passthrough {passthrough}")),
        });
    }
    judged
}

#[cfg(test)]
mod tests {
    use super::*;

    fn good() -> Facts {
        Facts {
            term: "xterm-256color".into(),
            locale: Some(("LANG", "en_GB.UTF-8".into())),
            size: Some((80, 24)),
            ..Facts::default()
        }
    }

    fn tmux(escape_time: &str, set_clipboard: &str, allow_passthrough: Option<&str>) -> Option<Tmux> {
        Some(Tmux {
            escape_time: Some(escape_time.into()),
            set_clipboard: Some(set_clipboard.into()),
            allow_passthrough: allow_passthrough.map(Into::into),
        })
    }

    /// What has to be done about these facts.
    fn to_do(facts: &Facts) -> (usize, usize, String) {
        let judged = judge(facts);
        let problems = judged.iter().filter(|(_, judged)| matches!(judged, Finding::Problem(_))).count();
        let advice = judged.iter().filter(|(_, judged)| matches!(judged, Finding::Note(_))).count();
        (problems, advice, format!("{judged:?}"))
    }

    #[test]
    fn each_thing_is_judged_by_itself() {
        let rows: &[(&str, Facts, usize, usize, &str)] = &[
            ("good", good(), 0, 0, "80 x 24, xterm-256color"),
            ("smallest", Facts { size: Some((40, 12)), ..good() }, 0, 0, "40 x 12"),
            ("narrow", Facts { size: Some((39, 24)), ..good() }, 1, 0, "this terminal has 39 x 24"),
            ("low", Facts { size: Some((80, 11)), ..good() }, 1, 0, "this terminal has 80 x 11"),
            ("no size", Facts { size: Some((0, 0)), ..good() }, 1, 0, "--plain"),
            ("dumb", Facts { term: "dumb".into(), ..good() }, 1, 0, "TERM is dumb"),
            ("no TERM", Facts { term: String::new(), ..good() }, 1, 0, "TERM is not set"),
            ("C", Facts { locale: Some(("LC_ALL", "C".into())), ..good() }, 0, 1, "LC_ALL=C"),
            ("no locale", Facts { locale: None, ..good() }, 0, 1, "neither LC_ALL nor LANG"),
            ("utf8", Facts { locale: Some(("LANG", "de_DE.utf8".into())), ..good() }, 0, 0, "de_DE.utf8"),
            ("no colour", Facts { no_color: true, ..good() }, 0, 0, "NO_COLOR is set"),
            ("slow Esc", Facts { tmux: tmux("500", "external", None), ..good() }, 0, 1, "escape-time 10"),
            ("fast Esc", Facts { tmux: tmux("10", "on", Some("on")), ..good() }, 0, 0, "escape-time 10"),
            (
                "kept in",
                Facts { tmux: tmux("0", "off", Some("off")), ..good() },
                0,
                1,
                "set-clipboard external",
            ),
            ("silent", Facts { tmux: Some(Tmux::default()), ..good() }, 0, 1, "does not answer"),
        ];
        for (name, facts, problems, advice, said) in rows {
            let (found_problems, found_advice, text) = to_do(facts);
            assert_eq!((found_problems, found_advice), (*problems, *advice), "{name}: {text}");
            assert!(text.replace('\\', "").contains(said), "{name}: {text}");
        }
    }
}
