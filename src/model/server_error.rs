//! The many shapes of an error body, read into one.

use super::ErrorClass;
use super::error::Refusal;
use serde_json::Value;

/// What of a code or another single word is shown, in characters.
pub(super) const CODE_CHARS: usize = 60;
/// What of an error body is read, in bytes.
pub(super) const BODY_BYTES: usize = 64 << 10;

/// A server's error, whatever its shape was. Texts are as the server sent them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct ServerError {
    /// Its message, or the body where it has no shape.
    pub(super) message: String,
    /// Its `code`; numbers as digits.
    pub(super) code: Option<String>,
    /// Its `type`.
    pub(super) kind: Option<String>,
    /// The parameter that it complains about.
    pub(super) param: Option<String>,
}

impl ServerError {
    /// Reads a body: an object with `error` (an object or a text), a flat error
    /// object, `detail`, an array of one of these, or anything else.
    pub(super) fn read(body: &str) -> Self {
        match serde_json::from_str::<Value>(body) {
            Ok(value) => Self::from_value(&value),
            Err(_) => Self { message: without_tags(body), ..Self::default() },
        }
    }

    /// Reads a parsed body.
    pub(super) fn from_value(value: &Value) -> Self {
        match value {
            Value::Array(items) => items.first().map(Self::from_value).unwrap_or_default(),
            Value::String(text) => Self { message: text.clone(), ..Self::default() },
            Value::Object(fields) => match (fields.get("error"), fields.get("detail")) {
                (Some(error), _) if !error.is_null() => Self::from_value(error),
                (_, Some(detail)) => Self::from_detail(detail),
                _ => Self {
                    message: text(fields.get("message")).unwrap_or_default(),
                    code: text(fields.get("code")),
                    kind: text(fields.get("type")),
                    param: text(fields.get("param")),
                },
            },
            Value::Null | Value::Bool(_) | Value::Number(_) => Self::default(),
        }
    }

    /// FastAPI: a text, or a list of what is wrong where.
    fn from_detail(detail: &Value) -> Self {
        let Value::Array(problems) = detail else { return Self::from_value(detail) };
        let Some(first) = problems.first() else { return Self::default() };
        let place = first["loc"].as_array().into_iter().flatten();
        let place: Vec<String> =
            place.filter_map(|part| text(Some(part))).filter(|part| part != "body").collect();
        Self {
            message: text(first.get("msg")).unwrap_or_default(),
            param: (!place.is_empty()).then(|| place.join(".")),
            ..Self::default()
        }
    }

    /// Whether its code or type is one of these.
    pub(super) fn is(&self, words: &[&str]) -> bool {
        [&self.code, &self.kind].into_iter().flatten().any(|own| words.contains(&own.as_str()))
    }

    /// The error with what it means.
    pub(super) fn refusal(
        &self,
        class: ErrorClass,
        status: Option<u16>,
        request_id: Option<&str>,
    ) -> Refusal {
        Refusal {
            class,
            status,
            code: self.code.clone().or_else(|| self.kind.clone()),
            message: self.message.clone(),
            request_id: request_id.map(String::from),
        }
    }
}

fn text(value: Option<&Value>) -> Option<String> {
    match value? {
        Value::String(text) if !text.is_empty() => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::String(_) | Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    }
}

/// A page as text: what stands between its tags.
fn without_tags(page: &str) -> String {
    if !page.trim_start().starts_with('<') {
        return page.to_owned();
    }
    page.split('<')
        .map(|part| part.split_once('>').map_or(part, |(_, text)| text))
        .collect::<Vec<_>>()
        .join(" ")
}

/// One line without control and direction characters, of at most so many characters.
pub(super) fn clean(text: &str, chars: usize) -> String {
    let visible = |c: char| {
        let hidden = c.is_control()
            || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}');
        if hidden { ' ' } else { c }
    };
    let line: String = text.chars().map(visible).collect();
    let line = line.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(chars) {
        Some((end, _)) => format!("{} ...", line[..end].trim_end()),
        None => line,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_shape_is_read() {
        let full = ServerError {
            message: "m".into(),
            code: Some("c".into()),
            kind: Some("t".into()),
            param: Some("p".into()),
        };
        let only = |message: &str| ServerError { message: message.into(), ..ServerError::default() };
        let coded = |code: &str| ServerError { code: Some(code.into()), ..only("m") };
        for (body, expected) in [
            (r#"{"error":{"message":"m","type":"t","param":"p","code":"c"}}"#, full.clone()),
            (r#"{"error":{"message":"m","code":400}}"#, coded("400")),
            (r#"{"error":"m"}"#, only("m")),
            (r#"{"object":"error","message":"m","type":"t","param":"p","code":"c"}"#, full.clone()),
            (r#"{"type":"error","error":{"message":"m","type":"t","param":"p","code":"c"}}"#, full),
            (r#"{"detail":"m"}"#, only("m")),
            (
                r#"{"detail":[{"loc":["body","tools",0,"strict"],"msg":"m"}]}"#,
                ServerError { param: Some("tools.0.strict".into()), ..only("m") },
            ),
            (r#"[{"error":{"message":"m","code":429}}]"#, coded("429")),
            ("plain text", only("plain text")),
            ("", only("")),
            ("[]", only("")),
            ("null", only("")),
        ] {
            assert_eq!(ServerError::read(body), expected, "{body}");
        }
        let page = ServerError::read("<html><head><title>502 Bad Gateway</title></head></html>");
        assert_eq!(page.message.trim(), "502 Bad Gateway");
    }

    #[test]
    fn what_is_shown_is_one_bounded_line() {
        assert_eq!(clean("a\u{1b}[31m\n\tb\u{202e}c\u{9b}d", 99), "a [31m b c d");
        assert_eq!(clean(&"ä".repeat(20), 5), "äääää ...");
    }
}
