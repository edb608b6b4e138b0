//! Styled text: what a view draws, in words that know no screen library.

use super::clean::Clean;
use super::width::width;

/// The terminal's own sixteen colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Color16 {
    Black,
    Red,
    Green,
    Yellow,
    Blue,
    Magenta,
    Cyan,
    White,
    BrightBlack,
    BrightRed,
    BrightGreen,
    BrightYellow,
    BrightBlue,
    BrightMagenta,
    BrightCyan,
    BrightWhite,
}

impl Color16 {
    /// All of them, in the order of their numbers in SGR sequences.
    pub const ALL: [Self; 16] = [
        Self::Black,
        Self::Red,
        Self::Green,
        Self::Yellow,
        Self::Blue,
        Self::Magenta,
        Self::Cyan,
        Self::White,
        Self::BrightBlack,
        Self::BrightRed,
        Self::BrightGreen,
        Self::BrightYellow,
        Self::BrightBlue,
        Self::BrightMagenta,
        Self::BrightCyan,
        Self::BrightWhite,
    ];
}

/// How text is drawn. There is no background: none is ever painted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Style {
    /// Bold.
    pub bold: bool,
    /// Dim.
    pub dim: bool,
    /// Italic.
    pub italic: bool,
    /// Underlined.
    pub underline: bool,
    /// Foreground and background exchanged.
    pub reverse: bool,
    /// The foreground; without one, the terminal's own.
    pub color: Option<Color16>,
}

impl Style {
    /// As the terminal draws by itself.
    pub const PLAIN: Self =
        Self { bold: false, dim: false, italic: false, underline: false, reverse: false, color: None };
    /// Bold and nothing else.
    pub const BOLD: Self = Self { bold: true, ..Self::PLAIN };
    /// Dim and nothing else.
    pub const DIM: Self = Self { dim: true, ..Self::PLAIN };
    /// Reverse and nothing else.
    pub const REVERSE: Self = Self { reverse: true, ..Self::PLAIN };
}

/// A stretch of text in one style.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Span {
    /// What to draw.
    pub text: Clean,
    /// How to draw it.
    pub style: Style,
}

impl Span {
    /// Text in a style.
    #[must_use]
    pub fn new(text: Clean, style: Style) -> Self {
        Self { text, style }
    }

    /// Text as the terminal draws it by itself.
    #[must_use]
    pub fn plain(text: Clean) -> Self {
        Self { text, style: Style::PLAIN }
    }
}

/// One line of styled text. What [`wrap`](super::wrap()) returns fits its
/// width; any other row may be of any width.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Row {
    /// From left to right.
    pub spans: Vec<Span>,
}

impl Row {
    /// Its width in cells.
    #[must_use]
    pub fn width(&self) -> usize {
        self.spans.iter().map(|span| width(&span.text)).sum()
    }

    /// Its text without styles.
    #[must_use]
    pub fn text(&self) -> String {
        self.spans.iter().map(|span| span.text.as_str()).collect()
    }
}

impl From<Span> for Row {
    fn from(span: Span) -> Self {
        Self { spans: vec![span] }
    }
}
