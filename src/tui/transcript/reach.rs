//! How the output of a panel is opened from where the person is: another key
//! while they write than while they choose.

use super::{Look, Transcript};
use crate::tui::keys::{self, Act, Place};

/// Where a panel stands for the keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Reach {
    /// No key of this place opens it.
    #[default]
    No,
    /// It is the chosen one.
    Chosen,
    /// It is above the chosen one.
    Above,
    /// It is below the chosen one.
    Below,
    /// None is chosen, and it is the last that ran.
    LastRun,
    /// None is chosen, and it is the last panel.
    Last,
    /// None is chosen, and others come after it.
    Earlier,
}

/// The panels that the others are measured by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Landmarks {
    opens: bool,
    chosen: Option<usize>,
    last_run: Option<usize>,
    last: Option<usize>,
}

impl Reach {
    /// Which key leads there, after what there is to see; nothing if none does.
    pub(super) fn words(self) -> String {
        let key = |place, act| {
            keys::short(place, &[act]).into_iter().map(|(name, _)| name).next().unwrap_or_default()
        };
        match self {
            Self::No => String::new(),
            Self::Chosen => format!(": {} opens", key(Place::Transcript, Act::Open)),
            Self::Above => format!(": {} goes there", key(Place::Transcript, Act::Up)),
            Self::Below => format!(": {} goes there", key(Place::Transcript, Act::Down)),
            Self::LastRun => format!(": {} opens", key(Place::Composer, Act::Output)),
            Self::Last => format!(": {} goes there", key(Place::Composer, Act::SwitchFocus)),
            Self::Earlier => {
                let (tab, up) = (key(Place::Composer, Act::SwitchFocus), key(Place::Transcript, Act::Up));
                format!(": {tab} and {up} go there")
            }
        }
    }
}

impl Landmarks {
    pub(super) fn reach(self, cell: usize) -> Reach {
        match self.chosen {
            _ if !self.opens => Reach::No,
            Some(chosen) if chosen == cell => Reach::Chosen,
            Some(chosen) if cell < chosen => Reach::Above,
            Some(_) => Reach::Below,
            None if self.last_run == Some(cell) => Reach::LastRun,
            None if self.last == Some(cell) => Reach::Last,
            None => Reach::Earlier,
        }
    }
}

impl Transcript {
    /// Where the keys lead now. A panel that another key leads to than in the
    /// last frame is made again: only its words change, no row moves.
    pub(super) fn find_landmarks(&mut self, look: &Look<'_>) {
        let panels = || (0..self.cells.len()).rev().filter_map(|at| Some((at, self.cells[at].cell.panel()?)));
        let ran = |panel: super::Panel| panel.call(look.session).is_some_and(|call| call.start.is_some());
        let landmarks = Landmarks {
            opens: look.opens,
            chosen: self.selected,
            last_run: panels().find(|(_, panel)| ran(*panel)).map(|(at, _)| at),
            last: panels().next().map(|(at, _)| at),
        };
        if landmarks != self.landmarks {
            self.landmarks = landmarks;
            for held in self.cells.iter_mut().filter(|held| held.cell.panel().is_some()) {
                held.rows = None;
            }
        }
    }
}
