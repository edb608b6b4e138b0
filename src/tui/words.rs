//! Times, paths and commands as a person reads them.

use crate::record::Timestamp;
use crate::text::{Clean, Piece, Row, Span, escape_command, human_count, short_path};
use crate::tui::theme;
use jiff::tz::TimeZone;
use std::path::{Path, PathBuf};

/// What turns times and paths into words.
#[derive(Debug, Clone)]
pub(crate) struct Words {
    /// The time zone of the person; none for the system's, which is looked up when
    /// the first time is shown: it takes longer than all else before the first frame.
    pub zone: Option<TimeZone>,
    /// The home directory, written as `~`.
    pub home: Option<PathBuf>,
}

impl Words {
    fn zoned(&self, at: Timestamp) -> Option<jiff::Zoned> {
        let time = jiff::Timestamp::from_millisecond(at.as_millis()).ok()?;
        Some(time.to_zoned(self.zone.clone().unwrap_or_else(TimeZone::system)))
    }

    /// `20:13:05`.
    pub(crate) fn clock(&self, at: Timestamp) -> String {
        self.zoned(at).map_or_else(|| at.to_string(), |time| time.strftime("%H:%M:%S").to_string())
    }

    /// `now`, `2 min`, `09:12`, `yesterday`, `1 Nov`, `1 Nov 2025`. What a clock
    /// that ran ahead has written is not "now" but has its date.
    pub(crate) fn ago(&self, at: Timestamp, now: Timestamp) -> String {
        let minutes = now.as_millis().saturating_sub(at.as_millis()) / 60_000;
        let (Some(then), Some(today)) = (self.zoned(at), self.zoned(now)) else { return at.to_string() };
        let days = today.date().since(then.date()).map_or(0, |span| span.get_days());
        match (minutes, days) {
            (-1..=0, _) => "now".to_owned(),
            (1..60, _) => format!("{minutes} min"),
            (_, 0) => then.strftime("%H:%M").to_string(),
            (_, 1) => "yesterday".to_owned(),
            _ if then.year() == today.year() => then.strftime("%-d %b").to_string(),
            _ => then.strftime("%-d %b %Y").to_string(),
        }
    }

    /// `09:12`, `1 Nov 09:12`, `1 Nov 2025 09:12`.
    pub(crate) fn since(&self, at: Timestamp, now: Timestamp) -> String {
        let (Some(then), Some(today)) = (self.zoned(at), self.zoned(now)) else { return at.to_string() };
        let form = match () {
            () if then.date() == today.date() => "%H:%M",
            () if then.year() == today.year() => "%-d %b %H:%M",
            () => "%-d %b %Y %H:%M",
        };
        then.strftime(form).to_string()
    }

    /// A directory with the home directory as `~`.
    pub(crate) fn place(&self, path: &str) -> String {
        short_path(Path::new(path), self.home.as_deref()).to_string()
    }
}

/// Milliseconds from one time to another; none if they are the wrong way round.
pub(crate) fn between(from: Timestamp, to: Timestamp) -> u64 {
    u64::try_from(to.as_millis().saturating_sub(from.as_millis())).unwrap_or(0)
}

/// `1 command`, `2 commands`.
pub(crate) fn count(n: usize, one: &str) -> String {
    if n == 1 { format!("1 {one}") } else { format!("{} {one}s", human_count(n as u64)) }
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
    fn times_are_told_from_now() {
        let words = Words { zone: Some(TimeZone::UTC), home: Some("/home/me".into()) };
        let now = Timestamp::parse("2026-11-29T20:13:05.000Z").unwrap();
        for (at, expected) in [
            ("2026-11-29T20:12:30.000Z", "now"),
            ("2026-11-29T20:14:30.000Z", "now"),
            ("2026-11-29T20:20:00.000Z", "20:20"),
            ("2026-11-30T09:12:00.000Z", "30 Nov"),
            ("2096-11-29T20:20:00.000Z", "29 Nov 2096"),
            ("2026-11-29T20:11:00.000Z", "2 min"),
            ("2026-11-29T09:12:00.000Z", "09:12"),
            ("2026-11-28T23:00:00.000Z", "yesterday"),
            ("2026-11-01T09:12:00.000Z", "1 Nov"),
            ("2025-11-01T09:12:00.000Z", "1 Nov 2025"),
        ] {
            assert_eq!(words.ago(Timestamp::parse(at).unwrap(), now), expected, "{at}");
        }
        assert_eq!(words.clock(now), "20:13:05");
        assert_eq!(words.place("/home/me/shop"), "~/shop");
    }
}
