//! Settings from file, environment and flags.

use std::collections::BTreeMap;

/// All settings, each with its default.
#[derive(Debug, Clone, Default, PartialEq)]
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

/// `[model]`
#[derive(Debug, Clone, PartialEq)]
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
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LimitSettings {
    /// Model requests.
    pub model_requests: u64,
    /// Calls.
    pub tool_calls: u64,
}

/// `[bash]`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BashSettings {
    /// Time limit of a command, unless the model or the person says otherwise.
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
#[derive(Debug, Clone, PartialEq, Eq)]
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
}

/// How borders are drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
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
        Self { mouse: false, copy_on_select: true, borders: Borders::Auto, bell: true, notify: true }
    }
}
