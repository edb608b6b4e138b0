//! Any bytes as events and as a whole response.

use super::assemble::{Assembler, Complete, Step};
use crate::record::limits::MAX_INTEGER;
use crate::record::{ItemKind, Usage};
use std::collections::HashSet;

/// Takes each line as the data of one event, and all of it as a whole response:
/// what is accepted can be journalled and acted on.
///
/// # Panics
/// If it does not hold.
pub fn response(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let mut assembler = Assembler::default();
    for line in text.lines() {
        match assembler.take(line) {
            Ok(Step::Complete(complete)) => return sound(&complete),
            Ok(Step::Quiet | Step::Show(_)) => {}
            Ok(Step::EndOfStream) | Err(_) => break,
        }
    }
    if let Ok(complete) = Assembler::default().take_whole(&text) {
        sound(&complete);
    }
}

fn sound(complete: &Complete) {
    let mut ids = HashSet::new();
    assert!(!complete.items.is_empty());
    for item in &complete.items {
        assert!(!item.raw.get().contains(['\n', '\r']));
        if let ItemKind::Call { call_id, arguments, .. } = &item.kind {
            assert!(ids.insert(call_id.clone()) && (1..=64).contains(&call_id.as_str().len()));
            assert!(serde_json::from_str::<serde_json::Map<_, _>>(arguments).is_ok());
        }
    }
    if let Some(Usage { input, cached, output, reasoning }) = complete.usage {
        assert!([input, cached, output, reasoning].into_iter().flatten().all(|tokens| tokens <= MAX_INTEGER));
    }
}
