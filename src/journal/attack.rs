//! What must hold of any bytes that are read as a journal; for the fuzz target
//! and its property test.
#![allow(clippy::unwrap_used, clippy::panic)] // an attack that gets through has to be loud

use super::files::memory::Memory;
use super::files::{Files as _, How};
use super::{Reading, read};
use crate::record::SessionId;
use std::path::Path;
use uuid::Uuid;

fn read_bytes(bytes: &[u8]) -> Reading {
    let (memory, path) = (Memory::new(), Path::new("/journal"));
    memory.overwrite(path, bytes);
    let sid = SessionId::from_uuid(Uuid::from_u128(0x019a_e2d8_1f3b_7abc_8def_0123_4567_89ab));
    read(memory.open(path, How::Read).unwrap().as_ref(), sid, &|_| None).unwrap()
}

/// Reads the bytes as a journal. What is good is a prefix that ends with a
/// line, and read alone it is the same session.
///
/// # Panics
/// If it does not hold.
pub fn reader(bytes: &[u8]) {
    let whole = read_bytes(bytes);
    let good = usize::try_from(whole.bytes).unwrap();
    assert!(whole.vouched <= whole.bytes && good <= bytes.len());
    assert!(good == 0 || bytes[good - 1] == b'\n');
    let again = read_bytes(&bytes[..good]);
    assert!(again.torn.is_none() && again.bytes == whole.bytes, "{again:?}");
    assert_eq!(format!("{:?}", again.chain), format!("{:?}", whole.chain));
}
