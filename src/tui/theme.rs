//! How everything looks, in one place: the terminal's own sixteen colours with
//! bold, dim and reverse, no background ever. Nothing depends on colour alone.

use crate::config::{Borders, ScreenSettings};
use crate::text::{Color16, Row, Style};
use crate::tui::surroundings::Surroundings;
use ratatui::style as out;
use ratatui::symbols::border;

/// Names and headings.
pub(crate) const HEADING: Style = Style::BOLD;
/// What may be overlooked.
pub(crate) const QUIET: Style = Style::DIM;
/// What must not be overlooked, and what is chosen.
pub(crate) const WARNING: Style = Style::REVERSE;
/// What is chosen.
pub(crate) const CHOSEN: Style = Style { bold: true, ..Style::REVERSE };
/// The person.
pub(crate) const YOU: Style = Style { color: Some(Color16::Cyan), ..Style::BOLD };
/// The model.
pub(crate) const ASSISTANT: Style = Style { color: Some(Color16::Magenta), ..Style::BOLD };
/// Candor itself.
pub(crate) const CANDOR: Style = Style { color: Some(Color16::Yellow), ..Style::BOLD };
/// Ended well.
pub(crate) const GOOD: Style = Style { color: Some(Color16::Green), ..Style::PLAIN };
/// Ended badly, or not known.
pub(crate) const BAD: Style = Style { color: Some(Color16::Red), ..Style::BOLD };
/// Goes on.
pub(crate) const LIVE: Style = Style { color: Some(Color16::Yellow), ..Style::PLAIN };

/// What the terminal can show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Theme {
    colors: bool,
    boxes: bool,
}

impl Theme {
    /// The look by settings and surroundings.
    pub(crate) fn new(settings: &ScreenSettings, surroundings: &Surroundings) -> Self {
        let boxes = match settings.borders {
            Borders::Auto => surroundings.is_utf8(),
            Borders::Box => true,
            Borders::Ascii => false,
        };
        Self { colors: !surroundings.no_color, boxes }
    }

    /// The symbols of a dialog's border.
    pub(crate) fn border(self) -> border::Set<'static> {
        if self.boxes {
            return border::PLAIN;
        }
        border::Set {
            top_left: "+",
            top_right: "+",
            bottom_left: "+",
            bottom_right: "+",
            vertical_left: "|",
            vertical_right: "|",
            horizontal_top: "-",
            horizontal_bottom: "-",
        }
    }

    /// The symbol of a line from side to side.
    pub(crate) fn rule(self) -> &'static str {
        self.border().horizontal_top
    }

    /// A style in the screen library's terms.
    pub(crate) fn style(self, style: Style) -> out::Style {
        let mut drawn = out::Style::new();
        let flags = [
            (style.bold, out::Modifier::BOLD),
            (style.dim, out::Modifier::DIM),
            (style.italic, out::Modifier::ITALIC),
            (style.underline, out::Modifier::UNDERLINED),
            (style.reverse, out::Modifier::REVERSED),
        ];
        for (_, modifier) in flags.into_iter().filter(|(set, _)| *set) {
            drawn = drawn.add_modifier(modifier);
        }
        match style.color.filter(|_| self.colors) {
            Some(color) => drawn.fg(foreground(color)),
            None => drawn,
        }
    }

    /// A row in the screen library's terms.
    pub(crate) fn line(self, row: &Row) -> ratatui::text::Line<'_> {
        let spans = row.spans.iter();
        spans.map(|span| ratatui::text::Span::styled(span.text.as_str(), self.style(span.style))).collect()
    }
}

fn foreground(color: Color16) -> out::Color {
    match color {
        Color16::Black => out::Color::Black,
        Color16::Red => out::Color::Red,
        Color16::Green => out::Color::Green,
        Color16::Yellow => out::Color::Yellow,
        Color16::Blue => out::Color::Blue,
        Color16::Magenta => out::Color::Magenta,
        Color16::Cyan => out::Color::Cyan,
        Color16::White => out::Color::Gray,
        Color16::BrightBlack => out::Color::DarkGray,
        Color16::BrightRed => out::Color::LightRed,
        Color16::BrightGreen => out::Color::LightGreen,
        Color16::BrightYellow => out::Color::LightYellow,
        Color16::BrightBlue => out::Color::LightBlue,
        Color16::BrightMagenta => out::Color::LightMagenta,
        Color16::BrightCyan => out::Color::LightCyan,
        Color16::BrightWhite => out::Color::White,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn theme(borders: Borders, locale: &str, no_color: bool) -> Theme {
        let settings = ScreenSettings { borders, ..ScreenSettings::default() };
        Theme::new(&settings, &Surroundings { no_color, locale: locale.into(), ..Surroundings::default() })
    }

    #[test]
    fn borders_follow_the_setting_and_the_locale() {
        for (borders, locale, expected) in [
            (Borders::Auto, "de_DE.UTF-8", "─"),
            (Borders::Auto, "C.utf8", "─"),
            (Borders::Auto, "C", "-"),
            (Borders::Auto, "", "-"),
            (Borders::Box, "C", "─"),
            (Borders::Ascii, "C.UTF-8", "-"),
        ] {
            assert_eq!(theme(borders, locale, false).rule(), expected, "{borders:?} {locale}");
        }
    }

    #[test]
    fn no_two_colours_are_one() {
        let mut seen = Color16::ALL.map(foreground).to_vec();
        seen.sort_unstable_by_key(|color| format!("{color:?}"));
        seen.dedup();
        assert_eq!(seen.len(), 16);
        assert!(seen.iter().all(|color| !matches!(color, out::Color::Rgb(..) | out::Color::Indexed(_))));
    }

    #[test]
    fn without_colours_the_rest_of_a_style_stays() {
        let plain = theme(Borders::Auto, "C", true).style(BAD);
        assert_eq!(plain, out::Style::new().add_modifier(out::Modifier::BOLD));
        let colored = theme(Borders::Auto, "C", false).style(BAD);
        assert_eq!(colored, plain.fg(out::Color::Red));
        assert_eq!(colored.bg, None, "no background is ever painted");
    }
}
