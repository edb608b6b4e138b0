//! The disk of a stage: texts that readers open, served at once.

use super::Stage;
use crate::tui::effects::Effect;
use crate::tui::pages::{Desk, Order, PageId, Source, Told};
use crate::tui::update::Happening;
use std::collections::HashMap;
use std::sync::{Arc, Mutex};

/// A file that a command may still write.
#[derive(Clone)]
struct Growing(Arc<Mutex<Vec<u8>>>);

impl Source for Growing {
    fn read_at(&self, buffer: &mut [u8], at: u64) -> std::io::Result<usize> {
        self.0.lock().unwrap().read_at(buffer, at)
    }
}

/// A disk on which every output holds the same bytes, or on which none is.
#[derive(Default)]
pub(crate) struct Disk {
    content: Option<Growing>,
    desks: HashMap<PageId, Desk>,
}

impl Disk {
    /// One on which every output holds this.
    pub(crate) fn with(content: &[u8]) -> Self {
        Self { content: Some(Growing(Arc::new(Mutex::new(content.to_vec())))), desks: HashMap::new() }
    }

    /// A command writes more.
    pub(crate) fn append(&mut self, bytes: &[u8]) {
        if let Some(Growing(content)) = &self.content {
            content.lock().unwrap().extend_from_slice(bytes);
        }
    }

    /// Draws, and carries out what readers want, until they want nothing more.
    /// Other effects stay.
    pub(crate) fn serve(&mut self, stage: &mut Stage) {
        loop {
            let (pages, other) =
                std::mem::take(&mut stage.effects).into_iter().partition(|effect| match effect {
                    Effect::Page(_, order) => !matches!(order, Order::Save(..) | Order::CleanCopy),
                    _ => false,
                });
            stage.effects = other;
            let pages: Vec<Effect> = pages;
            let wanted = stage.state.wanted_rows().map(|(id, order)| Effect::Page(id, order));
            let orders: Vec<Effect> = pages.into_iter().chain(wanted).collect();
            if orders.is_empty() {
                stage.draw();
                let Some((id, order)) = stage.state.wanted_rows() else { return };
                self.carry_out(stage, id, order);
            }
            for effect in orders {
                if let Effect::Page(id, order) = effect {
                    self.carry_out(stage, id, order);
                }
            }
        }
    }

    fn carry_out(&mut self, stage: &mut Stage, id: PageId, order: Order) {
        if let Order::Open(wanted) = order {
            let source = self.content.clone().unwrap_or_else(|| {
                stage.happen(Happening::Page(id, Told::Kept("No such file".to_owned())));
                Growing(Arc::new(Mutex::new(wanted.kept.into_bytes())))
            });
            self.desks.insert(id, Desk::new(Arc::new(source)));
        } else if let Some(desk) = self.desks.get_mut(&id) {
            match desk.obey(order) {
                Ok(told) => told.into_iter().for_each(|told| stage.happen(Happening::Page(id, told))),
                Err(order) => stage.effects.push(Effect::Page(id, order)),
            }
        }
        let Some(desk) = self.desks.get_mut(&id) else { return };
        while let Some(told) = desk.work() {
            stage.happen(Happening::Page(id, told));
        }
    }
}
