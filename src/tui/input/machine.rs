//! Events and their times in, deeds out: a pure machine.

use super::sequence::{self, Meaning};
use super::{Input, Key, Timed};
use crate::tui::moment::Moment;
use crossterm::event::{Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use std::time::Duration;

/// How long a lone Esc is held, because a sequence may have been torn behind it.
const ESC_HOLD: Duration = Duration::from_millis(30);
/// The same where a network or a multiplexer may tear it.
const ESC_HOLD_REMOTE: Duration = Duration::from_millis(100);
/// Keys of one burst are closer together than any two of a person's.
const BURST: Duration = Duration::from_millis(10);
/// So many keys of text in one burst are taken as one deed.
const RUN: usize = 16;
/// A burst this soon after a paste is more of it.
const PASTE_REST: Duration = Duration::from_secs(1);
/// What comes this soon after a paste still belongs to it: its text may have
/// held the end marker.
const PASTE_QUIET: Duration = Duration::from_millis(50);
/// A paste whose start was torn has no end that could be seen but silence.
const TORN_PASTE_QUIET: Duration = Duration::from_millis(150);
/// A paste of this many bytes comes in many reads, with pauses between them.
const LONG_PASTE: usize = 2 << 10;
/// The silence that ends such a one.
const LONG_PASTE_QUIET: Duration = Duration::from_millis(250);
/// A reply to a query ends at the latest with this silence.
const REPLY_QUIET: Duration = Duration::from_millis(100);
/// No reply is longer, in characters.
const REPLY_LENGTH: usize = 4096;
/// The end marker of a bracketed paste.
const PASTE_END: &str = "\u{1b}[201~";

/// Mends the stream of events. It is told the time and never asks for it.
#[derive(Debug)]
pub(crate) struct Machine {
    esc_hold: Duration,
    pending: Pending,
    last: Moment,
    /// Keys of text in the present burst.
    run: usize,
    /// When the last paste ended.
    pasted: Option<Moment>,
    out: Vec<Timed>,
}

/// What was read and cannot be told yet.
#[derive(Debug)]
enum Pending {
    Nothing,
    /// A lone Esc.
    Esc,
    /// `ESC [` and these letters.
    Csi(String),
    /// `ESC O`.
    Ss3,
    /// Alt and a letter that may begin a reply to a query.
    Opening(char),
    /// Inside a reply, that many characters long; whether its last was ESC.
    Reply(usize, bool),
    /// Enter, which a burst may follow.
    Enter,
    /// A paste that may go on.
    Paste(Paste),
}

/// Text that came at once.
#[derive(Debug)]
struct Paste {
    text: String,
    began: Moment,
    quiet: Duration,
    /// Nothing but the haste of its keys says that it is one.
    by_haste: bool,
}

impl Paste {
    fn new(text: String, began: Moment, quiet: Duration) -> Self {
        Self { text, began, quiet, by_haste: false }
    }

    /// Letters in haste and one Enter after them: a line that was sent.
    fn is_sent_line(&self) -> bool {
        self.by_haste && self.text.find('\n').is_some_and(|at| at + 1 == self.text.len())
    }
}

impl Machine {
    /// A machine for a terminal that is near, or behind a network or multiplexer.
    pub(crate) fn new(remote: bool) -> Self {
        let esc_hold = if remote { ESC_HOLD_REMOTE } else { ESC_HOLD };
        let (pending, last) = (Pending::Nothing, Moment::default());
        Self { esc_hold, pending, last, run: 0, pasted: None, out: Vec::new() }
    }

    /// Takes an event that was read at this time. What may be the beginning of a
    /// sequence is held until [`Machine::expire`] is called, however late this
    /// comes: on a busy machine the rest can be there long before it is read.
    pub(crate) fn feed(&mut self, event: Event, at: Moment) {
        if !self.holds_sequence() {
            self.expire(at);
        }
        match event {
            Event::Key(key) => {
                if let Some(key) = press(key) {
                    self.key(key, at);
                    self.last = at;
                }
            }
            Event::Paste(text) => {
                self.paste(&text, at);
                self.last = at;
            }
            Event::Mouse(mouse) => self.tell(Input::Mouse(mouse), at),
            Event::Resize(..) => self.tell(Input::Resize, at),
            Event::FocusGained | Event::FocusLost => {}
        }
    }

    /// When [`Machine::expire`] has to be called, if nothing comes before.
    pub(crate) fn deadline(&self) -> Option<Moment> {
        let hold = match &self.pending {
            Pending::Nothing => return None,
            Pending::Esc | Pending::Csi(_) | Pending::Ss3 | Pending::Opening(_) => self.esc_hold,
            Pending::Reply(..) => REPLY_QUIET.max(self.esc_hold),
            Pending::Enter => BURST,
            Pending::Paste(paste) if paste.text.len() >= LONG_PASTE => LONG_PASTE_QUIET,
            Pending::Paste(paste) => paste.quiet,
        };
        Some(self.last + hold)
    }

    fn holds_sequence(&self) -> bool {
        matches!(self.pending, Pending::Esc | Pending::Csi(_) | Pending::Ss3 | Pending::Opening(_))
    }

    /// Tells what was held, if its time is over. Whoever calls this has taken all
    /// input that is there.
    pub(crate) fn expire(&mut self, now: Moment) {
        if self.deadline().is_some_and(|deadline| deadline <= now) {
            self.settle();
        }
    }

    /// What a person did since the last call, in order.
    pub(crate) fn take(&mut self) -> Vec<Timed> {
        std::mem::take(&mut self.out)
    }

    fn tell(&mut self, input: Input, at: Moment) {
        self.out.push(Timed { input, at });
    }

    fn press(&mut self, key: Key, at: Moment) {
        self.tell(Input::Key(key), at);
    }

    /// Tells what is held as what it is without more.
    fn settle(&mut self) {
        let at = self.last;
        match std::mem::replace(&mut self.pending, Pending::Nothing) {
            Pending::Nothing | Pending::Reply(..) => {}
            Pending::Esc => self.press(Key::plain(KeyCode::Esc), at),
            Pending::Csi(body) if body.is_empty() => self.press(Key::alt('['), at),
            Pending::Csi(_) => {}
            Pending::Ss3 => self.press(Key::alt('O'), at),
            Pending::Opening(letter) => self.press(Key::alt(letter), at),
            Pending::Enter => self.press(Key::plain(KeyCode::Enter), at),
            Pending::Paste(paste) => self.tell_paste(paste),
        }
    }

    fn tell_paste(&mut self, mut paste: Paste) {
        paste.text = one_line_end(&paste.text);
        let is_rest = self.pasted.is_some_and(|at| paste.began.since(at) < PASTE_REST);
        let sent = !is_rest && paste.is_sent_line();
        if sent {
            paste.text.pop();
        } else if !paste.by_haste || is_rest {
            self.pasted = Some(self.last);
        }
        self.tell(Input::Paste(paste.text.replace(PASTE_END, "")), paste.began);
        if sent {
            self.press(Key::plain(KeyCode::Enter), self.last);
        }
    }

    fn paste(&mut self, pasted: &str, at: Moment) {
        if let Pending::Paste(paste) = &mut self.pending {
            paste.text.push_str(pasted);
            paste.by_haste = false;
            return;
        }
        self.settle();
        self.pending = Pending::Paste(Paste::new(pasted.to_owned(), at, PASTE_QUIET));
    }

    fn key(&mut self, key: Key, at: Moment) {
        let hasty = key.typed().is_some() && at.since(self.last) < BURST;
        self.run = if hasty { self.run + 1 } else { 0 };
        match std::mem::replace(&mut self.pending, Pending::Nothing) {
            Pending::Nothing => self.fresh(key, at),
            Pending::Esc => self.after_esc(key, at),
            Pending::Csi(body) => self.after_csi(body, key, at),
            Pending::Ss3 => match key.typed() {
                Some(letter) => self.mean(sequence::ss3(letter), at),
                None => self.broken(Pending::Ss3, key, at),
            },
            Pending::Opening(opening) => match key.typed() {
                Some(letter) if begins_reply(opening, letter) => self.pending = Pending::Reply(1, false),
                _ => self.broken(Pending::Opening(opening), key, at),
            },
            Pending::Reply(length, esc) => self.after_reply(length, esc, key, at),
            Pending::Enter => match key.pasted() {
                Some(more) => {
                    let text = String::from_iter(['\r', more]);
                    self.pending = Pending::Paste(Paste::new(text, self.last, PASTE_QUIET));
                }
                None => self.broken(Pending::Enter, key, at),
            },
            Pending::Paste(mut paste) => {
                paste.text.extend(key.pasted());
                self.pending = Pending::Paste(paste);
            }
        }
    }

    /// Tells what was held after all, and looks at the key as if nothing had been.
    fn broken(&mut self, held: Pending, key: Key, at: Moment) {
        self.pending = held;
        self.settle();
        self.fresh(key, at);
    }

    fn fresh(&mut self, key: Key, at: Moment) {
        match (key.code, key.mods) {
            (KeyCode::Esc, KeyModifiers::NONE) => self.pending = Pending::Esc,
            (KeyCode::Enter, KeyModifiers::NONE) => self.pending = Pending::Enter,
            (KeyCode::Char(letter @ (']' | 'P' | 'X' | '^' | '_')), KeyModifiers::ALT) => {
                self.pending = Pending::Opening(letter);
            }
            _ => match key.typed().filter(|_| self.run >= RUN) {
                Some(letter) => {
                    let paste = Paste::new(letter.to_string(), at, BURST);
                    self.pending = Pending::Paste(Paste { by_haste: true, ..paste });
                }
                None => self.press(key, at),
            },
        }
    }

    fn after_esc(&mut self, key: Key, at: Moment) {
        match key.code {
            KeyCode::Esc => {
                self.pending = Pending::Esc;
                self.press(key, self.last);
            }
            KeyCode::Char('[') if key.mods.is_empty() => self.pending = Pending::Csi(String::new()),
            KeyCode::Char('O') if key.mods.is_empty() => self.pending = Pending::Ss3,
            _ => self.fresh(key.with_alt(), at),
        }
    }

    fn after_csi(&mut self, mut body: String, key: Key, at: Moment) {
        let Some(letter) = key.typed().filter(char::is_ascii) else {
            return self.broken(Pending::Csi(body), key, at);
        };
        body.push(letter);
        if sequence::csi_is_whole(&body) {
            self.mean(sequence::csi(&body), at);
        } else if sequence::csi_may_go_on(&body) {
            self.pending = Pending::Csi(body);
        }
    }

    fn mean(&mut self, meaning: Meaning, at: Moment) {
        match meaning {
            Meaning::Key(key) => self.press(key, at),
            Meaning::PasteStart => {
                let text = String::new();
                self.pending = Pending::Paste(Paste::new(text, at, TORN_PASTE_QUIET));
            }
            Meaning::Nothing => {}
        }
    }

    fn after_reply(&mut self, length: usize, esc: bool, key: Key, at: Moment) {
        let ended_by_bell = key == Key::ctrl('g');
        let ended_by_string = key == Key::alt('\\') || (esc && key == Key::char('\\'));
        if ended_by_bell || ended_by_string || length >= REPLY_LENGTH {
            return;
        }
        match key.code {
            // No reply holds a line end: this is a person's.
            KeyCode::Enter => self.fresh(key, at),
            code => self.pending = Pending::Reply(length + 1, code == KeyCode::Esc),
        }
    }
}

/// Line ends of all kinds as one; a terminal sends CR for what was LF or CR LF.
fn one_line_end(text: &str) -> String {
    text.replace("\r\n", "\n").replace('\r', "\n")
}

/// A press as a key of ours; nothing for releases and for keys without meaning.
fn press(event: KeyEvent) -> Option<Key> {
    let known = match event.code {
        KeyCode::Media(_) | KeyCode::Modifier(_) | KeyCode::Null | KeyCode::KeypadBegin => false,
        KeyCode::CapsLock | KeyCode::ScrollLock | KeyCode::NumLock => false,
        KeyCode::PrintScreen | KeyCode::Pause | KeyCode::Menu => false,
        KeyCode::Backspace | KeyCode::Enter | KeyCode::Left | KeyCode::Right | KeyCode::Up => true,
        KeyCode::Down | KeyCode::Home | KeyCode::End | KeyCode::PageUp | KeyCode::PageDown => true,
        KeyCode::Tab | KeyCode::BackTab | KeyCode::Delete | KeyCode::Insert => true,
        KeyCode::F(_) | KeyCode::Char(_) | KeyCode::Esc => true,
    };
    if event.kind != KeyEventKind::Press || !known {
        return None;
    }
    let mut mods = event.modifiers & (KeyModifiers::SHIFT | KeyModifiers::CONTROL | KeyModifiers::ALT);
    if matches!(event.code, KeyCode::Char(_) | KeyCode::BackTab) {
        mods.remove(KeyModifiers::SHIFT);
    }
    Some(Key { code: event.code, mods })
}

/// Whether a reply to a query goes on like this: OSC with a number, DCS with a
/// parameter or its kind, the other strings with anything.
fn begins_reply(opening: char, letter: char) -> bool {
    match opening {
        ']' => letter.is_ascii_digit(),
        'P' => letter.is_ascii_digit() || "!>$+=?|".contains(letter),
        _ => true,
    }
}
