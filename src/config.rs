//! Settings from file, environment and flags.
//!
//! Every key is optional, an unknown one is an error with its line. Secrets
//! never stand in a file: `api_key_env` names the variable that holds the key.
#![allow(clippy::disallowed_methods)] // this room reads the settings file

#[cfg(any(test, feature = "lab"))]
pub mod attack;
mod write;

pub use write::write_model;

use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Why the settings cannot be used; each is one sentence.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// The file cannot be read.
    #[error("{path} cannot be read: {reason}.", path = .path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the system says.
        reason: std::io::Error,
    },
    /// The file is not what it should be.
    #[error("{path}, line {line}: {reason}.", path = .path.display())]
    Invalid {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What is wrong and what would be right.
        reason: String,
    },
    /// The file cannot be written.
    #[error("{path} cannot be written: {reason}.", path = .path.display())]
    Unwritable {
        /// The file.
        path: PathBuf,
        /// What the system says.
        reason: std::io::Error,
    },
    /// The file says it in a way that is not changed line by line.
    #[error("{path} names its model in a way that Candor does not change. Write it there yourself.", path = .path.display())]
    Unchangeable {
        /// The file.
        path: PathBuf,
    },
    /// A value cannot be used, wherever it came from.
    #[error("{key} {reason}.")]
    Value {
        /// The setting or flag.
        key: &'static str,
        /// What is wrong and what would be right.
        reason: String,
    },
    /// The platform names no home directory.
    #[error("No home directory is known. Set HOME, or CANDOR_HOME to a directory for Candor's files.")]
    NoHome,
}

impl ConfigError {
    /// The same, with the line where the value stands.
    fn in_file(self, text: &str, path: &Path) -> Self {
        let Self::Value { key, reason } = self else { return self };
        match line_of(text, key) {
            Some(line) => Self::Invalid { path: path.to_owned(), line, reason: format!("{key} {reason}") },
            None => Self::Value { key, reason },
        }
    }
}

/// Where Candor's files are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Paths {
    /// Settings, instructions and keys.
    pub config: PathBuf,
    /// Sessions, heads and trash.
    pub data: PathBuf,
}

impl Paths {
    /// `CANDOR_HOME` (`config` and `data` under it), else the platform's directories.
    ///
    /// # Errors
    /// [`ConfigError::NoHome`] if neither is known; [`ConfigError::Value`] if
    /// `CANDOR_HOME` is not an absolute path.
    pub fn find(candor_home: Option<&Path>) -> Result<Self, ConfigError> {
        if let Some(home) = candor_home.filter(|home| !home.as_os_str().is_empty()) {
            if !home.is_absolute() {
                let reason = format!("is {}, which is not an absolute path", home.display());
                return Err(ConfigError::Value { key: "CANDOR_HOME", reason });
            }
            return Ok(Self { config: home.join("config"), data: home.join("data") });
        }
        let dirs = directories::ProjectDirs::from("", "", "candor").ok_or(ConfigError::NoHome)?;
        Ok(Self { config: dirs.config_dir().to_owned(), data: dirs.data_local_dir().to_owned() })
    }

    /// The settings file.
    #[must_use]
    pub fn settings_file(&self) -> PathBuf {
        self.config.join("config.toml")
    }
}

/// All settings, each with its default.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// Which model, where.
    pub model: ModelSettings,
    /// Limits of a turn.
    pub limits: LimitSettings,
    /// The bash tool.
    pub bash: BashSettings,
    /// The screen.
    pub screen: ScreenSettings,
}

impl Settings {
    /// Reads the file; a missing one means the defaults, unless it was named.
    ///
    /// # Errors
    /// [`ConfigError`] with file and line for what cannot be used.
    pub fn load(path: &Path, named: bool) -> Result<Self, ConfigError> {
        match std::fs::read_to_string(path) {
            Ok(text) => Self::parse(&text, path),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound && !named => Ok(Self::default()),
            Err(reason) => Err(ConfigError::Unreadable { path: path.to_owned(), reason }),
        }
    }

    /// Reads the text of a settings file; `path` is for messages.
    ///
    /// # Errors
    /// [`ConfigError`] with file and line for what cannot be used.
    pub fn parse(text: &str, path: &Path) -> Result<Self, ConfigError> {
        let settings: Self = toml::from_str(text).map_err(|error| {
            let line = line_at(text, error.span().map_or(0, |span| span.start));
            let reason = error.message().replace('\n', " ").trim_end_matches('.').to_owned();
            ConfigError::Invalid { path: path.to_owned(), line, reason }
        })?;
        settings.check().map_err(|error| error.in_file(text, path))?;
        Ok(settings)
    }

    /// Checks what types cannot say.
    ///
    /// # Errors
    /// [`ConfigError::Value`] names the first setting that cannot be used.
    pub fn check(&self) -> Result<(), ConfigError> {
        self.model.check()?;
        self.limits.check()?;
        self.bash.check()
    }
}

/// The line, from 1, that holds this byte of a text.
fn line_at(text: &str, at: usize) -> usize {
    text.as_bytes()[..at.min(text.len())].iter().filter(|byte| **byte == b'\n').count() + 1
}

/// The line, from 1, where a setting such as `bash.set` stands; none if the file leaves it out.
fn line_of(text: &str, key: &str) -> Option<usize> {
    let (section, name) = key.split_once('.')?;
    let file = toml::de::DeTable::parse(text).ok()?;
    let (_, table) = file.get_ref().iter().find(|(found, _)| found.get_ref() == section)?;
    let (found, _) = table.get_ref().as_table()?.iter().find(|(found, _)| found.get_ref() == name)?;
    Some(line_at(text, found.span().start))
}

fn bad(key: &'static str, reason: impl Into<String>) -> ConfigError {
    ConfigError::Value { key, reason: reason.into() }
}

fn within(key: &'static str, value: u64, range: std::ops::RangeInclusive<u64>) -> Result<(), ConfigError> {
    if range.contains(&value) {
        return Ok(());
    }
    Err(bad(key, format!("is {value}; it has to be from {} to {}", range.start(), range.end())))
}

impl ModelSettings {
    fn check(&self) -> Result<(), ConfigError> {
        if self.protocol != "responses" {
            return Err(bad(
                "model.protocol",
                format!("is \"{}\"; the only one is \"responses\"", self.protocol),
            ));
        }
        if !is_variable_name(&self.api_key_env) && !self.api_key_env.is_empty() {
            return Err(bad("model.api_key_env", "has to be the name of a variable, not the key itself"));
        }
        check_base_url(&self.base_url).map_err(|reason| bad("model.base_url", reason))
    }
}

/// Whether a text can be the base URL of a model's server.
///
/// # Errors
/// What is wrong with it, without repeating it: it may hold a password.
pub fn check_base_url(text: &str) -> Result<(), &'static str> {
    let url = reqwest::Url::parse(text).map_err(|_| "is not a URL like http://127.0.0.1:8080/v1")?;
    if !matches!(url.scheme(), "http" | "https") || url.host_str().is_none() {
        return Err("has to begin with http:// or https://, such as http://127.0.0.1:8080/v1");
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err("must not contain a user or password; name the key's variable in model.api_key_env");
    }
    if url.query().is_some() || url.fragment().is_some() {
        return Err("must not contain ? or #");
    }
    Ok(())
}

impl LimitSettings {
    fn check(self) -> Result<(), ConfigError> {
        within("limits.model_requests", self.model_requests, 1..=100_000)?;
        within("limits.tool_calls", self.tool_calls, 1..=100_000)
    }
}

impl BashSettings {
    fn check(&self) -> Result<(), ConfigError> {
        within("bash.max_timeout_seconds", self.max_timeout_seconds, 1..=604_800)?;
        within("bash.timeout_seconds", self.timeout_seconds, 1..=self.max_timeout_seconds)?;
        within("bash.output_to_model_kib", self.output_to_model_kib, 1..=64)?;
        within("bash.output_limit_kib", self.output_limit_kib, 0..=1 << 40)?;
        let pattern = |text: &String| {
            let bare = text.strip_prefix('*').unwrap_or(text);
            is_variable_name(bare.strip_suffix('*').unwrap_or(bare))
        };
        if let Some(name) = self.environment.iter().find(|name| !pattern(name)) {
            return Err(bad(
                "bash.environment",
                format!(
                    "has \"{name}\"; each has to be the name of a variable, such as PATH, \
                     and may begin or end with *, such as LC_*"
                ),
            ));
        }
        let settable = |(name, value): &(&String, &String)| is_variable_name(name) && !value.contains('\0');
        match self.set.iter().find(|pair| !settable(pair)) {
            Some((name, _)) => Err(bad("bash.set", format!("has \"{name}\", which cannot be set"))),
            None => Ok(()),
        }
    }
}

fn is_variable_name(text: &str) -> bool {
    !text.is_empty()
        && !text.starts_with(|c: char| c.is_ascii_digit())
        && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// `[model]`
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ModelSettings {
    /// The only one today: `responses`.
    pub protocol: String,
    /// Base URL of the server, without credentials or a trailing slash.
    pub base_url: String,
    /// The model's name; empty: asked for at the first start.
    pub name: String,
    /// The variable that holds the key. Never passed to a command.
    pub api_key_env: String,
    /// A program that prints the key; empty: none.
    pub api_key_command: String,
    /// Size of the model's context in tokens; 0: not known.
    pub context_window: u64,
}

/// `[limits]`: what a turn may do before a person is asked whether to go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LimitSettings {
    /// Model requests.
    pub model_requests: u64,
    /// Calls.
    pub tool_calls: u64,
}

/// `[bash]`
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct BashSettings {
    /// Time limit of a command; the model may ask for another, and the person
    /// may change it before it runs.
    pub timeout_seconds: u64,
    /// What a longer limit is lowered to.
    pub max_timeout_seconds: u64,
    /// How much of an output the model gets, in KiB, 1 to 64.
    pub output_to_model_kib: u64,
    /// Stop a command whose output passes this, in KiB; 0: never.
    pub output_limit_kib: u64,
    /// Names and patterns (`*` at either end) of variables that are passed on.
    pub environment: Vec<String>,
    /// Variables that are set.
    pub set: BTreeMap<String, String>,
}

/// `[screen]`
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ScreenSettings {
    /// Whether the mouse is ours.
    pub mouse: bool,
    /// Whether a selection is copied at once.
    pub copy_on_select: bool,
    /// How borders are drawn.
    pub borders: Borders,
    /// Ring when a person is waited for.
    pub bell: bool,
    /// Send a notification when a person is waited for.
    pub notify: bool,
    /// Say in the window's title what happens.
    pub title: bool,
}

/// How borders are drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Borders {
    /// Box drawing where the locale is UTF-8.
    Auto,
    /// Box drawing.
    Box,
    /// `+`, `-` and `|`.
    Ascii,
}

impl Default for ModelSettings {
    fn default() -> Self {
        Self {
            protocol: "responses".into(),
            base_url: "https://api.openai.com/v1".into(),
            name: String::new(),
            api_key_env: "OPENAI_API_KEY".into(),
            api_key_command: String::new(),
            context_window: 0,
        }
    }
}

impl Default for LimitSettings {
    fn default() -> Self {
        Self { model_requests: 50, tool_calls: 100 }
    }
}

impl Default for BashSettings {
    fn default() -> Self {
        let environment = [
            "PATH",
            "HOME",
            "USER",
            "LOGNAME",
            "SHELL",
            "LANG",
            "LC_*",
            "TZ",
            "TMPDIR",
            "XDG_*",
            "SSH_AUTH_SOCK",
            "*_PROXY",
            "*_proxy",
            "VIRTUAL_ENV",
            "KUBECONFIG",
            "DOCKER_HOST",
            "AWS_PROFILE",
        ];
        let set = [("TERM", "dumb"), ("PAGER", "cat"), ("GIT_PAGER", "cat"), ("GIT_TERMINAL_PROMPT", "0")];
        Self {
            timeout_seconds: 300,
            max_timeout_seconds: 3600,
            output_to_model_kib: 16,
            output_limit_kib: 0,
            environment: environment.map(String::from).to_vec(),
            set: set.map(|(name, value)| (name.to_owned(), value.to_owned())).into(),
        }
    }
}

impl Default for ScreenSettings {
    fn default() -> Self {
        Self {
            mouse: false,
            copy_on_select: true,
            borders: Borders::Auto,
            bell: true,
            notify: true,
            title: true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Settings, String> {
        Settings::parse(text, Path::new("config.toml")).map_err(|error| error.to_string())
    }

    #[test]
    fn an_empty_file_means_the_defaults() {
        assert_eq!(parse("").unwrap(), Settings::default());
        let settings = parse("[bash]\ntimeout_seconds = 7\n[screen]\nborders = \"ascii\"").unwrap();
        assert_eq!((settings.bash.timeout_seconds, settings.screen.borders), (7, Borders::Ascii));
        assert_eq!(settings.bash.max_timeout_seconds, 3600);
    }

    #[test]
    fn what_is_wrong_is_said_with_its_line() {
        let cases = [
            ("[model]\nname = \"x\"\nkey = \"sk\"", "config.toml, line 3: unknown field `key`"),
            ("\n[limits]\nmodel_requests = \"many\"", "config.toml, line 3: invalid type: string"),
            ("[model\n", "config.toml, line 1: "),
            ("[telemetry]\n", "config.toml, line 1: unknown field `telemetry`"),
        ];
        for (text, expected) in cases {
            let error = parse(text).unwrap_err();
            assert!(error.starts_with(expected), "{error}");
        }
    }

    #[test]
    fn values_are_checked() {
        let cases = [
            ("[model]\nprotocol = \"chat\"", "model.protocol"),
            ("[model]\nbase_url = \"127.0.0.1:80\"", "model.base_url"),
            ("[model]\nbase_url = \"ftp://host/v1\"", "model.base_url"),
            ("[model]\nbase_url = \"http://me:pw@host/v1\"", "model.base_url"),
            ("[model]\napi_key_env = \"sk-123\"", "model.api_key_env"),
            ("[bash]\ntimeout_seconds = 0", "bash.timeout_seconds"),
            ("[bash]\noutput_to_model_kib = 65", "bash.output_to_model_kib"),
            ("[bash]\nenvironment = [\"A*B\"]", "bash.environment"),
            ("[bash]\nset = { \"A=B\" = \"\" }", "bash.set"),
            ("[limits]\ntool_calls = 0", "limits.tool_calls"),
        ];
        for (text, key) in cases {
            let error = parse(text).unwrap_err();
            let begins = format!("config.toml, line 2: {key} ");
            assert!(error.starts_with(&begins) && error.ends_with('.'), "{error}");
        }
        let error = parse("[bash]\nmax_timeout_seconds = 7").unwrap_err();
        assert!(error.starts_with("bash.timeout_seconds is 300;"), "{error}");
    }

    /// What the README shows can be pasted, and shows the defaults.
    #[test]
    fn the_settings_of_the_readme_are_the_defaults() {
        let readme = include_str!("../README.md");
        let block = readme.split("```toml\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
        assert_eq!(parse(block).unwrap(), Settings::default());
        for key in ["name", "environment", "timeout_seconds", "borders", "title"] {
            assert!(block.contains(&format!("{key} =")), "{key}");
        }
    }

    #[test]
    fn a_settings_file_that_was_named_has_to_be_there() {
        let missing = Path::new("/no/such/file");
        assert_eq!(Settings::load(missing, false).unwrap(), Settings::default());
        assert!(matches!(Settings::load(missing, true), Err(ConfigError::Unreadable { .. })));
        assert!(matches!(Settings::load(Path::new("/"), false), Err(ConfigError::Unreadable { .. })));
        match Paths::find(None) {
            Ok(paths) => assert!(paths.settings_file().ends_with("candor/config.toml")),
            Err(error) => assert!(matches!(error, ConfigError::NoHome)),
        }
        let relative = Paths::find(Some(Path::new("here"))).unwrap_err().to_string();
        assert!(relative.contains("is here, which is not an absolute path"), "{relative}");
    }

    #[test]
    fn candor_home_holds_both() {
        let paths = Paths::find(Some(Path::new("/x"))).unwrap();
        assert_eq!(
            (paths.config.as_path(), paths.data.as_path()),
            (Path::new("/x/config"), Path::new("/x/data"))
        );
        assert!(Paths::find(Some(Path::new("x"))).is_err());
    }
}
