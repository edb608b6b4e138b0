//! Code in colours, by what its language's grammar says of each word.

use super::clean::Clean;
use super::style::{Color16, Row, Span, Style};
use std::sync::LazyLock;
use syntect::parsing::{ParseState, Scope, ScopeStack, SyntaxSet};

static SYNTAXES: LazyLock<SyntaxSet> = LazyLock::new(two_face::syntax::extra_newlines);

/// Longer code, in bytes, stays plain: a grammar reads about half a megabyte in
/// a second.
const LONGEST_CODE: usize = 64 << 10;
/// A longer line, in bytes, is data and not code.
const LONGEST_LINE: usize = 1 << 10;

/// Code of a length that can be coloured, in a language that somebody named.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Code {
    language: String,
    text: Clean,
}

impl Code {
    /// Code of this language; none if it names none, or is too long to be coloured.
    pub(super) fn new(language: &str, text: &Clean) -> Option<Self> {
        // "rust,ignore", "python {cell=1}"
        let name = language.split([' ', ',', '{']).next().filter(|name| !name.is_empty())?;
        let long = text.len() > LONGEST_CODE || text.lines().any(|line| line.len() > LONGEST_LINE);
        (!long).then(|| Self { language: name.to_owned(), text: text.clone() })
    }

    /// Its lines with a colour for each word, by its language's grammar; none if
    /// that is not known or gives up. May take a tenth of a second, so it is for
    /// a thread that nobody waits for.
    #[must_use]
    pub fn highlight(&self) -> Option<Vec<Row>> {
        let name = match self.language.as_str() {
            "shell" | "console" | "shellsession" => "sh",
            name => name,
        };
        let mut state = ParseState::new(SYNTAXES.find_syntax_by_token(name)?);
        let mut stack = ScopeStack::new();
        self.text.lines().map(|line| colored_line(&line, &mut state, &mut stack)).collect()
    }
}

fn colored_line(line: &Clean, state: &mut ParseState, stack: &mut ScopeStack) -> Option<Row> {
    let changes = state.parse_line(&format!("{}\n", line.as_str()), &SYNTAXES).ok()?;
    let mut row = Row::default();
    let mut begin = 0;
    for (at, change) in changes {
        let at = at.min(line.len());
        push(&mut row, line.part(begin..at), style_of(stack));
        begin = at;
        stack.apply(&change).ok()?;
    }
    push(&mut row, line.part(begin..line.len()), style_of(stack));
    Some(row)
}

fn push(row: &mut Row, text: Clean, style: Style) {
    match row.spans.last_mut() {
        _ if text.is_empty() => {}
        Some(last) if last.style == style => last.text = last.text.followed_by(&text),
        _ => row.spans.push(Span::new(text, style)),
    }
}

/// By the innermost scope that has a style.
fn style_of(stack: &ScopeStack) -> Style {
    let innermost = stack.scopes.iter().rev();
    let known = innermost.filter_map(|scope| STYLES.iter().find(|(known, _)| known.is_prefix_of(*scope)));
    known.map(|(_, style)| *style).next().unwrap_or_default()
}

const fn color(color: Color16) -> Style {
    Style { color: Some(color), ..Style::PLAIN }
}

/// What words are, as grammars name it; the first that fits counts.
static STYLES: LazyLock<Vec<(Scope, Style)>> = LazyLock::new(|| {
    let styles = [
        ("comment", Style::DIM),
        ("string", color(Color16::Green)),
        ("constant", color(Color16::Cyan)),
        ("keyword.operator", Style::PLAIN),
        ("keyword", color(Color16::Magenta)),
        ("storage.type.function", color(Color16::Magenta)),
        ("storage.type", color(Color16::Yellow)),
        ("storage", color(Color16::Magenta)),
        ("entity.name.function", color(Color16::Blue)),
        ("entity.name.tag", color(Color16::Blue)),
        ("entity.name", color(Color16::Yellow)),
        ("support.function", color(Color16::Blue)),
        ("support.type", color(Color16::Yellow)),
        ("variable.function", color(Color16::Blue)),
        ("markup.inserted", color(Color16::Green)),
        ("markup.deleted", color(Color16::Red)),
        ("markup.heading", Style::BOLD),
        ("meta.diff.header", Style::BOLD),
        ("meta.diff.range", color(Color16::Cyan)),
    ];
    styles.into_iter().filter_map(|(scope, style)| Some((Scope::new(scope).ok()?, style))).collect()
});

#[cfg(test)]
mod tests {
    use super::*;

    fn highlighted(code: &str, language: &str) -> Option<Vec<Row>> {
        Code::new(language, &Clean::block(code)).and_then(|code| code.highlight())
    }

    fn words(code: &str, language: &str, style: Style) -> Vec<String> {
        let rows = highlighted(code, language).unwrap();
        let spans = rows.iter().flat_map(|row| &row.spans).filter(|span| span.style == style);
        spans.map(|span| span.text.trim().to_owned()).collect()
    }

    #[test]
    fn words_have_the_colour_of_what_they_are() {
        let green = color(Color16::Green);
        assert_eq!(words("echo 'a b' # note", "sh", green), ["'a b'"]);
        assert_eq!(words("echo 'a b' # note", "console", Style::DIM), ["# note"]);
        assert_eq!(words("let x = 1;", "rust,ignore", color(Color16::Cyan)), ["1"]);
        assert_eq!(words("-old\n+new", "diff", green), ["+new"]);
        assert_eq!(words("a = \"é漢\"", "toml", green), ["\"é漢\""]);
        assert_eq!(words("/* a\nb */ 1", "c", Style::DIM), ["/* a", "b */"]);
    }

    #[test]
    fn what_is_unknown_or_long_stays_plain() {
        let (wide, long) = ("'a' ".repeat(300), "'a'\n".repeat(30_000));
        for (code, language) in [("'y'", ""), ("'y'", "no such thing"), (&wide, "sh"), (&long, "sh")] {
            assert_eq!(highlighted(code, language), None, "{language}");
        }
    }

    #[test]
    fn no_text_changes() {
        let code = "fn main() {\n    println!(\"{}\", '漢'); // \t\n\n}\n#[a(b = 'c)]\n";
        for language in ["rust", "json", "sh"] {
            let shown: Vec<String> = highlighted(code, language).unwrap().iter().map(Row::text).collect();
            assert_eq!(shown.join("\n"), Clean::block(code).trim_end_matches('\n'), "{language}");
        }
    }
}
