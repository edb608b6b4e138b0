//! `candor doctor`: looks at everything that Candor needs and says what would
//! break. Nothing is contacted but the server that the settings name.

use crate::config::{ModelSettings, Paths, Settings};
use crate::model::{ConnectionReport, read_key, test_connection};
use crate::store::{Kind, Store, clock};
use crate::text::Clean;
use std::io::IsTerminal as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

/// The smallest screen that is usable, in columns and rows.
const SMALLEST: (u16, u16) = (40, 12);
/// What runs a command.
const BASH: &str = "/bin/bash";

/// What was found about one thing: all is well, or one sentence about what
/// would break.
type Finding = Result<String, String>;

/// Prints one line for each thing; exit 1 if something would break.
///
/// # Errors
/// Never: what fails is a line.
pub fn doctor(paths: &Paths, settings: Result<Settings, String>, demo: bool) -> Result<u8, String> {
    let kind = if demo { Kind::Demo } else { Kind::Real };
    let store = Store::at(&paths.data, &paths.config, kind);
    let mut findings = vec![
        ("terminal", terminal()),
        ("settings", configured(&settings, paths)),
        ("data", directory(&store.layout().sessions())),
        ("keys", keys(&store)),
        ("locks", locks(&store)),
        ("bash", bash()),
    ];
    match settings {
        _ if demo => findings.push(("model", Ok("the scripted demo; nothing is contacted".into()))),
        Ok(settings) => findings.push(("model", model(&settings.model, paths))),
        // That they cannot be read is said already.
        Err(_) => {}
    }
    for (what, finding) in &findings {
        let (word, said) = match finding {
            Ok(said) => ("ok", said),
            Err(said) => ("problem", said),
        };
        println!("{word:<8} {what:<9} {}", Clean::line(said));
    }
    Ok(u8::from(findings.iter().any(|(_, finding)| finding.is_err())))
}

/// Only a conversation needs one; without one there is nothing to say about it.
fn terminal() -> Finding {
    if !std::io::stdout().is_terminal() {
        return Ok("not looked at: this is not printed to one".into());
    }
    let size = rustix::termios::tcgetwinsize(std::io::stdout())
        .map_err(|error| format!("Its size is not known ({error}). candor --plain needs none."))?;
    let (wide, high) = SMALLEST;
    if size.ws_col < wide || size.ws_row < high {
        return Err(format!(
            "Candor needs {wide} x {high}; this terminal has {} x {}.",
            size.ws_col, size.ws_row
        ));
    }
    Ok(format!("{} x {}", size.ws_col, size.ws_row))
}

fn configured(settings: &Result<Settings, String>, paths: &Paths) -> Finding {
    let file = paths.settings_file();
    match settings {
        Ok(_) if file.exists() => Ok(file.display().to_string()),
        Ok(_) => Ok(format!("{} is not there; the defaults hold", file.display())),
        Err(sentence) => Err(sentence.clone()),
    }
}

/// Whether it is there and for its owner only, or can be made.
fn directory(path: &Path) -> Finding {
    let Some(there) = path.ancestors().find(|path| path.exists()) else {
        return Err(format!("{} cannot be reached.", path.display()));
    };
    let writable = rustix::fs::access(there, rustix::fs::Access::WRITE_OK | rustix::fs::Access::EXEC_OK);
    writable.map_err(|error| format!("{} cannot be written to ({error}).", there.display()))?;
    if there != path {
        return Ok(format!("{} will be made with the first session", path.display()));
    }
    let mode = path.metadata().map_err(|error| format!("{} cannot be read: {error}.", path.display()))?;
    let mode = mode.permissions().mode() & 0o777;
    if mode & 0o077 != 0 {
        let path = path.display();
        return Err(format!("Others can look into {path} ({mode:03o}). chmod 700 {path} keeps them out."));
    }
    Ok(format!("{}, for its owner only", path.display()))
}

fn keys(store: &Store) -> Finding {
    let dir = directory(store.keys().dir())?;
    let keys = store.keys().list().map_err(|error| format!("The keys cannot be read: {error}."))?;
    match keys.iter().find(|key| key.current) {
        Some(key) if key.can_sign => Ok(format!("{} in {dir}", key.id)),
        Some(key) => Err(format!(
            "The private half of the current key {} is gone; no new session can be signed.",
            key.id
        )),
        None => Ok(dir),
    }
}

fn locks(store: &Store) -> Finding {
    if !store.layout().sessions().exists() {
        return Ok("not tried before there is a session".into());
    }
    match store.locks_work(clock::now()) {
        Ok(true) => Ok("keep a second Candor out".into()),
        Ok(false) => Err("Locks do not work in this file system: open a session in one window only.".into()),
        Err(error) => Err(format!("Locks cannot be tried: {error}.")),
    }
}

fn bash() -> Finding {
    match rustix::fs::access(BASH, rustix::fs::Access::EXEC_OK) {
        Ok(()) => Ok(BASH.into()),
        Err(error) => Err(format!("{BASH} cannot be run ({error}), so no command can.")),
    }
}

fn model(settings: &ModelSettings, paths: &Paths) -> Finding {
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
