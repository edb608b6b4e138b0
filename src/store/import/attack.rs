//! What must hold of any file that is imported; for the fuzz target and its
//! property test.
#![allow(clippy::unwrap_used, clippy::panic)] // an attack that gets through has to be loud

use super::{Format, ImportRequest, Imported};
use crate::journal::files::memory::Memory;
use crate::record::Timestamp;
use crate::store::{Kind, Opened, Store};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Imports the bytes in each form: a refusal is a sentence, not a page, and leaves nothing; a
/// session that was made opens whole, and the same file is known again.
///
/// # Panics
/// If it does not hold.
pub fn import(bytes: &[u8]) {
    for format in [Format::Mino, Format::Chat] {
        let (memory, path) = (Memory::new(), PathBuf::from("/history"));
        memory.overwrite(&path, bytes);
        let files = Arc::new(memory.clone());
        let store = Store::open(Path::new("/data"), Path::new("/config"), Kind::Real, files).unwrap();
        let request = ImportRequest { path, format, app: "candor".into(), cwd: "/".into() };
        let now = Timestamp::from_millis(1_796_000_000_000);
        match store.import(&request, now) {
            Ok(Imported::New(id, _)) => {
                assert_eq!(store.import(&request, now).unwrap(), Imported::Before(id));
                match store.open_session(id, now).unwrap() {
                    Opened::Writable(open) => assert!(open.session().open_turn().is_none()),
                    Opened::ReadOnly(view) => panic!("{:?}", view.why()),
                }
            }
            Ok(Imported::Before(id)) => panic!("never imported: {id}"),
            Err(error) => {
                let sentence = error.to_string();
                assert!((1..1000).contains(&sentence.chars().count()), "{sentence:?}");
                assert!(store.session_ids().unwrap().is_empty());
            }
        }
        assert_eq!(memory.bytes(&request.path).unwrap(), bytes);
    }
}
