//! What stands around the program, as its environment says.

/// The terminal, what is between, and where a clipboard may be.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Surroundings {
    /// `NO_COLOR` is set and not empty.
    pub no_color: bool,
    /// `TERM`.
    pub term: String,
    /// Inside of tmux.
    pub tmux: bool,
    /// Inside of GNU screen.
    pub screen: bool,
    /// A Wayland display is there.
    pub wayland: bool,
    /// An X display is there.
    pub x11: bool,
    /// It is a Mac.
    pub mac: bool,
    /// The first set one of `LC_ALL`, `LC_CTYPE` and `LANG`.
    pub locale: String,
}

impl Surroundings {
    /// As this process has them.
    pub(crate) fn of_process() -> Self {
        let is_set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
        let set = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
        Self {
            no_color: is_set("NO_COLOR"),
            term: set("TERM").unwrap_or_default(),
            tmux: is_set("TMUX"),
            screen: is_set("STY"),
            wayland: is_set("WAYLAND_DISPLAY"),
            x11: is_set("DISPLAY"),
            mac: cfg!(target_os = "macos"),
            locale: ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().find_map(set).unwrap_or_default(),
        }
    }

    /// Whether the locale is UTF-8.
    pub(crate) fn is_utf8(&self) -> bool {
        let locale = self.locale.to_ascii_lowercase();
        locale.contains("utf-8") || locale.contains("utf8")
    }
}
