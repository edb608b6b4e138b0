//! The model's own items: kept byte for byte, read as far as we need them.

use super::CallId;
use super::limits::ITEM_DEPTH;
use memchr::{memchr2, memchr2_iter};
use serde::de::value::SeqAccessDeserializer;
use serde::de::{SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::value::RawValue;
use std::fmt;
use std::sync::{Arc, OnceLock};

/// Why an item cannot be kept.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ItemError {
    /// A line feed or carriage return between tokens; it would tear the line.
    #[error("the item holds a raw line break")]
    LineBreak,
    /// Nested too deep.
    #[error("the item is nested over {ITEM_DEPTH} levels")]
    Depth,
    /// Not readable by its type.
    #[error("the item is not readable: {0}")]
    Json(String),
    /// A call without an id that can be sent back.
    #[error("a call has no usable id: {0}")]
    CallId(String),
    /// A call without a tool's name.
    #[error("a call names no tool")]
    Name,
}

/// One item of a model response: its bytes and what they mean.
#[derive(Debug, Clone)]
pub struct Item {
    /// The bytes as they came, but for line breaks between tokens.
    pub raw: Arc<RawValue>,
    /// What they mean to us.
    pub kind: ItemKind,
}

/// What an item means to us.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ItemKind {
    /// Text of the assistant. `phase` is the server's word, if it sent one.
    Message {
        /// The parts' texts, joined.
        text: String,
        /// The parts' refusals, joined; empty if there is none.
        refusal: String,
        /// `commentary`, `final_answer` or another word of the server's.
        phase: Option<String>,
    },
    /// Reasoning; goes back only to the server that made it.
    Reasoning {
        /// The summary's texts, joined by blank lines.
        summary: String,
        /// Whether it carries the blob without which it cannot be replayed.
        encrypted: bool,
    },
    /// A request to run a tool.
    Call {
        /// The model's id of the call.
        call_id: CallId,
        /// The tool's name.
        name: String,
        /// The arguments as received; whether they are acceptable is the tool's matter.
        arguments: String,
    },
    /// Anything else: kept, never executed.
    Other {
        /// Its `type`.
        kind: String,
    },
}

/// The items of a response. What they mean is read once, however many look at
/// the record.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Items {
    raw: Vec<Arc<RawValue>>,
    #[serde(skip)]
    read: OnceLock<Result<Arc<[Item]>, ItemError>>,
}

impl Items {
    /// What they mean.
    ///
    /// # Errors
    /// As [`Item::read`], of the first that cannot be read.
    pub fn read(&self) -> Result<&Arc<[Item]>, ItemError> {
        let read = self.read.get_or_init(|| self.raw.iter().cloned().map(Item::read).collect());
        read.as_ref().map_err(Clone::clone)
    }
}

impl FromIterator<Arc<RawValue>> for Items {
    fn from_iter<I: IntoIterator<Item = Arc<RawValue>>>(items: I) -> Self {
        Self { raw: items.into_iter().collect(), read: OnceLock::new() }
    }
}

impl From<Vec<Item>> for Items {
    /// Of items that were read already.
    fn from(items: Vec<Item>) -> Self {
        let raw = items.iter().map(|item| Arc::clone(&item.raw)).collect();
        Self { raw, read: OnceLock::from(Ok(items.into())) }
    }
}

#[derive(Deserialize)]
struct Typed {
    #[serde(rename = "type")]
    kind: String,
}

/// How servers begin a message; that no second type follows is for [`Message`].
const MESSAGE: &str = r#"{"type":"message","#;

#[derive(Deserialize)]
struct Message {
    #[serde(rename = "type")]
    _kind: String,
    #[serde(default)]
    content: Content,
    #[serde(default)]
    phase: Option<String>,
    #[serde(default, rename = "role")]
    _role: Option<String>,
    #[serde(default, rename = "status")]
    _status: Option<String>,
    #[serde(default, rename = "id")]
    _id: Option<String>,
}

#[derive(Default)]
enum Content {
    Text(String),
    Parts(Vec<Part>),
    #[default]
    Nothing,
}

/// Told apart by its first byte: serde's own way would keep a copy of it first.
impl<'de> Deserialize<'de> for Content {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Any;

        impl<'de> Visitor<'de> for Any {
            type Value = Content;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a text, a list of parts, or null")
            }

            fn visit_str<E>(self, text: &str) -> Result<Content, E> {
                Ok(Content::Text(text.to_owned()))
            }

            fn visit_string<E>(self, text: String) -> Result<Content, E> {
                Ok(Content::Text(text))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, parts: A) -> Result<Content, A::Error> {
                Vec::deserialize(SeqAccessDeserializer::new(parts)).map(Content::Parts)
            }

            fn visit_unit<E>(self) -> Result<Content, E> {
                Ok(Content::Nothing)
            }
        }

        deserializer.deserialize_any(Any)
    }
}

#[derive(Deserialize, Default)]
struct Part {
    #[serde(default)]
    text: Option<String>,
    #[serde(default)]
    refusal: Option<String>,
}

#[derive(Deserialize)]
struct Reasoning {
    #[serde(default)]
    summary: Option<Vec<Part>>,
    #[serde(default)]
    content: Option<Content>,
    #[serde(default)]
    encrypted_content: Option<String>,
}

#[derive(Deserialize)]
struct Call {
    #[serde(default)]
    call_id: Option<String>,
    #[serde(default)]
    name: Option<String>,
    #[serde(default)]
    arguments: Option<String>,
    #[serde(default, rename = "status")]
    _status: Option<String>,
}

fn read<'a, T: Deserialize<'a>>(raw: &'a RawValue) -> Result<T, ItemError> {
    serde_json::from_str(raw.get()).map_err(|e| ItemError::Json(e.to_string()))
}

impl Item {
    /// Reads an item by its type and checks what the journal asks of it:
    /// one line, bounded nesting, no doubled known key, no lone surrogate.
    ///
    /// # Errors
    /// [`ItemError`] says what is wrong; such a response is invalid.
    pub fn read(raw: impl Into<Arc<RawValue>>) -> Result<Self, ItemError> {
        let raw = raw.into();
        if memchr2(b'\n', b'\r', raw.get().as_bytes()).is_some() {
            return Err(ItemError::LineBreak);
        }
        if is_deep(raw.get()) {
            return Err(ItemError::Depth);
        }
        let kind = match raw.get() {
            // Nearly all of most sessions: its type need not be looked for.
            text if text.starts_with(MESSAGE) => "message".to_owned(),
            _ => read::<Typed>(&raw)?.kind,
        };
        let kind = match kind.as_str() {
            "message" => message(&raw)?,
            "reasoning" => reasoning(&raw)?,
            "function_call" => call(&raw)?,
            _ => ItemKind::Other { kind },
        };
        Ok(Self { raw, kind })
    }
}

fn join(parts: impl Iterator<Item = String>, between: &str) -> String {
    parts.filter(|text| !text.is_empty()).collect::<Vec<_>>().join(between)
}

/// All texts, one behind the other; mostly there is one.
fn joined(mut texts: Vec<String>) -> String {
    match texts.as_mut_slice() {
        [text] => std::mem::take(text),
        _ => texts.concat(),
    }
}

fn message(raw: &RawValue) -> Result<ItemKind, ItemError> {
    let message: Message = read(raw)?;
    let (text, refusal) = match message.content {
        Content::Text(text) => (text, String::new()),
        Content::Parts(parts) => {
            let (texts, refusals): (Vec<_>, Vec<_>) = parts
                .into_iter()
                .map(|part| (part.text.unwrap_or_default(), part.refusal.unwrap_or_default()))
                .unzip();
            (joined(texts), joined(refusals))
        }
        Content::Nothing => (String::new(), String::new()),
    };
    Ok(ItemKind::Message { text, refusal, phase: message.phase })
}

fn reasoning(raw: &RawValue) -> Result<ItemKind, ItemError> {
    let reasoning: Reasoning = read(raw)?;
    let texts = |parts: Vec<Part>| join(parts.into_iter().filter_map(|part| part.text), "\n\n");
    let summary = reasoning.summary.map(texts).unwrap_or_default();
    let summary = match (summary.is_empty(), reasoning.content) {
        (true, Some(Content::Parts(parts))) => texts(parts),
        (true, Some(Content::Text(text))) => text,
        _ => summary,
    };
    Ok(ItemKind::Reasoning {
        summary,
        encrypted: reasoning.encrypted_content.is_some_and(|blob| !blob.is_empty()),
    })
}

fn call(raw: &RawValue) -> Result<ItemKind, ItemError> {
    let call: Call = read(raw)?;
    let call_id =
        CallId::new(call.call_id.unwrap_or_default()).map_err(|e| ItemError::CallId(e.to_string()))?;
    let name = call.name.unwrap_or_default();
    if name.is_empty() {
        return Err(ItemError::Name);
    }
    Ok(ItemKind::Call { call_id, name, arguments: call.arguments.unwrap_or_default() })
}

/// Whether the brackets of a valid JSON text are nested over [`ITEM_DEPTH`] levels.
fn is_deep(text: &str) -> bool {
    // Whoever has fewer of them, in strings too, need not be looked at closely.
    let may_be = memchr2_iter(b'{', b'[', text.as_bytes()).nth(ITEM_DEPTH).is_some();
    may_be && depth(text) > ITEM_DEPTH
}

/// How deep the brackets of a valid JSON text are nested.
fn depth(text: &str) -> usize {
    let (mut deepest, mut now) = (0usize, 0usize);
    let mut rest = text.as_bytes();
    while let Some((byte, after)) = rest.split_first() {
        rest = after;
        match byte {
            b'"' => rest = after_string(after),
            b'{' | b'[' => {
                now += 1;
                deepest = deepest.max(now);
            }
            b'}' | b']' => now = now.saturating_sub(1),
            _ => {}
        }
    }
    deepest
}

/// What comes after the string that has been opened.
fn after_string(mut rest: &[u8]) -> &[u8] {
    while let Some(at) = memchr2(b'"', b'\\', rest) {
        let escape = rest[at] == b'\\';
        rest = rest.get(at + 1 + usize::from(escape)..).unwrap_or_default();
        if !escape {
            return rest;
        }
    }
    &[]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn item(text: &str) -> Result<Item, ItemError> {
        Item::read(RawValue::from_string(text.to_owned()).unwrap())
    }

    #[test]
    fn known_types_are_read_and_bytes_kept() {
        let text = r#"{"type":"function_call", "call_id":"c1","name":"bash","arguments":"{\"command\": \"ls\"}","extra":1.0e2}"#;
        let read = item(text).unwrap();
        assert_eq!(read.raw.get(), text);
        assert!(matches!(read.kind, ItemKind::Call { ref name, .. } if name == "bash"));
        let text = r#"{"type":"message","content":[{"type":"output_text","text":"a"},{"type":"output_text","text":"b"}],"phase":"commentary"}"#;
        assert!(matches!(item(text).unwrap().kind, ItemKind::Message { ref text, .. } if text == "ab"));
        let text = r#"{"type":"reasoning","summary":[],"encrypted_content":"x"}"#;
        assert_eq!(item(text).unwrap().kind, ItemKind::Reasoning { summary: String::new(), encrypted: true });
        assert!(matches!(item(r#"{"type":"web_search_call"}"#).unwrap().kind, ItemKind::Other { .. }));
    }

    #[test]
    fn content_has_each_of_its_shapes_and_no_other() {
        let message = |content: &str| item(&format!(r#"{{"type":"message","content":{content}}}"#));
        let text = |content: &str| match message(content).unwrap().kind {
            ItemKind::Message { text, .. } => text,
            other => panic!("{other:?}"),
        };
        assert_eq!(text(r#""a\nb""#), "a\nb");
        assert_eq!(text("null"), "");
        assert_eq!(text("[]"), "");
        assert_eq!(text(r#"[{"text":"a"},{"refusal":"no"},{"text":"b"},{}]"#), "ab");
        for content in ["1", "true", r#"{"text":"a"}"#, r#"["a"]"#, r#"[{"text":1}]"#] {
            assert!(message(content).is_err(), "{content}");
        }
        for other in [r#"{"content":"a", "type":"message"}"#, r#"{ "type":"message","content":"a"}"#] {
            assert!(matches!(item(other).unwrap().kind, ItemKind::Message { ref text, .. } if text == "a"));
        }
        let twice = r#"{"type":"message","content":"a","type":"reasoning"}"#;
        assert!(item(twice).is_err(), "whatever comes first");
    }

    #[test]
    fn brackets_in_texts_are_not_levels() {
        let many = "[{".repeat(ITEM_DEPTH);
        let kept = format!(r#"{{"type":"x","v":"\"{many}\\","w":[[]]}}"#);
        assert_eq!(depth(&kept), 3);
        assert!(item(&kept).is_ok());
        let nested =
            |levels: usize| format!(r#"{{"type":"x","v":{}{}}}"#, "[".repeat(levels), "]".repeat(levels));
        assert!(item(&nested(ITEM_DEPTH - 1)).is_ok());
        assert_eq!(item(&nested(ITEM_DEPTH)).unwrap_err(), ItemError::Depth);
    }

    #[test]
    fn what_would_be_unreadable_later_is_refused() {
        assert_eq!(item("{\"type\":\n\"x\"}").unwrap_err(), ItemError::LineBreak);
        let deep = format!(r#"{{"type":"x","v":{}{}}}"#, "[".repeat(128), "]".repeat(128));
        assert_eq!(item(&deep).unwrap_err(), ItemError::Depth);
        for text in [
            r#"{"type":"message","type":"message"}"#,
            r#"{"type":"function_call","call_id":"a","call_id":"b","name":"bash"}"#,
            r#"{"type":"message","content":[{"text":"\ud83d"}]}"#,
            r#"{"type":"function_call","call_id":"","name":"bash"}"#,
            r#"{"type":"function_call","call_id":"a"}"#,
            r#"{"content":"no type"}"#,
        ] {
            assert!(item(text).is_err(), "{text}");
        }
    }
}
