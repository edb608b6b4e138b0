//! The arguments of a call, as strictly as its schema says.

use super::InvalidArguments;
use crate::record::limits;
use serde::Deserialize;
use serde_json::value::RawValue;

/// What a model asked for.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Arguments {
    pub(super) command: String,
    /// In seconds, at least 1; a number past all bounds is `u64::MAX`.
    pub(super) timeout_seconds: Option<u64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Form<'a> {
    command: String,
    #[serde(borrow, default)]
    timeout_seconds: Option<&'a RawValue>,
}

impl Arguments {
    /// Reads one JSON object.
    pub(super) fn parse(text: &str) -> Result<Self, InvalidArguments> {
        // A struct could be read from an array of its values, too.
        if !text.trim_start().starts_with('{') {
            return Err(InvalidArguments::Form("they are no object".into()));
        }
        let form: Form = serde_json::from_str(text).map_err(|e| InvalidArguments::Form(e.to_string()))?;
        check_command(&form.command)?;
        let timeout_seconds = form.timeout_seconds.map(|raw| seconds(raw.get())).transpose()?;
        Ok(Self { command: form.command, timeout_seconds })
    }
}

/// What holds for a command, whoever wrote it.
pub(super) fn check_command(command: &str) -> Result<(), InvalidArguments> {
    if command.is_empty() {
        Err(InvalidArguments::Empty)
    } else if command.contains('\0') {
        Err(InvalidArguments::Nul)
    } else if command.len() > limits::COMMAND_BYTES {
        Err(InvalidArguments::TooLong(command.len()))
    } else {
        Ok(())
    }
}

/// A JSON integer, however large: one beyond `u64` is only lowered later.
fn seconds(token: &str) -> Result<u64, InvalidArguments> {
    let digits = token.strip_prefix('-').unwrap_or(token);
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return Err(InvalidArguments::NoInteger(token.chars().take(40).collect()));
    }
    if digits.len() < token.len() || digits == "0" {
        return Err(InvalidArguments::TooShort);
    }
    Ok(digits.parse().unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<(String, Option<u64>), InvalidArguments> {
        Arguments::parse(text).map(|a| (a.command, a.timeout_seconds))
    }

    #[test]
    fn the_time_limit_is_a_number_null_or_absent() {
        for (text, expected) in [
            (r#"{"command":"ls"}"#, None),
            (r#" { "timeout_seconds" : null , "command" : "ls" } "#, None),
            (r#"{"command":"ls","timeout_seconds":7}"#, Some(7)),
            (r#"{"command":"ls","timeout_seconds":99999999999999999999999}"#, Some(u64::MAX)),
        ] {
            assert_eq!(parse(text), Ok(("ls".into(), expected)), "{text}");
        }
        for text in ["0", "-0", "-1", "-99999999999999999999999"] {
            let text = format!(r#"{{"command":"ls","timeout_seconds":{text}}}"#);
            assert_eq!(parse(&text), Err(InvalidArguments::TooShort), "{text}");
        }
        for text in ["1.0", "1e3", "\"7\"", "true", "[1]", "{}"] {
            let text = format!(r#"{{"command":"ls","timeout_seconds":{text}}}"#);
            assert!(matches!(parse(&text), Err(InvalidArguments::NoInteger(_))), "{text}");
        }
    }

    #[test]
    fn anything_but_the_known_keys_once_is_refused() {
        for text in [
            "",
            "null",
            "[\"ls\"]",
            "[\"ls\",null]",
            "{}",
            r#"{"command":"ls""#,
            r#"{"command":"ls"}{}"#,
            r#"{"command":null}"#,
            r#"{"command":7}"#,
            r#"{"command":["ls"]}"#,
            r#"{"command":"ls","command":"ls"}"#,
            r#"{"command":"ls","timeout_seconds":1,"timeout_seconds":1}"#,
            r#"{"command":"ls","cwd":"/"}"#,
            r#"{"command":"\ud800"}"#,
            r#"{"command":"ls","timeout_seconds":01}"#,
        ] {
            assert!(matches!(parse(text), Err(InvalidArguments::Form(_))), "{text}");
        }
    }

    #[test]
    fn a_command_has_bounds() {
        assert_eq!(parse(r#"{"command":""}"#), Err(InvalidArguments::Empty));
        assert_eq!(parse(r#"{"command":"a\u0000b"}"#), Err(InvalidArguments::Nul));
        let longest = "é".repeat(limits::COMMAND_BYTES / 2);
        assert!(parse(&format!(r#"{{"command":"{longest}"}}"#)).is_ok());
        let longer = format!(r#"{{"command":"{longest}x"}}"#);
        assert_eq!(parse(&longer), Err(InvalidArguments::TooLong(limits::COMMAND_BYTES + 1)));
    }
}
