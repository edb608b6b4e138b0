//! The text inside of a block.

use crate::text::clean::Clean;
use crate::text::style::{Color16, Span, Style};

/// Collects styled text; ends are matched to their beginnings.
#[derive(Debug, Default)]
pub(super) struct Inline {
    parts: Vec<(String, Style)>,
    styles: Vec<Style>,
    /// Target of each open link, and where its text begins.
    links: Vec<(String, usize)>,
}

impl Inline {
    pub(super) fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    pub(super) fn text(&mut self, text: &str) {
        let style = self.style();
        match self.parts.last_mut() {
            Some((last, alike)) if *alike == style && last != "\n" => last.push_str(text),
            _ => self.parts.push((text.to_owned(), style)),
        }
    }

    /// Code keeps its marks, so that it is told apart without colours too.
    pub(super) fn code(&mut self, code: &str) {
        let style = Style { color: Some(Color16::Cyan), ..self.style() };
        self.parts.push((format!("`{code}`"), style));
    }

    pub(super) fn line_break(&mut self) {
        self.parts.push(("\n".to_owned(), Style::PLAIN));
    }

    /// Changes the style until [`Inline::end`].
    pub(super) fn begin(&mut self, change: impl FnOnce(Style) -> Style) {
        self.styles.push(change(self.style()));
    }

    pub(super) fn end(&mut self) {
        self.styles.pop();
    }

    pub(super) fn begin_link(&mut self, target: &str) {
        self.begin(|style| Style { underline: true, ..style });
        self.links.push((target.to_owned(), self.parts.len()));
    }

    /// The target follows the text, unless it is the text.
    pub(super) fn end_link(&mut self) {
        self.end();
        let Some((target, begin)) = self.links.pop() else { return };
        let text: String = self.parts.iter().skip(begin).map(|(text, _)| text.as_str()).collect();
        if text != target && !target.is_empty() {
            self.text(&format!(" ({target})"));
        }
    }

    /// The text so far. What entities stood for is cleaned like all else.
    pub(super) fn take(&mut self) -> Vec<Span> {
        let span = |(text, style): (String, Style)| {
            let text = if text == "\n" { Clean::tidied(text) } else { Clean::line(&text) };
            Span::new(text, style)
        };
        std::mem::take(&mut self.parts).into_iter().map(span).collect()
    }

    fn style(&self) -> Style {
        self.styles.last().copied().unwrap_or_default()
    }
}
