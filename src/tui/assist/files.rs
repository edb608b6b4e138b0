//! The paths of a directory, and which of them fit what was typed.

use super::Path;
use super::quote::quoted;
use crate::tui::moment::Moment;
use std::time::Duration;

/// So many are offered.
const OFFERED: usize = 50;
/// Paths that were looked up so long ago are looked up again.
const STALE: Duration = Duration::from_secs(5);

/// A path below the directory, as it was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Found {
    /// Its bytes, relative to the directory.
    pub path: Box<[u8]>,
    /// The same for comparing: as text, in small letters.
    pub folded: Box<str>,
    /// Where its last part begins in that, in bytes, and how many parts are before.
    pub name: (usize, usize),
    /// Which letters it has.
    pub letters: u64,
    /// Whether it is a directory.
    pub is_dir: bool,
}

impl Found {
    pub(super) fn new(path: &[u8], is_dir: bool) -> Self {
        let folded = String::from_utf8_lossy(path).to_lowercase().into_boxed_str();
        let name_at = folded.rfind('/').map_or(0, |slash| slash + 1);
        let depth = folded.bytes().filter(|byte| *byte == b'/').count();
        let letters = letters(&folded);
        Self { path: path.into(), folded, name: (name_at, depth), letters, is_dir }
    }
}

/// Some of the paths that a walk finds.
#[derive(Debug)]
pub(crate) struct Batch {
    /// Which walk.
    pub walk: u64,
    /// The paths.
    pub found: Vec<Found>,
    /// Set with the last ones: whether more were left out.
    pub end: Option<bool>,
}

/// All paths that are known.
#[derive(Debug, Default)]
pub(crate) struct Files {
    cwd: String,
    found: Vec<Found>,
    /// Paths of a walk that replaces those above when it has ended.
    coming: Option<Vec<Found>>,
    walk: u64,
    walking: bool,
    cut: bool,
    at: Option<Moment>,
    /// What was typed last, and which paths fitted: more letters fit no others.
    last: Option<(String, Vec<usize>)>,
}

impl Files {
    /// Whether they have to be looked up for this directory now; if so, the
    /// number of the new walk.
    pub(crate) fn begin(&mut self, cwd: &str, now: Moment) -> Option<u64> {
        let same = self.cwd == cwd;
        let fresh = self.at.is_some_and(|at| now.since(at) < STALE);
        if same && (fresh || self.walking) {
            return None;
        }
        if !same {
            *self = Self { walk: self.walk, cwd: cwd.to_owned(), ..Self::default() };
        }
        self.coming = (!self.found.is_empty()).then(Vec::new);
        self.walk += 1;
        self.walking = true;
        Some(self.walk)
    }

    /// Takes what a walk found; says whether it changes what fits.
    pub(super) fn add(&mut self, batch: Batch) -> bool {
        if batch.walk != self.walk {
            return false;
        }
        self.last = None;
        self.coming.as_mut().unwrap_or(&mut self.found).extend(batch.found);
        if let Some(cut) = batch.end {
            (self.walking, self.cut) = (false, cut);
            if let Some(coming) = self.coming.take() {
                self.found = coming;
            }
        }
        self.coming.is_none()
    }

    /// The walk ended: that is when the paths were true.
    pub(crate) fn ended(&mut self, now: Moment) {
        if !self.walking {
            self.at = Some(now);
        }
    }

    /// Whether paths are being looked up.
    pub(crate) fn is_walking(&self) -> bool {
        self.walking
    }

    /// How many paths are known, if there are more than that.
    pub(crate) fn cut(&self) -> Option<usize> {
        self.cut.then_some(self.found.len())
    }

    /// The paths that fit, the best first.
    pub(super) fn fitting(&mut self, typed: &str) -> Vec<Path> {
        let wanted = typed.to_lowercase();
        let bits = letters(&wanted);
        let ranked = |at: usize| self.found.get(at).and_then(|found| Some((rank(found, &wanted, bits)?, at)));
        let mut fitting: Vec<(Rank, usize)> = match self.last.take() {
            Some((before, among)) if wanted.starts_with(&before) => {
                among.into_iter().filter_map(ranked).collect()
            }
            _ => (0..self.found.len()).filter_map(ranked).collect(),
        };
        let among = fitting.iter().map(|(_, at)| *at).collect();
        if fitting.len() > OFFERED {
            fitting.select_nth_unstable(OFFERED);
            fitting.truncate(OFFERED);
        }
        // Those that fit equally stay in the order of the walk, which is by name.
        fitting.sort_unstable();
        let offers = fitting.into_iter().map(|(_, at)| offer(&self.found[at])).collect();
        self.last = Some((wanted, among));
        offers
    }
}

/// How well a path fits; less is better: where the letters are, then how deep
/// the path lies, then how long it is.
type Rank = (Fit, u16, u16);

/// Where the typed letters are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Fit {
    /// At the path's beginning.
    Start,
    /// At the beginning of its last part.
    Name,
    /// In its last part.
    InName,
    /// Elsewhere.
    InPath,
    /// One after the other, with others between them.
    Scattered,
}

fn rank(found: &Found, wanted: &str, letters: u64) -> Option<Rank> {
    if found.letters & letters != letters {
        return None;
    }
    let path = &*found.folded;
    let fit = if path.starts_with(wanted) {
        Fit::Start
    } else if path.contains(wanted) {
        let name = &path[found.name.0..];
        match name.find(wanted) {
            Some(0) => Fit::Name,
            Some(_) => Fit::InName,
            None => Fit::InPath,
        }
    } else if is_scattered(path, wanted) {
        Fit::Scattered
    } else {
        return None;
    };
    let near = |n: usize| u16::try_from(n).unwrap_or(u16::MAX);
    Some((fit, near(found.name.1), near(path.len())))
}

/// Which letters a text has, as bits: what lacks one of them fits in no way.
fn letters(text: &str) -> u64 {
    text.bytes().fold(0, |bits, byte| bits | 1 << (byte % 64))
}

fn is_scattered(path: &str, wanted: &str) -> bool {
    if wanted.is_ascii() {
        let mut rest = path.bytes();
        return wanted.bytes().all(|byte| rest.any(|other| other == byte));
    }
    let mut rest = path.chars();
    wanted.chars().all(|c| rest.any(|other| other == c))
}

fn offer(found: &Found) -> Path {
    if !found.is_dir {
        return Path { quoted: quoted(&found.path), further: None };
    }
    let path = [&*found.path, b"/"].concat();
    // Only what can be typed as it is can be typed further.
    let further = std::str::from_utf8(&path).ok().filter(|text| quoted(text.as_bytes()) == **text);
    Path { quoted: quoted(&path), further: further.map(str::to_owned) }
}
