//! What exactly is approved and run. Its bytes are its fingerprint.

use super::exact::{integer, present, present_integer};
use super::{Digest, limits};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use serde_json::value::RawValue;

/// Why bytes are not an operation.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum OperationError {
    /// Not an object of the known fields.
    #[error("the operation is not readable: {0}")]
    Json(String),
    /// A bash operation whose bytes are not exactly those its values give.
    #[error("the operation is not written in its one form")]
    Form,
}

/// A bash command as it is approved: command, directory, limits, environment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BashOperation {
    tool: BashTool,
    /// The command line, exactly as bash gets it.
    pub command: String,
    /// The absolute directory that it runs in.
    pub cwd: String,
    /// Time after which it is stopped, in milliseconds.
    #[serde(deserialize_with = "integer")]
    pub timeout_ms: u64,
    /// Bytes of output after which it is stopped; absent: no limit.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present_integer")]
    pub output_limit: Option<u64>,
    /// Names of the environment variables that will be set, sorted by bytes.
    pub env: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
enum BashTool {
    #[serde(rename = "bash")]
    Bash,
}

impl BashOperation {
    /// Puts an operation together; the names are sorted by bytes, each once.
    #[must_use]
    pub fn new(
        command: String,
        cwd: String,
        timeout_ms: u64,
        output_limit: Option<u64>,
        mut env: Vec<String>,
    ) -> Self {
        env.sort_unstable();
        env.dedup();
        Self { tool: BashTool::Bash, command, cwd, timeout_ms, output_limit, env }
    }
}

/// An operation with the exact bytes that are fingerprinted.
#[derive(Debug, Clone)]
pub struct Operation {
    raw: Box<RawValue>,
    view: View,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct View {
    tool: String,
    #[serde(default, deserialize_with = "present")]
    command: Option<String>,
    #[serde(default, deserialize_with = "present")]
    arguments: Option<String>,
    #[serde(default, deserialize_with = "present")]
    cwd: Option<String>,
    #[serde(default, deserialize_with = "present_integer")]
    timeout_ms: Option<u64>,
    #[serde(default, deserialize_with = "present_integer")]
    output_limit: Option<u64>,
    #[serde(default)]
    env: Vec<String>,
}

/// What another program's file told of an operation; only in imported turns.
#[derive(Serialize)]
struct ImportedForm<'a> {
    tool: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    command: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    arguments: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cwd: Option<&'a str>,
}

impl Operation {
    /// Reads the bytes as they stand in a record.
    ///
    /// # Errors
    /// [`OperationError::Json`] when they are no object of the known fields.
    pub fn from_raw(raw: Box<RawValue>) -> Result<Self, OperationError> {
        let view = serde_json::from_str(raw.get()).map_err(|e| OperationError::Json(e.to_string()))?;
        Ok(Self { raw, view })
    }

    /// The one form of a bash operation.
    ///
    /// # Errors
    /// [`OperationError::Json`] if it cannot be encoded.
    pub fn bash(operation: &BashOperation) -> Result<Self, OperationError> {
        let raw =
            serde_json::value::to_raw_value(operation).map_err(|e| OperationError::Json(e.to_string()))?;
        Self::from_raw(raw)
    }

    /// An operation of an imported turn, as far as its source tells.
    ///
    /// # Errors
    /// [`OperationError::Json`] if it cannot be encoded.
    pub fn imported(
        tool: &str,
        command: Option<&str>,
        arguments: Option<&str>,
        cwd: Option<&str>,
    ) -> Result<Self, OperationError> {
        let form = ImportedForm { tool, command, arguments, cwd };
        let raw = serde_json::value::to_raw_value(&form).map_err(|e| OperationError::Json(e.to_string()))?;
        Self::from_raw(raw)
    }

    /// The bash operation, if these bytes are exactly its one form.
    ///
    /// # Errors
    /// [`OperationError`] when they are another tool's or written otherwise.
    pub fn as_bash(&self) -> Result<BashOperation, OperationError> {
        let bash: BashOperation =
            serde_json::from_str(self.raw.get()).map_err(|e| OperationError::Json(e.to_string()))?;
        let sorted = bash.env.windows(2).all(|pair| pair[0].as_bytes() < pair[1].as_bytes());
        let same = serde_json::to_string(&bash).is_ok_and(|text| text == self.raw.get());
        if sorted && same && !bash.command.is_empty() && bash.command.len() <= limits::COMMAND_BYTES {
            Ok(bash)
        } else {
            Err(OperationError::Form)
        }
    }

    /// SHA-256 of exactly the operation's bytes.
    #[must_use]
    pub fn fingerprint(&self) -> Digest {
        Digest::of(self.raw.get().as_bytes())
    }

    /// The exact bytes.
    #[must_use]
    pub fn as_json(&self) -> &str {
        self.raw.get()
    }

    /// The tool's name.
    #[must_use]
    pub fn tool(&self) -> &str {
        &self.view.tool
    }

    /// The command line, where there is one.
    #[must_use]
    pub fn command(&self) -> Option<&str> {
        self.view.command.as_deref()
    }

    /// What stands for the operation in a sentence: its command, else its arguments.
    #[must_use]
    pub fn summary(&self) -> &str {
        self.view.command.as_deref().or(self.view.arguments.as_deref()).unwrap_or(&self.view.tool)
    }

    /// The directory, where it is known.
    #[must_use]
    pub fn cwd(&self) -> Option<&str> {
        self.view.cwd.as_deref()
    }

    /// The time limit in milliseconds, where there is one.
    #[must_use]
    pub fn timeout_ms(&self) -> Option<u64> {
        self.view.timeout_ms
    }

    /// The output limit in bytes, where there is one.
    #[must_use]
    pub fn output_limit(&self) -> Option<u64> {
        self.view.output_limit
    }

    /// Names of the environment variables.
    #[must_use]
    pub fn env(&self) -> &[String] {
        &self.view.env
    }

    /// Same tool, same command, same directory: doing it is doing it again.
    #[must_use]
    pub fn repeats(&self, other: &Self) -> bool {
        self.view.tool == other.view.tool
            && self.view.command == other.view.command
            && self.view.arguments == other.view.arguments
            && self.view.cwd == other.view.cwd
    }
}

impl PartialEq for Operation {
    fn eq(&self, other: &Self) -> bool {
        self.raw.get() == other.raw.get()
    }
}

impl Eq for Operation {}

impl Serialize for Operation {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        self.raw.serialize(s)
    }
}

impl<'de> Deserialize<'de> for Operation {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        Self::from_raw(Box::<RawValue>::deserialize(d)?).map_err(de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_form_is_the_documented_one() {
        let bash = BashOperation::new(
            "ls".into(),
            "/tmp".into(),
            300_000,
            None,
            vec!["PATH".into(), "HOME".into(), "PATH".into()],
        );
        let operation = Operation::bash(&bash).unwrap();
        let text = r#"{"tool":"bash","command":"ls","cwd":"/tmp","timeout_ms":300000,"env":["HOME","PATH"]}"#;
        assert_eq!(operation.as_json(), text);
        assert_eq!(operation.fingerprint(), Digest::of(text.as_bytes()));
        assert_eq!(operation.as_bash().unwrap(), bash);
    }

    #[test]
    fn another_order_or_white_space_is_not_the_form() {
        for text in [
            r#"{"tool":"bash","cwd":"/tmp","command":"ls","timeout_ms":1,"env":[]}"#,
            r#"{"tool":"bash","command":"ls","cwd":"/tmp","timeout_ms":1, "env":[]}"#,
            r#"{"tool":"bash","command":"ls","cwd":"/tmp","timeout_ms":1,"env":["b","a"]}"#,
        ] {
            let operation = Operation::from_raw(RawValue::from_string(text.into()).unwrap()).unwrap();
            assert_eq!(operation.as_bash(), Err(OperationError::Form), "{text}");
        }
    }
}
