//! What a server does not take, learnt from its refusals and remembered while
//! the client lives. Tools and instructions are never left out.

use super::server_error::ServerError;

/// One thing that is left out for a server that refuses it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Quirk {
    /// `include`: models that do not reason refuse encrypted reasoning.
    Include,
    /// `store`.
    Store,
    /// `parallel_tool_calls`.
    ParallelToolCalls,
    /// `strict` of a tool.
    Strict,
    /// `prompt_cache_key`.
    PromptCacheKey,
    /// The wish for summaries of the reasoning.
    ReasoningSummary,
    /// Reasoning items in the input, and the server's ids of all items: an item with
    /// an id demands the reasoning that it came with.
    ReasoningAndIds,
}

/// The parameters that a server may refuse, by the name in its complaint.
const PARAMETERS: [(&str, Quirk); 6] = [
    ("include", Quirk::Include),
    ("store", Quirk::Store),
    ("parallel_tool_calls", Quirk::ParallelToolCalls),
    ("strict", Quirk::Strict),
    ("prompt_cache_key", Quirk::PromptCacheKey),
    ("reasoning", Quirk::ReasoningSummary),
];

/// What is left out.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Quirks(u8);

impl Quirks {
    /// Whether this is left out.
    pub(super) fn has(self, quirk: Quirk) -> bool {
        self.0 & (1 << quirk as u8) != 0
    }

    /// The same with one more.
    pub(super) fn with(self, quirk: Quirk) -> Self {
        Self(self.0 | 1 << quirk as u8)
    }

    /// What a refusal with status 400 or 422 teaches that is not known yet.
    pub(super) fn learn(self, error: &ServerError) -> Option<Quirk> {
        if is_about_items(error) {
            return Some(Quirk::ReasoningAndIds).filter(|quirk| !self.has(*quirk));
        }
        let named = PARAMETERS.into_iter().filter(|(name, _)| names(error, name)).map(|(_, quirk)| quirk);
        // The same words are met for the wish and for the items themselves.
        let encrypted = error.message.contains("Encrypted content is not supported");
        let encrypted = encrypted.then_some([Quirk::Include, Quirk::ReasoningAndIds]).into_iter().flatten();
        named.chain(encrypted).find(|quirk| !self.has(*quirk))
    }
}

/// What servers say of items that they do not know, know twice, or cannot read.
const ABOUT_ITEMS: [&str; 6] = [
    "Item with id '",
    "Duplicate item found with id",
    "without its required 'reasoning' item",
    "of type 'reasoning' was provided without",
    "].id'",
    "item['content'] is not an array",
];
/// What servers say of a parameter that they do not take.
const NOT_TAKEN: [&str; 8] = [
    "unknown",
    "unsupported",
    "not supported",
    "unrecognized",
    "unexpected",
    "extra",
    "not permitted",
    "not allowed",
];

fn is_about_items(error: &ServerError) -> bool {
    error.is(&["invalid_encrypted_content"]) || ABOUT_ITEMS.iter().any(|words| error.message.contains(words))
}

/// Whether the complaint is that this parameter is not taken: it is named as its
/// `param`, or quoted.
fn names(error: &ServerError, name: &str) -> bool {
    let param = error.param.as_deref().unwrap_or_default();
    let message = error.message.to_lowercase();
    let quoted = ['\'', '"', '`'].iter().any(|quote| message.contains(&format!("{quote}{name}{quote}")));
    let refused = NOT_TAKEN.iter().any(|words| message.contains(words));
    param.split(['.', '[', ']']).any(|part| part == name) || quoted && refused
}

#[cfg(test)]
mod tests {
    use super::*;

    fn learnt(body: &str, known: Quirks) -> Option<Quirk> {
        known.learn(&ServerError::read(body))
    }

    #[test]
    fn a_refusal_that_names_the_parameter_teaches() {
        let none = Quirks::default();
        for (body, expected) in [
            (
                r#"{"error":{"message":"Encrypted content is not supported with this model","param":"include"}}"#,
                Some(Quirk::Include),
            ),
            (r#"{"error":{"message":"Unknown parameter: 'store'.","param":null}}"#, Some(Quirk::Store)),
            (
                r#"{"error":{"message":"unknown field \"parallel_tool_calls\""}}"#,
                Some(Quirk::ParallelToolCalls),
            ),
            (r#"{"error":{"message":"bad","param":"tools[0].strict"}}"#, Some(Quirk::Strict)),
            (
                r#"{"detail":[{"loc":["body","prompt_cache_key"],"msg":"Extra inputs are not permitted"}]}"#,
                Some(Quirk::PromptCacheKey),
            ),
            (r#"{"error":{"message":"no","param":"reasoning.summary"}}"#, Some(Quirk::ReasoningSummary)),
            (r#"{"error":{"message":"x","code":"invalid_encrypted_content"}}"#, Some(Quirk::ReasoningAndIds)),
            (
                r#"{"error":{"message":"Item with id 'rs_1' not found. Items are not persisted when `store` is set to false."}}"#,
                Some(Quirk::ReasoningAndIds),
            ),
            (
                r#"{"error":{"message":"Item 'msg_1' was provided without its required 'reasoning' item: 'rs_1'."}}"#,
                Some(Quirk::ReasoningAndIds),
            ),
            (r#"{"error":{"message":"item['content'] is not an array"}}"#, Some(Quirk::ReasoningAndIds)),
            (r#"{"error":{"message":"Please include a store in your reasoning"}}"#, None),
            (
                r#"{"error":{"message":"Invalid 'input[0].id'","param":"input"}}"#,
                Some(Quirk::ReasoningAndIds),
            ),
            (r#"{"error":{"message":"Set `store` to true","param":"input"}}"#, None),
            (r#"{"error":{"message":"bad tools","param":"tools"}}"#, None),
        ] {
            assert_eq!(learnt(body, none), expected, "{body}");
        }
    }

    #[test]
    fn nothing_is_learnt_twice() {
        let encrypted = r#"{"error":{"message":"Encrypted content is not supported","param":"include"}}"#;
        let known = Quirks::default().with(Quirk::Include);
        assert_eq!(learnt(encrypted, known), Some(Quirk::ReasoningAndIds));
        assert_eq!(learnt(encrypted, known.with(Quirk::ReasoningAndIds)), None);
        let store = r#"{"error":{"message":"Unknown parameter: 'store'."}}"#;
        assert_eq!(learnt(store, Quirks::default().with(Quirk::Store)), None);
    }
}
