//! Times, spans, sizes and paths as a person reads them.

use crate::record::Timestamp;
use crate::text::{Clean, Piece, Row, Span, escape_command};
use crate::tui::theme;
use jiff::tz::TimeZone;

/// What turns times and paths into words.
#[derive(Debug, Clone)]
pub(crate) struct Words {
    /// The time zone of the person.
    pub zone: TimeZone,
    /// The home directory, written as `~`.
    pub home: Option<String>,
}

impl Words {
    fn zoned(&self, at: Timestamp) -> Option<jiff::Zoned> {
        let time = jiff::Timestamp::from_millisecond(at.as_millis()).ok()?;
        Some(time.to_zoned(self.zone.clone()))
    }

    /// `20:13:05`.
    pub(crate) fn clock(&self, at: Timestamp) -> String {
        self.zoned(at).map_or_else(|| at.to_string(), |time| time.strftime("%H:%M:%S").to_string())
    }

    /// `now`, `2 min`, `09:12`, `yesterday`, `1 Nov`, `1 Nov 2025`.
    pub(crate) fn ago(&self, at: Timestamp, now: Timestamp) -> String {
        let minutes = now.as_millis().saturating_sub(at.as_millis()) / 60_000;
        let (Some(then), Some(today)) = (self.zoned(at), self.zoned(now)) else { return at.to_string() };
        let days = today.date().since(then.date()).map_or(0, |span| span.get_days());
        match (minutes, days) {
            (..=0, _) => "now".to_owned(),
            (1..60, _) => format!("{minutes} min"),
            (_, 0) => then.strftime("%H:%M").to_string(),
            (_, 1) => "yesterday".to_owned(),
            _ if then.year() == today.year() => then.strftime("%-d %b").to_string(),
            _ => then.strftime("%-d %b %Y").to_string(),
        }
    }

    /// A directory with the home directory as `~`.
    pub(crate) fn place(&self, path: &str) -> String {
        let home = self.home.as_deref().filter(|home| home.len() > 1);
        match home.and_then(|home| path.strip_prefix(home)) {
            Some("") => "~".to_owned(),
            Some(rest) if rest.starts_with('/') => format!("~{rest}"),
            _ => path.to_owned(),
        }
    }
}

/// `0.4 s`, `12 s`, `5 min`, `5 min 3 s`, `1 h`, from milliseconds.
pub(crate) fn span(millis: u64) -> String {
    let seconds = millis / 1000;
    match (seconds / 3600, seconds / 60 % 60, seconds % 60) {
        (0, 0, 0..10) => format!("{}.{} s", seconds, millis % 1000 / 100),
        (0, 0, s) => format!("{s} s"),
        (0, min, 0) => format!("{min} min"),
        (0, min, s) => format!("{min} min {s} s"),
        (h, 0, _) => format!("{h} h"),
        (h, min, _) => format!("{h} h {min} min"),
    }
}

/// Whole seconds of a counter that is shown while it runs.
pub(crate) fn counter(millis: u64) -> String {
    if millis < 60_000 { format!("{} s", millis / 1000) } else { span(millis) }
}

/// `512 bytes`, `12 KiB`, `3 MiB`.
pub(crate) fn size(bytes: u64) -> String {
    match bytes {
        0..1024 => format!("{bytes} bytes"),
        1024..0x10_0000 => format!("{} KiB", bytes.div_ceil(1024)),
        _ => format!("{} MiB", bytes.div_ceil(0x10_0000)),
    }
}

/// `1.2k` and the like, for tokens.
pub(crate) fn tokens(count: u64) -> String {
    match count {
        0..1000 => format!("{count} tokens"),
        1000..1_000_000 => format!("{}.{}k tokens", count / 1000, count % 1000 / 100),
        _ => format!("{}.{}M tokens", count / 1_000_000, count % 1_000_000 / 100_000),
    }
}

/// `1 command`, `2 commands`.
pub(crate) fn count(n: usize, one: &str) -> String {
    if n == 1 { format!("1 {one}") } else { format!("{n} {one}s") }
}

/// The first line of a command, short enough for a sentence.
pub(crate) fn summary(command: &str) -> String {
    Clean::line(&crate::session::words::summary(command)).shortened(40).to_string()
}

/// A command's lines as the bytes that run, what is escaped in reverse.
pub(crate) fn command_spans(command: &str) -> Vec<Row> {
    let span = |piece: Piece| Span {
        text: piece.text,
        style: if piece.escaped { theme::WARNING } else { crate::text::Style::PLAIN },
    };
    escape_command(command)
        .into_iter()
        .map(|line| Row { spans: line.into_iter().map(span).collect() })
        .collect()
}

/// A row of one text in one style, made safe.
pub(crate) fn row(text: &str, style: crate::text::Style) -> Row {
    Row::from(Span::new(Clean::line(text), style))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_are_short() {
        for (millis, expected) in [
            (0, "0.0 s"),
            (9_999, "9.9 s"),
            (12_000, "12 s"),
            (300_000, "5 min"),
            (303_000, "5 min 3 s"),
            (3_600_000, "1 h"),
            (5_400_000, "1 h 30 min"),
        ] {
            assert_eq!(span(millis), expected);
        }
    }

    #[test]
    fn times_are_told_from_now() {
        let words = Words { zone: TimeZone::UTC, home: Some("/home/me".into()) };
        let now = Timestamp::parse("2026-11-29T20:13:05.000Z").unwrap();
        for (at, expected) in [
            ("2026-11-29T20:12:30.000Z", "now"),
            ("2026-11-29T20:20:00.000Z", "now"),
            ("2026-11-29T20:11:00.000Z", "2 min"),
            ("2026-11-29T09:12:00.000Z", "09:12"),
            ("2026-11-28T23:00:00.000Z", "yesterday"),
            ("2026-11-01T09:12:00.000Z", "1 Nov"),
            ("2025-11-01T09:12:00.000Z", "1 Nov 2025"),
        ] {
            assert_eq!(words.ago(Timestamp::parse(at).unwrap(), now), expected, "{at}");
        }
        assert_eq!(words.clock(now), "20:13:05");
        for (path, expected) in
            [("/home/me", "~"), ("/home/me/shop", "~/shop"), ("/home/meme", "/home/meme"), ("/", "/")]
        {
            assert_eq!(words.place(path), expected);
        }
    }
}
