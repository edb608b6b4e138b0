//! Draws the state. Nothing is decided here; what rules depend on (which rows
//! were on the screen) is told back.

mod approval;
mod assist;
mod base;
mod canvas;
mod dialogs;
mod header;
mod list;
mod reader;
mod recovery;
mod sessions;
mod setup;

#[cfg(test)]
mod beginning;
#[cfg(test)]
mod graphemes;
#[cfg(test)]
mod hostile;
#[cfg(test)]
mod tests;

use super::painter::Picture;
use super::sentences;
use super::state::{Layer, State};
use super::theme::Theme;
use super::update::Painted;
use crate::text::{Clean, Span, wrap};
use canvas::Canvas;
use ratatui::layout::Rect;

/// Draws the draft and what stands below it, if it leaves as much room above as
/// it did; says whether it does. Nothing may be on top.
pub(crate) fn draw_draft(state: &mut State, theme: Theme, above: Rect, picture: &mut Picture) -> bool {
    base::draw_draft(state, &mut Canvas::new(picture, theme)) == above
}

/// Draws everything.
pub(crate) fn draw(state: &mut State, theme: Theme, picture: &mut Picture) -> Painted {
    let mut canvas = Canvas::new(picture, theme);
    let area = canvas.area();
    let (columns, rows) = sentences::SMALLEST;
    if area.width < columns || area.height < rows {
        let sentence = Span::plain(Clean::line(&sentences::too_small(area.width, area.height)));
        canvas.rows(area, &wrap(&[sentence], usize::from(area.width), 0));
        canvas.cursor(area.x, area.y);
        return Painted::default();
    }
    let mut layers = std::mem::take(&mut state.layers);
    let painted = match layers.last_mut() {
        Some(Layer::Recovery(recovery)) => recovery::draw(recovery, state, &mut canvas),
        Some(Layer::Sessions(sessions)) => sessions::draw(sessions, state, &mut canvas),
        Some(Layer::Reader(reader)) => reader::draw(reader, state, &mut canvas),
        Some(Layer::Approval(approval)) => approval::draw(approval, state, &mut canvas),
        Some(Layer::Leave(leave)) => dialogs::leave(leave, state, &mut canvas),
        Some(Layer::Extension(extension)) => dialogs::extension(extension, state, &mut canvas),
        Some(Layer::Setup(setup)) => setup::draw(setup, state, &mut canvas),
        Some(Layer::StillRunning(form)) => dialogs::still_running(form, state, &mut canvas),
        None => base::draw(state, &mut canvas),
    };
    state.layers = layers;
    painted
}
