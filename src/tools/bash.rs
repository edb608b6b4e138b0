//! The bash tool: what it tells the model, and what exactly a call would run.

use super::arguments::{Arguments, check_command};
use super::environment::{DISPATCH, Environment, OPERATION, SESSION};
use super::{Definition, InvalidArguments};
use crate::config::BashSettings;
use crate::record::{BashOperation, DispatchId, Operation, SessionId, limits};
use serde_json::json;
use std::ffi::OsString;

/// The bash tool of one session: its directory, its limits, its environment.
#[derive(Debug, Clone)]
pub struct Bash {
    timeout_seconds: u64,
    max_timeout_seconds: u64,
    output_limit: Option<u64>,
    output_to_model_kib: u64,
    cwd: String,
    environment: Environment,
    differs: Vec<(String, String)>,
}

/// What would run, exactly as it is shown, approved and recorded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prepared {
    /// The operation with the bytes of its fingerprint.
    pub operation: Operation,
    /// The same by its fields.
    pub bash: BashOperation,
    /// The time limit that was asked for is above the maximum and was lowered.
    pub lowered: bool,
}

impl Bash {
    /// The tool's name.
    pub const NAME: &str = "bash";

    /// The tool for commands in `cwd`, an absolute directory. `environment` is
    /// this process's; what a command gets of it is decided here, once.
    #[must_use]
    pub fn new(
        settings: &BashSettings,
        api_key_env: &str,
        cwd: String,
        environment: Vec<(OsString, OsString)>,
    ) -> Self {
        let chosen = Environment::select(settings, api_key_env, &environment);
        let usual = Environment::select(&BashSettings::default(), api_key_env, &environment);
        Self {
            timeout_seconds: settings.timeout_seconds.min(settings.max_timeout_seconds),
            max_timeout_seconds: settings.max_timeout_seconds,
            output_limit: (settings.output_limit_kib > 0)
                .then(|| settings.output_limit_kib.saturating_mul(1024)),
            output_to_model_kib: settings.output_to_model_kib,
            cwd,
            differs: chosen.beyond(&usual),
            environment: chosen,
        }
    }

    /// What the model is told of the tool.
    #[must_use]
    pub fn definition(&self) -> Definition {
        let Self { timeout_seconds, max_timeout_seconds, output_to_model_kib, .. } = self;
        Definition {
            name: Self::NAME,
            description: format!(
                "Runs a command with /bin/bash in the session's directory and returns its exit code and \
                 its output, standard output and error together in order of arrival. A person approves \
                 every command first. Each command gets a fresh shell: directory and variables are not \
                 kept. Standard input is empty and there is no terminal. Children left in the background \
                 are ended with the command. Of an output longer than {output_to_model_kib} KiB the middle \
                 is left out; the result then names the file with all of it: look there instead of \
                 running the command again."
            ),
            // Servers with strict schemas want every property in `required`;
            // a call without the time limit is accepted all the same.
            parameters: json!({
                "type": "object",
                "properties": {
                    "command": {
                        "type": "string",
                        "description": format!("The command line, at most {} bytes.", limits::COMMAND_BYTES),
                    },
                    "timeout_seconds": {
                        "type": ["integer", "null"],
                        "description": format!(
                            "Time after which the command is stopped: at least 1, at most \
                             {max_timeout_seconds}; null for the usual {timeout_seconds}."
                        ),
                    },
                },
                "required": ["command", "timeout_seconds"],
                "additionalProperties": false,
            }),
        }
    }

    /// What a call with these arguments would run.
    ///
    /// # Errors
    /// [`InvalidArguments`] when they do not describe a command.
    pub fn prepare(&self, arguments: &str) -> Result<Prepared, InvalidArguments> {
        let Arguments { command, timeout_seconds } = Arguments::parse(arguments)?;
        let seconds = timeout_seconds.unwrap_or(self.timeout_seconds);
        self.operation(command, seconds.saturating_mul(1000))
    }

    /// What a person wants to run instead, with a time limit in milliseconds.
    ///
    /// # Errors
    /// [`InvalidArguments`] when it is not a command or the limit is 0.
    pub fn edit(&self, command: &str, timeout_ms: u64) -> Result<Prepared, InvalidArguments> {
        check_command(command)?;
        if timeout_ms == 0 {
            return Err(InvalidArguments::TooShort);
        }
        self.operation(command.to_owned(), timeout_ms)
    }

    fn operation(&self, command: String, asked_ms: u64) -> Result<Prepared, InvalidArguments> {
        let timeout_ms = asked_ms.min(self.max_timeout_seconds.saturating_mul(1000)).min(limits::MAX_INTEGER);
        let bash = BashOperation::new(
            command,
            self.cwd.clone(),
            timeout_ms,
            self.output_limit,
            self.environment.names(),
        );
        Ok(Prepared { operation: Operation::bash(&bash)?, bash, lowered: timeout_ms < asked_ms })
    }

    /// The whole environment of an execution: the variables that the operation
    /// names, and three that say which execution it is. `names` are the operation's, `operation_key` is the
    /// first execution of a chain of repeats.
    #[must_use]
    pub fn environment_of(
        &self,
        names: &[String],
        session: SessionId,
        dispatch: DispatchId,
        operation_key: DispatchId,
    ) -> Vec<(OsString, OsString)> {
        let named = names
            .iter()
            .filter_map(|name| self.environment.get(name).map(|value| (name.into(), value.clone())));
        let own = [
            (SESSION, session.to_string()),
            (DISPATCH, dispatch.to_string()),
            (OPERATION, operation_key.to_string()),
        ];
        named.chain(own.map(|(name, value)| (name.into(), value.into()))).collect()
    }

    /// Names and values of the environment that the default settings would not
    /// give, for a person who approves.
    #[must_use]
    pub fn differs_from_default(&self) -> Vec<(String, String)> {
        self.differs.clone()
    }

    /// Names and values of all variables that every command gets, by name; not
    /// the three that say which execution it is.
    #[must_use]
    pub fn environment(&self) -> Vec<(String, String)> {
        self.environment.beyond(&Environment::default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn present() -> Vec<(OsString, OsString)> {
        [("PATH", "/bin"), ("HOME", "/h"), ("OPENAI_API_KEY", "secret"), ("AWS_SECRET", "s")]
            .map(|(name, value)| (name.into(), value.into()))
            .to_vec()
    }

    fn bash(settings: &BashSettings) -> Bash {
        Bash::new(settings, "OPENAI_API_KEY", "/project".into(), present())
    }

    #[test]
    fn a_call_becomes_the_operation_that_is_shown() {
        let prepared = bash(&BashSettings::default()).prepare(r#"{"command":"ls"}"#).unwrap();
        assert_eq!(
            prepared.operation.as_json(),
            r#"{"tool":"bash","command":"ls","cwd":"/project","timeout_ms":300000,"env":["GIT_PAGER","GIT_TERMINAL_PROMPT","HOME","PAGER","PATH","TERM"]}"#
        );
        assert_eq!(prepared.operation.as_bash().unwrap(), prepared.bash);
        assert!(!prepared.lowered);
    }

    #[test]
    fn a_limit_above_the_maximum_is_lowered_and_said() {
        let bash = bash(&BashSettings { output_limit_kib: 2, ..BashSettings::default() });
        for (asked, expected, lowered) in [
            ("3600", 3_600_000, false),
            ("3601", 3_600_000, true),
            ("999999999999999999999", 3_600_000, true),
            ("1", 1000, false),
        ] {
            let prepared = bash.prepare(&format!(r#"{{"command":"ls","timeout_seconds":{asked}}}"#)).unwrap();
            assert_eq!((prepared.bash.timeout_ms, prepared.lowered), (expected, lowered), "{asked}");
            assert_eq!(prepared.bash.output_limit, Some(2048));
        }
        assert!(bash.edit("ls", 9_999_999).unwrap().lowered);
        assert_eq!(bash.edit("ls", 0), Err(InvalidArguments::TooShort));
        assert_eq!(bash.edit("", 1), Err(InvalidArguments::Empty));
        assert_eq!(bash.edit("ls", 500).unwrap().bash.timeout_ms, 500);
    }

    #[test]
    fn limits_past_all_bounds_are_still_an_operation() {
        let settings = BashSettings { max_timeout_seconds: u64::MAX, ..BashSettings::default() };
        let prepared = bash(&settings).edit("ls", u64::MAX).unwrap();
        assert_eq!(prepared.bash.timeout_ms, limits::MAX_INTEGER);
    }

    #[test]
    fn the_environment_is_what_was_named_and_three_more() {
        let settings = BashSettings {
            environment: vec!["PATH".into(), "OPENAI_API_KEY".into(), "AWS_*".into()],
            set: [("OPENAI_API_KEY".to_owned(), "x".to_owned()), ("TERM".to_owned(), "dumb".to_owned())]
                .into(),
            ..BashSettings::default()
        };
        let bash = bash(&settings);
        let id = "0193a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b";
        let prepared = bash.prepare(r#"{"command":"ls"}"#).unwrap();
        let (session, dispatch) = (SessionId::parse(id).unwrap(), DispatchId::parse(id).unwrap());
        let environment = bash.environment_of(&prepared.bash.env, session, dispatch, dispatch);
        let names: Vec<_> = environment.iter().map(|(name, _)| name.to_str().unwrap()).collect();
        assert_eq!(
            names,
            ["AWS_SECRET", "PATH", "TERM", "CANDOR_SESSION", "CANDOR_DISPATCH", "CANDOR_OPERATION"]
        );
        let all: Vec<_> = bash.environment().into_iter().map(|(name, _)| name).collect();
        assert_eq!(all, ["AWS_SECRET", "PATH", "TERM"], "never the key's");
        assert_eq!(bash.differs_from_default(), [("AWS_SECRET".to_owned(), "s".to_owned())]);
    }

    #[test]
    fn the_model_is_told_the_limits() {
        let definition = bash(&BashSettings::default()).definition();
        assert_eq!(definition.name, "bash");
        assert!(definition.description.contains("16 KiB"));
        assert_eq!(definition.parameters["additionalProperties"], false);
        let text = definition.parameters.to_string();
        assert!(text.contains("at most 3600; null for the usual 300"), "{text}");
    }
}
