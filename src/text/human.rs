//! Amounts as people say them.

/// A duration: `0.4 s`, `12 s`, `5 min`, `1 h 2 min`.
#[must_use]
pub fn human_duration(millis: u64) -> String {
    let seconds = millis / 1000;
    match seconds {
        0..=9 if !millis.is_multiple_of(1000) || millis == 0 => {
            format!("{seconds}.{} s", millis % 1000 / 100)
        }
        0..=119 if !seconds.is_multiple_of(60) || seconds == 0 => format!("{seconds} s"),
        0..=3599 => join(seconds / 60, "min", seconds % 60, "s"),
        _ => join(seconds / 3600, "h", seconds % 3600 / 60, "min"),
    }
}

fn join(large: u64, large_unit: &str, small: u64, small_unit: &str) -> String {
    if small == 0 {
        format!("{large} {large_unit}")
    } else {
        format!("{large} {large_unit} {small} {small_unit}")
    }
}

/// A size: `812 bytes`, `64 KiB`, `1.5 MiB`.
#[must_use]
pub fn human_bytes(bytes: u64) -> String {
    const UNITS: [&str; 4] = ["KiB", "MiB", "GiB", "TiB"];
    if bytes < 1024 {
        return if bytes == 1 { "1 byte".into() } else { format!("{bytes} bytes") };
    }
    let (mut unit, mut whole, mut rest) = (0, bytes / 1024, bytes % 1024);
    while whole >= 1024 && unit + 1 < UNITS.len() {
        (unit, whole, rest) = (unit + 1, whole / 1024, whole % 1024);
    }
    let tenth = rest * 10 / 1024;
    if tenth == 0 { format!("{whole} {}", UNITS[unit]) } else { format!("{whole}.{tenth} {}", UNITS[unit]) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_have_at_most_two_parts() {
        let cases = [
            (0, "0.0 s"),
            (40, "0.0 s"),
            (950, "0.9 s"),
            (2_000, "2 s"),
            (2_300, "2.3 s"),
            (12_900, "12 s"),
            (60_000, "1 min"),
            (90_000, "90 s"),
            (150_000, "2 min 30 s"),
            (300_000, "5 min"),
            (3_600_000, "1 h"),
            (3_725_000, "1 h 2 min"),
        ];
        for (millis, text) in cases {
            assert_eq!(human_duration(millis), text, "{millis}");
        }
    }

    #[test]
    fn sizes_have_at_most_one_decimal() {
        let cases = [
            (0, "0 bytes"),
            (1, "1 byte"),
            (1023, "1023 bytes"),
            (1024, "1 KiB"),
            (1536, "1.5 KiB"),
            (64 << 20, "64 MiB"),
            (3 << 29, "1.5 GiB"),
        ];
        for (bytes, text) in cases {
            assert_eq!(human_bytes(bytes), text, "{bytes}");
        }
    }
}
