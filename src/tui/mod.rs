//! The screen: state, update, views, keys, theme, terminal.
//!
//! Nothing here decides; it asks and shows. It is drawn from the records that
//! the agent committed, plus what is in flight. [`run`] is the way in; `update`
//! and `views` are pure, `driver` and `terminal` touch the world.

mod approval;
mod assist;
mod attention;
mod clock;
mod composer;
mod copying;
mod dialog;
mod driver;
mod effects;
mod help;
mod input;
mod keys;
#[cfg(feature = "lab")]
pub mod lab;
mod list;
mod moment;
mod pace;
mod pages;
mod painter;
mod program;
mod reader;
mod recovery;
mod running;
mod seen;
mod sentences;
mod sessions;
mod setup;
mod signals;
mod slash;
mod state;
mod surroundings;
mod terminal;
#[cfg(test)]
mod testing;
mod theme;
mod transcript;
mod update;
mod views;
mod words;

#[cfg(any(test, feature = "lab"))]
pub use input::attack::input as attack_input;

use crate::agent::first::FirstStart;
use crate::agent::{Command, Handle, Leaving};
use crate::config::ScreenSettings;
use clock::Clock;
use driver::{Driver, Equipment};
use state::{Fixed, State};
use std::io;
use std::path::PathBuf;
use surroundings::Surroundings;
use terminal::Screen;
use theme::Theme;
use words::Words;

/// What a screen needs to know.
#[derive(Debug, Clone)]
pub struct Options {
    /// `[screen]`
    pub settings: ScreenSettings,
    /// What is put into the composer at the start.
    pub message: Option<String>,
    /// The directory of new sessions.
    pub cwd: String,
    /// The model's name.
    pub model: String,
    /// The model is the scripted demo.
    pub demo: bool,
    /// Size of the model's context in tokens; 0: not known.
    pub context_window: u64,
    /// What has to be asked before a model can answer.
    pub first: Option<FirstStart>,
    /// The variable that holds the model's key, which no other program gets;
    /// empty: none.
    pub key_variable: String,
}

/// What stays on the terminal after the screen: up to three plain lines.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Left {
    /// Title and state; the head, for `--expect-head`; how to open it again.
    pub lines: Vec<String>,
}

/// Why the screen ended without the agent's last words.
#[derive(Debug, thiserror::Error)]
pub enum TuiError {
    /// The terminal cannot be used.
    #[error("The terminal cannot be used: {0}. candor --plain needs less of it.")]
    Terminal(#[source] io::Error),
    /// A task panicked; its report is printed.
    #[error("Candor has stopped because of a fault of its own. What was shown as done is saved.")]
    Panicked,
}

/// Runs the screen on this terminal until the person or the system ends it.
/// The terminal is given back before it returns.
///
/// # Errors
/// [`TuiError`] if the terminal cannot be used, or a task panicked.
pub async fn run(handle: Handle, options: Options) -> Result<Left, TuiError> {
    let clock = Clock::start();
    let surroundings = Surroundings::of_process();
    let theme = Theme::new(&options.settings, &surroundings);
    let titled = options.settings.title && attention::takes_title(&surroundings.term);
    let screen = Screen::enter(options.settings.mouse, titled).map_err(TuiError::Terminal)?;
    let fixed = Fixed {
        words: Words { zone: None, home: std::env::var_os("HOME").map(PathBuf::from) },
        cwd: options.cwd,
        model: options.model,
        demo: options.demo,
        context_window: options.context_window,
        bell: options.settings.bell,
        notify: options.settings.notify,
        mouse: options.settings.mouse,
    };
    let mut state = State::new(fixed, options.message.as_deref().unwrap_or_default(), clock.now());
    // An agent that is gone is noticed by its closed channel of events.
    for command in options.first.iter().map(|first| state.ask_for_model(first)) {
        let _ = handle.commands.send(command);
    }
    let _ = handle.commands.send(Command::List);
    let key_variable = options.key_variable;
    let driver = Driver::new(Equipment { handle, state, screen, theme, clock, surroundings, key_variable })?;
    driver.run().await.map(|leaving| Left { lines: last_lines(&leaving) })
}

/// What stays on the terminal.
fn last_lines(leaving: &Leaving) -> Vec<String> {
    leaving.lines(crate::text::Clean::line(&leaving.title).as_str())
}
