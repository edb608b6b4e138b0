//! What SGR sequences do to the style.

use super::scan::Params;
use super::style::{Color16, Style};

/// The style after a sequence with these numbers. Backgrounds, blinking and
/// concealment are not for output to choose.
pub(super) fn apply(pen: Style, params: &Params) -> Style {
    let mut pen = pen;
    let mut groups = params.groups();
    while let Some(group) = groups.next() {
        match *group {
            [38] => pen.color = extended(groups.next(), &mut groups).unwrap_or(pen.color),
            [48 | 58] => {
                let _ = extended(groups.next(), &mut groups);
            }
            [38, ref color @ ..] => pen.color = joined(color).unwrap_or(pen.color),
            [4, 0] => pen.underline = false,
            [code, ..] => pen = simple(pen, code),
            [] => {}
        }
    }
    pen
}

fn simple(pen: Style, code: u16) -> Style {
    match code {
        0 => Style::PLAIN,
        1 => Style { bold: true, ..pen },
        2 => Style { dim: true, ..pen },
        3 => Style { italic: true, ..pen },
        4 | 21 => Style { underline: true, ..pen },
        7 => Style { reverse: true, ..pen },
        22 => Style { bold: false, dim: false, ..pen },
        23 => Style { italic: false, ..pen },
        24 => Style { underline: false, ..pen },
        27 => Style { reverse: false, ..pen },
        30..=37 => Style { color: numbered(code - 30), ..pen },
        39 => Style { color: None, ..pen },
        90..=97 => Style { color: numbered(code - 90 + 8), ..pen },
        _ => pen,
    }
}

fn numbered(n: u16) -> Option<Color16> {
    Color16::ALL.get(usize::from(n)).copied()
}

/// `38;5;n` and `38;2;r;g;b`, as most programs write it. The outer `None`
/// means that the numbers make no sense.
fn extended<'a>(kind: Option<&[u16]>, rest: &mut impl Iterator<Item = &'a [u16]>) -> Option<Option<Color16>> {
    let mut number = || rest.next().and_then(|group| group.first().copied());
    match kind? {
        [5] => Some(of_palette(number()?)),
        [2] => Some(of_rgb(number()?, number()?, number()?)),
        _ => None,
    }
}

/// `38:5:n`, `38:2:r:g:b` and `38:2:space:r:g:b`, as the standard has it.
fn joined(numbers: &[u16]) -> Option<Option<Color16>> {
    match *numbers {
        [5, n, ..] => Some(of_palette(n)),
        [2, r, g, b] | [2, _, r, g, b, ..] => Some(of_rgb(r, g, b)),
        _ => None,
    }
}

/// The usual palette: the sixteen, a 6 by 6 by 6 cube, a ramp of grays.
fn of_palette(n: u16) -> Option<Color16> {
    match n {
        0..=15 => numbered(n),
        16..=231 => {
            let level = |step: u16| if step == 0 { 0 } else { 55 + 40 * step };
            let n = n - 16;
            of_rgb(level(n / 36), level(n / 6 % 6), level(n % 6))
        }
        _ => None,
    }
}

/// The nearest of the sixteen by hue. What is nearly gray gets no colour: its
/// lightness was chosen for a background that is not ours.
fn of_rgb(r: u16, g: u16, b: u16) -> Option<Color16> {
    let strongest = r.max(g).max(b);
    let weakest = r.min(g).min(b);
    if strongest - weakest < 48 {
        return None;
    }
    let middle = weakest + (strongest - weakest) / 2;
    let bits = u16::from(r > middle) | u16::from(g > middle) << 1 | u16::from(b > middle) << 2;
    let bright = if strongest > 200 { 8 } else { 0 };
    numbered(bits + bright)
}
