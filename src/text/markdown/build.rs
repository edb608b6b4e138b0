//! From the parser's events to blocks.

use super::block::{Block, Leaf, Prefix};
use super::inline::Inline;
use super::table::Table;
use crate::text::clean::Clean;
use crate::text::highlight::Code;
use crate::text::style::{Row, Span, Style};
use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, Options, Parser, Tag, TagEnd};

/// The blocks of a part, which is the `first` of its text or follows another.
pub(super) fn blocks(part: &str, first: bool) -> Vec<Block> {
    let mut builder = Builder { gap: !first, ..Builder::default() };
    for event in Parser::new_ext(part, Options::ENABLE_TABLES) {
        builder.event(event);
    }
    builder.flush();
    builder.blocks
}

#[derive(Debug, Default)]
struct Builder {
    blocks: Vec<Block>,
    containers: Vec<Container>,
    inline: Inline,
    /// Text of the code or HTML block that is open.
    verbatim: Option<String>,
    /// What the fence of the open code block says.
    language: String,
    table: Option<Table>,
    /// Whether a blank row stands before the next block.
    gap: bool,
}

#[derive(Debug)]
enum Container {
    List {
        /// The next item's number.
        next: Option<u64>,
        /// Its items stand apart.
        loose: bool,
    },
    Item {
        marker: String,
        /// No block of it was made yet.
        fresh: bool,
    },
    Quote {
        fresh: bool,
    },
}

const QUOTE: &str = "| ";

impl Builder {
    fn event(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(tag),
            Event::Text(text) | Event::Html(text) => self.text(&text),
            Event::Code(code) => self.inline.code(&code),
            Event::SoftBreak => self.inline.text(" "),
            Event::HardBreak => self.inline.line_break(),
            Event::Rule => self.emit(Leaf::Rule),
            Event::InlineHtml(text)
            | Event::InlineMath(text)
            | Event::DisplayMath(text)
            | Event::FootnoteReference(text) => self.inline.text(&text),
            Event::TaskListMarker(done) => self.inline.text(if done { "[x] " } else { "[ ] " }),
        }
    }

    fn start(&mut self, tag: Tag<'_>) {
        match tag {
            Tag::Paragraph => self.loosen(),
            Tag::Heading { level, .. } => {
                self.flush();
                let underline = level == HeadingLevel::H1;
                self.inline.begin(|_| Style { underline, ..Style::BOLD });
            }
            Tag::BlockQuote(_) => {
                self.flush();
                self.containers.push(Container::Quote { fresh: true });
            }
            Tag::CodeBlock(kind) => {
                self.flush();
                self.language = match kind {
                    CodeBlockKind::Fenced(info) => info.into_string(),
                    CodeBlockKind::Indented => String::new(),
                };
                self.verbatim = Some(String::new());
            }
            Tag::HtmlBlock => {
                self.flush();
                self.verbatim = Some(String::new());
            }
            Tag::List(next) => {
                self.flush();
                self.containers.push(Container::List { next, loose: false });
            }
            Tag::Item => {
                let marker = self.next_marker();
                self.containers.push(Container::Item { marker, fresh: true });
            }
            Tag::Table(alignments) => {
                self.flush();
                self.table = Some(Table::new(alignments));
            }
            Tag::TableHead | Tag::TableRow => {
                if let Some(table) = &mut self.table {
                    table.begin_row();
                }
            }
            Tag::Emphasis => self.inline.begin(|style| Style { italic: true, ..style }),
            Tag::Strong => self.inline.begin(|style| Style { bold: true, ..style }),
            Tag::Link { dest_url, .. } => self.inline.begin_link(&dest_url),
            Tag::Image { dest_url, .. } => {
                self.inline.text("[image: ");
                self.inline.begin_link(&dest_url);
            }
            Tag::TableCell
            | Tag::Strikethrough
            | Tag::Superscript
            | Tag::Subscript
            | Tag::FootnoteDefinition(_)
            | Tag::DefinitionList
            | Tag::DefinitionListTitle
            | Tag::DefinitionListDefinition
            | Tag::MetadataBlock(_) => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Paragraph => self.flush(),
            TagEnd::Heading(_) => {
                self.inline.end();
                self.flush();
            }
            TagEnd::CodeBlock => {
                let text = self.verbatim.take().unwrap_or_default();
                let text = Clean::block(text.trim_end_matches('\n'));
                let lines = text.lines().map(|line| Row::from(Span::plain(line))).collect();
                let code = Code::new(&std::mem::take(&mut self.language), &text);
                self.emit(Leaf::Code { code, lines });
            }
            TagEnd::HtmlBlock => {
                let text = self.verbatim.take().unwrap_or_default();
                self.emit(Leaf::Text(vec![Span::plain(Clean::block(text.trim_end()))]));
            }
            TagEnd::Item => {
                self.flush();
                if matches!(self.containers.last(), Some(Container::Item { fresh: true, .. })) {
                    self.emit(Leaf::Text(Vec::new()));
                }
                self.containers.pop();
            }
            TagEnd::BlockQuote(_) | TagEnd::List(_) => {
                self.flush();
                self.containers.pop();
                self.gap = self.wants_gap();
            }
            TagEnd::TableCell => {
                let cell = self.inline.take();
                if let Some(table) = &mut self.table {
                    table.add_cell(cell);
                }
            }
            TagEnd::Table => {
                if let Some(table) = self.table.take() {
                    self.emit(Leaf::Table(table));
                }
            }
            TagEnd::Emphasis | TagEnd::Strong => self.inline.end(),
            TagEnd::Link => self.inline.end_link(),
            TagEnd::Image => {
                self.inline.end_link();
                self.inline.text("]");
            }
            TagEnd::TableHead
            | TagEnd::TableRow
            | TagEnd::Strikethrough
            | TagEnd::Superscript
            | TagEnd::Subscript
            | TagEnd::FootnoteDefinition
            | TagEnd::DefinitionList
            | TagEnd::DefinitionListTitle
            | TagEnd::DefinitionListDefinition
            | TagEnd::MetadataBlock(_) => {}
        }
    }

    fn text(&mut self, text: &str) {
        match &mut self.verbatim {
            Some(verbatim) => verbatim.push_str(text),
            None => self.inline.text(text),
        }
    }

    /// Ends a block of text: a paragraph, or an item's text that is none.
    fn flush(&mut self) {
        if !self.inline.is_empty() {
            let spans = self.inline.take();
            self.emit(Leaf::Text(spans));
        }
    }

    /// Items stand apart in a list that has a paragraph in an item.
    fn loosen(&mut self) {
        if let [.., Container::List { loose, .. }, Container::Item { .. }] = self.containers.as_mut_slice() {
            *loose = true;
        }
    }

    fn next_marker(&mut self) -> String {
        match self.containers.last_mut() {
            Some(Container::List { next: Some(number), .. }) => {
                let marker = format!("{number}. ");
                *number = number.saturating_add(1);
                marker
            }
            _ => "- ".to_owned(),
        }
    }

    fn emit(&mut self, leaf: Leaf) {
        let prefix = Prefix {
            gap: self
                .gap
                .then(|| join(self.containers.iter().take_while(|c| !c.is_fresh()).map(Container::rest))),
            first: join(self.containers.iter().map(Container::first)),
            rest: join(self.containers.iter().map(Container::rest)),
        };
        self.blocks.push(Block::new(prefix, leaf));
        for container in &mut self.containers {
            container.use_up();
        }
        self.gap = self.wants_gap();
    }

    fn wants_gap(&self) -> bool {
        match self.containers.as_slice() {
            [.., Container::List { loose, .. }, Container::Item { .. }] => *loose,
            _ => true,
        }
    }
}

fn join(parts: impl Iterator<Item = String>) -> Clean {
    Clean::tidied(parts.collect())
}

impl Container {
    fn is_fresh(&self) -> bool {
        match self {
            Self::List { .. } => false,
            Self::Item { fresh, .. } | Self::Quote { fresh } => *fresh,
        }
    }

    fn use_up(&mut self) {
        match self {
            Self::List { .. } => {}
            Self::Item { fresh, .. } | Self::Quote { fresh } => *fresh = false,
        }
    }

    /// What stands before the block that is made next.
    fn first(&self) -> String {
        match self {
            Self::Item { marker, fresh: true } => marker.clone(),
            Self::Item { .. } | Self::List { .. } | Self::Quote { .. } => self.rest(),
        }
    }

    /// What stands before its further rows.
    fn rest(&self) -> String {
        match self {
            Self::List { .. } => String::new(),
            Self::Item { marker, .. } => " ".repeat(marker.len()),
            Self::Quote { .. } => QUOTE.to_owned(),
        }
    }
}
