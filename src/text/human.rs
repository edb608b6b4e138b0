//! Numbers, times and paths as people read them.

use super::clean::Clean;
use std::path::Path;

/// A size in bytes: "640 bytes", "64 KiB", "1.5 MiB". A tenth is shown where
/// it is not zero, rounded down: a size is never made larger than it is.
#[must_use]
pub fn human_bytes(bytes: u64) -> String {
    const UNITS: [(u32, &str); 4] = [(40, "TiB"), (30, "GiB"), (20, "MiB"), (10, "KiB")];
    let Some((shift, unit)) = UNITS.into_iter().find(|(shift, _)| bytes >> shift > 0) else {
        return format!("{bytes} {}", if bytes == 1 { "byte" } else { "bytes" });
    };
    let whole = bytes >> shift;
    let tenth = ((bytes - (whole << shift)) >> (shift - 10)) * 10 / 1024;
    if tenth == 0 || whole >= 100 {
        format!("{} {unit}", human_count(whole))
    } else {
        format!("{whole}.{tenth} {unit}")
    }
}

/// A duration in milliseconds, in its two largest units: "12 s", "5 min",
/// "1 min 30 s", "1 h 2 min", "2 d 3 h". Parts of a second are dropped.
#[must_use]
pub fn human_duration(ms: u64) -> String {
    let seconds = ms / 1000;
    let (minutes, hours, days) = (seconds / 60, seconds / 3600, seconds / 86_400);
    let (large, small) = match (days, hours, minutes) {
        (0, 0, 0) => return format!("{seconds} s"),
        (0, 0, _) => ((minutes, "min"), (seconds % 60, "s")),
        (0, _, _) => ((hours, "h"), (minutes % 60, "min")),
        (_, _, _) => ((days, "d"), (hours % 24, "h")),
    };
    match small {
        (0, _) => format!("{} {}", large.0, large.1),
        (n, unit) => format!("{} {} {n} {unit}", large.0, large.1),
    }
}

/// How long something took, in milliseconds: "0.0 s", "3.4 s", and from a
/// minute on as [`human_duration`].
#[must_use]
pub fn human_elapsed(ms: u64) -> String {
    if ms < 60_000 { format!("{}.{} s", ms / 1000, ms % 1000 / 100) } else { human_duration(ms) }
}

/// A number with its thousands apart: "3,412".
#[must_use]
pub fn human_count(n: u64) -> String {
    let digits = n.to_string();
    let mut grouped = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.char_indices() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// A number in three or four characters: "950", "1.2k", "34k", "1.5M".
#[must_use]
pub fn human_magnitude(n: u64) -> String {
    let (unit, name) = match n {
        0..1000 => return n.to_string(),
        1000..1_000_000 => (1000, "k"),
        _ => (1_000_000, "M"),
    };
    match (n / unit, n % unit * 10 / unit) {
        (whole, tenth) if whole < 10 && tenth > 0 => format!("{whole}.{tenth}{name}"),
        (whole, _) => format!("{whole}{name}"),
    }
}

/// A path with "~" for the home directory. For a glance: where every byte
/// counts, use [`escape_command`](super::escape_command).
#[must_use]
pub fn short_path(path: &Path, home: Option<&Path>) -> Clean {
    let below_home =
        home.filter(|home| home.parent().is_some()).and_then(|home| path.strip_prefix(home).ok());
    let shown = match below_home {
        Some(rest) if rest.as_os_str().is_empty() => "~".to_owned(),
        Some(rest) => format!("~/{}", rest.display()),
        None => path.display().to_string(),
    };
    Clean::line(&shown)
}

/// The number of words in `text`.
#[must_use]
pub fn count_words(text: &str) -> usize {
    text.split_whitespace().count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes() {
        for (bytes, shown) in [
            (0, "0 bytes"),
            (1, "1 byte"),
            (1023, "1023 bytes"),
            (1024, "1 KiB"),
            (65_536, "64 KiB"),
            (310 << 10, "310 KiB"),
            ((1 << 20) - 1, "1,023 KiB"),
            (3 << 19, "1.5 MiB"),
            (64 << 20, "64 MiB"),
            ((2 << 30) - 1, "1.9 GiB"),
            (u64::MAX, "16,777,215 TiB"),
        ] {
            assert_eq!(human_bytes(bytes), shown);
        }
    }

    #[test]
    fn durations() {
        for (ms, shown, elapsed) in [
            (0, "0 s", "0.0 s"),
            (999, "0 s", "0.9 s"),
            (12_000, "12 s", "12.0 s"),
            (59_999, "59 s", "59.9 s"),
            (90_000, "1 min 30 s", "1 min 30 s"),
            (300_000, "5 min", "5 min"),
            (3_600_000, "1 h", "1 h"),
            (3_725_000, "1 h 2 min", "1 h 2 min"),
            (183_600_000, "2 d 3 h", "2 d 3 h"),
        ] {
            assert_eq!((human_duration(ms).as_str(), human_elapsed(ms).as_str()), (shown, elapsed));
        }
    }

    #[test]
    fn numbers() {
        for (n, counted, short) in [
            (0, "0", "0"),
            (999, "999", "999"),
            (1234, "1,234", "1.2k"),
            (2000, "2,000", "2k"),
            (34_999, "34,999", "34k"),
            (1_500_000, "1,500,000", "1.5M"),
        ] {
            assert_eq!((human_count(n).as_str(), human_magnitude(n).as_str()), (counted, short));
        }
        assert_eq!(count_words(" one  two\nthree "), 3);
    }

    #[test]
    fn paths() {
        let home = Some(Path::new("/home/me"));
        for (path, shown) in [
            ("/home/me", "~"),
            ("/home/me/shop", "~/shop"),
            ("/home/meet", "/home/meet"),
            ("/srv/a\nb", "/srv/a b"),
        ] {
            assert_eq!(short_path(Path::new(path), home).as_str(), shown);
        }
        assert_eq!(short_path(Path::new("/srv"), Some(Path::new("/"))).as_str(), "/srv");
        assert_eq!(short_path(Path::new("/srv"), None).as_str(), "/srv");
    }
}
