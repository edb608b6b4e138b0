//! What is printed: one row of a Markdown table for each figure, marked with the
//! table it belongs to, for `benches/table.sh` to sort.

use super::stats::{median, ms, spread};

/// Where rows go, and whether all held.
#[derive(Default)]
pub(crate) struct Report {
    pub(crate) missed: Vec<String>,
}

impl Report {
    /// A figure as a ratio of medians, in milliseconds, that may be at most so much.
    pub(crate) fn ratio(&mut self, figure: &str, candor: &[f64], floor: &[f64], most: f64) {
        let ratio = median(candor) / median(floor);
        let target = format!("at most {most} × floor");
        self.row(figure, &spread(candor), &spread(floor), &format!("{ratio:.2}"), &target, ratio <= most);
    }

    /// A figure in milliseconds that may be at most so much.
    pub(crate) fn time(&mut self, figure: &str, candor: &[f64], most: f64) {
        let target = format!("at most {} ms", ms(most));
        self.row(figure, &spread(candor), "", "", &target, median(candor) <= most);
    }

    /// A figure in whatever it is measured in.
    pub(crate) fn amount(&mut self, figure: &str, value: f64, unit: &str, most: f64) {
        let met = value <= most;
        self.row(figure, &format!("{value:.1} {unit}"), "", "", &format!("at most {most} {unit}"), met);
    }

    /// A figure without a target, to be known with the others.
    pub(crate) fn note(&mut self, figure: &str, candor: &str, floor: &str) {
        println!("figure| {figure} | {candor} | {floor} | | | |");
    }

    pub(crate) fn row(
        &mut self,
        figure: &str,
        candor: &str,
        floor: &str,
        ratio: &str,
        target: &str,
        met: bool,
    ) {
        let word = if met { "yes" } else { "no" };
        println!("figure| {figure} | {candor} | {floor} | {ratio} | {target} | {word} |");
        if !met {
            self.missed.push(figure.to_owned());
        }
    }

    /// How a cost grows over ×1, ×10, ×100.
    pub(crate) fn growth(&mut self, what: &str, sizes: &str, costs: [f64; 3]) {
        let exponent = (costs[2] / costs[0]).log10() / 2.0;
        let [one, ten, hundred] = costs.map(ms);
        println!("growth| {what} | {sizes} | {one} | {ten} | {hundred} | {exponent:.2} |");
    }
}
