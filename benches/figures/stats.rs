//! Medians, spreads, and how they are written.

use std::time::Duration;

/// The value below which this share of all lies.
pub(crate) fn quantile(values: &[f64], share: f64) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let place = (share * (sorted.len() - 1) as f64).round();
    sorted[place as usize]
}

pub(crate) fn median(values: &[f64]) -> f64 {
    quantile(values, 0.5)
}

/// Milliseconds, with as many digits as mean something.
pub(crate) fn ms(value: f64) -> String {
    let digits = match value {
        value if value < 1.0 => 3,
        value if value < 10.0 => 2,
        value if value < 100.0 => 1,
        _ => 0,
    };
    format!("{value:.digits$}")
}

/// `12.3 ms (11.0 to 14.0)`: the median, the least and the most.
pub(crate) fn spread(values: &[f64]) -> String {
    format!("{} ms ({} to {})", ms(median(values)), ms(quantile(values, 0.0)), ms(quantile(values, 1.0)))
}

pub(crate) fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}
