//! `candor doctor`: looks at everything that Candor needs and says what would
//! break. Nothing is contacted but the server that the settings name.

mod filesystem;
mod store;
mod terminal;

use super::say;
use crate::config::{ModelSettings, Paths, Settings};
use crate::model::{ConnectionReport, read_key, test_connection};
use crate::store::{Kind, Store};
use crate::text::{Clean, Span, wrap};
use std::process::Stdio;

/// What runs a command.
const BASH: &str = "/bin/bash";

/// What was found about one thing.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Finding {
    /// All is well.
    Fine(String),
    /// Nothing breaks, but a person should know it.
    Note(String),
    /// One sentence about what would break.
    Problem(String),
}

impl From<Result<String, String>> for Finding {
    fn from(found: Result<String, String>) -> Self {
        found.map_or_else(Self::Problem, Self::Fine)
    }
}

/// Prints one line for each thing; exit 1 if something would break.
///
/// # Errors
/// A sentence, if standard output cannot be written.
pub fn doctor(paths: &Paths, settings: Result<Settings, String>, demo: bool) -> Result<u8, String> {
    let kind = if demo { Kind::Demo } else { Kind::Real };
    let store = Store::at(&paths.data, &paths.config, kind);
    let mut findings = terminal::findings();
    findings.extend([
        ("settings", configured(&settings, paths).into()),
        ("data", store::directories(&store, &[&paths.config, &paths.data])),
        ("disk", filesystem::look(&paths.data)),
        ("locks", store::locks(&store)),
        ("syncs", store::syncs(&store)),
        ("keys", store::keys(&store)),
        ("sessions", store::sessions(&store)),
        ("bash", bash().into()),
    ]);
    match settings {
        _ if demo => {
            findings.push(("model", Finding::Fine("the scripted demo; nothing is contacted".into())))
        }
        Ok(settings) => findings.push(("model", model(&settings.model, paths).into())),
        // That they cannot be read is said already.
        Err(_) => {}
    }
    let width = room();
    let mut text = String::new();
    for (what, finding) in &findings {
        let (word, said) = match finding {
            Finding::Fine(said) => ("ok", said),
            Finding::Note(said) => ("note", said),
            Finding::Problem(said) => ("problem", said),
        };
        text.push_str(&lines(word, what, said, width));
    }
    say::text(&text)?;
    Ok(u8::from(findings.iter().any(|(_, finding)| matches!(finding, Finding::Problem(_)))))
}

/// The width of the terminal that reads this; none if none does, which gets
/// one line for each thing.
fn room() -> Option<usize> {
    let size = rustix::termios::tcgetwinsize(std::io::stdout()).ok()?;
    Some(usize::from(size.ws_col)).filter(|width| *width > INDENT)
}

/// What stands before a finding, in cells.
const INDENT: usize = 19;

/// A finding, wrapped at words under itself.
fn lines(word: &str, what: &str, said: &str, width: Option<usize>) -> String {
    let line = Clean::line(&format!("{word:<8} {what:<9} {said}"));
    let Some(width) = width else { return format!("{line}\n") };
    let rows = wrap(&[Span::plain(line)], width, INDENT);
    rows.iter()
        .map(|row| row.spans.iter().map(|span| span.text.as_str()).collect::<String>() + "\n")
        .collect()
}

fn configured(settings: &Result<Settings, String>, paths: &Paths) -> Result<String, String> {
    let file = paths.settings_file();
    match settings {
        Ok(_) if file.exists() => Ok(file.display().to_string()),
        Ok(_) => Ok(format!("{} is not there; the defaults hold", file.display())),
        Err(sentence) => Err(sentence.clone()),
    }
}

/// Run as a command would be, with nothing to do.
fn bash() -> Result<String, String> {
    #[expect(clippy::disallowed_methods, reason = "the doctor tries what commands will need")]
    let mut bash = std::process::Command::new(BASH);
    bash.args(["--noprofile", "--norc", "-c", ":"]).env_clear();
    match bash.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status() {
        Ok(status) if status.success() => Ok(format!("{BASH} runs")),
        Ok(status) => Err(format!("{BASH} does not do nothing ({status}), so no command can be run.")),
        Err(error) => Err(format!("{BASH} cannot be run ({error}), so no command can.")),
    }
}

fn model(settings: &ModelSettings, paths: &Paths) -> Result<String, String> {
    if settings.name.is_empty() {
        let file = paths.settings_file();
        return Err(format!(
            "No model is named. Start candor to choose one, or set name in {}.",
            file.display()
        ));
    }
    let key = read_key(settings).map_err(|error| error.sentence)?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| format!("The connection cannot be tested: {error}."))?;
    let report = runtime.block_on(test_connection(settings, key)).map_err(|error| error.sentence)?;
    Ok(reached(&settings.name, &report))
}

/// A model that is not listed may exist all the same, so that is no problem.
fn reached(name: &str, report: &ConnectionReport) -> String {
    let base = &report.base_url;
    match &report.models {
        None => format!("{base} answers; it does not list its models"),
        Some(models) if models.iter().any(|model| model == name) => {
            format!("{base} answers and offers {name}")
        }
        Some(models) => {
            format!("{base} answers; {name} is not among the {} models that it lists", models.len())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_finding_is_wrapped_at_words_on_a_terminal_alone() {
        let said = "/somewhere/config.toml is not there; the defaults hold";
        let whole = format!("ok       settings  {said}\n");
        assert_eq!(lines("ok", "settings", said, None), whole);
        assert_eq!(lines("ok", "settings", said, Some(80)), whole);
        assert_eq!(
            lines("ok", "settings", said, Some(60)),
            "ok       settings  /somewhere/config.toml is not there; the\n                   defaults hold\n"
        );
    }
}
