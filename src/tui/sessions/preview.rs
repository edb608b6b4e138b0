//! A session beside the list, drawn by the code that draws the conversation.

use crate::agent::Previewed;
use crate::record::SessionId;
use crate::session::Session;
use crate::text::Row;
use crate::tui::clock::Now;
use crate::tui::transcript::{Look, Note, Reach, Transcript};

/// What is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Subject {
    /// The session.
    pub id: SessionId,
    /// It is in the trash.
    pub trashed: bool,
}

/// The look at it.
#[derive(Debug, Default)]
pub(crate) struct Preview {
    /// Which session; none if nothing is chosen.
    pub subject: Option<Subject>,
    seen: Seen,
    /// A record that is to be in sight.
    wanted: Option<u64>,
}

#[derive(Debug, Default)]
enum Seen {
    /// It is being read.
    #[default]
    Loading,
    /// As far as it can be read.
    Session(Box<Shown>),
    /// Nothing of it can be read: why.
    Nothing(String),
}

#[derive(Debug)]
struct Shown {
    session: Session,
    notes: Vec<Note>,
    transcript: Transcript,
}

impl Preview {
    /// Looks at another session; says whether it is another one.
    pub(super) fn turn_to(&mut self, subject: Option<Subject>) -> bool {
        let other = self.subject != subject;
        if other {
            *self = Self { subject, ..Self::default() };
        }
        other
    }

    /// It was read.
    pub(super) fn set(&mut self, previewed: Previewed, now: Now) {
        if self.subject.map(|subject| subject.id) != Some(previewed.id) {
            return;
        }
        self.seen = match (previewed.session, previewed.why) {
            (Some(session), why) => {
                let notes = why.map(|text| Note { before: u64::MAX, text }).into_iter().collect();
                let mut shown = Shown { session, notes, transcript: Transcript::default() };
                shown.with(now, |transcript, look| transcript.update(look.session, look));
                Seen::Session(Box::new(shown))
            }
            (None, why) => Seen::Nothing(why.unwrap_or_default()),
        };
        if let (Some(seq), Seen::Session(shown)) = (self.wanted, &mut self.seen) {
            shown.transcript.show_record(seq);
        }
    }

    /// Brings a record into sight, now or once the session is read.
    pub(super) fn show(&mut self, seq: Option<u64>) {
        if self.wanted == seq {
            return;
        }
        self.wanted = seq;
        if let (Some(seq), Seen::Session(shown)) = (seq, &mut self.seen) {
            shown.transcript.show_record(seq);
        }
    }

    /// Its records, once they are read.
    pub(super) fn session(&self) -> Option<&Session> {
        match &self.seen {
            Seen::Session(shown) => Some(&shown.session),
            Seen::Loading | Seen::Nothing(_) => None,
        }
    }

    /// The visible rows, or what is to be said in their place.
    pub(crate) fn window(&mut self, width: usize, height: usize, now: Now) -> Result<Vec<Row>, String> {
        match &mut self.seen {
            Seen::Session(shown) => {
                Ok(shown.with(now, |transcript, look| transcript.window(width, height, look).rows))
            }
            Seen::Loading if self.subject.is_none() => Err(String::new()),
            Seen::Loading => Err("Reading it.".to_owned()),
            Seen::Nothing(why) => Err(why.clone()),
        }
    }

    /// Scrolls.
    pub(super) fn scroll(&mut self, now: Now, act: impl FnOnce(&mut Transcript, &Look<'_>)) {
        if let Seen::Session(shown) = &mut self.seen {
            shown.with(now, act);
        }
    }
}

impl Shown {
    fn with<T>(&mut self, now: Now, act: impl FnOnce(&mut Transcript, &Look<'_>) -> T) -> T {
        let look = Look {
            session: &self.session,
            notes: &self.notes,
            live: None,
            cut: &[],
            outputs: None,
            folds: None,
            colors: None,
            asked: None,
            now: now.wall,
            full: false,
            goes_on: false,
            opens: false,
            reach: Reach::No,
        };
        act(&mut self.transcript, &look)
    }
}
