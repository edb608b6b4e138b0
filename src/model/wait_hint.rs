//! How long a server asks to wait, in all the forms that are met.

use std::time::Duration;

/// A longest wait that is believed; what is above it is cut to it.
const LONGEST: Duration = Duration::from_secs(366 * 86_400);

/// The wait that headers ask for. `header` looks one up; `now` is the time in
/// milliseconds since 1970, for headers that name a date.
pub(super) fn from_headers<'a>(header: impl Fn(&str) -> Option<&'a str>, now: i64) -> Option<Duration> {
    let milliseconds = || header("retry-after-ms").and_then(|value| seconds(value, 1000.0));
    // LiteLLM renames the upstream's header and sends none itself.
    let named = |name: &str| header(name).and_then(|value| seconds(value, 1.0).or_else(|| until(value, now)));
    milliseconds().or_else(|| named("retry-after")).or_else(|| named("llm_provider-retry-after"))
}

/// The wait that a message speaks of, as in `Please try again in 11.054s`.
pub(super) fn from_message(message: &str) -> Option<Duration> {
    let lower = message.to_ascii_lowercase();
    let (_, after) = lower.split_once("try again in ")?;
    let mut rest = after;
    let mut total = 0.0;
    while let Some((number, unit, after)) = number_and_unit(rest) {
        total += number * unit;
        rest = after;
    }
    (total > 0.0).then(|| whole(total))
}

fn seconds(value: &str, per_second: f64) -> Option<Duration> {
    let value: f64 = value.trim().parse().ok()?;
    (value.is_finite() && value >= 0.0).then(|| whole(value / per_second))
}

fn until(value: &str, now: i64) -> Option<Duration> {
    let date = jiff::fmt::rfc2822::parse(value.trim()).ok()?.timestamp().as_millisecond();
    Some(Duration::from_millis(u64::try_from(date.saturating_sub(now)).unwrap_or(0)).min(LONGEST))
}

fn whole(seconds: f64) -> Duration {
    Duration::try_from_secs_f64(seconds).unwrap_or(LONGEST).min(LONGEST)
}

/// `6m0s` and `1.5 seconds`: a number, its unit in seconds, the rest.
fn number_and_unit(text: &str) -> Option<(f64, f64, &str)> {
    let text = text.trim_start();
    let digits = text.find(|c: char| !c.is_ascii_digit() && c != '.')?;
    let number = text[..digits].parse().ok()?;
    let after = text[digits..].trim_start();
    let letters = after.find(|c: char| !c.is_ascii_lowercase()).unwrap_or(after.len());
    let unit = match &after[..letters] {
        "ms" | "millisecond" | "milliseconds" => 0.001,
        "s" | "sec" | "second" | "seconds" => 1.0,
        "m" | "min" | "minute" | "minutes" => 60.0,
        "h" | "hour" | "hours" => 3600.0,
        "d" | "day" | "days" => 86_400.0,
        _ => return None,
    };
    Some((number, unit, &after[letters..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers() {
        // 1994-11-06T08:49:37Z
        let now = 784_111_777_000;
        for (headers, expected) in [
            (&[("retry-after", "12")][..], Some(12_000)),
            (&[("retry-after", "1.5")], Some(1500)),
            (&[("retry-after-ms", "250"), ("retry-after", "12")], Some(250)),
            (&[("llm_provider-retry-after", "7")], Some(7000)),
            (&[("retry-after", "Sun, 06 Nov 1994 08:49:47 GMT")], Some(10_000)),
            (&[("retry-after", "Sun, 06 Nov 1994 08:49:07 GMT")], Some(0)),
            (&[("retry-after", "-5")], None),
            (&[("retry-after", "soon")], None),
            (&[("retry-after", "NaN")], None),
            (&[("retry-after", "1e300")], Some(31_622_400_000)),
            (&[], None),
        ] {
            let header = |name: &str| headers.iter().find(|(own, _)| *own == name).map(|(_, value)| *value);
            assert_eq!(from_headers(header, now), expected.map(Duration::from_millis), "{headers:?}");
        }
    }

    #[test]
    fn messages() {
        for (message, expected) in [
            ("Rate limit reached. Please try again in 11.054s.", Some(11_054)),
            ("Please try again in 350ms. Visit", Some(350)),
            ("try again in 6m0s", Some(360_000)),
            ("Try again in 2 minutes.", Some(120_000)),
            ("try again in 1h2m3s", Some(3_723_000)),
            ("try again in a while", None),
            ("try again in 5", None),
            ("wait", None),
        ] {
            assert_eq!(from_message(message), expected.map(Duration::from_millis), "{message}");
        }
    }
}
