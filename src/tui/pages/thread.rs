//! The threads on which desks work.

use super::desk::{Desk, Source};
use super::export::write_shown;
use super::{Order, PageId, Saved, Saving, Told, Wanted, file};
use crate::tui::program::CleanCopy;
use std::collections::HashMap;
use std::io::{self, Write};
use std::ops::Range;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, TryRecvError, channel};

/// Who is told.
pub(crate) type Tell = Arc<dyn Fn(PageId, Told) + Send + Sync>;

/// All open texts.
pub(crate) struct Pages {
    tell: Tell,
    desks: HashMap<PageId, Sender<Order>>,
}

impl Pages {
    /// No text is open yet.
    pub(crate) fn new(tell: Tell) -> Self {
        Self { tell, desks: HashMap::new() }
    }

    /// Passes an order on. One for a text that is not open any more is nothing.
    pub(crate) fn order(&mut self, id: PageId, order: Order) {
        match order {
            Order::Open(wanted) => {
                let (sender, orders) = channel();
                self.desks.insert(id, sender);
                let tell = Arc::clone(&self.tell);
                std::thread::spawn(move || Worker { id, tell, orders }.run(wanted));
            }
            other => {
                // A desk that is gone is one whose reader is gone.
                let _ = self.desks.get(&id).map(|desk| desk.send(other));
            }
        }
    }

    /// Closes all texts but these.
    pub(crate) fn keep(&mut self, open: &[PageId]) {
        self.desks.retain(|id, _| open.contains(id));
    }
}

struct Worker {
    id: PageId,
    tell: Tell,
    orders: Receiver<Order>,
}

impl Worker {
    fn run(self, wanted: Wanted) {
        let open = || file::open(wanted.file.as_deref()).map(Arc::new);
        let mut missing = false;
        let source: Arc<dyn Source> = match open() {
            Ok(file) => file,
            Err(error) => {
                missing = wanted.running;
                if !missing {
                    self.tell(Told::Kept(error.to_string()));
                }
                Arc::new(wanted.kept.clone().into_bytes())
            }
        };
        let mut desk = Desk::new(source);
        loop {
            let order = if desk.has_work() {
                self.orders.try_recv()
            } else {
                self.orders.recv().map_err(|_| TryRecvError::Disconnected)
            };
            match order {
                Ok(Order::Grown) if missing => {
                    if let Ok(file) = open() {
                        missing = false;
                        desk = Desk::new(file);
                    }
                }
                Ok(order) => self.obey(&mut desk, order),
                Err(TryRecvError::Empty) => {
                    if let Some(told) = desk.work() {
                        self.tell(told);
                    }
                }
                Err(TryRecvError::Disconnected) => return,
            }
        }
    }

    fn tell(&self, told: Told) {
        (self.tell)(self.id, told);
    }

    fn obey(&self, desk: &mut Desk, order: Order) {
        match desk.obey(order) {
            Ok(told) => told.into_iter().for_each(|told| self.tell(told)),
            Err(Order::Save(rows, saving)) => {
                self.aside(desk, move |desk| Told::Saved(save(desk, rows, &saving)));
            }
            Err(Order::CleanCopy) => self.aside(desk, |desk| Told::CleanCopy(clean_copy(desk))),
            // It is open, and nothing else takes long.
            Err(_) => {}
        }
    }

    /// Does what takes long on a thread of its own.
    fn aside(&self, desk: &Desk, work: impl FnOnce(&mut Desk) -> Told + Send + 'static) {
        let (id, tell, mut twin) = (self.id, Arc::clone(&self.tell), desk.twin());
        std::thread::spawn(move || tell(id, work(&mut twin)));
    }
}

/// All of it as the command wrote it, or rows as they are shown.
fn save(desk: &mut Desk, rows: Option<Range<usize>>, saving: &Saving) -> Saved {
    match rows {
        Some(rows) => file::save(saving, false, |out| write_shown(desk, rows, out)),
        None => file::save(saving, true, |out| desk.for_each_slice(|bytes| out.write_all(bytes))),
    }
}

fn clean_copy(desk: &mut Desk) -> Result<CleanCopy, String> {
    desk.finish();
    let rows = 0..desk.size().rows;
    let write = |file: &mut dyn Write| -> io::Result<()> {
        write_shown(desk, rows, &mut io::BufWriter::new(file)).map(drop)
    };
    CleanCopy::create(write).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn a_file_that_comes_after_its_reader_is_read() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("output");
        let (told, tell) = channel();
        let told = std::sync::Mutex::new(told);
        let mut pages = Pages::new(Arc::new(move |_, what| told.lock().unwrap().send(what).unwrap()));
        let wait = |bytes| {
            while let Ok(told) = tell.recv_timeout(Duration::from_secs(30)) {
                match told {
                    Told::Size(size) if size.complete && size.bytes == bytes => return,
                    Told::Kept(error) => panic!("{error}"),
                    _ => {}
                }
            }
            panic!("no size of {bytes}");
        };
        let (id, file) = (PageId(1), Some(path.clone()));
        pages.order(id, Order::Open(Wanted { file, kept: String::new(), running: true }));
        wait(0);
        pages.order(id, Order::Grown);
        file::save_text(&Saving { path, overwrite: false }, "late");
        pages.order(id, Order::Grown);
        wait(4);
    }
}
