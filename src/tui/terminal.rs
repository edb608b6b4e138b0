//! The terminal while it is ours, and how it is given back, by any path.
//!
//! Every mode that is set is undone in reverse: in [`Screen::leave`], when the
//! screen is dropped, and in the panic hook. The terminal is never asked
//! anything: answers come late, and end up in somebody's text.

use super::painter::{Painter, Picture};
use crossterm::event::{
    DisableBracketedPaste, DisableMouseCapture, EnableBracketedPaste, EnableMouseCapture,
    KeyboardEnhancementFlags, PopKeyboardEnhancementFlags, PushKeyboardEnhancementFlags,
};
use crossterm::terminal::{
    Clear, ClearType, EndSynchronizedUpdate, EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode,
    enable_raw_mode,
};
use crossterm::{cursor, execute, queue};
use ratatui::layout::Rect;
use rustix::termios::{
    InputModes, LocalModes, OptionalActions, OutputModes, QueueSelector, tcflush, tcgetattr, tcgetwinsize,
    tcsetattr,
};
use std::io::{self, BufWriter, Stdout, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, TryLockError};
use std::time::Duration;
use tokio::sync::Notify;

/// A frame is written in one piece up to this size, in bytes.
const FRAME_BYTES: usize = 1 << 16;

/// Has the terminal keep the window's title on its stack, and put it back. No
/// answer comes to either.
const KEEP_TITLE: &[u8] = b"\x1b[22;0t";
const GIVE_TITLE_BACK: &[u8] = b"\x1b[23;0t";

/// Standard output, to which a frame goes in one piece although those who draw it
/// flush in between.
#[derive(Debug)]
struct Piece {
    out: BufWriter<Stdout>,
    /// Set while a frame is being drawn.
    held: Arc<AtomicBool>,
}

impl Write for Piece {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.out.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.held.load(Ordering::Relaxed) { Ok(()) } else { self.out.flush() }
    }
}

/// The alternate screen, with everything that was switched on for it.
#[derive(Debug)]
pub(crate) struct Screen {
    painter: Painter<Piece>,
    /// What is drawn stays here until the frame is whole.
    held: Arc<AtomicBool>,
    modes: Arc<Modes>,
    /// The window's title, if it was set since the terminal was taken.
    title: Option<String>,
}

/// What is drawn where a terminal does not say how large it is.
const UNSAID: Rect = Rect { x: 0, y: 0, width: 80, height: 24 };

/// The whole terminal. Its size is asked of the system before every frame, which
/// is cheap: ratatui's own way opens `/dev/tty` each time, and crossterm's starts
/// a program where that says nothing.
fn whole() -> Rect {
    match tcgetwinsize(io::stdout()) {
        Ok(size) if size.ws_col > 0 && size.ws_row > 0 => Rect::new(0, 0, size.ws_col, size.ws_row),
        // One that is gone is noticed when it is written to.
        Ok(_) | Err(_) => UNSAID,
    }
}

/// What is switched on, shared with the panic hook.
#[derive(Debug)]
struct Modes {
    mouse: AtomicBool,
    /// The window's title is ours to set, and to give back.
    titled: bool,
    entered: AtomicBool,
    /// A task panicked: nothing is entered or drawn any more.
    fallen: AtomicBool,
    /// And its report is printed: the process may end.
    reported: AtomicBool,
    fall: Notify,
    /// Held while a frame is written.
    frame: Mutex<()>,
}

/// Tells that some task panicked, and that the screen is gone.
#[derive(Debug, Clone)]
pub(crate) struct Fall(Arc<Modes>);

impl Screen {
    /// Takes the terminal, and has it given back even if a task panics.
    ///
    /// # Errors
    /// Whatever the terminal or its driver refuses.
    pub(crate) fn enter(mouse: bool, titled: bool) -> io::Result<Self> {
        clean_up_after_the_dead()?;
        let modes = Arc::new(Modes {
            mouse: AtomicBool::new(mouse),
            titled,
            entered: AtomicBool::new(false),
            fallen: AtomicBool::new(false),
            reported: AtomicBool::new(false),
            fall: Notify::new(),
            frame: Mutex::new(()),
        });
        give_back_on_panic(Arc::clone(&modes));
        let held = Arc::new(AtomicBool::new(false));
        let out = BufWriter::with_capacity(FRAME_BYTES, io::stdout());
        let painter = Painter::new(Piece { out, held: Arc::clone(&held) });
        // From here on whatever was switched on is undone, if only by the drop.
        let screen = Self { painter, held, modes, title: None };
        screen.modes.enter()?;
        Ok(screen)
    }

    /// Tells of panics.
    pub(crate) fn fall(&self) -> Fall {
        Fall(Arc::clone(&self.modes))
    }

    /// Draws a frame, so that the terminal shows all of it or nothing.
    ///
    /// # Errors
    /// The terminal cannot be written to.
    pub(crate) fn draw(&mut self, paint: impl FnOnce(&mut Picture)) -> io::Result<()> {
        self.in_one_piece(|painter| painter.draw(whole(), paint)).map(|_| ())
    }

    /// Draws the rows from this one on, if that is enough; says whether it was.
    /// As [`Painter::draw_from`].
    ///
    /// # Errors
    /// The terminal cannot be written to.
    pub(crate) fn draw_from(
        &mut self,
        first: u16,
        paint: impl FnOnce(&mut Picture) -> bool,
    ) -> io::Result<bool> {
        let done = self.in_one_piece(|painter| painter.draw_from(whole(), first, paint))?;
        Ok(done.unwrap_or(true))
    }

    /// Nothing is drawn, and nothing given, while the terminal is not ours.
    fn in_one_piece<T>(
        &mut self,
        draw: impl FnOnce(&mut Painter<Piece>) -> io::Result<T>,
    ) -> io::Result<Option<T>> {
        let modes = Arc::clone(&self.modes);
        let _frame = modes.frame.lock();
        if !modes.entered.load(Ordering::SeqCst) {
            return Ok(None);
        }
        self.held.store(true, Ordering::Relaxed);
        let drawn = draw(&mut self.painter);
        self.held.store(false, Ordering::Relaxed);
        let drawn = drawn?;
        self.painter.out().flush()?;
        Ok(Some(drawn))
    }

    /// Has the next frame drawn anew, whatever stands on the terminal now.
    pub(crate) fn repaint(&mut self) {
        self.painter.forget();
    }

    /// Gives the terminal back.
    ///
    /// # Errors
    /// The terminal cannot be written to.
    pub(crate) fn leave(&mut self) -> io::Result<()> {
        self.modes.leave()
    }

    /// Takes it again.
    ///
    /// # Errors
    /// As [`Screen::enter`].
    pub(crate) fn come_back(&mut self) -> io::Result<()> {
        self.modes.enter()?;
        self.title = None;
        self.repaint();
        Ok(())
    }

    /// Sets the window's title, if it is another one and ours to set. It has to
    /// be clean.
    ///
    /// # Errors
    /// The terminal cannot be written to.
    pub(crate) fn set_title(&mut self, title: String) -> io::Result<()> {
        let entered = self.modes.entered.load(Ordering::SeqCst);
        if !self.modes.titled || !entered || self.title.as_ref() == Some(&title) {
            return Ok(());
        }
        let bytes = format!("\x1b]2;{title}\x07");
        self.title = Some(title);
        self.send(bytes.as_bytes())
    }

    /// Takes the mouse, or gives it back to the terminal.
    ///
    /// # Errors
    /// The terminal cannot be written to.
    pub(crate) fn set_mouse(&mut self, ours: bool) -> io::Result<()> {
        self.modes.mouse.store(ours, Ordering::SeqCst);
        let out = self.painter.out();
        if ours { execute!(out, EnableMouseCapture) } else { execute!(out, DisableMouseCapture) }
    }

    /// Sends control bytes that draw nothing, such as the bell.
    ///
    /// # Errors
    /// The terminal cannot be written to.
    pub(crate) fn send(&mut self, bytes: &[u8]) -> io::Result<()> {
        let out = self.painter.out();
        out.write_all(bytes)?;
        out.flush()
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        // A terminal that is gone needs nothing back.
        let _ = self.modes.leave();
    }
}

impl Fall {
    /// Returns when a task has panicked and that was reported.
    pub(crate) async fn wait(&self) {
        while !self.0.reported.load(Ordering::SeqCst) {
            self.0.fall.notified().await;
        }
    }
}

impl Modes {
    fn has_mouse(&self) -> bool {
        self.mouse.load(Ordering::SeqCst)
    }

    fn enter(&self) -> io::Result<()> {
        if self.fallen.load(Ordering::SeqCst) || self.entered.swap(true, Ordering::SeqCst) {
            return Ok(());
        }
        enable_raw_mode()?;
        let keyboard = PushKeyboardEnhancementFlags(KeyboardEnhancementFlags::DISAMBIGUATE_ESCAPE_CODES);
        let mut out = io::stdout();
        if self.titled {
            out.write_all(KEEP_TITLE)?;
        }
        // One that died may have left the alternate screen on, with its last frame.
        queue!(
            out,
            EnterAlternateScreen,
            Clear(ClearType::All),
            EnableBracketedPaste,
            keyboard,
            cursor::Hide
        )?;
        // One that died may have left the mouse on as well.
        if self.has_mouse() {
            queue!(out, EnableMouseCapture)?
        } else {
            queue!(out, DisableMouseCapture)?
        }
        out.flush()
    }

    /// Undoes everything in reverse. A part that fails does not keep the rest.
    fn leave(&self) -> io::Result<()> {
        if !self.entered.swap(false, Ordering::SeqCst) {
            return Ok(());
        }
        let mut out = io::stdout();
        let written = self.undo(&mut out);
        if self.has_mouse() {
            // Reports that are on their way must not become a shell's input.
            let _ = tcflush(io::stdin(), QueueSelector::IFlush);
        }
        let cooked = disable_raw_mode();
        let shown = execute!(out, cursor::Show);
        written.and(cooked).and(shown)
    }

    fn undo(&self, out: &mut Stdout) -> io::Result<()> {
        queue!(out, EndSynchronizedUpdate)?;
        if self.has_mouse() {
            queue!(out, DisableMouseCapture)?;
        }
        execute!(out, PopKeyboardEnhancementFlags, DisableBracketedPaste, LeaveAlternateScreen)?;
        if self.titled { out.write_all(GIVE_TITLE_BACK).and_then(|()| out.flush()) } else { Ok(()) }
    }

    /// Waits for a frame that another thread may be writing, but not for long:
    /// it may be this thread's own.
    fn wait_for_frame(&self) -> Option<MutexGuard<'_, ()>> {
        for _ in 0..20 {
            match self.frame.try_lock() {
                Ok(guard) => return Some(guard),
                Err(TryLockError::Poisoned(_)) => return None,
                Err(TryLockError::WouldBlock) => std::thread::sleep(Duration::from_millis(5)),
            }
        }
        None
    }
}

/// The hook runs first in whichever thread panics: the terminal is given back,
/// then the report is printed, then the loop is told to end.
fn give_back_on_panic(modes: Arc<Modes>) {
    let report = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        modes.fallen.store(true, Ordering::SeqCst);
        let frame = modes.wait_for_frame();
        let _ = modes.leave();
        drop(frame);
        report(panic);
        modes.reported.store(true, Ordering::SeqCst);
        modes.fall.notify_one();
    }));
}

/// A program that was killed leaves the terminal as it was for it: raw, with
/// the mouse and other modes on. Only then anything is undone here.
fn clean_up_after_the_dead() -> io::Result<()> {
    let terminal = io::stdin();
    let Ok(mut modes) = tcgetattr(&terminal) else { return Ok(()) };
    let is_raw = !modes.local_modes.intersects(LocalModes::ICANON | LocalModes::ECHO);
    if !is_raw {
        return Ok(());
    }
    let mut out = io::stdout();
    execute!(out, DisableMouseCapture, DisableBracketedPaste, LeaveAlternateScreen, cursor::Show)?;
    modes.input_modes |= InputModes::ICRNL | InputModes::IXON | InputModes::BRKINT;
    modes.output_modes |= OutputModes::OPOST | OutputModes::ONLCR;
    modes.local_modes |= LocalModes::ISIG
        | LocalModes::ICANON
        | LocalModes::IEXTEN
        | LocalModes::ECHO
        | LocalModes::ECHOE
        | LocalModes::ECHOK;
    tcflush(&terminal, QueueSelector::IFlush)?;
    Ok(tcsetattr(&terminal, OptionalActions::Now, &modes)?)
}
