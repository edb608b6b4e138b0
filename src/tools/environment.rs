//! Which variables a command gets: those that the settings name, nothing else.

use crate::config::BashSettings;
use std::collections::BTreeMap;
use std::ffi::OsString;

/// Variables that say which execution this is; Candor's alone to set.
pub(super) const SESSION: &str = "CANDOR_SESSION";
/// The execution itself; how its processes are found again.
pub(super) const DISPATCH: &str = "CANDOR_DISPATCH";
/// The first execution of a chain of repeats: a stable idempotency key.
pub(super) const OPERATION: &str = "CANDOR_OPERATION";

/// The variables of a command by name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Environment(BTreeMap<String, OsString>);

impl Environment {
    /// Picks from `present` what the settings list and adds what they set.
    /// `key_variable` holds a secret and is never passed, whatever they say.
    pub(super) fn select(
        settings: &BashSettings,
        key_variable: &str,
        present: &[(OsString, OsString)],
    ) -> Self {
        let mut chosen = BTreeMap::new();
        for (name, value) in present {
            let Some(name) = name.to_str() else { continue };
            if settings.environment.iter().any(|pattern| matches(pattern, name)) {
                // Of a name that stands twice, programs see the first.
                chosen.entry(name.to_owned()).or_insert_with(|| value.clone());
            }
        }
        chosen.extend(settings.set.iter().map(|(name, value)| (name.clone(), value.into())));
        chosen.retain(|name, _| {
            name != key_variable && ![SESSION, DISPATCH, OPERATION].contains(&name.as_str())
        });
        Self(chosen)
    }

    /// The names, sorted by bytes.
    pub(super) fn names(&self) -> Vec<String> {
        self.0.keys().cloned().collect()
    }

    /// The value of a name.
    pub(super) fn get(&self, name: &str) -> Option<&OsString> {
        self.0.get(name)
    }

    /// What is here and in `other` is missing or has another value.
    pub(super) fn beyond(&self, other: &Self) -> Vec<(String, String)> {
        self.0
            .iter()
            .filter(|(name, value)| other.get(name) != Some(value))
            .map(|(name, value)| (name.clone(), value.to_string_lossy().into_owned()))
            .collect()
    }
}

/// A pattern is a name with `*`, for any text, at either end or both.
fn matches(pattern: &str, name: &str) -> bool {
    let open_start = pattern.strip_prefix('*');
    let rest = open_start.unwrap_or(pattern);
    let open_end = rest.strip_suffix('*');
    let core = open_end.unwrap_or(rest);
    match (open_start.is_some(), open_end.is_some()) {
        (false, false) => name == core,
        (false, true) => name.starts_with(core),
        (true, false) => name.ends_with(core),
        (true, true) => name.contains(core),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(list: &[(&str, &str)]) -> Vec<(OsString, OsString)> {
        list.iter().map(|(name, value)| (name.into(), value.into())).collect()
    }

    fn settings(environment: &[&str], set: &[(&str, &str)]) -> BashSettings {
        BashSettings {
            environment: environment.iter().map(|s| (*s).to_owned()).collect(),
            set: set.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect(),
            ..BashSettings::default()
        }
    }

    #[test]
    fn patterns_are_open_where_the_star_is() {
        for (pattern, name, expected) in [
            ("PATH", "PATH", true),
            ("PATH", "MANPATH", false),
            ("PATH", "PATHS", false),
            ("LC_*", "LC_ALL", true),
            ("LC_*", "XLC_ALL", false),
            ("*_proxy", "no_proxy", true),
            ("*_proxy", "no_proxys", false),
            ("*RO*", "ROOT", true),
            ("*RO*", "PROXY", true),
            ("*", "ANYTHING", true),
            ("A*B", "AXB", false),
        ] {
            assert_eq!(matches(pattern, name), expected, "{pattern} {name}");
        }
    }

    #[test]
    fn what_is_set_wins_over_what_is_there() {
        let present = pairs(&[("TERM", "xterm"), ("PATH", "/bin"), ("PATH", "/evil"), ("OTHER", "x")]);
        let chosen =
            Environment::select(&settings(&["TERM", "PATH", "GONE"], &[("TERM", "dumb")]), "", &present);
        assert_eq!(chosen.names(), ["PATH", "TERM"]);
        assert_eq!(chosen.get("TERM").unwrap(), "dumb");
        assert_eq!(chosen.get("PATH").unwrap(), "/bin");
    }

    #[test]
    fn the_key_is_never_passed() {
        let present = pairs(&[("KEY", "secret"), ("CANDOR_DISPATCH", "other"), ("CANDOR_HOME", "/h")]);
        let listed =
            settings(&["*"], &[("KEY", "again"), ("CANDOR_SESSION", "x"), ("CANDOR_OPERATION", "y")]);
        assert_eq!(Environment::select(&listed, "KEY", &present).names(), ["CANDOR_HOME"]);
    }

    #[test]
    fn a_name_that_is_no_text_is_left_out() {
        use std::os::unix::ffi::OsStringExt;
        let present = vec![
            (OsString::from_vec(b"A\xff".to_vec()), "x".into()),
            ("A".into(), OsString::from_vec(vec![0xff])),
        ];
        let chosen = Environment::select(&settings(&["A*"], &[]), "", &present);
        assert_eq!(chosen.names(), ["A"]);
        assert_eq!(chosen.beyond(&Environment(BTreeMap::new())), [("A".to_owned(), "\u{fffd}".to_owned())]);
    }
}
